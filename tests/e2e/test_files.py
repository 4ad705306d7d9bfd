"""Copies from files: what is measured, what is skipped, and what stays behind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from program import NOTHING_RAN, Program, Result

MIB = 1 << 20
SHARED_MEMORY = Path("/dev/shm")
STATES = {
    f"file/{method}/{cache}/h2d/1MiB"
    for method in ("mmap", "mmap_staged", "pread", "either", "cufile")
    for cache in ("warm", "cold")
}
OPTIONS = ("--device=host", "--benchmark_min_time=0.001", "--benchmark_repetitions=2")


def measure(program: Program, folder: Path, *options: str) -> Result:
    return program.run_and_read(*OPTIONS, "--sizes=1MiB", *options, env={"TMPDIR": str(folder)})


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("temporary")


@pytest.fixture(scope="module")
def result(program: Program, folder: Path) -> Result:
    return measure(program, folder, "--strategies=copy/pageable,file/*")


def descriptions(result: Result) -> dict[str, dict[str, Any]]:
    """What the result file says of each benchmark of the family that was measured."""
    described = result.transfers["benchmarks"]
    return {name: described[name] for name in result.names() if described[name]["family"] == "file"}


def test_each_method_is_measured_or_says_why_not(result: Result):
    assert result.failed == {}
    assert set(descriptions(result)) | set(result.skipped) == STATES | {"file/direct/h2d/1MiB"}


def test_cufile_is_skipped_without_a_gpu(result: Result):
    for cache in ("warm", "cold"):
        assert "CUDA devices" in result.skipped[f"file/cufile/{cache}/h2d/1MiB"]


def test_no_file_stays_behind(result: Result, folder: Path):
    assert result.rows
    assert list(folder.iterdir()) == []


def test_fields_say_how_and_from_where(result: Result):
    for described in descriptions(result).values():
        _, method, *state = described["strategy"].split("/")
        assert described["method"] == method
        # Past the page cache, its state is no choice, and not in the name.
        assert [described["setting"]] == (state or ["cold"])
        assert (described["role"], described["direction"]) == ("file", "h2d")
        assert described["size_bytes"] == MIB
        assert described.get("memory") is None
    assert "file" in result.transfers["roles"]


def test_reads_in_turn_are_described(result: Result):
    metrics = result.transfers["metrics"]
    described = descriptions(result)
    for row in result.rows:
        if row["run_name"] not in described:
            continue
        warm = described[row["run_name"]].get("setting") == "warm"
        rate = "read_gb_per_s" if warm else "disk_gb_per_s"
        if rate in row:
            assert row[rate] > 0
            assert (metrics[rate]["unit"], metrics[rate]["better"]) == ("GB/s", "more")
        else:
            assert rate == "disk_gb_per_s"


@pytest.mark.skipif(not os.access(SHARED_MEMORY, os.W_OK), reason="there is no /dev/shm")
def test_a_file_in_memory_is_never_called_cold(program: Program):
    result = measure(program, SHARED_MEMORY, "--strategies=file/pread/*,copy/pageable")
    assert "file/pread/cold/h2d/1MiB" not in result.names()
    assert "TMPDIR" in result.skipped["file/pread/cold/h2d/1MiB"]


def test_a_folder_that_is_not_there_skips_them(program: Program, tmp_path: Path):
    completed = program.run(
        *OPTIONS,
        "--sizes=1MiB",
        "--strategies=file/pread/*",
        env={"TMPDIR": str(tmp_path / "none")},
        expected=NOTHING_RAN,
    )
    assert "there is no folder for temporary files (TMPDIR)" in completed.out.replace("\n  ", " ")


def test_nobody_gets_a_file_unasked(program: Program):
    completed = program.run(*OPTIONS, "--sizes=1MiB", "--benchmark_list_tests")
    assert "file/" not in completed.out
