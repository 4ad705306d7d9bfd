"""Draws bandwidth against size: one labelled line for each group of strategies that are alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import (
    Figure,
    Limit,
    Listing,
    Value,
    draw_limit,
    groups_alike,
    label_alike,
    linear,
    link_limits,
    run_figure,
    sizes_axis,
    strategy_colours,
)
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout, shorten
from plots.figures.points import Point, transfer_points
from plots.figures.registered import Of, Question, figure
from plots.model.derive import DIRECTIONS, Run
from plots.model.groups import Group, group_transfers
from plots.model.headline import headline_strategies
from plots.text import caption, numbers

SMALLEST = 4 * 2**10  # below, the rates of all strategies are near zero
MOST_LINES = 8  # more colours cannot be told apart
LABEL_DISTANCE = 12  # pixels between the middles of two labels
NARROW = 5.4  # pixels: the least mean width of a letter, so that panels are as wide as they can be
ROOM_FOR_LABEL = 1.12  # of the highest limit, in a low panel
AXIS_ROOM = 42  # pixels left of a narrow panel, for ticks of three digits
LABEL_ROOM = {True: 250, False: 152}  # pixels on the right of a panel, by whether it is wide
Row = dict[str, Any]


@figure("bandwidth", Of.RUN, 1, Question.SIZES)
def draw_bandwidth(run: Run, layout: Layout) -> Figure:
    """Draws the plainest strategy of each group, and the band of the whole group."""
    points = transfer_points(run)
    groups = choose_groups(run, layout)
    left_out = len({p.strategy for p in points}) - sum(len(group.members) for group in groups)
    lines = list(_make_lines(_from_smallest(points), groups))
    limits = [limit if layout.beside else _in_short(limit) for limit in link_limits(run)]
    top = max([line.gb_per_s_high for line in lines] + [limit.high for limit in limits])
    top *= 1 if layout.beside else ROOM_FOR_LABEL
    scale, ticks = linear(top)
    rate = Value("bandwidth (GB/s)", scale, ticks)
    present = {line.variant: line.direction for line in lines}
    directions = [name for name in DIRECTIONS.values() if name in present.values()]
    sizes = {group.name: len(group.members) for group in groups}
    labels = [
        label
        for direction in directions
        for label in _make_labels(run, direction, lines, sizes, layout, top * 1.1)
    ]
    longest = max(len(label["label"]) for label in labels)
    axis_room = layout.axis if layout.beside else AXIS_ROOM
    width = layout.width - axis_room - min(LABEL_ROOM[layout.beside], round(longest * NARROW))
    panels = [_draw_panel(name, lines, rate, limits, layout, width) for name in directions]
    remarks = [
        *caption.describe_transfers(run, [point.repetitions for point in points]),
        f"in the tables only: {left_out} more" if left_out else "",
    ]
    best = max(lines, key=lambda point: point.gb_per_s)
    return run_figure(
        "Bandwidth of transfers",
        run,
        layout,
        remarks,
        layout.stack(*panels),
        heading="Bandwidth against size",
        reading=f"Higher is better. {_explain_limits(run, bool(limits), layout)} "
        f"{_explain_groups(run, groups)}",
        summary=f"The highest line reaches {numbers.rate(best.gb_per_s)}: {best.strategy} "
        f"({best.variant}) at {best.size}.",
        strategies=strategy_colours(lines),
        alike=groups_alike(groups),
        data={
            "points": [_make_row(run, line, sizes[line.strategy] - 1) for line in lines],
            "limits": [asdict(limit) for limit in limits],
            "labels": labels,
        },
        meta=Listing("gb_per_s", descending=True, value="rate").usermeta(),
    )


def _in_short(limit: Limit) -> Limit:
    """Returns a limit with a label that is no wider than the part in which all lines are low."""
    return replace(limit, label=f"{limit.kind} {numbers.span(limit.low, limit.high)}")


def choose_groups(run: Run, layout: Layout) -> list[Group]:
    """Returns the groups to draw: first those of strategies that a reader looks at first."""
    groups = group_transfers(run)
    first = headline_strategies(run)
    with_headline = [group for group in groups if any(name in group.members for name in first)]
    others = [group for group in groups if group not in with_headline]
    chosen = with_headline if layout.brief else [*with_headline, *others]
    return chosen[:MOST_LINES]


def _from_smallest(points: list[Point]) -> list[Point]:
    """Keeps the sizes at which there is something to see; all, if there are no others."""
    return [point for point in points if point.bytes >= SMALLEST] or points


def _make_lines(points: list[Point], groups: list[Group]) -> Iterator[Point]:
    """Returns the points of each group's plainest strategy, with the extremes of the group."""
    for group in groups:
        members = [point for point in points if point.strategy in group.members]
        for point in members:
            if point.strategy == group.name:
                same = [
                    other
                    for other in members
                    if (other.direction, other.bytes) == (point.direction, point.bytes)
                ]
                yield replace(
                    point,
                    gb_per_s_low=min(other.gb_per_s_low for other in same),
                    gb_per_s_high=max(other.gb_per_s_high for other in same),
                )


