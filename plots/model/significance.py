"""Computes the intervals of medians that figures and tables show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from plots.model.derive import Benchmark

CONFIDENCE = 0.95
TIME = "median_ns"


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
