"""Makes synthetic answers of `gate_transfers check --json`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from format_2 import message

from plots.model.gate import Check, parse

CODES = {"PASS": 0, "REGRESSION": 1, "INCONCLUSIVE": 3, "ENVIRONMENT_SLOWER": 4}


def compared(name: str, verdict: str, slowdown: float, **more: Any) -> dict[str, Any]:
    """Returns a benchmark that was compared."""
    return {
        "name": name,
        "verdict": verdict,
        "before": 1e6,
        "after": 1e6 * (1 + slowdown),
        "note": None,
        "class": "link",
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
    """Returns a compared benchmark whose calls are what takes the time."""
    return compared(name, verdict, slowdown, **{"class": "latency", "threshold": 0.05} | more)


def absent(name: str, verdict: str, note: dict[str, Any] | None = None) -> dict[str, Any]:
    """Returns a benchmark that is missing or new."""
    return {"name": name, "verdict": verdict, "before": None, "after": None, "note": note}


def class_verdict(name: str, verdict: str = "PASS", **more: Any) -> dict[str, Any]:
    """Returns the answer for a class; without `more` all of its four benchmarks are tested."""
    return {
        "class": name,
        "decides": True,
        "verdict": verdict,
        "exit_code": CODES[verdict],
        "threshold": 0.05 if name == "latency" else 0.02,
        "reasons": [],
        "of_baseline": 4,
        "compared": 4,
        "tested": 4,
        "slowdown": None,
        "explained": None,
        "changed": False,
        **more,
    }


def classes_of(benchmarks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the classes of benchmarks, as if nothing but their own verdicts mattered."""
    names = dict.fromkeys(entry["class"] for entry in benchmarks if "class" in entry)
    return [
        _class_of(name, [entry for entry in benchmarks if entry.get("class") == name])
        for name in names
    ]


def _class_of(name: str, benchmarks: list[dict[str, Any]]) -> dict[str, Any]:
    verdicts = [entry["verdict"] for entry in benchmarks]
    tested = sum(verdict in ("unchanged", "faster", "slower") for verdict in verdicts)
    is_known = "ambiguous" not in verdicts and 2 * tested >= len(verdicts)
    word = "REGRESSION" if "slower" in verdicts else "PASS" if is_known else "INCONCLUSIVE"
    return class_verdict(
        name, word, of_baseline=len(verdicts), compared=len(verdicts), tested=tested
    )


def each_verdict() -> list[dict[str, Any]]:
    """Returns benchmarks with every verdict, in both classes."""
    return [
        compared("copy/pinned/h2d/64MiB", "slower", 0.1),
        latency("copy/pinned/h2d/4B", "slower", 0.08, advisory=True),
        latency("copy/pageable/h2d/4B", "ambiguous", 0.06),
        absent("copy/gone/h2d/4B", "missing", message("not_measured", "not measured")),
        compared("copy/staged/h2d/64MiB", "faster", -0.04),
        absent("copy/added/h2d/4B", "new"),
        compared(
            "copy/pageable/h2d/64MiB", "not_known", 0.3, advisory=True, interval_95=[-0.9, 4.0]
        ),
        compared("copy/managed/h2d/64MiB", "unchanged", 0.001, interval_95=None),
    ]


def document(
    verdict: str = "REGRESSION", benchmarks: list[dict[str, Any]] | None = None, **more: Any
) -> dict[str, Any]:
    """Returns the content of the gate's file."""
    benchmarks = each_verdict() if benchmarks is None else benchmarks
    return {
        "format": 3,
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
        "classes": classes_of(benchmarks),
        "benchmarks": benchmarks,
        **more,
    }


def check(*arguments: Any, paths: tuple[Path, ...] = (), **more: Any) -> Check:
    """Returns the document as the report reads it."""
    return parse(document(*arguments, **more), list(paths))
