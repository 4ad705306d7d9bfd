"""Tests `bench_transfers compare` on recorded and made-up runs."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from gate_files import PINNED_UPLOAD, Lab
from program import ALL_RAN, Program

RESULTS = Path(__file__).resolve().parents[2] / "results"
GATE = RESULTS / "nvidia-h200/2026-11-21-gate"
FIRST = [GATE / f"first-{i}.json.gz" for i in (1, 2, 3)]
SLOWED = [GATE / f"slowed-{i}.json.gz" for i in (1, 2, 3)]


def compared(program: Program, *arguments: str | Path) -> dict[str, Any]:
    completed = program.run("compare", *arguments, "--json=-")
    assert completed.code == ALL_RAN, completed
    assert completed.err == ""
    document: dict[str, Any] = json.loads(completed.out)
    assert (document["format"], document["kind"]) == (1, "comparison")
    return document


def findings(document: dict[str, Any]) -> set[str]:
    return {group["finding"] for group in document["groups"]}


def test_groups_come_with_the_largest_difference_first(program: Program):
    document = compared(program, *FIRST, "--", *SLOWED)
    assert document["basis"] == "runs"
    sizes = [abs(math.log1p(group["slowdown"])) for group in document["groups"]]
    assert sizes == sorted(sizes, reverse=True)
    for group in document["groups"]:
        low, high = group["interval_95"]
        assert low <= group["slowdown"] <= high
        assert group["benchmarks"]


def test_one_run_each_calls_nothing_slower(program: Program):
    document = compared(program, FIRST[0], SLOWED[0])
    assert document["basis"] == "repetitions"
    assert findings(document) <= {"needs_runs", "not_told"}
    text = program.run("compare", FIRST[0], SLOWED[0])
    assert text.code == ALL_RAN, text
    assert "95 % within the runs" in text.out
    assert "95 % interval" not in text.out


@pytest.mark.parametrize("runs", [1, 3])
def test_intervals_are_called_what_they_cover(program: Program, runs: int):
    document = compared(program, *FIRST[:runs], "--", *SLOWED[:runs])
    between, within = {"interval_95", "interval_of_all"}, {"within_runs_95", "within_runs_of_all"}
    expected, others = (between, within) if runs == 3 else (within, between)
    for group in document["groups"]:
        for difference in (group, *group["benchmarks"]):
            assert expected <= difference.keys()
            assert not others & difference.keys()


def test_the_sides_can_be_named(program: Program):
    assert compared(program, *FIRST, "--with", *SLOWED) == compared(program, *FIRST, "--", *SLOWED)


def test_a_slower_group_is_found(program: Program, lab: Lab):
    before = lab.runs(3)
    after = lab.runs(3, slowed={PINNED_UPLOAD: 1.5}, day=2)
    document = compared(program, *before, "--", *after)
    departing = [
        benchmark
        for group in document["groups"]
        for benchmark in group["benchmarks"]
        if benchmark["departs_from_group"]
    ]
    assert PINNED_UPLOAD in {benchmark["name"] for benchmark in departing}
    (slowed,) = (entry for entry in departing if entry["name"] == PINNED_UPLOAD)
    assert slowed["finding"] == "slower"
    assert 0.4 < slowed["slowdown"] < 0.6
