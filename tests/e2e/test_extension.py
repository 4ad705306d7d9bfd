"""A strategy more is one file more."""

from __future__ import annotations

from pathlib import Path

from program import Program, listed, read

ADDED = "copy_halves_again/pageable"


def strategies(program: Program) -> dict[str, tuple[str, str]]:
    done = program.run("--list", "--device=host")
    return {name: (summary, where) for name, summary, where in listed(done.out)}


def test_the_extended_program_has_exactly_one_strategy_more(program: Program, extended: Program):
    more = strategies(extended)
    assert more.pop(ADDED)[1] == "h2d, d2h; runs on this device"
    assert more == strategies(program)


def test_the_added_strategy_runs_like_any_other(extended: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    done = extended.measure(
        f"--strategies={ADDED},copy/pageable", "--sizes=1MiB", "--cache=both", f"--out={out}"
    )
    result = read(out)
    rows = [row for row in result.rows if row["name"].startswith(ADDED)]
    assert {row["name"] for row in rows} == {
        f"{ADDED}/{way}/1MiB{state}" for way in ("h2d", "d2h") for state in ("", "/cold")
    }
    for row in rows:
        assert row["batch"] == 1  # long enough to be timed step by step
        assert 0 < row["first_half_ns"] < row["max_ns"]
        assert 0 < row["second_half_ns"] < row["max_ns"]
    assert any(line.startswith(f"{ADDED} ") for line in done.out.splitlines())


def test_the_added_strategy_is_verified_like_any_other(extended: Program):
    done = extended.measure(f"--strategies={ADDED}", "--inject=corrupt@h2d", expected=1)
    assert f"FAILED {ADDED}/h2d/4KiB: wrong data: 1 of 4096 bytes differ" in done.out


def test_the_tests_of_all_strategies_hold_for_the_added_one(extended_tests: Program):
    """As they do for a file in bench/strategies/: none has a list that would have to grow."""
    assert b"copy_halves_again" in extended_tests.path.read_bytes()
    every = (
        "registered_strategies.*",
        "plan_of_all_strategies.*",
        *(f"host_session.{name}_*" for name in ("every_strategy", "a_corrupted_byte")),
    )
    done = extended_tests.run(f"--gtest_filter={':'.join(every)}")
    assert done.code == 0, done.out
    assert "PASSED" in done.out
