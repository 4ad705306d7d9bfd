"""Chooses the benchmarks of a forest plot, and makes its rows."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import chain, zip_longest
from typing import Any

from plots.figures import style
from plots.figures.keys import in_columns
from plots.model.derive import Run
from plots.model.gate import NOT_CHANGED, NOT_KNOWN, BenchmarkVerdict, Check, ClassVerdict
from plots.text import numbers, verdict

AXIS_ROOM = 0.3  # beyond the outermost points, as a part of the distance between them
# In the key; the others are clear.
KEY_TEXTS = {"unchanged": "unchanged (tested)", "not_known": "not known (hidden by noise)"}


@dataclass(frozen=True)
class Panel:
    """Holds the benchmarks of a class that are shown; they share a threshold and an axis."""

    entry: ClassVerdict
    shown: list[BenchmarkVerdict]

    @cached_property
    def domain(self) -> tuple[float, float]:
        """Returns its axis in percent: all points, and intervals as far as they leave room."""
        thresholds = [100 * (benchmark.threshold or 0) for benchmark in self.shown]
        points = [0, *thresholds, *(100 * (benchmark.slowdown or 0) for benchmark in self.shown)]
        ends = [100 * end for benchmark in self.shown for end in benchmark.interval or ()]
        low, high = min(points), max(points)
        room, edge = max(AXIS_ROOM * (high - low), *thresholds), 0.04 * (high - low)
        return (
            max(low - room, min([low, *ends]) - edge),
            min(high + room, max([high, *ends]) + edge),
        )

    def has(self, slowdown: float) -> bool:
        """Tells whether a slowdown in percent is on its axis."""
        low, high = self.domain
        return low <= slowdown <= high


@dataclass(frozen=True)
class CheckedRow:
    """Holds what is drawn of a benchmark: its verdict, and its slowdown and interval in percent."""

    name: str
    class_name: str | None
    verdict: str
    words: str
    colour: str
    hollow: bool  # noise would hide a slowdown of the threshold
    slowdown: float
    low: float  # ends of the interval, no further than the axis
    high: float
    beyond_low: bool  # the interval goes on beyond the axis
    beyond_high: bool
    text: str
    interval: str
    p: str
    detectable: str

    @property
    def is_cut(self) -> bool:
        """Tells whether the interval goes on beyond the axis."""
        return self.beyond_low or self.beyond_high


@dataclass(frozen=True)
class SingleRow:
    """Holds the slowdown of a benchmark in one of the new runs, in percent."""

    name: str
    class_name: str | None
    slowdown: float
    text: str
    run: str


@dataclass(frozen=True)
class LineRow:
    """Holds a line across a row, or across all rows of a class: zero or the threshold."""

    name: str  # empty: across all rows
    class_name: str | None
    slowdown: float
    zero: bool


def as_data(rows: list[CheckedRow] | list[SingleRow] | list[LineRow]) -> list[dict[str, Any]]:
    """Returns rows for the chart, where the field `class_name` is called `class`."""
    return [
        {"class" if name == "class_name" else name: value for name, value in asdict(row).items()}
        for row in rows
    ]


def select(check: Check, most: int) -> list[BenchmarkVerdict]:
    """Returns the changed benchmarks, and the largest slowdowns of the others in each class.

    The classes take turns, so that a class with large slowdowns within its noise does not leave
    out the others.
    """
    benchmarks = sorted(check.compared, key=_sort_key)
    changed = [benchmark for benchmark in benchmarks if benchmark.has_changed]
    others = [benchmark for benchmark in benchmarks if not benchmark.has_changed]
    turns = zip_longest(*(members(others, entry) for entry in check.classes))
    in_turn = [benchmark for benchmark in chain(*turns) if benchmark]
    return sorted([*changed, *in_turn][:most], key=_sort_key)


def members(benchmarks: list[BenchmarkVerdict], entry: ClassVerdict) -> list[BenchmarkVerdict]:
    """Returns the benchmarks of a class."""
    return [benchmark for benchmark in benchmarks if benchmark.class_name == entry.name]


def _sort_key(benchmark: BenchmarkVerdict) -> tuple[int, float]:
    """Sorts changed benchmarks by verdict, then by slowdown or speedup; others by slowdown."""
    assert benchmark.slowdown is not None
    known = [name for name in style.VERDICT if name not in NOT_CHANGED]
    rank = known.index(benchmark.verdict) if benchmark.verdict in known else len(known)
    return rank, benchmark.slowdown if benchmark.verdict == "faster" else -benchmark.slowdown


def checked_row(benchmark: BenchmarkVerdict, panel: Panel) -> CheckedRow:
    """Returns what is drawn of a benchmark on the axis of its panel."""
    assert benchmark.slowdown is not None
    low, high = panel.domain
    first, last = benchmark.interval or (benchmark.slowdown, benchmark.slowdown)
    first, last = 100 * first, 100 * last
    detectable = numbers.detectable(benchmark.detectable)
    return CheckedRow(
        name=benchmark.name,
        class_name=benchmark.class_name,
        verdict=benchmark.verdict,
        words=benchmark.words,
        colour=style.verdict(benchmark.verdict).colour,
        hollow=benchmark.is_hidden,
        slowdown=100 * benchmark.slowdown,
        low=max(low, first),
        high=min(high, last),
        beyond_low=first < low,
        beyond_high=last > high,
        text=numbers.signed_percent(benchmark.slowdown),
        interval=verdict.interval(benchmark),
        p=verdict.probability(benchmark),
        detectable=f"{detectable}, advisory" if benchmark.advisory else detectable,
    )


def single_rows(benchmark: BenchmarkVerdict, runs: list[tuple[int, Run]]) -> list[SingleRow]:
    """Returns the slowdown in each new run that has the benchmark."""
    return [
        SingleRow(
            benchmark.name,
            benchmark.class_name,
            100 * slowdown,
            numbers.signed_percent(slowdown),
            f"run {number}",
        )
        for (number, _), slowdown in zip(runs, benchmark.runs, strict=False)
        if slowdown is not None
    ]


def line_rows(shown: list[BenchmarkVerdict], for_each_row: bool) -> list[LineRow]:
    """Returns zero and the threshold of each class, or of each row, to spare the texts above it."""
    lines = [
        LineRow(
            benchmark.name if for_each_row else "", benchmark.class_name, 100 * value, value == 0
        )
        for benchmark in shown
        for value in (0, benchmark.threshold or 0)
    ]
    return list(dict.fromkeys(lines))


def key_rows(columns: int) -> list[dict[str, Any]]:
    """Returns the entries of the key in so many columns: each verdict, then the single run."""
    texts = {name: KEY_TEXTS.get(name, name) for name in style.VERDICT} | {
        "": "a new run by itself"
    }
    rows = [
        {
            "text": text,
            "verdict": name,
            "colour": style.verdict(name).colour,
            "hollow": name == NOT_KNOWN,
            "tick": not name,
        }
        for name, text in texts.items()
    ]
    return in_columns(rows, columns)
