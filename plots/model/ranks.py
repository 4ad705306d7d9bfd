"""Ranks runs, and says by how much processes of one machine may differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plots.model.derive import Benchmark
from plots.model.significance import TIME, is_clearly_larger

ONE_PROCESS = 1.02  # processes of one machine may differ by as much


@dataclass(frozen=True)
class Rank:
    """Holds a place, and whether several have it."""

    place: int
    is_shared: bool

    def __str__(self) -> str:
        """Returns the place, with "=" if several have it."""
        return f"{self.place}{'=' if self.is_shared else ''}"


def ranks(measured: Sequence[Benchmark], counter: str = TIME) -> list[Rank]:
    """Ranks the same benchmark of several runs, of which less of the counter is better.

    A place is one more than the number of those that are clearly better.
    """
    places = [
        1 + sum(is_clearly_larger(entry, other, ONE_PROCESS, counter) for other in measured)
        for entry in measured
    ]
    return [Rank(place, places.count(place) > 1) for place in places]
