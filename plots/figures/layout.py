"""How much room a figure has: as wide as a page, or one column of a paper or a phone.

Texts are as large in both, so that neither needs shrinking: COLUMN is at most 380 pixels wide,
so that its smallest text of 11 pixels becomes 7 points when printed 3.3 inches wide.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

import altair as alt

LETTER = 6.1  # pixels, the mean width of one in names at 11 pixels


@dataclass(frozen=True)
class Layout:
    """A layout of every figure."""

    name: str
    suffix: str  # of names of files
    beside: bool  # panels stand beside each other, otherwise below each other
    width: int  # pixels, of everything but the margin
    axis: int  # of these, what an axis of values takes on the left of a panel
    panel: int  # of a panel beside it
    panel_height: int
    row_height: int  # of a row with a name
    title_letters: int  # in a line
    subtitle_letters: int
    padding: int

    def row(self, *panels: Any, spacing: int = 18) -> Any:
        """Panels beside each other where there is room."""
        return alt.hconcat(*panels, spacing=spacing) if self.beside else self.stack(*panels)

    def stack(self, *panels: Any) -> alt.VConcatChart:
        """Panels below each other."""
        return alt.vconcat(*panels, spacing=14)

    def beside_names(self, names: list[str], wide: int) -> int:
        """The width of a panel with names on its left; `wide` where there is room for it."""
        if self.beside:
            return wide
        return max(130, round(self.width - LETTER * max(map(len, names))) - 16)

    def in_panel(self, wide: int) -> int:
        """The width of a panel with a value axis on its left; `wide` where there is room for it."""
        return wide if self.beside else self.panel

    def key_range(self, wide: int) -> list[int]:
        """Where a key of `wide` pixels, if there is room, begins and ends against its panels."""
        return [0, wide] if self.beside else [-self.axis, self.panel]

    def columns(self, most: int, wide: int) -> int:
        """How many columns of `wide` pixels there is room for."""
        return max(1, min(most, self.width // wide))

    def title(self, text: str) -> list[str]:
        """A title as lines."""
        return textwrap.wrap(text, self.title_letters)

    def subtitle(self, paragraphs: list[str]) -> list[str]:
        """Paragraphs as lines below a title."""
        return [
            line
            for paragraph in paragraphs
            for line in textwrap.wrap(paragraph, self.subtitle_letters)
        ]


WIDE = Layout(
    name="wide",
    suffix="",
    beside=True,
    width=860,
    axis=60,
    panel=340,
    panel_height=300,
    row_height=19,
    title_letters=90,
    subtitle_letters=140,
    padding=12,
)
COLUMN = Layout(
    name="column",
    suffix="-column",
    beside=False,
    width=358,
    axis=60,
    panel=294,
    panel_height=190,
    row_height=15,
    title_letters=42,
    subtitle_letters=68,
    padding=6,
)
