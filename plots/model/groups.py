"""Groups strategies that are equally fast, so that one line can stand for all of them."""

from __future__ import annotations

from dataclasses import dataclass

from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.model.judged import Alike
from plots.model.plainness import plainness_key

Series = dict[tuple[str, int], Benchmark]  # by direction or role, and size


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


def group_transfers(run: Run, size: int | None = None, rule: str = "transfers") -> list[Group]:
    """Groups the plain transfers by their times of a size, by default of all large ones."""
    by_strategy: dict[str, Series] = {}
    for benchmark in sorted(run.transfers, key=plainness_key):
        series = by_strategy.setdefault(benchmark.strategy, {})
        series.setdefault((benchmark.direction, benchmark.bytes or 0), benchmark)
    return group_alike(by_strategy, run.judged.alike.get((rule, size), Alike()))


def group_alike(by_name: dict[str, Series], alike: Alike) -> list[Group]:
    """Groups series as the program says; what it does not name is alone."""
    leaders = {name: names[0] for names in alike.groups for name in names}
    groups: dict[str, Group] = {}
    for name, series in by_name.items():
        groups.setdefault(leaders.get(name, name), Group({})).members[name] = series
    return list(groups.values())
