"""Reads results/published.csv: rates that other people have published."""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields
from pathlib import Path

FILE = Path(__file__).resolve().parents[2] / "results" / "published.csv"


@dataclass(frozen=True)
class Published:
    """Holds one published rate: its GPU and link, how it was measured, and its source."""

    gpu: str
    link: str
    link_gb_per_s: float | None  # its raw rate in one direction; None if the link is not known
    strategy: str
    direction: str
    low: float  # GB/s; the same as `high` if the source gives one number
    high: float
    tool: str
    source: str
    title: str  # of the source
    note: str

    @property
    def rate(self) -> str:
        """Formats the rate with its unit and with the digits of the source."""
        numbers = [f"{value:g}" for value in dict.fromkeys((self.low, self.high))]
        return f"{'–'.join(numbers)} GB/s"


def read_published(path: Path = FILE) -> list[Published]:
    """Returns the published rates in the order of the file."""
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    texts = [field.name for field in fields(Published) if field.type == "str"]
    return [
        Published(
            link_gb_per_s=float(row["link_gb_per_s"]) if row["link_gb_per_s"] else None,
            low=float(row["gb_per_s_low"]),
            high=float(row["gb_per_s_high"]),
            **{name: row[name] for name in texts},
        )
        for row in rows
    ]
