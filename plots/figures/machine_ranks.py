"""Draws several runs sorted by bandwidth, and by the part of their links that they reach."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.bars import (
    ABOVE,
    BELOW,
    LAST_PART,
    from_zero,
    names_above,
    rows_axis,
    tall_height,
)
from plots.figures.common import Figure, compose_chart, panel_title, shown_rows, tooltip
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.layout import Layout, shorten
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
    return Figure(
        heading="Ranks",
        reading='Runs with the same rank and "=" are not told apart.',
        summary=" ".join(_summarise(entry, names) for entry in asked[:2]),
        chart=compose_chart(
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
            *(layout.row(*panels[i : i + 2], spacing=24) for i in range(0, len(panels), 2)),
            data={"ranks": rows},
        ),
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
    names = [row["row"] for row in rows]
    room = TEXT_ROOM if layout.beside else 1.05
    scale = from_zero(room * max(row["to"] for row in rows))
    axis = alt.Axis(tickCount=5, grid=True)

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis, title=order.title)

    place: dict[str, Any] = {} if layout.beside else {"yOffset": BELOW}
    base = (
        shown_rows("ranks", panel=rows[0]["panel"])
        .transform_calculate(name=LAST_PART.format("datum.row"))
        .encode(y=rows_axis(names, labels=layout.beside, grid=layout.beside))
    )
    mark = base.mark_point(filled=True, size=50, opacity=1, color=COLOUR, **place).encode(
        x=x("at"), tooltip=tooltip(run="run", strategy="strategy", rank="rank", bandwidth="text")
    )
    line = base.mark_rule(strokeWidth=2, color=COLOUR, **place)
    return LayerChart(
        layer=[line.encode(x=x("from"), x2=alt.X2("to:Q")), mark, *_draw_texts(base, x, layout)],
        title=panel_title(subject, anchor="start"),
        width=PANEL_WIDTH if layout.beside else layout.width,
        height=tall_height(names, layout),
        view=alt.ViewBackground(stroke=None),
    )


def _draw_texts(base: alt.Chart, x: Callable[[str], alt.X], layout: Layout) -> list[Any]:
    """Writes the rates behind the lines, in a column above them, beside the names."""
    text = alt.Text("text:N")
    if layout.beside:
        return [base.mark_text(align="left", dx=8, fontSize=11).encode(x=x("to"), text=text)]
    value = base.mark_text(align="right", fontSize=11, yOffset=ABOVE)
    return [value.encode(x=at_pixel(layout.width), text=text), *names_above(base, "name")]
