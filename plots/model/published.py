"""Figures that other people have published, from results/published.csv."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "results" / "published.csv"


@dataclass(frozen=True)
class Published:
    """One figure: of which GPU and link, how it was measured, and where it stands."""

    gpu: str
    link: str
    strategy: str
    direction: str
    low: float  # GB/s; both are the same where the source gives one figure
    high: float
    tool: str
    source: str
    note: str

    @property
    def rate(self) -> str:
        """The figure with its unit, with the digits of the source."""
        numbers = [f"{value:g}" for value in dict.fromkeys((self.low, self.high))]
        return f"{'–'.join(numbers)} GB/s"


def published(path: Path = FILE) -> list[Published]:
    """All of them, in the order of the file."""
    with path.open(encoding="utf-8", newline="") as lines:
        return [
            Published(
                gpu=row["gpu"],
                link=row["link"],
                strategy=row["strategy"],
                direction=row["direction"],
                low=float(row["gb_per_s_low"]),
                high=float(row["gb_per_s_high"]),
                tool=row["tool"],
                source=row["source"],
                note=row["note"],
            )
            for row in csv.DictReader(lines)
        ]
