"""Makes synthetic answers of `gate_transfers check --json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from format_2 import message

from plots.model.gate import Check, parse

CODES = {"PASS": 0, "REGRESSION": 1, "INCONCLUSIVE": 3}


def compared(name: str, verdict: str, slowdown: float, **more: Any) -> dict[str, Any]:
    """Returns a benchmark that was compared."""
    return {
        "name": name,
        "verdict": verdict,
        "before": 1e6,
        "after": 1e6 * (1 + slowdown),
        "note": None,
        "decided_by": "bandwidth",
        "threshold": 0.02,
        "slowdown": slowdown,
        "interval_95": [slowdown - 0.01, slowdown + 0.012],
        "slowdown_of_runs": [slowdown - 0.002, slowdown, slowdown + 0.003],
        "p": 0.02 if verdict == "ambiguous" else 1e-6 if verdict == "slower" else 1.0,
        "detectable_80": 0.025,
        "advisory": False,
        **more,
    }


def latency(name: str, verdict: str, slowdown: float, **more: Any) -> dict[str, Any]:
    """Returns a compared benchmark whose time is decided by latency."""
    return compared(name, verdict, slowdown, **{"decided_by": "latency", "threshold": 0.05} | more)


def absent(name: str, verdict: str, note: dict[str, Any] | None = None) -> dict[str, Any]:
    """Returns a benchmark that is missing or new."""
    return {"name": name, "verdict": verdict, "before": None, "after": None, "note": note}


def as_format_1(answer: dict[str, Any]) -> dict[str, Any]:
    """Returns the answer as older gates wrote it, with texts instead of messages."""
    return answer | {
        "format": 1,
        "reasons": [reason["text"] for reason in answer["reasons"]],
        "notes": [note["text"] for note in answer["notes"]],
        "benchmarks": [
            benchmark | {"note": benchmark["note"] and benchmark["note"]["text"]}
            for benchmark in answer["benchmarks"]
        ],
    }


def each_verdict() -> list[dict[str, Any]]:
    """Returns benchmarks with every verdict, in both classes."""
    return [
        compared("copy/pinned/h2d/64MiB", "slower", 0.1),
        latency("copy/pinned/h2d/4B", "slower", 0.08, advisory=True),
        latency("copy/pageable/h2d/4B", "ambiguous", 0.06),
        absent("copy/gone/h2d/4B", "missing", message("not_measured", "not measured")),
        compared("copy/staged/h2d/64MiB", "faster", -0.04),
        absent("copy/added/h2d/4B", "new"),
        compared("copy/pageable/h2d/64MiB", "same", 0.3, advisory=True, interval_95=[-0.9, 4.0]),
        compared("copy/managed/h2d/64MiB", "same", 0.001, interval_95=None),
    ]


def document(
    verdict: str = "REGRESSION", benchmarks: list[dict[str, Any]] | None = None, **more: Any
) -> dict[str, Any]:
    """Returns the content of the gate's file."""
    return {
        "format": 2,
        "kind": "check",
        "verdict": verdict,
        "exit_code": CODES[verdict],
        "sentence": f"{verdict}: as was made up",
        "reasons": [],
        "notes": [],
        "judged_by": "real_time",
        "of_repetitions": "median",
        "runs": {"before": 13, "after": 3},
        "sessions": {"before": 2, "after": 1},
        "changed": [],
        "classes": [],
        "benchmarks": each_verdict() if benchmarks is None else benchmarks,
        **more,
    }


def check(*arguments: Any, paths: tuple[Path, ...] = (), **more: Any) -> Check:
    """Returns the document as the report reads it."""
    return parse(document(*arguments, **more), list(paths))
