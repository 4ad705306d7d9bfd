"""Runs that several processes measure, one after another (--processes)."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import limits
import pytest
from program import (
    ALL_RAN,
    LIMIT_S,
    SOMETHING_FAILED,
    USAGE,
    Program,
    Result,
    as_undisturbed,
    assert_complains,
    read,
    wait_for,
)

NO_TIME = 4
QUICK = ("--device=host", "--profile=quick", "--strategies=copy/pageable", "--cache=warm")
SMALL = (*QUICK, "--sizes=4KiB,64KiB")
NAMES = [f"copy/pageable/{way}/{size}" for way in ("h2d", "d2h") for size in ("4KiB", "64KiB")]
#: A second and more for each process, which mostly waits for the link.
LONG = (
    "--device=host:0@a=50MB/s",
    "--profile=full",
    "--strategies=copy/pageable",
    "--cache=warm",
    "--sizes=1KiB:256KiB:x4",
)


def by_process(result: Result) -> dict[str, Counter[int]]:
    counts: dict[str, Counter[int]] = {}
    for row in result.rows:
        counts.setdefault(row["run_name"], Counter())[row["process"]] += 1
    return counts


def test_three_processes_share_the_rounds_of_one_file(program: Program):
    result = program.run_and_read(*SMALL, "--seed=5")
    assert result.completed.out.count("Device: host") == 1  # one summary, of the last process
    assert by_process(result) == {name: Counter({1: 3, 2: 3, 3: 3}) for name in NAMES}
    indices = sorted(row["repetition_index"] for row in result.rows)
    assert indices == sorted(list(range(9)) * len(NAMES))
    assert all(row["repetitions"] == 9 for row in result.rows)
    facts = result.transfers
    assert facts["complete"] is True
    assert (facts["run"]["processes"], facts["run"]["rounds"]) == (3, 9)
    assert [(p["number"], p["resumed"], p["complete"]) for p in facts["parts"]] == [
        (number, False, True) for number in (1, 2, 3)
    ]
    assert [part["seed"] for part in facts["parts"]] == [5, 1000005, 2000005]
    assert facts["run"]["started_utc"] == facts["parts"][0]["started_utc"]
    assert not any("part-of-run" in argument for argument in facts["run"]["command_line"])
    assert sorted(facts["run"]["options"]) == sorted(SMALL)
    assert facts["run"]["seed"] == 5
    assert [path for path in result.path.parent.iterdir() if path.suffix != ".lock"] == [
        result.path
    ]


@pytest.mark.parametrize(
    ("asked", "shares"),
    [
        (1, None),
        (2, {1: 5, 2: 4}),
        (4, {1: 3, 2: 2, 3: 2, 4: 2}),
        (100, dict.fromkeys(range(1, 10), 1)),
    ],
)
def test_any_number_of_processes(program: Program, asked: int, shares: dict[int, int] | None):
    """No more than there are rounds."""
    result = program.run_and_read(*QUICK, "--sizes=4KiB", f"--processes={asked}")
    if shares is None:
        assert all("process" not in row for row in result.rows)
        assert "parts" not in result.transfers
        assert "processes" not in result.transfers["run"]
        assert len(result.rows) == 2 * 9
    else:
        assert all(counts == Counter(shares) for counts in by_process(result).values())


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (("--processes=0",), "--processes"),
        (("--processes=101",), "--processes"),
        (("--processes=two",), "--processes"),
        (("--processes=2", "--benchmark_min_time=0.01"), "--processes=2 does not go with"),
        (("--processes=2", "--resume=x.json"), "--processes"),
        (("fleet", "--processes=2", "--out=x"), "--processes"),
        (("--list", "--processes=2"), "--processes"),
    ],
)
def test_what_it_does_not_go_with(program: Program, arguments: tuple[str, ...], part: str):
    assert_complains(program.run(*arguments), USAGE, part)


def test_flags_of_google_benchmark_are_of_one_process(program: Program, tmp_path: Path):
    program.measure(f"--out={tmp_path / 'run.json'}")
    assert "parts" not in read(tmp_path / "run.json").transfers


def test_the_result_on_standard_output_is_of_all(program: Program, tmp_path: Path):
    (tmp_path / "tmp").mkdir()
    completed = program.run(
        *SMALL, "--out=-", env={"TMPDIR": str(tmp_path / "tmp")}, expected=ALL_RAN
    )
    rows = json.loads(completed.out)["benchmarks"]
    assert Counter(row["process"] for row in rows) == {1: 12, 2: 12, 3: 12}
    assert list((tmp_path / "tmp").iterdir()) == []


def test_without_a_name_one_file_is_kept(program: Program, tmp_path: Path):
    completed = program.run(*SMALL, cwd=tmp_path)
    (file,) = tmp_path.glob("*.json")
    assert completed.err.count(f"Result file: {file.name}") == 1
    assert read(file).transfers["complete"] is True


def test_no_file_is_kept_where_nothing_can_be_measured(program: Program, tmp_path: Path):
    completed = program.run("--device=cuda:97", "--profile=quick", cwd=tmp_path, expected=USAGE)
    assert len(completed.complaints) == 1
    assert list(tmp_path.iterdir()) == []


def test_no_file_is_kept_where_no_process_can_be_started(program: Program, tmp_path: Path):
    """As in a root folder without /proc."""
    preload = {"LD_PRELOAD": f"{limits.library('no_new_process', tmp_path)}"}
    (folder := tmp_path / "here").mkdir()
    completed = program.run(*SMALL, cwd=folder, env=preload)
    assert_complains(completed, SOMETHING_FAILED, "cannot start /proc/self/exe")
    assert not [*folder.iterdir()]


def test_a_failure_in_one_process_is_one_failure(program: Program):
    result = program.run_and_read(*SMALL, "--inject=fail@h2d/4KiB", expected=SOMETHING_FAILED)
    assert list(result.failed) == ["copy/pageable/h2d/4KiB"]
    counts = by_process(result)
    assert counts.pop("copy/pageable/h2d/4KiB") == Counter({1: 1})
    assert all(count == Counter({1: 3, 2: 3, 3: 3}) for count in counts.values())


def test_the_time_is_that_of_the_whole_run(paced: Program):
    paced_run = ("--device=host", "--profile=quick", "--strategies=paced", "--cache=warm")
    result = paced.run_and_read(*paced_run, "--max-time=300ms")
    assert result.completed.out.count("Device: host") == 1
    assert set().union(*(counts.keys() for counts in by_process(result).values())) == {1, 2, 3}
    assert result.transfers["complete"] is False
    assert [warning["code"] for warning in result.transfers["warnings"]].count(
        "max_time_reached"
    ) == 1


def test_what_any_process_has_measured_is_a_result(paced: Program, tmp_path: Path):
    out = tmp_path / "run.json"
    paced_run = ("--device=host", "--profile=quick", "--strategies=paced", "--cache=warm")
    for ms in (1, 5, 10, 20, 60):
        completed = paced.run(*paced_run, f"--max-time={ms}ms", f"--out={out}")
        assert completed.code == (ALL_RAN if read(out).rows else NO_TIME), completed


def test_what_is_repeated_until_stable_is_known_of_each_process(
    program: Program, gate: Program, tmp_path: Path
):
    out = tmp_path / "run.json"
    asked = (
        "--device=host",
        "--profile=quick",
        "--strategies=allocate,free",
        "--cache=warm",
    )
    program.run(*asked, "--sizes=4KiB", f"--out={out}", expected=ALL_RAN)
    for counts in by_process(read(out)).values():
        assert min(counts[process] for process in (1, 2, 3)) >= 3
    pinned = gate.run(
        "pin", as_undisturbed(out), f"--out={tmp_path / 'baseline.json'}", "--allow-noisy"
    )
    assert "not used there" not in pinned.unfolded


@pytest.mark.parametrize("value", ["1,1,3,1,-1,x", "0,1,0,1,-1,x", "1,2", "1,-5,3,1,-1,x.json"])
def test_nobody_else_is_a_process_of_a_run(program: Program, tmp_path: Path, value: str):
    program.run(*SMALL, f"--part-of-run={value}", cwd=tmp_path, expected=USAGE)
    assert list(tmp_path.iterdir()) == []


def test_no_other_run_writes_the_file_meanwhile(
    program: Program, tmp_path: Path, in_second_process: subprocess.Popen[str]
):
    completed = program.run(*SMALL, f"--out={tmp_path / 'run.json'}", expected=USAGE)
    assert "another process" in completed.err


@pytest.fixture
def in_second_process(program: Program, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    out = tmp_path / "run.json"
    with program.running(*LONG, f"--out={out}") as run:
        wait_for(lambda: 2 in processes_in(out), "the second process")
        yield run


def processes_in(path: Path) -> set[int]:
    try:
        return {row["process"] for row in read(path).rows}
    except FileNotFoundError:
        return set()


def children_of(process: int) -> list[int]:
    listed = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(child) for child in listed.split()]


def has_ended(process: int) -> bool:
    """Also if nobody has asked how."""
    try:
        return ") Z" in Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        return True


def assert_goes_on(program: Program, file: Path) -> Result:
    program.run(f"--resume={file}", expected=ALL_RAN)
    result = read(file)
    assert result.transfers["complete"] is True
    assert len(result.rows) == 21 * len(result.names())
    parts: list[dict[str, Any]] = result.transfers["parts"]
    assert [part["resumed"] for part in parts] == [False] * (len(parts) - 1) + [True]
    return result


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_the_run(
    program: Program, tmp_path: Path, in_second_process: subprocess.Popen[str], sent: signal.Signals
):
    """Also one that only the process which started the others gets."""
    in_second_process.send_signal(sent)
    out, _ = in_second_process.communicate(timeout=LIMIT_S)
    assert in_second_process.returncode == 128 + sent
    assert out.count("Device: host") == 1
    result = read(tmp_path / "run.json")
    assert result.transfers["complete"] is False
    assert result.transfers["run"]["interrupted_by"] == sent.name
    assert_goes_on(program, tmp_path / "run.json")


def test_a_killed_process_ends_the_run(
    program: Program, tmp_path: Path, in_second_process: subprocess.Popen[str]
):
    (child,) = children_of(in_second_process.pid)
    os.kill(child, signal.SIGKILL)
    _, err = in_second_process.communicate(timeout=LIMIT_S)
    assert in_second_process.returncode == SOMETHING_FAILED
    complaint = err.replace("\n  ", " ").splitlines()[-1]
    assert "of 3 was ended by signal 9" in complaint
    assert "--resume=" in complaint
    assert_goes_on(program, tmp_path / "run.json")


def test_a_file_that_is_removed_between_processes_is_said_to_be_gone(
    program: Program, tmp_path: Path
):
    """The run is stopped until its first process has ended."""
    out = tmp_path / "run.json"
    with program.running(*LONG, f"--out={out}") as run:
        wait_for(lambda: 1 in processes_in(out), "the first process")
        run.send_signal(signal.SIGSTOP)
        (first,) = children_of(run.pid)
        wait_for(lambda: has_ended(first), "its end")
        out.unlink()
        run.send_signal(signal.SIGCONT)
        _, err = run.communicate(timeout=LIMIT_S)
    assert run.returncode == SOMETHING_FAILED
    assert re.search(r"run\.json is gone after process \d of 3: .*measure it anew", err)


def test_no_process_outlives_the_run(in_second_process: subprocess.Popen[str]):
    (child,) = children_of(in_second_process.pid)
    in_second_process.send_signal(signal.SIGKILL)
    in_second_process.wait(timeout=LIMIT_S)
    wait_for(lambda: has_ended(child), "the process to end")


def test_a_file_of_three_processes_is_three_runs(program: Program, gate: Program, tmp_path: Path):
    files = [tmp_path / f"{name}.json" for name in ("first", "second")]
    for file in files:
        program.run(*SMALL, f"--out={file}", expected=ALL_RAN)
    baseline = tmp_path / "baseline.json"
    gate.run(
        "pin", as_undisturbed(files[0]), f"--out={baseline}", "--allow-noisy", expected=ALL_RAN
    )
    pinned = json.loads(baseline.read_text())
    assert [run["file"] for run in pinned["runs"]] == [
        f"first.json (process {number})" for number in (1, 2, 3)
    ]
    assert pinned["machine"]["settings.processes"] == "3"
    answer = json.loads(gate.run("check", baseline, as_undisturbed(files[1]), "--json=-").out)
    assert answer["runs"] == {"before": 3, "after": 3}
    compared = json.loads(program.run("compare", *files, "--json=-").out)
    assert compared["basis"] == "runs"


def test_runs_of_other_numbers_of_processes_are_not_compared(
    program: Program, gate: Program, tmp_path: Path
):
    three, one = tmp_path / "three.json", tmp_path / "one.json"
    program.run(*SMALL, f"--out={three}", expected=ALL_RAN)
    program.run(*SMALL, "--processes=1", f"--out={one}", expected=ALL_RAN)
    baseline = tmp_path / "baseline.json"
    gate.run("pin", as_undisturbed(three), f"--out={baseline}", "--allow-noisy", expected=ALL_RAN)
    checked = gate.run("check", baseline, as_undisturbed(one), expected=3)
    assert "settings.processes: was 3, is 1" in checked.out
