"""Draws what the smallest copy costs: a dot with its interval for each group that is alike."""

from __future__ import annotations

from statistics import median
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, from_zero, groups_alike, run_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.named_rows import NamedRows
from plots.figures.points import usual_sizes
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import SPACING, name_of
from plots.model.benchmark import Benchmark
from plots.model.derive import DIRECTIONS, TRANSFER, Run
from plots.model.groups import Group, group_transfers
from plots.model.no_data import NoData
from plots.text import caption, numbers

AXIS_END = 3  # times the median of all: what takes longer would flatten the others
MOST_ROWS = {"wide": 24, "column": 20, "paper": 12}  # in a panel
Row = dict[str, Any]


@figure("small_copies", Of.RUN, 1, Question.SMALL)
def draw_small_copies(run: Run, layout: Layout) -> Figure:
    """Draws the time of the smallest copy, fastest first."""
    if not run.transfers:
        raise NoData("no plain transfers with warm caches were measured")
    size = usual_sizes(run.transfers)[0]
    groups = group_transfers(run, size, "transfers_by_interval")
    every_row = [row for code in DIRECTIONS for row in _make_rows(groups, code, size)]
    end = _axis_end(every_row)
    rows = [row for code in DIRECTIONS for row in _select(every_row, code, layout)]
    rows = [row | _place(row, end) for row in rows]
    named = NamedRows(rows, layout, layout.row_height)
    panels = [_draw_panel(named, direction, end) for direction in named.directions]
    timed = [benchmark for benchmark in run.transfers if benchmark.bytes == size]
    left_out = len({row["strategy"] for row in every_row} - {row["strategy"] for row in rows})
    text = numbers.size(size)
    return run_figure(
        f"Time of a copy of {text}",
        run,
        layout,
        [
            caption.describe_timing([benchmark.repetitions for benchmark in timed]),
            "line: 95 % interval between processes; arrow: beyond the axis",
            f"in the tables only: {left_out} more" if left_out else "",
        ],
        layout.row(*panels, spacing=SPACING),
        heading="What a small copy costs",
        reading=_explain(run, size, groups, any(row["low"] < row["high"] for row in rows)),
        summary=" ".join(filter(None, (_summarise(run, size, code) for code in DIRECTIONS))),
        alike=groups_alike(groups),
        data={"copies": rows},
    )


def _summarise(run: Run, size: int, code: str) -> str:
    """Names the plainest of the strategies that are as fast as any."""
    best = next(iter(run.as_good(TRANSFER, code, size)), None)
    if best is None:
        return ""
    return (
        f"{DIRECTIONS[code]}: {best.strategy} takes {numbers.time(best.ns)}; nothing measured is "
        "clearly faster."
    )


def _make_rows(groups: list[Group], code: str, size: int) -> list[Row]:
    """Returns a row for each group's plainest strategy, the fastest first."""
    measured = [
        (group, group.members[group.name][code, size])
        for group in groups
        if (code, size) in group.members[group.name]
    ]
    return [
        _make_row(group, benchmark)
        for group, benchmark in sorted(measured, key=lambda pair: pair[1].ns)
    ]


def _make_row(group: Group, benchmark: Benchmark) -> Row:
    interval = benchmark.time_interval
    low, high = interval or (benchmark.ns, benchmark.ns)
    name = name_of(group.name, len(group.others))
    return {
        "benchmark": benchmark.name,
        "row": f"{group.name}|{name}",
        "name": name,
        "strategy": group.name,
        "alike": caption.listed(group.others),
        "direction": DIRECTIONS[benchmark.direction],
        "us": benchmark.ns / 1000,
        "low": low / 1000,
        "high": high / 1000,
        "text": f"{benchmark.ns / 1000:.3g}",
        "time": numbers.time(benchmark.ns),
        "interval": f"{numbers.time(low)} to {numbers.time(high)}" if interval else "not known",
        "colour": style.DIRECTION[benchmark.direction].colour,
    }


def _axis_end(rows: list[Row]) -> float:
    """Returns where the axis ends: just behind the last value that is not far off."""
    most: float = AXIS_END * median(row["us"] for row in rows)
    ends: list[float] = [min(row["high"], most) for row in rows if row["us"] <= most]
    return max(ends)


def _select(rows: list[Row], code: str, layout: Layout) -> list[Row]:
    """Returns the rows of a direction that there is room for."""
    return [row for row in rows if row["direction"] == DIRECTIONS[code]][: MOST_ROWS[layout.name]]


def _place(row: Row, end: float) -> Row:
    """Returns where a row's marks stand on an axis that ends there."""
    return {
        "beyond": row["us"] > end,
        "place": min(row["us"], end),
        "place_low": min(row["low"], end),
        "place_high": min(row["high"], end),
    }


def _draw_panel(named: NamedRows, direction: str, end: float) -> LayerChart:
    axis = alt.Axis(tickCount=5, format="~f", grid=False)
    value = Value("time of one copy (µs)", from_zero(1.05 * end), axis)
    rows = named.of("copies", value, direction)
    inside = rows.only("!datum.beyond").coloured()
    tips = draw.tooltip(strategy="strategy", time="time", interval="interval", alike="alike")
    layers = [
        inside.lines("place_low", "place_high", strokeWidth=2, opacity=0.6),
        inside.points("place", 45, tooltip=tips),
        rows.arrows(
            "place", "right", "datum.beyond", 60, color=alt.ColorValue(style.INK), tooltip=tips
        ),
    ]
    return named.panel("copies", direction, direction, layers)


def _explain(run: Run, size: int, groups: list[Group], has_intervals: bool) -> str:
    """Explains the rows, and which strategies are alike."""
    texts = [
        f"Further left is better. A copy of {numbers.size(size)} costs what any copy costs at "
        "least."
    ]
    if not has_intervals:
        texts.append("A run of one process has no intervals.")
    if any(group.others for group in groups):
        what = run.judged.alike["transfers_by_interval", size].text
        texts.append(f"{what}; the row is the plainest one's.")
    return " ".join(texts)
