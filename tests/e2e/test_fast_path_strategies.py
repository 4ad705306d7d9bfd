"""What a run says of waits, interference, batches of one copy and kernel parameters."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import ALL_RAN, NOTHING_RAN, Program, Result, read

MIB = 1 << 20
INTERFERENCE = "interference/engine/memcpy/h2d/4KiB_h2d"


@pytest.fixture(scope="module")
def result(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Result:
    path = tmp_path_factory.mktemp("paths") / "result.json"
    completed = program.run(
        "--device=host",
        f"--strategies=wait,copy_batch,launch/parameters,{INTERFERENCE}",
        "--sizes=16KiB,1MiB",
        "--cache=warm",
        "--benchmark_min_time=0.001",
        "--benchmark_repetitions=2",
        f"--out={path}",
    )
    assert completed.code == ALL_RAN, completed
    return read(path)


def test_everything_is_measured_or_says_why_not(result: Result):
    assert result.failed == {}
    assert {name.split("/")[1] for name in result.skipped if name.startswith("wait/")} == {
        *("spin", "yield", "blocking_sync")
    }
    assert {name.partition("/")[0] for name in result.names()} == {
        *("wait", "copy_batch", "launch", "interference")
    }
    assert "launch/parameters/16KiB" in result.names()
    assert "launch/parameters/1MiB" not in result.names()


def test_fields_tell_benchmarks_apart(result: Result):
    described = result.transfers["benchmarks"]
    assert described["wait/polling/d2h/1MiB"] == described["wait/polling/h2d/1MiB"] | {
        "variant": "d2h",
        "direction": "d2h",
    }
    batch = described["copy_batch/pageable/during_api_call/d2h/1MiB"]
    assert (batch["memory"], batch["setting"]) == ("pageable", "during_api_call")
    beside = described[f"{INTERFERENCE}/1MiB"]
    assert (beside["method"], beside["setting"]) == ("engine", "4KiB_h2d_by_memcpy")
    assert (beside["direction"], beside["size_bytes"]) == ("h2d", MIB)
    assert {described[name]["role"] for name in result.names()} <= set(result.transfers["roles"])


def test_metrics_are_described(result: Result):
    metrics = result.transfers["metrics"]
    for name, unit, kind, better in (
        ("over_synchronize_ns", "ns", "duration", "less"),
        ("until_called_ns", "ns", "duration", "less"),
        ("small_alone_p50_ns", "ns", "duration", "less"),
        ("bulk_gb_per_s", "GB/s", "rate", "more"),
        ("bulk_loss_percent", "%", "share", "less"),
        ("small_bytes", "B", "size", None),
        ("parameter_bytes", "B", "size", None),
        ("over_copy_and_launch_ns", "ns", "duration", "less"),
    ):
        metric = metrics[name]
        assert (metric["unit"], metric["kind"], metric.get("better")) == (unit, kind, better)


def test_a_link_decides_what_a_bulk_copy_reaches(program: Program, tmp_path: Path):
    """On an emulated link, whose time does not depend on how busy the machine is."""
    path = tmp_path / "result.json"
    completed = program.run(
        "--device=host:0@link=2GB/s",
        f"--strategies={INTERFERENCE}",
        "--sizes=4MiB",
        "--benchmark_min_time=0.001",
        "--benchmark_repetitions=2",
        f"--out={path}",
    )
    assert completed.code == ALL_RAN, completed
    for row in read(path).rows:
        assert row["bulk_alone_gb_per_s"] <= 2.1, row
        assert row["small_bytes"] == 4096


def test_sizes_that_parameters_cannot_have_are_refused(program: Program):
    completed = program.run(
        "--device=host", "--strategies=launch/parameters", "--sizes=1MiB", "--cache=warm"
    )
    assert completed.code == NOTHING_RAN
    shown = completed.out.replace("\n  ", " ")
    assert "Skipped launch/parameters: it takes sizes from 1B to 32736B." in shown
