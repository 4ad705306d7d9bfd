"""A new strategy, a new command and a new finding are one new file each: those of HACKING.md."""

from __future__ import annotations

import json
from pathlib import Path

import limits
import pytest
from program import USAGE, Program, assert_complains, listed

ADDED = "copy_halves_again/pageable"


def strategies(program: Program) -> dict[str, tuple[str, str]]:
    completed = program.run("--list=all", "--device=host")
    return {name: (summary, where) for name, summary, where in listed(completed.out)}


def test_the_extended_program_has_exactly_one_strategy_more(program: Program, extended: Program):
    more = strategies(extended)
    assert more.pop(ADDED)[1] == "h2d, d2h; runs on this device"
    assert more == strategies(program)


def test_the_added_strategy_runs_like_any_other(extended: Program):
    result = extended.measure_and_read(
        f"--strategies={ADDED},copy/pageable", "--sizes=1MiB", "--cache=both"
    )
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
    assert any(line.startswith(f"{ADDED} ") for line in result.completed.out.splitlines())


def test_the_added_strategy_is_verified_like_any_other(extended: Program):
    completed = extended.measure(f"--strategies={ADDED}", "--inject=corrupt@h2d", expected=1)
    assert f"FAILED {ADDED}/h2d/4KiB: wrong data: 1 of 4096 bytes differ" in completed.out


@pytest.mark.nightly
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


@pytest.fixture(params=["bench_transfers", "gate_transfers", "fleet_transfers"])
def both(
    request: pytest.FixtureRequest, program: Program, extended: Program
) -> tuple[Program, Program]:
    """A program, and the same with one command more."""
    if request.param == "bench_transfers":
        return program, extended
    beside = program.path.with_name
    return Program(beside(request.param)), Program(beside(f"{request.param}_extended"))


def test_the_extended_program_has_exactly_one_command_more(both: tuple[Program, Program]):
    def commands(of: Program) -> list[str]:
        text = of.run("--help").out
        return text[text.index("\nSubcommands:\n") :].split("\n\n")[0].splitlines()

    known = commands(both[0])
    more = [line for line in commands(both[1]) if line not in known]
    assert [line.split(maxsplit=1) for line in more] == [["count", "Count the sizes of a list."]]


def test_the_added_command_is_refused_helped_and_completed_like_any_other(
    both: tuple[Program, Program],
):
    extended = both[1]
    assert extended.run("count", "--sizes=4KiB,1MiB").out == "2\n"
    assert "--sizes SIZES REQUIRED" in extended.run("count", "--help").out
    assert "count --sizes" in extended.run("--generate=complete-bash").out
    for refused, complaint in (
        (("count", "--sizes=4KiB", "--sizess=4KiB"), "did you mean --sizes?"),
        (("count", "--sizes=4XiB"), "4XiB"),
        (("count",), "--sizes is required"),
        (("coun", "--sizes=4KiB"), "did you mean count?"),
    ):
        assert_complains(extended.run(*refused), USAGE, complaint)


def test_a_command_comes_first(extended: Program):
    assert "count comes first" in extended.run("--brief", "count", "--sizes=4KiB").err


def test_the_added_finding_of_the_doctor_is_found_where_it_is_true(
    program: Program, extended: Program
):
    def codes(of: Program, limit: int) -> list[str]:
        locked = limits.locked_memory(limit)
        answer = of.run("doctor", "--device=host", "--json=-", preexec_fn=locked).out
        return [finding["code"] for finding in json.loads(answer)["findings"]]

    assert codes(extended, 0).count("no_locked_memory") == 1
    assert "no_locked_memory" not in codes(extended, 64 << 10)
    assert "no_locked_memory" not in codes(program, 0)


def test_the_added_finding_about_a_file_is_found_where_it_is_true(
    program: Program, extended: Program, tmp_path: Path
):
    def codes(of: Program, file: Path) -> list[str]:
        report = json.loads(of.run("export", "--format=report", file).out)
        return [finding["code"] for finding in report["runs"][0]["findings"]]

    for rounds, added in ((2, ["few_rounds"]), (3, [])):
        out = tmp_path / f"{rounds}.json"
        program.measure(
            "--strategies=copy/pageable", f"--benchmark_repetitions={rounds}", f"--out={out}"
        )
        known = codes(program, out)
        assert [code for code in codes(extended, out) if code not in known] == added
        assert "few_rounds" not in known


def test_the_added_finding_of_a_map_is_found_where_it_is_true(extended: Program):
    def codes(devices: str) -> list[str]:
        answer = extended.run("map", f"--device={devices}", "--size=64KiB", "--out=-").out
        return [finding["code"] for finding in json.loads(answer)["findings"]]

    assert codes("host").count("few_sets") == 1
    assert "few_sets" not in codes("host:0@a=200MB/s,host:1@b=200MB/s")
