"""Draws what a small copy waits while a large one is under way, and what the large one loses."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, run_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import LETTER, Layout
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import HEADING_MARK, Rows, directions_of
from plots.model.benchmark import Benchmark
from plots.model.derive import DIRECTIONS, Run
from plots.model.no_data import NoData
from plots.text import numbers

ROLE = "interference"
PERCENTILES = (
    ("median_ns", "median", "circle", "#08519c"),
    ("p99_ns", "99 %", "square", "#d94801"),
    ("p999_ns", "99.9 %", "triangle-right", "#000000"),
)


@figure("interference", Of.RUN, 2, Question.SPREAD)
def draw_interference(run: Run, layout: Layout) -> Figure:
    """Draws the percentiles of the largest small copy beside each large one."""
    copies = [
        benchmark
        for benchmark in run.with_role(ROLE)
        if benchmark.bytes and benchmark.positive_median("p99_ns")
    ]
    if not copies:
        raise NoData("no small copies beside large ones were measured")
    size = max(benchmark.bytes or 0 for benchmark in copies)
    copies = [benchmark for benchmark in copies if benchmark.bytes == size]
    # The quickest large copy comes first: how it is made decides, not how the small one is.
    methods = sorted({copy.method or "" for copy in copies}, key=lambda name: _worst(copies, name))
    rows = [row for copy in copies for row in _make_rows(copy)]
    names = _order_rows(copies, methods)
    ends = [row["us"] for row in rows]
    scale = alt.Scale(type="log", domain=[min(ends) / 1.2, max(ends) * 1.2], nice=False)
    directions = directions_of(rows)
    panels = [_draw_panel(name, names, scale, layout, name == directions[0]) for name in directions]
    late = [row for row in rows if row["percentile"] == PERCENTILES[1][1]]
    best, worst = (find(late, key=lambda row: row["us"]) for find in (min, max))
    return run_figure(
        f"A copy of {numbers.size(size)} while a large one is under way",
        run,
        layout,
        ["time until the small copy has ended; in bold, how the large copy is made"],
        layout.row(*panels, spacing=24).resolve_legend(color="shared", shape="shared"),
        heading="A small copy beside a large one",
        reading="Marks far apart are a copy that is sometimes late. Marks far to the right are one "
        "that waits for the large copy. The tooltip says what the large copy loses.",
        summary=f"One of a hundred takes longer than {best['time']} at best ({best['copy']}) and "
        f"{worst['time']} at worst ({worst['copy']}).",
        data={"waits": rows},
    )


def _worst(copies: list[Benchmark], method: str) -> float:
    """Returns the longest of the late copies beside large copies of this method."""
    beside = [copy for copy in copies if (copy.method or "") == method]
    return max(copy.positive_median("p99_ns") or 0 for copy in beside)


def _row(copy: Benchmark) -> str:
    """Names a row. The part before the "|" tells it from those of other large copies."""
    return f"{copy.method}|{_words(copy.setting)}"


def _words(name: str | None) -> str:
    return (name or "").replace("_", " ")


def _order_rows(copies: list[Benchmark], methods: list[str]) -> list[str]:
    names = []
    for method in methods:
        names.append(f"{HEADING_MARK}{method}|{_words(method)}")
        names += dict.fromkeys(_row(copy) for copy in copies if (copy.method or "") == method)
    return names


def _make_rows(copy: Benchmark) -> list[dict[str, Any]]:
    loss = copy.any_median("bulk_loss_percent")
    return [
        {
            "benchmark": copy.name,
            "row": _row(copy),
            "strategy": copy.strategy,
            "copy": f"{_words(copy.setting)}, {DIRECTIONS[copy.direction]}, "
            f"large copy: {_words(copy.method)}",
            "direction": DIRECTIONS[copy.direction],
            "percentile": name,
            "us": ns / 1e3,
            "time": numbers.time(ns),
            "loss": "" if loss is None else f"{loss:.1f} %",
        }
        for counter, name, *_ in reversed(PERCENTILES)  # the median lies on top
        if (ns := copy.positive_median(counter))
    ]


def _draw_panel(
    direction: str, names: list[str], scale: alt.Scale, layout: Layout, is_first: bool
) -> LayerChart:
    looks = {name: look for _, name, *look in PERCENTILES}
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal")
    names_of = "percentile", list(looks)
    shape = draw.scale_by_name(*names_of, lambda name: looks[name][0], alt.Shape, legend)
    colour = draw.scale_by_name(*names_of, lambda name: looks[name][1], alt.Color, legend)
    value = Value("time (µs)", scale, alt.Axis(format=",~f", tickCount=5))
    chart = draw.shown_rows("waits", direction=direction)
    rows = Rows(chart, names, layout, value, is_first or not layout.beside, grid=True)
    reach = rows.base.mark_rule(color=style.LINE).encode(
        x=alt.X("min(us):Q", scale=scale), x2=alt.X2("max(us):Q")
    )
    tips = draw.tooltip(
        strategy="strategy", percentile="percentile", time="time", large_copy_loses="loss"
    )
    shown = [name.split("|")[-1] for name in names]
    wide = round(min(300, (layout.width - LETTER * max(map(len, shown))) / 2))
    return rows.panel(
        [reach, rows.points("us", 38, shape=shape, color=colour, tooltip=tips)],
        layout.beside_names(shown, wide),
        draw.panel_title(f"small copy {direction}"),
    )
