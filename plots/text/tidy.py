"""Writes tidy data of all runs of a report: one observation in a row, one variable in a column."""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from typing import Any

from plots.model.derive import Run
from plots.model.values import is_number
from plots.text import caption, column_of
from plots.text.table import format_csv

# Fields of a benchmark, whose names are heads of columns, too.
FIELDS = ["role", "family", "strategy", "method", "memory", "variant", "direction", "size_bytes"]
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
        "measurements.csv": format_csv(
            list(measurements[0]), [list(row.values()) for row in measurements]
        ),
        # Without a time the same data make the same file.
        "repetitions.csv.gz": gzip.compress(
            format_csv(["run", "benchmark", "repetition", *COUNTERS, "gb_per_s"], repetitions),
            mtime=0,
        ),
    }


def _measurements(number: int, run: Run) -> Iterator[dict[str, Cell]]:
    device, date = caption.device_name(run), caption.date(run.result)
    for benchmark in run.benchmarks:
        low, high = benchmark.time_interval or (None, None)
        moved = benchmark.bytes if run.is_moved(benchmark) else None
        least, most = (benchmark.rate_interval if moved else None) or (None, None)
        yield {
            "run": number,
            "device": device,
            "started_utc": date,
            "benchmark": benchmark.name,
            **{key: getattr(benchmark, key) for key in FIELDS},
            "moved_bytes": moved,
            "cold": int(benchmark.cold),
            "cache": benchmark.cache,
            "repetitions": benchmark.repetitions,
            "median_ns": benchmark.ns,
            "median_ns_low_95": low,
            "median_ns_high_95": high,
            "gb_per_s": benchmark.gb_per_s if moved else None,
            "gb_per_s_low_95": least,
            "gb_per_s_high_95": most,
            "link_percent": column_of.link_percent(run, benchmark),
            "cpu_s_per_gb": benchmark.positive_median("cpu_s_per_gb"),
        }


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
