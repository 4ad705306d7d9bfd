"""Reads what `fleet_transfers history` says of GPUs over several sweeps."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plots.model.decode import NotValid, key
from plots.model.fleet import HISTORY, Aspect, Scores, Thresholds, parsed


@dataclass(frozen=True, kw_only=True)
class Trace:
    """Holds a GPU over sweeps: its slowdown in percent for each aspect and sweep."""

    uuid: str
    node: str = ""
    slot: str = ""
    rack: str = ""
    model: str = ""
    since: int | None  # the first sweep of the present trouble
    before: int | None  # the last one without it
    aspect: str = ""  # of the trouble
    named: frozenset[int]
    slower: dict[str, Scores] = key("slower_percent")


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Names one of several sweeps; either may be empty."""

    id: str = ""
    begin: str = ""


@dataclass(frozen=True, kw_only=True)
class History:
    """Holds what `fleet_transfers history` says of the GPUs over several sweeps."""

    path: Path
    data: bytes = field(repr=False)
    sweeps: tuple[Sweep, ...]
    aspects: tuple[Aspect, ...]
    gpus: tuple[Trace, ...]
    thresholds: Thresholds = key("thresholds_percent", default_factory=dict)

    def __post_init__(self) -> None:
        """Checks that GPUs name the sweeps and aspects that are there."""
        codes = {aspect.code for aspect in self.aspects}
        for trace in self.gpus:
            lengths = {len(numbers) for numbers in trace.slower.values()}
            if not codes >= trace.slower.keys() or lengths - {len(self.sweeps)}:
                raise NotValid("a GPU has not one score for each sweep and aspect")
            if trace.aspect not in codes | {""}:
                raise NotValid("the aspect of a trouble is not there")
            places = {*trace.named, trace.since, trace.before} - {None}
            if any(place is not None and place >= len(self.sweeps) for place in places):
                raise NotValid("a sweep is named that is not there")

    def aspect(self, code: str) -> Aspect:
        """Returns the aspect that has a code."""
        return next(aspect for aspect in self.aspects if aspect.code == code)

    @property
    def troubled(self) -> list[Trace]:
        """Lists the GPUs that are in trouble or were named, those in trouble first."""
        chosen = [trace for trace in self.gpus if trace.since is not None or trace.named]
        return sorted(chosen, key=lambda trace: (trace.since is None, -len(trace.named)))


def parse_history(path: Path, document: Any, data: bytes = b"") -> History:
    """Parses what `history --json` writes; throws ResultError."""
    return parsed(path, "a history of a fleet", History, HISTORY, document, data)
