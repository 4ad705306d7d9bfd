"""What a run says of waits, interference, batched copies and kernel parameters."""

from __future__ import annotations

import pytest
from program import ALL_RAN, NOTHING_RAN, Program, Result

MIB = 1 << 20
INTERFERENCE = "interference/kernel/memcpy/h2d/4KiB_d2h"
MEASURED = (
    "--sizes=16KiB,1MiB,16MiB",
    "--cache=warm",
    "--benchmark_min_time=0.001",
    "--benchmark_repetitions=2",
)


@pytest.fixture(scope="module")
def result(program: Program) -> Result:
    strategies = "--strategies=wait,copy_batch,launch/parameters"
    return program.run_and_read("--device=host", strategies, *MEASURED)


@pytest.fixture(scope="module")
def beside_bulk(program: Program) -> tuple[Result, float]:
    """Returns a run and the rate of its link, in GB/s.

    On a busy machine, bulk copies over a fast link end before a small one can begin.
    """
    for rate in (2, 0.1, 0.01):
        link = f"--device=host:0@link={rate}GB/s"
        asked = (link, f"--strategies={INTERFERENCE}", *MEASURED)
        result = program.run_and_read(*asked, expected=None)
        if result.completed.code == ALL_RAN:
            return result, rate
    raise AssertionError(result.completed)


def test_everything_is_measured_or_says_why_not(result: Result):
    assert result.failed == {}
    assert {name.split("/")[1] for name in result.skipped if name.startswith("wait/")} == {
        *("spin", "yield", "blocking_sync")
    }
    assert {name.partition("/")[0] for name in result.names()} == {
        *("wait", "copy_batch", "launch")
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
    assert {described[name]["role"] for name in result.names()} <= set(result.transfers["roles"])


def test_fields_tell_what_is_beside_a_bulk_copy(beside_bulk: tuple[Result, float]):
    result, _ = beside_bulk
    described = result.transfers["benchmarks"]
    beside = described[f"{INTERFERENCE}/16MiB"]
    assert (beside["method"], beside["setting"]) == ("kernel", "4KiB_by_memcpy_beside_h2d")
    assert (beside["direction"], beside["size_bytes"]) == ("d2h", 16 * MIB)
    assert f"{INTERFERENCE}/1MiB" not in described
    assert beside["role"] in result.transfers["roles"]


def test_metrics_are_described(result: Result, beside_bulk: tuple[Result, float]):
    metrics = result.transfers["metrics"] | beside_bulk[0].transfers["metrics"]
    for name, unit, kind, better in (
        ("over_synchronize_ns", "ns", "duration", "less"),
        ("until_called_ns", "ns", "duration", "less"),
        ("small_p99_ns", "ns", "duration", "less"),
        ("bulk_gb_per_s", "GB/s", "rate", "more"),
        ("small_gb_per_s", "GB/s", "rate", "more"),
        ("bulk_loss_percent", "%", "share", "less"),
        ("bulk_copies", "1", "count", None),
        ("parameter_bytes", "B", "size", None),
        ("over_copy_and_launch_ns", "ns", "duration", "less"),
    ):
        metric = metrics[name]
        assert (metric["unit"], metric["kind"], metric.get("better")) == (unit, kind, better)


def test_small_copies_say_what_they_cost_the_bulk_copy(beside_bulk: tuple[Result, float]):
    result, link = beside_bulk
    rows = result.by_name()[f"{INTERFERENCE}/16MiB"]
    assert len(rows) == 2
    for row in rows:
        assert row["bytes"] == 4096
        assert row["operations"] >= 500
        assert row["bulk_alone_gb_per_s"] <= 1.05 * link, "faster than the link"
        assert row["bulk_loss_percent"] == pytest.approx(
            100 * (1 - row["bulk_gb_per_s"] / row["bulk_alone_gb_per_s"]), abs=1e-4
        )


def test_interference_is_measured_on_request_only(program: Program):
    def benchmarks(*options: str) -> list[str]:
        completed = program.run(
            "--device=host", *options, "--benchmark_list_tests", expected=ALL_RAN
        )
        return [line for line in completed.out.splitlines() if line.startswith("interference/")]

    assert benchmarks("--profile=full") == []
    assert len(benchmarks("--profile=standard", "--strategies=interference")) == 180


def test_sizes_that_parameters_cannot_have_are_refused(program: Program):
    completed = program.run(
        "--device=host",
        "--strategies=launch/parameters",
        "--sizes=1MiB",
        "--cache=warm",
        expected=NOTHING_RAN,
    )
    shown = completed.out.replace("\n  ", " ")
    assert "Skipped launch/parameters: it takes sizes from 1B to 32736B." in shown
