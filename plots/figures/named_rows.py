"""Draws rows with a name on the left, marks on a shared axis, and a text on the right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt

from plots.figures import draw
from plots.figures.common import Value
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.layout import LETTER, Layout
from plots.figures.rows import SPACING, Row, Rows, directions_of

GAP = 8  # pixels between names, marks and texts


@dataclass(frozen=True)
class NamedRows:
    """Holds the rows of a figure with a panel for each direction.

    Each row has `row` (as bars.rows_axis needs it), `name`, `direction`, and `text`, which stands
    on the right.
    """

    rows: list[Row]
    layout: Layout
    row_height: int

    @property
    def directions(self) -> list[str]:
        """Lists the directions that have rows."""
        return directions_of(self.rows)

    @property
    def width(self) -> int:
        """Returns the width of the marks in a panel, which is the same in all."""
        room = (self.layout.width - SPACING) // 2 if self.layout.beside else self.layout.width
        texts = sum(max(len(row[field]) for row in self.rows) for field in ("name", "text"))
        return round(room - LETTER * texts - 2 * GAP)

    def of(self, data: str, value: Value, direction: str, **fields: Any) -> Rows:
        """Returns the rows of a panel, for marks of these data."""
        wanted = {"direction": direction} | fields
        names = [row["row"] for row in self.rows if wanted.items() <= row.items()]
        return Rows(draw.shown_rows(data, **wanted), names, self.layout, value, grid=True)

    def panel(
        self, data: str, direction: str, heading: str, layers: list[Any], **fields: Any
    ) -> LayerChart:
        """Returns a panel of these layers, with the texts of the data on the right."""
        rows = self.of(data, Value(None, alt.Scale()), direction, **fields)
        return draw.panel(
            [*layers, draw.texts(rows.base, dx=GAP).encode(x=at_pixel(self.width))],
            self.width,
            self.row_height * len(rows.names),
            draw.panel_title(heading, anchor="start"),
            framed=False,
        )
