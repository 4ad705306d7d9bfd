"""Draws the figures: each module defines one, in its static and its interactive form."""

from __future__ import annotations

from collections.abc import Callable

from plots.figures.allocation import draw_allocation
from plots.figures.at_once import draw_at_once
from plots.figures.bandwidth import draw_bandwidth
from plots.figures.break_even import draw_break_even
from plots.figures.cold_caches import draw_cold_caches
from plots.figures.common import Figure
from plots.figures.compared import draw_compared
from plots.figures.cpu_access import draw_cpu_access
from plots.figures.differences import draw_differences
from plots.figures.fast_paths import draw_fast_paths
from plots.figures.fleet_history import draw_history
from plots.figures.fleet_map import draw_fleet_map
from plots.figures.fleet_outliers import draw_outliers
from plots.figures.fleet_strip import draw_strip
from plots.figures.host_tree import draw_host_tree
from plots.figures.interference import draw_interference
from plots.figures.ladder import draw_ladder
from plots.figures.latency import draw_latency
from plots.figures.layout import Layout
from plots.figures.machine_history import draw_machine_history
from plots.figures.machine_ranks import draw_ranks
from plots.figures.machines import draw_machines
from plots.figures.nodes import draw_nodes, draw_nodes_of_map
from plots.figures.overlap import draw_overlap
from plots.figures.pairs import draw_pairs
from plots.figures.price import draw_price
from plots.figures.returns import draw_returns
from plots.figures.round_trip import draw_round_trip
from plots.figures.samples import draw_samples
from plots.figures.small_copies import draw_small_copies
from plots.figures.winner_map import draw_winner_map
from plots.model.derive import Run
from plots.model.fleet import History, Judgement
from plots.model.host_map import HostMap

Draw = Callable[[Run, Layout], Figure]
# By the question that they answer, in the order of the report. Each raises NoData if the run lacks
# its data.
BY_QUESTION: dict[str, dict[str, Draw]] = {
    "How fast is each size, and where is the rest lost?": {
        "bandwidth": draw_bandwidth,
        "ladder": draw_ladder,
    },
    "Which strategy pays, and from how many transfers on?": {
        "winner_map": draw_winner_map,
        "break_even": draw_break_even,
    },
    "What does a small copy cost?": {
        "small_copies": draw_small_copies,
        "latency": draw_latency,
    },
    "Which faster methods are there?": {
        "fast_paths": draw_fast_paths,
        "overlap": draw_overlap,
        "round_trip": draw_round_trip,
        "returns": draw_returns,
    },
    "What does it cost the CPU?": {
        "price": draw_price,
        "cpu_access": draw_cpu_access,
        "allocation": draw_allocation,
        "cold_caches": draw_cold_caches,
    },
    "How much do these numbers vary?": {
        "samples": draw_samples,
        "interference": draw_interference,
    },
    "Is this normal?": {
        "compared": draw_compared,
    },
}
FIGURES: dict[str, Draw] = {
    name: draw for figures in BY_QUESTION.values() for name, draw in figures.items()
}
QUESTIONS = {name: question for question, figures in BY_QUESTION.items() for name in figures}

# Figures of several runs, numbered as in the report: all with a GPU, or all without one.
GROUP_FIGURES: dict[str, Callable[[list[tuple[int, Run]], Layout], Figure]] = {
    "ranks": draw_ranks,
    "differences": draw_differences,
    "machines": draw_machines,
    "history": draw_machine_history,
}

# Figures of all devices of a run together: of the run as it is in its file, not split by device.
DEVICES_FIGURES: dict[str, Callable[[Run, Layout], Figure]] = {
    "at_once": draw_at_once,
    "nodes": draw_nodes,
}

# Figures of a map of a host.
MAP_FIGURES: dict[str, Callable[[HostMap, Layout], Figure]] = {
    "links": draw_host_tree,
    "pairs": draw_pairs,
    "nodes": draw_nodes_of_map,
}

# Figures of a sweep of a fleet, and of its GPUs over sweeps.
FLEET_FIGURES: dict[str, Callable[[Judgement, Layout], Figure]] = {
    "strip": draw_strip,
    "racks": draw_fleet_map,
    "outliers": draw_outliers,
}
HISTORY_FIGURES: dict[str, Callable[[History, Layout], Figure]] = {"gpus": draw_history}

# Of the gate's answer.
FOREST = "forest"

# What a reader may ask for by name.
FIGURE_NAMES = sorted(
    {FOREST}.union(
        FIGURES, GROUP_FIGURES, DEVICES_FIGURES, MAP_FIGURES, FLEET_FIGURES, HISTORY_FIGURES
    )
)
