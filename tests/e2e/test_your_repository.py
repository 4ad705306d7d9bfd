"""The jobs for somebody else's repository (docs/ci/your-*.yml), in an empty one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from gate_files import changed
from program import ROOT, Program

PAGE = ROOT / "docs/YOUR_REPOSITORY.md"
PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE = 0, 1, 2, 3
# The strategies of the program advance its clock: the answer does not depend on this machine.
SITE = """
device = host
sizes = 64KiB,256KiB,1MiB,4MiB
cache = warm
"""
PACED = """#!/bin/sh
exec {program} "$@" $SLOWED
"""


def commands(name: str) -> list[str]:
    """What the job runs, without what CI's own actions and variables do."""
    content = yaml.safe_load((ROOT / "docs/ci" / name).read_text("utf-8"))
    if "jobs" in content:
        (job,) = content["jobs"].values()
        lines = [step["run"] for step in job["steps"] if "run" in step]
    else:
        lines = content["transfers"]["script"]
    return [line for line in lines if "GITHUB_STEP_SUMMARY" not in line]


@pytest.fixture(params=["your-github-actions.yml", "your-gitlab-ci.yml"])
def job(request: pytest.FixtureRequest) -> list[str]:
    return commands(request.param)


@pytest.fixture
def repository(paced: Program, gate: Program, tmp_path: Path) -> Path:
    """Empty, but for what `pip install` would make."""
    folder = tmp_path / "repository"
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    (folder / ".transfers/bin").mkdir(parents=True)
    (folder / ".transfers/bin/gate_transfers").symlink_to(gate.path)
    program = folder / ".transfers/bin/bench_transfers"
    program.write_text(PACED.format(program=paced.path))
    program.chmod(0o755)
    (tmp_path / "site.conf").write_text(SITE)
    return folder


def run(line: str, repository: Path, **env: str) -> int:
    completed = subprocess.run(
        ["bash", "-e", "-c", line],
        cwd=repository,
        env={
            "PATH": os.defpath,
            "TRANSFERS_SITE_FILE": str(repository.parent / "site.conf"),
            **env,
        },
        capture_output=True,
        check=False,
    )
    return completed.returncode


def first_failure(job: list[str], repository: Path, **env: str) -> int:
    installs, *others = job
    assert "pip install" in installs
    return next((code for line in others if (code := run(line, repository, **env))), PASS)


def block_with(text: str) -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    (block,) = [block for block in blocks if text in block]
    return block.splitlines()


def pin(repository: Path) -> None:
    """As the page says, on three days."""
    _, measure, pin, add = block_with("git add")
    for day in range(3):
        assert run(measure, repository) == 0
        for file in repository.glob("transfers-2*.json"):
            number = file.stem[-1]

            def date(document: dict[str, Any], day: int = day, number: str = number) -> None:
                minute = f"2026-01-0{1 + day}T00:0{number}"
                facts = document["context"]["transfers"]
                for one in (facts["run"], *facts.get("parts", [])):
                    one.update(started_utc=f"{minute}:00Z", finished_utc=f"{minute}:01Z")

            changed(file, repository / f"day-{day}-{number}.json", date)
            file.unlink()
    for file in repository.glob("day-*.json"):
        file.rename(file.with_name(f"transfers-2026-01-0{file.stem[4:]}.json"))
    assert run(pin, repository) == 0
    assert run(add, repository) == 0


def test_the_page_answers_first_whether_it_tests_my_code() -> None:
    _, _, first, *_ = PAGE.read_text("utf-8").splitlines()
    assert first.startswith("**Does the gate test my code? No.**")


def test_a_machine_as_fast_as_before_is_green_and_a_slower_one_is_red(
    job: list[str], repository: Path
) -> None:
    assert first_failure(job, repository) == BAD_INPUT  # no baseline yet
    pin(repository)
    assert first_failure(job, repository) == PASS
    assert (
        first_failure(job, repository, SLOWED="--inject=slow:3@^paced/second/h2d/1MiB$")
        == REGRESSION
    )
    failing = "--inject=fail@^paced/second/h2d/1MiB$"
    assert first_failure(job, repository, SLOWED=failing) == INCONCLUSIVE


def test_a_job_fails_as_the_page_shows(repository: Path) -> None:
    pin(repository)
    (power,) = block_with("power")
    assert run(power, repository) == PASS
    measure, check = block_with("--inject")
    assert run(measure.replace("copy/pinned/h2d", "paced/second/h2d/1MiB$"), repository) == PASS
    assert run(check, repository) == REGRESSION


MY_BENCHMARKS = """#!{python}
import json, os, random, sys
options = dict(argument.split("=") for argument in sys.argv[1:])
moment = os.environ.get("DAY", "04") + f"T00:{{random.randrange(60):02d}}"
chance = random.Random(options["--benchmark_out"] + moment)
slowed = float(os.environ.get("FACTOR", "1"))
with open(options["--benchmark_out"], "x") as out:
    json.dump({{
        "context": {{"date": f"2026-01-{{moment}}:00+00:00", "host_name": "runner", "num_cpus": 8}},
        "benchmarks": [
            {{"name": name, "run_name": name, "run_type": "iteration", "threads": 1,
             "repetitions": 9, "repetition_index": index, "iterations": 100, "time_unit": "ns",
             "real_time": chance.gauss(1, 1e-3) * 1e6 * (slowed if name == "copy/3" else 1),
             "cpu_time": 1e6}}
            for name in (f"copy/{{each}}" for each in range(20))
            for index in range(int(options["--benchmark_repetitions"]))
        ],
    }}, out)
"""


@pytest.mark.parametrize(("factor", "expected"), [("1", PASS), ("1.5", REGRESSION)])
def test_transfers_of_my_own_are_gated_as_the_page_shows(
    repository: Path, factor: str, expected: int
) -> None:
    program = repository / "my_benchmarks"
    program.write_text(MY_BENCHMARKS.format(python=sys.executable))
    program.chmod(0o755)
    measure, pin, measure_again, check = block_with("my_benchmarks")
    for day in ("01", "02", "03"):
        assert run(measure, repository, DAY=day) == 0
        for file in repository.glob("mine-2*-?.json"):
            file.rename(file.with_name(f"mine-2-{day}-of-{file.stem[-1]}.json"))
    assert run(pin, repository) == 0
    assert run(measure_again, repository, FACTOR=factor) == 0
    assert run(check, repository) == expected
