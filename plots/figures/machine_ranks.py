"""Draws several runs sorted by bandwidth, and by the part of their links that they reach."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, from_zero, make_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout, shorten
from plots.figures.registered import Of, figure
from plots.figures.rows import LAST_PART, Rows
from plots.model.derive import Benchmark, NoData, Run
from plots.model.ranks import ranks
from plots.model.significance import TIME, median_interval
from plots.text import caption, numbers, side_by_side
from plots.text.side_by_side import Comparison

LEAST_RUNS = 3
MOST_RUNS = 12
MOST_QUESTIONS = {"wide": 7, "column": 4, "paper": 4}
NAME_WIDTH = 240  # pixels; longer names are cut
PANEL_WIDTH = 215  # beside the names
TEXT_ROOM = 1.8  # the end of the axis, as a multiple of the largest value: texts stand there
LINK_TIMES = "link_times"  # a time as a multiple of what the link's raw rate needs
COLOUR = style.DIRECTION["h2d"].colour
BANDWIDTH, SHARE = "bandwidth (GB/s)", "bandwidth (% of the link)"


@dataclass(frozen=True)
class Order:
    """Holds one way to sort: a counter, of which less is better, and how it is shown."""

    key: str
    title: str
    counter: str


BY_BANDWIDTH = Order("gb_per_s", BANDWIDTH, TIME)
BY_SHARE = Order("percent", SHARE, LINK_TIMES)


@figure("ranks", Of.RUNS, 1)
def draw_ranks(runs: list[tuple[int, Run]], layout: Layout) -> Figure:
    """Draws for each question about rates all runs, the best first, with their ranks."""
    if len(runs) < LEAST_RUNS:
        raise NoData(f"fewer than {LEAST_RUNS} runs are told apart without ranks")
    shown = runs[:MOST_RUNS]
    asked = [
        entry
        for entry in side_by_side.compare(shown)
        if entry.question.is_rate and entry.question.counter == TIME
    ][: MOST_QUESTIONS[layout.name]]
    if not asked:
        raise NoData("these runs have no large transfer in common")
    names = side_by_side.run_names(runs)[: len(shown)]
    limits = [run.link_limit for _, run in shown]
    orders = [BY_BANDWIDTH, *([BY_SHARE] if all(limits) and len(set(limits)) > 1 else [])]
    rows: list[dict[str, Any]] = []
    panels = []
    for entry in asked:
        for order in orders:
            of_panel = _make_rows(entry, order, names, limits)
            panels.append(_draw_panel(entry.subject, order, of_panel, layout))
            rows += of_panel
    left_out = len(runs) - len(shown)
    return make_figure(
        f"{len(shown)} runs, the fastest first",
        layout,
        [
            "medians; line: 95 % interval of the median; rank: one more than the number of "
            "runs that are clearly better (2 % or more, and in 95 % of all pairs of "
            "repetitions)",
            "percent: of the link's raw rate, of both directions' for both ways at once"
            if any(limits)
            else "",
            f"{caption.count(left_out, 'more run')} not shown here" if left_out else "",
        ],
        *layout.grid(panels, 2, spacing=24),
        heading="Ranks",
        reading='Runs with the same rank and "=" are not told apart.',
        summary=" ".join(_summarise(entry, names) for entry in asked[:2]),
        data={"ranks": rows},
    )


def _make_rows(
    entry: Comparison, order: Order, names: list[str], limits: list[float | None]
) -> list[dict[str, Any]]:
    """Returns the rows of a panel, the best first."""
    measured = [
        _with_link_times(benchmark, limit)
        for benchmark, limit in zip(entry.measured, limits, strict=True)
    ]
    best_first = sorted(
        zip(ranks(measured, order.counter), names, measured, limits, strict=True),
        key=lambda row: row[2].get(order.counter) or 0,
    )
    return [
        {
            "panel": f"{entry.subject}, {order.key}",
            "row": f"{i}|{rank} {shorten(name, NAME_WIDTH)}",
            "strategy": benchmark.strategy,
            "run": name,
            "rank": str(rank),
            **_values(benchmark, order, limit),
            "text": _text(benchmark, limit),
        }
        for i, (rank, name, benchmark, limit) in enumerate(best_first)
    ]


def _with_link_times(benchmark: Benchmark, limit: float | None) -> Benchmark:
    """Adds to each repetition its time as a multiple of what the link's raw rate needs."""
    if not limit or not benchmark.bytes:
        return benchmark
    ideal_ns = benchmark.bytes / _raw_rate(benchmark, limit)
    rows = [{**row, LINK_TIMES: row[TIME] / ideal_ns} for row in benchmark.rows]
    return replace(benchmark, rows=rows)


def _raw_rate(benchmark: Benchmark, limit: float) -> float:
    """Returns what the link carries in the directions of the benchmark."""
    return 2 * limit if benchmark.direction == "both" else limit


def _values(benchmark: Benchmark, order: Order, limit: float | None) -> dict[str, float]:
    """Returns where the mark and its line are drawn."""
    scale = benchmark.bytes or 0
    factor = scale if order is BY_BANDWIDTH else 100 * scale / _raw_rate(benchmark, limit or 1)
    times = benchmark.values(TIME)
    low, high = median_interval(times) or (benchmark.ns, benchmark.ns)
    return {"at": factor / benchmark.ns, "from": factor / high, "to": factor / low}


def _text(benchmark: Benchmark, limit: float | None) -> str:
    rate = benchmark.gb_per_s or 0
    share = f", {100 * rate / _raw_rate(benchmark, limit):.0f} %" if limit else ""
    return f"{numbers.rate(rate)}{share}"


def _summarise(entry: Comparison, names: list[str]) -> str:
    places = ranks(entry.measured)
    if all(rank.place == 1 for rank in places):
        return f"{entry.subject}: all have the same rank."
    first = [name for name, rank in zip(names, places, strict=True) if rank.place == 1]
    return f"{entry.subject}: {caption.listed(first)} {'have' if len(first) > 1 else 'has'} rank 1."


def _draw_panel(
    subject: str, order: Order, rows: list[dict[str, Any]], layout: Layout
) -> LayerChart:
    room = TEXT_ROOM if layout.beside else 1.05
    top = from_zero(room * max(row["to"] for row in rows))
    value = Value(order.title, top, alt.Axis(tickCount=5, grid=True))
    chart = draw.shown_rows("ranks", panel=rows[0]["panel"]).transform_calculate(
        name=LAST_PART.format("datum.row")
    )
    names = [row["row"] for row in rows]
    shown = Rows(chart, names, layout, value, grid=layout.beside, tall=True)
    marks = replace(shown, chart=chart.encode(color=alt.value(COLOUR)))
    tips = draw.tooltip(run="run", strategy="strategy", rank="rank", bandwidth="text")
    # The rates stand behind the lines, in a column above them.
    behind = draw.texts(shown.base, dx=8).encode(x=value.x("to"))
    return shown.panel(
        [
            marks.lines("from", "to", strokeWidth=2),
            marks.points("at", 50, tooltip=tips),
            behind if layout.beside else shown.texts(layout.width),
            *shown.names_above("name"),
        ],
        PANEL_WIDTH if layout.beside else layout.width,
        draw.panel_title(subject, anchor="start"),
    )
