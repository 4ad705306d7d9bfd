"""Draws keys of lines: a sample of each, and its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.common import colour_by_field, shown_rows
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout

SAMPLE = 40  # pixels
LINE_HEIGHT = 18
DIRECTION_WIDTH = 130  # pixels, of a direction
DIRECTION_WORDS = {"h2d": "host → device", "d2h": "device → host", "both": "both ways"}


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


def direction_key_rows(codes: list[str]) -> list[dict[str, Any]]:
    """Returns the data `key` of a key of directions."""
    present = [code for code in DIRECTION_WORDS if code in codes]
    return [
        {"column": i, "text": DIRECTION_WORDS[code], "colour": style.DIRECTION[code].colour}
        for i, code in enumerate(present)
    ]


def direction_key(codes: list[str], layout: Layout) -> LayerChart:
    """Draws the colours of directions."""
    count = len(direction_key_rows(codes))
    place = alt.Chart(alt.NamedData("key")).encode(
        x=alt.X("column:Q", axis=None, scale=alt.Scale(domain=[-0.06, count], nice=False))
    )
    return LayerChart(
        layer=[
            place.mark_point(filled=True, size=45, opacity=1).encode(color=colour_by_field()),
            place.mark_text(align="left", dx=8, fontSize=11).encode(text=alt.Text("text:N")),
        ],
        width=min(DIRECTION_WIDTH * count, layout.width),
        height=LINE_HEIGHT,
        view=alt.ViewBackground(stroke=None),
    )
