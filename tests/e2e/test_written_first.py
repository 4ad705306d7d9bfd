"""Files are written before anything is printed: who reads standard output may stop, as `head` does,
which ends the program."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from gate_files import Lab
from program import ROOT, Program

RESULTS = ROOT / "results/nvidia-h200"
RECORDED = RESULTS / "2026-11-21-report/result.json.gz"
HOST_MAP = RESULTS / "2026-11-23-two-gpus/host_map-1.json"


def run_unread(program: Program, *arguments: str | Path, cwd: Path) -> int:
    """Runs it with a standard output that nobody reads; returns the exit code."""
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer) as output:
        completed = subprocess.run(
            program.command(*arguments), cwd=cwd, stdout=output, stderr=subprocess.PIPE, check=False
        )
    return completed.returncode


def gate_check(programs: dict[str, Program], folder: Path) -> tuple[str, list[str | Path]]:
    lab = Lab(folder)
    before, after = lab.runs(4), lab.runs(3)
    assert programs["gate"].run("pin", *before, f"--out={folder / 'baseline'}").code == 0
    outputs = ["--json=a.json", "--markdown=a.md", "--junit=a.xml"]
    return "gate", ["check", folder / "baseline", *after, *outputs]


def swept(programs: dict[str, Program], folder: Path) -> Path:
    sweep = folder / "sweeps/sweep.json"
    sweep.parent.mkdir()
    collected = programs["fleet"].run("collect", RESULTS / "2026-11-21-gate", f"--out={sweep}")
    assert collected.code == 0, collected
    return sweep


def judge(programs: dict[str, Program], folder: Path) -> tuple[str, list[str | Path]]:
    outputs = ["--json=a.json", "--markdown=a.md", "--junit=a.xml", "--openmetrics=a.prom"]
    return "fleet", ["judge", swept(programs, folder), *outputs]


def history(programs: dict[str, Program], folder: Path) -> tuple[str, list[str | Path]]:
    return "fleet", ["history", swept(programs, folder).parent, "--json=a.json"]


def compare(programs: dict[str, Program], folder: Path) -> tuple[str, list[str | Path]]:
    runs = [RESULTS / f"2026-11-21-gate/{name}-1.json.gz" for name in ("first", "second")]
    return "bench", ["compare", *runs, "--json=a.json", "--markdown=a.md"]


def advise(programs: dict[str, Program], folder: Path) -> tuple[str, list[str | Path]]:
    question = ["--bytes=4KiB:1GiB:x4", "--direction=h2d,d2h", f"--from={RECORDED}"]
    return "bench", ["advise", *question, "--json=a.json", "--map=b.json"]


def advise_role(programs: dict[str, Program], folder: Path) -> tuple[str, list[str | Path]]:
    question = ["--for=duplex", "--bytes=64MiB", f"--from={RECORDED}"]
    return "bench", ["advise", *question, "--json=a.json"]


def advise_at_once(programs: dict[str, Program], folder: Path) -> tuple[str, list[str | Path]]:
    return "bench", ["advise", f"--host-map={HOST_MAP}", "--devices=all", "--json=a.json"]


def doctor(programs: dict[str, Program], folder: Path) -> tuple[str, list[str | Path]]:
    return "bench", ["doctor", "--json=a.json"]


def host_map(programs: dict[str, Program], folder: Path) -> tuple[str, list[str | Path]]:
    return "bench", [
        "map",
        "--device=host:0@a=200MB/s,host:1@b=200MB/s",
        "--size=64KiB",
        "--out=a.json",
    ]


@pytest.mark.parametrize(
    "command",
    [gate_check, judge, history, compare, advise, advise_role, advise_at_once, doctor, host_map],
)
def test_who_stops_reading_loses_no_file(
    program: Program,
    gate: Program,
    fleet: Program,
    tmp_path: Path,
    command: Callable[[dict[str, Program], Path], tuple[str, list[str | Path]]],
) -> None:
    programs = {"bench": program, "gate": gate, "fleet": fleet}
    name, arguments = command(programs, tmp_path)
    assert run_unread(programs[name], *arguments, cwd=tmp_path) != 0
    outputs = [str(word).partition("=")[2] for word in arguments]
    files = [output for output in outputs if output.startswith(("a.", "b."))]
    assert files
    for file in files:
        assert (tmp_path / file).stat().st_size > 0, file


def test_progress_is_for_terminals(fleet: Program, tmp_path: Path) -> None:
    completed = fleet.run("collect", RESULTS / "2026-11-21-gate", f"--out={tmp_path / 'a.json'}")
    assert (completed.code, completed.err) == (0, "")
