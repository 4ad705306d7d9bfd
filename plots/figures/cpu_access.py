"""What the CPU pays to read and write each kind of memory, and the memory's effective type."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots import caption, numbers, style
from plots.derive import NoData, Run, named_bytes
from plots.figures.bars import own_colour, rows_axis
from plots.figures.common import SHOWN, Figure, page, tooltip
from plots.layout import Layout

READS = {
    "read_scalar": ("8-byte loads", "circle"),
    "read_vector": ("vector loads", "square"),
    "read_memcpy": ("memcpy from it", "triangle-up"),
    "read_streaming": ("streaming loads", "diamond"),
}
WRITES = {
    "write_fill": ("memset", "circle"),
    "write_memcpy": ("memcpy to it", "triangle-up"),
    "write_streaming": ("streaming stores", "diamond"),
}
RANDOM = "read_random"
UNKNOWN = "not known"


def cpu_access(run: Run, layout: Layout) -> Figure:
    """One thread, warm caches, the largest size of each kind of memory."""
    rows, typed = _typed(_rows(run))
    if not rows:
        raise NoData("what the CPU pays was not measured (strategies cpu/…)")
    order = sorted({row["memory"] for row in rows}, key=style.memory_order)
    names = [next(row["row"] for row in rows if row["memory"] == memory) for memory in order]
    panels: list[alt.LayerChart] = []
    for kinds, title in ((READS, "reads (GB/s)"), (WRITES, "writes (GB/s)")):
        shown = [row for row in rows if row["access"] in kinds]
        if shown:
            values = [row["value"] for row in shown]
            panels.append(_panel(names, kinds, title, values, layout, not panels))
    latencies = [row["value"] for row in rows if row["access"] == RANDOM]
    if latencies:
        kinds = {RANDOM: ("random line, one by one", "cross")}
        panels.append(_panel(names, kinds, "random reads (ns)", latencies, layout, not panels))
    chart = page(
        "CPU access, one thread",
        run,
        layout,
        [f"warm caches, {_sizes(rows)}; logarithmic scales; {typed}"],
        layout.row(*panels, spacing=16).resolve_scale(shape="independent"),
    )
    chart.datasets = {"accesses": rows}
    combined = [row["memory"] for row in rows if row["type"] == "write-combined"]
    return Figure(
        heading="CPU access cost",
        reading="Write-combined memory reads far slower than all else where the flag takes "
        "effect; where all rows look alike, it had none.",
        summary="Memory that is write-combined in effect: "
        + (", ".join(dict.fromkeys(combined)) or "none")
        + ".",
        chart=chart,
        strategies=[],
    )


def _rows(run: Run) -> list[dict[str, Any]]:
    types = {
        caption.text(one, "memory", ""): caption.text(one, "memory_type", "")
        for one in caption.entries(run.result, "buffers")
        if isinstance(one, dict)
    }
    rows = []
    for one in run.benchmarks:
        parts = one.name.split("/")
        if parts[0] != "cpu" or len(parts) != 4 or parts[2] not in {**READS, **WRITES, RANDOM: 0}:
            continue
        if run.largest("/".join(parts[:3])) != one:
            continue
        memory, access = parts[1], parts[2]
        value = one.get("ns_per_access") if access == RANDOM else one.gb_per_s
        if value is None:
            continue
        kind = types.get(memory, "")
        rows.append(
            {
                "memory": memory,
                "row": memory,
                "strategy": memory,
                "type": kind or UNKNOWN,
                "access": access,
                "size": numbers.size(named_bytes(one.name)),
                "value": value,
                "value_text": numbers.time(value) if access == RANDOM else numbers.rate(value),
                "colour": style.memory_colour(memory),
            }
        )
    return rows


def _sizes(rows: list[dict[str, Any]]) -> str:
    """The sizes of the blocks: the usual one, and what has another one."""
    sizes = [row["size"] for row in rows]
    usual = max(dict.fromkeys(sizes), key=sizes.count)
    others = {row["memory"]: row["size"] for row in rows if row["size"] != usual}
    exceptions = ", ".join(f"{memory} {size}" for memory, size in others.items())
    return f"blocks of {usual}" + (f" ({exceptions})" if exceptions else "")


def _typed(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], str]:
    """The rows, named with the memory type that is in effect, and what to say of it in general."""
    types = {row["type"] for row in rows}
    if types == {UNKNOWN}:
        return rows, "how the processor treats it is not known"
    if len(types) == 1:
        return rows, f"all of it is {types.pop()} in effect, whatever was asked for"
    named = [row | {"row": f"{row['memory']} [{row['type']}]"} for row in rows]
    return named, ("in brackets the memory type that is in effect, whatever was asked for")


def _panel(
    names: list[str],
    kinds: dict[str, tuple[str, str]],
    title: str,
    values: list[float],
    layout: Layout,
    first: bool,
) -> alt.LayerChart:
    low, high = min(values), max(values)
    scale = alt.Scale(type="log", domain=[low / 1.3, high * 1.3], nice=False)
    inside = [
        (factor, factor * 10.0**exponent)
        for exponent in range(-3, 7)
        for factor in (1, 2, 3, 5, 7)
        if low / 1.3 <= factor * 10.0**exponent <= high * 1.3
    ]
    # as many as have room
    for factors in ((1, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        ticks = [tick for factor, tick in inside if factor in factors]
        if len(ticks) <= 6:
            break
    base = (
        alt.Chart(alt.NamedData("accesses"))
        .transform_filter(SHOWN)
        .transform_filter(alt.FieldOneOfPredicate(field="access", oneOf=list(kinds)))
        .encode(
            x=alt.X(
                "value:Q",
                scale=scale,
                axis=alt.Axis(values=ticks, format=",~f"),
                title=title,
            ),
            y=rows_axis(names, labels=first or not layout.beside, grid=True),
        )
    )
    shapes = alt.Shape(
        "access:N",
        scale=alt.Scale(domain=list(kinds), range=[shape for _, shape in kinds.values()]),
        legend=alt.Legend(
            title=None,
            orient="bottom",
            direction="horizontal",
            columns=2,
            symbolFillColor=style.LINE,
            symbolStrokeColor=style.LINE,
            labelExpr=_labels(kinds),
        ),
    )
    marks = base.mark_point(filled=True, size=55, opacity=0.9).encode(
        shape=shapes,
        color=own_colour(),
        tooltip=tooltip(
            memory="memory", type="type", access="access", size="size", it="value_text"
        ),
    )
    width = layout.beside_names(names, 205)
    return alt.LayerChart(layer=[marks], width=width, height=layout.row_height * len(names))


def _labels(kinds: dict[str, tuple[str, str]]) -> str:
    """An expression that gives each kind of access its words."""
    cases = [f"datum.value === '{name}' ? '{words}'" for name, (words, _) in kinds.items()]
    return " : ".join([*cases, "datum.value"])
