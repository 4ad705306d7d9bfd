"""Holds what figures share: their parts, and the charts against the size of a transfer."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from typing import Any

import altair as alt

from plots.figures import draw, log_ticks, style
from plots.figures.compose import TopChart, at_pixel
from plots.figures.layout import Layout
from plots.figures.points import Point
from plots.model.derive import Run
from plots.model.groups import Group
from plots.text import caption, numbers

DIRECTION_TITLES = {"h2d": "host → device (h2d)", "d2h": "device → host (d2h)"}
CAPTION = "caption"  # the title and the paragraphs below it, not wrapped, in a figure's usermeta


@dataclass(frozen=True)
class Alike:
    """Says for what else a mark stands: its label, and the others that are alike.

    `panel` is the title of the panel where that holds; empty if it holds in all.
    """

    label: str
    others: list[str]
    panel: str = ""


@dataclass(frozen=True)
class Figure:
    """Holds a figure: its texts and its chart.

    A reader can switch off each of `strategies` (name, colour).
    """

    heading: str
    reading: str  # how to read it
    summary: str  # what it shows, for readers who cannot see it
    chart: TopChart
    strategies: list[tuple[str, str]] = field(default_factory=list)
    alike: list[Alike] = field(default_factory=list)
    hint: str = ""  # what a reader of the page can do

    @property
    def explanation(self) -> str:
        """Returns how to read it on the page, where marks name those alike, too."""
        in_all = [alike for alike in self.alike if not alike.panel]
        return " ".join(filter(None, (self.reading, explain_alike(in_all), self.hint)))

    @property
    def description(self) -> str:
        """Returns the text for screen readers."""
        return f"{self.heading}. {self.summary}"


def label_alike(name: str, others: int) -> str:
    """Returns the label of a mark that stands for others, too."""
    return f"{name} +{others}" if others else name


def explain_alike(groups: list[Alike]) -> str:
    """Names those for which marks stand; empty if there are none."""
    texts = [f"{group.label} stands also for {caption.listed(group.others)}" for group in groups]
    return f"{'; '.join(texts)}." if texts else ""


def groups_alike(groups: Iterable[Group]) -> list[Alike]:
    """Returns for what else the labels of groups stand."""
    return [
        Alike(label_alike(group.name, len(group.others)), group.others)
        for group in groups
        if group.others
    ]


@dataclass(frozen=True)
class Value:
    """Describes the axis of a value: its title, scale and ticks."""

    title: str | None
    scale: alt.Scale
    ticks: Any = alt.Undefined

    def x(self, field: str) -> alt.X:
        """Puts a field across."""
        return alt.X(f"{field}:Q", scale=self.scale, axis=self.ticks, title=self.title)

    def y(self, field: str) -> alt.Y:
        """Puts a field upwards; it may belong to other data."""
        return alt.Y(f"{field}:Q", scale=self.scale, axis=self.ticks, title=self.title)

    def form(self) -> dict[str, Any]:
        """Returns the axis for the page, which finds those to change by their titles."""
        parts = {"scale": self.scale.to_dict(), "axis": self.ticks.to_dict()}
        return {"title": self.title, **parts}


@dataclass(frozen=True)
class Listing:
    """Describes what the page lists where a reader points: all points of a size, the best first.

    Rows have the name of their line in `label`, and in `percent` their part of the link if it is
    known. Points are listed with those of the same `place`.
    """

    order: str  # the field that tells which is best
    descending: bool
    value: str  # the field with its text
    place: str = "direction"

    def usermeta(self) -> dict[str, Any]:
        """Returns it as the page finds it; files of figures do not depend on it."""
        return {"listing": asdict(self)}


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
    domain, ticks = log_ticks.decades(low, high)
    free = high * (high / domain[0]) ** (above / (1 - above))
    domain = [domain[0], max(domain[1], free)]
    return (
        alt.Scale(type="log", domain=domain, nice=False),
        alt.Axis(values=ticks, format=",~f"),
    )


def run_figure(
    subject: str, run: Run, layout: Layout, paragraphs: list[str], *rows: Any, **more: Any
) -> Figure:
    """Makes a figure of a run, titled with subject and device, then machine and date."""
    lines = [caption.describe_origin(run), *paragraphs]
    return make_figure(caption.title(subject, run), layout, lines, *rows, **more)


def make_figure(
    text: str,
    layout: Layout,
    paragraphs: list[str],
    *rows: Any,
    data: dict[str, list[dict[str, Any]]],
    meta: dict[str, Any] | None = None,
    **texts: Any,
) -> Figure:
    """Stacks rows into a chart with a title and its data; `meta` is for the page."""
    chart = TopChart(
        vconcat=list(rows),
        title=alt.TitleParams(text=layout.title(text), subtitle=layout.subtitle(paragraphs)),
        config=style.config(layout.padding),
        usermeta={CAPTION: [text, *filter(None, paragraphs)]} | (meta or {}),
        datasets=data,
    )
    return Figure(chart=chart, **texts)


def strategy_colours(points: list[Point]) -> list[tuple[str, str]]:
    """Returns each strategy with its colour."""
    return list({p.strategy: (p.strategy, style.memory_colour(p.memory)) for p in points}.values())


def sizes_axis(
    low: float, high: float, title: str = "size of one transfer", width: float = math.inf
) -> alt.X:
    """Returns the horizontal axis of sizes, with ticks that have room in so many pixels."""
    low, high = low / 1.5, high * 1.5
    return alt.X(
        "bytes:Q",
        scale=alt.Scale(type="log", base=2, domain=[low, high], nice=False),
        axis=alt.Axis(
            values=log_ticks.size_ticks(low, high, width), labelExpr=log_ticks.SIZE_LABEL
        ),
        title=title,
    )


def from_zero(top: float) -> alt.Scale:
    """Returns a linear scale that begins at zero."""
    return alt.Scale(domain=[0, top], nice=False)


def link_limits(run: Run) -> list[Limit]:
    """Returns the known limits of the link: the raw one, and the one without packet headers."""
    limits = []
    raw, packet = run.link_limit, run.packet_limit
    if raw:
        name = caption.link_name(run.result.transfers["link"])
        limits.append(Limit("raw", raw, raw, f"{name}: {raw:.1f} GB/s"))
    if packet:
        limits.append(Limit("packet", *packet, f"after headers: {numbers.span(*packet)} GB/s"))
    return limits


def draw_limit(limit: Limit, rate: Value) -> list[alt.Chart]:
    """Draws rules at both ends of the limit, a band between them, and a label."""
    look = style.LIMIT[limit.kind]
    base = alt.Chart(alt.NamedData("limits")).transform_filter(alt.datum.kind == limit.kind)
    low, high = rate.y("low"), rate.y("high")
    rule = base.mark_rule(color=look.colour, strokeDash=look.dash)
    above = look.label_above
    place: dict[str, Any] = (
        {"baseline": "bottom", "dy": -3} if above else {"baseline": "top", "dy": 4}
    )
    text = draw.texts(base, "label", color=look.colour, **place)
    return [
        base.mark_rect(color=look.colour, opacity=0.25).encode(y=low, y2=alt.Y2("high:Q")),
        rule.encode(y=low),
        rule.encode(y=high),
        text.encode(x=at_pixel(6), y=high if above else low),
    ]
