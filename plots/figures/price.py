"""Draws what speed costs: bandwidth against the CPU seconds that each gigabyte takes."""

from __future__ import annotations

from collections import Counter
from itertools import accumulate
from typing import Any

import altair as alt

from plots.figures import draw, log_ticks, style
from plots.figures.bandwidth import LABEL_DISTANCE, move_apart
from plots.figures.common import Figure, Value, from_zero, groups_alike, run_figure
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.layout import LETTER, Layout
from plots.figures.points import usual_sizes
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import SPACING, name_of
from plots.model.benchmark import Benchmark
from plots.model.derive import DIRECTIONS, Run
from plots.model.groups import Group, group_transfers
from plots.model.no_data import NoData
from plots.text import caption, numbers

MOST_GROUPS = 8  # more colours cannot be told apart
DATA = "prices"
Row = dict[str, Any]


@figure("price", Of.RUN, 1, Question.COST)
def draw_price(run: Run, layout: Layout) -> Figure:
    """Draws a dot for each group that is alike, at the largest size that most strategies have."""
    if not run.transfers:
        raise NoData("no plain transfers with warm caches were measured")
    size = usual_sizes(run.transfers)[-1]
    groups, rows = _choose_groups(group_transfers(run, size), size)
    if not rows:
        raise NoData("the CPU time of copies was not recorded")
    top = 1.1 * max(row["gb_per_s"] for row in rows)
    rows = [
        row
        for name in DIRECTIONS.values()
        for row in _with_labels([row for row in rows if row["direction"] == name], top, layout)
    ]
    directions = list(dict.fromkeys(row["direction"] for row in rows))
    panels = [_draw_panel(direction, rows, top, layout) for direction in directions]
    left_out = len({b.strategy for b in run.transfers}) - sum(len(g.members) for g in groups)
    return run_figure(
        f"Speed and its price at {numbers.size(size)}",
        run,
        layout,
        [
            "CPU seconds per GB of all threads of the process, waiting in a loop included; "
            "medians of the repetitions",
            _explain_line(rows),
            f"in the tables only: {left_out} more" if left_out else "",
        ],
        layout.row(*panels, spacing=SPACING),
        heading="Speed and its price",
        reading="Up is faster, left leaves more of the CPU to other work.",
        summary=" ".join(_summarise(direction, rows) for direction in directions),
        alike=groups_alike(groups),
        data={DATA: rows},
    )


def _choose_groups(groups: list[Group], size: int) -> tuple[list[Group], list[Row]]:
    """Returns the groups that are drawn, those that no other one beats first, and their rows."""
    rows = _mark_unbeaten([row for group in groups for row in _make_rows(group, size)])
    unbeaten = {row["strategy"] for row in rows if row["unbeaten"]}
    with_rows = {row["strategy"] for row in rows}
    chosen = sorted(
        (group for group in groups if group.name in with_rows),
        key=lambda group: group.name not in unbeaten,
    )[:MOST_GROUPS]
    names = {group.name for group in chosen}
    return [group for group in groups if group.name in names], [
        row for row in rows if row["strategy"] in names
    ]


def _mark_unbeaten(rows: list[Row]) -> list[Row]:
    """Adds to each row whether no other strategy of its direction is as good in both."""
    marked = []
    for direction in DIRECTIONS.values():
        own = [row for row in rows if row["direction"] == direction]
        by_price = sorted(own, key=lambda row: (row["cpu"], -row["gb_per_s"]))
        best = [0.0, *accumulate((row["gb_per_s"] for row in by_price), max)]
        unbeaten = {
            row["strategy"]
            for row, before in zip(by_price, best, strict=False)
            if row["gb_per_s"] > before
        }
        marked += [row | {"unbeaten": row["strategy"] in unbeaten} for row in own]
    return marked


