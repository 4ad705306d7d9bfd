"""Writes tidy data of all runs of a report: one observation in a row, one variable in a column."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from typing import Any

from plots.model.derive import Benchmark, Run
from plots.model.significance import rate_interval, time_interval
from plots.model.values import is_number
from plots.text import caption, tables
from plots.text.table import format_csv

OF_RUN = ["run", "device", "started_utc"]
OF_BENCHMARK = [
    "benchmark",
    "role",
    "family",
    "strategy",
    "method",
    "memory",
    "variant",
    "direction",
    "size_bytes",
    "moved_bytes",
    "cold",
]
RESULTS = [
    "repetitions",
    "median_ns",
    "median_ns_low_95",
    "median_ns_high_95",
    "gb_per_s",
    "gb_per_s_low_95",
    "gb_per_s_high_95",
    "link_percent",
    "cpu_s_per_gb",
]
# Counters of a repetition: its times are those of its samples.
COUNTERS = ["median_ns", "min_ns", "p5_ns", "p95_ns", "p99_ns", "max_ns", "mean_ns", "operations"]
DIGITS = 8  # of a repetition's numbers; more would only make the file larger
Cell = str | float | int | None


def format_tidy(runs: Sequence[Run]) -> dict[str, bytes]:
    """Returns CSV files by name: a row for each benchmark, and one for each repetition."""
    numbered = list(enumerate(runs, start=1))
    measurements = [row for number, run in numbered for row in _measurements(number, run)]
    repetitions = [row for number, run in numbered for row in _repetitions(number, run)]
    return {
        "measurements.csv": format_csv([*OF_RUN, *OF_BENCHMARK, *RESULTS], measurements),
        # Without a time the same data make the same file.
        "repetitions.csv.gz": gzip.compress(
            format_csv(["run", "benchmark", "repetition", *COUNTERS, "gb_per_s"], repetitions),
            mtime=0,
        ),
    }


def _measurements(number: int, run: Run) -> Iterator[list[Cell]]:
    of_run: list[Cell] = [number, caption.device_name(run), caption.date(run.result)]
    for benchmark in run.benchmarks:
        low, high = time_interval(benchmark) or (None, None)
        moved = benchmark.bytes if run.is_moved(benchmark) else None
        rate = benchmark.gb_per_s if moved else None
        least, most = (rate_interval(benchmark) if moved else None) or (None, None)
        yield [
            *of_run,
            *_identity(benchmark),
            moved,
            int(benchmark.cold),
            benchmark.repetitions,
            benchmark.ns,
            low,
            high,
            rate,
            least,
            most,
            tables.link_percent(run, benchmark),
            benchmark.get("cpu_s_per_gb"),
        ]


def _identity(benchmark: Benchmark) -> list[Cell]:
    return [
        benchmark.name,
        benchmark.role,
        benchmark.family,
        benchmark.strategy,
        benchmark.method,
        benchmark.memory,
        benchmark.variant,
        benchmark.direction,
        benchmark.size_bytes,
    ]


def _repetitions(number: int, run: Run) -> Iterator[list[Cell]]:
    for benchmark in run.benchmarks:
        for i, row in enumerate(benchmark.rows):
            index, ns = row.get("repetition_index", i), row["median_ns"]
            moved = benchmark.bytes if run.is_moved(benchmark) else None
            yield [
                number,
                benchmark.name,
                index if is_number(index) else i,
                *(_short(row.get(name)) for name in COUNTERS),
                _short(moved / ns if moved else None),
            ]


def _short(value: Any) -> Cell:
    """Returns a number with the digits that are kept; nothing else is one."""
    if not is_number(value):
        return None
    return value if isinstance(value, int) else float(f"{value:.{DIGITS}g}")
