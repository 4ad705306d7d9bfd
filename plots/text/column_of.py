"""Makes the columns that several tables of benchmarks have: sizes, times and bandwidths."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.text import numbers
from plots.text.table import Cell, Column, Row

LOW, HIGH = "low", "high"  # heads of the columns of an interval


def size(
    head: str, of: Mapping[Row, Benchmark], key: str = "", paper: str | None = None
) -> Column[Row]:
    """Returns the column of the sizes of benchmarks; rows without one have none."""

    def size(row: Row) -> int | None:
        return of[row].size_bytes if row in of else None

    def text(row: Row) -> str:
        return "-" if size(row) is None else numbers.size(size(row) or 0)

    return Column(head, text, key=key, raw=size, paper=paper)


def time(head: str, of: Mapping[Row, Benchmark], key: str) -> Column[Row]:
    """Returns the column of the times of benchmarks."""

    def text(row: Row) -> str:
        return numbers.time(of[row].ns) if row in of else "-"

    return Column(head, text, key=key, raw=lambda row: of[row].ns if row in of else None)


def rate(head: str, of: Mapping[Row, Benchmark], key: str) -> Column[Row]:
    """Returns the column of the bandwidths of benchmarks."""

    def rate(row: Row) -> float | None:
        return of[row].gb_per_s if row in of else None

    return Column(head, lambda row: rate_text(rate(row)), key=key, raw=rate)


def rate_text(rate: float | None) -> str:
    return numbers.rate(rate) if rate else "-"


def quantity(
    run: Run, counter: str, of: Callable[[Any], Benchmark] = lambda one: one, on_page: bool = True
) -> Column[Any]:
    """Returns the column of a metric, of a benchmark or of that which `of` names."""
    unit = run.result.metrics[counter].unit

    def value(one: Any) -> float | None:
        return of(one).any_median(counter)

    def text(one: Any) -> str:
        known = value(one)
        return "-" if known is None else numbers.quantity(known, unit)

    key = counter if unit in ("", "1") else f"{counter} ({unit})"
    head = counter.replace("_", " ")
    return Column(head, text if on_page else None, key=key, raw=value)


def rates_in_paper(
    head: str, of: Mapping[Row, Benchmark], counts: Sequence[int]
) -> list[Column[Row]]:
    """Returns columns of a paper: bandwidths and their intervals."""
    values = Column[Row](
        "", key=None, raw=lambda row: of[row].gb_per_s, paper=head, unit="GB/s", per=1
    )
    return _with_interval(values, of, lambda one: one.rate_interval, counts)


def times_in_paper(
    head: str, of: Mapping[Row, Benchmark], counts: Sequence[int]
) -> list[Column[Row]]:
    """Returns columns of a paper: times and their intervals."""
    values = Column[Row]("", key=None, raw=lambda row: of[row].ns, paper=head, unit="µs", per=1e3)
    return _with_interval(values, of, lambda one: one.time_interval, counts)


def _with_interval(
    values: Column[Row],
    of: Mapping[Row, Benchmark],
    interval: Callable[[Benchmark], tuple[float, float] | None],
    counts: Sequence[int],
) -> list[Column[Row]]:
    """Returns the columns of a value: it, its interval if one is known, and n if it differs."""
    ends = {row: interval(benchmark) for row, benchmark in of.items()}

    def more(head: str, raw: Callable[[Row], Cell], per: float = 1) -> Column[Row]:
        return Column("", key=None, raw=raw, paper=head, per=per)

    columns = [values]
    if any(ends.values()):
        columns.append(more(LOW, lambda row: (ends[row] or (None, None))[0], values.per))
        columns.append(more(HIGH, lambda row: (ends[row] or (None, None))[1], values.per))
    if len(counts) > 1:
        columns.append(more("n", lambda row: of[row].repetitions))
    return columns


def repetitions(benchmarks: Sequence[Benchmark]) -> list[int]:
    """Lists the numbers of repetitions that benchmarks have, each once."""
    return sorted({benchmark.repetitions for benchmark in benchmarks})


def explain(columns: Sequence[Column[Row]], counts: Sequence[int]) -> str:
    """Says of how many repetitions values are the medians, and what their intervals are."""
    heads = {column.paper for column in columns}
    number = "n" if "n" in heads else " to ".join(map(str, (*counts[:1], *counts[1:][-1:])))
    median = "One repetition" if counts == [1] else f"Medians of {number} repetitions"
    interval = "; low and high: their 95 % interval between processes"
    return median + interval if LOW in heads else median


def link_percent(run: Run, benchmark: Benchmark) -> float | None:
    """Returns the share of the link that a benchmark in one direction reaches.

    Only benchmarks in one direction have the counter `link_percent`.
    """
    if not (benchmark.positive_median("link_percent") and benchmark.gb_per_s and run.link_limit):
        return None
    return 100 * benchmark.gb_per_s / run.link_limit
