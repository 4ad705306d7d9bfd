"""Draws what memory costs to allocate and free, and how much reuse pays for it."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.bars import colour_by_field, rows_axis
from plots.figures.common import (
    DIRECTION_TITLES,
    ZOOM,
    Figure,
    compose_run_chart,
    logarithmic,
    memory_colours,
    panel_title,
    scale_by_name,
    shown_rows,
    sizes_axis,
    tooltip,
)
from plots.figures.compose import LayerChart
from plots.figures.keys import Key
from plots.figures.layout import Layout
from plots.figures.points import strategies_in_drawing_order
from plots.model.derive import NOTHING_TO_ADVISE, NoData, Run
from plots.model.headline import Pick, pick_strategies
from plots.text import numbers

ROLES = {"allocation": "to get it, touched and locked", "deallocation": "to give back"}
NEVER = "never"
KEY_WIDTH = 170
BREAK_EVEN_ROW = {"wide": 28, "column": 24, "paper": 13}


def draw_allocation(run: Run, layout: Layout) -> Figure:
    """Draws the time to allocate and to free, against size."""
    rows = _make_rows(run)
    if not rows:
        raise NoData("what memory costs to get was not measured")
    memories = sorted({row["memory"] for row in rows}, key=style.memory_order)
    sizes = [row["bytes"] for row in rows]
    scale, ticks = logarithmic(min(r["us"] for r in rows), max(r["us"] for r in rows))
    panels = []
    for role, title in ROLES.items():
        if not any(row["role"] == role for row in rows):
            continue
        base = shown_rows("costs", role=role).encode(
            x=sizes_axis(min(sizes), max(sizes), "size of the block"),
            y=alt.Y("us:Q", scale=scale, axis=ticks, title="time (µs)"),
            color=memory_colours(memories),
            detail=alt.Detail("memory:N"),
        )
        lines = _draw_lines(base, memories)
        marks = (
            _draw_marks(base, memories)
            .encode(
                tooltip=tooltip(memory="memory", size="size", time="time", for_a_GiB="per_gib"),
            )
            .add_params(alt.selection_interval(bind="scales", zoom=ZOOM, name=f"zoom_{role}"))
        )
        heading = panel_title(title)
        panels.append(
            LayerChart(
                layer=[lines, marks],
                title=heading,
                width=layout.in_panel(285),
                height=layout.panel_height,
            )
        )
    entries = [{"name": memory, "memory": memory, "strategy": memory} for memory in memories]
    key = Key(entries, layout, most_columns=4, width=KEY_WIDTH)
    chart = compose_run_chart(
        "Getting memory and giving it back",
        run,
        layout,
        ["median; lock_…: cudaHostRegister alone; pools are warm; both scales are logarithmic"],
        layout.row(*panels, spacing=20),
        key.chart(
            memory_colours(memories),
            lambda base: _draw_lines(base, memories),
            lambda base: _draw_marks(base, memories),
        ),
    )
    chart.datasets = {"costs": rows, "key": key.data()}
    largest = max(sizes)
    dearest = max((r for r in rows if r["bytes"] == largest), key=lambda row: row["us"])
    return Figure(
        heading="Allocation and page-locking",
        reading="Lower is better. What is got once and used often costs nothing in the end; what "
        "is got for each transfer is part of it.",
        summary=f"At {numbers.size(largest)} the dearest is {dearest['name']}: {dearest['time']}.",
        chart=chart,
        strategies=[(memory, style.memory_colour(memory)) for memory in memories],
    )


def _make_rows(run: Run) -> list[dict[str, Any]]:
    return [
        {
            "name": benchmark.strategy,
            "role": benchmark.role,
            "memory": benchmark.kind,
            "strategy": benchmark.kind,
            "bytes": benchmark.bytes,
            "size": numbers.size(benchmark.bytes),
            "us": benchmark.ns / 1000,
            "time": numbers.time(benchmark.ns),
            "per_gib": numbers.time(benchmark.ns * 2**30 / benchmark.bytes),
        }
        for benchmark in run.with_role(*ROLES)
        if benchmark.bytes and not benchmark.cold
    ]


def _draw_lines(base: alt.Chart, memories: list[str]) -> Any:
    dash = scale_by_name("memory", memories, style.memory_dash, alt.StrokeDash)
    return base.mark_line().encode(strokeDash=dash)


def _draw_marks(base: alt.Chart, memories: list[str]) -> Any:
    return base.mark_point(filled=True, size=30, opacity=1).encode(
        shape=scale_by_name("memory", memories, style.memory_shape, alt.Shape)
    )


def draw_break_even(run: Run, layout: Layout) -> Figure:
    """Draws the number of transfers from which a strategy beats the plainest copy."""
    if run.on_host:
        raise NoData(NOTHING_TO_ADVISE)
    rankings = [
        ranking for ranking in run.advice.rankings if ranking["measured_terms"]["allocation"]
    ]
    if not rankings:
        missing = run.advice.missing.get("rankings")
        raise NoData(missing or "without the costs of allocation no break-even is known")
    rows = [row for ranking in rankings for row in _make_break_even_rows(run, ranking)]
    plainest = _plainest_copy(run)
    starts = [row["from"] for row in rows if row["from"] is not None]
    if not starts:
        raise NoData(f"no strategy pays against {plainest}, or it is not known")
    names = _names_in_drawing_order(
        run, {row["strategy"] for row in rows if row["from"] is not None}
    )
    never = 10 * max(starts)
    rows = [row | {"transfers": row["from"] or never} for row in rows if row["strategy"] in names]
    powers = [10.0**exponent for exponent in range(1 + int(math.log10(max(starts))))]
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    panels: list[LayerChart] = []
    for direction in dict.fromkeys(row["direction"] for row in rows):
        base = shown_rows("pays", direction=direction).encode(
            x=alt.X(
                "transfers:Q",
                scale=alt.Scale(type="log", domain=[0.8, never * 1.6], nice=False),
                axis=alt.Axis(
                    values=[*powers, never],
                    labelExpr=f"datum.value >= {never} ? '{NEVER}' : format(datum.value, '~s')",
                ),
                title="pays from so many transfers",
            ),
            y=rows_axis(names, "strategy", labels=not (panels and layout.beside), grid=True),
            yOffset=alt.YOffset("size:N", scale=alt.Scale(domain=sizes)),
        )
        marks = base.mark_point(filled=True, size=55, opacity=1).encode(
            color=colour_by_field(),
            shape=alt.Shape(
                "size:N",
                scale=alt.Scale(domain=sizes, range=["circle", "square", "triangle-up", "diamond"]),
                legend=alt.Legend(
                    title="size of a transfer",
                    orient="bottom",
                    direction="horizontal",
                    columns=layout.columns(4, 110),
                    symbolFillColor=style.LINE,
                ),
            ),
            tooltip=tooltip(strategy="strategy", size="size", pays_from="from_text"),
        )
        heading = panel_title(DIRECTION_TITLES[direction])
        panels.append(
            LayerChart(
                layer=[marks],
                title=heading,
                width=layout.beside_names(names, 290),
                height=BREAK_EVEN_ROW[layout.name] * len(names),
            )
        )
    chart = compose_run_chart(
        "Reuse from which a strategy pays",
        run,
        layout,
        [
            f"against {plainest}, with getting the memory, the CPU's filling before an upload "
            "and its reading after a download, as bench_transfers advise predicts it"
        ],
        layout.row(*panels).resolve_legend(shape="shared"),
    )
    chart.datasets = {"pays": rows}
    pinned = pick_strategies(run, [Pick("pinned")])
    example = next((row for row in rows if row["strategy"] in pinned), rows[0])
    return Figure(
        heading="Break-even reuse count",
        reading="Left is better: 1 means that a strategy pays at once. A mark at “never” is "
        f"slower than {plainest} however often the memory is used.",
        summary=f"For example {example['strategy']} ({example['direction']}, {example['size']}): "
        f"{example['from_text']}.",
        chart=chart,
        strategies=[(name, style.strategy_colour(run.strategy(name), name)) for name in names],
    )


def _make_break_even_rows(run: Run, ranking: dict[str, Any]) -> list[dict[str, Any]]:
    question = ranking["question"]
    rows = []
    for strategy in ranking["strategies"]:
        pays = strategy["pays"]
        if isinstance(pays, dict):
            start = pays.get("from", 1)
            text = (
                f"at once, up to {pays['up_to']}"
                if "up_to" in pays
                else f"{start} transfer{'s' if start > 1 else ''}"
            )
        elif pays == NEVER:
            start, text = None, NEVER
        else:
            continue
        rows.append(
            {
                "strategy": strategy["name"],
                "colour": style.strategy_colour(run.strategy(strategy["name"]), strategy["name"]),
                "direction": question["direction"],
                "size": numbers.size(question["bytes"]),
                "from": start,
                "from_text": text,
            }
        )
    return rows


def _names_in_drawing_order(run: Run, names: set[str]) -> list[str]:
    """Sorts names in drawing order, those with unknown fields last."""
    known = strategies_in_drawing_order(
        fields for name in sorted(names) if (fields := run.strategy(name))
    )
    return [*known, *sorted(names - set(known))]


def _plainest_copy(run: Run) -> str:
    """Returns the strategy that `advise` compares with."""
    copies = run.plainest("copy", in_place=False)
    return next((benchmark.strategy for benchmark in copies.values()), "the plainest copy")
