"""Compares what a case prints now with what is approved."""

from __future__ import annotations

import difflib
from pathlib import Path

from cases import CASES
from running import APPROVED


def path_of(name: str) -> Path:
    return APPROVED / f"{name}.txt"


def approved(name: str) -> str:
    path = path_of(name)
    return path.read_bytes().decode("utf-8") if path.exists() else ""


def difference(name: str, before: str, now: str) -> str:
    """What a reviewer sees; empty if nothing has changed, byte for byte."""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True),
        now.splitlines(keepends=True),
        f"approved/{name}.txt",
        "now",
        n=2,
    )
    return "".join(line if line.endswith("\n") else f"{line}\n(no newline)\n" for line in lines)


def accept(name: str, text: str) -> None:
    APPROVED.mkdir(exist_ok=True)
    path_of(name).write_bytes(text.encode("utf-8"))


def unused() -> list[Path]:
    """Approved texts of which there is no case any more."""
    return [path for path in sorted(APPROVED.iterdir()) if path.stem not in CASES]
