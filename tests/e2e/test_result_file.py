"""The result file of a run."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from program import TINY_NAMES, Program, Result, has_gpu, read

SIZES = {"4KiB": 4096, "64KiB": 65536, "1MiB": 1 << 20}
COUNTERS = {
    *("operations", "batch", "median_ns", "mean_ns", "min_ns", "max_ns"),
    *("bytes", "gb_per_s", "cores", "cpu_s_per_gb"),
}


def expected_names() -> Iterator[str]:
    """Names in the run of the fixture `sample`; its cold sizes are those of the profile."""
    yield from ("null/single", "null/batched")
    for strategy in ("copy/pageable", "copy_async/pageable"):
        for direction in ("h2d", "d2h"):
            yield from (f"{strategy}/{direction}/{size}" for size in SIZES)
            yield from (f"{strategy}/{direction}/{size}/cold" for size in ("64KiB", "1MiB"))


def transfers_of(result: Result) -> list[dict[str, Any]]:
    return [row for row in result.rows if not row["name"].startswith("null/")]


def test_has_every_repetition_of_every_benchmark(sample: Result):
    assert sample.names() == set(expected_names())
    for rows in sample.by_name().values():
        assert [row["repetition_index"] for row in rows] == [0, 1]
        assert {row["repetitions"] for row in rows} == {2}


def test_keeps_the_rows_of_a_benchmark_together(sample: Result):
    in_file = [row["run_name"] for row in sample.rows]
    assert in_file == [name for name, rows in sample.by_name().items() for _ in rows]


def test_has_every_counter_in_every_row(sample: Result):
    for row in transfers_of(sample):
        assert row.keys() >= COUNTERS, row["name"]
    for row in sample.rows:
        assert row.keys() >= COUNTERS - {"bytes", "gb_per_s", "cpu_s_per_gb"}, row["name"]


def test_counters_agree_with_each_other(sample: Result):
    for row in sample.rows:
        assert row["run_type"] == "iteration"
        assert row["time_unit"] == "ns"
        keys = ("min_ns", "p5_ns", "median_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns")
        times = [row[key] for key in keys if key in row]
        assert times == sorted(times)
        samples = row["operations"] / row["batch"]
        for key, least in {"p5_ns": 100, "p95_ns": 100, "p99_ns": 500, "p999_ns": 5000}.items():
            assert (key in row) == (samples >= least), key
        assert 0 < row["min_ns"] <= row["mean_ns"] <= row["max_ns"]
        assert row["real_time"] == pytest.approx(row["median_ns"], rel=1e-6)
        assert row["operations"] == row["iterations"] > 0
        assert row["operations"] % row["batch"] == 0
    for row in transfers_of(sample):
        assert row["bytes"] == SIZES[row["name"].split("/")[3]]
        assert row["gb_per_s"] == pytest.approx(row["bytes"] / row["median_ns"], rel=1e-6)
        price = row["cores"] * row["mean_ns"] / row["bytes"]
        assert row["cpu_s_per_gb"] == pytest.approx(price, rel=1e-6)


def test_steps_are_figures_of_their_own(sample: Result):
    for row in transfers_of(sample):
        several = row["name"].startswith("copy_async/")
        assert ("enqueue_ns" in row and "wait_ns" in row) == several


def test_cold_operations_are_timed_one_by_one(sample: Result):
    cold = [row for row in sample.rows if row["name"].endswith("/cold")]
    assert len(cold) == 16
    assert {row["batch"] for row in cold} == {1}


def test_context_is_that_of_google_benchmark(sample: Result):
    assert sample.context["json_schema_version"] == 1
    assert sample.context.keys() >= {"date", "host_name", "executable", "num_cpus", "caches"}


def test_describes_the_program_and_the_run(sample: Result, program: Program):
    run = sample.transfers["run"]
    assert sample.transfers["format"] == 2
    assert sample.transfers["complete"] is True
    assert run["interrupted_by"] is None
    assert run["command_line"][0] == sample.context["executable"] == program.path.name
    assert "--seed=42" in run["command_line"]
    assert (run["seed"], run["rounds"], run["min_time_ms"]) == (42, 2, 1)
    assert run["sizes"] == [*SIZES.values()]
    assert run["random_order"] is True
    assert run["faults_injected"] == []
    for key in ("started_utc", "finished_utc"):
        assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ", run[key])
    assert run["started_utc"] <= run["finished_utc"]
    assert {strategy["name"] for strategy in sample.transfers["strategies"]} == {
        *("null", "copy/pageable", "copy_async/pageable")
    }


def test_describes_the_device(sample: Result):
    assert sample.transfers["device"]["kind"] == "host"
    assert sample.transfers["device"]["why_not_gpu"] is None  # the host was asked for
    assert sample.transfers["link"] is None


def test_records_cpu_throttling_and_no_gpu_clocks(sample: Result):
    clocks = sample.transfers["clocks"]
    assert list(clocks) == ["gpu", "cpu"]
    assert clocks["gpu"] is None
    counters = Path("/sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count")
    if counters.exists():
        assert clocks["cpu"]["throttle_events"] >= 0
    else:
        assert clocks["cpu"] is None


@pytest.mark.parametrize(
    "path",
    [
        *("program/version", "program/git_commit", "program/compiler", "program/build_type"),
        *("program/cuda_toolkit", "machine/cpu/model", "machine/cpu/logical_cpus_online"),
        *("machine/cpu/caches", "machine/memory/total_bytes", "machine/memory/page_bytes"),
        *("machine/memory/transparent_hugepage_enabled", "machine/memory/memlock_limit_bytes"),
        *("machine/kernel/release", "machine/kernel/architecture", "machine/os"),
        *("machine/kernel/boot_id", "machine/numa"),
        *("machine/virtualisation/hypervisor", "machine/iommu", "machine/process/numa_node"),
        *("clock/read_ns", "clock/resolution_ns", "buffers", "warnings"),
    ],
)
def test_has_the_key_of_the_fingerprint(sample: Result, path: str):
    here: Any = sample.transfers
    for key in path.split("/"):
        assert key in here
        here = here[key]


def test_buffers_tell_which_memory_is_write_combined(sample: Result):
    buffers = sample.transfers["buffers"]
    assert buffers
    assert all(buffer["write_combined"] is buffer["memory"].endswith("_wc") for buffer in buffers)


def test_fingerprint_has_plausible_values(sample: Result):
    machine, clock = sample.transfers["machine"], sample.transfers["clock"]
    assert machine["cpu"]["model"]
    assert machine["cpu"]["logical_cpus_online"] >= 1
    assert machine["memory"]["total_bytes"] > 1 << 28
    assert machine["memory"]["page_bytes"] >= 4096
    assert 0 < clock["read_ns"] < 10_000
    assert 0 < clock["resolution_ns"] < 1_000_000


def test_describes_each_numa_node(sample: Result):
    nodes = sample.transfers["machine"]["numa"]
    assert [node["node"] for node in nodes] == sorted({node["node"] for node in nodes})
    assert any(node["memory_allowed"] and node["usable_cpus"] for node in nodes)


def test_lists_what_was_skipped_with_the_reason(sample: Result):
    assert set(sample.skipped) == {
        name.replace("pageable", "pinned_wc") for name in expected_names() if "copy/" in name
    }
    assert all("write-combined" in reason for reason in sample.skipped.values())


def test_says_why_there_is_no_gpu(program: Program, tmp_path: Path):
    if has_gpu():
        pytest.skip("there is a GPU here")
    out = tmp_path / "result.json"
    arguments = ("--benchmark_min_time=0.001", "--strategies=copy/pageable", "--sizes=4KiB")
    completed = program.run(*arguments, "--device=auto", f"--out={out}", expected=0)
    device = read(out).transfers["device"]
    assert device["kind"] == "host"
    why = device["why_not_gpu"]
    assert why["code"] == "no_gpu"
    assert why["data"]["reason"] in why["text"]
    assert why["text"] in completed.unfolded
    assert completed.err.startswith("No GPU: ")


def order(program: Program, *arguments: str) -> list[str]:
    """Names in the order of measurement."""
    completed = program.measure(
        *arguments,
        "--strategies=copy/pageable,copy/pageable_huge,copy/pinned",
        "--benchmark_repetitions=1",
        "--benchmark_format=csv",
    )
    return [line.split(",")[0].strip('"') for line in completed.out.splitlines()[1:]]


def test_a_seed_reproduces_the_order(program: Program):
    first, again, different = (order(program, f"--seed={seed}") for seed in (7, 7, 8))
    assert first == again
    assert first != different
    assert sorted(first) == sorted(different)


def test_the_order_can_be_left_as_it_is_listed(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    fixed = ("--benchmark_enable_random_interleaving=false", f"--out={out}")
    listing = program.measure("--benchmark_list_tests", "--strategies=copy").out.splitlines()
    measured = order(program, *fixed)
    assert measured == [name for name in listing if name in measured]
    assert read(out).transfers["run"]["random_order"] is False


def test_the_seed_is_recorded_and_another_each_time(program: Program, tmp_path: Path):
    seeds = set()
    for name in ("a", "b", "c"):
        program.measure("--benchmark_filter=h2d/4KiB", f"--out={tmp_path / name}")
        seeds.add(read(tmp_path / name).transfers["run"]["seed"])
    assert len(seeds) == 3


def test_replaces_an_older_file(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    out.write_text("old")
    program.measure(f"--out={out}")
    assert read(out).names() == set(TINY_NAMES)
    assert list(tmp_path.iterdir()) == [out]


def compare(old: Result, new: Result) -> dict[str, float]:
    """Like Google Benchmark's compare.py: matches rows by name, takes all repetitions of a name as
    one sample, and relates real_time and cpu_time. All rows of a name must have the same unit."""
    assert old.context["json_schema_version"] == new.context["json_schema_version"] == 1
    changes = {}
    for name in dict.fromkeys(row["name"] for row in old.rows):
        before, after = (
            [row for row in result.rows if row["name"] == name] for result in (old, new)
        )
        if not after:
            continue
        assert len({row["time_unit"] for row in before + after}) == 1
        assert all(row["run_type"] == "iteration" for row in before + after)
        assert all(row["run_name"] == name for row in before + after)
        for key in ("real_time", "cpu_time"):
            assert all(isinstance(row[key], int | float) for row in before + after)
        changes[name] = after[0]["real_time"] / before[0]["real_time"]
    return changes


def test_can_be_compared_by_google_benchmarks_tools(
    program: Program, sample: Result, tmp_path: Path
):
    out = tmp_path / "result.json"
    program.measure("--sizes=4KiB,64KiB", f"--out={out}")
    changes = compare(sample, read(out))
    assert set(changes) == read(out).names()
    assert set(changes) < sample.names()
    assert all(math.isfinite(change) and change > 0 for change in changes.values())
