"""What run files declare of the judged field."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gate_files import PINNED_UPLOAD, SUITE, Lab, changed, pin
from program import Program, assert_complains

PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE = 0, 1, 2, 3
Change = Callable[[dict[str, Any]], None]


def declaring(
    metrics: dict[str, Any] | None = None, counters: dict[str, float] | None = None
) -> Change:
    """The same run with these metrics and counters."""

    def change(document: dict[str, Any]) -> None:
        document["context"]["transfers"]["metrics"] = metrics or {}
        for row in document["benchmarks"]:
            # More is worse, and each counter is proportional to the time.
            row.update({key: value * row["real_time"] for key, value in (counters or {}).items()})

    return change


def metric(unit: str, better: str | None, kind: str) -> dict[str, Any]:
    return {"unit": unit, "better": better, "kind": kind, "description": ""}


def rewritten(runs: list[Path], change: Change) -> list[Path]:
    return [changed(run, run, change) for run in runs]


def answer(gate: Program, baseline: Path, runs: list[Path], *options: str) -> dict[str, Any]:
    out = runs[0].with_suffix(".answer")
    completed = gate.run("check", baseline, *runs, f"--json={out}", *options)
    assert completed.err == "", completed
    document: dict[str, Any] = json.loads(out.read_text("utf-8"))
    assert document["exit_code"] == completed.code
    return document


def test_a_declaration_of_a_field_of_every_row_changes_nothing(
    gate: Program, baseline: Path, lab: Lab
):
    runs = lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1})
    first = answer(gate, baseline, runs)
    assert first["verdict"] == "REGRESSION"
    rewritten(runs[1:], declaring({"gb_per_s": metric("GB/s", "more", "rate")}))
    assert answer(gate, baseline, runs) == first
    assert "unit" not in json.loads(baseline.read_text("utf-8"))


@pytest.fixture
def idle(gate: Program, lab: Lab) -> tuple[Path, Change]:
    """A baseline judged by a counter with a neutral name, and the change that makes such runs."""
    change = declaring({"idle": metric("us", "less", "duration")}, {"idle": 2.0})
    runs = rewritten(lab.sessions(3, 4), change)
    out = pin(gate, runs, "--judge-by=idle")
    return out, change


def test_the_files_tell_which_is_better_and_the_unit(
    gate: Program, lab: Lab, idle: tuple[Path, Change]
):
    baseline, change = idle
    content = json.loads(baseline.read_text("utf-8"))
    assert (content["judged_by"], content["better"]) == ("idle", "less")
    assert (content["unit"], content["metric_kind"]) == ("us", "duration")
    runs = rewritten(lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1}), change)
    document = answer(gate, baseline, runs)
    assert document["verdict"] == "REGRESSION"
    worst = document["benchmarks"][0]
    assert worst["name"] == PINNED_UPLOAD
    us = 2 * SUITE[PINNED_UPLOAD] / 1e3  # the unit of the file
    assert worst["before"] == pytest.approx(us, rel=0.01)
    assert {benchmark["class"] for benchmark in document["benchmarks"]} == {"link", "latency"}
    assert "3.2" in gate.run("power", baseline).out
    assert " ms " in gate.run("check", baseline, *runs).out
    assert " ms " in gate.run("show", *runs, "--judge-by=idle").out


def test_runs_that_declare_nothing_are_judged_by_such_a_baseline(
    gate: Program, lab: Lab, idle: tuple[Path, Change]
):
    def undeclared(document: dict[str, Any]) -> None:
        facts = dict(document["context"]["transfers"])
        idle[1](document)
        document["context"]["transfers"] = facts

    runs = rewritten(lab.runs(3, day=9), undeclared)
    assert answer(gate, idle[0], runs)["verdict"] == "PASS"


@pytest.mark.parametrize(
    "declaration",
    [
        metric("ms", "less", "duration"),
        metric("us", "more", "duration"),
        metric("us", "less", "count"),
        metric("us", None, "duration"),
    ],
)
def test_runs_that_disagree_are_refused_in_one_line(
    gate: Program, lab: Lab, idle: tuple[Path, Change], declaration: dict[str, Any]
):
    runs = rewritten(lab.runs(3, day=9), idle[1])
    rewritten(runs[2:], declaring({"idle": declaration}))
    for completed in (
        gate.run("check", idle[0], *runs),
        gate.run("pin", *runs, "--judge-by=idle", f"--out={lab.folder / 'out'}"),
        gate.run("show", *runs, "--judge-by=idle"),
    ):
        assert_complains(completed, BAD_INPUT, str(runs[0]), str(runs[2]), "disagree about idle")
    assert not (lab.folder / "out").exists()


def test_runs_in_another_unit_than_the_baselines(
    gate: Program, lab: Lab, idle: tuple[Path, Change]
):
    change = declaring({"idle": metric("ms", "less", "duration")}, {"idle": 0.002})
    runs = rewritten(lab.runs(3, day=9), change)
    completed = gate.run("check", idle[0], *runs)
    assert_complains(completed, BAD_INPUT, "'ms'", "the baseline in 'us'")


def test_new_runs_do_not_choose_the_threshold_by_another_unit(gate: Program, lab: Lab):
    """A rate declared as a time would be judged by the threshold of latencies."""
    runs = lab.sessions(2, 3)
    baseline = pin(gate, runs, "--judge-by=gb_per_s")
    change = declaring({"gb_per_s": metric("us", "more", "duration")})
    completed = gate.run("check", baseline, *rewritten(lab.runs(3, day=9), change))
    assert_complains(completed, BAD_INPUT, "'us'", "the baseline in 'GB/s'")


def test_the_user_has_the_last_word_on_what_is_better(gate: Program, lab: Lab):
    change = declaring({"used": metric("1", "more", "count")}, {"used": 2.0})
    runs = rewritten(lab.sessions(3, 4), change)
    for option, better in (("used", "more"), ("used:less", "less"), ("used:more", "more")):
        out = lab.folder / f"{better}-{len(option)}"
        gate.run("pin", *runs, f"--judge-by={option}", f"--out={out}", expected=PASS)
        assert json.loads(out.read_text("utf-8"))["better"] == better


@pytest.mark.parametrize("better", ["nothing", None])
def test_the_better_direction_must_be_known(gate: Program, lab: Lab, better: str | None):
    """Neither the name, nor the file, nor the user says which is better."""
    metrics = {} if better == "nothing" else {"cores": metric("1", better, "count")}
    runs = rewritten(lab.runs(3), declaring(metrics, {"cores": 1.0}))
    completed = gate.run("pin", *runs, "--judge-by=cores", f"--out={lab.folder / 'out'}")
    assert_complains(completed, BAD_INPUT, "cores:more or cores:less")
    assert not (lab.folder / "out").exists()


def test_less_is_better_for_a_declared_time(gate: Program, lab: Lab):
    change = declaring({"idle": metric("us", "less", "duration")}, {"idle": 2.0})
    runs = rewritten(lab.runs(3), change)
    completed = gate.run("pin", *runs, "--judge-by=idle:more", f"--out={lab.folder / 'out'}")
    assert_complains(completed, BAD_INPUT)
