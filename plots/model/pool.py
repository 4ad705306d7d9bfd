"""Pools what the CPU pays for kinds of memory that are alike in effect.

A flag that does not change how the processor treats memory cannot change what the CPU pays, so its
measurements are repetitions of one and the same. Kinds count as alike if the file found the same
memory type, and their pages have the same size.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from typing import Any

from plots.model.load import Fields, Result
from plots.model.values import member, text

CPU_ROLES = ("cpu_read", "cpu_write")
TYPES = ("write-back", "write-combined", "uncached")  # not those that were unclear
HUGE_PAGES = {"pageable_huge", "registered_huge"}
PINNED = {
    "pinned",
    "pinned_portable",
    "pinned_mapped",
    "pinned_portable_mapped",
    "pinned_wc",
    "pinned_portable_wc",
    "pinned_mapped_wc",
    "pinned_portable_mapped_wc",
}
BASE_PAGES = {"pageable", "registered"} | PINNED


def pools(result: Result) -> dict[str, str]:
    """Returns the pool of each kind of memory that has one."""
    buffers = member(result.transfers, "buffers", list) or []
    types = {text(entry, "memory", ""): text(entry, "memory_type", "") for entry in buffers}
    pages = dict.fromkeys(HUGE_PAGES, "huge pages") | dict.fromkeys(BASE_PAGES, "base pages")
    return {
        memory: f"{kind}, {pages[memory]}"
        for memory, kind in types.items()
        if kind in TYPES and memory in pages
    }


def pool_rows(result: Result, is_used: Callable[[Fields], bool]) -> list[dict[str, Any]]:
    """Returns the rows that are used; of CPU access, each kind of memory has those of its pool."""
    pool_of = pools(result)
    pooled: dict[tuple[Any, ...], list[dict[str, Any]]] = defaultdict(list)
    names: dict[str, tuple[Any, ...]] = {}
    rows = []
    for row in result.rows:
        name = str(row.get("name"))
        fields = result.benchmarks.get(name)
        if fields is None or not is_used(fields):
            continue
        key = _pool_key(fields, pool_of)
        if key is None:
            rows.append(row)
        else:
            pooled[key].append(row)
            names[name] = key
    return rows + [
        {**row, "name": name, "run_name": name}
        for name, key in names.items()
        for row in pooled[key]
    ]


def _pool_key(fields: Fields, pool_of: dict[str, str]) -> tuple[Any, ...] | None:
    """Returns what benchmarks of a pool have in common, or None if it belongs to none."""
    if fields.role not in CPU_ROLES or fields.memory not in pool_of:
        return None
    return (
        pool_of[fields.memory],
        fields.role,
        *(fields.method, fields.setting, fields.variant, fields.plainness),
        *(fields.size_bytes, fields.cache, fields.node, fields.devices),
    )
