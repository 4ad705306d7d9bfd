"""Holds what figures share: their parts, and the charts against the size of a transfer."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Literal

import altair as alt

from plots.figures import style
from plots.figures.compose import LayerChart, TopChart, at_pixel
from plots.figures.layout import LETTER, Layout
from plots.figures.points import Point
from plots.model.derive import DIRECTIONS, Run
from plots.model.headline import headline_strategies
from plots.text import caption

MOST_MEMORIES = 24  # kinds of memory in one figure; more cannot be told apart
DIRECTION_TITLES = {"h2d": "host → device (h2d)", "d2h": "device → host (d2h)"}
ZOOM = "wheel![event.ctrlKey || event.altKey]"  # the wheel alone scrolls the page
HIDDEN = "hidden"  # the parameter with the strategies that a reader has switched off
LABEL_HEIGHT = 20  # pixels above a limit, for its label
SHOWN_FILTER = f"indexof({HIDDEN}, datum.strategy) < 0"


@dataclass(frozen=True)
class Figure:
    """Holds a figure: its texts and its chart.

    A reader can switch off each of `strategies` (name, colour).
    """

    heading: str
    reading: str  # how to read it
    summary: str  # what it shows, for readers who cannot see it
    chart: TopChart
    strategies: list[tuple[str, str]]

    @property
    def description(self) -> str:
        """Returns the text for screen readers."""
        return f"{self.heading}. {self.summary}"


@dataclass(frozen=True)
class Axis:
    """Describes a vertical axis: the field of Point that it shows, and its title, scale and ticks.

    `other` is the scale and the ticks that a reader can switch to, linear or logarithmic.
    """

    field: str
    title: str
    scale: alt.Scale
    ticks: alt.Axis
    other: tuple[alt.Scale, alt.Axis]

    def encoding(self, field: str) -> alt.Y:
        """Puts a field on this axis; the field may belong to other data."""
        return alt.Y(f"{field}:Q", scale=self.scale, axis=self.ticks, title=self.title)

    def other_form(self) -> dict[str, Any]:
        """Returns the other scale for the page, which finds axes by their titles."""
        scale, ticks = self.other
        return {"title": self.title, "scale": scale.to_dict(), "axis": ticks.to_dict()}


@dataclass(frozen=True)
class Limit:
    """Describes a limit of the link in GB/s, or a range of limits, and its label."""

    kind: str  # a key of style.LIMIT
    low: float
    high: float
    label: str


def linear(top: float) -> tuple[alt.Scale, alt.Axis]:
    """Returns a linear scale from zero, with some room above."""
    return alt.Scale(type="linear", domain=[0, top * 1.1], nice=False), alt.Axis()


def logarithmic(low: float, high: float, above: float = 0) -> tuple[alt.Scale, alt.Axis]:
    """Returns a logarithmic scale around a range, with so large a part of the axis above it free.

    A label above the highest line needs room there.
    """
    domain, ticks = style.decades(low, high)
    free = high * (high / domain[0]) ** (above / (1 - above))
    domain = [domain[0], max(domain[1], free)]
    return (
        alt.Scale(type="log", domain=domain, nice=False),
        alt.Axis(values=ticks, format=",~f"),
    )


def compose_run_chart(
    subject: str, run: Run, layout: Layout, paragraphs: list[str], *rows: Any
) -> TopChart:
    """Stacks rows into a chart, titled with subject and device, then machine and date."""
    lines = [caption.describe_origin(run), *paragraphs]
    return compose_chart(caption.title(subject, run), layout, lines, *rows)


def compose_chart(text: str, layout: Layout, paragraphs: list[str], *rows: Any) -> TopChart:
    """Stacks rows into a chart with a title."""
    title = alt.TitleParams(text=layout.title(text), subtitle=layout.subtitle(paragraphs))
    return TopChart(vconcat=list(rows), title=title, config=style.config(layout.padding))


def draw_against_size(
    run: Run,
    points: list[Point],
    axis: Axis,
    limits: list[Limit],
    layout: Layout,
    extra_layers: Callable[[str], list[alt.Chart]] = lambda direction: [],
) -> tuple[list[Any], dict[str, list[dict[str, Any]]]]:
    """Draws all strategies against size, one panel per direction, and a key; returns their data."""
    present = {point.direction for point in points}
    directions = [name for name in DIRECTIONS.values() if name in present]
    panels = [
        _draw_panel(name, points, axis, limits, layout, extra_layers(name)) for name in directions
    ]
    data = {
        "points": [asdict(point) for point in points],
        "limits": [asdict(limit) for limit in limits],
        "key": _make_key_rows(points),
    }
    return [layout.row(*panels, spacing=24), _draw_key(points, layout)], data


def headlines(run: Run, layout: Layout) -> list[str] | None:
    """Returns the strategies that a brief layout shows; None: all."""
    return headline_strategies(run) if layout.brief else None


def select_drawable(points: list[Point], strategies: list[str] | None) -> tuple[list[Point], str]:
    """Keeps these strategies, or else as many kinds of memory as readers can tell apart.

    Returns a remark on the rest.
    """
    memories = _memories(points)
    if strategies is None and len(memories) <= MOST_MEMORIES:
        return points, ""
    kept = set(memories[:MOST_MEMORIES])
    shown = [
        point
        for point in points
        if (point.memory in kept if strategies is None else point.strategy in strategies)
    ]
    left_out = {p.strategy for p in points} - {p.strategy for p in shown}
    remark = f"{len(left_out)} more strategies are in the tables only" if left_out else ""
    return shown, remark


def strategy_colours(points: list[Point]) -> list[tuple[str, str]]:
    """Returns each strategy with its colour."""
    return list({p.strategy: (p.strategy, style.memory_colour(p.memory)) for p in points}.values())


def tooltip(**fields: str) -> list[alt.Tooltip]:
    """Makes the tooltip of a mark from title=field; fields hold finished texts."""
    return [
        alt.Tooltip(f"{field}:N", title=title.replace("_", " ")) for title, field in fields.items()
    ]


def rate_tooltip() -> list[alt.Tooltip]:
    """Makes the tooltip of a strategy's rate at a size."""
    return tooltip(
        strategy="strategy",
        direction="variant",
        size="size",
        bandwidth="rate",
        time="time",
        fastest_to_slowest="spread",
    )


