"""`gate_transfers check --dry-run`, and jq, by which scripts read answers (docs/GATE.md)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from gate_files import write
from program import Program, assert_complains

ROOT = Path(__file__).resolve().parents[2]
PASS, BAD_INPUT = 0, 2


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


@pytest.mark.parametrize(
    "command",
    re.findall(r"^jq .*json", (ROOT / "docs/GATE.md").read_text("utf-8"), re.MULTILINE),
)
def test_jq_finds_what_the_page_says(
    gate: Program, baseline: Path, runs: list[Path], tmp_path: Path, command: str
):
    """And not null, which it prints for what is not there."""
    (tmp_path / "baseline.json").symlink_to(baseline)
    answer = tmp_path / "check.json"
    assert gate.run("check", baseline, *runs, f"--json={answer}").code == PASS
    out = subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert re.fullmatch(r"true\n|false\n|\d+\n|\w+/.*\n", out), out
