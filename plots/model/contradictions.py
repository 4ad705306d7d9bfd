"""Finds what cannot all be true, as src/result_file/contradictions.cpp does."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from plots.model.values import is_failed, is_plain_number

TOLERANCE = 0.01
GROWING = (
    ("min_ns", "p5_ns", "median_ns", "p95_ns", "p99_ns", "max_ns"),
    ("min_ns", "mean_ns", "max_ns"),
)
NS_PER_UNIT = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


def contradiction(rows: Iterable[dict[str, Any]]) -> str:
    """Tells the first contradiction in repetitions of bench_transfers; empty if there is none."""
    moved: dict[str, float] = {}
    seen: dict[str, set[int]] = {}
    for row in rows:
        name = row["name"]
        size = _numbers(row, "bytes")
        if size and size[0] > 0 and moved.setdefault(name, size[0]) != size[0]:
            return f"the repetitions of {name} move different numbers of bytes"
        if not is_failed(row) and (fields := _in_row(row)):
            return f"{fields} of {name} contradict each other"
        indices = seen.setdefault(name, set())
        if (index := row.get("repetition_index")) in indices:
            return f"{name} is there twice"
        if index is not None:
            indices.add(index)
    return ""


def _numbers(row: dict[str, Any], *names: str) -> list[float]:
    """Returns the values; empty if one of them is missing."""
    values = [row.get(name) for name in names]
    return values if all(map(is_plain_number, values)) else []  # type: ignore[return-value]


def _in_row(row: dict[str, Any]) -> str:
    """Names fields of a repetition that contradict each other."""
    for names in GROWING:
        there = [name for name in names if _numbers(row, name)]
        for one, other in pairwise(there):
            if not row[one] <= row[other] * (1 + TOLERANCE):
                return f"{one} and {other}"
    if (counts := _numbers(row, "iterations", "operations")) and _differ(*counts):
        return "iterations and operations"
    if not (time := _numbers(row, "real_time")):
        return ""
    unit = row.get("time_unit")
    if not isinstance(unit, str) or unit not in NS_PER_UNIT:
        return "real_time and time_unit"
    ns = time[0] * NS_PER_UNIT[unit]
    if (median := _numbers(row, "median_ns")) and _differ(median[0], ns):
        return "real_time and median_ns"
    if (both := _numbers(row, "gb_per_s", "bytes")) and both[1] and _differ(both[0] * ns, both[1]):
        return "real_time, bytes and gb_per_s"
    return ""


def _differ(one: float, other: float) -> bool:
    return not abs(one - other) <= TOLERANCE * abs(other)
