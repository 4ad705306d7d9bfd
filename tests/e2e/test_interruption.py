"""Ctrl-C and worse."""

from __future__ import annotations

import csv
import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from program import (
    COLUMNS,
    LIMIT_S,
    TINY,
    TINY_NAMES,
    Program,
    Result,
    open_terminal,
    read,
    received_by,
    rows_in,
    wait_for,
    wait_for_rows,
)

FOREVER = "--benchmark_repetitions=10000"


@pytest.fixture
def started(program: Program, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A long run that has measured a few repetitions and written some of them."""
    out = tmp_path / "result.json"
    with program.running(*TINY, FOREVER, "--seed=1", f"--out={out}") as process:
        wait_for_rows(out, 3)
        assert process.poll() is None
        yield process


def end(process: subprocess.Popen[str], sent: signal.Signals) -> tuple[str, str]:
    process.send_signal(sent)
    return process.communicate(timeout=LIMIT_S)


def assert_has_whole_rows(result: Result) -> None:
    assert len(result.rows) >= 3
    assert result.names() <= set(TINY_NAMES)
    assert all(row["median_ns"] > 0 and row["repetitions"] == 10000 for row in result.rows)
    assert result.failed == {}


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_it_measured(
    started: subprocess.Popen[str], tmp_path: Path, sent: signal.Signals
):
    before = rows_in(tmp_path / "result.json")
    out, err = end(started, sent)
    assert started.returncode == 128 + sent
    result = read(tmp_path / "result.json")
    assert result.transfers["complete"] is False
    assert result.transfers["run"]["interrupted_by"] == sent.name
    assert result.transfers["run"]["finished_utc"] is not None
    assert len(result.rows) >= before
    assert_has_whole_rows(result)
    assert "copy/pageable " in out
    assert out.startswith("Device: host")
    assert "FAILED" not in out
    assert "terminate called" not in err
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_a_killed_run_leaves_a_readable_file(started: subprocess.Popen[str], tmp_path: Path):
    end(started, signal.SIGKILL)
    assert started.returncode == -signal.SIGKILL
    result = read(tmp_path / "result.json")
    assert result.transfers["complete"] is False
    assert result.transfers["run"]["interrupted_by"] is None
    assert_has_whole_rows(result)


def is_among(sought: signal.Signals, process: subprocess.Popen[str], key: str) -> bool:
    """Whether a signal is in one of the sets of /proc/PID/status."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    signals = next(int(line.split()[1], 16) for line in status.splitlines() if key in line)
    return bool(signals & 1 << (sought - 1))


def test_a_second_ctrl_c_ends_the_program_at_once(program: Program, tmp_path: Path):
    """Even in the middle of an operation that takes hours."""
    out = tmp_path / "result.json"
    slow = ("--inject=slow:1e12@.", "--benchmark_filter=h2d/64KiB")
    with program.running(*TINY, *slow, f"--out={out}") as process:
        assert process.stderr
        while "preparing" not in process.stderr.readline():
            assert process.poll() is None
        assert is_among(signal.SIGINT, process, "SigCgt")
        process.send_signal(signal.SIGINT)
        wait_for(lambda: not is_among(signal.SIGINT, process, "ShdPnd"), "the first to arrive")
        assert process.poll() is None
        # A signal soon after the first counts as the same: timeout(1) signals both the
        # program and its group.
        while process.poll() is None:
            process.send_signal(signal.SIGINT)
            time.sleep(0.1)
    assert process.returncode == -signal.SIGINT
    assert json.loads(out.read_text())["context"]["transfers"]["complete"] is False


def test_an_interrupted_run_writes_other_formats_too(program: Program, tmp_path: Path):
    """CSV is written at the end; until then only the progress shows that anything was measured."""
    out = tmp_path / "result.csv"
    ours, theirs = open_terminal(COLUMNS)
    arguments = (*TINY, FOREVER, "--benchmark_out_format=csv", f"--out={out}")
    with program.start(*arguments, stderr=theirs) as process:
        os.close(theirs)
        try:
            rounds = (re.search(rb"round (\d+)/", piece) for piece in received_by(ours))
            assert any(match and int(match[1]) >= 2 for match in rounds)
            end(process, signal.SIGINT)
        finally:
            process.kill()
            os.close(ours)
    assert process.returncode == 128 + signal.SIGINT
    with out.open() as file:
        assert {row["name"] for row in csv.DictReader(file)} >= set(TINY_NAMES)
