"""The gate on runs of bench_transfers, and `scripts/gate`, which measures and checks."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from gate_checks import WORDS
from gate_files import PINNED_UPLOAD, Lab, changed, failed_rows, pin
from gate_project import PACED, SLOWED, Project, measure
from program import LIMIT_S, TINY_NAMES, Program, as_undisturbed, read, wait_for

PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE, ENVIRONMENT = 0, 1, 2, 3, 4


@pytest.mark.parametrize("factor", ["3", "1.1"])
def test_an_injected_slowdown_is_found(
    paced: Program, gate: Program, host_baseline: Path, tmp_path: Path, factor: str
):
    fault = f"slow:{factor}@^{SLOWED}$"
    out = tmp_path / "answer.json"
    runs = [
        measure(paced, tmp_path / f"{number}.json", 100 + number, f"--inject={fault}")
        for number in range(3)
    ]
    completed = gate.run("check", host_baseline, *runs, f"--json={out}")
    verdicts = {
        benchmark["name"]: benchmark
        for benchmark in json.loads(out.read_text("utf-8"))["benchmarks"]
    }
    assert verdicts[SLOWED]["slowdown"] == pytest.approx(float(factor) - 1, abs=0.01)
    assert [name for name, benchmark in verdicts.items() if benchmark["verdict"] == "slower"] == [
        SLOWED
    ]
    assert completed.code == REGRESSION
    text = completed.out.replace("\n  ", " ")
    assert f"has faults injected on purpose: {fault}" in text
    # Faults are for tests: a baseline must not contain them.
    gate.run("pin", *runs, f"--out={tmp_path / 'baseline'}", expected=BAD_INPUT)


def test_true_runs_are_pinned_and_judged(program: Program, gate: Program, tmp_path: Path):
    """On a shared machine, any verdict is possible."""
    runs = [program.measure_and_read().path for _ in range(6)]
    # The program refuses a baseline that lacks a benchmark.
    baseline, out = pin(gate, [as_undisturbed(run) for run in runs[:3]]), tmp_path / "answer.json"
    completed = gate.run("check", baseline, *runs[3:], f"--json={out}")
    assert completed.code in (PASS, REGRESSION, INCONCLUSIVE, ENVIRONMENT), completed
    answer = json.loads(out.read_text("utf-8"))
    assert answer["verdict"] == WORDS[completed.code]
    benchmarks = answer["benchmarks"]
    assert sorted(benchmark["name"] for benchmark in benchmarks) == sorted(TINY_NAMES)


def test_a_failing_benchmark_does_not_pass(
    paced: Program, gate: Program, host_baseline: Path, tmp_path: Path
):
    runs = [measure(paced, tmp_path / f"{number}.json", 200 + number) for number in range(2)]
    failed = tmp_path / "failed.json"
    paced.run(*PACED, f"--inject=fail@^{SLOWED}$", f"--out={failed}", expected=1)
    completed = gate.run("check", host_baseline, *runs, failed, expected=INCONCLUSIVE)
    assert f"{SLOWED}  failed in 1 of 3 runs" in completed.out


def test_a_gpu_is_not_the_host_device(gate: Program, host_baseline: Path, tmp_path: Path):
    gpu = Lab(tmp_path, seed=20).runs(3)
    completed = gate.run("check", host_baseline, *gpu, expected=BAD_INPUT)
    assert "with a GPU, the baseline's runs without one" in completed.unfolded


# scripts/gate


def test_the_script_measures_and_checks(project: Project):
    project.prepare(project.lab.runs(3, day=9))
    completed = project.check("--markdown=a.md", "--", "--device=0", "--seed=1", expected=PASS)
    assert "\nPASS: link: all " in completed.stdout
    assert "Measuring run-3 of 3" in completed.stderr
    assert len(project.measured) == 3
    assert all(
        invocation.startswith("--profile=quick --device=0 --seed=1")
        for invocation in project.measured
    )
    assert (project.root / "work/a.md").read_text("utf-8").startswith("## Transfers: PASS")
    runs = [f"run-{number}.{kind}" for number in (1, 2, 3) for kind in ("json", "txt")]
    assert project.kept == ["check.json", "check.txt", *runs]


@pytest.mark.parametrize("options", [["--profile=standard", "--strategies=copy"], []])
def test_the_script_measures_as_the_baseline_was(
    project: Project, gate: Program, options: list[str]
):
    facts = {"run.options": options}
    runs = project.lab.sessions(3, 4, facts=facts)
    gate.run("pin", *runs, f"--out={project.baseline}", expected=0)
    project.prepare(project.lab.runs(3, day=9))
    completed = project.check(expected=PASS)
    expected = " ".join([*options, "--processes=1", f"--out={project.root}"])
    assert all(arguments.startswith(expected) for arguments in project.measured), project.measured
    words = " ".join(["Measuring as the baseline was: bench_transfers", *options])
    assert words in completed.stderr
    # What chooses nothing comes beside them.
    (project.prepared / "arguments").unlink()
    project.check("--", "--quiet")
    assert all(
        given.startswith(" ".join([*options, "--quiet --processes=1 --out="]))
        for given in project.measured
    )
    # Who gives options knows better, of all but the profile.
    (project.prepared / "arguments").unlink()
    project.check("--", "--device=0")
    profile = [option for option in options if option.startswith("--profile=")]
    assert all(given.startswith(" ".join([*profile, "--device=0"])) for given in project.measured)


def test_the_script_starts_as_many_processes_as_the_baseline(
    project: Project, gate: Program, program: Program, tmp_path: Path
):
    run = tmp_path / "run.json"
    asked = ("--device=host", "--profile=quick", "--strategies=copy/pageable", "--cache=warm")
    program.run(*asked, "--sizes=4KiB", f"--out={run}", expected=0)
    gate.run("pin", as_undisturbed(run), f"--out={project.baseline}", "--allow-noisy", expected=0)
    project.prepare([run])
    completed = project.check(expected=BAD_INPUT)  # it is the baseline's own
    assert "Measuring run-1 of 1 ..." in completed.stderr
    assert all("--processes=3 --out=" in given for given in project.measured)


def test_the_script_finds_a_regression(project: Project):
    project.prepare(project.lab.runs(4, day=9, slowed={PINNED_UPLOAD: 1.1}))
    project.check(
        "--runs=4",
        "--json=b.json",
        "--",
        "--profile=standard",
        expected=REGRESSION,
    )
    assert [arguments.split()[0] for arguments in project.measured] == ["--profile=standard"] * 4
    assert json.loads((project.root / "work/b.json").read_text("utf-8"))["runs"]["after"] == 4
    # Nothing more is prepared.
    completed = project.check("--runs", "4", "--threshold", "50%", expected=BAD_INPUT)
    assert "wrote no result" in completed.stderr


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_the_script_prints_the_answer_for_programs(project: Project, out: str):
    project.prepare(project.lab.runs(3, day=9))
    completed = project.check(f"--json={out}", expected=PASS)
    assert json.loads(completed.stdout)["runs"]["after"] == 3
    assert not list((project.root / "work").iterdir())


def test_the_script_measures_more_where_that_may_tell(project: Project):
    lab = project.lab
    slow = {PINNED_UPLOAD: 1.1}
    project.prepare(
        [*lab.runs(2, day=9, slowed=slow), *lab.runs(1, day=9), *lab.runs(6, day=9, slowed=slow)]
    )
    completed = project.check()
    assert "Inconclusive so far" in completed.stderr
    assert len(project.measured) in (6, 9)
    assert completed.returncode in (REGRESSION, INCONCLUSIVE)
    assert f"of {len(project.measured)} runs" in completed.stdout or (
        f"{len(project.measured)} runs of 1 session" in completed.stdout
    )


def test_the_script_gives_up_after_three_rounds(project: Project):
    project.prepare(project.lab.runs(3, day=9))
    project.check("--runs=1", expected=PASS)  # the third run makes a verdict possible
    assert len(project.measured) == 3
    project.check("--runs=0", expected=BAD_INPUT)


def test_the_script_stops_after_a_run_that_lacks_benchmarks(project: Project):
    project.prepare(project.lab.runs(3, day=9, without=[PINNED_UPLOAD]))
    (project.root / "work").mkdir(exist_ok=True)
    (project.root / "work/a.md").write_text("old")
    completed = project.check("--markdown=a.md", expected=INCONCLUSIVE)
    assert len(project.measured) == 1
    count = len(project.lab.costs)
    assert f"run 1 measured {count - 1} of the baseline's {count} benchmarks" in completed.stderr
    assert (project.root / "work/a.md").read_text("utf-8").startswith("## Transfers: INCONCLUSIVE")


def test_the_script_goes_on_where_all_that_is_lacking_is_allowed(project: Project):
    project.prepare(project.lab.runs(3, day=9, without=[PINNED_UPLOAD]))
    project.check(f"--allow-missing=^{PINNED_UPLOAD}$", expected=PASS)
    assert len(project.measured) == 3


def test_the_script_leaves_no_old_answer(project: Project):
    (project.prepared / "code").write_text("2")
    (project.root / "work").mkdir(exist_ok=True)
    (project.root / "work/a.md").write_text("old")
    project.check("--markdown=a.md", expected=BAD_INPUT)
    assert not (project.root / "work/a.md").exists()


def test_the_script_needs_both_programs(project: Project):
    (project.root / "bin/bench_transfers").unlink()
    completed = project.check(expected=BAD_INPUT)
    assert "has no bench_transfers" in completed.stderr
    assert completed.stderr.count("\n") == 1


def test_the_script_judges_runs_with_failures(project: Project):
    def fail(document: dict[str, Any]) -> None:
        rows = [row for row in document["benchmarks"] if row["name"] != PINNED_UPLOAD]
        document["benchmarks"] = rows + failed_rows(PINNED_UPLOAD)

    project.prepare([changed(run, run, fail) for run in project.lab.runs(3, day=9)])
    (project.prepared / "code").write_text("1")
    completed = project.check(expected=INCONCLUSIVE)
    assert f"{PINNED_UPLOAD}  failed in 3 of 3 runs" in completed.stdout


@pytest.mark.parametrize("code", [2, 3, 139])
def test_the_script_does_not_judge_what_was_not_measured(project: Project, code: int):
    project.prepare(project.lab.runs(3, day=9))
    (project.prepared / "code").write_text(str(code))
    completed = project.check(expected=BAD_INPUT)
    assert f"ended with code {code}" in completed.stderr
    assert completed.stdout == ""
    assert len(project.measured) == 1


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "which baseline?"),
        (("missing.json",), "missing.json: No such file"),
        (("../baseline.json", "--threshold=2"), "a percentage"),
        (("../baseline.json", "--treshold=2%"), "--treshold"),
        (("../baseline.json", "--markdown=missing/a.md"), "cannot write missing/a.md"),
        (("../baseline.json", "--json=../baseline.json"), "would be overwritten"),
        (("../baseline.json", "--runs=3.5"), "--runs"),
        (("../baseline.json", "--runs", "3.5"), "--runs"),
        (("../baseline.json", "--runs"), "--runs needs a value"),
        (("../baseline.json", "other.json"), "one baseline"),
        (("../baseline.json", "--", "--out=x"), "--out=x"),
        (("../baseline.json", "--allow-missing=("), "regular expression"),
        (("../baseline.json", "--allow-different=device.driver"), "no such fact"),
        (("../baseline.json", "--", "--device=host"), "is a GPU's"),
        (("../baseline.json", "--", "--device=host:0@a=1GB/s"), "is a GPU's"),
    ],
)
def test_the_script_checks_its_arguments_before_it_measures(
    project: Project, arguments: tuple[str, ...], complaint: str
):
    completed = project.run(*arguments, expected=BAD_INPUT)
    assert complaint in completed.stderr
    assert completed.stderr.count("\n") == 1
    assert project.measured == []
    assert project.kept == []


def test_the_script_does_not_measure_the_host_in_place_of_a_gpu(project: Project):
    project.prepare(project.lab.runs(3, day=9))
    (project.prepared / "no_gpu").touch()
    completed = project.check(expected=BAD_INPUT)
    assert "is a GPU's, and device cuda:0: no NVIDIA driver is installed" in completed.stderr
    assert (completed.stdout, project.measured) == ("", [])


def test_the_script_ends_cleanly_when_interrupted(project: Project):
    project.prepare(project.lab.runs(1))
    (project.prepared / "wait").touch()
    with subprocess.Popen(
        project.command("../baseline.json"),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
        **project.process_options(),
    ) as process:
        try:
            wait_for((project.prepared / "waiting").exists, "a run that has begun")
            os.killpg(process.pid, signal.SIGINT)  # as a terminal does
            out, err = process.communicate(timeout=LIMIT_S)
        finally:
            process.kill()
    assert process.returncode == 128 + signal.SIGINT, err
    assert out == ""
    assert "Interrupted. What was measured is in" in err
    assert "run-1.json" in project.kept
    assert len(project.measured) == 1


def test_the_script_with_the_program(project: Project, paced: Program, host_baseline: Path):
    fake = project.root / "bin/bench_transfers"
    fake.unlink()
    fake.symlink_to(paced.path)
    completed = project.run(str(host_baseline), "--", *PACED, expected=PASS)
    assert "PASS on the host device (no GPU)" in completed.stdout
    (run,) = (project.root / "results").rglob("run-2.json")
    assert SLOWED in read(run).names()
