"""Tells whether two benchmarks differ, from all pairs of their repetitions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from plots.model.derive import Benchmark
from plots.model.mann_whitney import CONFIDENCE, has_interval, outside_each_end

CLEAR_SHARE = 0.95  # the slower benchmark loses in this part of all pairs of repetitions
TIME = "median_ns"


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


def is_clearly_larger(large: Benchmark, small: Benchmark, factor: float, counter: str) -> bool:
    """Tells whether a counter is larger, with repetitions enough for an interval.

    All pairs of one or two repetitions may agree by chance.
    """
    counts = (len(benchmark.values(counter)) for benchmark in (large, small))
    return has_interval(*counts) and is_larger(large, small, factor, counter)


def differs(first: Benchmark, second: Benchmark) -> bool:
    """Tells whether either is slower than the other by this rule."""
    return is_slower(first, second, 1) or is_slower(second, first, 1)


def is_apart(first: Benchmark, second: Benchmark) -> bool:
    """Tells whether the interval of their ratio excludes 1."""
    interval = ratio(first, second).interval
    return interval is not None and not interval[0] <= 1 <= interval[1]


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


def why_not_known(first: Benchmark, second: Benchmark, counter: str = TIME) -> str:
    """Says why there is no interval: whether a difference is chance is then not known; or nothing.

    `compare` calls a difference of a single repetition so as well.
    """
    counts = [len(benchmark.values(counter)) for benchmark in (first, second)]
    if has_interval(*counts):
        return ""
    if min(counts) > 1:
        return "too few repetitions"
    return "one repetition each" if max(counts) == 1 else "one repetition"


def time_interval(benchmark: Benchmark) -> tuple[float, float] | None:
    """Returns the interval of the median time of one operation, in nanoseconds."""
    return median_interval(benchmark.values(TIME))


def rate_interval(benchmark: Benchmark) -> tuple[float, float] | None:
    """Returns the interval of the bandwidth in GB/s; None without a size."""
    interval = time_interval(benchmark)
    if interval is None or not benchmark.bytes:
        return None
    return benchmark.bytes / interval[1], benchmark.bytes / interval[0]


def median_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Returns two of the values between which the median lies with at least 95 % confidence.

    It assumes independent repetitions, and no distribution. Fewer than six cannot tell.
    """
    ordered, count = sorted(values), len(values)
    place, outside = 0, 2 * 0.5**count  # of an interval from the first value to the last
    if outside > 1 - CONFIDENCE:
        return None
    while True:
        outside += 2 * math.comb(count, place + 1) * 0.5**count
        if outside > 1 - CONFIDENCE:
            return ordered[place], ordered[count - 1 - place]
        place += 1
