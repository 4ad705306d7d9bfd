"""Nothing decides by a sentence: the gate whose sentences are others, and files with other texts,
have the same verdicts, exit codes and counts, and scripts/gate goes the same way."""

from __future__ import annotations

import json
import stat
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from described import message
from gate_files import BANDWIDTH, LATENCY, PINNED_UPLOAD, Lab, changed, failed_rows
from gate_project import Project
from program import Program

PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE, ENVIRONMENT = 0, 1, 2, 3, 4
GIBBERISH = "plugh"
THROTTLED = [message("gpu_throttled", "the GPU was throttled: thermal_slowdown")]
Make = Callable[[Lab], list[Path]]


@pytest.fixture(scope="session")
def reworded(pytestconfig: pytest.Config) -> Program:
    path = pytestconfig.getoption("binary").with_name("gate_transfers_reworded")
    assert path.is_file(), f"{path} is not built"
    return Program(path.resolve())


def fail(document: dict[str, Any]) -> None:
    rows = [row for row in document["benchmarks"] if row["name"] != PINNED_UPLOAD]
    document["benchmarks"] = rows + failed_rows(PINNED_UPLOAD)


def failed(lab: Lab) -> list[Path]:
    return [changed(run, run, fail) for run in lab.runs(3, day=9)]


def unsure(lab: Lab) -> list[Path]:
    return [*lab.runs(2, day=9, slowed={PINNED_UPLOAD: 1.1}), *lab.runs(1, day=9)]


def partly(lab: Lab) -> list[Path]:
    return [*lab.runs(1, day=9, without=[PINNED_UPLOAD]), *lab.runs(3, day=9)]


CASES: dict[str, tuple[Make, tuple[str, ...], int]] = {
    "same": (lambda lab: lab.runs(3, day=9), (), PASS),
    "slower": (lambda lab: lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1}), (), REGRESSION),
    "ambiguous": (unsure, (), INCONCLUSIVE),
    "missing": (lambda lab: lab.runs(3, day=9, without=[PINNED_UPLOAD]), (), INCONCLUSIVE),
    "allowed": (
        lambda lab: lab.runs(3, day=9, without=[PINNED_UPLOAD]),
        ("--allow-missing=.",),
        PASS,
    ),
    "most missing": (lambda lab: lab.runs(3, day=9, without=BANDWIDTH), (), INCONCLUSIVE),
    "a class missing": (
        lambda lab: lab.runs(3, day=9, without=LATENCY),
        ("--allow-missing=.",),
        INCONCLUSIVE,
    ),
    "throttled": (
        lambda lab: lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1}, facts={"warnings": THROTTLED}),
        (),
        INCONCLUSIVE,
    ),
    "a class does not decide": (
        lambda lab: lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1}),
        ("--decide-by=latency",),
        PASS,
    ),
    "implausible": (
        lambda lab: lab.runs(3, day=9, slowed={PINNED_UPLOAD: 0.01}),
        (),
        INCONCLUSIVE,
    ),
    "failed": (failed, (), INCONCLUSIVE),
    "measured by some": (partly, (), INCONCLUSIVE),
    "two runs": (lambda lab: lab.runs(2, day=9), (), INCONCLUSIVE),
    "environment": (lambda lab: lab.runs(3, day=9, slowed=1.08), (), ENVIRONMENT),
    "machine": (lambda lab: lab.runs(3, day=9, facts={"link.width": 8}), (), INCONCLUSIVE),
    "settings": (
        lambda lab: lab.runs(3, day=9, facts={"run.min_time_ms": 9}),
        ("--allow-different=settings.min_time_ms",),
        PASS,
    ),
    "faults": (
        lambda lab: lab.runs(3, day=9, facts={"run.faults_injected": ["fail@x"]}),
        (),
        PASS,
    ),
    "interrupted": (lambda lab: lab.runs(3, day=9, facts={"complete": False}), (), PASS),
}


def without_texts(document: Any) -> Any:
    if isinstance(document, dict):
        return {
            key: without_texts(value)
            for key, value in document.items()
            if key not in ("text", "sentence")
        }
    if isinstance(document, list):
        return [without_texts(value) for value in document]
    return document


def texts_in(document: Any) -> list[str]:
    if isinstance(document, dict):
        texts = [value for key, value in document.items() if key in ("text", "sentence")]
        return texts + [text for value in document.values() for text in texts_in(value)]
    if isinstance(document, list):
        return [text for value in document for text in texts_in(value)]
    return []


def results(junit: Path) -> list[tuple[str, list[str]]]:
    """The result of each test case. A name is omitted if it is a reason, and so a text."""
    return [
        (
            case.attrib["name"] if case.attrib["classname"].endswith("benchmarks") else "",
            [f"{result.tag} {result.attrib['type']}" for result in case],
        )
        for case in ElementTree.parse(junit).getroot().iter("testcase")
    ]


