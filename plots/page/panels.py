"""Lists what the file has of each benchmark, for the panel that the page opens."""

from __future__ import annotations

from typing import Any

from plots.model.benchmark import TIME, Benchmark
from plots.model.derive import Run
from plots.page.packing import rounded
from plots.text import metric_words

# Of single operations, in this order.
PERCENTILES = ("min_ns", "p5_ns", TIME, "mean_ns", "p95_ns", "p99_ns", "p999_ns", "max_ns")
DRAWN_DIGITS = 5  # repetitions may differ in the fourth digit
RATES = ("gb_per_s", "device_gb_per_s", "link_percent")


def describe_benchmarks(run: Run) -> dict[str, Any]:
    """Returns, by name, each benchmark's repetitions, interval and other counters.

    A counter is its place in `counters`, followed by its median over the repetitions.
    """
    counters = [
        name
        for name in (*PERCENTILES, *run.result.metrics)
        if name in run.result.metrics and name not in metric_words.NOT_SHOWN
    ]
    counters = list(dict.fromkeys(counters))
    metrics = run.result.metrics
    return {
        "percentiles": sum(name in PERCENTILES for name in counters),
        "counters": [
            [metric_words.describe(name, metrics[name]), metrics[name].unit] for name in counters
        ],
        "benchmarks": {
            benchmark.name: {
                "median": rounded(benchmark.ns, DRAWN_DIGITS + 2),
                "ns": [rounded(row[TIME], DRAWN_DIGITS) for row in benchmark.in_order],
                "interval": list(map(rounded, benchmark.time_interval or ())),
                "counters": _values(benchmark, counters, run.is_moved(benchmark)),
            }
            for benchmark in run.benchmarks
        },
    }


def _values(benchmark: Benchmark, counters: list[str], is_moved: bool) -> list[float]:
    """Returns places and medians of the counters that the benchmark has, one after the other.

    Bytes that are not moved, but allocated, have no rate.
    """
    return [
        number
        for place, name in enumerate(counters)
        if is_moved or name not in RATES
        if (value := _value(benchmark, name)) is not None
        for number in (place, rounded(value))
    ]


def _value(benchmark: Benchmark, name: str) -> float | None:
    """Returns a counter as the tables have it: the rate is that of the median time."""
    return benchmark.gb_per_s if name == "gb_per_s" else benchmark.any_median(name)
