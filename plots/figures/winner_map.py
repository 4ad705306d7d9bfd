"""Draws the strategy to use by size and reuse, as `bench_transfers advise --map` says."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.bars import colour_by_field
from plots.figures.common import DIRECTION_TITLES, Figure, compose_run_chart, panel_title, tooltip
from plots.figures.layout import LETTER, Layout
from plots.model.derive import NOTHING_TO_ADVISE, NoData, Run
from plots.text import numbers

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CELL_WIDTH = 17
CELL_HEIGHT = {True: 13, False: 10}
KEY_ROOM = 40  # of a square and a letter, before a name of the key
CLEAR_MARGIN = 0.5  # from this margin on, a cell has its full colour


def draw_winner_map(run: Run, layout: Layout) -> Figure:
    """Draws a cell for each size and reuse: colour and letter of the winner, paler if close."""
    answer = run.advice.map
    if run.on_host:
        raise NoData(NOTHING_TO_ADVISE)
    if answer is None:
        raise NoData(run.advice.missing["map"])
    if not answer["measured_terms"]["allocation"]:
        raise NoData("without the costs of allocation the same strategy wins at every reuse")
    sizes = answer["sizes"][:: 2 if layout.brief else 1]
    cells = [
        cell
        for direction in DIRECTION_TITLES
        for cell in _make_cells(answer, direction)
        if cell["bytes"] in sizes
    ]
    if not cells:
        raise NoData("advise can rank nothing in this file")
    winners = sorted(
        {cell["strategy"] for cell in cells},
        key=lambda name: -sum(cell["strategy"] == name for cell in cells),
    )
    letters = {name: LETTERS[i % len(LETTERS)] for i, name in enumerate(winners)}
    rows = [
        cell
        | {
            "letter": _letter_case(letters[cell["strategy"]], cell["extrapolated"]),
            "colour": style.strategy_colour(run.strategy(cell["strategy"]), cell["strategy"]),
        }
        for cell in cells
    ]
    directions = dict.fromkeys(cell["direction"] for cell in cells)
    panels = [
        _draw_panel(direction, answer["reuse"], sizes, layout, i == 0)
        for i, direction in enumerate(directions)
    ]
    key_width = KEY_ROOM + round(LETTER * max(map(len, winners)))
    columns = layout.columns(3, key_width)
    terms = answer["measured_terms"]
    unknown = [name.replace("_", " ") for name, known in terms.items() if not known]
    chart = compose_run_chart(
        "What to use, by size and reuse",
        run,
        layout,
        [
            "as bench_transfers advise predicts it: getting the memory, filling or reading it by "
            "the CPU, the transfer; the paler a cell, the less the next one that can be told apart "
            "is behind; small letters: extrapolated, of sizes at which a part was not measured",
            f"not measured, and not in the sums: {', '.join(unknown)}" if unknown else "",
        ],
        layout.row(*panels),
        _draw_key(winners, columns, key_width, layout),
    )
    chart.datasets = {
        "cells": rows,
        "key": [
            {
                "letter": letters[name],
                "strategy": name,
                "text": f"{letters[name]}  {name}",
                "colour": style.strategy_colour(run.strategy(name), name),
                "column": i % columns,
                "line": i // columns,
            }
            for i, name in enumerate(winners)
        ],
    }
    return Figure(
        heading="Winner map",
        reading="Find your size on the left and how often the same memory is used below. Where "
        "several are as good, one of them is named: point at a cell for how many. Strategies of "
        "one kind of memory have one colour: letters tell them apart.",
        summary=f"The strategies that win somewhere: {', '.join(winners)}.",
        chart=chart,
        strategies=[],
    )


def _letter_case(letter: str, extrapolated: bool) -> str:
    return letter.lower() if extrapolated else letter


def _make_cells(answer: dict[str, Any], direction: str) -> list[dict[str, Any]]:
    table = answer["directions"].get(direction, {})
    cells = []
    for i, winners in enumerate(table.get("winner", [])):
        for j, winner in enumerate(winners):
            if winner is None:
                continue
            margin, second = table["margin"][i][j], table["runner_up"][i][j]
            cells.append(
                {
                    "direction": direction,
                    "bytes": answer["sizes"][i],
                    "size": numbers.size(answer["sizes"][i]),
                    "reuse": answer["reuse"][j],
                    "strategy": winner,
                    "margin": margin or 0.0,
                    "margin_text": numbers.percent(margin) if margin is not None else "unknown",
                    "runner_up": second or "none that can be told apart",
                    "total": numbers.time(table["total_ns"][i][j]),
                    "clarity": 0.35 + 0.65 * min((margin or 0.0) / CLEAR_MARGIN, 1.0),
                    "as_good": f"{table['as_good'][i][j]} more",
                    "extrapolated": bool(table["extrapolated"][i][j]),
                    "note": "extrapolated" if table["extrapolated"][i][j] else "measured near by",
                }
            )
    return cells


def _draw_panel(
    direction: str, reuses: list[int], sizes: list[int], layout: Layout, is_first: bool
) -> alt.LayerChart:
    labels = is_first or not layout.beside
    base = (
        alt.Chart(alt.NamedData("cells"))
        .transform_filter(alt.datum.direction == direction)
        .encode(
            x=alt.X(
                "reuse:O",
                scale=alt.Scale(domain=reuses, padding=0),
                axis=alt.Axis(
                    labelAngle=0,
                    values=[reuse for reuse in reuses if str(reuse).strip("0") == "1"],
                    format="~s",
                    labelExpr="format(datum.value, '~s')",
                ),
                title="transfers with the same memory",
            ),
            y=alt.Y(
                "bytes:O",
                scale=alt.Scale(domain=sizes[::-1], padding=0),
                axis=alt.Axis(
                    values=sizes[::2], labelExpr=style.SIZE_LABEL, labels=labels, ticks=labels
                ),
                title="size of one transfer" if labels else None,
            ),
        )
    )
    tips = tooltip(
        use="strategy",
        size="size",
        reuse="reuse",
        predicted="total",
        cannot_be_told_from_it="as_good",
        next="runner_up",
        behind_by="margin_text",
        basis="note",
    )
    rect = base.mark_rect().encode(
        color=colour_by_field(),
        opacity=alt.Opacity("clarity:Q", scale=None, legend=None),
        tooltip=tips,
    )
    # Letters must be readable on every colour, also on a dark page with its other paper colour.
    text = base.mark_text(fontSize=10, fontWeight="bold").encode(
        text="letter:N",
        color=alt.condition(
            f"datum.clarity * luminance(datum.colour) + (1 - datum.clarity) * "
            f"luminance('{style.PAPER}') < 0.3",
            alt.value("#fefefe"),
            alt.value("#010101"),
        ),
    )
    heading = panel_title(DIRECTION_TITLES[direction])
    return alt.LayerChart(
        layer=[rect, text],
        title=heading,
        width=min(CELL_WIDTH * len(reuses), layout.panel),
        height=CELL_HEIGHT[layout.beside] * len(sizes),
    )


def _draw_key(winners: list[str], columns: int, width: int, layout: Layout) -> alt.LayerChart:
    lines = -(-len(winners) // columns)
    reach = layout.key_range(width * columns)
    scale = alt.Scale(domain=[-0.05, columns], range=reach, nice=False)
    place = alt.Chart(alt.NamedData("key")).encode(
        x=alt.X("column:Q", axis=None, scale=scale), y=alt.Y("line:O", axis=None)
    )
    squares = place.mark_square(size=150, opacity=1).encode(color=colour_by_field())
    text = place.mark_text(align="left", xOffset=12, fontSize=11).encode(text="text:N")
    return alt.LayerChart(
        layer=[squares, text],
        width=reach[1],
        height=20 * lines,
        view=alt.ViewBackground(stroke=None),
    )
