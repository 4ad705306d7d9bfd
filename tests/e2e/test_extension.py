"""A new strategy is one new file, and so is a new command."""

from __future__ import annotations

from pathlib import Path

from program import Program, listed, read

ADDED = "copy_halves_again/pageable"


def strategies(program: Program) -> dict[str, tuple[str, str]]:
    completed = program.run("--list=all", "--device=host")
    return {name: (summary, where) for name, summary, where in listed(completed.out)}


def test_the_extended_program_has_exactly_one_strategy_more(program: Program, extended: Program):
    more = strategies(extended)
    assert more.pop(ADDED)[1] == "h2d, d2h; runs on this device"
    assert more == strategies(program)


def test_the_added_strategy_runs_like_any_other(extended: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    completed = extended.measure(
        f"--strategies={ADDED},copy/pageable", "--sizes=1MiB", "--cache=both", f"--out={out}"
    )
    result = read(out)
    rows = [row for row in result.rows if row["name"].startswith(ADDED)]
    assert {row["name"] for row in rows} == {
        f"{ADDED}/{direction}/1MiB{state}"
        for direction in ("h2d", "d2h")
        for state in ("", "/cold")
    }
    for row in rows:
        assert row["batch"] == 1  # long enough to be timed step by step
        assert 0 < row["first_half_ns"] < row["max_ns"]
        assert 0 < row["second_half_ns"] < row["max_ns"]
    assert any(line.startswith(f"{ADDED} ") for line in completed.out.splitlines())


def test_the_added_strategy_is_verified_like_any_other(extended: Program):
    completed = extended.measure(f"--strategies={ADDED}", "--inject=corrupt@h2d", expected=1)
    assert f"FAILED {ADDED}/h2d/4KiB: wrong data: 1 of 4096 bytes differ" in completed.out


def test_the_tests_of_all_strategies_hold_for_the_added_one(extended_tests: Program):
    """As for a file in bench/strategies/: no test has a list that would need an entry."""
    assert b"copy_halves_again" in extended_tests.path.read_bytes()
    suites = (
        "registered_strategies.*",
        "plan_of_all_strategies.*",
        *(f"host_session.{name}_*" for name in ("every_strategy", "a_corrupted_byte")),
    )
    completed = extended_tests.run(f"--gtest_filter={':'.join(suites)}")
    assert completed.code == 0, completed.out
    assert "PASSED" in completed.out


def test_the_extended_program_has_exactly_one_command_more(program: Program, extended: Program):
    def commands(of: Program) -> list[str]:
        text = of.run("--help").out
        return text[text.index("\nSubcommands:\n") :].split("\n\n")[0].splitlines()

    more = [line for line in commands(extended) if line not in commands(program)]
    assert [line.split(maxsplit=1) for line in more] == [["count", "Count the strategies."]]


def test_the_added_command_is_refused_helped_and_completed_like_any_other(extended: Program):
    assert extended.run("count", "--family=copy_halves_again").out == "1\n"
    assert "--family NAME" in extended.run("count", "--help").out
    assert "--family" in extended.run("--generate=complete-bash").out
    refused = extended.run("count", "--familly=copy")
    assert refused.code == 2
    assert "did you mean --family?" in refused.err
    assert "count comes first" in extended.run("--brief", "count").err
