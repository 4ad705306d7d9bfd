"""Turns transfers into points: a strategy in one direction at one size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from plots.figures import style
from plots.model.benchmark import TIME, Benchmark
from plots.model.derive import DIRECTIONS, Run, order_families
from plots.model.load import Fields
from plots.model.no_data import NoData
from plots.text import numbers


@dataclass(frozen=True)
class Point:
    """Holds a strategy in one direction at one size, with medians over the repetitions.

    `memory` decides the look: it is a kind of memory, or a method. The fields with `low` and `high`
    come from the fastest and the slowest repetition.
    """

    benchmark: str
    strategy: str
    family: str
    memory: str
    variant: str
    direction: str
    bytes: int
    repetitions: int
    time_us: float
    time_us_low: float
    time_us_high: float
    gb_per_s: float
    gb_per_s_low: float
    gb_per_s_high: float
    size: str
    time: str
    rate: str
    spread: str


def transfer_points(run: Run) -> list[Point]:
    """Returns the points in drawing order, without failed and cold-cache rows."""
    benchmarks = in_drawing_order(run.transfers)
    if not benchmarks:
        raise NoData("no plain transfers with warm caches were measured")
    return [_make_point(benchmark) for benchmark in benchmarks]


def usual_sizes(benchmarks: Iterable[Benchmark]) -> list[int]:
    """Returns, in order, the sizes at which most strategies were measured."""
    pairs = {(benchmark.strategy, benchmark.bytes) for benchmark in benchmarks if benchmark.bytes}
    counts = Counter(size for _, size in pairs)
    most = max(counts.values())
    return sorted(size for size, count in counts.items() if count == most)


def in_drawing_order(benchmarks: Iterable[Benchmark]) -> list[Benchmark]:
    """Sorts benchmarks by family, kind of memory, variant and size."""
    benchmarks = list(benchmarks)
    families = order_families(benchmarks)
    return sorted(
        benchmarks,
        key=lambda benchmark: (
            families.index(benchmark.family),
            style.memory_order(benchmark.kind),
            benchmark.variant or "",
            benchmark.bytes or 0,
        ),
    )


def strategies_in_drawing_order(strategies: Iterable[Fields]) -> list[str]:
    """Returns the names of strategies in drawing order."""
    strategies = list(strategies)
    families = order_families(strategies)
    ordered = sorted(
        strategies,
        key=lambda strategy: (families.index(strategy.family), style.memory_order(strategy.kind)),
    )
    return list(dict.fromkeys(strategy.strategy for strategy in ordered))


def _make_point(benchmark: Benchmark) -> Point:
    times = benchmark.values(TIME)
    assert benchmark.bytes
    assert benchmark.gb_per_s
    return Point(
        benchmark=benchmark.name,
        strategy=benchmark.strategy,
        family=benchmark.family,
        memory=benchmark.kind,
        variant=benchmark.variant or benchmark.direction,
        direction=DIRECTIONS[benchmark.direction],
        bytes=benchmark.bytes,
        repetitions=len(times),
        time_us=benchmark.ns / 1000,
        time_us_low=min(times) / 1000,
        time_us_high=max(times) / 1000,
        gb_per_s=benchmark.gb_per_s,
        gb_per_s_low=benchmark.bytes / max(times),
        gb_per_s_high=benchmark.bytes / min(times),
        size=numbers.size(benchmark.bytes),
        time=numbers.time(benchmark.ns),
        rate=numbers.rate(benchmark.gb_per_s),
        spread=numbers.percent(benchmark.spread) if len(times) > 1 else "one repetition",
    )
