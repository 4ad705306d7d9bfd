"""Too little memory, too little lockable memory, no room for the result."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import limits
import pytest
from program import (
    ALL_RAN,
    SOMETHING_FAILED,
    TINY,
    Program,
    Result,
    assert_one_complaint,
    parse,
    read,
    without,
)

KIB, MIB = 1024, 1024 * 1024


def run_within(
    program: Program, folder: Path, prepare: limits.Preparation, *arguments: str
) -> tuple[str, Result]:
    out = folder / "result.json"
    if program.run("--version", preexec_fn=prepare).code != 0:
        pytest.skip("the program as it was built does not even start within this limit")
    completed = program.measure(*arguments, f"--out={out}", preexec_fn=prepare)
    assert completed.complaints == []
    return completed.out, read(out)


def names(strategy: str, size: str) -> set[str]:
    return {f"{strategy}/{direction}/{size}" for direction in ("h2d", "d2h")}


def test_a_size_that_memory_is_refused_for_is_skipped(program: Program, tmp_path: Path):
    out, result = run_within(
        program,
        tmp_path,
        limits.address_space(192 * MIB),
        *("--strategies=copy/pageable,copy/pinned", "--sizes=4KiB,256MiB"),
    )
    assert result.names() == names("copy/pageable", "4KiB") | names("copy/pinned", "4KiB")
    assert set(result.skipped) == {
        *names("copy/pageable", "256MiB"),
        *names("copy/pinned", "256MiB"),
    }
    for reason in result.skipped.values():
        assert "memory" in reason
        assert "256" in reason or "268435" in reason or "GiB" in reason
    assert result.transfers["complete"] is True
    assert "Skipped copy/pageable/h2d/256MiB and 3 more: " in out


@pytest.mark.nightly
def test_an_operation_that_memory_is_refused_for_is_skipped(program: Program, tmp_path: Path):
    """The limits leave room for the buffers, but not for the allocations of each operation."""
    out = tmp_path / "result.json"
    selection = (
        "--strategies=gpu_array/round_trip",
        "--sizes=64KiB,16MiB",
        "--benchmark_min_time=0.0003",
    )
    arguments = (*without(TINY, *selection), *selection, "--benchmark_repetitions=1")
    program.measure(*arguments, f"--out={out}")
    expected = read(out).names()
    shown = False
    for limit in range(100 * MIB, 260 * MIB, 16 * MIB):
        out.unlink(missing_ok=True)
        completed = program.run(
            *(*arguments, f"--out={out}"),
            env={"OMP_NUM_THREADS": "2"},
            preexec_fn=limits.address_space(limit),
        )
        assert completed.code >= 0, f"ended by signal {-completed.code} within {limit} bytes"
        if completed.code != ALL_RAN:
            continue  # there is not even room for threads
        result = read(out)
        assert result.transfers["complete"] is True
        assert result.names() | set(result.skipped) == expected
        assert all("memory" in reason for reason in result.skipped.values()), result.skipped
        shown |= bool(result.names()) and bool(result.skipped)
    if not shown:
        pytest.skip("no limit leaves room for the buffers alone")


def test_a_size_beyond_the_memory_left_is_not_even_tried(
    program: Program, sample: Result, tmp_path: Path
):
    """A system that overcommits would kill the process when it uses the memory."""
    three_fifths = sample.transfers["machine"]["memory"]["total_bytes"] // 5 * 3
    out, result = run_within(
        program,
        tmp_path,
        limits.address_space(1024 * MIB),  # in case it tries nevertheless
        *("--strategies=copy/pageable", f"--sizes=4KiB,{three_fifths}"),
    )
    assert result.names() == names("copy/pageable", "4KiB")
    assert len(result.skipped) == 2
    for reason in result.skipped.values():
        assert reason.startswith("not enough host memory: ")
        assert "GiB needed" in reason
        assert "--strategies" in reason
    assert "not enough host memory" in out


def test_memory_that_cannot_be_locked_is_skipped_with_the_remedy(program: Program, tmp_path: Path):
    out, result = run_within(
        program,
        tmp_path,
        limits.locked_memory(64 * KIB),
        *("--strategies=copy/pageable,copy/pinned", "--sizes=4KiB,1MiB"),
    )
    assert result.names() >= names("copy/pageable", "4KiB") | names("copy/pageable", "1MiB")
    assert set(result.skipped) >= names("copy/pinned", "1MiB")
    for name, reason in result.skipped.items():
        assert name.startswith("copy/pinned/")
        assert "cannot lock" in reason
        assert "ulimit -l unlimited" in reason
    assert "ulimit -l unlimited" in out
    assert result.transfers["machine"]["memory"]["memlock_limit_bytes"] == 64 * KIB


@pytest.mark.parametrize("threads", range(1, 9))
def test_without_more_threads_a_benchmark_is_skipped(program: Program, threads: int):
    """Thrust's containers use OpenMP, whose library would end the program."""
    completed = program.run(
        *("--device=host", "--strategies=copy/pageable,thrust/device_vector", "--cache=warm"),
        *("--sizes=4KiB,1MiB", "--benchmark_min_time=0.0005", "--benchmark_repetitions=2"),
        "--benchmark_format=json",
        env={"OMP_NUM_THREADS": "4"},
        preexec_fn=limits.processes(threads),
    )
    if "libstdc++" in completed.err or "Permission denied" in completed.err:
        pytest.skip("another user cannot start the program")
    assert "libgomp" not in completed.err
    if completed.code == SOMETHING_FAILED:  # there is not even a thread for a stream
        assert_one_complaint(completed, "no more threads can be started")
        return
    assert completed.code == ALL_RAN, completed
    result = parse(completed.out)
    assert names("copy/pageable", "4KiB") <= result.names()
    assert result.transfers["complete"] is True
    for name, reason in result.skipped.items():
        assert name.startswith("thrust/device_vector/")
        assert reason.startswith("no more threads can be started")
    assert bool(result.skipped) is (threads < 5)


