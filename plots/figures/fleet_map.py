"""Draws racks and nodes of a fleet: a cell for each node, darker the slower its slowest GPU is."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import draw, fleet_scale
from plots.figures.cells import cell_layers
from plots.figures.common import Figure, make_figure
from plots.figures.compose import LayerChart, VConcatChart, at_pixel, hconcat, vconcat
from plots.figures.fleet_grid import Cell, Grid, grid_of
from plots.figures.fleet_nodes import KEY, nodes_of
from plots.figures.keys import key_panel
from plots.figures.layout import LETTER, Layout
from plots.figures.registered import Of, figure
from plots.model.fleet import MISSING, Judgement, Slow
from plots.model.no_data import NoData
from plots.text import caption, fleet_caption

WIDEST, TALLEST = 26, 18  # pixels of a cell
LEAST_WIDTH, LEAST_HEIGHT = 9, 9  # of a cell with a letter
TALL = 620  # pixels of a panel
UNKNOWN_COLOUR = "#f2f2f2"


@figure("racks", Of.SWEEP, 2)
def draw_fleet_map(judgement: Judgement, layout: Layout) -> Figure:
    """Draws a grid for each class; letters tell what is named, missing or unknown."""
    nodes = nodes_of(judgement)
    if len(nodes) < 2:
        raise NoData("the sweep has only one node")
    grid = grid_of(nodes, layout)
    classes = _shown_classes(judgement, layout)
    beside, size = _arrange(grid, len(classes), layout)
    rows = [
        _row(worst, fleet_scale.small(judgement, name), name, cell, line, column)
        for name in classes
        for worst in [judgement.slowdowns(name, judgement.named_gpus(name))]
        for line, (_, cells) in enumerate(grid.lines)
        for column, cell in enumerate(cells)
    ]
    panels = [
        _draw_panel(name, grid, size, labels=not beside or name == classes[0]) for name in classes
    ]
    letters = [letter for letter in KEY if any(letter == row["letter"] for row in rows)]
    lost = sum(entry.code == MISSING and not entry.node for entry in judgement.findings)
    return make_figure(
        fleet_caption.title("Racks and nodes", judgement),
        layout,
        [
            fleet_caption.origin(judgement),
            f"each cell is {grid.unit}: the darker, the slower its slowest GPU is than the "
            "median GPU of its model",
            f"{caption.count(lost, 'missing rank')} of no known node" if lost else "",
        ],
        hconcat(*panels, spacing=14) if beside else layout.stack(*panels),
        _draw_key(letters, layout),
        heading="Racks and nodes",
        reading="Dark cells side by side have something in common: a rack, a switch, a row of "
        "slots. Letters say what is named, missing or not known.",
        summary=_summary(rows, letters, classes),
        data={
            "cells": rows,
            "key": [
                {"line": i, "letter": letter, "text": KEY[letter]}
                for i, letter in enumerate(letters)
            ],
            "colours": _colour_rows(judgement),
        },
    )


def _arrange(grid: Grid, panels: int, layout: Layout) -> tuple[bool, tuple[int, int]]:
    """Returns whether panels stand beside each other, and the width and height of their cells."""
    names = max(len(name) for name, _ in grid.lines)
    room = layout.width - round(LETTER * names) - 30
    beside = layout.beside and room / panels > 8 * grid.columns
    across = room / panels - 14 if beside else room
    width = max(4, min(WIDEST, int(across / grid.columns)))
    return beside, (width, max(4, min(TALLEST, TALL // len(grid.lines))))


def _shown_classes(judgement: Judgement, layout: Layout) -> list[str]:
    """Lists the classes with a panel: in a column those in which something is named."""
    classes = judgement.classes()
    if layout.beside:
        return classes
    named = {finding.class_name for finding in judgement.findings}
    return [name for name in classes if name in named] or classes[:1]


def _row(
    worst: dict[str, Slow],
    small: float,
    class_name: str,
    cell: Cell,
    line: int,
    column: int,
) -> dict[str, Any]:
    known = [
        (worst[gpu.uuid], gpu) for node in cell.nodes for gpu in node.gpus if gpu.uuid in worst
    ]
    letters = {node.letters.get("") or node.letters.get(class_name) for node in cell.nodes}
    letter = next((letter for letter in KEY if letter in letters), "")
    row: dict[str, Any] = {
        "class": class_name,
        "line": line,
        "column": column,
        "name": cell.name,
        "rack": cell.rack or "not known",
        "letter": letter,
        "said": KEY.get(letter, "nothing"),
    }
    if not known:
        return row | {"colour": UNKNOWN_COLOUR, "text": "not known", "gpu": "", "slower": None}
    slow, gpu = max(known, key=lambda entry: entry[0].slower)
    return row | {
        "colour": fleet_scale.colour(slow.slower, small),
        "text": f"{fleet_caption.percent(slow.slower)} in {fleet_caption.slow_words(slow)}",
        "gpu": fleet_caption.gpu_name(gpu),
        "slower": round(slow.slower, 3),
    }


def _draw_panel(class_name: str, grid: Grid, size: tuple[int, int], labels: bool) -> LayerChart:
    width, height = size
    every = max(1, -(-11 // height))
    names = {str(i): name for i, (name, _) in enumerate(grid.lines) if i % every == 0}
    base = (
        alt.Chart(alt.NamedData("cells"))
        .transform_filter(alt.datum["class"] == class_name)
        .encode(
            x=alt.X(
                "column:O",
                scale=alt.Scale(domain=list(range(grid.columns)), padding=0),
                axis=None,
            ),
            y=alt.Y(
                "line:O",
                scale=alt.Scale(domain=list(range(len(grid.lines))), padding=0),
                axis=alt.Axis(
                    values=[int(line) for line in names],
                    labelExpr=f"{draw.literal(names)}[datum.value]",
                    labelLimit=0,
                    labelOverlap=False,
                    ticks=False,
                    domain=False,
                )
                if labels
                else None,
                title=grid.line_title if labels else None,
            ),
        )
    )
    tips = {"node": "name", "rack": "rack", "slowest": "gpu", "slower": "text", "said": "said"}
    look: Any = {"fontSize": min(11, height + 1), "fontWeight": "bold"}
    cells, _ = cell_layers(base, tips)
    with_letter = base.transform_filter("datum.letter !== ''")
    _, letters = cell_layers(with_letter, {}, "letter", **look)
    has_room = width >= LEAST_WIDTH and height >= LEAST_HEIGHT
    marks = letters if has_room else draw.dots(with_letter, 7, color="#010101")
    size = width * grid.columns, height * len(grid.lines)
    return draw.panel([cells, marks], *size, draw.panel_title(class_name, anchor="start"))


def _colour_rows(judgement: Judgement) -> list[dict[str, Any]]:
    link, host = (fleet_scale.small(judgement, name) for name in ("link", "host"))
    return [
        {
            "at": i,
            "colour": fleet_scale.colour(times * link, link),
            "text": " ".join((f"{times * link:g}", f"({times * host:g})")),
        }
        for i, times in enumerate((0, 0.5, 1, 2.5, 5, 10, 25))
    ]


def _draw_key(letters: list[str], layout: Layout) -> VConcatChart:
    """Draws the colours, and below them the letters that are used."""
    cell = 54 if layout.beside else 42
    place = alt.Chart(alt.NamedData("colours")).encode(
        x=alt.X("at:O", axis=None, scale=alt.Scale(padding=0))
    )
    colours = key_panel(cell_layers(place, {}, fontSize=10), cell * 7)
    colours.title = draw.panel_title("percent slower: link (host and latency)", anchor="start")
    if not letters:
        return vconcat(colours)
    line = alt.Chart(alt.NamedData("key")).encode(y=alt.Y("line:O", axis=None))
    heads = line.mark_text(align="center", fontWeight="bold")
    layers = [
        heads.encode(x=at_pixel(6), text=alt.Text("letter:N")),
        draw.texts(line.encode(x=at_pixel(18)), dx=0),
    ]
    return vconcat(colours, key_panel(layers, cell * 7, len(letters)), spacing=8)


def _summary(rows: list[dict[str, Any]], letters: list[str], classes: list[str]) -> str:
    parts = []
    for name in classes:
        known = [row for row in rows if row["class"] == name and row["slower"] is not None]
        if known:
            worst = max(known, key=lambda row: row["slower"])
            parts.append(f"{name}: the slowest is {worst['gpu']}, {worst['text']}.")
    for letter in letters:
        cells = {row["name"] for row in rows if row["letter"] == letter}
        parts.append(f"{caption.count(len(cells), 'cell')}: {KEY[letter]}.")
    return " ".join(parts)
