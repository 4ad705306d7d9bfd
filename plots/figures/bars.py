"""Draws bars: rows with a value, its text and a note."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt

from plots.figures import draw
from plots.figures.common import Value
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.rows import LAST_PART, Rows


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
            draw.shown_rows(self.data)
            .transform_filter(self.where)
            .transform_calculate(
                said=f"datum.{self.field}_text",
                name=LAST_PART.format("datum.row"),
                # A bar that points left has its text on the right of its beginning.
                behind=f"max(datum.{self.field}, {self.start})",
            )
        )
        wide, scale = self.layout.beside, self.scale.copy()
        if not wide:  # bars leave room for the notes behind them
            scale.range = [0, 0.5 * self.layout.width]
        axis = alt.Axis(tickCount=min(6, self.width // 50), grid=False)
        value = Value(self.title, scale, axis)
        rows = Rows(base, self.names, self.layout, value, labels=self.labels, tall=True)
        return rows.panel(
            [self._bars(rows), *(self._beside if wide else self._stacked)(rows)],
            self.width if wide else self.layout.width,
            draw.panel_title(self.heading, anchor="start"),
        )

    def _bars(self, rows: Rows) -> Any:
        height: Any = {"band": 0.62} if self.layout.beside else 11
        return rows.base.mark_bar(height=height, **rows.place).encode(
            x=rows.value.x(self.field),
            x2=alt.datum(self.start),
            color=draw.colour_by_field(),
            tooltip=draw.tooltip(**(self.tips or {"row": "name", "value": "said"})),
        )

    def _beside(self, rows: Rows) -> list[Any]:
        both = "datum.said + (datum.note ? ', ' + datum.note : '')"
        text = draw.texts(rows.base.transform_calculate(both=both), "both", dx=4)
        return [text.encode(x=rows.value.x("behind"))]

    def _stacked(self, rows: Rows) -> list[Any]:
        return [
            draw.texts(rows.base, "note", dx=4, **rows.place).encode(x=rows.value.x("behind")),
            *rows.names_above("name"),
            rows.texts(self.layout.width, field="said"),
        ]
