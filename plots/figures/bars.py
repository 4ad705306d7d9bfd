"""Draws rows with a name, a mark and a value, as several figures need them.

In a wide layout, names stand on the left and values behind the marks. In a column, both stand above
the mark.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt

from plots.figures.common import panel_title, shown_rows, tooltip
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.layout import Layout

TALL_ROW_HEIGHT = 25
BOLD: dict[str, Any] = {"fontWeight": "bold"}
ABOVE, BELOW = -6, 7  # pixels from the middle of a tall row
# Rows must have different names. The part of a name before the last "|" is not shown: it only makes
# names different, or marks a row that begins a group.
HEADING_MARK = "#"
LAST_PART = "split({0}, '|')[length(split({0}, '|')) - 1]"


def rows_axis(
    names: list[str], field: str = "row", labels: bool = True, grid: bool = False
) -> alt.Y:
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
    return alt.Y(f"{field}:N", scale=alt.Scale(domain=names), axis=axis, title=None)


def tall_height(names: list[str], layout: Layout) -> int:
    """Returns the height of a panel; rows are tall if their texts stand above the marks."""
    return (layout.row_height if layout.beside else TALL_ROW_HEIGHT) * len(names)


@dataclass(frozen=True)
class Bars:
    """Draws bars for named data, each in the colour that its field `colour` names.

    Each row has `row`, a value in `field`, the value's text in `{field}_text`, and in `note` a text
    that stands behind it.
    """

    data: str
    names: list[str]
    field: str
    title: str
    scale: alt.Scale
    layout: Layout
    width: int  # in a layout with panels beside each other
    heading: str = ""
    labels: bool = True
    where: str = "true"
    tips: dict[str, str] | None = None
    start: float = 0  # the value where bars begin

    def chart(self) -> LayerChart:
        """Returns the panel."""
        base = (
            shown_rows(self.data)
            .transform_filter(self.where)
            .transform_calculate(
                said=f"datum.{self.field}_text",
                name=LAST_PART.format("datum.row"),
                # A bar that points left has its text on the right of its beginning.
                behind=f"max(datum.{self.field}, {self.start})",
            )
            .encode(y=rows_axis(self.names, labels=self.labels and self.layout.beside))
        )
        heading = panel_title(self.heading, anchor="start")
        return LayerChart(
            layer=(self._beside if self.layout.beside else self._stacked)(base),
            title=heading,
            width=self.width if self.layout.beside else self.layout.width,
            height=tall_height(self.names, self.layout),
            view=alt.ViewBackground(stroke=None),
        )

    def _beside(self, base: alt.Chart) -> list[Any]:
        labelled = base.transform_calculate(
            both="datum.said + (datum.note ? ', ' + datum.note : '')"
        )
        text = labelled.mark_text(align="left", dx=4, fontSize=11)
        return [
            self._bar(base, self.scale, height={"band": 0.62}),
            text.encode(x=self._x(self.scale, "behind"), text=alt.Text("both:N")),
        ]

    def _stacked(self, base: alt.Chart) -> list[Any]:
        """Draws bars that leave room for the notes behind them."""
        scale = self.scale.copy()
        scale.range = [0, 0.5 * self.layout.width]
        note = base.mark_text(align="left", dx=4, fontSize=11, yOffset=BELOW)
        return [
            self._bar(base, scale, height=11, yOffset=BELOW),
            note.encode(x=self._x(scale, "behind"), text=alt.Text("note:N")),
            *names_above(base, "name"),
            base.mark_text(align="right", fontSize=11, yOffset=ABOVE).encode(
                x=at_pixel(self.layout.width), text=alt.Text("said:N")
            ),
        ]

    def _bar(self, base: alt.Chart, scale: alt.Scale, **options: Any) -> Any:
        tips = tooltip(**(self.tips or {"row": "name", "value": "said"}))
        return base.mark_bar(**options).encode(
            x=self._x(scale, self.field),
            x2=alt.datum(self.start),
            color=colour_by_field(),
            tooltip=tips,
        )

    def _x(self, scale: alt.Scale, field: str) -> alt.X:
        axis = alt.Axis(tickCount=min(6, self.width // 50), grid=False)
        return alt.X(f"{field}:Q", scale=scale, axis=axis, title=self.title)


def names_above(base: alt.Chart, field: str) -> list[Any]:
    """Draws the texts of a field above the marks of tall rows."""
    heads = f"datum.row[0] === '{HEADING_MARK}'"
    text: dict[str, Any] = {"align": "left", "fontSize": 11, "yOffset": ABOVE}
    plain = base.transform_filter(f"!({heads})").mark_text(**text)
    bold = base.transform_filter(heads).mark_text(**text, **BOLD)
    return [mark.encode(x=at_pixel(0), text=alt.Text(f"{field}:N")) for mark in (plain, bold)]


def from_zero(top: float) -> alt.Scale:
    """Returns a linear scale of bars that begins at zero."""
    return alt.Scale(domain=[0, top], nice=False)


def colour_by_field(field: str = "colour") -> Any:
    """Returns the encoding that takes each mark's colour from a field."""
    return alt.Color(f"{field}:N", scale=None, legend=None)
