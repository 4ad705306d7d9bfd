"""Says what a figure is of, by which name a reader asks for it, and where it stands in the report.

A module of this folder that has a figure adds it to the report: nothing else names it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from typing import Any

from plots.figures.common import Figure


class Of(Enum):
    """Names what figures are of."""

    RUN = auto()
    RUNS = auto()  # several, numbered as in the report: all with a GPU, or all without one
    DEVICES = auto()  # all devices of a run together: the run as it is in its file
    MAP = auto()  # of a host
    CHECK = auto()  # the gate's answer, and the new runs
    SWEEP = auto()  # of a fleet
    HISTORY = auto()  # GPUs of a fleet over sweeps


class Question(Enum):
    """Names what figures of a run answer, in the order of the report."""

    ANSWER = "What should I use?"
    SIZES = "How fast is each size, and where is the rest lost?"
    STRATEGY = "Which strategy pays, and from how many transfers on?"
    SMALL = "What does a small copy cost?"
    FASTER = "Which faster methods are there?"
    COST = "What does it cost the CPU?"
    SPREAD = "How much do these numbers vary?"
    NORMAL = "Is this normal?"
    NONE = ""


@dataclass(frozen=True)
class Entry:
    """Holds a registered figure: `draw` takes what it is of, and the layout.

    It raises NoData if its subject lacks the data. `place` is among the figures of its question; at
    0 it is the picture with which a section begins.
    """

    name: str
    of: Of
    place: int
    question: Question
    draw: Callable[..., Figure]

    @property
    def begins(self) -> bool:
        """Tells whether a section begins with it."""
        return self.place == 0

    def __call__(self, *subject: Any) -> Figure:
        """Draws the figure."""
        return self.draw(*subject)


def figure(
    name: str, of: Of, place: int, question: Question = Question.NONE
) -> Callable[[Callable[..., Figure]], Entry]:
    """Registers the function that draws a figure."""
    return partial(Entry, name, of, place, question)
