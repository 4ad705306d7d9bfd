"""Draws what copies cost when the CPU's caches do not hold the data."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import draw
from plots.figures.common import Figure, Value, run_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import Rows, directions_of, strong_grid
from plots.model.benchmark import TIME, Benchmark
from plots.model.derive import DIRECTIONS, Run, is_transfer
from plots.model.headline import headline_strategies
from plots.model.no_data import NoData
from plots.text import numbers

# From small to large: sizes have an order, and all three are dark enough to be seen on white.
SIZES = (("circle", "#3182bd"), ("square", "#08519c"), ("triangle-up", "#000000"))


@figure("cold_caches", Of.RUN, 4, Question.COST)
def draw_cold_caches(run: Run, layout: Layout) -> Figure:
    """Draws cold against warm caches for the headline strategies, at up to three sizes."""
    names = headline_strategies(run)
    pairs = [pair for benchmark in run.benchmarks if (pair := _pair(run, benchmark, names))]
    if not pairs:
        raise NoData("no plain transfer was measured with both warm and cold caches")
    all_sizes = sorted({cold.bytes or 0 for cold, _ in pairs})
    sizes = list(dict.fromkeys((all_sizes[0], all_sizes[len(all_sizes) // 2], all_sizes[-1])))
    rows = [_make_row(cold, warm) for cold, warm in pairs if cold.bytes in sizes]
    shown = [name for name in names if any(row["strategy"] == name for row in rows)]
    directions = directions_of(rows)
    low = min(1.0, *(row["low"] for row in rows))
    high = max(1.0, *(row["high"] for row in rows))
    scale = alt.Scale(type="log", domain=[low / 1.05, high * 1.05], nice=False)
    panels = [
        _draw_panel(name, shown, sizes, scale, layout, name == directions[0]) for name in directions
    ]
    most = max(rows, key=lambda row: row["ratio"])
    return run_figure(
        "Copies with cold caches against warm ones",
        run,
        layout,
        [
            "before each copy with cold caches, the data are flushed from the CPU's caches; "
            "lines reach from the least to the largest ratio of two repetitions"
        ],
        layout.row(*panels, spacing=24).resolve_legend(color="shared", shape="shared"),
        heading="Cold caches",
        reading="1 is as fast as with warm caches. Data that a program has just produced are in "
        "the caches; data that were not used for a while are not.",
        summary=f"The largest difference is that of {most['strategy']} at {most['size']}, "
        f"{most['direction']}: {most['times']} as long with cold caches.",
        data={"ratios": rows},
    )


def _pair(run: Run, cold: Benchmark, names: list[str]) -> tuple[Benchmark, Benchmark] | None:
    """Returns a benchmark with cold caches and the same with warm ones."""
    if not cold.cold or not cold.bytes or not is_transfer(cold) or cold.strategy not in names:
        return None
    warm = run.sizes(cold).get(cold.size_bytes or 0)
    return (cold, warm) if warm else None


def _make_row(cold: Benchmark, warm: Benchmark) -> dict[str, Any]:
    cold_ns, warm_ns = cold.values(TIME), warm.values(TIME)
    ratio = cold.ns / warm.ns
    return {
        "benchmark": cold.name,
        "row": cold.strategy,
        "strategy": cold.strategy,
        "direction": DIRECTIONS[cold.direction],
        "size": numbers.size(cold.bytes or 0),
        "ratio": ratio,
        "low": min(cold_ns) / max(warm_ns),
        "high": max(cold_ns) / min(warm_ns),
        "times": f"{ratio:.2f} times",
        "cold": numbers.time(cold.ns),
        "warm": numbers.time(warm.ns),
    }


def _draw_panel(
    direction: str,
    names: list[str],
    sizes: list[int],
    scale: alt.Scale,
    layout: Layout,
    is_first: bool,
) -> LayerChart:
    texts = [numbers.size(size) for size in sizes]
    looks = dict(zip(texts, SIZES[-len(texts) :], strict=True))
    legend = alt.Legend(title=None, orient="bottom", direction="horizontal")
    shape = draw.scale_by_name("size", texts, lambda text: looks[text][0], alt.Shape, legend)
    colour = draw.scale_by_name("size", texts, lambda text: looks[text][1], alt.Color, legend)
    # Sizes stand below each other within a row.
    chart = draw.shown_rows("ratios", direction=direction).encode(
        yOffset=alt.YOffset("size:N", scale=alt.Scale(domain=texts), sort=texts), color=colour
    )
    axis = alt.Axis(tickCount=5, format="~g", grid=True, gridColor=strong_grid(1))
    value = Value("times as long with cold caches", scale, axis)
    rows = Rows(chart, names, layout, value, is_first or not layout.beside, grid=True)
    tips = draw.tooltip(strategy="strategy", size="size", ratio="times", cold="cold", warm="warm")
    return rows.panel(
        [rows.lines("low", "high"), rows.points("ratio", 42, shape=shape, tooltip=tips)],
        layout.beside_names(names, 300),
        draw.panel_title(direction),
        height=2 * layout.row_height * len(names),
    )
