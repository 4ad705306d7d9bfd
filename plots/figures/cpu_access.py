"""Draws the CPU's cost to read and write each kind of memory, and the effective memory type."""

from __future__ import annotations

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, from_zero, run_figure
from plots.figures.compose import LayerChart
from plots.figures.cpu_access_rows import (
    RANDOM,
    READ,
    UNKNOWN,
    WRITE,
    Access,
    collapse,
    find_alike,
    make_rows,
    name_types,
)
from plots.figures.layout import Layout
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import Rows
from plots.model import values
from plots.model.derive import Run
from plots.model.no_data import NoData
from plots.text import caption

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
COMBINED = "write-combined"


@figure("cpu_access", Of.RUN, 2, Question.COST)
def draw_cpu_access(run: Run, layout: Layout) -> Figure:
    """Draws the accesses of one thread with warm caches, at each memory's largest size."""
    measured = make_rows(run)
    if not measured:
        raise NoData("what the CPU pays was not measured")
    alike = find_alike(measured)
    rows, type_remark = name_types(collapse(measured, alike))
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


def _describe_combined(run: Run, rows: list[Access]) -> str:
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


def _describe_methods(role: str, rows: list[Access]) -> dict[str, tuple[str, str]]:
    """Returns the words and the shape of each kind of access, in the order of WORDS."""
    methods = {row["method"]: row["access"] for row in rows}
    known = [method for method in WORDS[role] if method in methods]
    unknown = [method for method in methods if method not in WORDS[role]]
    return {
        methods[method]: (WORDS[role].get(method, method), SHAPES.get(method, OTHER_SHAPE))
        for method in (*known, *unknown)
    }


def _describe_sizes(rows: list[Access]) -> str:
    """Describes the sizes of the blocks: the usual one, and the exceptions."""
    sizes = [row["size"] for row in rows]
    usual = max(dict.fromkeys(sizes), key=sizes.count)
    exceptions = {row["memory"]: row["size"] for row in rows if row["size"] != usual}
    exceptions_text = ", ".join(f"{memory} {size}" for memory, size in exceptions.items())
    return f"blocks of {usual}" + (f" ({exceptions_text})" if exceptions_text else "")


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
