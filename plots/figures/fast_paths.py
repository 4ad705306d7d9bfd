"""Draws how fast fast paths are against the plain method, and the CPU time they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.bars import Bars
from plots.figures.common import Figure, from_zero, run_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import HEADING_MARK
from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.model.no_data import NoData
from plots.text import numbers


@dataclass(frozen=True)
class Comparison:
    """Defines a job, and the fields of the benchmarks that do it.

    `plain` are the fields of the plain method, `fast` those of each faster one; a field that is not
    given may have any value. `differ_in` is the field that distinguishes the methods. There is no
    rate where bytes move twice, because it would not compare with other rates. Jobs of one `part`
    share a panel in a paper.
    """

    title: str
    part: str
    role: str
    fields: dict[str, Any]
    plain: dict[str, Any] = field(default_factory=dict)
    fast: tuple[dict[str, Any], ...] = ({},)
    differ_in: str = "kind"
    has_rate: bool = True


DATA = "ways"
ROUND_TRIPS = "to the device and back"
Row = dict[str, Any]
COMPARISONS = [
    *(
        Comparison(
            f"ordinary memory, {direction}",
            "copies of ordinary memory",
            "copy",
            {"direction": direction, "in_place": False},
            {"memory": "pageable", "method": None},
            (
                {"memory": "pageable", "method": "staged"},
                {"memory": "pageable", "method": "register_once"},
                {"memory": "pageable_huge", "method": "register_once_huge"},
            ),
        )
        for direction in ("h2d", "d2h")
    ),
    *(
        Comparison(
            f"blocks of {block}, {direction}",
            "scattered blocks of pinned memory",
            "scattered_copy",
            {"setting": setting, "memory": "pinned", "direction": direction},
        )
        for direction in ("h2d", "d2h")
        for setting, block in (("4KiB_blocks", "4 KiB"), ("64KiB_blocks", "64 KiB"))
    ),
    *(
        Comparison(
            f"upload, compute, download ({words})",
            ROUND_TRIPS,
            "overlap",
            {"memory": memory},
            fast=tuple({"variant": variant} for variant in variants),
            differ_in="variant",
            has_rate=False,
        )
        for memory, words, variants in (
            ("pinned", "pinned", ("chosen", "pieces_32")),
            ("pageable", "ordinary", ("chosen",)),
        )
    ),
    Comparison(
        "(2 * to_gpu(a)).get()",
        ROUND_TRIPS,
        "array",
        {"direction": "both", "memory": "pageable", "variant": "float32"},
        {"setting": "expression"},
        ({"setting": "staged"},),
        differ_in="setting",
        has_rate=False,
    ),
    Comparison("a message and its answer", ROUND_TRIPS, "latency", {}),
]


@figure("fast_paths", Of.RUN, 1, Question.FASTER)
def draw_fast_paths(run: Run, layout: Layout) -> Figure:
    """Draws the speedup over the plain method, at the largest size that all methods have."""
    groups = [group for comparison in COMPARISONS if (group := _compare(run, comparison))]
    if not groups:
        raise NoData("no fast path was measured beside the plain method to do the same")
    rows = [row for group in groups for row in group]
    panels = _draw_panels(rows, layout)
    if not layout.beside:
        rows = [_with_price(row) for row in rows]
    best = max(rows, key=lambda row: row["speedup"])
    return run_figure(
        "Fast paths against the plain method",
        run,
        layout,
        [
            "at the largest size that both were measured at; bars on a logarithmic scale; CPU "
            "seconds per GB of all threads, waiting in a loop included"
        ],
        layout.row(*panels, spacing=90),
        heading="Fast paths and their price",
        reading="Bold: the task, and its plain method, which is 1×. A faster method that takes "
        "more CPU time pays where cores are idle.",
        summary=f"The largest gain is {best['way']}, {best['speedup_text']}.",
        data={DATA: rows},
    )


def _draw_panels(rows: list[Row], layout: Layout) -> list[LayerChart]:
    """Draws speedups, and the CPU time beside them if there is room.

    In a column, the CPU time stands beside the rate. In a paper each part is a panel, since all
    rows together would be higher than the column is wide.
    """
    parts = list(dict.fromkeys(row["part"] for row in rows)) if layout.brief else [""]
    speedups = [row["speedup"] for row in rows]
    scale = alt.Scale(type="log", domain=[min(speedups) / 1.05, max(speedups)], nice=False)
    panels = [_draw_speedups(part, rows, scale, layout) for part in parts]
    cpu_seconds = [row["cpu"] for row in rows if row["cpu"]]
    if not cpu_seconds or not layout.beside:
        return panels
    price = Bars(
        DATA,
        [row["row"] for row in rows],
        "cpu",
        "CPU seconds per GB",
        from_zero(max(cpu_seconds)),
        layout,
        width=170,
        labels=False,
        where="isValid(datum.cpu)",
    )
    return [*panels, price.chart()]


def _draw_speedups(part: str, rows: list[Row], scale: alt.Scale, layout: Layout) -> LayerChart:
    """Draws the speedups of a part; those of all rows if it has no name."""
    return Bars(
        DATA,
        [row["row"] for row in rows if part in ("", row["part"])],
        "speedup",
        "times as fast as the plain method",
        scale,
        layout,
        width=260,
        heading=part,
        where=f"datum.part === '{part}'" if part else "true",
        start=1,
    ).chart()


def _compare(run: Run, comparison: Comparison) -> list[Row]:
    plain = run.plainest(comparison.role, **comparison.fields, **comparison.plain)
    fast = [
        sizes
        for fields in comparison.fast
        for sizes in run.matching(comparison.role, **comparison.fields, **fields)
        if sizes != plain
    ]
    common = set(plain).intersection(*fast)
    if not fast or not common:
        return []
    size = max(common)
    title = comparison.title + (f", {numbers.size(size)}" if size else "")
    return [_make_row(comparison, title, sizes[size], plain[size]) for sizes in (plain, *fast)]


def _with_price(row: Row) -> Row:
    """Adds the CPU time to a row in a column.

    The row of the plain method has no bar, so its text takes the bar's place.
    """
    text = row["speedup_text"] + (f", {row['cpu_text']} s/GB" if row["cpu"] else "")
    is_plain = row["row"].startswith(HEADING_MARK)
    return row | {"speedup_text": "" if is_plain else text, "note": text if is_plain else ""}


def _make_row(comparison: Comparison, title: str, benchmark: Benchmark, plain: Benchmark) -> Row:
    speedup = plain.ns / benchmark.ns
    rate = benchmark.gb_per_s if comparison.has_rate else None
    cpu = benchmark.positive_median("cpu_s_per_gb")
    method = getattr(benchmark, comparison.differ_in) or benchmark.kind
    value = numbers.rate(rate) if rate else numbers.time(benchmark.ns)
    is_plain = benchmark is plain
    return {
        "benchmark": benchmark.name,
        "row": f"{HEADING_MARK}|{title}" if is_plain else f"{title}|{method}",
        "way": f"{title}: {method}",
        "part": comparison.part,
        "strategy": benchmark.label,
        "speedup": speedup,
        "speedup_text": f"{method}: {value}" if is_plain else f"{numbers.times(speedup)}, {value}",
        "cpu": cpu,
        "cpu_text": numbers.digits(cpu) if cpu else "",
        "colour": style.strategy_colour(benchmark, benchmark.label),
    }
