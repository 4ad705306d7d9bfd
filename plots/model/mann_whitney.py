"""Says how far the interval of all pairs' differences reaches: the test of Mann and Whitney."""

from __future__ import annotations

from functools import cache
from statistics import NormalDist

CONFIDENCE = 0.95
MOST_COUNTED_PAIRS = 2_500  # of more pairs, the normal distribution is close enough


def has_interval(first: int, second: int) -> bool:
    """Tells whether so many repetitions are enough for an interval."""
    return min(first, second) > 0 and outside_each_end(first, second) is not None


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