def _make_row(run: Run, line: Point, others: int) -> Row:
    percent = 100 * line.gb_per_s / run.link_limit if run.link_limit else None
    return asdict(line) | {"label": label_alike(line.strategy, others), "percent": percent}


def _make_labels(
    run: Run,
    direction: str,
    lines: list[Point],
    sizes: dict[str, int],
    layout: Layout,
    top: float,
) -> list[Row]:
    """Returns the labels at the right ends of lines, moved apart."""
    last: dict[str, Point] = {}
    for line in lines:
        if line.direction == direction:
            last[line.strategy] = max(last.get(line.strategy, line), line, key=lambda p: p.bytes)
    ends = sorted(last.values(), key=lambda line: line.gb_per_s)
    places = move_apart([end.gb_per_s for end in ends], LABEL_DISTANCE * top / layout.low_panel)
    return [
        {
            "strategy": end.strategy,
            "memory": end.memory,
            "colour": style.text_colour(style.memory_colour(end.memory)),
            "direction": direction,
            "place": place,
            "label": _label(run, end, sizes[end.strategy] - 1, layout),
        }
        for end, place in zip(ends, places, strict=True)
    ]


def move_apart(values: list[float], distance: float) -> list[float]:
    """Returns places for ascending values that are at least so far apart, as near as may be.

    Values that would overlap share a block around their middle, as the blocks of a regression.
    """
    blocks: list[list[float]] = []
    for value in values:
        blocks.append([value])
        while len(blocks) > 1 and _end(blocks[-2], distance) > _start(blocks[-1], distance):
            blocks[-2:] = [[*blocks[-2], *blocks[-1]]]
    return [
        _start(block, distance) + distance * (i + 0.5)
        for block in blocks
        for i in range(len(block))
    ]


def _start(block: list[float], distance: float) -> float:
    return max(0.0, sum(block) / len(block) - distance * len(block) / 2)


def _end(block: list[float], distance: float) -> float:
    return _start(block, distance) + distance * len(block)


def _label(run: Run, end: Point, others: int, layout: Layout) -> str:
    """Names a line, how many others are alike, its rate, and its part of the link's raw rate."""
    share = f" ({100 * end.gb_per_s / run.link_limit:.0f} %)" if run.link_limit else ""
    rate = numbers.gb(end.gb_per_s)
    if layout.beside:
        return f"{label_alike(end.strategy, others)}  {rate}{share}"
    room = LABEL_ROOM[False] - NARROW * len(label_alike(f" {rate}", others))
    return f"{label_alike(shorten(end.strategy, room, NARROW), others)} {rate}"


def _draw_panel(
    direction: str, lines: list[Point], rate: Value, limits: list[Limit], layout: Layout, width: int
) -> LayerChart:
    shown = [line for line in lines if line.direction == direction]
    variants = dict.fromkeys(line.variant for line in shown)
    sizes = [line.bytes for line in lines]
    memories = sorted({line.memory for line in lines}, key=style.memory_order)
    families = list(dict.fromkeys(line.family for line in lines))
    base = draw.shown_rows("points", direction=direction).encode(
        x=sizes_axis(min(sizes), max(sizes), width=width),
        detail=[alt.Detail("strategy:N"), alt.Detail("variant:N")],
        color=draw.memory_colours(memories),
    )
    y = rate.y("gb_per_s")
    one_size = len(set(sizes)) == 1
    band = base.mark_rule(opacity=0.5) if one_size else base.mark_area(fillOpacity=0.15)
    dashes = draw.scale_by_name("family", families, style.family_dash, alt.StrokeDash)
    shapes = draw.scale_by_name("memory", memories, style.memory_shape, alt.Shape)
    marks = draw.dots(base, 24).encode(y=y, shape=shapes, tooltip=draw.rate_tooltip())
    layers = [
        *(layer for limit in limits for layer in draw_limit(limit, rate)),
        band.encode(y=rate.y("gb_per_s_low"), y2="gb_per_s_high:Q"),
        base.mark_line(strokeWidth=2).encode(y=y, strokeDash=dashes),
        draw.zoomed(marks, direction[0]),
        draw.end_labels(rate.y("place"), width, direction=direction),
    ]
    title = draw.panel_title(f"{direction} ({', '.join(variants)})", "start")
    return draw.panel(layers, width, layout.low_panel, title)


def _explain_groups(run: Run, groups: list[Group]) -> str:
    """Explains bands, and which strategies are alike."""
    texts = ["The band reaches from the fastest to the slowest repetition of all that are alike."]
    if any(group.others for group in groups):
        what = run.judged.alike["transfers", None].text
        texts.append(f"{what}; the line is the plainest one's.")
    return " ".join(texts)


def _explain_limits(run: Run, has_limits: bool, layout: Layout) -> str:
    if run.on_host:
        return "Rates beyond what memory delivers are copies within caches."
    if has_limits:
        shares = " In brackets: percent of the raw rate." if layout.beside else ""
        return f"Dashed: the link's raw rate. Grey: what packet headers leave.{shares}"
    return "What the link can carry is not known."
