"""Ways to a PASS with a real slowdown, which a hostile reader found. None of them passes."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from described import message
from gate_files import BANDWIDTH, LATENCY, PINNED_UPLOAD, SUITE, Lab, changed, pin
from program import Completed, Program, assert_complains

PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE = 0, 1, 2, 3
THROTTLED = {"warnings": [message("gpu_throttled", "the GPU was throttled: hw_thermal_slowdown")]}
FOUR = list(BANDWIDTH)[:4]


def answer(
    gate: Program, baseline: Path, runs: list[Path], expected: int, *options: str
) -> dict[str, Any]:
    out = runs[0].with_suffix(".answer")
    gate.run("check", baseline, *runs, f"--json={out}", *options, expected=expected)
    document: dict[str, Any] = json.loads(out.read_text("utf-8"))
    return document


def said(completed: Completed) -> str:
    """The printed text, with folded lines joined."""
    return completed.out.replace("\n  ", " ")


def codes(messages: list[dict[str, Any]]) -> list[str]:
    return [message["code"] for message in messages]


def benchmark(document: dict[str, Any], name: str) -> dict[str, Any]:
    return next(entry for entry in document["benchmarks"] if entry["name"] == name)


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture
def baseline(gate: Program, lab: Lab) -> Path:
    return pin(gate, lab.sessions(3, 4))


# Noise


@pytest.mark.parametrize("seed", range(2, 12))
def test_a_suite_that_shows_nothing(gate: Program, tmp_path: Path, seed: int):
    """Processes differ by 2.5 %, and four benchmarks are slower by 5 %."""
    sessions = Lab(tmp_path, process_deviation=0.025).sessions(3, 4)
    baseline = pin(gate, sessions, "--allow-noisy")
    lab = Lab(tmp_path, process_deviation=0.025, seed=seed)
    runs = lab.runs(3, day=9, slowed=dict.fromkeys(FOUR, 1.05))
    out = tmp_path / "answer"
    completed = gate.run("check", baseline, *runs, f"--json={out}")
    assert completed.code in (REGRESSION, INCONCLUSIVE), completed
    link = json.loads(out.read_text("utf-8"))["classes"][0]
    assert link["verdict"] != "PASS"
    assert link["tested"] < link["of_baseline"] / 2


def test_a_class_that_shows_nothing_beside_one_that_does(gate: Program, tmp_path: Path):
    """Only latency can show its threshold."""
    sessions = Lab(tmp_path, process_deviation=0.012).sessions(3, 6)
    completed = gate.run("pin", *sessions, f"--out={tmp_path / 'refused'}")
    assert_complains(completed, BAD_INPUT, "--allow-noisy")
    baseline = pin(gate, sessions, "--allow-noisy")
    runs = Lab(tmp_path, process_deviation=0.012, seed=2).runs(4, day=9)
    document = answer(gate, baseline, runs, INCONCLUSIVE)
    link, latency = document["classes"]
    assert (link["verdict"], latency["verdict"]) == ("INCONCLUSIVE", "PASS")
    assert codes(document["reasons"]) == ["too_few_can_show"]
    answer(gate, baseline, runs, PASS, "--decide-by=latency")
    answer(gate, baseline, runs, INCONCLUSIVE, "--decide-by=link")


def test_a_slowdown_by_a_multiple_in_noise(gate: Program, tmp_path: Path):
    """Far beyond the threshold, but not beyond what 40 noisy benchmarks show by chance."""
    baseline = pin(gate, Lab(tmp_path, process_deviation=0.03).sessions(3, 4), "--allow-noisy")
    runs = Lab(tmp_path, process_deviation=0.03, seed=3).runs(3, day=9, slowed={PINNED_UPLOAD: 1.1})
    document = answer(gate, baseline, runs, INCONCLUSIVE)
    assert benchmark(document, PINNED_UPLOAD)["verdict"] in ("ambiguous", "not_known")


def test_improvements_beside_slowdowns(gate: Program, tmp_path: Path):
    """Half of the others became up to a fifth faster."""
    baseline = pin(gate, Lab(tmp_path).sessions(3, 4))
    factors = dict.fromkeys(FOUR, 1.1)
    for name in list(SUITE)[5::2]:
        factors[name] = random.Random(name).uniform(0.8, 1)
    runs = Lab(tmp_path, seed=2).runs(3, day=9, slowed=factors)
    document = answer(gate, baseline, runs, REGRESSION)
    slower = {entry["name"] for entry in document["benchmarks"] if entry["verdict"] == "slower"}
    assert slower == set(FOUR)


# Baselines


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('"better": "more"', '"better": "less"'),
        ('"of_repetitions": "median"', '"of_repetitions": "fastest"'),
        ('"link.width":"16"', '"link.width":"8"'),
        ('"on_host": false', '"on_host": true'),
        ('"limited_by":"link"', '"limited_by":"latency"'),
        ('"reference":null', '"reference":90'),
    ],
)
def test_a_line_of_another_baseline(gate: Program, lab: Lab, before: str, after: str):
    baseline = pin(gate, lab.sessions(3, 4), "--judge-by=gb_per_s")
    text = baseline.read_text("utf-8")
    assert before in text
    baseline.write_text(text.replace(before, after, 1), "utf-8")
    completed = gate.run("check", baseline, *lab.runs(3, day=9))
    assert_complains(completed, BAD_INPUT, "digest")


def test_small_slowdowns_that_add_up(gate: Program, lab: Lab, baseline: Path):
    """Each baseline replaces the one before, and each check passes."""
    for step in range(1, 4):
        slowed = dict.fromkeys(FOUR, 1.011**step)
        runs = [run for day in range(3) for run in lab.runs(4, 10 * step + day, slowed=slowed)]
        document = answer(gate, baseline, runs[:4], PASS)
        assert ("baseline_crept" in codes(document["notes"])) == (step > 2)
        completed = gate.run("pin", *runs, f"--out={baseline}", expected=PASS)
        told = "slower than the first baseline of its line in 4 benchmarks" in said(completed)
        assert told == (step > 1)
    assert_forgets(gate, baseline, lab, dict.fromkeys(FOUR, 1.011**3))


def assert_forgets(gate: Program, baseline: Path, lab: Lab, slowed: Mapping[str, float]) -> None:
    """A new line accepts what is slower."""
    runs = [run for day in range(3) for run in lab.runs(4, 50 + day, slowed=slowed)]
    completed = gate.run("pin", *runs, f"--out={baseline}", "--new-line")
    assert "first baseline" not in said(completed)
    document = answer(gate, baseline, lab.runs(3, day=60, slowed=slowed), PASS)
    assert codes(document["notes"]) == []


@pytest.mark.parametrize("is_named", [False, True])
def test_a_slower_baseline_tells_what_it_replaces(
    gate: Program, tmp_path: Path, lab: Lab, baseline: Path, is_named: bool
):
    runs = [run for day in (4, 5) for run in lab.runs(5, day, slowed={PINNED_UPLOAD: 1.1})]
    out = tmp_path / "next.json" if is_named else baseline
    options = [f"--replaces={baseline}"] if is_named else []
    completed = gate.run("pin", *runs, f"--out={out}", *options, expected=PASS)
    assert f"slower than the baseline that it replaces in 1 benchmark, {PINNED_UPLOAD} by " in said(
        completed
    )
    assert "have added up" not in completed.out
    content = json.loads(out.read_text("utf-8"))
    reference = content["benchmarks"][PINNED_UPLOAD]["reference"]
    assert reference == pytest.approx(SUITE[PINNED_UPLOAD], rel=0.01)


def test_a_baseline_that_cannot_be_read_is_not_replaced_unseen(gate: Program, tmp_path: Path):
    runs = Lab(tmp_path).sessions(2, 5)
    out = tmp_path / "other.json"
    out.write_text("{}")
    completed = gate.run("pin", *runs, f"--out={out}", expected=PASS)
    assert "not compared with the baseline that it replaces" in said(completed)
    completed = gate.run("pin", *runs, f"--out={out}", "--judge-by=gb_per_s")
    assert "judged by another figure" in said(completed)
    completed = gate.run("pin", *runs, f"--out={out}", f"--replaces={tmp_path / 'none'}")
    assert_complains(completed, BAD_INPUT)


def test_sessions_that_differ_as_a_whole(gate: Program, tmp_path: Path, lab: Lab):
    runs = [*lab.runs(5), *lab.runs(5, day=1, slowed=dict.fromkeys(BANDWIDTH, 1.1))]
    completed = gate.run("pin", *runs, f"--out={tmp_path / 'out'}", "--allow-noisy", expected=PASS)
    assert "link: the slowest session is " in said(completed)
    assert "latency: the slowest" not in said(completed)


# Disturbances


def test_throttled_runs_make_no_baseline(gate: Program, tmp_path: Path):
    runs = Lab(tmp_path).sessions(3, 4, slowed=1.1, facts=THROTTLED)
    out = tmp_path / "out"
    completed = gate.run("pin", *runs, f"--out={out}")
    assert_complains(completed, BAD_INPUT, "--allow-disturbed")
    assert not out.exists()
    completed = gate.run("pin", *runs, f"--out={out}", "--allow-disturbed", expected=PASS)
    assert "Warning: " in completed.out
    assert "the GPU was throttled: hw_thermal_slowdown" in said(completed)


def test_throttled_runs_are_no_regression_of_the_program(gate: Program, lab: Lab, baseline: Path):
    slow = lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1}, facts=THROTTLED)
    document = answer(gate, baseline, slow, INCONCLUSIVE)
    assert codes(document["reasons"]) == ["runs_disturbed"]
    assert codes(document["notes"]) == ["run_warning"] * 3
    answer(gate, baseline, lab.runs(3, day=10, facts=THROTTLED), PASS)


def test_one_slow_process_of_three(gate: Program, lab: Lab, baseline: Path):
    runs = [*lab.runs(2, day=9), *lab.runs(1, day=9, slowed={PINNED_UPLOAD: 5.0})]
    document = answer(gate, baseline, runs, INCONCLUSIVE)
    assert codes(document["reasons"]) == ["seen_slower"]
    assert document["more_runs_may_tell"] is True
    suspect = benchmark(document, PINNED_UPLOAD)
    assert suspect["verdict"] == "ambiguous"
    assert suspect["note"]["code"] == "slow_runs"
    assert suspect["note"]["data"]["slow"] == 1
    assert codes(document["notes"]) == ["slow_runs"]
    again = lab.runs(3, day=9)
    document = answer(gate, baseline, [*runs, *again], PASS)
    assert "much slower in some runs and not when measured again" in document["sentence"]
    slow = lab.runs(1, day=9, slowed={PINNED_UPLOAD: 5.0})
    document = answer(gate, baseline, [*runs, *again[:2], *slow], REGRESSION)
    assert benchmark(document, PINNED_UPLOAD)["seen_slower"] == "again"


def test_runs_that_were_killed_before_what_is_slow(gate: Program, lab: Lab, baseline: Path):
    killed = lab.runs(9, day=9, without=FOUR, facts={"complete": False})
    document = answer(gate, baseline, [*killed, *lab.runs(3, day=10)], INCONCLUSIVE)
    assert "benchmarks_missing" in codes(document["reasons"])
    for name in FOUR:
        assert benchmark(document, name)["verdict"] == "missing"


# Files that contradict themselves


Rows = list[dict[str, Any]]


def halved_rate(rows: Rows) -> None:
    for row in rows:
        row["gb_per_s"] /= 2


def quick(rows: Rows) -> None:
    for row in rows:
        row["real_time"] /= 1000


@pytest.mark.parametrize("change", [halved_rate, quick])
@pytest.mark.parametrize("judged_by", ["real_time", "gb_per_s"])
def test_rows_that_contradict_themselves(
    gate: Program, tmp_path: Path, lab: Lab, change: Callable[[Rows], None], judged_by: str
):
    def bytes_too(document: dict[str, Any]) -> None:
        for row in document["benchmarks"]:
            row["bytes"] = 1e6
            row["gb_per_s"] = 1.0 / row["real_time"]  # in microseconds, and to GB
            row["gb_per_s"] *= 1e3
        for entry in document["context"]["transfers"]["benchmarks"].values():
            entry["size_bytes"] = 10**6

    old = [changed(run, run, bytes_too) for run in lab.sessions(3, 4)]
    baseline = pin(gate, old, f"--judge-by={judged_by}")
    runs = [changed(run, run, bytes_too) for run in lab.runs(3, day=9)]
    answer(gate, baseline, runs, PASS)
    broken = changed(
        runs[1],
        tmp_path / "broken.json",
        lambda document: change(
            [row for row in document["benchmarks"] if row["name"] == PINNED_UPLOAD]
        ),
    )
    completed = gate.run("check", baseline, runs[0], broken, runs[2])
    assert_complains(completed, BAD_INPUT, str(broken))


def test_a_benchmark_that_moves_nothing(gate: Program, lab: Lab, baseline: Path):
    document = answer(
        gate, baseline, lab.runs(3, day=9, slowed={PINNED_UPLOAD: 0.01}), INCONCLUSIVE
    )
    suspect = benchmark(document, PINNED_UPLOAD)
    assert suspect["verdict"] == "ambiguous"
    assert suspect["note"]["code"] == "implausibly_fast"


# What decides


def test_a_class_that_the_baseline_lacks_decides_nothing(gate: Program, lab: Lab, baseline: Path):
    completed = gate.run("check", baseline, *lab.runs(3, day=9), "--decide-by=host")
    assert_complains(completed, BAD_INPUT, "--decide-by=host: the baseline has no")


def test_the_classes_that_decide(gate: Program, lab: Lab, baseline: Path):
    runs = lab.runs(3, day=9, slowed={next(iter(LATENCY)): 1.1})
    assert answer(gate, baseline, runs, REGRESSION)["classes"][1]["verdict"] == "REGRESSION"
    answer(gate, baseline, runs, REGRESSION, "--decide-by=latency,link")
    document = answer(gate, baseline, runs, PASS, "--decide-by=link")
    assert [part["decides"] for part in document["classes"]] == [True, False]
    undecided = "latency (vetoes from 15 %; 16 of 16 can be judged at 5 %) does not decide"
    assert undecided in document["sentence"]
    slow = lab.runs(3, day=10, slowed={next(iter(LATENCY)): 1.5})
    document = answer(gate, baseline, slow, REGRESSION, "--decide-by=link")
    assert document["classes"][1]["verdict"] == "REGRESSION"
