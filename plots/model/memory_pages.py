"""Tells the size of the pages of each kind of host memory."""

from __future__ import annotations

import functools
from pathlib import Path

from plots.model.strict_json import parse

PAGE_SIZES = Path(__file__).resolve().parents[2] / "src" / "advice" / "page_sizes.json"


@functools.cache
def page_sizes() -> dict[str, str]:
    """Returns the size of the pages by kind of memory."""
    known: dict[str, list[str]] = parse(PAGE_SIZES.read_bytes())
    return {kind: size for size, kinds in known.items() for kind in kinds}
