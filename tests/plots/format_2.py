"""Makes a synthetic file with a family, a role and metrics unknown to the code."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import synthetic
from described import message as message  # of all that use it
from synthetic import MIB, size_name

from plots.model.load import Result, parse_result

ROLES = {
    "copy": {"description": "copies of one block", "table": "directions"},
    "exchange": {"description": "exchanges between neighbours", "table": "times"},
}
METRICS = {
    "bytes": {
        "unit": "B",
        "better": None,
        "kind": "size",
        "description": "what an operation moves",
    },
    "median_ns": {
        "unit": "ns",
        "better": "less",
        "kind": "duration",
        "description": "middle of the operations",
    },
    "gb_per_s": {
        "unit": "GB/s",
        "better": "more",
        "kind": "rate",
        "description": "what is moved in a second",
    },
    "hops": {
        "unit": "1",
        "better": "less",
        "kind": "count",
        "description": "links that the data cross",
        "headline": True,
    },
    "messages_per_s": {
        "unit": "1/s",
        "better": "more",
        "kind": "rate",
        "description": "messages in a second",
        "headline": True,
    },
    "retries": {"unit": "1", "better": "less", "kind": "count", "description": "sent again"},
}


def fields(strategy: str, role: str, **more: Any) -> dict[str, Any]:
    """Returns the fields of a benchmark."""
    return {
        "family": strategy.split("/")[0],
        "strategy": strategy,
        "method": None,
        "setting": None,
        "memory": None,
        "variant": None,
        "direction": "none",
        "size_bytes": None,
        "cache": "warm",
        "devices": [0],
        "role": role,
        "plainness": 0,
        **more,
    }


def copies() -> dict[str, dict[str, Any]]:
    """Returns copies of two kinds of memory in both directions at two sizes."""
    return {
        f"copy/{memory}/{direction}/{size_name(size)}": fields(
            f"copy/{memory}",
            "copy",
            memory=memory,
            variant=direction,
            direction=direction,
            size_bytes=size,
            plainness=plainness,
        )
        for plainness, memory in enumerate(("pageable", "pinned"))
        for direction in ("h2d", "d2h")
        for size in (MIB, 64 * MIB)
    }


def exchanges() -> dict[str, dict[str, Any]]:
    """Returns benchmarks of an unknown family: one at two sizes, one without a size."""
    by_size = {
        f"ring/neighbours/{size_name(size)}": fields("ring/neighbours", "exchange", size_bytes=size)
        for size in (MIB, 64 * MIB)
    }
    return by_size | {"ring/barrier": fields("ring/barrier", "exchange", plainness=1)}


def rows() -> list[dict[str, Any]]:
    """Returns three repetitions of each benchmark."""
    rates = {"pageable": 10.0, "pinned": 50.0}
    rows_of_all = []
    for name, described in copies().items():
        size = described["size_bytes"]
        rows_of_all += [synthetic.row(name, size, size / rates[described["memory"]])] * 3
    for name, described in exchanges().items():
        size = described["size_bytes"] or 0
        metrics = {"hops": 2, "messages_per_s": 1234.5, "retries": 0}
        rows_of_all += [synthetic.row(name, size, 5000.0 + size / 20, **metrics)] * 3
    return rows_of_all


def document(measured: list[dict[str, Any]] | None = None, **transfers: Any) -> dict[str, Any]:
    """Returns the content of the file; `transfers` replaces members of context.transfers."""
    device = {"kind": "cuda", "name": "Synthetic GPU", "why_not_gpu": None}
    content = {
        "benchmarks": copies() | exchanges(),
        "roles": ROLES,
        "metrics": METRICS,
        "device": device,
        "devices": [device | {"link": synthetic.LINK, "clocks": None}],
    }
    return synthetic.document(rows() if measured is None else measured, **content | transfers)


def result(measured: list[dict[str, Any]] | None = None, **transfers: Any) -> Result:
    """Returns the document as the reader reads it."""
    return parse_result(Path("synthetic.json"), document(measured, **transfers))
