"""Makes the rows of the figure of the CPU's accesses: one stands for kinds that are alike."""

from __future__ import annotations

from statistics import median
from typing import Any

from plots.figures import style
from plots.model import values
from plots.model.benchmark import TIME, Benchmark
from plots.model.derive import Run
from plots.model.memory_pages import page_sizes
from plots.text import caption, numbers

MOST_APART = 0.1  # further apart than this, marks are drawn on their own
READ, WRITE = "cpu_read", "cpu_write"  # roles
LATENCY = "ns_per_access"  # the metric of methods that wait for each access
RANDOM = "random"
UNKNOWN = "not known"  # the memory type
Access = dict[str, Any]  # the row of a kind of memory and a kind of access


def make_rows(run: Run) -> list[Access]:
    """Makes a row of each kind of memory and of access, at the largest size."""
    types = {
        values.text(buffer, "memory", ""): values.text(buffer, "memory_type", "")
        for buffer in caption.entries(run.result, "buffers")
        if isinstance(buffer, dict)
    }
    rows = []
    for benchmark in run.with_role(READ, WRITE):
        if (
            benchmark.setting is not None
            or benchmark.memory is None
            or benchmark.method is None
            or not benchmark.warm
        ):
            continue  # several threads, or cold caches
        latency = benchmark.positive_median(LATENCY)
        if bool(latency) is not ((benchmark.role, benchmark.method) == (READ, RANDOM)):
            continue
        sizes, value = run.sizes(benchmark), latency or benchmark.gb_per_s
        if not sizes or sizes[max(sizes)] != benchmark or value is None:
            continue
        kind = types.get(benchmark.memory, "")
        low, high = _interval(benchmark, value, bool(latency))
        rows.append(
            {
                "benchmark": benchmark.name,
                "memory": benchmark.memory,
                "row": benchmark.memory,
                "strategy": benchmark.memory,
                "type": kind or UNKNOWN,
                "role": benchmark.role,
                "method": benchmark.method,
                "access": benchmark.variant or benchmark.method,
                "waits": bool(latency),
                "size": numbers.size(benchmark.size_bytes or 0),
                "value": value,
                "low": low,
                "high": high,
                "value_text": _describe_value(bool(latency), value),
                "colour": style.memory_colour(benchmark.memory),
            }
        )
    return sorted(rows, key=lambda row: style.memory_order(row["memory"]))


def _describe_value(waits: bool, value: float) -> str:
    return numbers.time(value) if waits else numbers.rate(value)


def _interval(benchmark: Benchmark, value: float, waits: bool) -> tuple[float, float]:
    """Returns where a value lies in other processes with 95 %, or among all repetitions of one."""
    times = benchmark.values(TIME)
    ends = benchmark.time_interval or (min(times), max(times))
    low, high = (value * (ns / benchmark.ns if waits else benchmark.ns / ns) for ns in ends)
    return min(low, high), max(low, high)


def find_alike(rows: list[Access]) -> list[str]:
    """Lists the kinds of memory that one row stands for; none where each needs its own.

    They have the memory type that most kinds have, and lie within the range of those kinds whose
    pages are of the usual size, or not clearly outside it.
    """
    types = {row["memory"]: row["type"] for row in rows}
    usual = max(dict.fromkeys(types.values()), key=list(types.values()).count)
    pages = page_sizes()
    ordinary = pages.get(next(iter(types)))
    same_type = [memory for memory, kind in types.items() if kind == usual != UNKNOWN]
    usual_pages = [memory for memory in same_type if pages.get(memory) == ordinary]
    alike = [memory for memory in same_type if not _leaves_range(memory, usual_pages, rows)]
    return alike if len(alike) > 1 else []


def _leaves_range(memory: str, others: list[str], rows: list[Access]) -> bool:
    """Tells whether a kind is clearly beyond all others at some access, and not just by noise."""
    for row in rows:
        rivals = [
            rival["value"]
            for rival in rows
            if rival["memory"] in others
            and rival["memory"] != memory
            and (rival["role"], rival["access"]) == (row["role"], row["access"])
        ]
        if row["memory"] == memory and rivals:
            low, high = min(rivals), max(rivals)
            is_apart = row["high"] < low or row["low"] > high
            if is_apart and not low / (1 + MOST_APART) <= row["value"] <= high * (1 + MOST_APART):
                return True
    return False


def collapse(rows: list[Access], alike: list[str]) -> list[Access]:
    """Puts one row with a range in the place of the kinds that are alike, which comes first.

    Of other rows the value is both ends of the range.
    """
    alone = [
        row | {"kinds": 1, "low": row["value"], "high": row["value"]}
        for row in rows
        if row["memory"] not in alike
    ]
    members: dict[tuple[str, str], list[Access]] = {}
    for row in rows:
        if row["memory"] in alike:
            members.setdefault((row["role"], row["access"]), []).append(row)
    ranges = []
    for group in members.values():
        first, found = group[0], [row["value"] for row in group]
        ends = [_describe_value(first["waits"], end) for end in (min(found), max(found))]
        name = f"{len(alike)} kinds, all {first['type']}"
        ranges.append(
            first
            | {
                "benchmark": "",  # there are several
                "kinds": len(alike),
                "memory": name,
                "row": name,
                "size": ", ".join(dict.fromkeys(row["size"] for row in group)),
                "value": median(found),
                "low": min(found),
                "high": max(found),
                "value_text": " to ".join(dict.fromkeys(ends)),
                "colour": style.LINE,
            }
        )
    return [*ranges, *alone]


def name_types(rows: list[Access]) -> tuple[list[Access], str]:
    """Adds the effective memory type to the names of rows if it differs between them.

    Returns the rows, and a remark on the types.
    """
    types = {row["type"] for row in rows}
    if types == {UNKNOWN}:
        return rows, "how the processor treats it is not known"
    if len(types) == 1:
        return rows, f"all of it is {types.pop()} in effect, whatever was asked for"
    named = [
        row if row["kinds"] > 1 else row | {"row": f"{row['memory']} [{row['type']}]"}
        for row in rows
    ]
    return named, ("in brackets the memory type that is in effect, whatever was asked for")
