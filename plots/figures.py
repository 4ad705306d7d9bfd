"""The figures: each takes a result and gives one chart."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import altair as alt

from plots import caption, style
from plots.load import Result
from plots.points import DIRECTIONS, Point, is_positive, transfer_points


@dataclass(frozen=True)
class Axis:
    """A vertical axis: the field of Point that it shows, its title, its scale, its ticks."""

    field: str
    title: str
    scale: alt.Scale
    ticks: alt.Axis

    def encoding(self, field: str) -> alt.Y:
        """A field, which may be of other data, on this axis."""
        return alt.Y(f"{field}:Q", scale=self.scale, axis=self.ticks, title=self.title)


@dataclass(frozen=True)
class Limit:
    """A limit of the link in GB/s, or a range of it, and its label."""

    kind: str  # a key of style.LIMIT
    low: float
    high: float
    label: str


def bandwidth(result: Result) -> alt.VConcatChart:
    """Bandwidth against size, one panel per direction, with the limits of the link."""
    points = transfer_points(result)
    limits = _link_limits(result.transfers.get("link"))
    top = max([point.gb_per_s_high for point in points] + [limit.high for limit in limits])
    axis = Axis(
        field="gb_per_s",
        title="bandwidth (GB/s, 1 GB = 10⁹ B)",
        scale=alt.Scale(domain=[0, top * 1.1], nice=False),
        ticks=alt.Axis(),
    )
    return _figure("Bandwidth of transfers", result, points, axis, limits)


def latency(result: Result) -> alt.VConcatChart:
    """Time of one operation against size, one panel per direction."""
    points = transfer_points(result)
    domain, ticks = style.decades(
        min(point.time_us_low for point in points), max(point.time_us_high for point in points)
    )
    axis = Axis(
        field="time_us",
        title="time of one operation (µs)",
        scale=alt.Scale(type="log", domain=domain, nice=False),
        ticks=alt.Axis(values=ticks, format=",~f"),
    )
    return _figure("Time of transfers", result, points, axis, [])


FIGURES: dict[str, Callable[[Result], alt.VConcatChart]] = {
    "bandwidth": bandwidth,
    "latency": latency,
}


def _figure(
    what: str, result: Result, points: list[Point], axis: Axis, limits: list[Limit]
) -> alt.VConcatChart:
    present = {point.direction for point in points}
    directions = [name for name in dict.fromkeys(DIRECTIONS.values()) if name in present]
    panels = [_panel(name, points, axis, limits) for name in directions]
    title = alt.TitleParams(
        text=caption.title(what, result), subtitle=caption.subtitle(result, points)
    )
    chart = alt.vconcat(
        alt.hconcat(*panels, spacing=24), _key(points), title=title, config=style.config()
    )
    chart.datasets = {
        "points": [asdict(point) for point in points],
        "limits": [asdict(limit) for limit in limits],
        "key": _key_rows(points),
    }
    return chart


def _panel(direction: str, points: list[Point], axis: Axis, limits: list[Limit]) -> alt.LayerChart:
    variants = dict.fromkeys(p.variant for p in points if p.direction == direction)
    title = alt.TitleParams(
        f"{direction} ({', '.join(variants)})", fontSize=12, offset=6, anchor="middle"
    )
    base = (
        alt.Chart(alt.NamedData("points"))
        .transform_filter(alt.datum.direction == direction)
        .encode(x=_sizes(points), detail=["strategy:N", "variant:N"], color=_colour(points))
    )
    layers = [layer for limit in limits for layer in _limit_layers(limit, axis)]
    layers += [
        _spread(base, points, axis),
        _lines(base, points).encode(y=axis.encoding(axis.field)),
        _marks(base, points).encode(y=axis.encoding(axis.field)),
    ]
    return alt.LayerChart(
        layer=layers, title=title, width=style.PANEL_WIDTH, height=style.PANEL_HEIGHT
    )


def _sizes(points: list[Point]) -> alt.X:
    low = min(point.bytes for point in points) / 1.5
    high = max(point.bytes for point in points) * 1.5
    return alt.X(
        "bytes:Q",
        scale=alt.Scale(type="log", base=2, domain=[low, high], nice=False),
        axis=alt.Axis(values=style.size_ticks(low, high), labelExpr=style.SIZE_LABEL),
        title="size of one transfer",
    )


def _spread(base: alt.Chart, points: list[Point], axis: Axis) -> alt.Chart:
    """The band between the extreme repetitions; bars if there is one size only."""
    one_size = len({point.bytes for point in points}) == 1
    band = base.mark_rule(opacity=0.5) if one_size else base.mark_area(opacity=0.15)
    return band.encode(y=axis.encoding(f"{axis.field}_low"), y2=f"{axis.field}_high:Q")


def _lines(base: alt.Chart, points: list[Point]) -> alt.Chart:
    return base.mark_line(opacity=1).encode(
        strokeWidth=_by_name("memory", _memories(points), style.memory_width, alt.StrokeWidth),
        strokeDash=_by_name("family", _families(points), style.family_dash, alt.StrokeDash),
    )


def _marks(base: alt.Chart, points: list[Point]) -> alt.Chart:
    return base.mark_point(filled=True, size=20, opacity=1).encode(
        shape=_by_name("family", _families(points), style.family_shape, alt.Shape)
    )


def _colour(points: list[Point]) -> Any:
    return _by_name("memory", _memories(points), style.memory_colour, alt.Color)


def _memories(points: list[Point]) -> list[str]:
    return sorted({point.memory for point in points}, key=style.memory_order)


def _families(points: list[Point]) -> list[str]:
    return sorted({point.family for point in points}, key=style.family_order)


def _by_name(
    field: str, names: list[str], value: Callable[[str], Any], channel: Callable[..., Any]
) -> Any:
    """A channel that shows each name by its own value; the key takes the place of a legend."""
    scale = alt.Scale(type="ordinal", domain=names, range=[value(name) for name in names])
    return channel(f"{field}:N", scale=scale, legend=None)


def _key_rows(points: list[Point]) -> list[dict[str, Any]]:
    """Three places along each sample line of the key: its ends, and its middle for the mark."""
    families = _families(points)
    strategies = dict.fromkeys((p.strategy, p.family, p.memory) for p in points)
    return [
        {"strategy": strategy, "family": family, "memory": memory, "column": column}
        for strategy, family, memory in strategies
        for middle in [families.index(family)]
        for column in (middle - 0.35, middle, middle + 0.35)
    ]


def _key(points: list[Point]) -> alt.HConcatChart:
    """The key: a sample of each strategy's line, by memory (rows) and family (columns)."""
    memories = _memories(points)
    half = math.ceil(len(memories) / 2)
    blocks = [memories] if len(memories) <= 3 else [memories[:half], memories[half:]]
    return alt.hconcat(*(_key_block(points, block) for block in blocks), spacing=30)


