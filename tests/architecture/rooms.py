"""The rooms of docs/ARCHITECTURE.md, and the includes between them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| `(?P<room>[a-z_/]+)` \| .+ \| (?P<includes>.*)\|$", re.MULTILINE)
SOURCE = re.compile(r"\.(cpp|hpp|cu|cuh)$")
INCLUDE = re.compile(r'^#include "(?P<path>[^"]+)"', re.MULTILINE)
GENERATED = {"provenance.hpp"}


def allowed() -> dict[str, set[str]]:
    """The rooms that each room may include."""
    text = (ROOT / "docs/ARCHITECTURE.md").read_text()
    return {row["room"]: set(re.findall(r"`([^`]+)`", row["includes"])) for row in ROW.finditer(text)}


def room_of(path: str) -> str:
    """The room of a source, or of an include as it is written."""
    folder = path.rpartition("/")[0]
    return re.sub(r"^(include|src)/transfers", "transfers", folder)


def sources() -> list[str]:
    """All C++ sources of the library and the programs."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "bench", "src", "include"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    return sorted(path for path in listed if SOURCE.search(path) and (ROOT / path).exists())


def arrows() -> Iterator[tuple[str, str, str]]:
    """The rooms of an include that leaves its own, and the source it stands in."""
    for path in sources():
        for include in INCLUDE.finditer((ROOT / path).read_text()):
            target = include["path"]
            if target not in GENERATED and room_of(target) != room_of(path):
                yield room_of(path), room_of(target), f"{path}: {target}"
