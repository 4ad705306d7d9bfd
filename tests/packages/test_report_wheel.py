"""The wheel of scripts/package report draws: pytest --report FOLDER."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from calls import call
from commands import ROOT, run, version

RECORDED = ROOT / "results/host/2026-11-21-report/result.json.gz"


@pytest.fixture(scope="module")
def installed(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python of its own with the wheel and what it needs."""
    folder = pytestconfig.getoption("report")
    if not folder:
        pytest.skip("installs packages of Python; only with --report")
    (wheel,) = folder.glob(f"bench_transfers_report-{version()}-*.whl")
    python = tmp_path_factory.mktemp("python")
    run(sys.executable, "-m", "venv", python)
    pip = (python / "bin/python", "-m", "pip", "install", "--quiet")
    run(*pip, "--require-hashes", "--requirement", ROOT / "plots/requirements.txt")
    run(*pip, "--no-index", wheel)  # fails if the needs of the wheel are not among those
    return python / "bin"


def report(installed: Path, *arguments: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """As in a shell with this PATH alone."""
    return call([installed / "report_transfers", *arguments], cwd=cwd, env={"PATH": os.defpath})


def test_it_draws_without_the_programs(installed: Path, tmp_path: Path):
    completed = report(installed, RECORDED, "--page-only", "--out=page", cwd=tmp_path)
    assert (completed.returncode, completed.stdout) == (0, "page/report.html\n"), completed
    assert completed.stderr.startswith("report: bench_transfers is not on the PATH"), completed
    assert "without a GPU" in (tmp_path / "page/report.html").read_text("utf-8")


def test_it_answers_questions(installed: Path, tmp_path: Path):
    completed = report(installed, "--help", cwd=tmp_path)
    assert completed.returncode == 0
    assert completed.stdout.startswith("usage: report_transfers ")
    completed = report(installed, "--version", cwd=tmp_path)
    assert (completed.returncode, completed.stdout) == (0, f"report_transfers {version()}\n")
    completed = report(installed, "missing.json", cwd=tmp_path)
    assert (completed.returncode, completed.stdout) == (2, "")
    assert "missing.json" in completed.stderr
