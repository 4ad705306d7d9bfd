"""Puts slowdowns of a fleet on a scale that shows both healthy GPUs and those at half speed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import altair as alt

from plots.figures import style
from plots.model.fleet import Judgement
from plots.model.fleet_history import History

LINEAR = 10.0  # percent, of a class of which an answer does not say what matters
TICKS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000, 1000000]
MOST = 50  # times the threshold has the full colour,
TINT = 0.1  # and the threshold so much of it
ROOM = 0.09  # beyond the outermost marks, as a part of the axis; no label is nearer to its ends


@dataclass(frozen=True)
class Ends:
    """Holds the ends of an axis; it is linear below `small`, and logarithmic above."""

    low: float
    high: float
    small: float


def small(fleet: Judgement | History, class_name: str) -> float:
    """Returns the slowdown of a class, in percent, from which on it matters."""
    return fleet.thresholds.get(class_name, LINEAR)


def position(value: float, small: float) -> float:
    """Returns where a slowdown stands on its scale, relative to zero."""
    return math.copysign(math.log1p(abs(value) / small), value)


def domain(values: Iterable[float], small: float) -> Ends:
    """Returns the ends of an axis around these slowdowns and zero, with some room."""
    least = small / 2
    ends = [min(0.0, *values, -least), max(0.0, *values, least)]
    low, high = (position(end, small) for end in ends)
    room = ROOM * (high - low)
    return Ends(slowdown(low - room, small), slowdown(high + room, small), small)


def slowdown(place: float, small: float) -> float:
    """Returns the slowdown that stands at a position."""
    return math.copysign(small * math.expm1(abs(place)), place)


def scale(ends: Ends, **options: Any) -> alt.Scale:
    """Returns the scale of an axis."""
    return alt.Scale(
        type="symlog",
        constant=ends.small,
        domain=[ends.low, ends.high],
        nice=False,
        **options,
    )


def ticks(ends: Ends, most: int) -> list[float]:
    """Returns ticks within the ends: zero and round numbers, at most so many."""
    small = ends.small
    steps = [step for step in TICKS if step == 0 or step >= small / 2]
    both = {float(sign * step) for step in steps for sign in (-1, 1)}
    chosen: list[float] = []
    low, high = position(ends.low, small), position(ends.high, small)
    gap, edge = (high - low) / most, 0.8 * ROOM * (high - low)
    for tick in sorted(both, key=abs):
        places = [position(other, small) for other in chosen]
        is_free = all(abs(position(tick, small) - place) >= gap for place in places)
        if low + edge <= position(tick, small) <= high - edge and is_free:
            chosen.append(tick)
    return sorted(chosen)


def axis(ends: Ends, most: int, **options: Any) -> alt.Axis:
    """Returns the axis of slowdowns in percent."""
    return alt.Axis(
        values=ticks(ends, most),
        labelExpr="datum.value === 0 ? '0' : format(datum.value, '+,~f')",
        labelOverlap=False,
        **options,
    )


def colour(value: float, small: float) -> str:
    """Returns the colour of a cell that is slower by so much: white is not slower."""
    times = max(value / small, 0.0)
    above = (1 - TINT) * math.log(times) / math.log(MOST) if times > 1 else 0.0
    return style.loss_colour(min(TINT * min(times, 1.0) + above, 1.0))
