"""Draws rows with a name on the left, marks on a shared axis, and a text on the right."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.bars import rows_axis
from plots.figures.common import label_alike, panel_title, shown_rows
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.layout import LETTER, Layout, shorten
from plots.model.derive import DIRECTIONS

SPACING = 24  # pixels between panels that stand beside each other
NAME_ROOM = 190  # pixels: the most that a name takes
GAP = 8  # pixels between names, marks and texts


def name_of(strategy: str, others: int = 0, room: float = NAME_ROOM, letter: float = LETTER) -> str:
    """Names a strategy, and how many others are alike; long names are shortened."""
    left = room - letter * len(label_alike("", others))
    return label_alike(shorten(strategy, left, letter), others)


@dataclass(frozen=True)
class NamedRows:
    """Holds the rows of a figure with a panel for each direction.

    Each row has `row` (as bars.rows_axis needs it), `name`, `direction`, and `text`, which stands
    on the right.
    """

    rows: list[dict[str, Any]]
    layout: Layout
    row_height: int

    @property
    def directions(self) -> list[str]:
        """Lists the directions that have rows."""
        present = {row["direction"] for row in self.rows}
        return [name for name in DIRECTIONS.values() if name in present]

    @property
    def width(self) -> int:
        """Returns the width of the marks in a panel, which is the same in all."""
        room = (self.layout.width - SPACING) // 2 if self.layout.beside else self.layout.width
        texts = sum(max(len(row[field]) for row in self.rows) for field in ("name", "text"))
        return round(room - LETTER * texts - 2 * GAP)

    def base(self, data: str, direction: str, grid: bool = True, **fields: Any) -> alt.Chart:
        """Begins a layer of a panel."""
        y = rows_axis(self._names(direction, **fields), grid=grid)
        return shown_rows(data, direction=direction, **fields).encode(y=y)

    def panel(
        self, data: str, direction: str, heading: str, layers: list[Any], **fields: Any
    ) -> LayerChart:
        """Returns a panel of these layers, with the texts on the right."""
        texts = self.base(data, direction, **fields).mark_text(align="left", dx=GAP, fontSize=11)
        return LayerChart(
            layer=[*layers, texts.encode(x=at_pixel(self.width), text=alt.Text("text:N"))],
            title=panel_title(heading, anchor="start"),
            width=self.width,
            height=self.row_height * len(self._names(direction, **fields)),
            view=alt.ViewBackground(stroke=None),
        )

    def _names(self, direction: str, **fields: Any) -> list[str]:
        wanted = {"direction": direction} | fields
        return [
            row["row"]
            for row in self.rows
            if all(row[field] == value for field, value in wanted.items())
        ]


def edge_arrows(base: alt.Chart, x: Any, shape: str, where: str) -> Any:
    """Draws arrows for the rows whose value lies beyond the axis."""
    arrows = base.transform_filter(where).mark_point(filled=True, shape=shape, size=60, opacity=1)
    return arrows.encode(x=x, color=alt.ColorValue(style.INK))
