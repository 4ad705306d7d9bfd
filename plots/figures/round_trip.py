"""Draws the round trip of an array, stacked by phase."""

from __future__ import annotations

from plots.figures import phases
from plots.figures.common import Figure, run_figure
from plots.figures.layout import Layout
from plots.figures.registered import Of, Question, figure
from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.model.no_data import NoData
from plots.text import numbers

USUAL_ELEMENTS = "float32"  # the elements that the title names
UNDIVIDED = "not divided"


@figure("round_trip", Of.RUN, 3, Question.FASTER)
def draw_round_trip(run: Run, layout: Layout) -> Figure:
    """Draws each version of (2 * to_gpu(a)).get() at the smallest and the largest size."""
    trips = {
        benchmark.label: run.sizes(benchmark)
        for benchmark in run.benchmarks
        if _is_round_trip(benchmark)
    }
    sizes_by_name = {_name(next(iter(sizes.values()))): sizes for sizes in trips.values() if sizes}
    sizes = sorted({size for sizes in sizes_by_name.values() for size in sizes})
    if not sizes:
        raise NoData("round trips of arrays were not measured")
    ends = list(dict.fromkeys((sizes[0], sizes[-1])))
    rows = [
        row
        for name, by_size in sorted(sizes_by_name.items())
        for size in ends
        if size in by_size
        for row in phases.make_phases(numbers.size(size), name, by_size[size], UNDIVIDED)
    ]
    panels = [
        phases.draw_panel(
            numbers.size(size),
            sorted(sizes_by_name),
            rows,
            layout,
            labels=size == ends[0] or not layout.beside,
        )
        for size in ends
    ]
    key = phases.key_rows(rows, layout)
    best = next(iter(run.as_good("array", "both", ends[-1])), None)
    return run_figure(
        "Round trip of an array of float32: up, 2 · a, down",
        run,
        layout,
        [
            "medians; a version that is one call cannot be divided into phases; "
            "fresh: into newly allocated memory"
        ],
        layout.row(*panels, spacing=24),
        phases.draw_key(key, phases.panel_width(rows, layout), layout),
        heading="Round trip of an array by phase",
        reading="Shorter is better. What is not upload, compute or download is the price of "
        "convenience.",
        summary=f"At {numbers.size(ends[-1])} {_name(best)} takes {numbers.time(best.ns)}; nothing "
        "measured is clearly faster."
        if best
        else "",
        data={phases.DATA: rows, phases.KEY: key},
    )


def _is_round_trip(benchmark: Benchmark) -> bool:
    return (
        benchmark.role == "array"
        and benchmark.direction == "both"
        and bool(benchmark.bytes)
        and benchmark.warm
    )


def _name(benchmark: Benchmark) -> str:
    variant = None if benchmark.variant == USUAL_ELEMENTS else benchmark.variant
    return "/".join(filter(None, (benchmark.memory, benchmark.setting, variant)))
