"""The gate on the recorded runs of three H200 machines, as docs/GATE.md describes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from program import ROOT, Program, assert_complains

PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE = 0, 1, 2, 3
WORDS = {PASS: "PASS", REGRESSION: "REGRESSION", INCONCLUSIVE: "INCONCLUSIVE"}
RESULTS = ROOT / "results"
FOLDER = RESULTS / "nvidia-h200/2026-11-21-gate"
FIRST = [f"first-{number}.json.gz" for number in (9, 10, 11)]
SECOND = [f"second-{number}.json.gz" for number in (6, 7, 8)]
THIRD = [f"third-{number}.json.gz" for number in (1, 2, 3)]
SLOWED = [f"slowed-{number}.json.gz" for number in (1, 2, 3)]


def answer_to(gate: Program, baseline: str | Path, runs: list[str], out: Path) -> dict[str, Any]:
    completed = gate.run("check", baseline, *runs, f"--json={out}", cwd=FOLDER)
    assert completed.code in WORDS, completed
    document: dict[str, Any] = json.loads(out.read_text("utf-8"))
    assert document["verdict"] == WORDS[completed.code]
    return document


@pytest.mark.parametrize("which", ["median", "fastest"])
@pytest.mark.parametrize("runs", [FIRST, SECOND, FIRST + SECOND, THIRD, SLOWED])
def test_decides_by_class(gate: Program, tmp_path: Path, which: str, runs: list[str]) -> None:
    """Noise of the host and of latency says nothing about the link."""
    document = answer_to(gate, f"baseline-{which}.json", runs, tmp_path / "answer.json")
    verdicts = {part["class"]: part["verdict"] for part in document["classes"]}
    slowed = runs == SLOWED
    assert verdicts["link"] == ("REGRESSION" if slowed else "PASS")
    assert [part["class"] for part in document["classes"] if part["decides"]] == ["link"]
    assert document["verdict"] == ("REGRESSION" if slowed else "PASS")
    assert document["has_means"] is False
    codes = {note["code"] for note in document["notes"]}
    assert codes == ({"faults_injected"} if slowed else set())
    slower = [row for row in document["benchmarks"] if row["verdict"] == "slower"]
    assert all(row["name"].startswith("copy/pinned/") for row in slower)
    assert bool(slower) == slowed
    gate.run(
        "check",
        f"baseline-{which}.json",
        *runs,
        "--decide-by=link",
        cwd=FOLDER,
        expected=REGRESSION if slowed else PASS,
    )


def without_later_keys(baseline: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(baseline.read_text("utf-8"))
    del document["digest"]
    for run in document["runs"]:
        for key in ("slot", "host", "measurements", "finished_utc"):
            run.pop(key, None)
    for entry in document["benchmarks"].values():
        for key in ("means", "fastest"):
            entry.pop(key, None)
    document["machine"].pop("program.cuda_toolkit", None)
    return document


@pytest.mark.parametrize("which", ["median", "fastest"])
def test_makes_the_recorded_baselines_again(gate: Program, which: str, tmp_path: Path) -> None:
    """All but what later releases add, so that each of their runs is recognised."""
    runs = [FOLDER / f"first-{number}.json.gz" for number in range(1, 9)]
    runs += [FOLDER / f"second-{number}.json.gz" for number in range(1, 6)]
    pinned = tmp_path / "baseline.json"
    completed = gate.run(
        "pin", *runs, f"--of-repetitions={which}", f"--out={pinned}", expected=PASS
    )
    assert without_later_keys(pinned) == without_later_keys(FOLDER / f"baseline-{which}.json")
    for run in runs:
        completed = gate.run("check", FOLDER / f"baseline-{which}.json", run)
        assert_complains(completed, BAD_INPUT, "holds the same measurements", "of the baseline")


@pytest.mark.parametrize("key", ["real_time", "gb_per_s", "cpu_s_per_gb:less"])
def test_shows_recorded_runs_by_any_counter(gate: Program, key: str) -> None:
    completed = gate.run(
        "show",
        "first-1.json.gz",
        "second-1.json.gz",
        f"--judge-by={key}",
        cwd=FOLDER,
        expected=PASS,
    )
    assert "copy/pinned/h2d/128MiB" in completed.out
    assert (
        max(map(len, completed.out.splitlines())) <= 101
    )  # a figure that is too wide moves its line
