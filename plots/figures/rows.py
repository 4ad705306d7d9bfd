"""Draws rows: each has a name, marks on a shared axis, and perhaps a text.

Where panels stand beside each other, names are left of the marks. In a column, the names and texts
of tall rows stand above the marks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Value, label_alike
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.layout import LETTER, Layout, shorten
from plots.model.derive import DIRECTIONS

SPACING = 24  # pixels between panels that stand beside each other
NAME_ROOM = 190  # pixels: the most that a name takes
GAP = 8  # pixels between names, marks and texts
TALL_ROW_HEIGHT = 25
BOLD: dict[str, Any] = {"fontWeight": "bold"}
ABOVE, BELOW = -6, 7  # pixels from the middle of a tall row
# Rows must have different names. The part of a name before the last "|" is not shown: it only makes
# names different, or marks a row that begins a group.
HEADING_MARK = "#"
LAST_PART = "split({0}, '|')[length(split({0}, '|')) - 1]"
IS_HEADING = f"datum.row[0] === '{HEADING_MARK}'"
Row = dict[str, Any]


def rows_axis(names: list[str], labels: bool = True, grid: bool = False) -> alt.Y:
    """Returns the vertical axis with a name for each row."""
    bold = {"test": f"datum.value[0] === '{HEADING_MARK}'", "value": "bold"}
    axis = alt.Axis(
        labelFontWeight={"condition": bold, "value": "normal"},
        labelLimit=0,
        ticks=False,
        domain=False,
        grid=grid,
        labels=labels,
        labelPadding=6,
        labelExpr=LAST_PART.format("datum.value"),
    )
    return alt.Y("row:N", scale=alt.Scale(domain=names), axis=axis, title=None)


def strong_grid(value: float) -> dict[str, Any]:
    """Returns the colours of lines of a grid, of which that at this value stands out."""
    test = {"test": f"datum.value === {value}", "value": style.INK}
    return {"condition": test, "value": style.GRID}


def directions_of(rows: Iterable[Row]) -> list[str]:
    """Lists the directions that have rows."""
    present = {row["direction"] for row in rows}
    return [name for name in DIRECTIONS.values() if name in present]


def name_of(strategy: str, others: int = 0, room: float = NAME_ROOM, letter: float = LETTER) -> str:
    """Names a strategy, and how many others are alike; long names are shortened."""
    left = room - letter * len(label_alike("", others))
    return label_alike(shorten(strategy, left, letter), others)


@dataclass(frozen=True)
class Rows:
    """Holds the rows of a panel, and draws what their marks show.

    `names` are those on the left, from top to bottom.
    """

    chart: alt.Chart
    names: list[str]
    layout: Layout
    value: Value
    labels: bool = True
    grid: bool = False
    tall: bool = False
    y: alt.Y | None = None  # another axis than that of `names`

    @property
    def base(self) -> alt.Chart:
        """Begins a layer."""
        labels = self.labels and (self.layout.beside or not self.tall)
        return self.chart.encode(y=self.y or rows_axis(self.names, labels, self.grid))

    @property
    def place(self) -> dict[str, Any]:
        """Returns where marks stand in their rows: below the texts of tall ones in a column."""
        return {"yOffset": BELOW} if self.tall and not self.layout.beside else {}

    def only(self, where: Any) -> Rows:
        """Returns some of the rows."""
        return replace(self, chart=self.chart.transform_filter(where))

    def coloured(self) -> Rows:
        """Returns the rows with marks in the colour of each."""
        return replace(self, chart=self.chart.encode(color=draw.colour_by_field()))

    def lines(self, low: str, high: str, **options: Any) -> Any:
        """Draws a line from one value to another."""
        line = self.base.mark_rule(**options, **self.place)
        return line.encode(x=self.value.x(low), x2=alt.X2(f"{high}:Q"))

    def points(self, field: str, size: int, filled: bool = True, **encodings: Any) -> Any:
        """Draws points, or outlines of points."""
        look: Any = {} if filled else {"fill": style.PAPER, "strokeWidth": 1.6}
        point = draw.dots(self.base, size, **look, **self.place)
        if not filled:
            encodings["stroke"] = alt.Stroke("colour:N", scale=None, legend=None)
        return point.encode(x=self.value.x(field), **encodings)

    def bars(self, low: str, high: str, height: int, colour: str) -> Any:
        """Draws bars from one value to another."""
        bar = self.base.mark_bar(height=height, color=colour, **self.place)
        return bar.encode(x=self.value.x(low), x2=alt.X2(f"{high}:Q"))

    def arrows(self, field: str, side: str, where: str, size: int, **encodings: Any) -> Any:
        """Draws arrows for the rows in which something lies beyond the axis."""
        mark = draw.dots(self.only(where).base, size, shape=f"triangle-{side}", **self.place)
        return mark.encode(x=self.value.x(field), **encodings)

    def texts(self, right: float, field: str = "text", **options: Any) -> Any:
        """Draws the texts, which end there: beside the marks, or above them in a column."""
        above: dict[str, Any] = {} if self.layout.beside else {"yOffset": ABOVE}
        look = above | options
        return draw.texts(self.base, field, "right", **look).encode(x=at_pixel(right))

    def names_above(self, field: str) -> list[Any]:
        """Draws the texts of a field above the marks in a column."""
        return [] if self.layout.beside else names_above(self.base, field)

    def panel(
        self,
        layers: list[Any],
        width: int,
        title: Any = alt.Undefined,
        height: int = 0,
        framed: bool = False,
    ) -> LayerChart:
        """Returns a panel of these layers; tall rows have no frame if they are not to have one."""
        is_high = self.tall and not self.layout.beside
        row = TALL_ROW_HEIGHT if is_high else self.layout.row_height
        height = height or row * len(self.names)
        return draw.panel(layers, width, height, title, framed or not self.tall)


def names_above(base: alt.Chart, field: str) -> list[Any]:
    """Draws the texts of a field above the marks of tall rows."""
    plain = draw.texts(base.transform_filter(f"!({IS_HEADING})"), field, yOffset=ABOVE)
    bold = draw.texts(base.transform_filter(IS_HEADING), field, yOffset=ABOVE, **BOLD)
    return [mark.encode(x=at_pixel(0)) for mark in (plain, bold)]
