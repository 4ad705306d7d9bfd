"""Runs that end early, and the runs that go on with them (--resume)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from program import (
    Completed,
    Program,
    Result,
    read,
)

ROUNDS = 20
FOREVER = "--benchmark_repetitions=10000"
PACED = (
    "--device=host",
    "--strategies=paced",
    "--cache=warm",
    "--sizes=64KiB,1MiB",
    f"--benchmark_repetitions={ROUNDS}",
    "--benchmark_min_time=0.001",
)
NAMES = {
    f"paced/{name}/{direction}/{size}"
    for name in ("first", "second", "third", "fourth")
    for direction in ("h2d", "d2h")
    for size in ("64KiB", "1MiB")
}
Edit = Callable[[dict[str, Any]], None]


def cut(paced: Program, out: Path, *arguments: str, time: str = "200ms", code: int = 0) -> Result:
    """A run that has ended before all repetitions."""
    paced.run(*PACED, "--seed=1", f"--max-time={time}", *arguments, f"--out={out}", expected=code)
    result = read(out)
    assert result.transfers["complete"] is False
    return result


def resume(paced: Program, file: Path, *arguments: str | Path, **options: Any) -> Completed:
    return paced.run(f"--resume={file}", *arguments, **options)


def key(row: dict[str, Any]) -> tuple[str, int]:
    return row["run_name"], row["repetition_index"]


def unmarked(row: dict[str, Any]) -> dict[str, Any]:
    """Without the mark of a slow round, which later rounds may give to it or take away."""
    marks = [code for code in row.get("disturbed", []) if code != "slow_round"]
    rest = {name: value for name, value in row.items() if name != "disturbed"}
    return rest | {"disturbed": marks}


def assert_is_whole(result: Result, earlier: Result) -> None:
    """All repetitions are there, and those of the earlier part are as they were."""
    assert result.transfers["complete"] is True
    keys = [key(row) for row in result.rows]
    assert sorted(keys) == sorted((name, index) for name in NAMES for index in range(ROUNDS))
    by_key = {key(row): row for row in result.rows}
    assert earlier.rows
    for row in earlier.rows:
        assert unmarked(by_key[key(row)]) == unmarked(row)


def codes(warnings: list[dict[str, Any]]) -> list[str]:
    return [warning["code"] for warning in warnings]


def edit(file: Path, change: Edit) -> None:
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))


def set_at(*path: str | int, value: Any) -> Edit:
    def change(document: dict[str, Any]) -> None:
        inner: Any = document
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = value

    return change


TRANSFERS = ("context", "transfers")
