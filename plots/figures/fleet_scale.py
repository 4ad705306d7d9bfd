"""Puts slowdowns of a fleet on a scale that shows both healthy GPUs and those at half speed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import altair as alt

# In percent, the thresholds of `fleet_transfers judge`: smaller slowdowns do not matter. The scale
# is linear below, and logarithmic above.
SMALL = {"link": 2.0, "host": 10.0, "latency": 10.0}
TICKS = [0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000, 1000000]
MOST = 50  # times the threshold has the full colour,
TINT = 0.1  # and the threshold so much of it
ROOM = 0.09  # beyond the outermost marks, as a part of the axis; no label is nearer to its ends
WHITE, FULL = (255, 255, 255), (204, 80, 0)


def small(class_name: str) -> float:
    """Returns the slowdown below which the scale of a class is linear."""
    return SMALL.get(class_name, 10.0)


def position(value: float, class_name: str) -> float:
    """Returns where a slowdown stands on its scale, relative to zero."""
    return math.copysign(math.log1p(abs(value) / small(class_name)), value)


def domain(values: Iterable[float], class_name: str) -> tuple[float, float]:
    """Returns the ends of an axis around these slowdowns and zero, with some room."""
    least = small(class_name) / 2
    ends = [min(0.0, *values, -least), max(0.0, *values, least)]
    low, high = (position(end, class_name) for end in ends)
    room = ROOM * (high - low)
    return slowdown(low - room, class_name), slowdown(high + room, class_name)


def slowdown(place: float, class_name: str) -> float:
    """Returns the slowdown that stands at a position."""
    return math.copysign(small(class_name) * math.expm1(abs(place)), place)


def scale(ends: tuple[float, float], class_name: str, **options: Any) -> alt.Scale:
    """Returns the scale of an axis."""
    return alt.Scale(
        type="symlog",
        constant=small(class_name),
        domain=list(ends),
        nice=False,
        **options,
    )


def ticks(ends: tuple[float, float], class_name: str, most: int) -> list[float]:
    """Returns ticks within the ends: zero and round numbers, at most so many."""
    steps = [step for step in TICKS if step == 0 or step >= small(class_name) / 2]
    both = {float(sign * step) for step in steps for sign in (-1, 1)}
    chosen: list[float] = []
    low, high = (position(end, class_name) for end in ends)
    gap, edge = (high - low) / most, 0.8 * ROOM * (high - low)
    for tick in sorted(both, key=abs):
        places = [position(other, class_name) for other in chosen]
        is_free = all(abs(position(tick, class_name) - place) >= gap for place in places)
        if low + edge <= position(tick, class_name) <= high - edge and is_free:
            chosen.append(tick)
    return sorted(chosen)


def axis(ends: tuple[float, float], class_name: str, most: int, **options: Any) -> alt.Axis:
    """Returns the axis of slowdowns in percent."""
    return alt.Axis(
        values=ticks(ends, class_name, most),
        labelExpr="datum.value === 0 ? '0' : format(datum.value, '+,~f')",
        labelOverlap=False,
        **options,
    )


def colour(value: float, class_name: str) -> str:
    """Returns the colour of a cell that is slower by so much: white is not slower."""
    times = max(value / small(class_name), 0.0)
    above = (1 - TINT) * math.log(times) / math.log(MOST) if times > 1 else 0.0
    part = min(TINT * min(times, 1.0) + above, 1.0)
    mixed = (round(a + part * (b - a)) for a, b in zip(WHITE, FULL, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)
