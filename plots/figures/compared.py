"""Draws this run's bandwidths beside published ones, and distinguishes them clearly."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.bars import BELOW, names_above, rows_axis, tall_height
from plots.figures.common import Figure, compose_run_chart, shown_rows, tooltip
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.model.derive import DIRECTIONS, NoData, Run
from plots.model.headline import headline_strategies
from plots.model.published import read_published
from plots.text import caption, numbers

OURS, PUBLISHED = "measured here", "published by others"


def draw_compared(run: Run, layout: Layout) -> Figure:
    """Draws this run at its largest sizes, and published rates as their sources state them."""
    if run.on_host:
        raise NoData("without a GPU nothing that was published of GPUs compares")
    measured = _measured_rates(run)
    if not measured:
        raise NoData("no plain transfers with warm caches were measured")
    device = caption.device_name(run)
    rows: list[dict[str, Any]] = []
    for (name, direction), (rate, size) in measured.items():
        rows.append(
            {
                "row": f"{device}: {name}",
                "strategy": name,
                "whose": OURS,
                "direction": direction,
                "low": rate,
                "high": rate,
                "rate": numbers.rate(rate),
                "tool": "bench_transfers",
                "source": f"this run, {numbers.size(size)}",
                "colour": style.strategy_colour(run.strategy(name), name),
            }
        )
    for entry in read_published():
        note = " (other NUMA node)" if "other NUMA node" in entry.note else ""
        tool = entry.tool.split(" ")[0]
        rows.append(
            {
                "row": f"{entry.gpu}: {entry.strategy}, {tool}{note}",
                "strategy": entry.strategy,
                "whose": PUBLISHED,
                "direction": entry.direction,
                "low": entry.low,
                "high": entry.high,
                "rate": entry.rate,
                "tool": entry.tool,
                "source": entry.source,
                "colour": style.PUBLISHED_COLOUR,
            }
        )
    order = list(dict.fromkeys(row["row"] for row in rows))
    values = [row["low"] for row in rows] + [row["high"] for row in rows]
    domain = [min(values) / 1.3, max(values) * 4]  # room for the texts
    ticks = [
        tick for tick in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if domain[0] < tick < domain[1]
    ]
    panels: list[LayerChart] = []
    for direction in DIRECTIONS:
        # Panels beside each other share their rows.
        present = [row["row"] for row in rows if layout.beside or row["direction"] == direction]
        shown = [name for name in order if name in present]
        if shown:
            panels.append(_draw_panel(direction, shown, domain, ticks, layout, not panels))
    chart = compose_run_chart(
        "Beside published figures",
        run,
        layout,
        [
            "filled: measured here, at the largest size; hollow: published by others, each of "
            "another machine and mostly by another tool, as its source states it; log scale"
        ],
        layout.row(*panels),
    )
    chart.datasets = {"compared": rows}
    return Figure(
        heading="Beside figures published by others",
        reading="Links differ: compare within a generation. The table of sources is below.",
        summary=f"{len(rows) - len(measured)} published figures stand beside {len(measured)} of "
        "ours; strategies that others have published are shown of ours, too, where they were "
        "measured.",
        chart=chart,
        strategies=[],
    )


def _measured_rates(run: Run) -> dict[tuple[str, str], tuple[float, int]]:
    """Returns GB/s and size at the largest size, by strategy and direction.

    The strategies are the headline strategies and those with published rates.
    """
    names = dict.fromkeys(
        [*headline_strategies(run), *(entry.strategy for entry in read_published())]
    )
    return {
        (name, direction): rate
        for name in names
        for direction in DIRECTIONS
        if (rate := run.rate(name, direction))
    }


def _draw_panel(
    direction: str,
    order: list[str],
    domain: list[float],
    ticks: list[int],
    layout: Layout,
    is_first: bool,
) -> LayerChart:
    base = shown_rows("compared", direction=direction).encode(
        y=rows_axis(order, labels=is_first and layout.beside, grid=layout.beside),
        tooltip=tooltip(what="row", whose="whose", bandwidth="rate", tool="tool", source="source"),
    )
    x = alt.X(
        "low:Q",
        scale=alt.Scale(type="log", domain=domain, nice=False),
        axis=alt.Axis(values=ticks, format="~f"),
        title="bandwidth (GB/s)",
    )
    measured_marks = base.transform_filter(alt.datum.whose == OURS)
    published_marks = base.transform_filter(alt.datum.whose == PUBLISHED)
    colour = alt.Color("colour:N", scale=None, legend=None)
    # In a column, names stand above the marks.
    place: dict[str, Any] = {} if layout.beside else {"yOffset": BELOW}
    marks = [
        published_marks.mark_rule(strokeWidth=1.5, **place),
        published_marks.mark_point(
            filled=False, shape="diamond", size=55, strokeWidth=1.5, **place
        ),
        measured_marks.mark_point(filled=True, shape="circle", size=70, opacity=1, **place),
    ]
    values = base.mark_text(align="left", dx=8, fontSize=11, **place).encode(
        x=alt.X("high:Q"), text=alt.Text("rate:N")
    )
    layers = [
        marks[0].encode(x=x, x2=alt.X2("high:Q"), color=colour),
        *(mark.encode(x=x, color=colour) for mark in marks[1:]),
        values,
        *([] if layout.beside else names_above(base, "row")),
    ]
    heading = alt.TitleParams(DIRECTIONS[direction], fontSize=12, offset=6)
    return LayerChart(
        layer=layers,
        title=heading,
        width=260 if layout.beside else layout.width,
        height=tall_height(order, layout),
    )
