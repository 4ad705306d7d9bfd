"""Draws the repetitions of benchmarks in their order, so that drift and modes can be seen."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, run_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.named_rows import NamedRows
from plots.figures.points import usual_sizes
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import SPACING, name_of
from plots.model.benchmark import TIME, Benchmark
from plots.model.derive import DIRECTIONS, Run
from plots.model.headline import headline_strategies
from plots.model.no_data import NoData
from plots.text import numbers

LEAST_REPETITIONS = 3  # fewer repetitions show neither drift nor modes
# Pixels, in which the repetitions of a row stand below each other; four panels fit into a column.
ROW_HEIGHT = {True: 34, False: 24}  # by whether panels stand beside each other
ENDS = (1, 2, 5, 10, 20)  # percent, where the shared axis may end
WITHIN = 0.9  # of all repetitions lie within the axis, or it is the longest
SIGNED = "(datum.value > 0 ? '+' : '') + format(datum.value, '~f')"
Row = dict[str, Any]


@figure("samples", Of.RUN, 1, Question.SPREAD)
def draw_samples(run: Run, layout: Layout) -> Figure:
    """Draws the headline strategies at the smallest and the largest size."""
    names = headline_strategies(run)
    benchmarks = [
        benchmark
        for benchmark in run.transfers
        if benchmark.strategy in names and benchmark.repetitions >= LEAST_REPETITIONS
    ]
    if not benchmarks:
        raise NoData(f"no plain transfer has {LEAST_REPETITIONS} repetitions")
    usual = usual_sizes(benchmarks)
    sizes = list(dict.fromkeys((usual[0], usual[-1])))
    shown = sorted(
        (benchmark for benchmark in benchmarks if benchmark.bytes in sizes),
        key=lambda benchmark: names.index(benchmark.strategy),
    )
    dots = [dot for benchmark in shown for dot in _make_dots(benchmark)]
    end = _axis_end(dots)
    dots = [dot | _place(dot["relative"], end) for dot in dots]
    named = NamedRows(
        [_make_row(benchmark) for benchmark in shown], layout, ROW_HEIGHT[layout.beside]
    )
    panels = [
        layout.row(
            *(_draw_panel(named, direction, size, end) for direction in named.directions),
            spacing=SPACING,
        )
        for size in sizes
    ]
    widest = max(dots, key=lambda dot: abs(dot["relative"]))
    deviation = numbers.signed_percent(widest["relative"] / 100)
    return run_figure(
        "Repetitions in their order",
        run,
        layout,
        [
            "each dot is a repetition, itself the median of its operations; in each row the "
            "first is at the top, the last at the bottom; on the right, the range; arrows: "
            "beyond the axis"
        ],
        *panels,
        heading="Repetitions in their order",
        reading="A vertical line of dots is a steady benchmark. A row that leans to one side "
        "drifts; two columns of dots are two modes, of which the median hides one.",
        summary=f"Farthest from its median is a repetition of {widest['strategy']}, "
        f"{widest['direction']}, {widest['size']}: {deviation}.",
        data={"repetitions": dots, "ranges": named.rows},
    )


def _make_dots(benchmark: Benchmark) -> list[Row]:
    """Returns a row for each repetition, in their order."""
    times = [row[TIME] for row in benchmark.in_order]
    last = len(times) - 1
    return [
        _identity(benchmark)
        | {
            "order": i / last,
            "relative": 100 * (ns / benchmark.ns - 1),
            "time": numbers.time(ns),
            "repetition": f"{i + 1} of {len(times)}",
            "colour": style.strategy_colour(benchmark, benchmark.strategy),
        }
        for i, ns in enumerate(times)
    ]


def _make_row(benchmark: Benchmark) -> Row:
    """Returns the name of a row, and its range."""
    times = benchmark.values(TIME)
    low, high = (numbers.change(end(times) / benchmark.ns - 1) for end in (min, max))
    text = f"{low.removesuffix(' %')} to {high}".replace("-", "−")
    return _identity(benchmark) | {"text": text}


def _identity(benchmark: Benchmark) -> Row:
    name = name_of(benchmark.strategy)
    return {
        "benchmark": benchmark.name,
        "row": f"{benchmark.strategy}|{name}",
        "name": name,
        "strategy": benchmark.strategy,
        "direction": DIRECTIONS[benchmark.direction],
        "bytes": benchmark.bytes,
        "size": numbers.size(benchmark.bytes or 0),
    }


def _axis_end(dots: list[Row]) -> int:
    """Returns how many percent the shared axis reaches to both sides."""
    for end in ENDS[:-1]:
        inside = sum(abs(dot["relative"]) <= end for dot in dots)
        if inside >= WITHIN * len(dots):
            return end
    return ENDS[-1]


def _place(relative: float, end: int) -> Row:
    """Returns where the mark of a repetition stands on the shared axis."""
    beyond = "left" if relative < -end else "right" if relative > end else ""
    return {"place": max(-end, min(relative, end)), "beyond": beyond}


def _draw_panel(named: NamedRows, direction: str, size: int, end: int) -> LayerChart:
    scale = alt.Scale(domain=[-1.06 * end, 1.06 * end], nice=False)
    axis = alt.Axis(values=[-end, -end / 2, 0, end / 2, end], labelExpr=SIGNED)
    value = Value("against the median (%)", scale, axis)
    order = alt.YOffset("order:Q", scale=alt.Scale(domain=[-0.25, 1.25]))
    rows = named.of("repetitions", value, direction, bytes=size)
    rows = replace(rows, chart=rows.chart.encode(yOffset=order))
    path = rows.base.mark_line(strokeWidth=0.8, color=style.LINE).encode(
        x=value.x("place"), order=alt.Order("order:Q"), detail=alt.Detail("strategy:N")
    )
    tips = draw.tooltip(strategy="strategy", size="size", time="time", repetition="repetition")
    ink = alt.ColorValue(style.INK)
    layers = [
        path,
        rows.only("!datum.beyond").coloured().points("place", 26, tooltip=tips),
        *(
            rows.arrows("place", side, f"datum.beyond === '{side}'", 60, color=ink, tooltip=tips)
            for side in ("left", "right")
        ),
    ]
    heading = f"{direction}, {numbers.size(size)}"
    return named.panel("ranges", direction, heading, layers, bytes=size)
