"""The ReFrame test, run by ReFrame on its generic system."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from node import INTEGRATIONS, SLOW, Node, make_node
from tools import run_tool

OPTIONS = (
    "--sizes=256KiB,1MiB,4MiB --cache=warm --benchmark_min_time=0.001 --benchmark_repetitions=3"
)


@pytest.fixture
def node(pytestconfig: pytest.Config, tmp_path: Path) -> Node:
    return make_node(tmp_path / "node", pytestconfig.getoption("binary"))


def reframe(node: Node, folder: Path) -> tuple[int, str, dict[str, Any]]:
    """Exit code, output, and what the report says of the test."""
    folder.mkdir()
    settings = {
        "programs": node.folder / "programs",
        "device": "host",
        "options": OPTIONS,
        "baseline": node.baseline,
        "gate_options": "--decide-by=other --threshold=20%",
    }
    completed = run_tool(
        "reframe",
        f"--prefix={folder}",
        f"--report-file={folder}/report.json",
        f"--checkpath={INTEGRATIONS}/reframe/transfers.py",
        "--run",
        *(f"--setvar=transfers_links.{key}={value}" for key, value in settings.items()),
        cwd=folder,
        env={"HOME": str(folder)},
    )
    report = json.loads((folder / "report.json").read_text("utf-8"))
    (case,) = report["runs"][0]["testcases"]
    return completed.returncode, completed.stdout, case


def test_healthy_nodes_pass_and_slow_ones_fail(node: Node, tmp_path: Path) -> None:
    code, output, case = reframe(node, tmp_path / "healthy")
    assert code == 0, output
    assert case["result"] == "pass"
    rates = {key.split(":")[-1]: value[0] for key, value in case["perfvalues"].items()}
    assert rates["paced/first/h2d/4MiB"] == pytest.approx(9.5, abs=0.5)  # 10 GB/s and 20 us
    assert rates["slower"] == rates["inconclusive"] == 0
    node.inject(SLOW)
    code, output, case = reframe(node, tmp_path / "slow")
    assert code == 1
    assert case["result"] == "fail"
    assert "REGRESSION" in case["fail_reason"]
