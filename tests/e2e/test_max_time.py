"""Runs that end when their time is up, by a clock that only the benchmarks advance."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gate_files import pin
from program import (
    TINY,
    Program,
    Result,
    as_undisturbed,
    assert_one_complaint,
    read,
)

NO_TIME = 4
PACED = ("--device=host", "--strategies=paced", "--cache=warm", "--sizes=1MiB", "--seed=1")
MANY = ("--benchmark_repetitions=1000", "--benchmark_min_time=0.001")


def warning_of(result: Result, code: str) -> dict[str, Any]:
    (warning,) = (each for each in result.transfers["warnings"] if each["code"] == code)
    return warning


def codes(result: Result) -> list[str]:
    return [warning["code"] for warning in result.transfers["warnings"]]


def begin_at(file: Path, time: str) -> None:
    """The gate refuses unfinished files that began in the same second: they may be one run."""
    document = json.loads(file.read_text())
    document["context"]["transfers"]["run"] |= {"started_utc": time, "finished_utc": time}
    file.write_text(json.dumps(document))


def test_the_run_ends_when_the_time_is_up_and_keeps_what_it_has(paced: Program):
    result = paced.run_and_read(*PACED, *MANY, "--max-time=500ms")
    assert result.completed.complaints == []
    assert result.transfers["complete"] is False
    assert result.transfers["run"]["interrupted_by"] is None
    assert result.transfers["run"]["max_time_s"] == 0.5
    assert result.transfers["run"]["finished_utc"] is not None
    warning = warning_of(result, "max_time_reached")
    assert warning["data"]["max_time_s"] == 0.5
    assert warning["data"]["benchmarks"] == 8
    assert warning["data"]["left_out"] == warning["data"]["unstable"] == []
    assert set(warning["data"]["shortened"]) == result.names()
    assert len(result.names()) == 8
    assert 8 < len(result.rows) < 8 * 1000
    assert "for at most 500 ms" in result.completed.err


def test_what_is_left_out_is_named(paced: Program):
    result = paced.run_and_read(*PACED, *MANY, "--max-time=10ms")
    left_out = warning_of(result, "max_time_reached")["data"]["left_out"]
    assert left_out
    assert result.names()
    assert result.names().isdisjoint(left_out)
    assert result.names() | set(left_out) == result.transfers["benchmarks"].keys()
    assert f"{len(left_out)} left out" in result.completed.out


def test_enough_time_changes_nothing(paced: Program):
    few = "--benchmark_repetitions=2"
    result = paced.run_and_read(*PACED, few, "--max-time=1h")
    assert result.transfers["complete"] is True
    assert "max_time_reached" not in codes(result)
    assert len(result.rows) == 16


def test_a_run_that_measures_nothing_has_a_code_of_its_own(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    completed = program.run(*TINY, "--max-time=0.000000001", f"--out={out}", expected=NO_TIME)
    assert_one_complaint(completed, "--max-time")
    result = read(out)
    assert result.rows == []
    assert result.transfers["complete"] is False
    assert len(warning_of(result, "max_time_reached")["data"]["left_out"]) == 4


def test_a_failure_counts_more_than_the_time(paced: Program):
    fault = "--inject=fail@paced/first/h2d/1MiB"
    result = paced.run_and_read(*PACED, *MANY, fault, "--max-time=500ms", expected=1)
    assert set(result.failed) == {"paced/first/h2d/1MiB"}
    assert result.transfers["complete"] is False
    assert "paced/first/h2d/1MiB" not in warning_of(result, "max_time_reached")["data"]["shortened"]


def test_the_gate_takes_the_run_for_one_that_did_not_end(
    paced: Program, gate: Program, tmp_path: Path
):
    files = [tmp_path / f"{number}.json" for number in range(3)]
    for number, file in enumerate(files):
        few = ("--benchmark_repetitions=3", f"--seed={number}", f"--out={file}")
        paced.run("--device=host", "--strategies=paced", "--sizes=1MiB", *few, expected=0)
    baseline = pin(gate, map(as_undisturbed, files))
    cut = [tmp_path / f"cut-{number}.json" for number in range(3)]
    for number, file in enumerate(cut):
        arguments = ("--benchmark_repetitions=3", f"--seed={10 + number}", f"--out={file}")
        command = ("--device=host", "--strategies=paced", "--sizes=1MiB", "--max-time=10ms")
        paced.run(*command, *arguments, expected=0)
        assert read(file).transfers["complete"] is False
        begin_at(file, f"2126-11-22T10:00:{number:02}Z")
    checked = gate.run("check", baseline, *cut, expected=3)
    assert "were not measured" in checked.out or "missing" in checked.out
    assert "cut-0.json did not reach its end" in checked.out.replace("\n  ", " ")
