"""Draws what charts are made of: rows of data, points, texts, panels and their titles."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal

import altair as alt

from plots.figures import style
from plots.figures.compose import LayerChart, at_pixel

ZOOM = "wheel![event.ctrlKey || event.altKey]"  # the wheel alone scrolls the page
HIDDEN = "hidden"  # the parameter with the strategies that a reader has switched off
SHOWN_FILTER = f"indexof({HIDDEN}, datum.strategy) < 0"
# Texts on a colour must be readable, also on a dark page, where cells stay as they are.
READABLE = alt.condition(
    "luminance(datum.colour) < 0.18", alt.value("#fefefe"), alt.value("#010101")
)


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


def shown_rows(data: str, **fields: Any) -> alt.Chart:
    """Begins a chart of the rows with these fields, without strategies that are switched off."""
    chart = alt.Chart(alt.NamedData(data))
    for name, value in fields.items():
        chart = chart.transform_filter(f"datum.{name} === {literal(value)}")
    return chart.transform_filter(SHOWN_FILTER)


def dots(chart: alt.Chart, size: float, **more: Any) -> Any:
    """Draws filled points."""
    look: Any = {"size": size, "opacity": 1} | more
    return chart.mark_point(filled=True, **look)


def texts(chart: alt.Chart, field: str = "text", align: str = "left", **more: Any) -> Any:
    """Draws the texts of a field."""
    look: Any = {"align": align, "fontSize": 11} | more
    mark = chart.mark_text(**look)
    return mark.encode(text=alt.Text(f"{field}:N"))


def panel(
    layers: list[Any], width: float, height: float, title: Any = alt.Undefined, framed: bool = True
) -> LayerChart:
    """Returns a panel of these layers."""
    view = alt.Undefined if framed else alt.ViewBackground(stroke=None)
    return LayerChart(layer=layers, title=title, width=width, height=height, view=view)


def zoomed(marks: Any, name: str) -> Any:
    """Lets a reader of the page zoom into the panel of these marks."""
    zoom = alt.selection_interval(bind="scales", zoom=ZOOM, name=f"zoom_{name}")
    return marks.add_params(zoom)


def end_labels(y: alt.Y, width: int, **where: Any) -> Any:
    """Draws the labels at the right ends of lines: the data `labels`."""
    ends = shown_rows("labels", **where).encode(x=at_pixel(width), y=y, color=colour_by_field())
    return texts(ends, "label", dx=8, clip=False)


def literal(value: Any) -> str:
    """Writes a value for Vega's expressions; lists and objects may hold texts.

    Vega takes a text for what it depends on if objects of JavaScript have a member of that name,
    such as `constructor`, and then draws nothing. No such name ends in a dot.
    """
    if isinstance(value, str):
        return f"slice({json.dumps(value + '.', ensure_ascii=False)}, 0, -1)"
    if isinstance(value, dict):
        members = (f"{json.dumps(key)}: {literal(each)}" for key, each in value.items())
        return f"{{{', '.join(members)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    return json.dumps(value)


def panel_title(
    text: str, anchor: Literal["start", "middle"] = "middle", offset: int = 6
) -> alt.TitleParams:
    """Returns the title above a panel."""
    return alt.TitleParams(text, fontSize=12, offset=offset, anchor=anchor)


def name_title(name: str) -> alt.TitleParams:
    """Returns the title of a panel that is a name in the file."""
    title = panel_title(name, anchor="start")
    title.text = alt.ExprRef(literal(name))
    return title


def scale_by_name(
    field: str,
    names: list[str],
    value: Callable[[str], Any],
    channel: Callable[..., Any],
    legend: alt.Legend | None = None,
) -> Any:
    """Maps names to values on a channel, usually without a legend, because there is a key."""
    scale = alt.Scale(type="ordinal", domain=names, range=[value(name) for name in names])
    return channel(f"{field}:N", scale=scale, legend=legend)


def colour_by_field(field: str = "colour") -> Any:
    """Returns the encoding that takes each mark's colour from a field."""
    return alt.Color(f"{field}:N", scale=None, legend=None)


def memory_colours(memories: list[str]) -> Any:
    """Returns the colours of kinds of memory in a field `memory`."""
    return scale_by_name("memory", memories, style.memory_colour, alt.Color)
