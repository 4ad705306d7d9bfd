"""Picks the strategies that a reader looks at first, by their fields."""

from __future__ import annotations

from dataclasses import dataclass

from plots.model.benchmark import Benchmark
from plots.model.derive import Run


@dataclass(frozen=True)
class Pick:
    """Selects a plain transfer by its kind: the plainest strategy (`place` 0), or a later one."""

    kind: str
    place: int = 0
    in_place: bool = False


# The strategies that a reader looks at first. Other flags of pinned memory behave like one of
# these; where they do not, the figures with all strategies show it.
HEADLINE_PICKS = [
    Pick("pageable"),
    Pick("pinned"),
    Pick("pinned_wc"),
    Pick("staged"),
    Pick("register_once_huge"),
    Pick("pinned", place=1),
    Pick("pinned_mapped", in_place=True),
    Pick("managed_prefetch"),
]
MOST_HEADLINES = 6


def pick_strategies(run: Run, picks: list[Pick]) -> list[str]:
    """Returns the names of the picked strategies that were measured."""
    by_kind: dict[tuple[str, bool], dict[str, Benchmark]] = {}
    for benchmark in sorted(
        run.transfers, key=lambda benchmark: (benchmark.plainness, benchmark.strategy)
    ):
        by_kind.setdefault((benchmark.kind, benchmark.in_place), {})[benchmark.strategy] = benchmark
    names = {key: list(strategies) for key, strategies in by_kind.items()}
    return [
        strategies[pick.place]
        for pick in picks
        if len(strategies := names.get((pick.kind, pick.in_place), [])) > pick.place
    ]


def headline_strategies(run: Run) -> list[str]:
    """Returns the strategies to look at first: the picked ones, or else the first ones."""
    measured = dict.fromkeys(benchmark.strategy for benchmark in run.transfers)
    return (pick_strategies(run, HEADLINE_PICKS) or list(measured))[:MOST_HEADLINES]
