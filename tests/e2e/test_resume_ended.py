"""A run that was killed, interrupted or left without room keeps what it had measured."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import limits
from program import (
    ALL_RAN,
    LIMIT_S,
    SOMETHING_FAILED,
    TINY,
    Program,
    Result,
    read,
    wait_for,
    wait_for_rows,
)
from resumed import FOREVER, PACED, assert_is_whole, edit, key, resume, unmarked


def test_a_killed_run_is_taken_to_its_end(paced: Program, tmp_path: Path):
    """All repetitions are there, but the run has not said so."""
    file = tmp_path / "result.json"
    paced.run(*PACED, f"--out={file}", expected=ALL_RAN)
    edit(file, lambda document: document["context"]["transfers"].update(complete=False))
    earlier = read(file)
    resume(paced, file, expected=ALL_RAN)
    assert_is_whole(read(file), earlier)


def test_a_killed_run_that_was_spoilt_has_failed(paced: Program, tmp_path: Path):
    file = tmp_path / "result.json"
    paced.run(*PACED, f"--out={file}", expected=ALL_RAN)
    name = "paced/first/h2d/1MiB"

    def spoil(document: dict[str, Any]) -> None:
        document["context"]["transfers"]["complete"] = False
        for row in document["benchmarks"]:
            if row["run_name"] == name:
                row["disturbed"] = ["clock_jumped"]

    edit(file, spoil)
    resume(paced, file, expected=SOMETHING_FAILED)
    whole = read(file)
    assert set(whole.failed) == {name}
    (row,) = whole.by_name()[name]
    assert (row["error_code"], row["disturbed"]) == ("disturbed", ["clock_jumped"])
    assert whole.transfers["complete"] is True
    resume(paced, file, expected=SOMETHING_FAILED)  # nothing lacks


def test_ctrl_c_keeps_both_parts(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"

    def measure(rows: int, *arguments: str) -> Result:
        with program.running(*arguments) as process:
            wait_for_rows(out, rows + 1)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=LIMIT_S)
        assert process.returncode == 128 + signal.SIGINT
        return read(out)

    first = measure(3, *TINY, FOREVER, f"--out={out}")
    second = measure(len(first.rows), f"--resume={out}")
    rows = {key(row): row for row in second.rows}
    assert len(rows) == len(second.rows) > len(first.rows)
    assert all(unmarked(rows[key(row)]) == unmarked(row) for row in first.rows)
    assert second.transfers["complete"] is False
    parts = second.transfers["parts"]
    assert [part["interrupted_by"] for part in parts] == ["SIGINT", "SIGINT"]
    assert [part["complete"] for part in parts] == [False, False]


def test_a_killed_part_keeps_the_earlier_one(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    program.run(*TINY, "--benchmark_repetitions=2", f"--out={out}", expected=ALL_RAN)

    def make_unfinished(document: dict[str, Any]) -> None:
        document["context"]["transfers"]["complete"] = False
        options = document["context"]["transfers"]["run"]["options"]
        options[options.index("--benchmark_repetitions=2")] = FOREVER

    edit(out, make_unfinished)
    earlier = read(out)
    with program.running(f"--resume={out}"):
        # The file is there at any time.
        wait_for(lambda: len(read(out).rows) > len(earlier.rows), "a new row")
    rows = {key(row): row for row in read(out).rows}
    assert all(rows[key(row)] == row for row in earlier.rows)
    assert [part["complete"] for part in read(out).transfers["parts"]] == [False, False]


def test_a_full_disk_keeps_the_earlier_part(paced: Program, cut_file: Path):
    before = cut_file.read_bytes()
    limit = limits.file_size(len(before))
    completed = resume(paced, cut_file, preexec_fn=limit, expected=SOMETHING_FAILED)
    assert "cannot write" in completed.complaints[-1]
    assert cut_file.read_bytes() == before
    assert [path.name for path in cut_file.parent.iterdir()] == [cut_file.name]
