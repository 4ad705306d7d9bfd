"""The Ansible role, run against this computer as two nodes."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from node import INTEGRATIONS, ON_THE_HOST, make_bundle
from tools import run_tool

PLAYBOOK = INTEGRATIONS / "ansible/sweep.yml"


def test_ansible_lint_has_nothing_to_say(tmp_path: Path) -> None:
    run_tool(
        "ansible-lint",
        "--offline",
        "sweep.yml",
        cwd=PLAYBOOK.parent,
        env={"HOME": str(tmp_path)},
        expected=0,
    )


def test_a_sweep_of_two_nodes(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    bundle = tmp_path / "bundle.tar.gz"
    make_bundle(bundle, pytestconfig.getoption("binary"))
    hosts = "".join(f"n{number} ansible_connection=local\n" for number in (1, 2))
    (tmp_path / "inventory").write_text(
        f"[gpu_nodes]\n{hosts}[all:vars]\nansible_python_interpreter=/usr/bin/python3\n", "utf-8"
    )
    variables = {
        "transfers_bundle": str(bundle),
        "transfers_programs": str(tmp_path / "opt"),
        "transfers_results": f"{tmp_path}/results/{{{{ transfers_sweep }}}}",
        "transfers_gpus": 2,
        "transfers_options": ON_THE_HOST,
    }
    completed = run_tool(
        "ansible-playbook",
        f"--inventory={tmp_path}/inventory",
        f"--extra-vars={json.dumps(variables)}",
        PLAYBOOK,
        cwd=tmp_path,
        env={"ANSIBLE_HOME": str(tmp_path / "home"), "ANSIBLE_NOCOLOR": "1"},
    )
    # One name for both nodes and both plays.
    (results,) = (tmp_path / "results").iterdir()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ", results.name), completed
    judgement = json.loads((results / "judgement.json").read_text("utf-8"))
    assert judgement["sweep"] == results.name
    assert (completed.returncode == 0) == (judgement["verdict"] == "healthy"), completed
    assert f"{judgement['verdict']}: 4 GPUs" in completed.stdout
    assert len(list((results / "runs").glob("n[12]/*.json"))) == 4
    assert (tmp_path / "opt/integrations/node_check").exists()
