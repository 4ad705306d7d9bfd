"""The cost of host memory for the CPU: access and allocation; the memory's type."""

from __future__ import annotations

import math
from pathlib import Path

import limits
import pytest
from program import ALL_RAN, HOST, NOTHING_RAN, Program, Result, listed

KIB = 1024
ACCESSES = [
    *("read_scalar", "read_vector", "read_memcpy", "read_streaming", "read_random"),
    *("read_strided", "write_fill", "write_memcpy", "write_streaming", "write_random"),
    "read_modify_write",
]
SINGLE = ("read_random", "read_strided", "write_random")
LOCKING = [
    *("pinned", "pinned_mapped", "pinned_pool", "registered", "registered_huge"),
    *("lock_touched", "lock_touched_huge", "lock_untouched"),
]


@pytest.fixture(scope="module")
def result(program: Program) -> Result:
    return program.measure_and_read(
        "--strategies=cpu/pageable,allocate/malloc,free/malloc,copy/pageable",
        "--sizes=16KiB,1MiB",
        "--cold-sizes=1MiB",
        "--cache=both",
    )


def not_here(result: Result) -> set[str]:
    """Accesses that this processor has no instruction for."""
    return {name.split("/")[2] for name in result.skipped}


def test_every_access_is_measured(result: Result):
    expected = {
        f"cpu/pageable/{access}{threads}/{size}"
        for access in ACCESSES
        for threads in ("", "_all_cores")
        for size in ("16KiB", "1MiB", "1MiB/cold")
        if access + threads not in not_here(result)
    }
    assert {name for name in result.names() if name.startswith("cpu/")} == expected
    assert not_here(result) <= {"read_streaming", "write_streaming"} | {
        *("read_streaming_all_cores", "write_streaming_all_cores")
    }
    assert result.failed == {}


def test_single_accesses_have_their_time(result: Result):
    for row in result.rows:
        benchmark = result.transfers["benchmarks"][row["name"]]
        access = benchmark["variant"] or ""
        single = benchmark["family"] == "cpu" and access.removesuffix("_all_cores") in SINGLE
        assert ("ns_per_access" in row) == single, row["name"]
        if single:
            assert 0 < row["ns_per_access"] < row["median_ns"]
    for row in result.rows:
        if row["name"].startswith("cpu/pageable/read_random/"):
            assert row["ns_per_access"] * row["bytes"] / 8 == pytest.approx(
                row["median_ns"], rel=1e-6
            )


def test_allocation_and_release_are_measured_until_they_are_stable(result: Result):
    names = {
        f"{family}/malloc/{size}" for family in ("allocate", "free") for size in ("16KiB", "1MiB")
    }
    assert names == {name for name in result.names() if "/malloc/" in name}
    for name in names:
        rows = result.by_name()[name]
        assert 2 <= len(rows) <= 6  # at most three times the rounds
        assert [row["repetition_index"] for row in rows] == [*range(len(rows))]
        step = name.partition("/")[0]
        assert all(row[f"{step}_ns"] == row["median_ns"] for row in rows)
        assert {row["batch"] for row in rows} == {1}


def test_the_buffers_memory_type_is_recorded_with_its_evidence(result: Result):
    (block,) = result.transfers["buffers"]
    assert block["memory"] == "pageable"
    if block["memory_type"] is None:
        assert block["cpu_reads"] is block["cpu_reads_of_ordinary_memory"] is None
        pytest.skip("this processor cannot flush its caches: the type is not known")
    # Compares ordinary memory with itself, on a computer that may be busy.
    assert block["memory_type"] in ("write-back", "unclear")
    for rates in (block["cpu_reads"], block["cpu_reads_of_ordinary_memory"]):
        assert math.isfinite(rates["plain_gb_per_s"])
        assert rates["plain_gb_per_s"] > 0
        if rates["streaming_gb_per_s"] is not None:
            assert rates["streaming_gb_per_s"] > 0


def test_a_buffer_smaller_than_the_probe_has_no_known_type(program: Program):
    (block,) = program.measure_and_read("--sizes=4KiB").transfers["buffers"]
    assert block["memory_type"] is block["cpu_reads"] is None


@pytest.fixture(scope="module")
def emulation(program: Program) -> Result:
    return program.measure_and_read("--strategies=cpu/emulated_wc", "--sizes=16KiB")


def test_emulation_is_labelled_and_runs_only_on_the_host(program: Program, emulation: Result):
    listing = program.run("--list=all", "--device=host", expected=ALL_RAN)
    strategies = {name: (summary, where) for name, summary, where in listed(listing.out)}
    emulations = [name for name, (summary, _) in strategies.items() if "EMULATION" in summary]
    assert emulations == ["cpu/emulated_wc"]
    (facts,) = emulation.transfers["strategies"]
    assert facts["summary"].startswith("EMULATION")
    assert {name.split("/")[2].removesuffix("_all_cores") for name in emulation.names()} == {
        *("read_scalar", "read_vector", "read_streaming")
    }


def test_emulation_is_labelled_in_the_summary(program: Program, tmp_path: Path):
    completed = program.measure(
        "--strategies=cpu/emulated_wc", "--sizes=16KiB", f"--out={tmp_path / 'result.json'}"
    )
    (row,) = [line for line in completed.out.splitlines() if line.startswith("emulated_wc")]
    assert row.endswith("EMULATION")


def test_emulated_streaming_reads_are_faster(emulation: Result):
    best = {
        name.split("/")[2]: min(row["min_ns"] for row in rows)
        for name, rows in emulation.by_name().items()
    }
    # Each of a line's eight words or four vectors waits for memory, or its only load does,
    # together with others.
    assert best["read_scalar"] > best["read_vector"] > 1.5 * best["read_streaming"]


def test_managed_memory_is_skipped_without_a_gpu(program: Program):
    program.run(*HOST, "--strategies=cpu/managed", "--sizes=16KiB", expected=NOTHING_RAN)


def test_memory_that_cannot_be_locked_is_skipped_with_the_remedy(program: Program):
    strategies = [f"{family}/{method}" for family in ("allocate", "free") for method in LOCKING]
    result = program.measure_and_read(
        f"--strategies=allocate/malloc,cpu/pinned,cpu/registered_huge,{','.join(strategies)}",
        "--sizes=1MiB",
        "--cache=warm",
        preexec_fn=limits.locked_memory(64 * KIB),
    )
    assert result.completed.complaints == []
    assert result.names() == {"allocate/malloc/1MiB"}
    assert result.failed == {}
    skipped = result.skipped
    assert {f"{name}/1MiB" for name in strategies} < set(skipped)
    assert any(name.startswith("cpu/pinned/") for name in skipped)
    for name, reason in skipped.items():
        if "huge pages are off" in reason or "no transparent huge pages" in reason:
            continue
        assert "cannot lock" in reason, name
        assert "ulimit -l unlimited" in reason, name
    assert "ulimit -l unlimited" in result.completed.out


def test_locking_within_the_limit_goes_on(program: Program):
    result = program.measure_and_read(
        "--strategies=allocate/pinned",
        "--sizes=16KiB,1MiB",
        preexec_fn=limits.locked_memory(256 * KIB),
    )
    assert result.names() == {"allocate/pinned/16KiB"}
    assert set(result.skipped) == {"allocate/pinned/1MiB"}
