"""Sentinels tell rounds in which something else on the host slowed the benchmarks."""

from __future__ import annotations

import json
from pathlib import Path

from program import ALL_RAN, USAGE, Program, Result, assert_complains, read

NEIGHBOUR = "--inject=slow:50:2@^sentinel/(h2d|d2h)"
ARGUMENTS = (
    *("--device=host", "--profile=quick", "--strategies=copy/pinned,null"),
    *("--sizes=16MiB", "--cache=warm"),
)


def marked(result: Result, role: str) -> set[tuple[int, int]]:
    roles = {name: known["role"] for name, known in result.transfers["benchmarks"].items()}
    return {
        (row.get("process", 1), row["round"])
        for row in result.rows
        if "slow_round" in row.get("disturbed", []) and roles[row["run_name"]] == role
    }


def test_a_neighbour_in_one_round_of_each_process_is_told(program: Program, tmp_path: Path):
    """No noise of a machine makes copies 50 times as slow. Sentinels stand for the benchmarks."""
    out = tmp_path / "run.json"
    completed = program.run(*ARGUMENTS, NEIGHBOUR, f"--out={out}", expected=ALL_RAN)
    result = read(out)
    slowed = {(1, 2), (2, 2), (3, 2)}
    assert slowed <= marked(result, "copy")
    (warning,) = (w for w in result.transfers["warnings"] if w["code"] == "rounds_slowed")
    told = {(one["process"], one["round"]) for one in warning["data"]["rounds"]}
    assert slowed <= told
    assert warning["data"]["judged"] == 9
    assert " ".join(warning["text"].split()[:4]) in " ".join(completed.out.split())
    judged = json.loads(program.run("export", "--format=report", str(out)).out)
    assert warning in judged["runs"][0]["warnings"]


def test_sentinels_have_faults_of_some_rounds_only(program: Program, tmp_path: Path):
    """They stand for what others do, and others are not there all the time."""
    completed = program.run(*ARGUMENTS, "--inject=slow:50@^sentinel", f"--out={tmp_path}/run.json")
    assert_complains(completed, USAGE, "concerns none of the chosen benchmarks")


def test_every_round_has_readings_of_every_sentinel(program: Program, tmp_path: Path):
    out = tmp_path / "run.json"
    program.run(*ARGUMENTS, f"--out={out}")
    sentinels = read(out).transfers["sentinels"]
    assert sentinels["skipped"] == []
    assert [(r["process"], r["round"], r["sentinel"]) for r in sentinels["readings"]] == [
        (process, number, kind)
        for process in (1, 2, 3)
        for number in (1, 2, 3)
        for kind in ("h2d", "d2h", "cpu_read", "small_copy")
    ]
    assert all(len(readings["ns"]) >= 2 for readings in sentinels["readings"])


def test_a_file_with_other_sentinels_is_refused(program: Program, tmp_path: Path):
    out = tmp_path / "run.json"
    program.run(*ARGUMENTS, "--processes=1", f"--out={out}")
    document = json.loads(out.read_text("utf-8"))
    document["context"]["transfers"]["sentinels"]["readings"][0]["ns"] = ["fast"]
    out.write_text(json.dumps(document), "utf-8")
    completed = program.run("export", "--format=csv", str(out))
    assert_complains(completed, USAGE, "the ns of its sentinels are no list of times")
