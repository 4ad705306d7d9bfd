"""What the figures plot: medians over the repetitions of a result."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeGuard

from plots import style
from plots.load import Result, ResultError

DIRECTIONS = {
    "h2d": "host → device",
    "read": "host → device",
    "d2h": "device → host",
    "write": "device → host",
}


@dataclass(frozen=True)
class Point:
    """One strategy in one direction at one size: medians over the repetitions.

    `low` and `high` are those of the fastest and of the slowest repetition.
    """

    strategy: str
    family: str
    memory: str
    variant: str
    direction: str
    bytes: int
    repetitions: int
    time_us: float
    time_us_low: float
    time_us_high: float
    gb_per_s: float
    gb_per_s_low: float
    gb_per_s_high: float


def transfer_points(result: Result) -> list[Point]:
    """The points in drawing order; failed and cold-cache rows are left out."""
    times: dict[tuple[str, str, str, int], list[float]] = defaultdict(list)
    for row in result.rows:
        name = str(row.get("name"))
        if is_transfer(name) and not is_cold(name) and not is_failed(row) and _has_times(row):
            family, memory, variant = name.split("/")[:3]
            times[family, memory, variant, int(row["bytes"])].append(row["median_ns"])
    if not times:
        raise ResultError(f"{result.path}: no transfers to plot in this result file")
    points = [_point(*key, nanoseconds) for key, nanoseconds in times.items()]
    return sorted(points, key=_drawing_order)


def is_transfer(name: str) -> bool:
    """Whether a benchmark, family/memory/variant/..., belongs into these figures."""
    parts = name.split("/")
    known = len(parts) >= 3 and parts[2] in DIRECTIONS
    return known and name.isprintable()


def is_cold(name: str) -> bool:
    """Whether a benchmark runs with a cold cache: family/memory/variant/size/cold."""
    return "cold" in name.split("/")[4:]


def is_failed(row: dict[str, Any]) -> bool:
    """Whether the benchmark reported an error instead of times."""
    return bool(row.get("error_occurred"))


def is_positive(value: Any) -> TypeGuard[float]:
    """Whether a value from a result file is a number above zero."""
    return isinstance(value, (int, float)) and 0 < value < math.inf


def _has_times(row: dict[str, Any]) -> bool:
    return all(is_positive(row.get(key)) for key in ("bytes", "gb_per_s", "median_ns"))


def _point(family: str, memory: str, variant: str, size: int, nanoseconds: list[float]) -> Point:
    middle, low, high = median(nanoseconds), min(nanoseconds), max(nanoseconds)
    return Point(
        strategy=f"{family}/{memory}",
        family=family,
        memory=memory,
        variant=variant,
        direction=DIRECTIONS[variant],
        bytes=size,
        repetitions=len(nanoseconds),
        time_us=middle / 1000,
        time_us_low=low / 1000,
        time_us_high=high / 1000,
        gb_per_s=size / middle,  # bytes per nanosecond
        gb_per_s_low=size / high,
        gb_per_s_high=size / low,
    )


def _drawing_order(point: Point) -> tuple[Any, ...]:
    return (style.family_order(point.family), style.memory_order(point.memory), point.variant, point.bytes)
