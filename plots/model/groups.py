"""Groups strategies that are equally fast, so that one line can stand for all of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from plots.model.derive import Benchmark, Run
from plots.model.plainness import plainness_key
from plots.model.significance import differs

LARGE = 2**20  # from this size on, bandwidth decides
ALIKE = 0.01  # closer than this, strategies are alike even if they can be told apart
MOST_APART = 0.1  # further apart than this, they are not, even if they cannot
Series = dict[tuple[str, int], Benchmark]  # by direction or role, and size
Test = Callable[[Benchmark, Benchmark], bool]  # whether two can be told apart


@dataclass(frozen=True)
class Group:
    """Holds strategies that are alike, plainest first."""

    members: dict[str, Series]

    @property
    def name(self) -> str:
        """Returns the plainest strategy."""
        return next(iter(self.members))

    @property
    def others(self) -> list[str]:
        """Lists the other strategies."""
        return list(self.members)[1:]


def is_large(size: int) -> bool:
    """Tells whether bandwidth decides at this size."""
    return size >= LARGE


def group_transfers(
    run: Run, compares: Callable[[int], bool] = is_large, apart: Test = differs
) -> list[Group]:
    """Groups the plain transfers by their times in both directions, by default from 1 MiB on.

    A strategy joins the first group with whose plainest one it is alike at every size that
    `compares` accepts; `apart` tells whether repetitions differ.
    """
    by_strategy: dict[str, Series] = {}
    for benchmark in sorted(run.transfers, key=plainness_key):
        series = by_strategy.setdefault(benchmark.strategy, {})
        series.setdefault((benchmark.direction, benchmark.bytes or 0), benchmark)
    return group_alike(by_strategy, compares, apart)


def group_alike(
    by_name: dict[str, Series], compares: Callable[[int], bool], apart: Test = differs
) -> list[Group]:
    """Groups series that are alike, plainest first, as group_transfers does."""
    groups: list[Group] = []
    for name, series in by_name.items():
        group = next(
            (one for one in groups if _alike(one.members[one.name], series, compares, apart)), None
        )
        if group is None:
            groups.append(Group({name: series}))
        else:
            group.members[name] = series
    return groups


def _alike(first: Series, second: Series, compares: Callable[[int], bool], apart: Test) -> bool:
    """Tells whether two strategies are alike wherever both were measured, which is everywhere."""
    keys = [{key for key in series if compares(key[1])} for series in (first, second)]
    if keys[0] != keys[1] or not keys[0]:
        return False
    return all(_alike_at(first[key], second[key], apart) for key in keys[0])


def _alike_at(first: Benchmark, second: Benchmark, apart: Test) -> bool:
    part = max(first.ns, second.ns) / min(first.ns, second.ns) - 1
    return part <= ALIKE or (part <= MOST_APART and not apart(first, second))
