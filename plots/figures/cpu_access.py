"""Draws the CPU's cost to read and write each kind of memory, and the effective memory type."""

from __future__ import annotations

from statistics import median
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, from_zero, run_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import Rows
from plots.model import values
from plots.model.benchmark import TIME, Benchmark
from plots.model.derive import Run
from plots.model.memory_pages import page_sizes
from plots.model.no_data import NoData
from plots.text import caption, numbers

MOST_APART = 0.1  # further apart than this, marks are drawn on their own
READ, WRITE = "cpu_read", "cpu_write"  # roles
LATENCY = "ns_per_access"  # the metric of methods that wait for each access
RANDOM = "random"
# Words and shapes of methods; an unknown method has its name and OTHER_SHAPE.
WORDS = {
    READ: {
        "scalar": "8-byte loads",
        "vector": "vector loads",
        "memcpy": "memcpy from it",
        "streaming": "streaming loads",
        RANDOM: "random line, one by one",
    },
    WRITE: {"fill": "memset", "memcpy": "memcpy to it", "streaming": "streaming stores"},
}
SHAPES = {
    "scalar": "circle",
    "fill": "circle",
    "vector": "square",
    "memcpy": "triangle-up",
    "streaming": "diamond",
}
OTHER_SHAPE = "cross"
UNKNOWN, COMBINED = "not known", "write-combined"


@figure("cpu_access", Of.RUN, 2, Question.COST)
def draw_cpu_access(run: Run, layout: Layout) -> Figure:
    """Draws the accesses of one thread with warm caches, at each memory's largest size."""
    measured = _make_rows(run)
    if not measured:
        raise NoData("what the CPU pays was not measured")
    alike = _find_alike(measured)
    rows, type_remark = _name_types(_collapse(measured, alike))
    order = list(dict.fromkeys(row["row"] for row in rows))
    panels: list[LayerChart] = []
    for role, waits, title in (
        (READ, False, "reads (GB/s)"),
        (WRITE, False, "writes (GB/s)"),
        (READ, True, "random reads (ns)"),
    ):
        shown = [row for row in rows if (row["role"], row["waits"]) == (role, waits)]
        if shown:
            methods = _describe_methods(role, shown)
            top = max(row["high"] for row in shown)
            panels.append(_draw_panel(order, methods, title, top, layout, not panels))
    ranges = "; bar: from the least to the most of the kinds, mark: the median" if alike else ""
    reading = (
        "A bar reaches from the least to the most of several kinds of memory that are alike. Only "
        "kinds outside it have rows of their own. "
        if alike
        else ""
    )
    members = f"The {len(alike)} kinds of one row: {caption.listed(alike)}. " if alike else ""
    return run_figure(
        "CPU access, one thread",
        run,
        layout,
        [f"warm caches, {_describe_sizes(measured)}; {type_remark}{ranges}"],
        layout.row(*panels, spacing=16).resolve_scale(shape="independent"),
        heading="CPU access cost",
        reading=f"{reading}Write-combined memory is slow to read where the flag takes effect.",
        summary=members + _describe_combined(run, measured),
        data={"accesses": rows},
    )


def _describe_combined(run: Run, rows: list[dict[str, Any]]) -> str:
    """Says which memory is write-combined in effect, or that the flag had no effect."""
    combined = [row["memory"] for row in rows if row["type"] == COMBINED]
    if combined:
        names = ", ".join(dict.fromkeys(combined))
        return f"Memory that is write-combined in effect: {names}."
    flagged = {
        values.text(buffer, "memory", "")
        for buffer in caption.entries(run.result, "buffers")
        if values.member(buffer, "write_combined", bool)
    }
    types = {row["type"] for row in rows if row["memory"] in flagged}
    if types and UNKNOWN not in types:
        return "The write-combined flag had no effect on this machine."
    return "No memory is known to be write-combined in effect."


def _make_rows(run: Run) -> list[dict[str, Any]]:
    types = {
        values.text(buffer, "memory", ""): values.text(buffer, "memory_type", "")
        for buffer in caption.entries(run.result, "buffers")
        if isinstance(buffer, dict)
    }
    rows = []
    for benchmark in run.with_role(READ, WRITE):
        latency = benchmark.positive_median(LATENCY)
        if (
            benchmark.setting is not None
            or benchmark.memory is None
            or benchmark.method is None
            or not benchmark.warm
        ):
            continue  # several threads, or cold caches
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


def _find_alike(rows: list[dict[str, Any]]) -> list[str]:
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


def _leaves_range(memory: str, others: list[str], rows: list[dict[str, Any]]) -> bool:
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


def _collapse(rows: list[dict[str, Any]], alike: list[str]) -> list[dict[str, Any]]:
    """Puts one row with a range in the place of the kinds that are alike, which comes first.

    Of other rows the value is both ends of the range.
    """
    alone = [
        row | {"kinds": 1, "low": row["value"], "high": row["value"]}
        for row in rows
        if row["memory"] not in alike
    ]
    members: dict[tuple[str, str], list[dict[str, Any]]] = {}
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


def _describe_methods(role: str, rows: list[dict[str, Any]]) -> dict[str, tuple[str, str]]:
    """Returns the words and the shape of each kind of access, in the order of WORDS."""
    methods = {row["method"]: row["access"] for row in rows}
    known = [method for method in WORDS[role] if method in methods]
    unknown = [method for method in methods if method not in WORDS[role]]
    return {
        methods[method]: (WORDS[role].get(method, method), SHAPES.get(method, OTHER_SHAPE))
        for method in (*known, *unknown)
    }


def _describe_sizes(rows: list[dict[str, Any]]) -> str:
    """Describes the sizes of the blocks: the usual one, and the exceptions."""
    sizes = [row["size"] for row in rows]
    usual = max(dict.fromkeys(sizes), key=sizes.count)
    exceptions = {row["memory"]: row["size"] for row in rows if row["size"] != usual}
    exceptions_text = ", ".join(f"{memory} {size}" for memory, size in exceptions.items())
    return f"blocks of {usual}" + (f" ({exceptions_text})" if exceptions_text else "")


def _name_types(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
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


def _draw_panel(
    names: list[str],
    methods: dict[str, tuple[str, str]],
    title: str,
    top: float,
    layout: Layout,
    is_first: bool,
) -> LayerChart:
    chart = draw.shown_rows("accesses").transform_filter(
        f"indexof({draw.literal(list(methods))}, datum.access) >= 0"
    )
    value = Value(title, from_zero(top * 1.05), alt.Axis(tickCount=5))
    rows = Rows(chart, names, layout, value, is_first or not layout.beside, grid=True).coloured()
    legend = alt.Legend(
        title=None,
        orient="bottom",
        direction="horizontal",
        columns=2,
        symbolFillColor=style.LINE,
        symbolStrokeColor=style.LINE,
        labelExpr=_label_expression(methods),
    )
    shape = draw.scale_by_name(
        "access", list(methods), lambda name: methods[name][1], alt.Shape, legend
    )
    tips = draw.tooltip(memory="memory", type="type", access="access", size="size", it="value_text")
    return rows.panel(
        [
            rows.lines("low", "high", strokeWidth=9, opacity=0.45),
            rows.points("value", 55, shape=shape, tooltip=tips),
        ],
        layout.beside_names(names, 205),
    )


def _label_expression(methods: dict[str, tuple[str, str]]) -> str:
    """Returns an expression that gives each kind of access its words."""
    cases = [
        f"datum.value === {draw.literal(name)} ? {draw.literal(words)}"
        for name, (words, _) in methods.items()
    ]
    return " : ".join([*cases, "datum.value"])
