"""Tests the comparison of two benchmarks on which rules and differences rest."""

from math import comb

import pytest

from plots.model import mann_whitney


@pytest.mark.parametrize(
    ("first", "second", "outside"),
    # Of tables of the test of Mann and Whitney: two-sided, 5 %.
    [(3, 3, None), (4, 4, 0), (5, 5, 2), (6, 6, 5), (8, 8, 13), (8, 10, 17), (20, 20, 127)],
)
def test_the_interval_is_that_of_mann_and_whitney(first, second, outside):
    assert mann_whitney.outside_each_end(first, second) == outside
    counts = mann_whitney._count_orders(first, second)
    assert sum(counts) == comb(first + second, first)
    assert counts == counts[::-1]


def test_many_repetitions_have_nearly_the_exact_interval(monkeypatch):
    exact = mann_whitney.outside_each_end(40, 40)
    monkeypatch.setattr(mann_whitney, "MOST_COUNTED_PAIRS", 0)
    mann_whitney.outside_each_end.cache_clear()
    assert abs(mann_whitney.outside_each_end(40, 40) - exact) <= 1
    mann_whitney.outside_each_end.cache_clear()
