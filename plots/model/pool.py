"""Tells which kinds of memory are alike for the CPU.

A flag that does not change how the processor treats memory cannot change what the CPU pays. Kinds
count as alike if the file found the same memory type, and their pages have the same size. `advise`
pools their measurements by the same rule (src/advice/pools.cpp).
"""

from __future__ import annotations

import functools
from pathlib import Path

from plots.model.load import Result
from plots.model.strict_json import parse
from plots.model.values import member, text

PAGE_SIZES = Path(__file__).resolve().parents[2] / "src" / "advice" / "page_sizes.json"
CPU_ROLES = ("cpu_read", "cpu_write")
TYPES = ("write-back", "write-combined", "uncached")  # not those that were unclear


@functools.cache
def page_sizes() -> dict[str, str]:
    """Returns the size of the pages by kind of memory."""
    known: dict[str, list[str]] = parse(PAGE_SIZES.read_bytes())
    return {kind: size for size, kinds in known.items() for kind in kinds}


def pools(result: Result) -> dict[str, str]:
    """Returns the pool of each kind of memory that has one."""
    buffers = member(result.transfers, "buffers", list) or []
    types = {text(entry, "memory", ""): text(entry, "memory_type", "") for entry in buffers}
    return {
        memory: f"{kind}, {page_sizes()[memory]}"
        for memory, kind in types.items()
        if kind in TYPES and memory in page_sizes()
    }
