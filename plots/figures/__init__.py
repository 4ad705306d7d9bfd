"""Draws the figures: each module defines one, in its static and its interactive form."""

from __future__ import annotations

import pkgutil
from collections.abc import Callable
from importlib import import_module

from plots.figures.common import Figure
from plots.figures.layout import Layout
from plots.figures.registered import Entry, Of, Question
from plots.model.derive import Run
from plots.model.fleet import Judgement
from plots.model.fleet_history import History
from plots.model.gate import Check
from plots.model.host_map import HostMap


def _find() -> list[Entry]:
    """Returns the figures of all modules, in the order of the report."""
    modules = [
        import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)
    ]
    found = [each for module in modules for each in vars(module).values()]
    entries = {entry for entry in found if isinstance(entry, Entry)}
    questions = list(Question)
    return sorted(entries, key=lambda each: (questions.index(each.question), each.place, each.name))


_FOUND = _find()


def _draw(of: Of) -> dict[str, Callable[..., Figure]]:
    return {entry.name: entry for entry in _FOUND if entry.of is of}


Numbered = list[tuple[int, Run]]
FIGURES: dict[str, Callable[[Run, Layout], Figure]] = _draw(Of.RUN)
GROUP_FIGURES: dict[str, Callable[[Numbered, Layout], Figure]] = _draw(Of.RUNS)
DEVICES_FIGURES: dict[str, Callable[[Run, Layout], Figure]] = _draw(Of.DEVICES)
MAP_FIGURES: dict[str, Callable[[HostMap, Layout], Figure]] = _draw(Of.MAP)
CHECK_FIGURES: dict[str, Callable[[Check, Numbered, Layout], Figure]] = _draw(Of.CHECK)
FLEET_FIGURES: dict[str, Callable[[Judgement, Layout], Figure]] = _draw(Of.SWEEP)
HISTORY_FIGURES: dict[str, Callable[[History, Layout], Figure]] = _draw(Of.HISTORY)
QUESTIONS = {entry.name: entry.question.value for entry in _FOUND if entry.of is Of.RUN}
BEGINNINGS = {entry.name for entry in _FOUND if entry.begins}
# What a reader may ask for by name.
FIGURE_NAMES = sorted({entry.name for entry in _FOUND})
