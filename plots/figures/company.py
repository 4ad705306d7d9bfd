"""Draws what copies cost work of the GPU beside them: a cell for each kind of copy and of work."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from plots.figures import style
from plots.figures.cells import MOST_CELLS, Cells
from plots.figures.common import DIRECTION_TITLES, Figure, make_figure
from plots.figures.layout import Layout
from plots.figures.registered import Of, Question, figure
from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.model.no_data import NoData
from plots.model.same_gpu import longest_history
from plots.text import caption, numbers

ROLE = "company"


@figure("company", Of.RUN, 3, Question.COST)
def draw_company(run: Run, layout: Layout) -> Figure:
    """Draws how many times as long each work takes beside copies of each kind, by direction."""
    return _draw(run.with_role(ROLE), layout, run, "")


@figure("company", Of.RUNS, 5)
def draw_company_of_machine(runs: list[tuple[int, Run]], layout: Layout) -> Figure:
    """Draws the same from all processes of the runs of one machine."""
    own = [dated.run for dated in longest_history([run for _, run in runs])]
    if len(own) < 2:
        raise NoData("no two runs are of one machine")
    pooled, least = _pool(own)
    note = f"{len(own)} runs; a cell has the medians of {least} or more processes"
    return _draw(pooled, layout, own[-1], note)


def _pool(runs: list[Run]) -> tuple[list[Benchmark], int]:
    """Puts the rows of benchmarks in runs together, which are in the order of time.

    Rows of earlier procedures are left out. Returns the least number of processes, too.
    """
    pooled: dict[str, Benchmark] = {}
    processes: dict[str, int] = {}
    for run in runs:
        for benchmark in run.with_role(ROLE):
            name, rows = benchmark.name, benchmark.rows
            count = len({row.get("process") for row in rows})
            if known := pooled.get(name):
                earlier = known.procedure - benchmark.procedure
                if earlier > 0:
                    continue
                if earlier == 0:
                    rows, count = [*known.rows, *rows], count + processes[name]
            pooled[name], processes[name] = replace(benchmark, rows=rows), count
    return [pooled[name] for name in sorted(pooled)], min(processes.values(), default=0)


def _draw(benchmarks: list[Benchmark], layout: Layout, run: Run, note: str) -> Figure:
    measured = [
        benchmark
        for benchmark in benchmarks
        if benchmark.direction in DIRECTION_TITLES and benchmark.positive_median("work_alone_ns")
    ]
    if not measured:
        raise NoData("no work beside copies was measured")
    size = max(benchmark.size_bytes or 0 for benchmark in measured)
    rows = [_make_row(work) for work in measured if (work.size_bytes or 0) == size]
    causes = sorted({row["row"] for row in rows}, key=lambda name: _worst(rows, name))[:MOST_CELLS]
    works = list(dict.fromkeys(row["column"] for row in rows))
    cells = Cells(
        data="company",
        rows=causes,
        columns=works,
        row_title="another thread copies by",
        column_title="work",
        layout=layout,
        tips={"copies": "row", "work": "column", "beside": "beside", "alone": "alone"},
    )
    panels = [
        cells.panel(name, title)
        for name, title in DIRECTION_TITLES.items()
        if any(row["panel"] == name for row in rows)
    ]
    most = max(rows, key=lambda row: row["factor"])
    told = "how many times as long the work takes beside the copies as alone"
    return make_figure(
        caption.title(f"Work beside copies of {numbers.size(size)}", run),
        layout,
        [caption.describe_origin(run), note, told],
        cells.arrange(panels),
        heading="Work beside copies",
        reading="Work waits beside copies of dark rows. Point at a cell for its times.",
        summary=f"The most: {most['column']} takes {most['text']} as long beside {most['row']}.",
        data={"company": rows},
    )


def _make_row(benchmark: Benchmark) -> dict[str, Any]:
    alone, beside = benchmark.positive_median("work_alone_ns") or 0.0, benchmark.ns
    factor = beside / alone
    return {
        "panel": benchmark.direction,
        "strategy": benchmark.strategy,
        "row": (benchmark.method or "").replace("_", " "),
        "column": (benchmark.setting or "").replace("_", " "),
        "factor": factor,
        "text": numbers.times(factor),
        "beside": numbers.time(beside),
        "alone": numbers.time(alone),
        "colour": style.kept_colour(min(1.0, 1 / factor) if factor else 1.0),
    }


def _worst(rows: list[dict[str, Any]], cause: str) -> float:
    """Returns the largest factor in a row, by which rows are ordered."""
    return max(float(row["factor"]) for row in rows if row["row"] == cause)
