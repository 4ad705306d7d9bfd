"""Finds what cannot all be true, as src/result_file/contradictions.cpp does."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime
from itertools import pairwise
from reprlib import repr as brief
from typing import Any

from plots.model.values import is_failed, is_plain_number, mapping, member, printable

TOLERANCE = 0.01
GROWING = (
    ("min_ns", "p5_ns", "median_ns", "p95_ns", "p99_ns", "max_ns"),
    ("min_ns", "mean_ns", "max_ns"),
)
NS_PER_UNIT = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)", re.ASCII)
LEAST_NS, MOST_NS = 1e-3, 1e15  # what anybody can have measured


def contradiction_of_facts(transfers: dict[str, Any]) -> str:
    """Tells the first contradiction in what is said of the run; empty if there is none.

    Its list of devices is one.
    """
    one = member(mapping(transfers, "device"), "kind", str)
    other = member(transfers["devices"][0], "kind", str)
    if one and other and one != other:
        return "its device and its devices[0] contradict each other in kind"
    run = mapping(transfers, "run")
    started, finished = _time(run, "started_utc"), _time(run, "finished_utc")
    if started and finished and finished < started:
        return "its finished_utc is before its started_utc"
    return ""


def contradiction_of_direction(name: str, variant: str | None, direction: str) -> str:
    """Tells whether a benchmark's variant is another direction; empty if it is not."""
    if {variant, direction} == {"h2d", "d2h"}:
        return _about(name, "its variant and its direction contradict each other")
    return ""


def contradiction_of_size(row: dict[str, Any], role: str, size_bytes: int | None) -> str:
    """Tells whether a repetition of a plain copy moved another size; empty if it did not."""
    moved = _numbers(row, "bytes")
    if role != "copy" or size_bytes is None or is_failed(row) or not moved:
        return ""
    differ = _differ(moved[0], size_bytes)
    return _about(row["name"], _contradictory("bytes and size_bytes")) if differ else ""


def _about(name: str, why: str) -> str:
    return f"benchmark {printable(name)}: {why}"


def _time(run: dict[str, Any], key: str) -> datetime | None:
    """Reads a time as src/common/timestamp.hpp does."""
    written = member(run, key, str) or ""
    try:
        return datetime.fromisoformat(written) if TIMESTAMP.fullmatch(written) else None
    except ValueError:
        return None


def contradiction(rows: Iterable[dict[str, Any]]) -> str:
    """Tells the first contradiction in repetitions of bench_transfers; empty if there is none."""
    moved: dict[str, float] = {}
    seen: dict[str, set[int]] = {}
    for row in rows:
        name = row["name"]
        size = _numbers(row, "bytes")
        if size and size[0] > 0 and moved.setdefault(name, size[0]) != size[0]:
            return _about(name, "its repetitions move different numbers of bytes")
        if not is_failed(row) and (why := _wrong_time(row) or _in_row(row)):
            return _about(name, why)
        indices = seen.setdefault(name, set())
        if (index := row.get("repetition_index")) in indices:
            return _about(name, "it is in the file twice")
        if index is not None:
            indices.add(index)
    return ""


def _numbers(row: dict[str, Any], *names: str) -> list[float]:
    """Returns the values; empty if one of them is missing."""
    values = [row.get(name) for name in names]
    return values if all(map(is_plain_number, values)) else []  # type: ignore[return-value]


def _wrong_time(row: dict[str, Any]) -> str:
    """Tells why nobody can have measured a repetition's time; empty if it is one."""
    if "real_time" not in row:
        return ""
    time, unit = row["real_time"], row.get("time_unit")
    if not is_plain_number(time):
        return "its real_time is not a number"
    if not time > 0:
        return f"its real_time is {time:g}"
    if not isinstance(unit, str) or unit not in NS_PER_UNIT:
        return f"its time_unit {brief(unit or '')} is none of {', '.join(NS_PER_UNIT)}"
    if not LEAST_NS <= (ns := time * NS_PER_UNIT[unit]) <= MOST_NS:
        return f"its real_time is {ns:g} ns, which nobody can have measured"
    return ""


def _in_row(row: dict[str, Any]) -> str:
    """Tells which fields of a repetition contradict each other."""
    if "real_time" in row:
        ns = row["real_time"] * NS_PER_UNIT[row["time_unit"]]
        if (median := _numbers(row, "median_ns")) and _differ(median[0], ns):
            return _contradictory("real_time and median_ns")
        both = _numbers(row, "gb_per_s", "bytes")
        if both and both[1] and _differ(both[0] * ns, both[1]):
            return _contradictory("real_time, bytes and gb_per_s")
    for names in GROWING:
        there = [name for name in names if _numbers(row, name)]
        for one, other in pairwise(there):
            if not row[one] <= row[other] * (1 + TOLERANCE):
                return _contradictory(f"{one} and {other}")
    if (counts := _numbers(row, "iterations", "operations")) and _differ(*counts):
        return _contradictory("iterations and operations")
    return ""


def _contradictory(fields: str) -> str:
    return f"its {fields} contradict each other"


def _differ(one: float, other: float) -> bool:
    return not abs(one - other) <= TOLERANCE * abs(other)