def _make_rows(group: Group, size: int) -> list[Row]:
    """Returns a row for each direction of a group's plainest strategy that has a CPU time."""
    measured = [benchmark for (_, s), benchmark in group.members[group.name].items() if s == size]
    return [
        _make_row(group, benchmark, cpu)
        for benchmark in measured
        if (cpu := benchmark.positive_median("cpu_s_per_gb"))
    ]


def _make_row(group: Group, benchmark: Benchmark, cpu: float) -> Row:
    rate = benchmark.gb_per_s or 0.0
    return {
        "benchmark": benchmark.name,
        "strategy": group.name,
        "alike": caption.listed(group.others),
        "name": name_of(group.name, len(group.others)),
        "direction": DIRECTIONS[benchmark.direction],
        "gb_per_s": rate,
        "cpu": cpu,
        "rate": numbers.rate(rate),
        "cpu_text": f"{numbers.digits(cpu)} s/GB",
        "colour": style.strategy_colour(benchmark, group.name),
    }


def _with_labels(rows: list[Row], top: float, layout: Layout) -> list[Row]:
    """Adds where labels stand, moved apart."""
    ordered = sorted(rows, key=lambda row: row["gb_per_s"])
    distance = LABEL_DISTANCE * top / layout.low_panel
    places = move_apart([row["gb_per_s"] for row in ordered], distance)
    return [row | {"place": place} for row, place in zip(ordered, places, strict=True)]


def _draw_panel(direction: str, rows: list[Row], top: float, layout: Layout) -> LayerChart:
    room = (layout.width - SPACING) // 2 if layout.beside else layout.width
    width = round(room - layout.axis - LETTER * max(len(row["name"]) for row in rows))
    prices = [row["cpu"] for row in rows]
    low, high = min(prices) / 1.4, max(prices) * 1.4
    if len(log_ticks.one_two_five(low, high)) < log_ticks.LEAST_TICKS:
        low, high = low / 2, high * 2
    price = alt.X(
        "cpu:Q",
        scale=alt.Scale(type="log", domain=[low, high], nice=False),
        axis=alt.Axis(values=log_ticks.one_two_five(low, high), format="~g"),
        title="CPU seconds per GB",
    )
    rate = Value("bandwidth (GB/s)", from_zero(top))
    base = draw.shown_rows(DATA, direction=direction)
    frontier = base.transform_filter("datum.unbeaten").mark_line(
        color=style.LINE, interpolate="step-after", strokeDash=[4, 3]
    )
    leaders = base.mark_rule(color=style.LINE, strokeWidth=0.6)
    tips = draw.tooltip(strategy="strategy", bandwidth="rate", CPU_time="cpu_text", alike="alike")
    y, right = rate.y("gb_per_s"), alt.X2Value(width)  # type: ignore[no-untyped-call]
    layers = [
        frontier.encode(x=price, y=y),
        leaders.encode(x=price, x2=right, y=y, y2=alt.Y2("place:Q")),
        draw.dots(base, 60).encode(x=price, y=y, color=draw.colour_by_field(), tooltip=tips),
        draw.texts(base, "name", dx=6).encode(x=at_pixel(width), y=rate.y("place")),
    ]
    return draw.panel(layers, width, layout.low_panel, draw.panel_title(direction, anchor="start"))


def _explain_line(rows: list[Row]) -> str:
    """Explains the dashed line where there is one: it joins two strategies or more."""
    counts = Counter(row["direction"] for row in rows if row["unbeaten"])
    if max(counts.values()) < 2:
        return ""
    return "dashed line: the strategies that no other one beats in both"


def _summarise(direction: str, rows: list[Row]) -> str:
    """Names the strategies that no other one beats in both."""
    unbeaten = [row for row in rows if row["direction"] == direction and row["unbeaten"]]
    texts = [f"{row['strategy']} ({row['rate']} at {row['cpu_text']})" for row in unbeaten]
    return f"{direction}: nothing is both faster and cheaper than {caption.listed(texts)}."
