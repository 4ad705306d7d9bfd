"""Examples for CI: who judges, with which permissions, and what is green."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from rooms import ROOT

EXAMPLES = ROOT / "docs" / "ci"


class Loader(yaml.SafeLoader):
    """Reads !reference of GitLab as the list that stands behind it."""


Loader.add_constructor("!reference", Loader.construct_sequence)


def load(name: str) -> Any:
    return yaml.load((EXAMPLES / name).read_text("utf-8"), Loader)


@pytest.fixture(scope="module")
def github() -> Any:
    return load("github-actions.yml")


@pytest.fixture(scope="module")
def gitlab() -> Any:
    return load("gitlab-ci.yml")


def steps(workflow: Any, job: str | None = None) -> Iterator[dict[str, Any]]:
    for name, content in workflow["jobs"].items():
        if job in (None, name):
            yield from content["steps"]


def step(workflow: Any, name: str) -> dict[str, Any]:
    (found,) = (entry for entry in steps(workflow) if entry.get("name") == name)
    return found


def shell_lines(job: Any) -> str:
    lines = [line for key in ("before_script", "script") for line in job.get(key, [])]
    return "\n".join(line for line in lines if isinstance(line, str))


# What of the pull request runs where


def test_each_job_has_the_least_permissions(github: Any):
    assert github["permissions"] == {}
    assert {name: job["permissions"] for name, job in github["jobs"].items()} == {
        "measure": {"contents": "read"},
        "judge": {"contents": "read"},
        "comment": {"pull-requests": "write"},
    }


def test_only_the_job_that_comments_has_a_token(github: Any, gitlab: Any):
    with_token = {
        name
        for name, job in github["jobs"].items()
        if "github.token" in str(job) + str(github["env"])
    }
    assert with_token == {"comment"}
    jobs = {name: str(job) for name, job in gitlab.items()}
    assert {name for name, job in jobs.items() if "TOKEN" in job} == {"transfers-note"}
    assert gitlab["transfers-note"]["environment"]["name"] == "transfers-note"


def test_the_job_that_comments_has_no_code(github: Any, gitlab: Any):
    assert not [
        entry for entry in steps(github, "comment") if "/checkout@" in entry.get("uses", "")
    ]
    assert gitlab["transfers-note"]["variables"]["GIT_STRATEGY"] == "none"


def test_the_target_branch_judges(github: Any, gitlab: Any):
    target = "${{ github.base_ref || github.ref }}"
    checkouts = [
        entry["with"] for entry in steps(github, "judge") if "/checkout@" in entry.get("uses", "")
    ]
    assert [(checkout["ref"], checkout["path"]) for checkout in checkouts] == [(target, "target")]
    fetched = shell_lines(gitlab[".transfers"])
    assert "CI_MERGE_REQUEST_TARGET_BRANCH_NAME" in fetched
    assert "worktree add --detach target FETCH_HEAD" in fetched
    for lines in (
        "\n".join(entry["run"] for entry in steps(github, "judge") if "run" in entry),
        shell_lines(gitlab["transfers"]),
    ):
        assert "target/build-gate/gate_transfers check target/baselines/" in lines
        assert "proposed" not in lines
        assert "bench_transfers" not in lines


def test_only_bench_transfers_is_the_pull_requests(github: Any, gitlab: Any):
    for lines, proposed in (
        (
            "\n".join(entry["run"] for entry in steps(github, "measure") if "run" in entry),
            "proposed/",
        ),
        (shell_lines(gitlab["transfers-measure"]), ""),
    ):
        assert (
            f"cp target/build-gate/gate_transfers {proposed}build/bench_transfers programs/"
            in lines
        )
        assert "TRANSFERS_BIN=programs target/scripts/gate target/baselines/" in lines


# What is green


def run(lines: str, folder: Path, program: str, code: int, **env: str) -> int:
    """Runs shell lines, where the program does nothing but end with a code."""
    fake = folder / program
    fake.parent.mkdir(parents=True, exist_ok=True)
    fake.write_text(f"#!/bin/sh\nexit {code}\n")
    fake.chmod(0o755)
    completed = subprocess.run(
        ["bash", "-e", "-c", lines],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **env},
        capture_output=True,
        check=False,
    )
    return completed.returncode


GATE = "target/build-gate/gate_transfers"


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (1, 1), (2, 2), (3, 3), (139, 139)])
def test_only_a_pass_is_green(github: Any, gitlab: Any, tmp_path: Path, code: int, expected: int):
    check = step(github, "Check")["run"]
    assert run(check, tmp_path / "github", GATE, code, **github["env"]) == expected
    job = gitlab["transfers"]
    assert run("\n".join(job["script"]), tmp_path / "gitlab", GATE, code) == expected
    assert "allow_failure" not in job


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (1, 1), (2, 2), (3, 0)])
def test_no_verdict_may_be_a_warning(github: Any, tmp_path: Path, code: int, expected: int):
    check = step(github, "Check")["run"]
    assert run(check, tmp_path, GATE, code, INCONCLUSIVE="warn") == expected


@pytest.mark.parametrize(("code", "expected"), [(0, 0), (1, 0), (3, 0), (2, 2), (130, 130)])
def test_measuring_succeeds_with_any_answer(
    github: Any, gitlab: Any, tmp_path: Path, code: int, expected: int
):
    measure = step(github, "Measure")["run"]
    assert run(measure, tmp_path / "github", "target/scripts/gate", code) == expected
    lines = gitlab["transfers-measure"]["script"]
    decision = "\n".join(lines[lines.index("code=0") :])
    assert run(decision, tmp_path / "gitlab", "target/scripts/gate", code) == expected


@pytest.mark.parametrize(("result", "expected"), [("success", 0), ("failure", 1), ("cancelled", 1)])
def test_the_verdict_is_not_skipped_where_measuring_failed(
    github: Any, tmp_path: Path, result: str, expected: int
):
    judge = github["jobs"]["judge"]
    assert judge["if"] == "always()"  # a required check that is skipped counts as passed
    first = judge["steps"][0]
    assert first["env"] == {"MEASURED": "${{ needs.measure.result }}"}
    assert run(first["run"], tmp_path, "unused", 0, MEASURED=result) == expected
