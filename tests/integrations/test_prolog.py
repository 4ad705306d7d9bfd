"""integrations/slurm/node_check.sh without a Slurm: what it says and to whom, whatever is wrong."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from calls import call
from node import INTEGRATIONS, write_script

PROLOG = Path("slurm/node_check.sh")


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """With the prolog, and programs that note how they are called."""
    (tmp_path / "integrations/slurm").mkdir(parents=True)
    for name in (PROLOG, "common.sh", "safe_path.sh"):
        shutil.copy(INTEGRATIONS / name, tmp_path / "integrations" / name)
    write_script(tmp_path / "bin/pgrep", "exit 1")
    for program in ("logger", "scontrol"):
        write_script(tmp_path / "bin" / program, f'echo "{program} $*" >>{tmp_path}/called')
    return tmp_path


def prolog(site: Path, script: Path | None = None) -> tuple[int, list[str]]:
    """Exit code, and the programs it called."""
    completed = call(
        [script or site / "integrations" / PROLOG],
        env={
            "PATH": f"{site}/bin:{os.environ['PATH']}",
            "SLURMD_NODENAME": "n1",
            "SLURM_SCRIPT_CONTEXT": "prolog_slurmd",
        },
        timeout=60,
    )
    assert completed.stderr == ""
    called = site / "called"
    return completed.returncode, called.read_text("utf-8").splitlines() if called.exists() else []


SLOWER = "echo bash: warning: locale >&2; echo 'node_check: slower benchmarks=6'; exit 1"
DRAINED = [
    "logger -t transfers -- node_check: slower benchmarks=6",
    "scontrol update NodeName=n1 State=DRAIN Reason=node_check: slower benchmarks=6",
]


def test_a_slow_node_is_drained_though_the_prolog_is_a_link(site: Path) -> None:
    write_script(site / "integrations/node_check", SLOWER)
    (site / "etc").mkdir()
    (site / "etc/prolog.sh").symlink_to(site / "integrations" / PROLOG)
    assert prolog(site, site / "etc/prolog.sh") == (1, DRAINED)


def test_a_missing_program_is_logged(site: Path) -> None:
    code, (line,) = prolog(site)
    assert code == 0
    assert line.startswith("logger -t transfers -- node_check: no answer, exit code 127: ")
    assert line.endswith("No such file or directory")


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("exit 3", "exit code 3: it said nothing"),
        ("echo 'limit_s: unbound variable' >&2; exit 1", "exit code 1: limit_s: unbound variable"),
    ],
)
def test_no_answer_drains_nothing(site: Path, script: str, said: str) -> None:
    write_script(site / "integrations/node_check", script)
    assert prolog(site) == (0, [f"logger -t transfers -- node_check: no answer, {said}"])


def test_a_pass_is_not_logged(site: Path) -> None:
    write_script(site / "integrations/node_check", "echo 'node_check: pass'")
    assert prolog(site) == (0, [])
