"""Horizontal bars and dots with texts: what several figures are made of."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots import style
from plots.figures.common import SHOWN, tooltip

ROW_HEIGHT = 19
# Rows must differ by name; what stands before the last bar only makes them different.
LAST_PART = "split(datum.value, '|')[length(split(datum.value, '|')) - 1]"


def rows_axis(
    names: list[str], field: str = "row", labels: bool = True, grid: bool = False
) -> alt.Y:
    """The vertical axis with a name for each row."""
    axis = alt.Axis(
        labelLimit=0,
        ticks=False,
        domain=False,
        grid=grid,
        labels=labels,
        labelPadding=6,
        labelExpr=LAST_PART,
    )
    return alt.Y(f"{field}:N", scale=alt.Scale(domain=names), axis=axis, title=None)


def height(names: list[str]) -> int:
    """The height of a panel with these rows."""
    return ROW_HEIGHT * len(names)


def bars(
    data: str,
    names: list[str],
    field: str,
    title: str,
    top: float,
    width: int = 330,
    heading: str = "",
    labels: bool = True,
    where: str = "true",
    tips: dict[str, str] | None = None,
) -> alt.LayerChart:
    """Bars from zero in each row's own colour, with the text in `{field}_text` behind them.

    The colour is a field of the data; so a bar looks like its strategy in every other figure.
    """
    base = (
        alt.Chart(alt.NamedData(data))
        .transform_filter(SHOWN)
        .transform_filter(where)
        .encode(
            y=rows_axis(names, labels=labels),
            x=alt.X(
                f"{field}:Q",
                scale=alt.Scale(domain=[0, top], nice=False),
                axis=alt.Axis(tickCount=6, grid=False),
                title=title,
            ),
            tooltip=tooltip(**(tips or {"row": "row", "value": f"{field}_text"})),
        )
    )
    bar = base.mark_bar(height={"band": 0.62}).encode(color=own_colour())
    text = base.mark_text(align="left", dx=4, fontSize=11, clip=False).encode(
        text=f"{field}_text:N"
    )
    heading_params = alt.TitleParams(heading, fontSize=12, offset=6, anchor="start")
    return alt.LayerChart(
        layer=[bar, text],
        title=heading_params,
        width=width,
        height=height(names),
        view=alt.ViewBackground(stroke=None),
    )


def own_colour(field: str = "colour") -> Any:
    """The colour that a field names."""
    return alt.Color(f"{field}:N", scale=None, legend=None)


def memory_of(name: str) -> str:
    """The kind of memory, or what gives the colour, in the name of a benchmark."""
    parts = name.split("/")
    known = [part for part in parts[1:] if part in style.MEMORY]
    return known[-1] if known else parts[1] if len(parts) > 1 else parts[0]


def colour_of(name: str) -> str:
    """The colour of a strategy by its name."""
    return style.memory_colour(memory_of(name))
