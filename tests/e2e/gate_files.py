"""Result files made up for `gate_transfers`. The cost of each benchmark and its variation between
processes and sessions are known."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import described
from program import Program

KIB, MIB = 1024, 1024**2
REPETITIONS = 3
FIRST_DAY = datetime(2026, 1, 1, 8, tzinfo=UTC)
FACTS: dict[str, Any] = {
    "format": 2,
    "complete": True,
    "program": {"version": "0.1.0", "build_type": "Release"},
    "run": {"min_time_ms": 3.0, "random_order": True, "faults_injected": []},
    "device": {
        "kind": "cuda",
        "name": "Made-up GPU",
        "uuid": "GPU-1",
        "driver_version": "580.1",
        "driver_cuda_version": "13.0",
    },
    "link": {"generation": 5, "width": 16},
    "machine": {
        "cpu": {"model": "Made-up CPU"},
        "memory": {"total_bytes": 64 * 2**30},
        "kernel": {"release": "6.1", "boot_id": "boot-1"},
    },
    "metrics": {},
    "warnings": [],
}
BANDWIDTH = {
    f"copy/{memory}/{direction}/{size}MiB": 25_000.0 * size
    for memory in ("pinned", "pinned_wc", "registered", "registered_huge")
    for direction in ("h2d", "d2h")
    for size in (4, 16, 64)
}
LATENCY = {
    f"copy/{memory}/{direction}/{size}": 6_000.0 + position
    for memory in ("pinned", "pinned_wc", "registered", "registered_huge")
    for direction in ("h2d", "d2h")
    for position, size in enumerate(("4B", "1KiB"))
}
SUITE = BANDWIDTH | LATENCY
PINNED_UPLOAD, REGISTERED_DOWNLOAD = "copy/pinned/h2d/64MiB", "copy/registered/d2h/16MiB"


def rows(name: str, ns: float, unit: str = "us", **more: Any) -> list[dict[str, Any]]:
    in_unit = {"ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]
    return [
        {
            "name": name,
            "run_name": name,
            "run_type": "iteration",
            "repetitions": REPETITIONS,
            "repetition_index": index,
            "real_time": ns * (1 + 0.0003 * (index - 1)) / in_unit,
            "mean_ns": ns * (1 + 0.0003 * (index - 1)),
            "cpu_time": ns / in_unit,
            "time_unit": unit,
            "gb_per_s": 1e6 / ns,
            **more,
        }
        for index in range(REPETITIONS)
    ]


def failed_rows(name: str) -> list[dict[str, Any]]:
    row = {"name": name, "run_name": name, "run_type": "iteration", "repetition_index": 0}
    return [row | {"error_occurred": True, "error_message": "wrong data"}]


@dataclass
class Lab:
    """Makes runs of the same machine, each unlike all others."""

    folder: Path
    costs: Mapping[str, float] = field(default_factory=lambda: SUITE)
    process_deviation: float = 0.001
    session_deviation: float = 0.0002
    foreign: bool = False  # files of another program that uses Google Benchmark
    seed: int = 1

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        self._made = 0

    def document(
        self,
        when: datetime,
        session: Mapping[str, float],
        slowed: Mapping[str, float] | float = 1.0,
        without: Iterable[str] = (),
        facts: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        benchmarks: list[dict[str, Any]] = []
        for name, ns in self.costs.items():
            if name in set(without):
                continue
            factor = slowed.get(name, 1.0) if isinstance(slowed, Mapping) else slowed
            noise = self._random.gauss(0, self.process_deviation) + session[name]
            benchmarks += rows(name, ns * factor * (1 + noise))
        context: dict[str, Any] = {"date": when.isoformat(), "json_schema_version": 1}
        if not self.foreign:
            ours = copy.deepcopy(FACTS)
            ours["run"]["started_utc"] = when.strftime("%Y-%m-%dT%H:%M:%SZ")
            for path, value in (facts or {}).items():
                inside = ours
                *groups, key = path.split(".")
                for group in groups:
                    inside = inside[group]
                inside[key] = value
            context["transfers"] = ours
        document = {"context": context, "benchmarks": benchmarks}
        return document if self.foreign else described.complete(document)

    def runs(self, count: int, day: int = 0, **options: Any) -> list[Path]:
        """`count` runs of one session; `slowed`, `without` and `facts` as for document()."""
        session = {name: self._random.gauss(0, self.session_deviation) for name in self.costs}
        paths = []
        for number in range(count):
            self._made += 1  # no two begin in the same second
            when = FIRST_DAY + timedelta(days=day, minutes=2 * number, seconds=self._made)
            path = self.folder / f"run-{self._made}.json"
            paths.append(write(path, self.document(when, session, **options)))
        return paths

    def sessions(self, count: int, each: int, **options: Any) -> list[Path]:
        return [path for day in range(count) for path in self.runs(each, day, **options)]


def write(path: Path, document: Any) -> Path:
    path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    return path


def pin(gate: Program, runs: Iterable[Path], *options: str) -> Path:
    """A baseline of the runs, beside them."""
    first, *others = runs
    out = first.with_name("pinned.json")
    gate.run("pin", first, *others, f"--out={out}", *options, expected=0)
    return out


def changed(path: Path, to: Path, change: Any) -> Path:
    """A copy of a file, with a document that `change` has modified."""
    document = json.loads(path.read_text("utf-8"))
    change(document)
    return write(to, document)
