"""Draws upload, computation and download one after the other, and in pieces that overlap."""

from __future__ import annotations

import re

from plots.figures import phases
from plots.figures.common import Figure, compose_run_chart
from plots.figures.layout import Layout
from plots.figures.phases import Row, make_phases, steps_of
from plots.figures.registered import Of, Question, figure
from plots.model.derive import Benchmark, NoData, Run, Sizes
from plots.text import numbers

NOTHING = "no round trip was measured both in pieces and step by step"
ROLE = "overlap"
AT_ONCE = "all at once"
TRANSFERS = {"upload", "download"}


@figure("overlap", Of.RUN, 2, Question.FASTER)
def draw_overlap(run: Run, layout: Layout) -> Figure:
    """Draws each cut into pieces for each kind of memory, at the largest size.

    A wide layout has room for the smallest size as well.
    """
    by_strategy: dict[str, list[Sizes]] = {}
    for sizes in run.matching(ROLE):
        by_strategy.setdefault(next(iter(sizes.values())).strategy, []).append(sizes)
    divided = {
        strategy: (series, serial)
        for strategy, series in by_strategy.items()
        if (serial := _serial(series))
    }
    rows: list[Row] = []
    limits: list[Row] = []
    gains: list[tuple[Benchmark, Benchmark]] = []
    panels: dict[str, list[str]] = {strategy: [] for strategy in divided}
    for strategy, (series, serial) in divided.items():
        both = (min(serial), max(serial))
        for size in dict.fromkeys(both if layout.beside else both[1:]):
            slow = serial[size]
            cuts = [sizes[size] for sizes in series if size in sizes and sizes is not serial]
            if not cuts:
                continue
            panel = f"{strategy}, {numbers.size(size)}"
            panels[strategy].append(panel)
            for benchmark in (slow, *sorted(cuts, key=_in_order)):
                rows += make_phases(panel, benchmark.variant or "", benchmark, AT_ONCE)
            longest = max(ns for _, ns in steps_of(slow))
            limits.append({"panel": panel, "limit": longest / 1e6})
            gains.append((slow, min(cuts, key=lambda cut: cut.ns)))
    if not gains:
        raise NoData(NOTHING)
    lines = [
        layout.row(
            *(
                phases.draw_panel(
                    panel,
                    _names(rows, of_strategy),
                    rows,
                    layout,
                    labels=i == 0 or not layout.beside,
                    has_limit=True,
                )
                for i, panel in enumerate(of_strategy)
            ),
            spacing=24,
        )
        for of_strategy in panels.values()
        if of_strategy
    ]
    key = phases.key_rows(rows, layout)
    slow, fast = max(gains, key=lambda pair: pair[0].ns / pair[1].ns)
    return Figure(
        heading="Overlap of upload, computation and download",
        reading="The first bar is one step after the other. A bar that ends at the dashed line "
        "hides all but the longest step; too many pieces cost more than they hide.",
        summary=f"The largest gain is that of {fast.strategy} at {numbers.size(fast.bytes or 0)}: "
        f"{numbers.time(fast.ns)} with {fast.variant}, {numbers.time(slow.ns)} one after the "
        "other.",
        chart=compose_run_chart(
            "Upload, compute, download: in pieces that overlap",
            run,
            layout,
            [
                "medians; dashed: the longest of the three steps by itself; when each piece was "
                "under way is not recorded"
            ],
            *lines,
            phases.draw_key(key, phases.panel_width(rows, layout), layout),
            data={phases.DATA: rows, phases.LIMITS: limits, phases.KEY: key},
        ),
    )


def _names(rows: list[Row], panels: list[str]) -> list[str]:
    """Lists the names in these panels: the first panel's first."""
    return list(
        dict.fromkeys(row["row"] for panel in panels for row in rows if row["panel"] == panel)
    )


def _serial(series: list[Sizes]) -> Sizes:
    """Returns the series whose transfers were timed by themselves, or an empty one."""
    for sizes in series:
        if all(TRANSFERS.issubset(dict(steps_of(each))) for each in sizes.values()):
            return sizes
    return {}


def _in_order(benchmark: Benchmark) -> tuple[int, list[tuple[int, str]]]:
    """Returns a key that sorts short names first, and numbers within names by their value."""
    parts = re.split(r"(\d+)", benchmark.variant or "")
    return len(parts), [(int(part), "") if part.isdigit() else (-1, part) for part in parts]
