"""Makes answers of `fleet_transfers` about fleets that were never measured."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

from plots.model.fleet import Judgement, parse_judgement
from plots.model.fleet_history import History, parse_history

MADE_UP = Path("made_up.json")
MODEL = "made-up GPU"
ASPECTS = [
    ("link", "h2d", False, 0.3),
    ("link", "d2h", False, 0.3),
    ("link", "h2d", True, 0.4),
    ("host", "h2d", False, 7.0),
    ("latency", "d2h", False, 7.0),
]


def aspect(class_name: str, direction: str, together: bool) -> dict[str, Any]:
    """Returns an aspect as the files have it."""
    code = "/".join(filter(None, (class_name, direction, "together" if together else "")))
    return {"code": code, "class": class_name, "direction": direction, "together": together}


def finding(scope: str, slower: float | None = 5.0, **more: Any) -> dict[str, Any]:
    """Returns a finding in link/h2d."""
    interval = None if slower is None else [slower - 0.2, slower + 0.2]
    slow = aspect("link", "h2d", False) | {
        "benchmark": None,
        "slower_percent": slower,
        "interval_95": interval,
        "confidence": 0.9999,
    }
    return {
        "scope": scope,
        "gpu": None,
        "slot": None,
        "node": None,
        "rack": None,
        "code": "slow",
        "class": "link",
        "slower_percent": slower,
        "interval_95": interval,
        "confidence": None if slower is None else 0.9999,
        "since": None,
        "advice": [],
        "evidence": {
            "aspects": [] if slower is None else [slow],
            "link": {"generation": 5, "width": 8, "generation_max": 5, "width_max": 16},
            "warnings": [],
        },
    } | more


def gpu(node: int, number: int, nodes_in_rack: int = 16, models: int = 1) -> dict[str, Any]:
    """Returns where a GPU is, and what it is."""
    return {
        "uuid": f"GPU-node{node}-{number}",
        "node": f"node{node}",
        "slot": f"0000:{number:02x}:00.0",
        "rack": f"r{node // nodes_in_rack}" if nodes_in_rack else None,
        "model": MODEL if models == 1 else f"{MODEL} {node % models}",
    }


THRESHOLDS = {"link": 2.0, "host": 10.0, "latency": 10.0}


def judgement(
    nodes: int = 4,
    gpus_in_node: int = 2,
    nodes_in_rack: int = 2,
    models: int = 1,
    slower: dict[tuple[int, int | None], float] | None = None,
    **more: Any,
) -> dict[str, Any]:
    """Returns a judgement; some GPUs, or nodes, are slower in the link by so many percent."""
    chance = random.Random(1)
    gpus = []
    for node in range(nodes):
        for number in range(gpus_in_node):
            fault = (slower or {}).get((node, number)) or (slower or {}).get((node, None)) or 0.0
            scores = [
                round(chance.gauss(fault if name == "link" else 0.0, spread), 3)
                for name, _, _, spread in ASPECTS
            ]
            gpus.append(gpu(node, number, nodes_in_rack, models) | {"slower_percent": scores})
    return {
        "kind": "fleet_judgement",
        "format": 1,
        "sweep": "made up",
        "verdict": "named" if more.get("findings") else "healthy",
        "gpus": len(gpus),
        "findings": [],
        "unknown_gpus": [],
        "problems": [],
        "doubts": [],
        "tested": [],
        "thresholds_percent": THRESHOLDS,
        "scores": {"aspects": [aspect(*entry[:3]) for entry in ASPECTS], "gpus": gpus},
    } | more


def place_of(node: int, number: int, nodes_in_rack: int = 2) -> dict[str, Any]:
    """Returns where a finding says that a GPU is."""
    place = gpu(node, number, nodes_in_rack)
    return {key: place[key] for key in ("node", "slot", "rack")} | {"gpu": place["uuid"]}


def small() -> dict[str, Any]:
    """Returns a fleet with a slow GPU, a slow node, a missing rank and an unknown GPU."""
    return judgement(
        slower={(1, 0): 5.0, (2, None): 50.0},
        findings=[
            finding("gpu", 5.0, **place_of(1, 0)),
            finding("node", 50.0, node="node2", rack="r1"),
            finding("gpu", None, code="missing", node="node3", evidence={"rank": 6}),
        ],
        unknown_gpus=["GPU-node0-1"],
    )


def of_one_benchmark() -> dict[str, Any]:
    """Returns a fleet in which one benchmark of a GPU is slow, which its scores do not show."""
    slow = aspect("link", "h2d", False) | {
        "benchmark": "copy/x/h2d/1MiB",
        "slower_percent": 30.0,
        "interval_95": [29.0, 31.0],
        "confidence": 0.99,
    }
    named = finding("gpu", 30.0, code="slow_some", **place_of(1, 0))
    named["evidence"]["aspects"] = [slow]
    return judgement(findings=[named])


def without_scores() -> dict[str, Any]:
    """Returns an answer of an older program."""
    document = small()
    del document["scores"]
    return document


def large(nodes: int = 1000) -> dict[str, Any]:
    """Returns a fleet of 8 GPUs a node with two models and faults of every kind."""
    slow_gpus: Any = dict.fromkeys(((40, 3), (333, 1), (777, 7), (512, 0)), 5.0)
    slow_rack = {(node, None): 6.0 for node in range(160, 176)}
    slower = {**slow_gpus, **slow_rack, (600, None): 100.0, (901, None): 3.0}

    of_gpu = partial(place_of, nodes_in_rack=16)

    def of_node(node: int) -> dict[str, Any]:
        return {"node": f"node{node}", "rack": f"r{node // 16}"}

    findings = [
        finding("rack", 6.0, rack="r10"),
        finding("node", 100.0, code="slow", **of_node(600)),
        finding("node", 3.0, **of_node(901)),
        *(finding("gpu", 5.0 + i, **of_gpu(*which)) for i, which in enumerate(slow_gpus)),
        finding("gpu", None, code="link_width", **of_gpu(100, 2)),
        finding("gpu", None, code="missing", node="node250", evidence={"rank": 2003}),
        finding("gpu", None, code="missing", node="node2000", evidence={"rank": 7999}),
    ]
    unknown = [f"GPU-node{node}-0" for node in (5, 6)]
    return judgement(
        nodes,
        8,
        16,
        2,
        slower,
        findings=findings,
        unknown_gpus=unknown,
        doubts=[{"code": "missing_figures", "gpus": unknown, "text": "without figures of peers"}],
        problems=[{"code": "failed_benchmark", "data": {}, "text": "copy/x failed"}],
        tested=[
            aspect("link", "h2d", False)
            | {"model": MODEL, "scope": scope, "parts": 4000, "detectable_percent": percent}
            for scope, percent in (("gpu", 2.1), ("node", 2.4))
        ],
    )


def history(nodes: int = 12, sweeps: int = 20, trouble: bool = True) -> dict[str, Any]:
    """Returns a history in which one GPU steps, one creeps, and one was slow for a while."""
    chance = random.Random(2)
    courses = {
        1: lambda sweep: 5.0 if sweep >= 12 else 0.0,
        4: lambda sweep: 0.5 * max(0, sweep - 8),
        7: lambda sweep: 40.0 if 3 <= sweep <= 5 else 0.0,
    }
    gpus = []
    for node in range(nodes):
        course = courses.get(node, lambda sweep: 0.0) if trouble else lambda sweep: 0.0
        values = [round(chance.gauss(course(sweep), 0.3), 3) for sweep in range(sweeps)]
        named = [sweep for sweep in range(sweeps) if course(sweep) >= 2]
        is_now = sweeps - 1 in named
        gpus.append(
            gpu(node, 0)
            | {
                "since": named[0] if is_now else None,
                "before": named[0] - 1 if is_now else None,
                "aspect": "link/h2d" if is_now else None,
                "slower_percent_now": values[-1] if is_now else None,
                "named": named,
                "slower_percent": {
                    "link/h2d": values,
                    "host/h2d": [
                        None if sweep == 7 else round(chance.gauss(0, 7), 3)
                        for sweep in range(sweeps)
                    ],
                },
            }
        )
    return {
        "kind": "fleet_history",
        "format": 1,
        "sweeps": [
            {"id": f"s{i}", "begin": f"2026-11-{i + 1:02}T22:00:00Z", "gpus": nodes}
            for i in range(sweeps)
        ],
        "aspects": [aspect("link", "h2d", False), aspect("host", "h2d", False)],
        "gpus": gpus,
        "changes": [],
        "thresholds_percent": THRESHOLDS,
    }


def parse(document: dict[str, Any]) -> Judgement:
    """Reads a made-up judgement."""
    return parse_judgement(MADE_UP, document, json.dumps(document).encode())


def parse_past(document: dict[str, Any]) -> History:
    """Reads a made-up history."""
    return parse_history(MADE_UP, document, json.dumps(document).encode())