def sizes_axis(
    low: float, high: float, title: str = "size of one transfer", most_ticks: int = 8
) -> alt.X:
    """Returns the horizontal axis of sizes."""
    low, high = low / 1.5, high * 1.5
    return alt.X(
        "bytes:Q",
        scale=alt.Scale(type="log", base=2, domain=[low, high], nice=False),
        axis=alt.Axis(values=style.size_ticks(low, high, most_ticks), labelExpr=style.SIZE_LABEL),
        title=title,
    )


def shown_rows(data: str, **fields: Any) -> alt.Chart:
    """Begins a chart of the rows with these fields, without strategies that are switched off."""
    chart = alt.Chart(alt.NamedData(data))
    for name, value in fields.items():
        chart = chart.transform_filter(getattr(alt.datum, name) == value)
    return chart.transform_filter(SHOWN_FILTER)


def panel_title(
    text: str, anchor: Literal["start", "middle"] = "middle", offset: int = 6
) -> alt.TitleParams:
    """Returns the title above a panel."""
    return alt.TitleParams(text, fontSize=12, offset=offset, anchor=anchor)


def scale_by_name(
    field: str,
    names: list[str],
    value: Callable[[str], Any],
    channel: Callable[..., Any],
    legend: alt.Legend | None = None,
) -> Any:
    """Maps names to values on a channel, usually without a legend, because there is a key."""
    scale = alt.Scale(type="ordinal", domain=names, range=[value(name) for name in names])
    # Widths have an order, which a nominal field lacks.
    kind = "O" if channel is alt.StrokeWidth else "N"
    return channel(f"{field}:{kind}", scale=scale, legend=legend)


def memory_colours(memories: list[str]) -> Any:
    """Returns the colours of kinds of memory in a field `memory`."""
    return scale_by_name("memory", memories, style.memory_colour, alt.Color)


def _draw_panel(
    direction: str,
    points: list[Point],
    axis: Axis,
    limits: list[Limit],
    layout: Layout,
    extra_layers: list[alt.Chart],
) -> LayerChart:
    variants = dict.fromkeys(p.variant for p in points if p.direction == direction)
    title = panel_title(f"{direction} ({', '.join(variants)})")
    sizes = [point.bytes for point in points]
    base = shown_rows("points", direction=direction).encode(
        x=sizes_axis(min(sizes), max(sizes)),
        detail=[alt.Detail("strategy:N"), alt.Detail("variant:N")],
        color=memory_colours(_memories(points)),
    )
    zoom = alt.selection_interval(bind="scales", zoom=ZOOM, name=f"zoom_{direction[0]}")
    layers = [layer for limit in limits for layer in draw_limit(limit, axis)]
    layers += [
        _draw_spread(base, points, axis),
        _draw_lines(base, points).encode(y=axis.encoding(axis.field)),
        *extra_layers,
        _draw_marks(base, points)
        .encode(
            y=axis.encoding(axis.field),
            tooltip=rate_tooltip(),
        )
        .add_params(zoom),
    ]
    return LayerChart(layer=layers, title=title, width=layout.panel, height=layout.panel_height)


def _draw_spread(base: alt.Chart, points: list[Point], axis: Axis) -> Any:
    """Draws the band between the extreme repetitions, or bars if there is only one size."""
    one_size = len({point.bytes for point in points}) == 1
    band = base.mark_rule(opacity=0.5) if one_size else base.mark_area(opacity=1, fillOpacity=0.15)
    return band.encode(y=axis.encoding(f"{axis.field}_low"), y2=alt.Y2(f"{axis.field}_high:Q"))


def _draw_lines(base: alt.Chart, points: list[Point]) -> Any:
    return base.mark_line(opacity=1).encode(
        strokeWidth=scale_by_name("memory", _memories(points), style.memory_width, alt.StrokeWidth),
        strokeDash=scale_by_name("family", _families(points), style.family_dash, alt.StrokeDash),
    )


