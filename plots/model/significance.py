"""Tells whether two benchmarks differ, from all pairs of their repetitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from statistics import NormalDist, median

from plots.model.derive import Benchmark

CLEAR_SHARE = 0.95  # the slower benchmark loses in this part of all pairs of repetitions
CONFIDENCE = 0.95
TIME = "median_ns"
MOST_COUNTED_PAIRS = 2_500  # of more pairs, the normal distribution is close enough


@dataclass(frozen=True)
class Ratio:
    """Holds how many times as long one benchmark takes as another.

    The interval of 95 % assumes independent repetitions and no distribution. It is absent if there
    are too few of them.
    """

    value: float
    interval: tuple[float, float] | None

    @property
    def inverse(self) -> Ratio:
        """Returns the ratio of the other benchmark to this one."""
        ends = (1 / self.interval[1], 1 / self.interval[0]) if self.interval else None
        return Ratio(1 / self.value, ends)


def is_slower(slow: Benchmark, fast: Benchmark, factor: float) -> bool:
    """Tells whether it takes `factor` times as long, and nearly all repetitions agree."""
    return is_larger(slow, fast, factor, TIME)


def is_larger(large: Benchmark, small: Benchmark, factor: float, counter: str) -> bool:
    """Tells whether a counter is `factor` times as large, and nearly all repetitions agree."""
    pairs = [a > b for a in large.values(counter) for b in small.values(counter)]
    medians = large.get(counter), small.get(counter)
    if medians[0] is None or medians[1] is None:
        return False
    return medians[0] >= factor * medians[1] and sum(pairs) >= CLEAR_SHARE * len(pairs)


def differs(first: Benchmark, second: Benchmark) -> bool:
    """Tells whether either is slower than the other by this rule."""
    return is_slower(first, second, 1) or is_slower(second, first, 1)


def ratio(first: Benchmark, second: Benchmark, counter: str = TIME) -> Ratio:
    """Returns the ratio of two counters: of their medians, with the interval of all pairs' ratios.

    The interval is the one that belongs to the test of Mann and Whitney. Both must have values.
    """
    values = [benchmark.values(counter) for benchmark in (first, second)]
    ratios = sorted(a / b for a in values[0] for b in values[1])
    outside = outside_each_end(*map(len, values))
    value = median(values[0]) / median(values[1])
    if outside is None:
        return Ratio(value, None)
    low, high = ratios[outside], ratios[len(ratios) - 1 - outside]
    return Ratio(value, (min(low, value), max(high, value)))


@cache
def outside_each_end(first: int, second: int) -> int | None:
    """Returns how many of all ordered pairs lie below the interval, and as many above it."""
    pairs = first * second
    if pairs > MOST_COUNTED_PAIRS:
        spread = (pairs * (first + second + 1) / 12) ** 0.5
        quantile = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)
        return int(pairs / 2 - quantile * spread - 0.5)
    counts = _count_orders(first, second)
    allowed, total = (1 - CONFIDENCE) / 2 * sum(counts), 0
    for outside, count in enumerate(counts):
        total += count
        if total > allowed:
            return outside - 1 if outside else None
    raise AssertionError("half of all orders are within the allowed part")


def _count_orders(first: int, second: int) -> list[int]:
    """Counts the orders of both samples by how often one of the first precedes one of the second.

    These are the coefficients of the Gaussian binomial.
    """
    counts = [1] + [0] * (first * second)
    for i in range(1, first + 1):
        _multiply(counts, second + i)
        _divide(counts, i)
    return counts


def _multiply(counts: list[int], power: int) -> None:
    """Multiplies a polynomial by 1 - x^power."""
    for i in range(len(counts) - 1, power - 1, -1):
        counts[i] -= counts[i - power]


def _divide(counts: list[int], power: int) -> None:
    """Divides a polynomial by 1 - x^power."""
    for i in range(power, len(counts)):
        counts[i] += counts[i - power]
