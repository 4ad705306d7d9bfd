"""Input that `bench_transfers advise` refuses."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import advice_files
import pytest
from advice_files import MIB, QUESTION, gpu_file, write
from program import NOTHING_RAN, USAGE, Program, assert_complains


def test_a_named_pipe_is_not_waited_for(program: Program, tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    completed = program.run("advise", f"--from={pipe}", *QUESTION)
    assert_complains(completed, USAGE, str(pipe), "a named pipe")


NOTHING: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no rows": ([], "it has no benchmarks"),
    "one size": (advice_files.rows("copy/pinned/h2d/1MiB", 1e6, MIB), "two sizes"),
    "other families": (
        advice_files.rows("null/single", 30, 1) + advice_files.rows("launch/plain/1MiB", 5, MIB),
        "no transfers",
    ),
    "the other direction": (
        advice_files.rows("copy/pinned/d2h/1MiB", 1e6, MIB)
        + advice_files.rows("copy/pinned/d2h/2MiB", 2e6, 2 * MIB),
        "no transfers h2d",
    ),
}


@pytest.mark.parametrize("case", NOTHING)
def test_nothing_to_rank(program: Program, tmp_path: Path, case: str):
    benchmarks, complaint = NOTHING[case]
    file = write(tmp_path / "result.json", gpu_file() | {"benchmarks": benchmarks})
    completed = program.run("advise", f"--from={file}", *QUESTION)
    assert_complains(completed, NOTHING_RAN, str(file), complaint)


@pytest.mark.parametrize("option", ["--json", "--map"])
def test_the_result_file_is_not_overwritten(
    program: Program, made_up: Path, tmp_path: Path, option: str
):
    before = made_up.read_bytes()
    other_name = tmp_path / "link.json"
    other_name.symlink_to(made_up)
    program.run("advise", f"--from={made_up}", f"{option}={other_name}", *QUESTION, expected=2)
    assert made_up.read_bytes() == before
