"""Makes maps of hosts that were never measured."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plots.model.host_map import HostMap, parse_map

GB = 1e9
MADE_UP = Path("made_up.json")


def estimate(rate: float) -> dict[str, float]:
    """Returns a rate in GB/s with an interval of 1 %, as the file has it."""
    return {"value": rate * GB, "low": 0.99 * rate * GB, "high": 1.01 * rate * GB}


def link(devices: Sequence[int], **capacities: float) -> dict[str, Any]:
    """Returns a shared link with capacities in GB/s."""
    return {
        "devices": list(devices),
        "capacities": {
            kind: {
                "bytes_per_second": estimate(capacities[kind]),
                "effect": 0.2,
                "p": 0.001,
                "sets": 2,
            }
            if kind in capacities
            else None
            for kind in ("h2d", "d2h", "both")
        },
        "places": [],
    }


def document(devices: int, *links: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Returns a map of devices of 50 GB/s in each direction."""
    alone = {kind: estimate(rate) for kind, rate in (("h2d", 50), ("d2h", 50), ("both", 90))}
    return {
        "format": 1,
        "kind": "host_map",
        "devices": [{"name": f"cuda:{i}", "alone": alone} for i in range(devices)],
        "pci": {"visible": False, "paths": []},
        "links": list(links),
        "findings": [],
        "held_out_errors": {"sets": 4, "flows": 8, "median": 0.01, "p95": 0.02},
        "sets": [],
        "skipped": [],
        "context": {"date": "2026-01-02T03:04:05Z", "size_bytes": 2**24, "memory": "pinned"},
    } | more


def parse(made_up: dict[str, Any]) -> HostMap:
    """Reads a made-up document."""
    return parse_map(MADE_UP, made_up, json.dumps(made_up).encode())


def pci_path(*hops: tuple[str, int]) -> dict[str, Any]:
    """Returns the way to a device by addresses and generations, x16."""
    return {
        "bus_id": hops[-1][0],
        "root_complex": "pci0000:00",
        "hops": [
            {
                "address": address,
                "link": {
                    "generation": generation,
                    "width": 16,
                    "generation_max": generation,
                    "width_max": 16,
                },
                "numa_node": None,
                "local_cpus": None,
            }
            for address, generation in hops
        ],
    }


def eight() -> dict[str, Any]:
    """Returns a map of eight devices on three links, two of which lie in another one."""
    root = ("0000:00:01.0", 4)
    ports = [("0000:01:00.0", 4), ("0000:02:00.0", 4)]
    return document(
        8,
        link(range(4), h2d=120, both=150),
        link((0, 1), h2d=70),
        link((2, 3), d2h=65.5, both=80),
        link(range(4, 8), h2d=101.6, d2h=101.5),
        pci={
            "visible": True,
            "paths": [pci_path(root, ports[i // 2 % 2], (f"0000:1{i}:00.0", 5)) for i in range(4)]
            + [pci_path(("0000:80:01.0", 5), (f"0000:8{i}:00.0", 5)) for i in range(4, 8)],
        },
        nodes=[
            {
                "node": node,
                "rates": [
                    {kind: estimate(rate) for kind in ("h2d", "d2h")}
                    for rate in (*[near] * 4, *[far] * 4)
                ],
            }
            for node, near, far in ((0, 55.1, 41.2), (1, 40.9, 55.3))
        ],
    )