@pytest.mark.parametrize("case", CASES)
def test_other_sentences_change_nothing_else(
    gate: Program, reworded: Program, baseline: Path, lab: Lab, case: str
):
    make, options, expected = CASES[case]
    runs = make(lab)
    answers = []
    for program in (gate, reworded):
        out, junit = (lab.folder / f"{program.path.name}.{kind}" for kind in ("json", "xml"))
        completed = program.run(
            "check",
            baseline,
            *runs,
            *options,
            f"--json={out}",
            f"--junit={junit}",
            expected=expected,
        )
        answers.append((json.loads(out.read_text("utf-8")), results(junit), completed.out))
    (ours, our_results, out_text), (theirs, their_results, other_text) = answers
    assert without_texts(ours) == without_texts(theirs)
    assert our_results == their_results
    # All sentences differ, so that the comparison is meaningful.
    assert all(text.startswith(GIBBERISH) for text in texts_in(theirs))
    assert not any(text.startswith(GIBBERISH) for text in texts_in(ours))
    assert GIBBERISH in other_text
    assert GIBBERISH not in out_text


def test_the_cases_have_every_verdict():
    assert {code for _, _, code in CASES.values()} == {PASS, REGRESSION, INCONCLUSIVE, ENVIRONMENT}


def garbled(document: dict[str, Any]) -> None:
    """Every text of a run file that people may reword."""
    facts = document["context"]["transfers"]
    for warning in facts["warnings"]:
        warning["text"] = GIBBERISH
    for skipped in facts.get("skipped", []):
        skipped["reason"]["text"] = GIBBERISH
    for row in document["benchmarks"]:
        if "error_message" in row:
            row["error_message"] = GIBBERISH


@pytest.mark.parametrize("case", CASES)
def test_other_texts_in_run_files_change_nothing(
    gate: Program, baseline: Path, lab: Lab, case: str
):
    make, options, expected = CASES[case]
    runs = make(lab)
    answers = []
    for change in (lambda document: None, garbled):
        for run in runs:
            changed(run, run, change)
        out = lab.folder / "answer.json"
        completed = gate.run("check", baseline, *runs, *options, f"--json={out}", expected=expected)
        answers.append((json.loads(out.read_text("utf-8")), completed.out))
    if case == "throttled":  # whose warnings are quoted
        assert GIBBERISH in answers[1][1]
        answers = [(without_texts(document), "") for document, _ in answers]
    assert answers[0] == answers[1]


# scripts/gate

# Replaces gate_transfers: prints other words with the same meaning, on both outputs.
MUMBLING = """#!{python}
import re, subprocess, sys
completed = subprocess.run(["{program}", *sys.argv[1:]], capture_output=True, text=True)
for out, text in ((sys.stdout, completed.stdout), (sys.stderr, completed.stderr)):
    out.write(re.sub(r"\\w", "x", text))
sys.exit(completed.returncode)
"""


def mumble(project: Project, program: Program) -> None:
    path = project.root / "bin/gate_transfers"
    path.unlink()
    path.write_text(MUMBLING.format(python=sys.executable, program=program.path))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


COURSES: dict[str, tuple[Make, tuple[str, ...]]] = {
    "pass": (lambda lab: lab.runs(3, day=9), ()),
    "regression": (lambda lab: lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1}), ()),
    "goes on": (lambda lab: [*unsure(lab), *lab.runs(6, day=9, slowed={PINNED_UPLOAD: 1.1})], ()),
    "gives up": (lambda lab: [run for _ in range(3) for run in unsure(lab)], ()),
    "stops after one": (lambda lab: lab.runs(3, day=9, without=[PINNED_UPLOAD]), ()),
    "may lack it": (
        lambda lab: lab.runs(3, day=9, without=[PINNED_UPLOAD]),
        (f"--allow-missing=^{PINNED_UPLOAD}$",),
    ),
    "single runs": (lambda lab: lab.runs(3, day=9), ("--runs=1",)),
    "environment": (lambda lab: lab.runs(3, day=9, slowed=1.08), ()),
    "dry": (lambda lab: lab.runs(3, day=9), ("--dry-run",)),
    "bad option": (lambda lab: lab.runs(3, day=9), ("--threshold=2",)),
    "overwrites": (lambda lab: lab.runs(3, day=9), ("--json=../baseline.json",)),
    "other device": (lambda lab: lab.runs(3, day=9), ("--", "--device=host")),
}


@pytest.mark.parametrize("course", COURSES)
def test_the_script_goes_the_same_way_whatever_the_gate_says(
    project: Project, reworded: Program, course: str
):
    make, arguments = COURSES[course]
    project.prepare(make(project.lab))
    outcomes = []
    for words in ("ours", "theirs"):
        if words == "theirs":
            mumble(project, reworded)
            (project.prepared / "arguments").unlink(missing_ok=True)
        completed = project.check(*arguments)
        measured = [invocation.partition("--out=")[0] for invocation in project.measured]
        says = [line for line in completed.stderr.splitlines() if line.startswith("Measuring ")]
        outcomes.append(
            (completed.returncode, measured, says, "run 1 measured" in completed.stderr)
        )
    assert outcomes[0] == outcomes[1]


def test_the_courses_differ(project: Project):
    """If they did not, their independence of the words would show nothing."""
    outcomes = {}
    for course in ("pass", "regression", "goes on", "stops after one", "bad option"):
        make, arguments = COURSES[course]
        (project.prepared / "arguments").unlink(missing_ok=True)
        project.prepare(make(project.lab))
        completed = project.check(*arguments)
        outcomes[course] = (completed.returncode, len(project.measured))
    assert outcomes["pass"] == (PASS, 3)
    assert outcomes["regression"] == (REGRESSION, 3)
    assert outcomes["goes on"][1] > 3
    assert outcomes["stops after one"] == (INCONCLUSIVE, 1)
    assert outcomes["bad option"] == (BAD_INPUT, 0)