def _draw_marks(base: alt.Chart, points: list[Point]) -> Any:
    return base.mark_point(filled=True, size=24, opacity=1).encode(
        shape=scale_by_name("memory", _memories(points), style.memory_shape, alt.Shape)
    )


def _memories(points: list[Point]) -> list[str]:
    return sorted({point.memory for point in points}, key=style.memory_order)


def _families(points: list[Point]) -> list[str]:
    return list(dict.fromkeys(point.family for point in points))


def _make_key_rows(points: list[Point]) -> list[dict[str, Any]]:
    """Returns three places along each sample line: its ends, and its middle for the mark."""
    families = _families(points)
    strategies = dict.fromkeys((p.strategy, p.family, p.memory) for p in points)
    return [
        {"strategy": strategy, "family": family, "memory": memory, "column": column}
        for strategy, family, memory in strategies
        for middle in [families.index(family)]
        for column in (middle - 0.35, middle, middle + 0.35)
    ]


def _draw_key(points: list[Point], layout: Layout) -> Any:
    """Draws a sample of each strategy's line, by memory (rows) and family (columns)."""
    memories = _memories(points)
    half = math.ceil(len(memories) / 2)
    is_single = len(memories) <= 3 or not layout.beside
    blocks = [memories] if is_single else [memories[:half], memories[half:]]
    return layout.row(*(_draw_key_block(points, block, layout) for block in blocks), spacing=30)


def _draw_key_block(points: list[Point], memories: list[str], layout: Layout) -> LayerChart:
    """Draws names on the left, below the axis of the panels, then a column per family."""
    families = _families(points)
    names = round(LETTER * max(map(len, memories))) + 8
    reach = layout.key_range(names + style.KEY_COLUMN_WIDTH * len(families))
    columns = alt.X(
        "column:Q",
        scale=alt.Scale(
            domain=[-0.5, len(families) - 0.5], range=[reach[0] + names, reach[1]], nice=False
        ),
        axis=style.key_axis(
            orient="top",
            values=list(range(len(families))),
            labelExpr=f"{json.dumps(families)}[datum.value]",
            labelAngle=0 if layout.beside or len(families) <= 3 else -30,
        ),
        title=None,
    )
    rows = alt.Y("memory:N", scale=alt.Scale(domain=memories), axis=None, title=None)
    base = (
        alt.Chart(alt.NamedData("key"))
        .transform_filter(alt.FieldOneOfPredicate(field="memory", oneOf=memories))
        .transform_filter(SHOWN_FILTER)
        .encode(
            x=columns,
            y=rows,
            detail=alt.Detail("strategy:N"),
            color=memory_colours(_memories(points)),
        )
    )
    middles = base.transform_filter("datum.column == round(datum.column)")
    text = (
        alt.Chart(alt.NamedData("key"))
        .transform_filter(alt.FieldOneOfPredicate(field="memory", oneOf=memories))
        .transform_aggregate(groupby=["memory"])
        .mark_text(align="left", fontSize=11)
        .encode(x=at_pixel(reach[0]), y=rows, text=alt.Text("memory:N"))
    )
    return LayerChart(
        layer=[_draw_lines(base, points), _draw_marks(middles, points), text],
        width=reach[1],
        height=style.KEY_ROW_HEIGHT * len(memories),
        view=alt.ViewBackground(stroke=None),
    )


def link_limits(run: Run) -> list[Limit]:
    """Returns the known limits of the link: the raw one, and the one without packet headers."""
    limits = []
    raw, packet = run.link_limit, run.packet_limit
    if raw:
        name = caption.link_name(run.result.transfers["link"])
        limits.append(Limit("raw", raw, raw, f"{name}: {raw:.1f} GB/s"))
    if packet:
        low, high = packet
        numbers = "–".join(dict.fromkeys([f"{low:.1f}", f"{high:.1f}"]))
        limits.append(Limit("packet", low, high, f"after headers: {numbers} GB/s"))
    return limits


def draw_limit(limit: Limit, axis: Axis) -> list[alt.Chart]:
    """Draws rules at both ends of the limit, a band between them, and a label."""
    look = style.LIMIT[limit.kind]
    base = alt.Chart(alt.NamedData("limits")).transform_filter(alt.datum.kind == limit.kind)
    low, high = axis.encoding("low"), axis.encoding("high")
    rule = base.mark_rule(color=look.colour, strokeDash=look.dash)
    text = base.mark_text(
        color=look.colour,
        align="left",
        baseline="bottom" if look.label_above else "top",
        dy=-3 if look.label_above else 4,
        fontSize=11,
    )
    return [
        base.mark_rect(color=look.colour, opacity=0.25).encode(y=low, y2=alt.Y2("high:Q")),
        rule.encode(y=low),
        rule.encode(y=high),
        text.encode(x=at_pixel(6), y=high if look.label_above else low, text=alt.Text("label:N")),
    ]
