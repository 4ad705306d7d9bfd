"""Draws upload, computation and download one after the other, and in pieces that overlap."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Any

from plots.figures import phases
from plots.figures.common import Figure, run_figure
from plots.figures.layout import Layout
from plots.figures.phases import Row, make_phases, steps_of
from plots.figures.registered import Of, Question, figure
from plots.model import values
from plots.model.benchmark import Benchmark, Sizes
from plots.model.derive import Run
from plots.model.no_data import NoData
from plots.text import numbers

NOTHING = "no round trip was measured both in pieces and step by step"
ROLE = "overlap"
AT_ONCE = "all at once"
TRANSFERS = {"upload", "download"}


@dataclass(frozen=True)
class Panel:
    """Holds a round trip at one size: step by step, and in pieces."""

    serial: Benchmark
    cuts: list[Benchmark]

    @property
    def title(self) -> str:
        """Returns the strategy and the size."""
        return f"{self.serial.strategy}, {numbers.size(self.serial.size_bytes or 0)}"

    @property
    def limit(self) -> float:
        """Returns the longest step, in milliseconds."""
        return max(ns for _, ns in steps_of(self.serial)) / 1e6

    @property
    def fastest(self) -> Benchmark:
        """Returns the best cut into pieces."""
        return min(self.cuts, key=lambda cut: cut.ns)

    def rows(self) -> list[Row]:
        """Returns the bars, that of the serial one first."""
        ordered = (self.serial, *sorted(self.cuts, key=_in_order))
        bars = (make_phases(self.title, one.variant or "", one, AT_ONCE) for one in ordered)
        return [row for bar in bars for row in bar]


@figure("overlap", Of.RUN, 2, Question.FASTER)
def draw_overlap(run: Run, layout: Layout) -> Figure:
    """Draws each cut into pieces for each kind of memory, at the largest size.

    A wide layout has room for the smallest size as well.
    """
    panels = _panels(run, layout)
    if not panels:
        raise NoData(NOTHING)
    rows = [row for panel in panels for row in panel.rows()]
    lines = [
        _draw_line([panel.title for panel in of_strategy], rows, layout)
        for _, of_strategy in groupby(panels, lambda panel: panel.serial.strategy)
    ]
    key = phases.key_rows(rows, layout)
    slow, fast = max(
        ((panel.serial, panel.fastest) for panel in panels),
        key=lambda pair: pair[0].ns / pair[1].ns,
    )
    return run_figure(
        "Upload, compute, download: in pieces that overlap",
        run,
        layout,
        [
            "medians; dashed: the longest of the three steps by itself; when each piece was "
            "under way is not recorded"
        ],
        *lines,
        phases.draw_key(key, phases.panel_width(rows, layout), layout),
        heading="Overlap of upload, computation and download",
        reading="The first bar is one step after the other. A bar that ends at the dashed line "
        "hides all but the longest step; too many pieces cost more than they hide.",
        summary=f"The largest gain is that of {fast.strategy} at {numbers.size(fast.bytes or 0)}: "
        f"{numbers.time(fast.ns)} with {fast.variant}, {numbers.time(slow.ns)} one after the "
        "other.",
        data={
            phases.DATA: rows,
            phases.LIMITS: [{"panel": each.title, "limit": each.limit} for each in panels],
            phases.KEY: key,
        },
    )


def _panels(run: Run, layout: Layout) -> list[Panel]:
    by_strategy: dict[str, list[Sizes]] = {}
    for sizes in run.matching(ROLE):
        by_strategy.setdefault(next(iter(sizes.values())).strategy, []).append(sizes)
    panels = []
    for series in by_strategy.values():
        if serial := _serial(series):
            both = (min(serial), max(serial))
            for size in dict.fromkeys(both if layout.beside else both[1:]):
                cuts = [sizes[size] for sizes in series if size in sizes and sizes is not serial]
                panels += [Panel(serial[size], cuts)] if cuts else []
    return panels


def _draw_line(panels: list[str], rows: list[Row], layout: Layout) -> Any:
    """Draws panels beside each other; the names of the first one come first."""
    names = dict.fromkeys(row["row"] for panel in panels for row in rows if row["panel"] == panel)
    drawn = [
        phases.draw_panel(
            panel, list(names), rows, layout, labels=i == 0 or not layout.beside, has_limit=True
        )
        for i, panel in enumerate(panels)
    ]
    return layout.row(*drawn, spacing=24)


def _serial(series: list[Sizes]) -> Sizes:
    """Returns the series whose transfers were timed by themselves, or an empty one."""
    for sizes in series:
        if all(TRANSFERS.issubset(dict(steps_of(each))) for each in sizes.values()):
            return sizes
    return {}


def _in_order(benchmark: Benchmark) -> tuple[int, list[tuple[int, str]]]:
    """Returns a key that sorts names of few parts first, and numbers in names by their value."""
    key = values.natural(benchmark.variant or "")
    return len(key), key
