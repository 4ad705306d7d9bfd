"""Tests which rooms of plots import which."""

import ast
import re
from pathlib import Path

import pytest

PLOTS = Path(__file__).resolve().parents[2] / "plots"
BELOW = {
    "model": set(),
    "text": {"model"},
    "figures": {"model", "text"},
    "page": {"model", "text", "figures"},
}


def imported_rooms(path):
    """Yields the rooms that a file imports from."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        for parts in (module.split(".") for module in modules):
            if parts[0] == "plots":
                yield parts[1] if len(parts) > 1 else "plots"


@pytest.mark.parametrize("room", BELOW)
def test_a_room_imports_only_from_those_below(room):
    arrows = {
        (path.name, target)
        for path in (PLOTS / room).glob("*.py")
        for target in imported_rooms(path)
    }
    assert {
        (name, target) for name, target in arrows if target not in BELOW[room] | {room}
    } == set()
    assert {target for _, target in arrows} >= BELOW[room]


def test_there_are_no_other_rooms():
    assert {path.name for path in PLOTS.iterdir() if path.is_dir()} - {"__pycache__"} == set(BELOW)
    assert {path.name for path in PLOTS.glob("*.py")} == {
        "__init__.py",
        "__main__.py",
        "interruption.py",
    }


def test_rows_and_keys_are_drawn_by_their_kinds():
    """Others say which marks; those of phases are bars that are divided."""
    files = {path.name: path.read_text("utf-8") for path in (PLOTS / "figures").glob("*.py")}
    of_rows = {name for name, text in files.items() if re.search(r"rows_axis\(|\bBELOW\b", text)}
    assert of_rows == {"rows.py", "phases.py"}
    of_keys = {name for name, text in files.items() if "LINE_HEIGHT *" in text}
    assert of_keys == {"keys.py"}
    assert not any("chart.datasets" in text for text in files.values())
