"""Labels the named parts in the strip of a fleet, where no mark or other label is."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from itertools import chain, product
from typing import Any

from plots.figures import fleet_scale
from plots.figures.fleet_places import Panel, Place
from plots.figures.layout import BOLD_LETTER, Layout
from plots.text import fleet_caption

MOST_LABELS = {"wide": 16, "column": 6, "paper": 6}
LIFT = 13  # pixels from one line of labels to the next
LIFTS = (0, LIFT, 2 * LIFT, 3 * LIFT, -LIFT)  # in the order in which they are tried
HEIGHT = {"wide": 130, "column": 110, "paper": 110}  # of a panel, in pixels


@dataclass(frozen=True)
class Label:
    """Holds the name of a part beside the mark of one of its GPUs."""

    at: int
    high: float  # slowdown at its height, in percent
    name: str
    right: bool  # of the mark


def label_rows(panel: Panel, count: int, layout: Layout) -> list[dict[str, Any]]:
    """Returns the names of the slowest parts, as far as they do not lie on each other."""
    by_part: dict[str, list[Place]] = {}
    for place in panel.places:
        if place.finding:
            by_part.setdefault(fleet_caption.part_name(place.finding), []).append(place)
    room = _Room(panel.ends, count, layout)
    for place in chain(*by_part.values()):
        room.take(*room.mark(place))
    rows: list[dict[str, Any]] = []
    for name, members in sorted(by_part.items(), key=lambda part: -max(p.slower for p in part[1])):
        if len(rows) == MOST_LABELS[layout.name]:
            break
        if label := _placed(name, members, room):
            rows.append({"class": panel.name, **asdict(label)})
    return rows


def _placed(name: str, members: list[Place], room: _Room) -> Label | None:
    """Takes the first free place: right of the last GPU or left of the first, then higher."""
    sides = ((members[-1], True), (members[0], False))
    for lift, (place, right) in product(LIFTS, sides):
        if (height := room.height_of_label(place, name, right, lift)) is not None:
            return Label(place.at, height, name, right)
    return None


class _Room:
    """Knows which pixels of a panel have a mark or a label."""

    MARK, LINE, GAP = 5, 11, 8

    def __init__(self, ends: fleet_scale.Ends, count: int, layout: Layout) -> None:
        self._small, self._count = ends.small, count
        self._width, self._height = layout.width - layout.axis, HEIGHT[layout.name]
        self._low, self._high = (
            fleet_scale.position(end, ends.small) for end in (ends.low, ends.high)
        )
        self._taken: list[tuple[float, float, float]] = []

    def take(self, first: float, last: float, y: float) -> None:
        """Takes the pixels from `first` to `last` at a height."""
        self._taken.append((first, last, y))

    def mark(self, place: Place) -> tuple[float, float, float]:
        """Returns the pixels of a mark."""
        x = self._width * (place.at + 0.5) / self._count
        y = fleet_scale.position(place.slower, self._small) - self._low
        return x - self.MARK, x + self.MARK, self._height * y / (self._high - self._low)

    def height_of_label(self, place: Place, name: str, right: bool, lift: float) -> float | None:
        """Takes the pixels of a label beside a mark or above that, if they are free.

        Returns the slowdown at its height.
        """
        first, last, y = self.mark(place)
        y += lift
        length = BOLD_LETTER * len(name) + self.GAP
        start, end = (last + 1, last + length) if right else (first - length, first - 1)
        inside = start >= 0 and end <= self._width and self.MARK < y < self._height - self.MARK
        if not inside or self._is_taken(start, end, y):
            return None
        self.take(start, end, y)
        position = self._low + y / self._height * (self._high - self._low)
        return round(fleet_scale.slowdown(position, self._small), 4)

    def _is_taken(self, first: float, last: float, y: float) -> bool:
        return any(
            abs(y - other) < self.LINE and a < last and first < b for a, b, other in self._taken
        )
