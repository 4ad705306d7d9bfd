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
from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.model.no_data import NoData
from plots.text import caption, numbers, side_by_side
from plots.text.side_by_side import Entry

LEAST_RUNS = 3
MOST_RUNS = 12
MOST_QUESTIONS = {"wide": 7, "column": 4, "paper": 4}
NAME_WIDTH = 240  # pixels; longer names are cut
PANEL_WIDTH = 215  # beside the names
TEXT_ROOM = 1.8  # the end of the axis, as a multiple of the largest value: texts stand there
COLOUR = style.DIRECTION["h2d"].colour
BANDWIDTH, SHARE = "bandwidth (GB/s)", "bandwidth (% of the link)"


@dataclass(frozen=True)
class Order:
    """Holds one way to sort, and how it is shown."""

    key: str
    title: str


BY_BANDWIDTH = Order("gb_per_s", BANDWIDTH)
BY_SHARE = Order("percent", SHARE)


@figure("ranks", Of.RUNS, 1)
def draw_ranks(runs: list[tuple[int, Run]], layout: Layout) -> Figure:
    """Draws for each question about rates all runs, the best first, with their ranks."""
    if len(runs) < LEAST_RUNS:
        raise NoData("two runs need none: the differences say which one is faster")
    shown = runs[:MOST_RUNS]
    asked = [
        entry
        for entry in side_by_side.compare(shown)
        if entry.answered.is_rate and entry.answered.counter == "median_ns"
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
            panels.append(_draw_panel(entry.answered.subject, order, of_panel, layout))
            rows += of_panel
    left_out = len(runs) - len(shown)
    return make_figure(
        f"{len(shown)} runs, the fastest first",
        layout,
        [
            "medians; line: 95 % interval of the median; rank: one more than the number of "
            "runs that are faster, with all benchmarks taken together",
            "percent: of the link's raw rate, of both directions' for both ways at once"
            if any(limits)
            else "",
            f"{caption.count(left_out, 'more run')} not shown here" if left_out else "",
        ],
        *layout.grid(panels, 2, spacing=24),
        heading="Ranks",
        reading='Differences of runs with the same rank and "=" are not significant.',
        summary=" ".join(_summarise(entry, names) for entry in asked[:2]),
        data={"ranks": rows},
    )


def _make_rows(
    entry: Entry, order: Order, names: list[str], limits: list[float | None]
) -> list[dict[str, Any]]:
    """Returns the rows of a panel, the best first."""
    best_first = sorted(
        zip(_ranks(entry, order), names, entry.measured, limits, strict=True),
        key=lambda row: -_values(row[2], order, row[3])["at"],
    )
    return [
        {
            "panel": f"{entry.answered.subject}, {order.key}",
            "row": f"{i}|{rank} {shorten(name, NAME_WIDTH)}",
            "strategy": benchmark.strategy,
            "run": name,
            "rank": rank,
            **_values(benchmark, order, limit),
            "text": _text(benchmark, limit),
        }
        for i, (rank, name, benchmark, limit) in enumerate(best_first)
    ]


def _ranks(entry: Entry, order: Order) -> list[str]:
    """Returns the ranks, with "=" behind those that several runs have."""
    by_link = entry.answered.ranks_by_link if order is BY_SHARE else None
    ranks = by_link or entry.answered.ranks
    return [f"{rank}{'=' if ranks.count(rank) > 1 else ''}" for rank in ranks]


def _raw_rate(benchmark: Benchmark, limit: float) -> float:
    """Returns what the link carries in the directions of the benchmark."""
    return 2 * limit if benchmark.direction == "both" else limit


def _values(benchmark: Benchmark, order: Order, limit: float | None) -> dict[str, float]:
    """Returns where the mark and its line are drawn."""
    scale = benchmark.bytes or 0
    factor = scale if order is BY_BANDWIDTH else 100 * scale / _raw_rate(benchmark, limit or 1)
    low, high = benchmark.time_interval or (benchmark.ns, benchmark.ns)
    return {"at": factor / benchmark.ns, "from": factor / high, "to": factor / low}


def _text(benchmark: Benchmark, limit: float | None) -> str:
    rate = benchmark.gb_per_s or 0
    share = f", {100 * rate / _raw_rate(benchmark, limit):.0f} %" if limit else ""
    return f"{numbers.rate(rate)}{share}"


def _summarise(entry: Entry, names: list[str]) -> str:
    places = entry.answered.ranks
    if all(place == 1 for place in places):
        return f"{entry.answered.subject}: all have the same rank."
    first = [name for name, place in zip(names, places, strict=True) if place == 1]
    have = "have" if len(first) > 1 else "has"
    return f"{entry.answered.subject}: {caption.listed(first)} {have} rank 1."


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
