"""Confidential computing is said by every program that reads a result file."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from program import ALL_RAN, ROOT, Program

RESULTS = ROOT / "results/nvidia-h200"
PAIRS = RESULTS / "2026-11-24-staging-pairs"
GATE = RESULTS / "2026-11-21-gate"
INCONCLUSIVE = 3
TEXT = "confidential computing is on in device cuda:0: each byte is encrypted"


def encrypted(file: Path) -> dict[str, Any]:
    """Returns a recorded run as it would be with confidential computing."""
    document = json.loads(gzip.decompress(file.read_bytes()))
    facts = document["context"]["transfers"]
    for device in (facts["device"], *facts.get("devices", [])):
        device["confidential_computing"] = True
    facts["warnings"].append(
        {"code": "confidential_computing", "data": {"device": "cuda:0"}, "text": TEXT}
    )
    return document


@pytest.fixture
def files(tmp_path: Path) -> dict[bool, Path]:
    """Returns a file with confidential computing (`True`) and one without."""
    confidential = tmp_path / "confidential.json"
    confidential.write_text(json.dumps(encrypted(PAIRS / "1-result.json.gz")), "utf-8")
    return {True: confidential, False: PAIRS / "2-result.json.gz"}


@pytest.mark.parametrize("is_on", [True, False])
def test_advise(program: Program, tmp_path: Path, files: dict[bool, Path], is_on: bool):
    out = tmp_path / "answer.json"
    completed = program.run(
        "advise",
        f"--from={files[is_on]}",
        "--bytes=16MiB",
        "--direction=h2d",
        f"--json={out}",
        expected=ALL_RAN,
    )
    assert ("Note: confidential computing was on" in completed.out) == is_on
    assert json.loads(out.read_text("utf-8"))["from"]["confidential_computing"] is is_on


@pytest.mark.parametrize("first_is_on", [True, False])
def test_compare(program: Program, tmp_path: Path, files: dict[bool, Path], first_is_on: bool):
    out = tmp_path / "answer.json"
    pair = (files[first_is_on], files[not first_is_on])
    completed = program.run("compare", *map(str, pair), f"--json={out}", expected=ALL_RAN)
    letter = "A" if first_is_on else "B"
    said = completed.out.replace("\n  ", " ")
    assert f"{letter}: confidential.json: {TEXT}" in said
    of_a, of_b = ("true", "false") if first_is_on else ("false", "true")
    assert f"They differ in device.confidential_computing: A {of_a}, B {of_b}." in said
    answer = json.loads(out.read_text("utf-8"))
    assert answer["first"]["confidential_computing"] is first_is_on
    assert answer["second"]["confidential_computing"] is not first_is_on
    assert "device.confidential_computing" in {fact["key"] for fact in answer["changed"]}


@pytest.mark.parametrize(
    "word",
    ["csv", "markdown", "openmetrics", "bencher", "github-benchmark", "github-benchmark-bigger"],
)
def test_export(program: Program, files: dict[bool, Path], word: str):
    said, not_said = (
        program.run("export", f"--format={word}", str(files[is_on])).out.splitlines()
        for is_on in (True, False)
    )
    if word == "csv":  # the head has a column for it
        assert said[0] == not_said[0]
        assert all(line.endswith(",true") for line in said[1:])
        assert all(line.endswith(",") for line in not_said[1:])
    else:
        assert any("confidential" in line for line in said)
        assert not any("confidential" in line for line in not_said)


@pytest.mark.parametrize("is_on", [True, False])
def test_the_gate_notices_that_it_is_on_where_the_baseline_does_not_tell(
    gate: Program, tmp_path: Path, is_on: bool
):
    baseline, out = GATE / "baseline-median.json", tmp_path / "answer.json"
    runs = [GATE / f"first-{number}.json.gz" for number in (9, 10, 11)]
    if is_on:
        documents = [encrypted(run) for run in runs]
        runs = [tmp_path / run.stem for run in runs]
        for run, document in zip(runs, documents, strict=True):
            run.write_text(json.dumps(document), "utf-8")
    completed = gate.run(
        "check",
        baseline,
        *runs,
        "--decide-by=link",
        f"--json={out}",
        expected=INCONCLUSIVE if is_on else ALL_RAN,
    )
    assert ("was unknown, is true" in completed.out) == is_on
    changed = [fact["key"] for fact in json.loads(out.read_text("utf-8"))["changed"]]
    assert changed == (["device.confidential_computing"] if is_on else [])
