"""`gate_transfers history`: what small slowdowns have added up to since the first baseline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gate_files import BANDWIDTH, Lab, pin, write
from program import Program, assert_complains

PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE = 0, 1, 2, 3
WORDS = {PASS: "PASS", REGRESSION: "REGRESSION", INCONCLUSIVE: "INCONCLUSIVE"}


def history(gate: Program, *arguments: str | Path, expected: int) -> dict[str, Any]:
    """Its file; the text ends with the same verdict and fits a terminal."""
    printed = gate.run("history", *arguments, expected=expected)
    assert printed.out.splitlines()[-1].startswith((WORDS[expected], "  "))
    assert WORDS[expected] + ": " in printed.out
    assert max(map(len, printed.out.splitlines())) <= 100
    document: dict[str, Any] = json.loads(gate.run("history", *arguments, "--json=-").out)
    assert (document["verdict"], document["exit_code"]) == (WORDS[expected], expected)
    assert (document["kind"], document["format"]) == ("gate_history", 1)
    return document


def link_of(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in document["classes"] if one["class"] == "link")
    return found


def creeping_line(gate: Program, lab: Lab) -> tuple[Path, Path, list[Path]]:
    """Six baselines, each 1.8 % slower than the one before: the first, the last, and all runs."""
    first, all_runs = lab.folder / "first.json", []
    for number in range(6):
        slowed = dict.fromkeys(BANDWIDTH, 1.018**number)
        runs = [run for day in (0, 1) for run in lab.runs(4, day=10 * number + day, slowed=slowed)]
        baseline = pin(gate, runs)
        if number == 0:
            first.write_bytes(baseline.read_bytes())
        all_runs += runs
    return first, baseline, all_runs


def test_small_slowdowns_add_up(gate: Program, lab: Lab):
    first, last, runs = creeping_line(gate, lab)
    new = lab.runs(3, day=60, slowed=dict.fromkeys(BANDWIDTH, 1.018**5))
    checked = gate.run("check", last, *new, "--decide-by=link", expected=INCONCLUSIVE)
    assert "slower as a whole than the first of its line" in checked.out.replace("\n  ", " ")
    whole = history(gate, first, *runs, *new, expected=REGRESSION)
    assert not whole["has_first_baseline"]
    assert len(whole["sessions"]) == 13
    assert link_of(whole)["crept"]
    assert link_of(whole)["slowdown"] == pytest.approx(1.018**5 - 1, abs=0.005)
    steps = [step["session"] for step in link_of(whole)["steps"]]
    assert steps == [2, 4, 6, 8, 10]
    assert {one["class"] for one in whole["benchmarks"] if one["crept"]} == {"link"}
    new += lab.runs(3, day=61, slowed=dict.fromkeys(BANDWIDTH, 1.018**5))
    of_last = history(gate, last, *new, expected=REGRESSION)
    assert of_last["has_first_baseline"]
    assert link_of(of_last)["slowdown"] == pytest.approx(1.018**5 - 1, abs=0.005)
    history(gate, last, *new, "--decide-by=latency", expected=PASS)
    history(gate, last, *new, "--threshold=15%", expected=PASS)
    accepted = lab.folder / "new-line.json"
    gate.run("pin", *runs[-8:], f"--out={accepted}", "--new-line", expected=PASS)
    gate.run("check", accepted, *new, "--decide-by=link", expected=PASS)
    history(gate, accepted, *new, expected=PASS)


def test_nothing_has_changed(gate: Program, lab: Lab):
    baseline = pin(gate, lab.sessions(3, 4))
    runs = [run for day in range(5, 12) for run in lab.runs(3, day=day)]
    document = history(gate, baseline, *runs, expected=PASS)
    assert len(document["sessions"]) == 10
    assert not any(one["crept"] for one in document["classes"] + document["benchmarks"])


def test_three_sessions_do_not_tell(gate: Program, lab: Lab):
    baseline = pin(gate, lab.sessions(2, 4))
    history(gate, baseline, expected=INCONCLUSIVE)
    history(gate, baseline, *lab.runs(3, day=9), expected=INCONCLUSIVE)
    history(gate, baseline, *lab.runs(3, day=9), *lab.runs(3, day=10), expected=PASS)


def test_another_machine_is_left_out_and_named(gate: Program, lab: Lab):
    baseline = pin(gate, lab.sessions(3, 4))
    same = lab.runs(3, day=5)
    runs = lab.runs(3, day=9, facts={"device.driver_version": "590", "device.uuid": "GPU-2"})
    document = history(gate, baseline, *same, *runs, expected=INCONCLUSIVE)
    assert document["sessions"][-1]["changed"] == ["device.driver_version", "device.uuid"]
    assert document["sessions"][-1]["left_out"] == {"differs": 3}
    assert document["sessions"][-2]["left_out"] == {}
    permitted = "--allow-different=device.driver_version,device.uuid"
    document = history(gate, baseline, *same, *runs, permitted, expected=PASS)
    assert document["sessions"][-1]["left_out"] == {}
    assert_complains(gate.run("history", baseline, "--allow-different=device.driver"), BAD_INPUT)


def test_bad_input(gate: Program, lab: Lab):
    baseline = pin(gate, lab.sessions(2, 4))
    run = lab.runs(1, day=9)[0]
    for arguments in (
        (),
        (run,),
        (baseline, lab.folder / "none.json"),
        (baseline, write(lab.folder / "broken.json", "{")),
        (baseline, run, run),
        (baseline, run, "--threshold=2"),
        (baseline, run, "--decide-by=host"),
        (baseline, run, f"--json={run}"),
    ):
        assert_complains(gate.run("history", *arguments), BAD_INPUT)
