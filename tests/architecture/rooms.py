"""Reads the rooms from docs/ARCHITECTURE.md, and the includes between them from the sources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from calls import call

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(?P<room>[a-z_/]+)` \| .+ \| (?P<includes>.*)\|$", re.MULTILINE)
SOURCE = re.compile(r"\.(cpp|hpp|cu|cuh)$")
INCLUDE = re.compile(r'^#include "(?P<path>[^"]+)"', re.MULTILINE)
GENERATED = {"provenance.hpp"}


def allowed() -> dict[str, set[str]]:
    """Returns the rooms that each room may include."""
    text = (ROOT / "docs/ARCHITECTURE.md").read_text()
    rows = ROW.finditer(text)
    return {row["room"]: set(re.findall(r"`([^`]+)`", row["includes"])) for row in rows}


def room_of(path: str) -> str:
    """Returns the room of a source, or of an include's path."""
    folder = path.rpartition("/")[0]
    return re.sub(r"^(include|src)/transfers", "transfers", folder)


def files(*folders: str) -> list[str]:
    """Lists the files of the repository, and new files that it does not ignore."""
    listed = call(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", *folders],
        cwd=ROOT,
        expected=0,
    ).stdout.split()
    return sorted(path for path in listed if (ROOT / path).is_file())


def sources() -> list[str]:
    """Lists all C++ sources of the library and the programs."""
    return [path for path in files("bench", "src", "include") if SOURCE.search(path)]


def arrows() -> Iterator[tuple[str, str, str]]:
    """Yields both rooms of each include that leaves its own room, and its location."""
    for path in sources():
        for include in INCLUDE.finditer((ROOT / path).read_text()):
            target = include["path"]
            if target not in GENERATED and room_of(target) != room_of(path):
                yield room_of(path), room_of(target), f"{path}: {target}"
