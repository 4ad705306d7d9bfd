"""`gate_transfers check --dry-run`, and jq, by which scripts read answers (docs/GATE.md)."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from calls import call
from program import ROOT, Program

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
    "command",
    re.findall(r"^jq .*json", (ROOT / "docs/GATE.md").read_text("utf-8"), re.MULTILINE),
)
def test_jq_finds_what_the_page_says(
    gate: Program, baseline: Path, runs: list[Path], tmp_path: Path, command: str
):
    """And not null, which it prints for what is not there."""
    (tmp_path / "baseline.json").symlink_to(baseline)
    answer = tmp_path / "check.json"
    gate.run("check", baseline, *runs, f"--json={answer}", expected=PASS)
    out = call(["bash", "-c", command], cwd=tmp_path, expected=0).stdout
    assert re.fullmatch(r"true\n|false\n|\d+\n|\w+/.*\n", out), out
