"""Draws keys of lines: a sample of each, and its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.common import shown_rows
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout

SAMPLE = 40  # pixels
LINE_HEIGHT = 18


@dataclass(frozen=True)
class Key:
    """Draws a key in columns. Each entry has its `name` and the fields that decide its look."""

    entries: list[dict[str, Any]]
    layout: Layout
    most_columns: int
    width: int  # pixels, of a column

    @property
    def columns(self) -> int:
        """Returns how many columns fit."""
        return self.layout.columns(self.most_columns, self.width)

    def data(self) -> list[dict[str, Any]]:
        """Returns both ends of each sample, for the data `key`; the name is at the right end."""
        return [
            entry
            | {
                "column": i % self.columns + end,
                "line": i // self.columns,
                "text": entry["name"] if end else "",
            }
            for i, entry in enumerate(self.entries)
            for end in (0.0, SAMPLE / self.width)
        ]

    def chart(
        self, colour: Any, lines: Callable[[alt.Chart], Any], marks: Callable[[alt.Chart], Any]
    ) -> LayerChart:
        """Draws the key with lines and marks as the figure draws them."""
        reach = self.layout.key_range(self.width * self.columns)
        scale = alt.Scale(domain=[-0.02, self.columns], range=reach, nice=False)
        place = shown_rows("key").encode(
            x=alt.X("column:Q", axis=None, scale=scale),
            y=alt.Y("line:O", axis=None),
            color=colour,
            detail=alt.Detail("name:N"),
        )
        ends = place.transform_filter("datum.text")
        text = ends.mark_text(align="left", dx=9, fontSize=11).encode(
            text=alt.Text("text:N"), color=alt.ColorValue(style.INK)
        )
        return LayerChart(
            layer=[lines(place), marks(ends), text],
            width=reach[1],
            height=LINE_HEIGHT * -(-len(self.entries) // self.columns),
            view=alt.ViewBackground(stroke=None),
        )
