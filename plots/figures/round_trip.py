"""Draws the round trip of an array, stacked by phase."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.bars import rows_axis
from plots.figures.common import Figure, compose_run_chart, panel_title, tooltip
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.model.derive import Benchmark, NoData, Run
from plots.text import numbers

USUAL_ELEMENTS = "float32"  # the elements that the title names
PHASES = ("allocate", "upload", "compute", "download", "free")
UNDIVIDED = "not divided"
LEAST_UNDIVIDED = 0.005  # a smaller remainder is only the rounding of medians


def draw_round_trip(run: Run, layout: Layout) -> Figure:
    """Draws each version of (2 * to_gpu(a)).get() at the smallest and the largest size."""
    trips = {
        benchmark.label: run.sizes(benchmark)
        for benchmark in run.benchmarks
        if _is_round_trip(benchmark)
    }
    sizes_by_name = {_name(next(iter(sizes.values()))): sizes for sizes in trips.values() if sizes}
    sizes = sorted({size for sizes in sizes_by_name.values() for size in sizes})
    if not sizes:
        raise NoData("round trips of arrays were not measured")
    ends = list(dict.fromkeys((sizes[0], sizes[-1])))
    names = sorted(sizes_by_name)
    rows = [
        row
        for name, by_size in sizes_by_name.items()
        for size in ends
        if size in by_size
        for row in _make_phases(name, by_size[size])
    ]
    panels = [_draw_panel(size, names, rows, layout, size == ends[0]) for size in ends]
    chart = compose_run_chart(
        "Round trip of an array of float32: up, 2 · a, down",
        run,
        layout,
        [
            "medians; ways that are one call to the program cannot be divided into phases; "
            "fresh: into memory that was just got"
        ],
        layout.row(*panels, spacing=24).resolve_legend(color="shared"),
    )
    chart.datasets = {"phases": rows}
    totals = [row for row in rows if row["bytes"] == ends[-1] and row["total"]]
    best = min(totals, key=lambda row: row["total_ns"])
    return Figure(
        heading="Round trip of an array by phase",
        reading="Shorter is better. What is not upload, work or download is the price of "
        "convenience.",
        summary=f"The fastest at {best['size']} is {best['row']}: {best['total']}.",
        chart=chart,
        strategies=[],
    )


def _is_round_trip(benchmark: Benchmark) -> bool:
    return (
        benchmark.role == "array"
        and benchmark.direction == "both"
        and bool(benchmark.bytes)
        and not benchmark.cold
    )


def _name(benchmark: Benchmark) -> str:
    variant = None if benchmark.variant == USUAL_ELEMENTS else benchmark.variant
    return "/".join(filter(None, (benchmark.memory, benchmark.setting, variant)))


def _make_phases(row: str, benchmark: Benchmark) -> list[dict[str, Any]]:
    assert benchmark.bytes
    total, start = benchmark.ns, 0.0
    parts = [(phase, benchmark.get(f"{phase}_ns") or 0.0) for phase in PHASES]
    parts = [(phase, ns) for phase, ns in parts if ns > 0]
    remainder = total - sum(ns for _, ns in parts)
    if remainder > LEAST_UNDIVIDED * total:
        # The undivided time comes before the final freeing.
        parts.insert(-1 if parts and parts[-1][0] == "free" else len(parts), (UNDIVIDED, remainder))
    rows = []
    for phase, ns in parts:
        rows.append(
            {
                "row": row,
                "strategy": row,
                "bytes": benchmark.bytes,
                "size": numbers.size(benchmark.bytes),
                "phase": phase,
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


def _draw_panel(
    size: int, names: list[str], rows: list[dict[str, Any]], layout: Layout, is_first: bool
) -> LayerChart:
    ends = [row["end"] for row in rows if row["bytes"] == size]
    factor, unit = (1e3, "µs") if max(ends) < 1 else (1.0, "ms")
    top = max(ends) * factor * (1.22 if layout.beside else 1.4)  # room for the text
    phases = [phase for phase in style.PHASES if any(row["phase"] == phase for row in rows)]
    base = (
        alt.Chart(alt.NamedData("phases"))
        .transform_filter(alt.datum.bytes == size)
        .transform_calculate(from_=f"datum.start * {factor}", to_=f"datum.end * {factor}")
        .encode(y=rows_axis(names, labels=is_first or not layout.beside))
    )
    ends_axis = alt.X(
        "from_:Q", scale=alt.Scale(domain=[0, top], nice=False), title=f"time ({unit})"
    )
    bars = base.mark_bar(height={"band": 0.66}, stroke=style.PAPER, strokeWidth=0.6).encode(
        x=ends_axis,
        x2=alt.X2("to_:Q"),
        color=alt.Color(
            "phase:N",
            scale=alt.Scale(domain=phases, range=[style.PHASES[phase][0] for phase in phases]),
            legend=alt.Legend(
                title=None, orient="bottom", direction="horizontal", columns=layout.columns(6, 110)
            ),
        ),
        tooltip=tooltip(way="row", phase="phase", time="time", share="share"),
    )
    text = (
        base.transform_filter("datum.total")
        .mark_text(align="left", dx=4, fontSize=11)
        .encode(x=alt.X("to_:Q"), text=alt.Text("total:N"))
    )
    heading = panel_title(numbers.size(size))
    width = layout.beside_names(names, 300)
    return LayerChart(
        layer=[bars, text], title=heading, width=width, height=layout.row_height * len(names)
    )
