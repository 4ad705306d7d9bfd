"""Draws how the repetitions of a benchmark are distributed; steps in the curve are modes."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.common import (
    Figure,
    compose_run_chart,
    memory_colours,
    panel_title,
    scale_by_name,
    shown_rows,
    tooltip,
)
from plots.figures.compose import LayerChart, hconcat
from plots.figures.keys import Key
from plots.figures.layout import Layout
from plots.model.derive import DIRECTIONS, Benchmark, NoData, Run, order_families
from plots.model.headline import headline_strategies
from plots.text import numbers

LEAST_REPETITIONS = 3  # fewer repetitions make no distribution
PANEL_HEIGHT = 150
KEY_WIDTH = 180


def draw_samples(run: Run, layout: Layout) -> Figure:
    """Draws the headline strategies at a small, a middle and a large size."""
    names = headline_strategies(run)
    benchmarks = [
        benchmark
        for benchmark in run.transfers
        if benchmark.strategy in names and benchmark.repetitions >= LEAST_REPETITIONS
    ]
    if not benchmarks:
        raise NoData(f"no plain transfer has {LEAST_REPETITIONS} repetitions")
    all_sizes = sorted({benchmark.bytes or 0 for benchmark in benchmarks})
    sizes = list(dict.fromkeys((all_sizes[0], all_sizes[len(all_sizes) // 2], all_sizes[-1])))
    rows = [
        row for benchmark in benchmarks if benchmark.bytes in sizes for row in _make_rows(benchmark)
    ]
    low, high = min(row["relative"] for row in rows), max(row["relative"] for row in rows)
    memories = sorted({row["memory"] for row in rows}, key=style.memory_order)
    families = order_families(benchmarks)
    shown = {benchmark.strategy: benchmark for benchmark in benchmarks}
    strategies = [name for name in names if any(row["strategy"] == name for row in rows)]
    directions = [
        name for name in DIRECTIONS.values() if any(row["direction"] == name for row in rows)
    ]
    # Where three sizes fit beside each other, directions stand below each other.
    grid = [[(direction, size) for size in sizes] for direction in directions]
    if not layout.beside:
        grid = [[(direction, size) for direction in directions] for size in sizes]
    width = 205 if layout.beside else 110
    panels = [
        hconcat(*(_draw_panel(*place, memories, families, width) for place in line), spacing=14)
        for line in grid
    ]
    entries = [
        {"strategy": name, "name": name, "family": shown[name].family, "memory": shown[name].kind}
        for name in strategies
    ]
    key = Key(entries, layout, most_columns=3, width=KEY_WIDTH)
    chart = compose_run_chart(
        "Distribution of repetitions",
        run,
        layout,
        [
            "share of the repetitions that took at most so long, against their median; each "
            "repetition is itself the median of its operations"
        ],
        *panels,
        key.chart(
            memory_colours(memories),
            lambda base: _draw_lines(base, families),
            lambda base: _draw_marks(base, memories),
        ),
    )
    chart.datasets = {"samples": rows, "key": key.data()}
    widest = max(rows, key=lambda row: abs(row["relative"]))
    return Figure(
        heading="Distribution of samples",
        reading="A steep curve is a steady benchmark. Two steep parts with a flat one between "
        "them hint at two modes: the median of such a benchmark hides one. Panels have scales of "
        "their own.",
        summary=f"The fastest repetition takes {numbers.percent(-low / 100)} less than its median, "
        f"the slowest {numbers.percent(high / 100)} more; the farthest is {widest['strategy']} at "
        f"{widest['size']}.",
        chart=chart,
        strategies=[(name, style.memory_colour(shown[name].kind)) for name in strategies],
    )


def _make_rows(benchmark: Benchmark) -> list[dict[str, Any]]:
    times = sorted(benchmark.values("median_ns"))
    return [
        {
            "strategy": benchmark.strategy,
            "memory": benchmark.kind,
            "family": benchmark.family,
            "direction": DIRECTIONS[benchmark.direction],
            "bytes": benchmark.bytes,
            "size": numbers.size(benchmark.bytes or 0),
            "relative": 100 * (ns / benchmark.ns - 1),
            "share": (i + 1) / len(times),
            "time": numbers.time(ns),
            "place": f"{i + 1} of {len(times)}",
        }
        for i, ns in enumerate(times)
    ]


def _draw_panel(
    direction: str, size: int, memories: list[str], families: list[str], width: int
) -> LayerChart:
    base = shown_rows("samples", direction=direction, bytes=size).encode(
        x=alt.X("relative:Q", title="against the median (%)", axis=alt.Axis(tickCount=width // 40)),
        y=alt.Y(
            "share:Q",
            scale=alt.Scale(domain=[0, 1.02], nice=False),
            axis=alt.Axis(format=".0%", tickCount=5),
            title="repetitions (%)",
        ),
        color=memory_colours(memories),
        detail=alt.Detail("strategy:N"),
    )
    marks = _draw_marks(base, memories).encode(
        tooltip=tooltip(strategy="strategy", size="size", time="time", repetition="place")
    )
    heading = panel_title(f"{direction}, {numbers.size(size)}", offset=4)
    return LayerChart(
        layer=[_draw_lines(base, families, interpolate="step-after"), marks],
        title=heading,
        width=width,
        height=PANEL_HEIGHT,
    )


def _draw_lines(base: alt.Chart, families: list[str], **options: Any) -> Any:
    return base.mark_line(strokeWidth=1.6, **options).encode(
        strokeDash=scale_by_name("family", families, style.family_dash, alt.StrokeDash)
    )


def _draw_marks(base: alt.Chart, memories: list[str]) -> Any:
    return base.mark_point(filled=True, size=36, opacity=1).encode(
        shape=scale_by_name("memory", memories, style.memory_shape, alt.Shape)
    )
