"""How the figures look: colours, lines, points, sizes, axes.

A strategy is `family/memory`. Its colour and line width follow from the memory, its dash
and point shape from the family. They depend on the name alone, so that a strategy looks
the same in every figure.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass
from typing import Any

import altair as alt

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"
PANEL_WIDTH = 340
PANEL_HEIGHT = 300
PIXELS_PER_INCH = 200

KEY_COLUMN_WIDTH = 68
KEY_ROW_HEIGHT = 17


@dataclass(frozen=True)
class LimitStyle:
    """How a limit of the link is drawn."""

    colour: str
    dash: list[int]
    label_above: bool


LIMIT = {
    "raw": LimitStyle("#444444", [6, 4], label_above=True),
    "packet": LimitStyle("#808080", [2, 3], label_above=False),
}

# Hues that stay apart for colour-blind readers, and ramps of lightness inside the two large
# groups: blue for pinned memory, orange for write-combined. Many of these lines lie on each
# other, so each is thinner than the ones beneath it, and all remain visible.
MEMORY: dict[str, tuple[str, float]] = {
    "pageable": ("#000000", 2.0),
    "pageable_huge": ("#cc79a7", 1.6),
    "registered": ("#009e73", 2.0),
    "pinned": ("#08519c", 4.0),
    "pinned_portable": ("#3182bd", 3.4),
    "pinned_mapped": ("#6baed6", 2.8),
    "pinned_portable_mapped": ("#b3d4ea", 2.2),
    "pinned_wc": ("#8c2d04", 1.9),
    "pinned_portable_wc": ("#d94801", 1.6),
    "pinned_mapped_wc": ("#fd8d3c", 1.3),
    "pinned_portable_mapped_wc": ("#fdc38d", 1.0),
}
OTHER_MEMORY_COLOURS = ["#e6ab02", "#7570b3", "#66a61e", "#999999"]
OTHER_MEMORY_WIDTH = 1.6

FAMILY: dict[str, tuple[list[int], str]] = {
    "copy": ([1, 0], "circle"),
    "copy_async": ([6, 3], "triangle-up"),
    "zero_copy": ([2, 2], "diamond"),
}

OTHER_FAMILIES: list[tuple[list[int], str]] = [
    ([8, 2, 2, 2], "square"),
    ([4, 1], "cross"),
    ([1, 3], "triangle-down"),
]

SIZE_LABEL = (
    "datum.value >= 1073741824 ? datum.value / 1073741824 + ' GiB'"
    " : datum.value >= 1048576 ? datum.value / 1048576 + ' MiB'"
    " : datum.value >= 1024 ? datum.value / 1024 + ' KiB'"
    " : datum.value + ' B'"
)


def memory_order(memory: str) -> tuple[int, str]:
    """Sort key of memory kinds: the known ones in their order, then the others by name."""
    known = list(MEMORY)
    return (known.index(memory) if memory in MEMORY else len(known), memory)


def memory_colour(memory: str) -> str:
    """The colour of a memory kind; one that is not known yet gets one by its name."""
    if memory in MEMORY:
        return MEMORY[memory][0]
    return OTHER_MEMORY_COLOURS[zlib.crc32(memory.encode()) % len(OTHER_MEMORY_COLOURS)]


def memory_width(memory: str) -> float:
    """The line width of a memory kind."""
    return MEMORY[memory][1] if memory in MEMORY else OTHER_MEMORY_WIDTH


def family_order(family: str) -> tuple[int, str]:
    """Sort key of families: the known ones in their order, then the others by name."""
    known = list(FAMILY)
    return (known.index(family) if family in FAMILY else len(known), family)


def family_dash(family: str) -> list[int]:
    """The dash of the lines of a family."""
    return _family(family)[0]


def family_shape(family: str) -> str:
    """The shape of the points of a family."""
    return _family(family)[1]


def _family(family: str) -> tuple[list[int], str]:
    """A new strategy need not be entered here: its family gets a look by its name."""
    other = OTHER_FAMILIES[zlib.crc32(family.encode()) % len(OTHER_FAMILIES)]
    return FAMILY.get(family, other)


def size_ticks(low: float, high: float, at_most: int = 8) -> list[int]:
    """Powers of two in [low, high], evenly spaced on a logarithmic axis."""
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    step = 1
    while (last - first) // step + 1 > at_most:
        step += 1
    return [2**exponent for exponent in range(first, last + 1, step)]


def decades(low: float, high: float) -> tuple[list[float], list[float]]:
    """The domain of a logarithmic axis around [low, high], and its ticks at powers of ten."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    powers = [10.0**exponent for exponent in range(first, max(last, first + 1) + 1)]
    domain = [low / 1.5, high * 1.5]
    inside = [power for power in powers if domain[0] <= power <= domain[1]]
    return (domain, inside) if len(inside) > 1 else ([powers[0], powers[-1]], powers)


def key_axis(**options: Any) -> alt.Axis:
    """An axis of the key: names without lines."""
    return alt.Axis(
        domain=False,
        ticks=False,
        grid=False,
        labelAngle=0,
        labelLimit=0,
        labelOverlap=False,
        **options,
    )


def config() -> alt.Config:
    """The fonts, sizes and lines common to all figures."""
    return alt.Config(
        font=FONT,
        background="white",
        padding=12,
        view=alt.ViewConfig(stroke="#888888"),
        axis=alt.AxisConfig(
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
            gridColor="#e8e8e8",
            domainColor="#888888",
            tickColor="#888888",
        ),
        title=alt.TitleConfig(
            anchor="start",
            fontSize=15,
            subtitleFontSize=11,
            subtitleColor="#333333",
            subtitleLineHeight=15,
            subtitlePadding=5,
            offset=12,
        ),
    )
