"""Defines how figures look: colours, lines, points, sizes and axes.

The kind of memory or the method decides a strategy's colour and point shape; the family decides its
dash. Nothing else does, so a strategy looks the same in every figure.
"""

from __future__ import annotations

import math
import zlib
from dataclasses import dataclass, field
from functools import cache

import altair as alt

from plots.model.load import Fields

FONT = "Liberation Sans, Arial, Helvetica, sans-serif"


@dataclass(frozen=True)
class LimitStyle:
    """Describes how a limit of the link is drawn."""

    colour: str
    dash: list[int]
    label_above: bool


LIMIT = {
    "raw": LimitStyle("#444444", [6, 4], label_above=True),
    "packet": LimitStyle("#6f6f6f", [2, 3], label_above=False),
}


# Dashes of host memory, device memory and bare page-locking.
SOLID: list[int] = [1, 0]
DEVICE: list[int] = [2, 2]
LOCK: list[int] = [6, 3]


@dataclass(frozen=True)
class MemoryStyle:
    """Describes how strategies of a kind of memory, or with a method, are drawn."""

    colour: str
    shape: str
    dark: str  # the colour on a dark page: the same hue with the same contrast
    dash: list[int] = field(default_factory=lambda: SOLID)  # where there are no families


# Hues that stay apart for colour-blind readers, and ramps of lightness inside the two large
# groups: blue for pinned memory, orange for write-combined. In grey the shapes tell the groups
# apart.
MEMORY: dict[str, MemoryStyle] = {
    "pageable": MemoryStyle("#000000", "square", "#f0f0f0"),
    "pageable_huge": MemoryStyle("#cc79a7", "square", "#e39ac3"),
    "registered": MemoryStyle("#006b4f", "triangle-up", "#2fc79b"),
    "registered_huge": MemoryStyle("#3fa284", "triangle-up", "#8ee0c6"),
    "pinned": MemoryStyle("#08519c", "circle", "#4f9be6"),
    "pinned_portable": MemoryStyle("#3182bd", "circle", "#64a9da"),
    "pinned_mapped": MemoryStyle("#4d9acb", "circle", "#7dbbe0"),
    "pinned_portable_mapped": MemoryStyle("#7a93b5", "circle", "#b4d5eb"),
    "pinned_wc": MemoryStyle("#8c2d04", "diamond", "#d9683a"),
    "pinned_portable_wc": MemoryStyle("#d94801", "diamond", "#e8702f"),
    "pinned_mapped_wc": MemoryStyle("#de7420", "diamond", "#fd8e3d"),
    "pinned_portable_mapped_wc": MemoryStyle("#b5794a", "diamond", "#fdc48e"),
    "staged": MemoryStyle("#aa0050", "cross", "#ff5c9e"),
    "register_once": MemoryStyle("#7a5c00", "triangle-down", "#c9a227"),
    "register_once_huge": MemoryStyle("#a58a2e", "triangle-down", "#d8c069"),
    "graph": MemoryStyle("#4b2e83", "triangle-right", "#a88be0"),
    "managed_prefetch": MemoryStyle("#7570b3", "triangle-left", "#9c98d6"),
    "managed_fault": MemoryStyle("#d45d00", "triangle-left", "#ff8532"),
    "pageable_access": MemoryStyle("#808000", "triangle-right", "#b5b53a"),
    "managed": MemoryStyle("#7570b4", "triangle-left", "#9c98d7"),
    "malloc": MemoryStyle("#777777", "triangle-right", "#a0a0a0"),
    "pinned_pool": MemoryStyle("#b38600", "circle", "#e7ac03"),
    "device": MemoryStyle("#66a41d", "cross", "#7dbd35", DEVICE),
    "device_async": MemoryStyle("#8073ad", "diamond", "#9f92cc", DEVICE),
    "device_pool": MemoryStyle("#b8860b", "square", "#d3a126", DEVICE),
    "lock_touched": MemoryStyle("#009e74", "triangle-up", "#2fc79c", LOCK),
    "lock_touched_huge": MemoryStyle("#3fa285", "triangle-up", "#8ee0c7", LOCK),
    "lock_untouched": MemoryStyle("#e0383e", "triangle-down", "#f0656a", LOCK),
}
OTHER_MEMORY = [
    MemoryStyle("#b98a03", "cross", "#e7ac04"),
    MemoryStyle("#8073ac", "triangle-left", "#9f92cb"),
    MemoryStyle("#66a41e", "triangle-right", "#7dbd36"),
    MemoryStyle("#8c8c8c", "triangle-down", "#9a9a9a"),
]

