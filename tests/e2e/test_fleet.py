"""Fleets, made of the recorded runs of seven H200 machines, as docs/FLEET.md describes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from program import Completed, Program

HEALTHY, NAMED, BAD_INPUT, UNKNOWN = 0, 1, 2, 3
RESULTS = Path(__file__).resolve().parents[2] / "results/nvidia-h200"
FOLDERS = {
    "first": "2026-11-21-gate",
    "second": "2026-11-21-gate",
    "third": "2026-11-21-gate",
    "fourth": "2026-11-22-gate",
    "fifth": "2026-11-22-gate",
    "sixth": "2026-11-22-gate",
    "seventh": "2026-11-22-gate",
}


def add(root: Path, node: str, runs: str | None = None) -> None:
    """Copies three runs of a recorded machine to the folder of a node."""
    (root / node).mkdir(parents=True)
    for number in (1, 2, 3):
        name = f"{runs or node}-{number}.json.gz"
        shutil.copy(RESULTS / FOLDERS[node] / name, root / node / name)


def judge(fleet: Program, root: Path, *options: str) -> tuple[Completed, dict[str, Any]]:
    sweep, answer = root.with_suffix(".json.gz"), root.with_suffix(".answer.json")
    # The machines were lent on two days.
    completed = fleet.run("collect", root, f"--out={sweep}", "--within=48")
    assert completed.code == 0, completed
    completed = fleet.run("judge", sweep, f"--json={answer}", *options)
    return completed, json.loads(answer.read_text("utf-8"))


def test_nothing_is_named_among_the_recorded_machines(fleet: Program, tmp_path: Path) -> None:
    for node in FOLDERS:
        add(tmp_path / "sweep", node)
    completed, answer = judge(fleet, tmp_path / "sweep")
    assert completed.code == HEALTHY, completed
    assert answer["verdict"] == "healthy"
    assert answer["gpus"] == len(FOLDERS)
    assert answer["findings"] == answer["problems"] == answer["unknown_gpus"] == []
    detectable = [
        part["detectable_percent"] for part in answer["tested"] if part["class"] == "link"
    ]
    assert 2 < max(detectable) < 5
    assert completed.out.startswith("healthy: 7 GPUs on 7 nodes\n")


def test_the_slowed_runs_are_named(fleet: Program, tmp_path: Path) -> None:
    for node in FOLDERS:
        add(tmp_path / "sweep", node, "slowed" if node == "first" else None)
    completed, answer = judge(fleet, tmp_path / "sweep")
    assert completed.code == NAMED, completed
    (found,) = answer["findings"]
    assert (found["scope"], found["node"], found["class"]) == ("gpu", "first", "link")
    assert found["interval_95"][0] < 10 < found["interval_95"][1]  # slow:1.1@^copy/pinned/
    slow = {aspect["benchmark"] for aspect in found["evidence"]["aspects"]}
    assert all(name.startswith("copy/pinned/") for name in slow)
    assert [problem["code"] for problem in answer["problems"]] == ["faults_injected"]
    assert "GPU-e8c0c07f" in completed.out


def test_a_single_machine_is_not_known(fleet: Program, tmp_path: Path) -> None:
    add(tmp_path / "sweep", "first")
    completed, answer = judge(fleet, tmp_path / "sweep")
    assert completed.code == UNKNOWN, completed
    assert answer["verdict"] == "unknown"
    assert len(answer["unknown_gpus"]) == 1


def test_a_class_that_is_too_noisy_is_not_known(fleet: Program, tmp_path: Path) -> None:
    for node in FOLDERS:
        add(tmp_path / "sweep", node)
    completed, answer = judge(fleet, tmp_path / "sweep", "--decide-by=link,host")
    assert completed.code == UNKNOWN, completed
    assert answer["findings"] == []


def test_a_file_that_cannot_be_used_prevents_health(fleet: Program, tmp_path: Path) -> None:
    for node in FOLDERS:
        add(tmp_path / "sweep", node)
    (tmp_path / "sweep/fourth/half.json").write_text('{"context": {')
    completed, answer = judge(fleet, tmp_path / "sweep")
    assert completed.code == UNKNOWN, completed
    assert [problem["code"] for problem in answer["problems"]] == ["unusable_file"]
    assert "half.json" in completed.out


def test_last_nights_runs_are_not_of_this_sweep(fleet: Program, tmp_path: Path) -> None:
    for node in FOLDERS:
        add(tmp_path / "sweep", node)
    sweep = tmp_path / "sweep.json.gz"
    assert fleet.run("collect", tmp_path / "sweep", f"--out={sweep}").code == 0
    completed = fleet.run("judge", sweep)
    assert completed.code == UNKNOWN, completed
    assert "[another_time]" in completed.out


def test_inputs_are_not_overwritten(fleet: Program, tmp_path: Path) -> None:
    add(tmp_path / "runs", "first")
    result, sweep = tmp_path / "runs/first/first-1.json.gz", tmp_path / "runs/sweep.json.gz"
    before = result.read_bytes()
    assert fleet.run("collect", tmp_path / "runs", f"--out={result}").code == BAD_INPUT
    assert result.read_bytes() == before
    # The sweep of the last time is replaced, and is no result.
    for _ in range(2):
        completed = fleet.run("collect", tmp_path / "runs", f"--out={sweep}")
        assert completed.code == 0, completed
        assert "0 problems" in completed.out
    before = sweep.read_bytes()
    completed = fleet.run("judge", sweep, f"--json={tmp_path}/runs/../runs/sweep.json.gz")
    assert completed.code == BAD_INPUT, completed
    assert sweep.read_bytes() == before


def test_the_commands_of_the_docs_run(program: Program, fleet: Program, tmp_path: Path) -> None:
    text = (Path(__file__).resolve().parents[2] / "docs/FLEET.md").read_text("utf-8")
    commands = text.split("```sh\n")[1].split("```")[0]
    commands = commands.replace(
        "--device=cuda:$gpu", "--device=host --sizes=4KiB --cold-sizes=4KiB"
    )
    commands = commands.replace("seq 0 7", "seq 0 1")
    strategies = next(word for word in commands.split() if word.startswith("--strategies="))
    assert program.run(strategies, "--list").code == 0
    commands = commands.replace(strategies, "--strategies=copy/pinned")  # in less time
    # One machine has no peers: unknown.
    commands = re.sub(r"(fleet_transfers judge [^#\n]*)", r"\1 || [ $? = 3 ] ", commands)
    path = f"{fleet.path.resolve().parent}:{os.environ['PATH']}"
    ran = subprocess.run(
        ["bash", "-euc", commands],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran
    assert "of 2 files in sweep.json.gz; 0 problems" in ran.stdout
    assert "sweep monday" in ran.stdout
    assert json.loads((tmp_path / "answer.json").read_text("utf-8"))["problems"] == []


def test_each_gpu_is_shown_beside_its_peers(fleet: Program, tmp_path: Path) -> None:
    for node in ("first", "second"):
        add(tmp_path / "sweep", node)
    sweep = tmp_path / "sweep.json"
    assert fleet.run("collect", tmp_path / "sweep", f"--out={sweep}").code == 0
    completed = fleet.run("show", sweep)
    assert completed.code == 0
    assert [line.split()[1] for line in completed.out.splitlines()[1:3]] == ["first", "second"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "missing command"),
        (["judg"], "did you mean judge?"),
        (["judge"], "SWEEP is required"),
        (["judge", "no.json"], "no.json"),
        (["judge", "empty.json"], "empty.json"),
        (["judge", "object.json"], "'kind' is not 'fleet_sweep'"),
        (["judge", "object.json", "--json=no/such/folder.json"], "no/such/folder.json"),
        (["judge", "object.json", "--decide-by=fast"], "--decide-by 'fast'"),
        (["collect", "."], "--out is required"),
        (["collect", "no_such_folder", "--out=x.json"], "no_such_folder"),
        (["collect", "nothing", "--out=x.json"], "no result files"),
        (["collect", "empty.json", "--out=x.json"], "no file there can be used"),
        (["collect", ".", "--out=no/such/folder.json"], "no/such/folder.json"),
    ],
)
def test_bad_input_gets_one_line(
    fleet: Program, tmp_path: Path, arguments: list[str], words: str
) -> None:
    (tmp_path / "empty.json").touch()
    (tmp_path / "object.json").write_text("{}")
    (tmp_path / "nothing").mkdir()
    completed = fleet.run(*arguments, cwd=tmp_path)
    assert completed.code == BAD_INPUT, completed
    assert len(completed.complaints) == 1
    assert words in completed.complaints[0]
    assert not (tmp_path / "x.json").exists()
