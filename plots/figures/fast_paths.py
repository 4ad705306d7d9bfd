"""Draws how fast fast paths are against the plain method, and the CPU time they need."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.bars import HEADING_MARK, Bars, from_zero
from plots.figures.common import Figure, compose_run_chart
from plots.figures.layout import Layout
from plots.model.derive import Benchmark, NoData, Run
from plots.text import numbers


@dataclass(frozen=True)
class Comparison:
    """Defines a job, and the fields of the benchmarks that do it.

    `plain` are the fields of the plain method, `fast` those of each faster one; a field that is not
    given may have any value. `differ_in` is the field that distinguishes the methods. There is no
    rate where bytes move twice, because it would not compare with other rates.
    """

    title: str
    role: str
    fields: dict[str, Any]
    plain: dict[str, Any] = field(default_factory=dict)
    fast: tuple[dict[str, Any], ...] = ({},)
    differ_in: str = "kind"
    has_rate: bool = True


COMPARISONS = [
    *(
        Comparison(
            f"ordinary memory, {direction}",
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
            "scattered_copy",
            {"setting": setting, "memory": "pinned", "direction": direction},
        )
        for direction in ("h2d", "d2h")
        for setting, block in (("4KiB_blocks", "4 KiB"), ("64KiB_blocks", "64 KiB"))
    ),
    *(
        Comparison(
            f"upload, compute, download ({words})",
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
        "array",
        {"direction": "both", "memory": "pageable", "variant": "float32"},
        {"setting": "expression"},
        ({"setting": "staged"},),
        differ_in="setting",
        has_rate=False,
    ),
    Comparison("a message and its answer", "latency", {}),
]


def draw_fast_paths(run: Run, layout: Layout) -> Figure:
    """Draws the speedup over the plain method, at the largest size that all methods have."""
    groups = [group for comparison in COMPARISONS if (group := _compare(run, comparison))]
    if not groups:
        raise NoData("no fast path was measured beside the plain way to do the same")
    rows = [row for group in groups for row in group]
    names = [row["row"] for row in rows]
    speedups = [row["speedup"] for row in rows]
    scale = alt.Scale(type="log", domain=[min(speedups) / 1.05, max(speedups)], nice=False)
    title = "times as fast as the plain method"
    panels = [Bars("ways", names, "speedup", title, scale, layout, width=260, start=1).chart()]
    cpu_seconds = [row["cpu"] for row in rows if row["cpu"]]
    # In a column, the CPU time stands beside the rate.
    if cpu_seconds and layout.beside:
        price = Bars(
            "ways",
            names,
            "cpu",
            "CPU seconds per GB",
            from_zero(max(cpu_seconds)),
            layout,
            width=170,
            labels=False,
            where="isValid(datum.cpu)",
        )
        panels.append(price.chart())
    if not layout.beside:
        rows = [_with_price(row) for row in rows]
    chart = compose_run_chart(
        "Fast paths against the plain method",
        run,
        layout,
        [
            "at the largest size that both were measured at; bars on a logarithmic scale; CPU "
            "seconds per GB of all threads, waiting in a loop included"
        ],
        layout.row(*panels, spacing=90),
    )
    chart.datasets = {"ways": rows}
    best = max(rows, key=lambda row: row["speedup"])
    return Figure(
        heading="Fast paths and their price",
        reading="Bold: the task, and its plain method, which is 1×. A faster method that takes "
        "more CPU time pays where cores are idle.",
        summary=f"The largest gain is {best['way']}, {best['speedup_text']}.",
        chart=chart,
        strategies=[],
    )


def _compare(run: Run, comparison: Comparison) -> list[dict[str, Any]]:
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


def _with_price(row: dict[str, Any]) -> dict[str, Any]:
    """Adds the CPU time to a row in a column.

    The row of the plain method has no bar, so its text takes the bar's place.
    """
    text = row["speedup_text"] + (f", {row['cpu_text']} s/GB" if row["cpu"] else "")
    is_plain = row["row"].startswith(HEADING_MARK)
    return row | {"speedup_text": "" if is_plain else text, "note": text if is_plain else ""}


def _make_row(
    comparison: Comparison, title: str, benchmark: Benchmark, plain: Benchmark
) -> dict[str, Any]:
    speedup = plain.ns / benchmark.ns
    rate, cpu = benchmark.gb_per_s if comparison.has_rate else None, benchmark.get("cpu_s_per_gb")
    method = getattr(benchmark, comparison.differ_in) or benchmark.kind
    value = numbers.rate(rate) if rate else numbers.time(benchmark.ns)
    is_plain = benchmark is plain
    return {
        "benchmark": benchmark.name,
        "row": f"{HEADING_MARK}|{title}" if is_plain else f"{title}|{method}",
        "way": f"{title}: {method}",
        "strategy": benchmark.label,
        "speedup": speedup,
        "speedup_text": f"{method}: {value}" if is_plain else f"{numbers.times(speedup)}, {value}",
        "cpu": cpu,
        "cpu_text": numbers.digits(cpu) if cpu else "",
        "colour": style.strategy_colour(benchmark, benchmark.label),
    }