# Dashes of families; a hash of the name selects one.
DASHES: list[list[int]] = [
    [6, 3],
    [1, 3],
    [2, 2],
    [4, 1],
    [1, 0],
    [8, 2, 2, 2],
    [10, 3, 3, 3],
]


@dataclass(frozen=True)
class MarkStyle:
    """Describes how marks are drawn whose colour does not tell memory: of verdicts, directions."""

    colour: str
    shape: str
    dark: str


# Worst first. Shapes tell verdicts apart in grey.
VERDICT = {
    "slower": MarkStyle("#d55e00", "square", "#ff8533"),
    "ambiguous": MarkStyle("#7b3294", "diamond", "#c58fdc"),
    "faster": MarkStyle("#0072b2", "triangle-down", "#4aa8e0"),
    "not_known": MarkStyle("#8c6d31", "triangle-up", "#c9a75a"),
    "unchanged": MarkStyle("#6b6b6b", "circle", "#a8a8a8"),
}


DIRECTION = {
    "h2d": MarkStyle("#0072b2", "triangle-right", "#4aa8e0"),
    "d2h": MarkStyle("#d55e00", "triangle-left", "#ff8533"),
    "both": MarkStyle("#6a4c93", "diamond", "#a98bd6"),
}

# Models of GPUs in a fleet; shapes tell them apart in grey. More of them begin again.
MODELS = [
    MarkStyle("#4477aa", "circle", "#7aa6d6"),
    MarkStyle("#aa7733", "triangle-up", "#d6a566"),
    MarkStyle("#228844", "square", "#55bb77"),
    MarkStyle("#884488", "diamond", "#bb77bb"),
    MarkStyle("#667788", "triangle-down", "#99aabb"),
]
# Parts of a fleet that are named.
SCOPE = {
    "gpu": MarkStyle("#d55e01", "circle", "#ff8534"),
    "node": MarkStyle("#7b3295", "square", "#c58fdd"),
    "rack": MarkStyle("#0072b3", "diamond", "#4aa8e1"),
    "slot": MarkStyle("#8a6d00", "triangle-up", "#d9b53a"),
    "fleet": MarkStyle("#1b7a5a", "triangle-down", "#53b894"),
}
PEERS, PEERS_MIDDLE = "#d4d4d4", "#a9a9a9"

# All of them. A dark page replaces a colour by the dark one of its look, and back, so looks share
# neither colour unless they share both: "#d55e01" stands beside "#d55e00".
LOOKS: list[MemoryStyle | MarkStyle] = [
    *MEMORY.values(),
    *OTHER_MEMORY,
    *VERDICT.values(),
    *DIRECTION.values(),
    *MODELS,
    *SCOPE.values(),
]


# Cells that tell a loss: white for none. The numbers are in the cells.
WHITE, FULL = (255, 255, 255), (204, 80, 0)