def _key_block(points: list[Point], memories: list[str]) -> alt.LayerChart:
    families = _families(points)
    columns = alt.X(
        "column:Q",
        scale=alt.Scale(domain=[-0.5, len(families) - 0.5], nice=False),
        axis=style.key_axis(
            orient="top",
            values=list(range(len(families))),
            labelExpr=f"{json.dumps(families)}[datum.value]",
        ),
        title=None,
    )
    rows = alt.Y("memory:N", scale=alt.Scale(domain=memories), axis=style.key_axis(), title=None)
    base = (
        alt.Chart(alt.NamedData("key"))
        .transform_filter(alt.FieldOneOfPredicate(field="memory", oneOf=memories))
        .encode(x=columns, y=rows, detail="strategy:N", color=_colour(points))
    )
    middles = base.transform_filter("datum.column == round(datum.column)")
    return alt.LayerChart(
        layer=[_lines(base, points), _marks(middles, points)],
        width=style.KEY_COLUMN_WIDTH * len(families),
        height=style.KEY_ROW_HEIGHT * len(memories),
        view=alt.ViewBackground(stroke=None),
    )


def _link_limits(link: Any) -> list[Limit]:
    """The known limits of the link: the raw one, and the one that counts packet headers."""
    if not isinstance(link, dict):
        return []
    limits = []
    raw = link.get("limit_gb_per_s")
    if is_positive(raw):
        limits.append(Limit("raw", raw, raw, f"{caption.link_name(link)}: {raw:.1f} GB/s"))
    packet = link.get("packet_limit_gb_per_s")
    if isinstance(packet, list) and packet and all(map(is_positive, packet)):
        low, high = min(packet), max(packet)
        numbers = "–".join(dict.fromkeys([f"{low:.1f}", f"{high:.1f}"]))
        limits.append(Limit("packet", low, high, f"with packet headers: {numbers} GB/s"))
    return limits


def _limit_layers(limit: Limit, axis: Axis) -> list[alt.Chart]:
    """Rules at both ends of the limit, a band between them, and a label beside them."""
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
        base.mark_rect(color=look.colour, opacity=0.25).encode(y=low, y2="high:Q"),
        rule.encode(y=low),
        rule.encode(y=high),
        text.encode(x=alt.value(6), y=high if look.label_above else low, text="label:N"),
    ]
