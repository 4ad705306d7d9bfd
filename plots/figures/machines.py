"""Draws several runs side by side: absolute rates, and percentages of each run's link."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.bandwidth import SMALLEST
from plots.figures.common import Figure, Listing, linear, make_figure, sizes_axis
from plots.figures.compose import LayerChart
from plots.figures.keys import SAMPLE, Key
from plots.figures.layout import LETTER, Layout
from plots.figures.registered import Of, figure
from plots.figures.rows import directions_of
from plots.model.derive import DIRECTIONS, Run
from plots.model.headline import Pick, headline_strategies, pick_strategies
from plots.model.no_data import NoData
from plots.text import caption, numbers, side_by_side

# Colours belong to strategies; runs differ by dash and shape.
DASHES = [[1, 0], [6, 3], [2, 2], [8, 2, 2, 2], [4, 1], [1, 3]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down"]
MOST_RUNS = len(DASHES)
MOST_STRATEGIES = 3
PANEL_HEIGHT = {True: 220, False: 120}
KEY_ROOM = SAMPLE + 20  # pixels, around a name of the key
# Strategies whose lines do not overlap.
DISTINCT_PICKS = [
    Pick("pageable"),
    Pick("pinned"),
    Pick("staged"),
    Pick("pinned_mapped", in_place=True),
]


@figure("machines", Of.RUNS, 3)
def draw_machines(runs: list[tuple[int, Run]], layout: Layout) -> Figure:
    """Draws the bandwidths that all runs have in common; runs are numbered as in the report."""
    shown = runs[:MOST_RUNS]
    kinds = _kinds(shown[0][1])
    common = common_strategies(shown)[:MOST_STRATEGIES]
    names = side_by_side.run_names(runs)[: len(shown)]
    rows = [
        row
        for name, (number, run) in zip(names, shown, strict=True)
        for row in _make_rows(name, number, run, common)
    ]
    if not rows:
        raise NoData("these runs have no plain transfer in common")
    rows = [row for row in rows if row["bytes"] >= SMALLEST] or rows
    memories = sorted({row["memory"] for row in rows}, key=style.memory_order)
    fields = [("gb_per_s", "bandwidth (GB/s)")]
    if len({run.link_limit for _, run in shown}) > 1 and all(row["percent"] for row in rows):
        fields.append(("percent", "bandwidth (% of the link)"))
    panels = [
        layout.row(
            *(
                _draw_panel(direction, field, title, rows, names, memories, layout)
                for direction in directions_of(rows)
            ),
            spacing=24,
        )
        for field, title in fields
    ]
    devices = dict.fromkeys(caption.device_name(run) for _, run in shown)
    key = _key(names, common, kinds, layout)
    best = max(rows, key=lambda row: row["gb_per_s"])
    return make_figure(
        f"Runs side by side — {', '.join(devices)}",
        layout,
        [
            *(
                f"{name}: {caption.describe_origin(run)}"
                for name, (_, run) in zip(names, shown, strict=True)
            ),
            "medians of the repetitions; wall time until the data are usable, warm caches",
            f"{len(runs) - len(shown)} more runs are not shown here" * (len(runs) > len(shown)),
        ],
        *panels,
        key.chart(
            draw.colour_by_field(),
            lambda base: _draw_lines(base, names),
            lambda base: _draw_marks(base, names),
        ),
        heading="Runs side by side",
        reading="Colour tells the strategy, dash and shape the run.",
        summary=f"The highest bandwidth is {best['rate']}: {best['strategy']} in {best['run']}.",
        strategies=[(name, style.memory_colour(kinds[name])) for name in common],
        data={"runs": rows, "key": key.data()},
        meta=Listing("gb_per_s", descending=True, value="rate").usermeta(),
    )


def _kinds(run: Run) -> dict[str, str]:
    """Returns the kind of each strategy, which decides its colour."""
    return {benchmark.strategy: benchmark.kind for benchmark in run.transfers}


def _key(names: list[str], strategies: list[str], kinds: dict[str, str], layout: Layout) -> Key:
    entries = [
        {
            "name": each,
            "run": names[0],
            "strategy": each,
            "colour": style.memory_colour(kinds[each]),
        }
        for each in strategies
    ]
    entries += [{"name": name, "run": name, "strategy": "", "colour": style.LINE} for name in names]
    longest = max(len(entry["name"]) for entry in entries)
    return Key(entries, layout, len(strategies), KEY_ROOM + round(LETTER * longest))


def common_strategies(runs: list[tuple[int, Run]]) -> list[str]:
    """Returns what to look at first of the strategies that all runs have, one of each kind.

    Those that other procedures have measured are not compared.
    """
    first = runs[0][1]
    kinds = _kinds(first)
    comparison = side_by_side.comparison_of(runs)
    left_out = comparison.left_out if comparison else set()
    other = {benchmark.strategy for benchmark in first.transfers if benchmark.name in left_out}
    by_kind: dict[str, str] = {}
    for name in (*pick_strategies(first, DISTINCT_PICKS), *headline_strategies(first)):
        if name not in other and _in_all(name, runs):
            by_kind.setdefault(kinds[name], name)
    return list(by_kind.values())


def _in_all(name: str, runs: list[tuple[int, Run]]) -> bool:
    return all(any(benchmark.strategy == name for benchmark in run.transfers) for _, run in runs)


def _label(strategy: str, run: str) -> str:
    return f"{strategy}, {run}"


def _make_rows(name: str, number: int, run: Run, names: list[str]) -> list[dict[str, Any]]:
    rows = []
    for benchmark in run.transfers:
        if benchmark.strategy not in names:
            continue
        rate = benchmark.gb_per_s or 0
        rows.append(
            {
                "benchmark": benchmark.name,
                "of_run": number,
                "run": name,
                "label": _label(benchmark.strategy, name),
                "strategy": benchmark.strategy,
                "memory": benchmark.kind,
                "direction": DIRECTIONS[benchmark.direction],
                "bytes": benchmark.bytes,
                "size": numbers.size(benchmark.bytes or 0),
                "gb_per_s": rate,
                "rate": numbers.rate(rate),
                "percent": 100 * rate / run.link_limit if run.link_limit else None,
                "device": caption.device_name(run),
            }
        )
    return rows


def _draw_panel(
    direction: str,
    field: str,
    title: str,
    rows: list[dict[str, Any]],
    names: list[str],
    memories: list[str],
    layout: Layout,
) -> LayerChart:
    scale, ticks = linear(max(row[field] for row in rows))
    sizes = [row["bytes"] for row in rows]
    base = draw.shown_rows("runs", direction=direction).encode(
        x=sizes_axis(min(sizes), max(sizes)),
        y=alt.Y(f"{field}:Q", scale=scale, axis=ticks, title=title),
        color=draw.memory_colours(memories),
        detail=[alt.Detail("strategy:N"), alt.Detail("run:N")],
    )
    tips = draw.tooltip(
        run="run", device="device", strategy="strategy", size="size", bandwidth="rate"
    )
    layers = [_draw_lines(base, names), _draw_marks(base, names).encode(tooltip=tips)]
    return draw.panel(
        layers, layout.panel, PANEL_HEIGHT[layout.beside], draw.panel_title(direction)
    )


def _draw_lines(base: alt.Chart, names: list[str]) -> Any:
    dashes = dict(zip(names, DASHES, strict=False))
    return base.mark_line(strokeWidth=1.8).encode(
        strokeDash=draw.scale_by_name("run", names, dashes.__getitem__, alt.StrokeDash)
    )


def _draw_marks(base: alt.Chart, names: list[str]) -> Any:
    shapes = dict(zip(names, SHAPES, strict=False))
    shape = draw.scale_by_name("run", names, shapes.__getitem__, alt.Shape)
    return draw.dots(base, 30).encode(shape=shape)
