"""`gate_transfers`: where its answers go, and the limits of their cost."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import limits
import pytest
from calls import call
from gate_files import Lab, pin
from program import Completed, Program, assert_complains, assert_one_complaint

PASS, BAD_INPUT = 0, 2

OUTPUTS = ("--markdown", "--junit", "--json")


@pytest.mark.parametrize("option", OUTPUTS)
def test_outputs_are_checked_before_any_work(
    gate: Program, baseline: Path, runs: list[Path], tmp_path: Path, option: str
):
    out = tmp_path / "missing" / "out"
    completed = gate.run("check", baseline, *runs, f"{option}={out}")
    assert_complains(completed, BAD_INPUT, f"cannot write {out}")
    completed = gate.run("check", tmp_path / "no-baseline", *runs, f"{option}={tmp_path}")
    assert_complains(completed, BAD_INPUT)
    completed = gate.run("check", baseline, *runs, f"{option}=/dev/null")
    assert_complains(completed, BAD_INPUT, "/dev/null")


@pytest.mark.parametrize("option", OUTPUTS)
def test_inputs_are_not_overwritten(
    gate: Program, baseline: Path, runs: list[Path], tmp_path: Path, option: str
):
    link = tmp_path / "link"
    for precious in (baseline, runs[1]):
        link.symlink_to(precious)
        before = precious.read_bytes()
        completed = gate.run("check", baseline, *runs, f"{option}={link}")
        assert_complains(completed, BAD_INPUT)
        assert precious.read_bytes() == before
        link.unlink()


def test_two_outputs_are_two_files(gate: Program, baseline: Path, runs: list[Path]):
    out = runs[0].parent / "out"
    completed = gate.run("check", baseline, *runs, f"--json={out}", f"--junit={out.parent}/./out")
    assert_complains(completed, BAD_INPUT)


def test_pin_does_not_overwrite_a_run(gate: Program, runs: list[Path]):
    assert_complains(gate.run("pin", *runs, f"--out={runs[2]}"), BAD_INPUT)


def assert_tells_and_complains(completed: Completed, *parts: str) -> None:
    assert completed.code == BAD_INPUT
    assert_one_complaint(completed, *parts)


def test_files_that_must_not_grow(gate: Program, baseline: Path, runs: list[Path], tmp_path: Path):
    limited: dict[str, Any] = {"preexec_fn": limits.file_size(512)}
    for option in OUTPUTS:
        out = tmp_path / "out"
        out.write_text("older")
        completed = gate.run("check", baseline, *runs, f"{option}={out}", **limited)
        assert_tells_and_complains(completed, f"cannot write {out}")
        assert out.read_text() == "older"
    completed = gate.run("pin", *runs, f"--out={tmp_path / 'new'}", **limited)
    assert_complains(completed, BAD_INPUT, f"cannot write {tmp_path / 'new'}")
    assert sorted(path.name for path in tmp_path.iterdir() if path not in runs) == ["out"]


def test_a_full_standard_output_is_an_error(gate: Program, baseline: Path, runs: list[Path]):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        commands: list[tuple[str | Path, ...]] = [
            ("check", baseline, *runs),
            ("power", baseline),
            ("show", *runs),
        ]
        for arguments in commands:
            completed = gate.run(*arguments, stdout=full)
            assert_complains(completed, BAD_INPUT)


def test_with_little_memory(gate: Program, baseline: Path, runs: list[Path]):
    """It fails cleanly, or its answer is right. With hardly any memory the loader refuses to start
    it, or nlohmann/json aborts, which needs memory to free its data."""
    complaints = 0
    not_started, aborted = 127, -signal.SIGABRT
    for limit in range(4 << 20, 12 << 20, 256 << 10):
        completed = gate.run("check", baseline, *runs, preexec_fn=limits.address_space(limit))
        assert completed.code in (PASS, BAD_INPUT, not_started, aborted), completed
        assert (completed.code == PASS) == ("PASS" in completed.out)
        if completed.code == BAD_INPUT:
            assert_complains(completed, BAD_INPUT, "memory")
            complaints += 1
    assert complaints > 0


# Size


def test_a_large_check_is_quick(gate: Program, tmp_path: Path):
    """20 runs of 1,000 benchmarks: at most 1 s and 200 MiB."""
    costs = {f"copy/memory_{number}/h2d/1MiB": 1e5 + number for number in range(1000)}
    lab = Lab(tmp_path, costs, seed=13)
    baseline = pin(gate, lab.sessions(3, 4))
    runs = lab.runs(20, day=9)
    # A small process starts it: the peak memory of a process begins with its parent's.
    measuring = (
        "import resource, subprocess, sys; code = subprocess.call(sys.argv[1:], stdout=2);"
        "u = resource.getrusage(resource.RUSAGE_CHILDREN);"
        "print(code, u.ru_utime + u.ru_stime, u.ru_maxrss)"
    )
    command = gate.command("check", baseline, *runs, f"--json={tmp_path / 'answer'}")
    completed = call([sys.executable, "-c", measuring, *command], expected=0)
    code, seconds, kib = completed.stdout.split()
    assert int(code) == PASS
    assert float(seconds) <= 1
    assert int(kib) <= 200 * 1024
    assert len(json.loads((tmp_path / "answer").read_text("utf-8"))["benchmarks"]) == 1000
