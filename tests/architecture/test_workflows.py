"""The project's own CI: what runs there, with which permissions, and from where it comes."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml
from rooms import ROOT

WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
EXAMPLES = sorted((ROOT / "docs/ci").glob("*github-actions.yml"))


@pytest.fixture(params=[*WORKFLOWS, *EXAMPLES], ids=lambda path: str(path.stem))
def any_text(request: pytest.FixtureRequest) -> str:
    """The project's own, and the examples for others."""
    return str(request.param.read_text("utf-8"))


@pytest.fixture(params=WORKFLOWS, ids=lambda path: str(path.stem))
def text(request: pytest.FixtureRequest) -> str:
    return str(request.param.read_text("utf-8"))


def jobs(text: str) -> list[dict[str, Any]]:
    return list(yaml.safe_load(text)["jobs"].values())


def steps(text: str) -> list[dict[str, Any]]:
    return [step for job in jobs(text) for step in job["steps"]]


def test_actions_are_pinned_by_commit(any_text: str):
    actions = [step["uses"] for step in steps(any_text) if "uses" in step]
    assert actions
    # Beside each stands which version that is.
    pinned = re.findall(r"uses: ([\w-]+/[\w-]+@[0-9a-f]{40})  # v[\d.]+\n", any_text)
    assert set(actions) == set(pinned)


def test_one_image_is_everywhere_and_pinned_by_digest():
    texts = [path.read_text("utf-8") for path in WORKFLOWS]
    containers = [job["container"] for text in texts for job in jobs(text) if "container" in job]
    images = {one["image"] if isinstance(one, dict) else one for one in containers}
    for folder in ("packaging/container", "integrations/kubernetes"):
        text = (ROOT / folder / "Dockerfile").read_text("utf-8")
        images |= set(re.findall(r"^FROM (.*)$", text, re.MULTILINE))
        assert "apt-get upgrade" in text  # who uses the image gets no later repairs
    (image,) = images
    assert re.search(r"@sha256:[0-9a-f]{64}$", image)


def test_each_job_has_the_least_permissions(text: str):
    assert yaml.safe_load(text)["permissions"] == {}
    writing = {
        name
        for name, job in yaml.safe_load(text)["jobs"].items()
        if job["permissions"] not in ({}, {"contents": "read"})
    }
    assert writing <= {"publish"}
    with_token = {
        name for name, job in yaml.safe_load(text)["jobs"].items() if "github.token" in str(job)
    }
    assert with_token == writing


def test_no_checkout_leaves_its_token(any_text: str):
    checkouts = [step for step in steps(any_text) if "/checkout@" in step.get("uses", "")]
    assert checkouts
    assert all(step["with"]["persist-credentials"] is False for step in checkouts)


def test_no_shell_line_contains_an_expression(any_text: str):
    lines = [step["run"] for step in steps(any_text) if "run" in step]
    assert lines
    assert [line for line in lines if "${{" in line] == []


def test_the_scripts_that_run_are_there(text: str):
    called = {
        script
        for step in steps(text)
        for script in re.findall(r"(?<![\w/.-])scripts/[\w.]+", step.get("run", ""))
    }
    assert called
    assert [script for script in called if not (ROOT / script).is_file()] == []


def test_what_ci_runs_runs_there_too():
    ours = (ROOT / ".ci/run").read_text("utf-8")
    (workflow,) = (path for path in WORKFLOWS if path.stem == "ci")
    theirs = workflow.read_text("utf-8")
    settings = re.findall(r"(TRANSFERS_\w+)=(\S+)", ours)
    assert settings
    assert [pair for pair in settings if ": ".join(pair) not in theirs] == []
    commands = re.findall(r"(?:^|exec )(scripts/.*)$", ours, re.MULTILINE)
    assert commands
    assert [command for command in commands if command not in theirs] == []


def test_what_ci_has_no_time_for_runs_every_night():
    (workflow,) = (path for path in WORKFLOWS if path.stem == "nightly")
    text = workflow.read_text("utf-8")
    assert yaml.safe_load(text)[True]["schedule"]  # YAML 1.1 takes `on` for a truth value
    commands = "\n".join(step.get("run", "") for step in steps(text))
    assert "scripts/test --nightly" in commands
    # CUDA 12 is tried there, and packages are, as those of a release.
    assert "build cuda12\n" in (ROOT / "scripts/test").read_text("utf-8")
    kinds = re.findall(r"^scripts/package (\w+)", commands, re.MULTILINE)
    (release,) = (path for path in WORKFLOWS if path.stem == "release")
    made = re.findall(r"run: scripts/package (\w+)", release.read_text("utf-8"))
    assert kinds == made
    assert "scripts/test --packages" in commands
    assert "run: scripts/test --packages\n" in release.read_text("utf-8")
