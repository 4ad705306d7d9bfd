"""Arranges the nodes of a fleet in a grid of cells, by rack if racks are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from plots.figures.fleet_nodes import Node
from plots.figures.layout import Layout

MOST_COLUMNS = {"wide": 32, "column": 24, "paper": 24}
MOST_CELLS = 1500  # with more nodes, a cell is a rack, or several nodes
MOST_LINES = 90


@dataclass(frozen=True)
class Cell:
    """Holds what a cell stands for: a node, or several."""

    name: str
    rack: str
    nodes: list[Node]


@dataclass(frozen=True)
class Grid:
    """Holds cells in lines with names, and how large they are drawn."""

    lines: list[tuple[str, list[Cell]]]
    unit: str  # what a cell is
    line_title: str

    @property
    def columns(self) -> int:
        """Returns the number of cells of the longest line."""
        return max(len(cells) for _, cells in self.lines)


def grid_of(nodes: Sequence[Node], layout: Layout) -> Grid:
    """Arranges nodes by rack if racks are known; too many nodes share cells."""
    most = MOST_COLUMNS[layout.name]
    by_rack = len({node.rack for node in nodes}) > 1
    cells = [Cell(node.name, node.rack, [node]) for node in nodes]
    if by_rack:
        lines = [
            (rack or "no rack", part)
            for rack, members in _grouped(cells)
            for part in _chunks(members, most)
        ]
        if len(cells) <= MOST_CELLS and len(lines) <= MOST_LINES:
            return Grid(lines, "a node", "rack")
        racks = [
            Cell(f"rack {rack}", rack, [node for cell in members for node in cell.nodes])
            for rack, members in _grouped(cells)
        ]
        if len(racks) <= MOST_CELLS:
            return Grid([(line[0].rack, line) for line in _chunks(racks, most)], "a rack", "from")
    each = -(-len(nodes) // MOST_CELLS)
    shared = [
        Cell(" to ".join(dict.fromkeys((part[0].name, part[-1].name))), part[0].rack, list(part))
        for part in _chunks(list(nodes), each)
    ]
    unit = "a node" if each == 1 else f"{each} nodes"
    return Grid([(line[0].nodes[0].name, line) for line in _chunks(shared, most)], unit, "from")


def _grouped(cells: Iterable[Cell]) -> list[tuple[str, list[Cell]]]:
    return [(rack, list(members)) for rack, members in groupby(cells, lambda cell: cell.rack)]


def _chunks(entries: list[Any], most: int) -> list[list[Any]]:
    return [entries[i : i + most] for i in range(0, len(entries), most)]
