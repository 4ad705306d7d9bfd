"""Chooses what to use for each size and reuse, from the terms that `advise` predicts.

A strategy is as good as the fastest if it is within 3 % of it, or within 10 % and cannot be told
from it. Of those the plainest is chosen. A strategy of a few repetitions cannot be told from
another.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

REUSES = [1, 5, 20, 100, 1_000, 10_000, 1_000_000]
ALIKE, MOST_APART = 1.03, 1.1
TERMS = ("fill_ns", "transfer_ns", "read_back_ns")


@dataclass(frozen=True)
class Kind:
    """Describes a strategy: its place among plain ones, its memory, and the pool of that.

    Without repetitions enough for an interval, `advise` predicts it as if it were certain.
    """

    plainness: tuple[int, bool, int]
    memory: str | None
    pool: str | None
    has_interval: bool = True


@dataclass(frozen=True)
class Estimate:
    """Holds a predicted time with the ends of its interval."""

    value: float
    low: float
    high: float

    def scaled(self, factor: float) -> Estimate:
        """Returns a multiple."""
        return Estimate(factor * self.value, factor * self.low, factor * self.high)


def sum_of(parts: list[Estimate]) -> Estimate:
    """Adds estimates whose errors are independent: the deviations are squared and added."""
    value = sum(part.value for part in parts)
    below = math.hypot(*(part.value - part.low for part in parts))
    above = math.hypot(*(part.high - part.value for part in parts))
    return Estimate(value, value - below, value + above)


@dataclass(frozen=True)
class Candidate:
    """Holds a strategy with its predicted terms for one use."""

    name: str
    kind: Kind
    allocation: Estimate
    terms: dict[str, Estimate]
    extrapolated: bool

    def total(self, reuse: int) -> Estimate:
        """Returns the time of one transfer if its memory is used so often."""
        return sum_of([self.allocation.scaled(1 / reuse), *self.terms.values()])

    def is_behind(self, other: Candidate, reuse: int) -> bool:
        """Tells whether it is slower, as far as repetitions can tell."""
        certain = self.kind.has_interval and other.kind.has_interval
        return certain and self.behind(other, reuse).low > 0

    def behind(self, other: Candidate, reuse: int) -> Estimate:
        """Returns by how much it is slower; terms that both take from the same rows cancel."""
        minus = other.terms
        pairs = [(self.terms["transfer_ns"], minus["transfer_ns"])]
        if self.kind.memory != other.kind.memory:
            pairs.append((self.allocation.scaled(1 / reuse), other.allocation.scaled(1 / reuse)))
            if self.kind.pool is None or self.kind.pool != other.kind.pool:
                pairs += [(self.terms[name], minus[name]) for name in ("fill_ns", "read_back_ns")]
        return sum_of([part for mine, its in pairs for part in (mine, its.scaled(-1))])


def choose(rankings: list[dict[str, Any]], kinds: dict[str, Kind]) -> dict[str, Any] | None:
    """Returns tables of choices by direction, size and reuse, from rankings of single uses."""
    rankings = [entry for entry in rankings if entry["strategies"]]
    if not rankings:
        return None
    sizes = sorted({entry["question"]["bytes"] for entry in rankings})
    directions = {}
    for direction in ("h2d", "d2h"):
        by_size = {
            entry["question"]["bytes"]: _candidates(entry, kinds)
            for entry in rankings
            if entry["question"]["direction"] == direction
        }
        if by_size:
            cells = [[_cell(by_size.get(size, []), reuse) for reuse in REUSES] for size in sizes]
            directions[direction] = {
                key: [[cell.get(key) for cell in row] for row in cells] for key in CELL_KEYS
            }
    return {
        "sizes": sizes,
        "reuse": REUSES,
        "measured_terms": rankings[0]["measured_terms"],
        "directions": directions,
    }


CELL_KEYS = ("winner", "total_ns", "as_good", "runner_up", "margin", "gain", "extrapolated")


def _candidates(ranking: dict[str, Any], kinds: dict[str, Kind]) -> list[Candidate]:
    return [
        Candidate(
            entry["name"],
            kinds[entry["name"]],
            _estimate(entry["allocation_ns"]),
            {name: _estimate(entry[name]) for name in TERMS},
            bool(entry["extrapolated"]),
        )
        for entry in ranking["strategies"]
        if entry["name"] in kinds
    ]


def _estimate(value: dict[str, float]) -> Estimate:
    return Estimate(value["value"], value["low"], value["high"])


def _cell(candidates: list[Candidate], reuse: int) -> dict[str, Any]:
    """Chooses for one size and reuse; empty if there is nothing to choose from."""
    if not candidates:
        return {}
    totals = {entry.name: entry.total(reuse) for entry in candidates}
    fastest = min(candidates, key=lambda entry: totals[entry.name].value)
    limit = totals[fastest.name].value

    def is_as_good(entry: Candidate) -> bool:
        part = totals[entry.name].value / limit
        return part <= ALIKE or (part <= MOST_APART and not entry.is_behind(fastest, reuse))

    as_good = [entry for entry in candidates if is_as_good(entry)]
    best = min(as_good, key=lambda entry: (entry.kind.plainness, totals[entry.name].value))
    others = [entry for entry in candidates if entry not in as_good]
    second = min(others, key=lambda entry: totals[entry.name].value, default=None)
    plain = next((entry for entry in candidates if entry.kind.plainness[0] == 0), None)
    total = totals[best.name].value
    return {
        "winner": best.name,
        "total_ns": total,
        "as_good": len(as_good) - 1,
        "runner_up": second.name if second else None,
        "margin": totals[second.name].value / total - 1 if second else None,
        "gain": totals[plain.name].value / total if plain else None,
        "extrapolated": best.extrapolated,
    }