def loss_colour(part: float) -> str:
    """Returns the colour of a cell that is so far, from 0 to 1, from no loss to the most."""
    mixed = (round(a + part * (b - a)) for a, b in zip(WHITE, FULL, strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def kept_colour(part: float) -> str:
    """Returns the colour of a cell in which so much of a rate is kept: the most for half of it."""
    return loss_colour(min(max(2 * (1 - part), 0.0), 1.0))


# Cells of numbers of transfers that pay for a strategy: at once, up to 10, up to 100, more. They
# stay as they are on a dark page, and the numbers are in them.
REUSE = {1: "#2b6cb0", 10: "#7fb2dd", 100: "#bfdaf0", math.inf: "#e9f2fa"}
REUSE_NEVER = "#fdfdfd"


def reuse_colour(transfers: int | None) -> str:
    """Returns the colour of a cell: the darker, the sooner a strategy pays; None: never."""
    if transfers is None:
        return REUSE_NEVER
    return next(colour for most, colour in REUSE.items() if transfers <= most)


# The phases of an operation. Neighbours are light and dark, so that they differ in grey; all have
# a contrast of 3 to the paper.
PHASES = {
    "allocate": ("#b07d00", "#d9a92f"),
    "upload": ("#332288", "#8878dd"),
    "compute": ("#2a9d8f", "#45ab9a"),
    "download": ("#882255", "#c95c91"),
    "free": ("#94905a", "#c5c08a"),
    "not divided": ("#6e6e6e", "#9d9d9d"),
    "all at once": ("#6a4c93", "#a98bd6"),
}
PUBLISHED_COLOUR = "#5f5f5f"

# The colours of axes, texts and lines.
TEXT_CONTRAST = 4.5  # of texts to the paper (WCAG 2.2, 1.4.3)
INK, SOFT_INK, LINE, GRID, PAPER = "#111111", "#333333", "#888888", "#e8e8e8", "#ffffff"


@cache
def text_colour(colour: str) -> str:
    """Returns the tone of a colour in which a text can be read on paper, as dark as that needs."""
    channels = [int(colour[i : i + 2], 16) for i in (1, 3, 5)]
    for percent in range(100, 0, -1):
        tone = "#" + "".join(f"{channel * percent // 100:02x}" for channel in channels)
        if 1.05 / (_luminance(tone) + 0.05) >= TEXT_CONTRAST:
            return tone
    return INK


def _luminance(colour: str) -> float:
    """Returns the relative luminance of a colour (WCAG 2.2)."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def verdict(name: str) -> MarkStyle:
    """Returns the style of a verdict; one that is new here looks like "not_known"."""
    return VERDICT.get(name, VERDICT["not_known"])


def memory_order(memory: str) -> tuple[int, str]:
    """Returns a sort key of memory kinds: known ones in their order, then the others by name."""
    known = list(MEMORY)
    return (known.index(memory) if memory in MEMORY else len(known), memory)


def memory_style(memory: str) -> MemoryStyle:
    """Returns the style of a kind of memory; an unknown one gets a style by its name."""
    fallback = OTHER_MEMORY[zlib.crc32(memory.encode()) % len(OTHER_MEMORY)]
    return MEMORY.get(memory, fallback)


def look_key(fields: Fields) -> str:
    """Returns what decides the look: the first of setting, method and memory with a style."""
    candidates = (fields.setting, fields.method, fields.memory)
    return next((candidate for candidate in candidates if candidate in MEMORY), fields.kind)


def strategy_colour(fields: Fields | None, name: str) -> str:
    """Returns the colour of a strategy, by its name alone if its fields are not known."""
    return memory_colour(look_key(fields) if fields else name)


def memory_colour(memory: str) -> str:
    """Returns the colour of a kind of memory."""
    return memory_style(memory).colour


def memory_dash(memory: str) -> list[int]:
    """Returns the dash of a kind of memory in figures without families."""
    return memory_style(memory).dash


def memory_shape(memory: str) -> str:
    """Returns the point shape of a kind of memory."""
    return memory_style(memory).shape


def family_dash(family: str) -> list[int]:
    """Returns the dash of a family."""
    return DASHES[zlib.crc32(family.encode()) % len(DASHES)]


def config(padding: int) -> alt.Config:
    """Returns the fonts, sizes and lines that all figures share."""
    return alt.Config(
        font=FONT,
        background=PAPER,
        padding=padding,
        view=alt.ViewConfig(stroke=LINE),
        axis=alt.AxisConfig(
            labelFontSize=11,
            titleFontSize=12,
            titleFontWeight="normal",
            gridColor=GRID,
            domainColor=LINE,
            labelColor=INK,
            titleColor=INK,
            tickColor=LINE,
        ),
        text=alt.MarkConfig(color=INK),
        legend=alt.LegendConfig(
            labelFontSize=11, titleFontSize=11, labelColor=INK, titleColor=INK, labelLimit=0
        ),
        title=alt.TitleConfig(
            anchor="start",
            fontSize=15,
            subtitleFontSize=11,
            color=INK,
            subtitleColor=SOFT_INK,
            subtitleLineHeight=15,
            subtitlePadding=5,
            offset=12,
        ),
    )
