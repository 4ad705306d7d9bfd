"""Draws operations as bars that are divided into their phases, one after the other in time."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.compose import LayerChart
from plots.figures.keys import key_panel, key_place
from plots.figures.layout import Layout
from plots.figures.rows import rows_axis
from plots.model.benchmark import Benchmark
from plots.text import numbers

PHASES = ("allocate", "upload", "compute", "download", "free")
LEAST_REMAINDER = 0.005  # a smaller one is only the rounding of medians
DATA = "phases"
LIMITS = "limits"
KEY = "key"
KEY_WIDTH = 108  # pixels, of an entry
Row = dict[str, Any]


def steps_of(benchmark: Benchmark) -> list[tuple[str, float]]:
    """Returns the phases that were timed by themselves, in their order, in nanoseconds."""
    steps = [(phase, benchmark.positive_median(f"{phase}_ns") or 0.0) for phase in PHASES]
    return [(phase, ns) for phase, ns in steps if ns > 0]


def make_phases(panel: str, row: str, benchmark: Benchmark, rest: str) -> list[Row]:
    """Returns the rows of a bar, of which `rest` names the part that no step explains.

    The last row has the text that stands behind the bar.
    """
    assert benchmark.bytes
    total, start = benchmark.ns, 0.0
    parts = steps_of(benchmark)
    remainder = total - sum(ns for _, ns in parts)
    if remainder > LEAST_REMAINDER * total:
        # What is not divided comes before memory is freed.
        parts.insert(-1 if parts and parts[-1][0] == "free" else len(parts), (rest, remainder))
    rows: list[Row] = []
    for phase, ns in parts:
        rows.append(
            {
                "benchmark": benchmark.name,
                "panel": panel,
                "row": row,
                "strategy": row,
                "bytes": benchmark.bytes,
                "size": numbers.size(benchmark.bytes),
                "phase": phase,
                "colour": style.PHASES[phase][0],
                "start": start / 1e6,
                "end": (start + ns) / 1e6,
                "time": numbers.time(ns),
                "share": numbers.percent(ns / total),
                "total": "",
                "total_ns": total,
            }
        )
        start += ns
    rows[-1]["total"] = numbers.time(total)
    return rows


def draw_panel(
    panel: str,
    names: list[str],
    rows: list[Row],
    layout: Layout,
    labels: bool,
    has_limit: bool = False,
) -> LayerChart:
    """Draws the bars of a panel, and a dashed line at its limit if the data have one.

    `names` are those of its row of panels, of which only the first may have labels, and `rows` are
    of all panels, which are equally wide.
    """
    shown = [row for row in rows if row["panel"] == panel]
    longest = max(row["end"] for row in shown)
    factor, unit = (1e3, "µs") if longest < 1 else (1.0, "ms")
    room = max(len(row["total"]) for row in shown) * (0.028 if layout.beside else 0.045)
    top = longest * factor * (1 + room)  # for the texts behind the bars
    base = (
        alt.Chart(alt.NamedData(DATA))
        .transform_filter(alt.datum.panel == panel)
        .transform_calculate(from_=f"datum.start * {factor}", to_=f"datum.end * {factor}")
        .encode(y=rows_axis(names, labels=labels))
    )
    ends = alt.X(
        "from_:Q",
        scale=alt.Scale(domain=[0, top], nice=False),
        title=f"time ({unit})",
        axis=alt.Axis(tickCount=6),
    )
    bars = base.mark_bar(height={"band": 0.66}, stroke=style.PAPER, strokeWidth=0.6).encode(
        x=ends,
        x2=alt.X2("to_:Q"),
        color=draw.colour_by_field(),
        tooltip=draw.tooltip(way="row", phase="phase", time="time", share="share"),
    )
    text = draw.texts(base.transform_filter("datum.total"), "total", dx=4).encode(x=alt.X("to_:Q"))
    limit = (
        alt.Chart(alt.NamedData(LIMITS))
        .transform_filter(alt.datum.panel == panel)
        .transform_calculate(at=f"datum.limit * {factor}")
        .mark_rule(color=style.INK, strokeDash=[4, 3])
        .encode(x=alt.X("at:Q"))
    )
    layers = [bars, *([limit] if has_limit else []), text]
    width, height = panel_width(rows, layout), layout.row_height * len(names)
    return draw.panel(layers, width, height, draw.panel_title(panel))


def panel_width(rows: list[Row], layout: Layout) -> int:
    """Returns the width of each panel, beside the longest of all names."""
    return layout.beside_names([row["row"] for row in rows], 300)


def key_rows(rows: list[Row], layout: Layout) -> list[Row]:
    """Returns the data of a key of the phases that are shown."""
    present = [phase for phase in style.PHASES if any(row["phase"] == phase for row in rows)]
    columns = layout.columns(len(present), KEY_WIDTH)
    return [
        {
            "column": i % columns,
            "line": i // columns,
            "text": phase,
            "colour": style.PHASES[phase][0],
        }
        for i, phase in enumerate(present)
    ]


def draw_key(entries: list[Row], width: int, layout: Layout) -> LayerChart:
    """Draws the key of the phases below panels of this width, and below their names."""
    columns = 1 + max(entry["column"] for entry in entries)
    left = 0 if layout.beside else width - layout.width
    right = left + KEY_WIDTH * columns
    place = key_place(columns, 0.06, [left, right])
    marks = draw.dots(place, 90, shape="square").encode(color=draw.colour_by_field())
    lines = 1 + max(entry["line"] for entry in entries)
    return key_panel([marks, draw.texts(place, dx=9)], right if layout.beside else width, lines)