@pytest.fixture
def small_group() -> Iterator[limits.Preparation]:
    yield from limits.memory_cgroup(f"bench_transfers_test_{os.getpid()}", 300 * MIB)


def test_what_operations_allocate_fits_into_a_small_control_group(
    program: Program, small_group: limits.Preparation
):
    """The kernel would kill the program before its first figure."""
    result = program.run_and_read(
        *("--device=host", "--strategies=gpu_array,thrust,dtype,strided", "--sizes=4KiB,64MiB"),
        *("--cache=warm", "--benchmark_min_time=0.0001", "--benchmark_repetitions=1"),
        env={"OMP_NUM_THREADS": "2"},
        preexec_fn=small_group,
    )
    assert any(name.endswith("/4KiB") for name in result.names())
    assert any(name.endswith("/64MiB") for name in result.skipped)
    assert all("memory" in reason for reason in result.skipped.values()), result.skipped


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    where = tmp_path / "disk"
    where.mkdir()
    limits.mount_small_disk(where, 64 * KIB)
    yield where
    limits.unmount(where)


def assert_keeps_the_last_version(program: Program, out: Path, reason: str, **options: Any) -> None:
    """Measures until there is no room for the result."""
    completed = program.measure(
        f"--out={out}", "--benchmark_repetitions=500", expected=SOMETHING_FAILED, **options
    )
    assert_one_complaint(completed, f"cannot write {out}", reason)
    assert completed.out.startswith("Device: host")
    assert any(line.startswith("copy/pageable ") for line in completed.out.splitlines())
    result = read(out)
    assert result.transfers["complete"] is False
    assert len(result.rows) >= 1
    assert all(row["median_ns"] > 0 for row in result.rows)
    assert list(out.parent.iterdir()) == [out]


def test_a_disk_that_gets_full_leaves_the_last_version(program: Program, small_disk: Path):
    assert_keeps_the_last_version(program, small_disk / "result.json", "No space left on device")


def test_a_file_that_must_not_grow_leaves_the_last_version(program: Program, tmp_path: Path):
    assert_keeps_the_last_version(
        program,
        tmp_path / "result.json",
        "File too large",
        preexec_fn=limits.file_size(32 * KIB),
    )


def test_an_answer_that_must_not_grow_leaves_the_older_one(
    program: Program, made_up: Path, tmp_path: Path
):
    out = tmp_path / "answer.json"
    out.write_text("older")
    question = ("--bytes=1MiB", "--direction=h2d", f"--from={made_up}", f"--json={out}")
    completed = program.run(
        "advise", *question, preexec_fn=limits.file_size(512), expected=SOMETHING_FAILED
    )
    assert_one_complaint(completed, f"cannot write {out}", "File too large")
    assert completed.out != ""
    assert out.read_text() == "older"
    assert list(tmp_path.iterdir()) == [out]


@pytest.mark.parametrize("file_format", ["json", "csv"])
def test_a_full_disk_spares_the_file_of_an_earlier_run(
    program: Program, small_disk: Path, file_format: str
):
    out, filler = small_disk / "result", small_disk / "filler"
    file_format_flag = f"--benchmark_out_format={file_format}"
    program.measure(f"--out={out}", file_format_flag)
    before = out.read_bytes()
    with filler.open("wb", buffering=0) as file, pytest.raises(OSError, match="No space"):
        file.writelines(itertools.repeat(b"x" * KIB))
    completed = program.run(*TINY, "--benchmark_repetitions=3", file_format_flag, f"--out={out}")
    assert completed.code != 0
    assert_one_complaint(completed, f"cannot write {out}", "No space left on device")
    assert out.read_bytes() == before
    assert sorted(small_disk.iterdir()) == [filler, out]
