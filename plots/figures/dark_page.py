"""Defines the colours of a dark page: the counterpart of each colour of a figure."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from plots.figures import style

DARK_LINES = {
    style.INK: "#eeeeee",
    style.SOFT_INK: "#cccccc",
    style.LINE: "#8a8a8a",
    style.GRID: "#3a3a3a",
    style.PAPER: "#1c1c1e",
    style.LIMIT["raw"].colour: "#bdbdbd",
    style.LIMIT["packet"].colour: "#a3a3a3",
    style.PEERS: "#444446",
    style.PEERS_MIDDLE: "#6e6e70",
    style.PUBLISHED_COLOUR: "#b0b0b0",
}


def dark_colours() -> dict[str, str]:
    """Returns the colour that a dark page shows instead of each colour.

    Dark colours have contrast enough for texts. Each has one counterpart only, so that a page can
    be printed with its light colours again: those of texts differ a little from those of marks.
    """
    of_looks = [(look.colour, look.dark) for look in style.LOOKS]
    same = [(colour, colour) for colour in (*style.REUSE.values(), style.REUSE_NEVER)]
    marks = _paired([*of_looks, *style.PHASES.values(), *DARK_LINES.items(), *same])
    texts: dict[str, str] = {}
    for look in style.LOOKS:
        if (tone := style.text_colour(look.colour)) not in marks:
            texts[tone] = _unlike(look.dark, {*marks.values(), *texts.values()})
    return marks | texts


def _paired(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Returns the dark colours by their light ones; raises ValueError if two pairs share one."""
    distinct = list(dict.fromkeys(pairs))
    for one, other in combinations(distinct, 2):
        if one[0] == other[0] or one[1] == other[1]:
            raise ValueError(f"colours clash: {' with '.join(one)}, and {' with '.join(other)}")
    return dict(distinct)


def _unlike(colour: str, others: set[str]) -> str:
    """Returns the next colour that is none of the others."""
    while colour in others:
        colour = f"#{int(colour[1:], 16) + 1:06x}"
    return colour
