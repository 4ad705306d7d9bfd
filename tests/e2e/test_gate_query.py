"""`gate_transfers query` and `check --dry-run`, which scripts use instead of reading text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from gate_files import PINNED_UPLOAD, changed, write
from program import Program, assert_complains

PASS, BAD_INPUT, NOT_THERE = 0, 2, 3


@pytest.fixture
def answer(gate: Program, baseline: Path, runs: list[Path], tmp_path: Path) -> Path:
    out = tmp_path / "check.json"
    assert gate.run("check", baseline, *runs, f"--json={out}").code == PASS
    return out


# query


def at(document: Any, pointer: str) -> Any:
    for key in pointer.split("/")[1:]:
        document = document[int(key) if isinstance(document, list) else key]
    return document


POINTERS = (
    "/verdict",
    "/exit_code",
    "/more_runs_may_tell",
    "/counts/of_baseline",
    "/counts/not_measured_nor_allowed",
    "/threshold",
    "/benchmarks/0/name",
    "/benchmarks/0/note",
    "/counts",
    "/reasons",
)


@pytest.mark.parametrize("pointer", POINTERS)
def test_a_value_of_an_answer(gate: Program, answer: Path, pointer: str):
    completed = gate.run("query", answer, pointer)
    assert (completed.code, completed.err) == (PASS, "")
    assert completed.out.count("\n") == 1
    value = at(json.loads(answer.read_text("utf-8")), pointer)
    if isinstance(value, str):
        assert completed.out == value + "\n"
    else:
        assert json.loads(completed.out) == value


def test_texts_inside_a_value_cannot_steer_a_terminal(gate: Program, answer: Path):
    hostile = "a\u2028b\x7fc\x1b[2J\u202e"
    changed(answer, answer, lambda document: document["reasons"].append({hostile: hostile}))
    completed = gate.run("query", answer, "/reasons")
    assert completed.out.isascii() and completed.out[:-1].isprintable()
    assert json.loads(completed.out)[-1] == {hostile: hostile}


@pytest.mark.parametrize("pointer", ["/on_host", "/ours", "/judged_by", "/runs/0/file", "/format"])
def test_a_value_of_a_baseline(gate: Program, baseline: Path, pointer: str):
    completed = gate.run("query", baseline, pointer)
    assert (completed.code, completed.err) == (PASS, "")
    value = at(json.loads(baseline.read_text("utf-8")), pointer)
    assert completed.out == (value if isinstance(value, str) else json.dumps(value)) + "\n"


def test_a_name_with_slashes_is_escaped(gate: Program, baseline: Path):
    completed = gate.run("query", baseline, f"/benchmarks/{PINNED_UPLOAD.replace('/', '~1')}/bytes")
    assert (completed.code, completed.out) == (PASS, "null\n")


@pytest.mark.parametrize(
    "pointer",
    ["/nothing", "/counts/nothing", "/verdict/more", "/benchmarks/100000", "/benchmarks/x", "/"],
)
def test_a_pointer_to_a_missing_value_is_refused(gate: Program, answer: Path, pointer: str):
    completed = gate.run("query", answer, pointer)
    assert (completed.code, completed.out, completed.err) == (NOT_THERE, "", "")


@pytest.mark.parametrize("pointer", ["verdict", "counts/slower", "/a~", "/a~2"])
def test_an_invalid_pointer_is_refused(gate: Program, answer: Path, pointer: str):
    completed = gate.run("query", answer, pointer)
    assert_complains(completed, BAD_INPUT, f"'{pointer}' is not a JSON pointer")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "it is empty"),
        ('{"kind": "check", "format": 2, "verd', "cut off"),
        ("[]", "neither an answer of check --json nor a baseline"),
        ("5", "neither an answer of check --json nor a baseline"),
        ('{"format": 2}', "neither an answer of check --json nor a baseline"),
        ('{"kind": 5}', "neither an answer of check --json nor a baseline"),
        ('{"kind": "check"}', "its format is not a whole number"),
        ('{"kind": "check", "format": "2"}', "its format is not a whole number"),
        ('{"kind": "check", "format": 0}', "its format is not a whole number"),
        ('{"kind": "check", "format": 4}', "its format is 4, this program reads 1 to 3"),
        ('{"kind": "bench_transfers baseline"}', "damaged baseline"),
    ],
)
def test_a_damaged_file(gate: Program, tmp_path: Path, text: str, complaint: str):
    file = write(tmp_path / "damaged.json", text)
    assert_complains(gate.run("query", file, "/verdict"), BAD_INPUT, str(file), complaint)


def test_a_baseline_that_was_changed(gate: Program, baseline: Path, tmp_path: Path):
    def change(document: dict[str, Any]) -> None:
        document["on_host"] = True

    file = changed(baseline, tmp_path / "changed.json", change)
    assert_complains(gate.run("query", file, "/on_host"), BAD_INPUT, str(file), "digest")


def test_a_missing_file(gate: Program, tmp_path: Path):
    file = tmp_path / "missing.json"
    assert_complains(gate.run("query", file, "/verdict"), BAD_INPUT, str(file), "No such file")
    assert_complains(gate.run("query", tmp_path, "/verdict"), BAD_INPUT, "folder")


def test_an_answer_of_the_first_format(gate: Program, answer: Path, tmp_path: Path):
    def change(document: dict[str, Any]) -> None:
        document["format"] = 1

    old = changed(answer, tmp_path / "old.json", change)
    assert gate.run("query", old, "/verdict").out == "PASS\n"


def test_an_index_beyond_64_bits_is_not_there(gate: Program, baseline: Path):
    assert gate.run("query", baseline, "/runs/0/file").code == PASS
    assert gate.run("query", baseline, f"/runs/{2**64}/file").code == 3


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "FILE"),
        (("a",), "POINTER"),
        (("a", "/b", "c"), "c"),
        (("a", "/b", "--json=x"), "--json"),
        (("a", "/b", "--raw"), "--raw"),
    ],
)
def test_query_is_used_wrongly(gate: Program, arguments: tuple[str, ...], complaint: str):
    assert_complains(gate.run("query", *arguments), BAD_INPUT, complaint)


def test_query_tells_its_exit_codes(gate: Program):
    out = gate.run("query", "--help").out
    assert "3 the file has nothing there" in out
    assert "/counts/slower" in out


# check --dry-run


def test_a_dry_run_says_nothing_where_all_is_right(gate: Program, baseline: Path, tmp_path: Path):
    outputs = [f"--{kind}={tmp_path / kind}" for kind in ("json", "junit", "markdown")]
    before = sorted(tmp_path.iterdir())
    completed = gate.run(
        "check",
        baseline,
        "--dry-run",
        "--threshold=3%",
        "--allow-different=kernel.release",
        "--confirm=false,false",
        *outputs,
    )
    assert (completed.code, completed.out, completed.err) == (PASS, "", "")
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize(
    ("option", "complaint"),
    [
        ("--threshold=2", "a percentage"),
        ("--allow-missing=(", "regular expression"),
        ("--allow-different=device.driver", "no such fact"),
        ("--confirm=one", "--confirm needs two commands"),
        ("--json=missing/out", "cannot write missing/out"),
        ("--nothing", "--nothing"),
        ("--decide-by=other", "no benchmarks of the class other"),
    ],
)
def test_a_dry_run_tells_what_is_wrong(
    gate: Program, baseline: Path, tmp_path: Path, option: str, complaint: str
):
    completed = gate.run("check", baseline, "--dry-run", option, cwd=tmp_path)
    assert_complains(completed, BAD_INPUT, complaint)


def test_a_dry_run_looks_at_the_baseline(gate: Program, baseline: Path, tmp_path: Path):
    completed = gate.run("check", tmp_path / "none", "--dry-run")
    assert_complains(completed, BAD_INPUT, "No such file")
    completed = gate.run("check", write(tmp_path / "empty", "{}"), "--dry-run")
    assert_complains(completed, BAD_INPUT, "not a baseline")
    completed = gate.run("check", baseline, "--dry-run", f"--json={baseline}")
    assert_complains(completed, BAD_INPUT, "would be overwritten")


def test_a_dry_run_has_no_runs(gate: Program, baseline: Path, runs: list[Path]):
    assert_complains(gate.run("check", baseline, *runs, "--dry-run"), BAD_INPUT, "--dry-run")
