"""Result files made up for `advise`: known costs, so that every answer can be worked out."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import described

KIB, MIB, GIB = 1024, 1024**2, 1024**3
SIZES = [4 * 4**step for step in range(15)]  # 4 B to 1 GiB
CPU_SIZES = [64 * KIB, MIB, 64 * MIB]
REPETITIONS = 5
SPREAD = (-0.004, -0.002, 0.0, 0.002, 0.004)  # of the repetitions around the cost


def size_name(size: int) -> str:
    for unit, name in ((GIB, "GiB"), (MIB, "MiB"), (KIB, "KiB")):
        if size % unit == 0:
            return f"{size // unit}{name}"
    return f"{size}B"


def rows(name: str, ns: float, moved: int) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "run_name": name,
            "run_type": "iteration",
            "repetitions": REPETITIONS,
            "repetition_index": index,
            "bytes": moved,
            "median_ns": ns * (1 + spread),
        }
        for index, spread in enumerate(SPREAD)
    ]


def affine(t0_ns: float, gb_per_s: float) -> Callable[[int], float]:
    return lambda size: t0_ns + size / gb_per_s


# Costs in ns by size. Pinned memory is slow to allocate and fast to copy, as on real machines.
TRANSFERS: dict[str, Callable[[int], float]] = {
    "copy/pageable/h2d": affine(6000, 10),
    "copy/pageable/d2h": affine(7000, 16),
    "copy/pinned/h2d": affine(6000, 50),
    "copy/pinned/d2h": affine(6500, 50),
    "copy/pinned_portable_mapped/h2d": affine(6000, 50),
    "copy/pinned_portable_mapped/d2h": affine(6500, 50),
    "zero_copy/pinned_mapped/read": affine(9500, 40),
    "zero_copy/pinned_mapped/write": affine(8500, 40),
}
ALLOCATION: dict[str, Callable[[int], float]] = {
    "allocate/pageable": affine(1000, 4),
    "free/pageable": affine(500, 20),
    "allocate/pinned": affine(200_000, 3),
    "free/pinned": affine(100_000, 6),
    "allocate/pinned_mapped": affine(200_000, 3),
    "free/pinned_mapped": affine(100_000, 6),
}
NS_PER_BYTE = {
    "cpu/pageable/write_memcpy": 0.1,
    "cpu/pageable/read_memcpy": 0.1,
    "cpu/pinned/write_memcpy": 0.1,
    "cpu/pinned/read_memcpy": 0.1,
    "cpu/pinned_portable_mapped/write_memcpy": 0.1,
    "cpu/pinned_portable_mapped/read_memcpy": 0.1,
    "cpu/pinned_mapped/write_memcpy": 0.1,
    "cpu/pinned_mapped/read_memcpy": 0.8,
}

FACTS: dict[str, Any] = {
    "format": 2,
    "complete": True,
    "program": {"version": "0.1.0", "git_commit": "0123456789ab"},
    "run": {"started_utc": "2026-01-02T03:04:05Z"},
    "device": {"kind": "cuda", "name": "Made-up GPU"},
    "machine": {"cpu": {"model": "Made-up CPU"}},
    "skipped": [],
    "warnings": [],
}

QUESTION = ("--bytes=64MiB", "--direction=h2d")  # of nearly every test


def gpu_file(
    sizes: Iterable[int] = SIZES, *, allocation: bool = True, cpu: bool = True
) -> dict[str, Any]:
    benchmarks: list[dict[str, Any]] = []
    for name, cost in {**TRANSFERS, **(ALLOCATION if allocation else {})}.items():
        for size in sizes:
            benchmarks += rows(f"{name}/{size_name(size)}", cost(size), size)
    for size in CPU_SIZES if cpu else ():
        for name, rate in NS_PER_BYTE.items():
            # One operation need not go over the whole working set.
            moved = min(size, MIB)
            benchmarks += rows(f"{name}/{size_name(size)}", rate * moved, moved)
    # Rows that advise must not use: cold caches and other families.
    benchmarks += rows("copy/pinned/h2d/64MiB/cold", 1e9, 64 * MIB)
    benchmarks += rows("gpu_array/to_gpu/pinned/pooled/float32/64MiB", 1.0, 64 * MIB)
    document = {"context": {"transfers": copy.deepcopy(FACTS)}, "benchmarks": benchmarks}
    return described.complete(document)


def write(path: Path, document: dict[str, Any]) -> Path:
    del document["context"]["transfers"]["benchmarks"]  # a test may have added rows
    path.write_text(json.dumps(described.complete(document)), "utf-8")
    return path
