"""Draws how soon asynchronous calls return, beside when the data have arrived."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import draw, log_ticks, style
from plots.figures.common import Figure, Value, run_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.named_rows import NamedRows
from plots.figures.points import in_drawing_order, usual_sizes
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import SPACING, name_of
from plots.model.benchmark import Benchmark
from plots.model.derive import DIRECTIONS, Run
from plots.model.no_data import NoData
from plots.text import numbers

CALL = "enqueue_ns"
MOST_ROWS = {"wide": 24, "column": 20, "paper": 10}  # in a panel
DATA = "calls"
MILLISECOND = 1e6  # nanoseconds
Row = dict[str, Any]


@figure("returns", Of.RUN, 4, Question.FASTER)
def draw_returns(run: Run, layout: Layout) -> Figure:
    """Draws the copies whose call was timed by itself, at their largest common size."""
    timed = [benchmark for benchmark in run.transfers if benchmark.positive_median(CALL)]
    if not timed:
        raise NoData("no copy was measured whose call returns before the data have arrived")
    size = usual_sizes(timed)[-1]
    ordered = in_drawing_order(benchmark for benchmark in timed if benchmark.bytes == size)
    rows = [
        row
        for code in DIRECTIONS
        for row in [_make_row(each, call) for each, call in _calls(ordered, code)][
            : MOST_ROWS[layout.name]
        ]
    ]
    named = NamedRows(rows, layout, layout.row_height)
    panels = [_draw_panel(named, direction) for direction in named.directions]
    longest = max(rows, key=lambda row: row["part"])
    return run_figure(
        f"Calls and copies of {numbers.size(size)}",
        run,
        layout,
        [
            "hollow: the call has returned; filled: the data have arrived; on the right, the "
            "part of the time that the call takes; medians of the repetitions"
        ],
        layout.row(*panels, spacing=SPACING),
        heading="When an asynchronous call returns",
        reading="A long line leaves time for other work. Where one mark covers the other, the "
        "call returns only when the copy is done.",
        summary=f"The call of {longest['strategy']} takes the largest part of its copy, "
        f"{longest['direction']}: it returns after {longest['call']}, and the data have arrived "
        f"after {longest['arrival']}.",
        data={DATA: rows},
    )


def _calls(benchmarks: list[Benchmark], direction: str) -> list[tuple[Benchmark, float]]:
    """Returns the benchmarks of a direction with the times of their calls."""
    return [
        (benchmark, call)
        for benchmark in benchmarks
        if benchmark.direction == direction and (call := benchmark.positive_median(CALL))
    ]


def _make_row(benchmark: Benchmark, call: float) -> Row:
    name = name_of(benchmark.strategy)
    part = call / benchmark.ns
    return {
        "benchmark": benchmark.name,
        "row": f"{benchmark.label}|{name}",
        "name": name,
        "strategy": benchmark.strategy,
        "direction": DIRECTIONS[benchmark.direction],
        "returned": call / MILLISECOND,
        "arrived": benchmark.ns / MILLISECOND,
        "part": part,
        "text": numbers.percent(part),
        "call": numbers.time(call),
        "arrival": numbers.time(benchmark.ns),
        "colour": style.DIRECTION[benchmark.direction].colour,
    }


def _draw_panel(named: NamedRows, direction: str) -> LayerChart:
    ends = [row[field] for row in named.rows for field in ("returned", "arrived")]
    domain, ticks = log_ticks.decades(min(ends), max(ends))
    axis = alt.Axis(values=ticks, format="~g", grid=False)
    value = Value("time (ms)", alt.Scale(type="log", domain=domain, nice=False), axis)
    rows = named.of(DATA, value, direction).coloured()
    tips = draw.tooltip(
        strategy="strategy", call_returns="call", data_arrive="arrival", part="text"
    )
    layers = [
        rows.lines("returned", "arrived", strokeWidth=2, opacity=0.6),
        rows.points("returned", 60, filled=False, tooltip=tips),
        rows.points("arrived", 30, tooltip=tips),
    ]
    return named.panel(DATA, direction, direction, layers)
