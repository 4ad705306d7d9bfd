"""`gate_transfers` reports each error in one line with exit code 2, and never crashes or passes."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from gate_files import PINNED_UPLOAD, Lab, changed, pin, write
from program import Program, assert_complains

PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE = 0, 1, 2, 3
Change = Callable[[dict[str, Any]], None]


# The command line


def test_the_last_of_an_option_counts(gate: Program, baseline: Path, lab: Lab):
    slowed = lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.04})
    gate.run("check", baseline, *slowed, expected=REGRESSION)
    gate.run("check", baseline, *slowed, "--threshold=1%", "--threshold=50%", expected=PASS)


def test_files_may_have_the_names_of_commands(gate: Program, runs: list[Path], tmp_path: Path):
    for name, file in zip(("check", "pin", "show"), runs, strict=True):
        (tmp_path / name).symlink_to(file)
    completed = gate.run("pin", "show", "check", "--out=power", "pin", cwd=tmp_path)
    assert (completed.code, (tmp_path / "power").is_file()) == (PASS, True), completed


@pytest.mark.parametrize(
    ("expression", "complaint"),
    [("(", "'(' is not a regular expression"), ("a" * 100_000, "aaa…' is too long")],
    ids=["unfinished", "too long"],
)
def test_a_bad_regular_expression(
    gate: Program, baseline: Path, runs: list[Path], expression: str, complaint: str
):
    completed = gate.run("check", baseline, *runs, f"--allow-missing={expression}")
    assert_complains(completed, BAD_INPUT, "--allow-missing=", complaint)


# Runs


def everywhere(gate: Program, file: Path, baseline: Path, runs: list[Path], out: Path):
    """Every command that reads runs, with this file among good runs."""
    yield gate.run("check", baseline, *runs, file)
    yield gate.run("pin", *runs, file, f"--out={out}")
    yield gate.run("show", file, *runs)


def test_files_that_cannot_be_read(gate: Program, baseline: Path, runs: list[Path], tmp_path: Path):
    packed = gzip.compress(runs[0].read_bytes())
    cut, bomb = tmp_path / "cut.json.gz", tmp_path / "bomb.json.gz"
    cut.write_bytes(packed[:-20])
    bomb.write_bytes(gzip.compress(b" " * (200 << 20), 1))
    for file, complaint in (
        (tmp_path / "missing.json", "No such file"),
        (tmp_path, "folder"),
        (cut, "cut off"),
        (bomb, "larger than"),
    ):
        for completed in everywhere(gate, file, baseline, runs, tmp_path / "out"):
            assert_complains(completed, BAD_INPUT, str(file), complaint)
    (tmp_path / "good.json.gz").write_bytes(packed)
    gate.run("check", baseline, tmp_path / "good.json.gz", *runs[1:], expected=PASS)


def test_a_named_pipe_is_not_waited_for(
    gate: Program, baseline: Path, runs: list[Path], tmp_path: Path
):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    (tmp_path / "link").symlink_to(pipe)
    for file in (pipe, tmp_path / "link"):
        for completed in everywhere(gate, file, baseline, runs, tmp_path / "out"):
            assert_complains(completed, BAD_INPUT, str(file), "a named pipe")
        assert_complains(gate.run("power", file), BAD_INPUT, str(file), "a named pipe")


def test_a_pipe_without_a_name_is_read(gate: Program, runs: list[Path]):
    with subprocess.Popen(["cat", runs[0]], stdout=subprocess.PIPE) as source:
        assert source.stdout is not None
        number = source.stdout.fileno()
        completed = gate.run("show", f"/dev/fd/{number}", pass_fds=(number,))
    assert completed.code == PASS, completed
    assert PINNED_UPLOAD in completed.out


def test_the_same_run_twice(gate: Program, baseline: Path, runs: list[Path], tmp_path: Path):
    copy = tmp_path / "copy.json"
    copy.write_bytes(runs[0].read_bytes())
    for again in (runs[0], copy):
        completed = gate.run("check", baseline, *runs, again)
        assert_complains(completed, BAD_INPUT)
        completed = gate.run("pin", *runs, again, f"--out={tmp_path / 'out'}")
        assert_complains(completed, BAD_INPUT)


def test_a_run_of_the_baseline(gate: Program, pinned: tuple[Path, list[Path]], runs: list[Path]):
    baseline, known = pinned
    completed = gate.run("check", baseline, *runs[:2], known[4])
    assert_complains(completed, BAD_INPUT, known[4].name)


def test_runs_of_different_programs(
    gate: Program, baseline: Path, runs: list[Path], tmp_path: Path
):
    folder = tmp_path / "foreign"
    folder.mkdir()
    foreign = Lab(folder, foreign=True).runs(3, day=9)
    assert_complains(gate.run("check", baseline, *foreign), BAD_INPUT, "another program")
    completed = gate.run("pin", *runs, *foreign, f"--out={tmp_path / 'out'}")
    assert_complains(completed, BAD_INPUT, "different programs")


def test_pin_refuses(gate: Program, lab: Lab, runs: list[Path]):
    out = f"--out={lab.folder / 'out'}"
    assert_complains(gate.run("pin", *runs[:2], out), BAD_INPUT)
    faulty = lab.runs(1, day=9, facts={"run.faults_injected": ["slow:1.1@copy"]})
    completed = gate.run("pin", *runs, *faulty, out)
    assert_complains(completed, BAD_INPUT, "slow:1.1@copy", "no baseline")
    foreign = lab.runs(1, day=9, facts={"link.width": 8})
    completed = gate.run("pin", *runs, *foreign, out)
    assert_complains(
        completed, BAD_INPUT, "link.width", "'16' and '8'", "--allow-different=link.width"
    )
    completed = gate.run("pin", *runs, out, "--judge-by=nothing_ns")
    assert_complains(completed, BAD_INPUT, "nothing_ns")
    assert not (lab.folder / "out").exists()


def test_names_of_files_cannot_steer_a_terminal(gate: Program, baseline: Path, tmp_path: Path):
    hostile = tmp_path / "a\n\x1b[31mb"
    completed = gate.run("check", baseline, write(hostile, "nothing"))
    assert_complains(completed, BAD_INPUT, "\\n\\x1b[31mb")
    completed = gate.run("check", hostile, write(tmp_path / "x", "nothing"))
    assert_complains(completed, BAD_INPUT, "\\n\\x1b[31mb")


def test_a_long_name_takes_no_stack(gate: Program, tmp_path: Path):
    lab = Lab(tmp_path, {"long/" + "a" * 500_000: 1e5, PINNED_UPLOAD: 1e5}, seed=12)
    baseline = pin(gate, lab.sessions(3, 1))
    single = lab.runs(3, day=9, without=[name for name in lab.costs if name != PINNED_UPLOAD])
    gate.run("check", baseline, *single, "--allow-missing=(a|b)*c", expected=INCONCLUSIVE)


# Baselines


def run_twice(document: dict[str, Any]) -> None:
    document["runs"][1]["content"] = document["runs"][0]["content"]


def too_many_runs(document: dict[str, Any]) -> None:
    document["runs"] *= 100


def names_alike(document: dict[str, Any]) -> None:
    document["benchmarks"]["a\n"] = document["benchmarks"]["a\\n"] = document["benchmarks"][
        PINNED_UPLOAD
    ]


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (run_twice, "two of its runs are the same"),
        (too_many_runs, "runs has more than 1000 entries"),
        (names_alike, "there twice"),
    ],
)
def test_a_bad_baseline(
    gate: Program,
    baseline: Path,
    runs: list[Path],
    tmp_path: Path,
    change: Change,
    complaint: str,
):
    file = changed(baseline, tmp_path / "bad", change)
    for completed in (gate.run("check", file, *runs), gate.run("power", file)):
        assert_complains(completed, BAD_INPUT, str(file), complaint)


def test_a_rate_of_which_less_would_be_better(gate: Program, lab: Lab, tmp_path: Path):
    """As a line of another baseline makes it; whoever asks for it gets it."""
    runs, baseline = lab.sessions(2, 3), tmp_path / "rates"
    gate.run("pin", *runs, "--judge-by=gb_per_s", f"--out={baseline}", expected=PASS)
    text = baseline.read_text("utf-8")
    write(baseline, text.replace('"better": "more"', '"better": "less"'))
    assert_complains(gate.run("power", baseline), BAD_INPUT, "digest")
    gate.run("pin", *runs, "--judge-by=gb_per_s:less", f"--out={baseline}", expected=PASS)
    gate.run("power", baseline, expected=PASS)


def test_a_baseline_of_a_million_objects(gate: Program, tmp_path: Path):
    head = '{"format": 3, "kind": "bench_transfers baseline", "benchmarks": ['
    file = write(tmp_path / "many", head + ",".join(['{"a": 1}'] * 1_000_000) + "]}")
    assert_complains(gate.run("power", file), BAD_INPUT, "no 'judged_by'")


def test_a_counter_whose_name_does_not_tell_its_direction(gate: Program, lab: Lab, tmp_path: Path):
    def add(document: dict[str, Any]) -> None:
        for row in document["benchmarks"]:
            row["cores"] = 1e6 / row["real_time"]

    runs = [changed(run, run, add) for run in lab.sessions(2, 3)]
    baseline = tmp_path / "by-cores"
    completed = gate.run("pin", *runs, "--judge-by=cores:more", f"--out={baseline}", expected=PASS)
    assert "judged by cores (more is better)" in completed.out
    assert json.loads(baseline.read_text("utf-8"))["better"] == "more"
    slowed = [changed(run, run, add) for run in lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1})]
    gate.run("check", baseline, *slowed, expected=REGRESSION)
    completed = gate.run("pin", *runs, "--judge-by=nothing:less", f"--out={baseline}")
    assert_complains(
        completed, BAD_INPUT, "has nothing; they have cores, cpu_time, gb_per_s, mean_ns, real_time"
    )
