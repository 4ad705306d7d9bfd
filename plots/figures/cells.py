"""Draws matrices: a cell for each row and column, with its number in it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import altair as alt

from plots.figures import draw
from plots.figures.compose import LayerChart, hconcat
from plots.figures.layout import LETTER, Layout

MOST_CELLS = 32  # rows or columns; smaller cells than these leave cannot be read
WIDEST_CELL, CELL_HEIGHT = 56, 20
LEAST_FOR_TEXT = 22  # pixels of a cell with a number of three digits


def cell_layers(
    base: alt.Chart,
    tips: dict[str, str],
    field: str = "text",
    stroke: str = "#bbbbbb",
    line: float = 0.5,
    **text: Any,
) -> list[Any]:
    """Draws cells in the colour of each, and their texts."""
    cells = base.mark_rect(stroke=stroke, strokeWidth=line).encode(color=draw.colour_by_field())
    if tips:
        cells = cells.encode(tooltip=draw.tooltip(**tips))
    return [cells, base.mark_text(**text).encode(text=alt.Text(f"{field}:N"), color=draw.READABLE)]


@dataclass(frozen=True)
class Cells:
    """Draws the rows of named data with `row`, `column`, `text` and `colour`.

    Rows and columns have texts as names.
    """

    data: str
    rows: list[str]
    columns: list[str]
    row_title: str | None
    column_title: str
    layout: Layout
    tips: dict[str, str]
    row_height: int = CELL_HEIGHT

    @property
    def names_width(self) -> int:
        """Returns the room for the names of rows and the title of their axis."""
        return round(LETTER * max(map(len, self.rows))) + 26

    @property
    def cell_width(self) -> int:
        """Returns the width of a cell, in pixels."""
        room = self.layout.width - self.names_width
        return min(WIDEST_CELL, math.floor(room / len(self.columns)))

    def fit_beside(self, panels: int) -> bool:
        """Tells whether so many panels fit beside each other."""
        width = self.names_width + WIDEST_CELL * len(self.columns) + 20
        return self.layout.beside and panels * width <= self.layout.width

    def panel(self, name: str, heading: str) -> LayerChart:
        """Returns the panel with the rows whose field `panel` has this name."""
        longest = LETTER * max(map(len, self.columns))
        base = draw.shown_rows(self.data, panel=name).encode(
            x=alt.X(
                "column:N",
                scale=alt.Scale(domain=self.columns, padding=0),
                axis=alt.Axis(
                    orient="bottom",
                    labelAngle=0 if longest < self.cell_width - 2 else -90,
                    labelLimit=0,
                    labelOverlap=False,
                    ticks=False,
                    domain=False,
                ),
                title=self.column_title,
            ),
            y=alt.Y(
                "row:N",
                scale=alt.Scale(domain=self.rows, padding=0),
                axis=alt.Axis(labelLimit=0, labelOverlap=False, ticks=False, domain=False),
                title=self.row_title,
            ),
        )
        layers = cell_layers(base, self.tips, fontSize=11 if self.cell_width >= 26 else 10)
        return draw.panel(
            layers if self.cell_width >= LEAST_FOR_TEXT else layers[:1],
            self.cell_width * len(self.columns),
            self.row_height * len(self.rows),
            draw.panel_title(heading, anchor="start"),
        )

    def arrange(self, panels: list[LayerChart]) -> Any:
        """Puts panels beside each other if they fit."""
        beside = self.fit_beside(len(panels))
        return hconcat(*panels, spacing=30) if beside else self.layout.stack(*panels)
