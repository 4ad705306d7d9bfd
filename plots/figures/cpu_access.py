"""Draws the CPU's cost to read and write each kind of memory, and the effective memory type."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.bars import colour_by_field, rows_axis
from plots.figures.common import Figure, compose_run_chart, shown_rows, tooltip
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.model import values
from plots.model.derive import NoData, Run
from plots.text import caption, numbers

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
UNKNOWN = "not known"


def draw_cpu_access(run: Run, layout: Layout) -> Figure:
    """Draws the accesses of one thread with warm caches, at each memory's largest size."""
    rows, type_remark = _name_types(_make_rows(run))
    if not rows:
        raise NoData("what the CPU pays was not measured")
    order = sorted({row["memory"] for row in rows}, key=style.memory_order)
    names = [next(row["row"] for row in rows if row["memory"] == memory) for memory in order]
    panels: list[LayerChart] = []
    for role, waits, title in (
        (READ, False, "reads (GB/s)"),
        (WRITE, False, "writes (GB/s)"),
        (READ, True, "random reads (ns)"),
    ):
        shown = [row for row in rows if (row["role"], row["waits"]) == (role, waits)]
        if shown:
            methods = _describe_methods(role, shown)
            heights = [row["value"] for row in shown]
            panels.append(_draw_panel(names, methods, title, heights, layout, not panels))
    chart = compose_run_chart(
        "CPU access, one thread",
        run,
        layout,
        [f"warm caches, {_describe_sizes(rows)}; logarithmic scales; {type_remark}"],
        layout.row(*panels, spacing=16).resolve_scale(shape="independent"),
    )
    chart.datasets = {"accesses": rows}
    combined = [row["memory"] for row in rows if row["type"] == "write-combined"]
    return Figure(
        heading="CPU access cost",
        reading="Write-combined memory is slow to read where the flag takes effect; where all rows "
        "look alike, it had no effect.",
        summary="Memory that is write-combined in effect: "
        + (", ".join(dict.fromkeys(combined)) or "none")
        + ".",
        chart=chart,
        strategies=[],
    )


def _make_rows(run: Run) -> list[dict[str, Any]]:
    types = {
        values.text(buffer, "memory", ""): values.text(buffer, "memory_type", "")
        for buffer in caption.entries(run.result, "buffers")
        if isinstance(buffer, dict)
    }
    rows = []
    for benchmark in run.with_role(READ, WRITE):
        latency = benchmark.get(LATENCY)
        if (
            benchmark.setting is not None
            or benchmark.memory is None
            or benchmark.method is None
            or benchmark.cold
        ):
            continue  # several threads, or cold caches
        if bool(latency) is not ((benchmark.role, benchmark.method) == (READ, RANDOM)):
            continue
        sizes, value = run.sizes(benchmark), latency or benchmark.gb_per_s
        if not sizes or sizes[max(sizes)] != benchmark or value is None:
            continue
        kind = types.get(benchmark.memory, "")
        rows.append(
            {
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
                "value_text": numbers.time(value) if latency else numbers.rate(value),
                "colour": style.memory_colour(benchmark.memory),
            }
        )
    return rows


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
    named = [row | {"row": f"{row['memory']} [{row['type']}]"} for row in rows]
    return named, ("in brackets the memory type that is in effect, whatever was asked for")


def _draw_panel(
    names: list[str],
    methods: dict[str, tuple[str, str]],
    title: str,
    values: list[float],
    layout: Layout,
    is_first: bool,
) -> LayerChart:
    low, high = min(values), max(values)
    scale = alt.Scale(type="log", domain=[low / 1.3, high * 1.3], nice=False)
    candidates = [
        (factor, factor * 10.0**exponent)
        for exponent in range(-3, 7)
        for factor in (1, 2, 3, 5, 7)
        if low / 1.3 <= factor * 10.0**exponent <= high * 1.3
    ]
    # The densest ticks that fit.
    for factors in ((1, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        ticks = [tick for factor, tick in candidates if factor in factors]
        if len(ticks) <= 6:
            break
    base = (
        shown_rows("accesses")
        .transform_filter(alt.FieldOneOfPredicate(field="access", oneOf=list(methods)))
        .encode(
            x=alt.X(
                "value:Q",
                scale=scale,
                axis=alt.Axis(values=ticks, format=",~f"),
                title=title,
            ),
            y=rows_axis(names, labels=is_first or not layout.beside, grid=True),
        )
    )
    shapes = alt.Shape(
        "access:N",
        scale=alt.Scale(domain=list(methods), range=[shape for _, shape in methods.values()]),
        legend=alt.Legend(
            title=None,
            orient="bottom",
            direction="horizontal",
            columns=2,
            symbolFillColor=style.LINE,
            symbolStrokeColor=style.LINE,
            labelExpr=_label_expression(methods),
        ),
    )
    marks = base.mark_point(filled=True, size=55, opacity=1).encode(
        shape=shapes,
        color=colour_by_field(),
        tooltip=tooltip(
            memory="memory", type="type", access="access", size="size", it="value_text"
        ),
    )
    width = layout.beside_names(names, 205)
    return LayerChart(layer=[marks], width=width, height=layout.row_height * len(names))


def _label_expression(methods: dict[str, tuple[str, str]]) -> str:
    """Returns an expression that gives each kind of access its words."""
    cases = [f"datum.value === '{name}' ? '{words}'" for name, (words, _) in methods.items()]
    return " : ".join([*cases, "datum.value"])
