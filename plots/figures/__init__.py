"""Draws the figures: each module defines one, in its static and its interactive form."""

from __future__ import annotations

from collections.abc import Callable

from plots.figures.allocation import allocation, break_even
from plots.figures.bandwidth import bandwidth
from plots.figures.common import Figure
from plots.figures.compared import compared
from plots.figures.cpu_access import cpu_access
from plots.figures.fast_paths import fast_paths
from plots.figures.ladder import ladder
from plots.figures.latency import latency
from plots.figures.layout import Layout
from plots.figures.machines import machines
from plots.figures.round_trip import round_trip
from plots.figures.samples import samples
from plots.figures.winner_map import winner_map
from plots.model.derive import Run

# In the order of the report. Each raises NoData if the run lacks its data.
FIGURES: dict[str, Callable[[Run, Layout], Figure]] = {
    "bandwidth": bandwidth,
    "latency": latency,
    "ladder": ladder,
    "compared": compared,
    "cpu_access": cpu_access,
    "allocation": allocation,
    "break_even": break_even,
    "winner_map": winner_map,
    "round_trip": round_trip,
    "fast_paths": fast_paths,
    "samples": samples,
}

# Figures of several runs, numbered as in the report: all with a GPU, or all without one.
GROUP_FIGURES: dict[str, Callable[[list[tuple[int, Run]], Layout], Figure]] = {"machines": machines}
