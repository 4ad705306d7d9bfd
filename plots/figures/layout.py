"""Sets how much room a figure has: the width of a page, or a column of a paper or a phone.

PAPER is a column of a paper, COLUMN one of a phone. Texts have the same size in all, so that none
needs shrinking: columns are at most 380 pixels
wide, so that its smallest text of 11 pixels becomes 7 points when printed 3.3 inches wide.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace
from typing import Any

from plots.figures.compose import VConcatChart, hconcat, vconcat

LETTER = 6.1  # pixels: the mean width of a letter in names at 11 pixels
CUT = "…"  # where letters of a name are left out
BOLD_LETTER = 6.7  # and of a bold one


def shorten(name: str, room: float, letter: float = LETTER) -> str:
    """Returns a name that fits into so many pixels: its middle may be left out.

    Names differ at their ends more often than in between.
    """
    most = max(4, int(room / letter))
    end = (most - 1) // 2
    return name if len(name) <= most else f"{name[: most - 1 - end]}{CUT}{name[-end:]}"


@dataclass(frozen=True)
class Layout:
    """Holds the sizes of a layout, which all figures share."""

    name: str
    beside: bool  # panels stand beside each other, otherwise below each other
    width: int  # pixels, of everything but the margin
    axis: int  # the part of the width that a value axis takes, left of a panel
    panel: int  # the width of a panel with such an axis
    panel_height: int
    row_height: int  # of a row with a name
    title_letters: int  # in a line
    subtitle_letters: int
    padding: int
    brief: bool = False  # only what matters most; the tables have the rest

    @property
    def low_panel(self) -> int:
        """Returns the height of a panel that is lower than usual if it is wide."""
        return self.panel_height * 3 // 4 if self.beside else self.panel_height

    def grid(self, panels: list[Any], columns: int, spacing: int) -> list[Any]:
        """Puts panels into rows of so many, beside each other if there is room."""
        starts = range(0, len(panels), columns)
        return [self.row(*panels[i : i + columns], spacing=spacing) for i in starts]

    def row(self, *panels: Any, spacing: int = 18) -> Any:
        """Puts panels beside each other if there is room, otherwise below each other."""
        return hconcat(*panels, spacing=spacing) if self.beside else self.stack(*panels)

    def stack(self, *panels: Any) -> VConcatChart:
        """Puts panels below each other."""
        return vconcat(*panels, spacing=14)

    def beside_names(self, names: list[str], wide: int) -> int:
        """Returns the width of a panel with names on its left: `wide` if there is room."""
        if self.beside:
            return wide
        return max(130, round(self.width - LETTER * max(map(len, names))) - 16)

    def key_range(self, wide: int) -> list[int]:
        """Returns where a key begins and ends relative to its panels: `wide` pixels if they fit."""
        return [0, wide] if self.beside else [-self.axis, self.panel]

    def columns(self, most: int, wide: int) -> int:
        """Returns how many columns of `wide` pixels fit, from 1 to `most`."""
        return max(1, min(most, self.width // wide))

    def title(self, text: str) -> list[str]:
        """Wraps a title into lines."""
        return textwrap.wrap(text, self.title_letters)

    def subtitle(self, paragraphs: list[str]) -> list[str]:
        """Wraps paragraphs into lines below a title."""
        return [
            line
            for paragraph in paragraphs
            for line in textwrap.wrap(paragraph, self.subtitle_letters)
        ]


WIDE = Layout(
    name="wide",
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
# A column of a paper: figures are no higher than wide. A caption says what titles say elsewhere.
WHOLE_LINE = 10_000
PAPER = replace(
    COLUMN,
    name="paper",
    panel_height=130,
    title_letters=WHOLE_LINE,
    subtitle_letters=WHOLE_LINE,
    brief=True,
)
