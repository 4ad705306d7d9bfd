"""What disturbs repetitions from outside is in their rows."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
from pathlib import Path

import limits
import pytest
from program import (
    ALL_RAN,
    HOST,
    SOMETHING_FAILED,
    Program,
    Result,
    read,
    wait_for_rows,
    without,
)

LONG_REPETITIONS = (
    *without(HOST, "--benchmark_min_time"),
    "--benchmark_min_time=0.05",
    "--strategies=copy/pageable",
    "--sizes=64KiB",
    "--cache=warm",
)


def codes_in(result: Result) -> set[str]:
    return {code for row in result.rows for code in row.get("disturbed", [])}


def assert_warns(result: Result, code: str) -> None:
    (warning,) = (
        warning
        for warning in result.transfers["warnings"]
        if warning["code"] == "repetitions_disturbed"
    )
    assert warning["data"]["by"][code] >= 1
    assert warning["data"]["repetitions"] >= warning["data"]["disturbed"]


def test_a_stop_is_seen(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    arguments = (*LONG_REPETITIONS, "--benchmark_repetitions=10", f"--out={out}")
    with program.start(*arguments) as process:
        wait_for_rows(out, 1)
        for _ in itertools.takewhile(lambda _: process.poll() is None, itertools.count()):
            process.send_signal(signal.SIGSTOP)
            process.send_signal(signal.SIGCONT)
            try:
                process.wait(0.02)
            except subprocess.TimeoutExpired:
                continue
        process.communicate()
    result = read(out)
    assert "stopped" in codes_in(result)
    assert result.transfers["complete"] is True
    assert_warns(result, "stopped")
    assert process.returncode == (SOMETHING_FAILED if result.failed else 0)


def test_lost_cpus_are_seen(program: Program, tmp_path: Path):
    usable = os.sched_getaffinity(0)
    if len(usable) < 2:
        pytest.skip("there is one CPU only")
    out = tmp_path / "result.json"
    arguments = (*LONG_REPETITIONS, "--benchmark_repetitions=10", f"--out={out}")
    with program.start(*arguments) as process:
        wait_for_rows(out, 2)
        os.sched_setaffinity(process.pid, {min(usable)})
        process.communicate()
    result = read(out)
    assert process.returncode == 0
    assert "fewer_cpus" in codes_in(result)
    assert "fewer_cpus" not in result.rows[0].get("disturbed", [])
    assert_warns(result, "fewer_cpus")


@pytest.fixture(scope="session")
def stopped_clock(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return limits.library("stopped_clock", tmp_path_factory.mktemp("clock"))


@pytest.mark.parametrize("readings", [0, 50_000])
def test_a_clock_that_stands_still_is_seen(
    program: Program, stopped_clock: Path, tmp_path: Path, readings: int
):
    """It stops at once, or in the middle of the run."""
    out = tmp_path / "result.json"
    completed = program.run(
        *(*HOST, "--strategies=copy/pageable,copy/pinned", "--sizes=4KiB,64KiB", "--cache=warm"),
        *("--benchmark_repetitions=60", f"--out={out}"),
        env={"LD_PRELOAD": str(stopped_clock), "STOPPED_CLOCK_READINGS": str(readings)},
    )
    assert completed.complaints == []
    result = read(out)
    assert completed.code == (SOMETHING_FAILED if result.failed else ALL_RAN), completed
    assert result.transfers["complete"] is True
    assert {row["error_code"] for row in result.rows if "error_code" in row} <= {"disturbed"}
    assert all("clock_stood_still" in message for message in result.failed.values())
    assert result.failed or "clock_stood_still" in codes_in(result)
    assert bool(result.measured) is (readings > 0)
    for row in result.measured:
        assert row["median_ns"] > 0 or "clock_stood_still" in row["disturbed"]
