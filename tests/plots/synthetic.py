"""Makes synthetic result files: invented times of an invented device."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import described

from plots.model.derive import Run
from plots.model.load import Result, parse_result
from plots.model.programs import Advice, Fit, unanswered

KIB, MIB = 1024, 1024 * 1024
SIZES = (4, 64, KIB, 64 * KIB, MIB, 64 * MIB)
STRATEGIES = ("copy/pageable", "copy/pinned", "copy_async/pinned", "zero_copy/pinned_mapped")
LINK = {
    "type": "pcie",
    "generation": 5,
    "width": 16,
    "generation_max": 5,
    "width_max": 16,
    "limit_gb_per_s": 63.0,
    "packet_limit_gb_per_s": [57.6, 58.4],
}
ALL_MEMORY = (
    "pageable",
    "pageable_huge",
    "registered",
    "pinned",
    "pinned_portable",
    "pinned_mapped",
    "pinned_wc",
    "pinned_portable_mapped",
    "pinned_portable_wc",
    "pinned_mapped_wc",
    "pinned_portable_mapped_wc",
)
SIXTEEN = (
    *(f"copy/{memory}" for memory in ALL_MEMORY),
    *(f"copy_async/{memory}" for memory in ("pageable", "pinned", "pinned_wc")),
    *(f"zero_copy/{memory}" for memory in ("pinned_mapped", "pinned_mapped_wc")),
)


def size_name(size: int) -> str:
    """Returns a size as benchmark names write it."""
    for unit, factor in (("GiB", KIB * MIB), ("MiB", MIB), ("KiB", KIB)):
        if size >= factor:
            return f"{size // factor}{unit}"
    return f"{size}B"


def row(name: str, size: int, median_ns: float, **more: Any) -> dict[str, Any]:
    """Returns one repetition of one benchmark."""
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "real_time": median_ns / 1e6,  # figures must use the counters, which have fixed units
        "time_unit": "ms",
        "bytes": float(size),
        "median_ns": median_ns,
        "gb_per_s": size / median_ns,
        **more,
    }


def failed_row(name: str) -> dict[str, Any]:
    """Returns a repetition that reported an error, and therefore has no counters."""
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "error_occurred": True,
        "error_message": "synthetic failure",
    }


def rows(
    strategies: tuple[str, ...] = STRATEGIES,
    sizes: tuple[int, ...] = SIZES,
    factors: tuple[float, ...] = (0.9, 1.0, 1.2),
    suffix: str = "",
) -> list[dict[str, Any]]:
    """Returns repetitions of every strategy in both directions, and their aggregates.

    The median over the repetitions is 1000 ns + 0.02 ns per byte (factors of median 1).
    """
    repetitions = []
    for strategy in strategies:
        variants = ("read", "write") if strategy.startswith("zero_copy/") else ("h2d", "d2h")
        for variant in variants:
            for size in sizes:
                name = f"{strategy}/{variant}/{size_name(size)}{suffix}"
                repetitions += [row(name, size, expected_ns(size) * factor) for factor in factors]
                median = row(name, size, 1.0, run_type="aggregate")
                repetitions.append(median | {"name": f"{name}_median"})
    return repetitions


def apart(
    strategies: tuple[str, ...] = STRATEGIES, sizes: tuple[int, ...] = SIZES
) -> list[dict[str, Any]]:
    """Returns repetitions of strategies; each takes half as long again as the one before."""
    return [
        row
        for i, strategy in enumerate(strategies)
        for row in rows((strategy,), sizes, tuple(1.5**i * f for f in (0.9, 1.0, 1.2)))
    ]


def expected_ns(size: int) -> float:
    """Returns the median time that `rows` gives to a size."""
    return 1000 + 0.02 * size


def document(benchmarks: list[dict[str, Any]] | None = None, /, **transfers: Any) -> dict[str, Any]:
    """Returns a result file; `transfers` replaces members of context.transfers."""
    content: dict[str, Any] = {
        "context": {
            "date": "2026-11-20T12:00:00+01:00",
            "host_name": "synthetic-host",
            "json_schema_version": 1,
            "transfers": {
                "format": 2,
                "complete": True,
                "program": {"version": "0.1.0", "git_commit": "0000000"},
                "run": {"profile": "standard", "started_utc": "2026-11-20T11:00:00Z"},
                "device": {"kind": "cuda", "name": "Synthetic GPU"},
                "link": LINK,
                "machine": {"cpu": {"model": "Synthetic CPU"}},
                "strategies": [],
                "skipped": [],
                "warnings": [],
                **transfers,
            },
        },
        "benchmarks": rows() if benchmarks is None else benchmarks,
    }
    facts = content["context"]["transfers"]
    if "device" not in transfers and (devices := facts.get("devices")):
        facts["device"] |= {key: devices[0][key] for key in ("kind", "name") if key in devices[0]}
    return described.complete(content)


def result(benchmarks: list[dict[str, Any]] | None = None, **transfers: Any) -> Result:
    """Returns a result as if read from a file that holds `document(...)`."""
    return parse_result(Path("synthetic.json"), document(benchmarks, **transfers))


def of_processes(count: int, benchmarks: list[dict[str, Any]]) -> dict[str, Any]:
    """Returns what a file has of rows that so many processes measured in turn."""
    seen: dict[str, int] = {}
    for one in benchmarks:
        seen[one["name"]] = seen.get(one["name"], -1) + 1
        one["process"] = seen[one["name"]] % count + 1
    parts = [{"number": number, "complete": True} for number in range(1, count + 1)]
    return {
        "run": {
            "profile": "standard",
            "started_utc": "2026-11-20T11:00:00Z",
            "processes": count,
        },
        "parts": parts,
    }


def run(
    benchmarks: list[dict[str, Any]] | None = None, advice: Advice | None = None, **transfers: Any
) -> Run:
    """Returns the result as a run; without `advice`, its advice is missing."""
    return Run(result(benchmarks, **transfers), advice or Advice(missing=unanswered("synthetic")))


def advice(
    fits: dict[str, tuple[float, float, float | None]] | None = None,
    winners: dict[str, list[list[str | None]]] | None = None,
    rankings: list[dict[str, Any]] | None = None,
    allocation: bool = True,
) -> Advice:
    """Returns answers of `advise`: fits as (t0 in ns, GB/s, n½), winners by size and reuse."""
    table = None
    if winners is not None:
        table = {
            "sizes": [KIB, MIB, 64 * MIB],
            "reuse": [1, 100],
            "measured_terms": {"allocation": allocation, "cpu_writes": True, "cpu_reads": True},
            "directions": {
                direction: {
                    "winner": names,
                    "total_ns": [[1000.0 for _ in row] for row in names],
                    "as_good": [[0 for _ in row] for row in names],
                    "margin": [[0.1 for _ in row] for row in names],
                    "gain": [[2.0 for _ in row] for row in names],
                    "runner_up": [["copy/second" for _ in row] for row in names],
                    "extrapolated": [[False for _ in row] for row in names],
                }
                for direction, names in winners.items()
            },
        }
    lines = {name: Fit(name, 1, t0, rate, half) for name, (t0, rate, half) in (fits or {}).items()}
    return Advice(lines, table, rankings or [], {} if table else unanswered("synthetic"))


def write(path: Path, content: dict[str, Any]) -> Path:
    """Writes a result file, compressed if its name ends in .gz."""
    data = json.dumps(content).encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def others() -> list[dict[str, Any]]:
    """Returns rows that are no plain transfers: failed, of other kinds, or without a meaning."""
    names = ("cpu/pinned/read_scalar", "allocate/pinned/alloc", "gpu_array/pinned/sum")
    return [
        failed_row("copy/pinned/h2d/8MiB"),
        row("copy/pinned/h2d/16MiB", 16 * MIB, 1e6, error_occurred=True),
        *(row(f"{name}/1MiB", MIB, 5e4) for name in (*names, "copy/pinned/sideways")),
        row("null/none/h2d/0B", 0, 50.0),
        row("copy/pinned/h2d/0B", 0, 50.0),
        row("nonsense", MIB, 5e4),
        row("copy/\ud800/h2d/1MiB", MIB, 5e4),  # a lone surrogate cannot be drawn
    ]


def ranking(size: int, direction: str, **pays: Any) -> dict[str, Any]:
    """Returns an answer of advise: how often each strategy must be used to pay."""
    strategies = [{"name": name.replace("__", "/"), "pays": each} for name, each in pays.items()]
    return {
        "question": {"bytes": size, "direction": direction, "reuse": 1},
        "measured_terms": {"allocation": True},
        "strategies": strategies,
    }
