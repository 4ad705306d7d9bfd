"""Progress on terminals and in logs; readers that leave early."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

import pytest
from program import (
    ALL_RAN,
    SOMETHING_FAILED,
    TINY,
    TINY_NAMES,
    USAGE,
    Program,
    assert_one_complaint,
    nowhere,
    open_terminal,
    read,
    received_by,
    without,
)

NEW_LINE = "\r\x1b[K"


def test_progress_in_a_log_is_plain_lines(program: Program):
    completed = program.measure()
    announced, first, second, third, *_ = completed.unfolded.splitlines()
    assert announced == "4 benchmarks in 2 rounds"
    assert first.startswith("allocating")
    assert second.startswith("preparing 1/4  copy/pageable/")
    assert re.fullmatch(r"prepared in [\dms ]+; about [\dms ]+ left", third)
    assert completed.err.endswith("\n")
    assert "\x1b" not in completed.err
    assert "\r" not in completed.err
    assert "preparing" not in completed.out


def on_terminal(program: Program, columns: int, *, stdout_too: bool) -> str:
    """The output on a terminal of a run that is long enough to show several rounds."""
    ours, theirs = open_terminal(columns)
    longer = ("--benchmark_min_time=0.03", "--benchmark_repetitions=8")
    out = f"--out={nowhere()}/on_a_terminal.json"
    process = program.start(
        *without(TINY, *longer),
        *longer,
        out,
        stdout=theirs if stdout_too else subprocess.DEVNULL,
        stderr=theirs,
    )
    os.close(theirs)
    received = b"".join(received_by(ours))
    os.close(ours)
    assert process.wait() == ALL_RAN
    return received.decode()


def test_progress_on_a_terminal_is_one_line_rewritten(program: Program):
    before, *updates = on_terminal(program, 80, stdout_too=False).split(NEW_LINE)
    assert before.count("\n") == 2
    assert updates[0].startswith("preparing 1/4  copy/pageable/")
    assert any("round " in update and "left)" in update for update in updates)
    assert updates[-1] == ""  # nothing remains on the line
    assert not any("\n" in update for update in updates)


def test_progress_fits_a_narrow_terminal(program: Program):
    _, *updates = on_terminal(program, 30, stdout_too=False).split(NEW_LINE)
    assert any(update.startswith("round ") for update in updates)
    assert max(len(update) for update in updates) < 30


def test_progress_is_gone_when_the_summary_comes(program: Program):
    text = on_terminal(program, 80, stdout_too=True)
    assert "round " in text
    before, _, _ = text.partition("Device: host")
    assert before.endswith((NEW_LINE, "\n")), repr(before[-80:])


@pytest.mark.parametrize("arguments", [(), ("--benchmark_format=json",)], ids=["summary", "json"])
def test_a_reader_that_leaves_early_disturbs_nothing(
    program: Program, tmp_path: Path, arguments: tuple[str, ...]
):
    out = tmp_path / "result.json"
    with program.start(*TINY, *arguments, f"--out={out}") as process:
        assert process.stdout
        process.stdout.close()
        assert process.stderr
        err = process.stderr.read()
    assert process.returncode in (0, 1, -signal.SIGPIPE)
    assert "terminate called" not in err
    assert read(out).transfers["complete"] is True


@pytest.mark.parametrize(
    "arguments", [("--help",), ("--list",), ("--benchmark_list_tests", "--profile=full")]
)
def test_head_of_a_list(program: Program, arguments: tuple[str, ...]):
    with program.start("--device=host", *arguments) as process:
        assert process.stdout
        process.stdout.close()
        assert process.stderr
        assert process.stderr.read().count("\n") <= 1
    assert process.returncode in (0, 1, -signal.SIGPIPE)


@pytest.mark.parametrize("flag", ["--help", "--version", "--list", "--benchmark_list_tests"])
def test_an_answer_that_cannot_be_written_is_a_failure(program: Program, flag: str):
    with Path("/dev/full").open("w") as full:
        completed = program.run("--device=host", flag, stdout=full)
    assert completed.code == SOMETHING_FAILED
    assert_one_complaint(completed, "cannot write to standard output")


def test_a_log_that_cannot_be_written_does_not_end_the_run(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    with Path("/dev/full").open("w") as full:
        completed = program.measure(f"--out={out}", stderr=full)
    assert completed.out.startswith("Device: host")
    assert read(out).names() == set(TINY_NAMES)


def test_a_complaint_that_cannot_be_written_keeps_its_exit_code(program: Program):
    with Path("/dev/full").open("w") as full:
        program.run("--nope", stderr=full, expected=USAGE)
