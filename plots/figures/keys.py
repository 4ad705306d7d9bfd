"""Draws keys of lines: a sample of each, and its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import altair as alt

from plots.figures import draw, style
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
        place = draw.shown_rows("key").encode(
            x=alt.X("column:Q", axis=None, scale=scale),
            y=alt.Y("line:O", axis=None),
            color=colour,
            detail=alt.Detail("name:N"),
        )
        ends = place.transform_filter("datum.text")
        text = draw.texts(ends, dx=9).encode(color=alt.ColorValue(style.INK))
        lines_of_key = -(-len(self.entries) // self.columns)
        return key_panel([lines(place), marks(ends), text], reach[1], lines_of_key)


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
    place = key_place(count, 0.06, lines=False)
    marks = draw.dots(place, 45).encode(color=draw.colour_by_field())
    return key_panel([marks, draw.texts(place, dx=8)], min(DIRECTION_WIDTH * count, layout.width))


def key_place(
    columns: int, margin: float, reach: list[int] | None = None, lines: bool = True
) -> alt.Chart:
    """Begins a layer of a key whose data `key` have columns, and perhaps lines."""
    place = alt.Chart(alt.NamedData("key"))
    scale = alt.Scale(domain=[-margin, columns], range=reach or alt.Undefined, nice=False)
    place = place.encode(x=alt.X("column:Q", axis=None, scale=scale))
    return place.encode(y=alt.Y("line:O", axis=None)) if lines else place


def in_columns(entries: list[dict[str, Any]], columns: int) -> list[dict[str, Any]]:
    """Adds the places of entries, which stand beside each other in so many columns."""
    return [
        entry | {"column": i % columns, "line": i // columns} for i, entry in enumerate(entries)
    ]


def key_panel(layers: list[Any], width: float, lines: int = 1) -> LayerChart:
    """Returns a key, which has no frame."""
    return draw.panel(layers, width, LINE_HEIGHT * lines, framed=False)
