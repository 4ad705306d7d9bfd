"""Draws the strategy to use by size and reuse, as `bench_transfers advise --map` says."""

from __future__ import annotations

from collections import Counter
from typing import Any

import altair as alt

from plots.figures import draw, log_ticks, style
from plots.figures.cells import cell_layers
from plots.figures.common import DIRECTION_TITLES, Figure, run_figure
from plots.figures.compose import LayerChart
from plots.figures.keys import in_columns, key_panel, key_place
from plots.figures.layout import LETTER, Layout
from plots.figures.registered import Of, Question, figure
from plots.model.derive import Run
from plots.model.no_data import NoData
from plots.model.programs import NOTHING_TO_ADVISE
from plots.text import numbers

CELL_WIDTH = 44
CELL_HEIGHT = {True: 20, False: 15}
KEY_ROOM = 28  # of a square, before a name of the key


@figure("winner_map", Of.RUN, 1, Question.STRATEGY)
def draw_winner_map(run: Run, layout: Layout) -> Figure:
    """Draws a cell for each size and reuse: the colour of what to use, and what it gains."""
    answer = run.advice.map
    if run.on_host:
        raise NoData(NOTHING_TO_ADVISE)
    if answer is None:
        raise NoData(run.advice.missing["map"])
    if not answer["measured_terms"]["allocation"]:
        raise NoData("without the costs of allocation the same strategy wins at every reuse")
    sizes = answer["sizes"][-1 :: -2 if layout.brief else -1][::-1]
    rows = [
        cell | {"colour": _colour(run, cell["strategy"])}
        for direction in DIRECTION_TITLES
        for cell in _make_cells(answer, direction)
        if cell["bytes"] in sizes
    ]
    if not rows:
        raise NoData("advise can rank nothing in this file")
    starred = {row["bytes"] for row in rows} - {
        row["bytes"] for row in rows if not row["extrapolated"]
    }
    rows = [
        row | {"text": row["gain"] + "*" * (row["extrapolated"] and row["bytes"] not in starred)}
        for row in rows
    ]
    counts = Counter(row["strategy"] for row in rows)
    winners = sorted(counts, key=lambda name: (-counts[name], name))
    panels = [
        _draw_panel(direction, answer["reuse"], sizes, sorted(starred), layout, i == 0)
        for i, direction in enumerate(dict.fromkeys(row["direction"] for row in rows))
    ]
    key_width = KEY_ROOM + round(LETTER * max(map(len, winners)))
    columns = layout.columns(3, key_width)
    terms = answer["measured_terms"]
    unknown = [name.replace("_", " ") for name, known in terms.items() if not known]
    return run_figure(
        "What to use, by size and reuse",
        run,
        layout,
        [
            run.judged.basis.get("map", ""),
            f"not measured, and not in the sums: {', '.join(unknown)}" if unknown else "",
        ],
        layout.row(*panels),
        _draw_key(winners, columns, key_width, layout),
        heading="What to use, by size and reuse",
        reading="Find your size on the left and how often the same memory is used below. Numbers "
        "say how many times as fast as a plain copy it is; empty cells: the plain copy itself. "
        "Where several are as good, the plainest is named.",
        hint="Point at a cell for how many are as good.",
        summary=f"Recommended somewhere: {', '.join(winners)}.",
        data={
            "cells": rows,
            "key": in_columns([_key_row(run, name) for name in winners], columns),
        },
    )


def _key_row(run: Run, name: str) -> dict[str, Any]:
    return {"strategy": name, "text": name, "colour": _colour(run, name)}


def _colour(run: Run, name: str) -> str:
    """Returns the colour of a strategy; the plain copy is pale, as it needs nothing."""
    fields = run.strategy(name)
    is_plain = fields is not None and fields.plainness == 0
    return style.PEERS if is_plain else style.strategy_colour(fields, name)


def _describe_gain(gain: float | None) -> str:
    """Returns how many times as fast as a plain copy it is; empty for the plain copy itself."""
    return f"{gain:.1f}" if gain and gain > 1 else ""


def _make_cells(answer: dict[str, Any], direction: str) -> list[dict[str, Any]]:
    table = answer["directions"].get(direction, {})
    gains = table.get("gain")
    cells = []
    for i, winners in enumerate(table.get("winner", [])):
        for j, winner in enumerate(winners):
            if winner is None:
                continue
            margin, second = table["margin"][i][j], table["runner_up"][i][j]
            gain = gains[i][j] if gains else None
            cells.append(
                {
                    "direction": direction,
                    "bytes": answer["sizes"][i],
                    "size": numbers.size(answer["sizes"][i]),
                    "reuse": answer["reuse"][j],
                    "strategy": winner,
                    "gain": _describe_gain(gain),
                    "gain_text": f"{gain:.2f}" if gain else "unknown",
                    "margin_text": numbers.percent(margin) if margin is not None else "unknown",
                    "runner_up": second or "none: the others tie",
                    "total": numbers.time(table["total_ns"][i][j]),
                    "as_good": f"{table['as_good'][i][j]} more",
                    "extrapolated": bool(table["extrapolated"][i][j]),
                    "note": "extrapolated" if table["extrapolated"][i][j] else "measured near by",
                }
            )
    return cells


def _draw_panel(
    direction: str,
    reuses: list[int],
    sizes: list[int],
    starred: list[int],
    layout: Layout,
    is_first: bool,
) -> LayerChart:
    labels = is_first or not layout.beside
    star = f"(indexof({starred}, datum.value) < 0 ? '' : '*')"
    base = (
        alt.Chart(alt.NamedData("cells"))
        .transform_filter(alt.datum.direction == direction)
        .encode(
            x=alt.X(
                "reuse:O",
                scale=alt.Scale(domain=reuses, padding=0),
                axis=alt.Axis(
                    labelAngle=0,
                    values=reuses,
                    labelExpr="format(datum.value, '~s')",
                ),
                title="transfers with the same memory",
            ),
            y=alt.Y(
                "bytes:O",
                scale=alt.Scale(domain=sizes[::-1], padding=0),
                axis=alt.Axis(
                    values=sizes,
                    labelExpr=f"({log_ticks.SIZE_LABEL}) + {star}",
                    labels=labels,
                    ticks=labels,
                ),
                title="size of one transfer" if labels else None,
            ),
        )
    )
    tips = dict(
        use="strategy",
        size="size",
        reuse="reuse",
        predicted="total",
        times_as_fast_as_a_plain_copy="gain_text",
        as_good="as_good",
        next="runner_up",
        behind_by="margin_text",
        basis="note",
    )
    return draw.panel(
        cell_layers(base, tips, "text", stroke=style.PAPER, line=1, fontSize=10),
        min(CELL_WIDTH * len(reuses), layout.panel),
        CELL_HEIGHT[layout.beside] * len(sizes),
        draw.panel_title(DIRECTION_TITLES[direction]),
    )


def _draw_key(winners: list[str], columns: int, width: int, layout: Layout) -> LayerChart:
    lines = -(-len(winners) // columns)
    reach = layout.key_range(width * columns)
    place = key_place(columns, 0.05, reach)
    squares = place.mark_square(size=150, opacity=1).encode(color=draw.colour_by_field())
    key = key_panel([squares, draw.texts(place, xOffset=12)], reach[1])
    key.height = 20 * lines
    return key
