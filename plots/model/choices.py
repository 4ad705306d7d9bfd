"""Decides what to use for a transfer, so that rules, map, table and sentences say the same.

The map is what `advise` answers: it also counts what memory costs, and up to SMALL it goes by
repetitions (src/advice/small_transfers.hpp). Where the map has no such size, the plainest of those
is recommended that are as good as the fastest, as src/trust says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plots.model.derive import TRANSFER, Benchmark, Run, Sizes
from plots.model.mann_whitney import has_interval
from plots.model.significance import Ratio, ratio

ORDINARY = "pageable"
SMALL = 16 * 2**10  # up to here the call takes longer than the bytes


@dataclass(frozen=True)
class Choice:
    """Holds the plain copy in one direction at one size, and all that is as good as the fastest."""

    direction: str
    size: int
    plain: Benchmark
    measured: dict[str, Benchmark]  # by strategy
    as_good: dict[str, Benchmark]  # by strategy, plainest first

    @property
    def best(self) -> Benchmark:
        """Returns the plainest strategy of those that are as good."""
        return next(iter(self.as_good.values()))

    @property
    def is_plain(self) -> bool:
        """Tells whether nothing is clearly better than the plain copy."""
        return self.best.strategy == self.plain.strategy

    @property
    def is_certain(self) -> bool:
        """Tells whether the plain copy was repeated often enough for an interval."""
        return has_interval(self.plain.repetitions, self.plain.repetitions)

    @property
    def is_tie(self) -> bool:
        """Tells whether no strategy has a gain that noise could not explain."""
        return self.is_plain or (self.is_certain and not is_clear(self.gain(self.best)))

    def gains_clearly(self, strategy: str) -> bool:
        """Tells whether a strategy was measured and is faster than the plain copy."""
        return strategy in self.measured and is_clear(self.gain(self.measured[strategy]))

    def gain(self, benchmark: Benchmark) -> Ratio:
        """Returns how many times as fast as the plain copy a strategy is."""
        return ratio(self.plain, benchmark)


def is_clear(gain: Ratio) -> bool:
    """Tells whether it is a gain by the interval that stands beside it."""
    return gain.interval is not None and gain.interval[0] > 1


def choose(run: Run, direction: str, size: int, of_pageable: bool = False) -> Choice | None:
    """Returns what is as good as the fastest strategy, if a plain copy was measured, too.

    `of_pageable`: of the strategies that copy ordinary memory.
    """
    plain = _plain_copies(run, direction).get(size)
    as_good = run.as_good(TRANSFER, direction, size, of_pageable)
    if plain is None or not as_good:
        return None
    candidates = [
        benchmark
        for benchmark in run.transfers
        if (benchmark.direction, benchmark.size_bytes) == (direction, size)
        and _is_asked(benchmark, of_pageable)
    ]
    return Choice(direction, size, plain, _by_strategy(candidates), _by_strategy(as_good))


def _is_asked(benchmark: Benchmark, of_pageable: bool) -> bool:
    return not of_pageable or benchmark.memory == ORDINARY


def _by_strategy(benchmarks: list[Benchmark]) -> dict[str, Benchmark]:
    return {benchmark.strategy: benchmark for benchmark in benchmarks}


def _plain_copies(run: Run, direction: str) -> Sizes:
    return run.plainest("copy", direction=direction, memory=ORDINARY, method=None, in_place=False)


def sizes_with_choice(run: Run, direction: str, of_pageable: bool = False) -> list[int]:
    """Lists the sizes at which there is a choice beside the plain copy."""
    plain = _plain_copies(run, direction)
    return sorted(
        {
            size
            for benchmark in run.transfers
            if _is_asked(benchmark, of_pageable) and benchmark.direction == direction
            if (size := benchmark.size_bytes or 0) in plain
            if benchmark.strategy != plain[size].strategy
        }
    )


def decide(run: Run, choice: Choice) -> Benchmark:
    """Returns what to use again and again: what the map names for memory that is used most often.

    Where the map has no such size, the repetitions alone decide.
    """
    names = winners(run.advice.map, choice.direction, choice.size)
    if names and names[-1] in choice.measured:
        return choice.measured[names[-1]]
    return choice.plain if choice.is_tie else choice.best


def pays_from(run: Run, choice: Choice, strategy: str) -> int | None:
    """Returns the number of uses of its memory from which on the map names a strategy.

    None if it does not name it, or the costs of memory are not known.
    """
    reuses, others = _reuses(run, choice, strategy)
    return reuses[others[-1] + 1 if others else 0] if reuses else None


def pays_behind(run: Run, choice: Choice, strategy: str) -> int | None:
    """Returns the largest number of uses at which the map names another strategy.

    None if it always names this one, or as pays_from does. The map has no number between the two.
    """
    reuses, others = _reuses(run, choice, strategy)
    return reuses[others[-1]] if others else None


def _reuses(run: Run, choice: Choice, strategy: str) -> tuple[list[int], list[int]]:
    """Returns the numbers of uses in the map, and the places of those that name another strategy.

    Both are empty if it does not name this one at last, or the costs of memory are not known.
    """
    answer = run.advice.map
    names = winners(answer, choice.direction, choice.size)
    if answer is None or not answer["measured_terms"]["allocation"] or names[-1:] != [strategy]:
        return [], []
    return answer["reuse"], [i for i, name in enumerate(names) if name != strategy]


def winners(answer: dict[str, Any] | None, direction: str, size: int) -> list[str | None]:
    """Returns a row of the map, by reuse; empty if it has none."""
    if answer is None or direction not in answer["directions"] or size not in answer["sizes"]:
        return []
    row: list[str | None] = answer["directions"][direction]["winner"][answer["sizes"].index(size)]
    return row
