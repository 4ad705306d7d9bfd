"""Draws the figures: each module defines one, in its static and its interactive form."""

from __future__ import annotations

from collections.abc import Callable

from plots.figures.allocation import draw_allocation, draw_break_even
from plots.figures.bandwidth import draw_bandwidth
from plots.figures.common import Figure
from plots.figures.compared import draw_compared
from plots.figures.cpu_access import draw_cpu_access
from plots.figures.fast_paths import draw_fast_paths
from plots.figures.ladder import draw_ladder
from plots.figures.latency import draw_latency
from plots.figures.layout import Layout
from plots.figures.machines import draw_machines
from plots.figures.round_trip import draw_round_trip
from plots.figures.samples import draw_samples
from plots.figures.winner_map import draw_winner_map
from plots.model.derive import Run

# In the order of the report. Each raises NoData if the run lacks its data.
FIGURES: dict[str, Callable[[Run, Layout], Figure]] = {
    "bandwidth": draw_bandwidth,
    "latency": draw_latency,
    "ladder": draw_ladder,
    "compared": draw_compared,
    "cpu_access": draw_cpu_access,
    "allocation": draw_allocation,
    "break_even": draw_break_even,
    "winner_map": draw_winner_map,
    "round_trip": draw_round_trip,
    "fast_paths": draw_fast_paths,
    "samples": draw_samples,
}

# Figures of several runs, numbered as in the report: all with a GPU, or all without one.
GROUP_FIGURES: dict[str, Callable[[list[tuple[int, Run]], Layout], Figure]] = {
    "machines": draw_machines
}
