"""Describes benchmarks of made-up result files, those of real strategies as recorded runs do."""

from __future__ import annotations

import functools
import gzip
import json
import re
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).resolve().parents[1] / "results"
RUNS = (
    *("nvidia-h200/2026-11-21-report", "nvidia-h200/2026-11-20-gpu-arrays"),
    *("nvidia-h200/2026-11-21-memory", "host/2026-11-21-report"),
)
SIZE = re.compile(r"(?!0+[A-Z])([0-9]{1,12})(B|KiB|MiB|GiB)")
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
DIRECTIONS = {"h2d": "h2d", "d2h": "d2h", "read": "h2d", "write": "d2h"}


@functools.cache
def recorded() -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Returns roles, metrics, and the fields of benchmarks by names without size and cache."""
    roles: dict[str, Any] = {}
    metrics: dict[str, Any] = {}
    fields: dict[str, Any] = {}
    for run in RUNS:
        text = gzip.decompress((RECORDED / run / "result.json.gz").read_bytes()).decode()
        context = text[: text.index(',\n"benchmarks": [')] + "}"
        transfers = json.loads(context)["context"]["transfers"]
        roles |= transfers["roles"]
        metrics |= transfers["metrics"]
        fields |= {front_of(name)[0]: entry for name, entry in transfers["benchmarks"].items()}
    return roles, metrics, fields


def front_of(name: str) -> tuple[str, int | None, str]:
    """Returns a name without size and cache, and these."""
    *front, cache = name.split("/")
    if not front or cache != "cold":
        front, cache = [*front, cache], "warm"
    size = SIZE.fullmatch(front[-1]) if len(front) > 1 else None
    return (
        "/".join(front[:-1] if size else front),
        int(size[1]) * UNITS[size[2]] if size else None,
        cache,
    )


def describe(name: str) -> dict[str, Any]:
    """Describes a benchmark; one that was not recorded by what the parts of its name may mean."""
    front, size, cache = front_of(name)
    fields = recorded()[2].get(front) or unknown(front)
    return fields | {"size_bytes": size, "cache": cache}


def unknown(front: str) -> dict[str, Any]:
    *parts, last = front.split("/")
    variant = last if parts and last in DIRECTIONS else None
    strategy = "/".join(parts) if variant else front
    return {
        "family": front.split("/")[0],
        "strategy": strategy,
        "method": strategy.partition("/")[2] or None,
        "setting": None,
        "memory": None,
        "variant": variant,
        "direction": DIRECTIONS.get(last, "none") if variant else "none",
        "devices": [0],
        "role": "copy" if variant else "other",
        "plainness": 1 + strategy.count("_"),
    }


def message(code: str, text: str, **data: Any) -> dict[str, Any]:
    """Returns a message for people."""
    return {"code": code, "data": data, "text": text}


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """Adds what context.transfers of a document lacks of its benchmarks and its device."""
    transfers = document["context"]["transfers"]
    roles, metrics, _ = recorded()
    if "benchmarks" not in transfers:
        named = [*document["benchmarks"], *(transfers.get("skipped") or [])]
        names = [entry.get("run_name", entry.get("name")) for entry in named]
        transfers["benchmarks"] = {name: describe(name) for name in names}
    other = {"description": "other benchmarks", "table": "times"}
    transfers.setdefault("roles", roles | {"other": other})
    transfers.setdefault("metrics", metrics)
    device = transfers.get("device") or {}
    transfers.setdefault("devices", [device | {"link": transfers.get("link")}])
    return document
