"""The Kubernetes files against the API's schemas."""

from __future__ import annotations

import re
from typing import Any

import yaml  # type: ignore[import-untyped]
from node import INTEGRATIONS
from tools import run_tool

SWEEP = INTEGRATIONS / "kubernetes/sweep.yaml"


def documents() -> dict[str, Any]:
    found = list(yaml.safe_load_all(SWEEP.read_text("utf-8")))
    return {document["metadata"]["name"]: document for document in found}


def test_the_api_takes_the_files() -> None:
    # The oldest Kubernetes that is still looked after in 2026, and the newest schemas.
    for version in ((), ("--kubernetes-version=1.32",)):
        run_tool("kubernetes-validate", "--strict", *version, SWEEP, expected=0)


def test_the_numbers_of_the_sweep_agree() -> None:
    job = documents()["transfers-sweep"]["spec"]["jobTemplate"]["spec"]
    (container,) = job["template"]["spec"]["containers"]
    variables = {entry["name"]: entry.get("value") for entry in container["env"]}
    assert job["completionMode"] == "Indexed"
    assert "backoffLimit" not in job  # one node that fails would end them all
    assert str(job["completions"]) == str(job["parallelism"]) == variables["TRANSFERS_NODES"]
    assert str(container["resources"]["limits"]["nvidia.com/gpu"]) == variables["TRANSFERS_GPUS"]


def container_of(name: str) -> dict[str, Any]:
    spec = documents()[name]["spec"]["jobTemplate"]["spec"]["template"]["spec"]
    (container,) = spec["containers"]
    return container


def command_of(name: str, labels: dict[str, str]) -> list[str]:
    """As the kubelet fills it in for a pod with these labels."""
    container = container_of(name)
    values: dict[str, str] = {}

    def filled(text: str) -> str:
        return re.sub(r"\$\((\w+)\)", lambda match: values[match[1]], text)

    for entry in container.get("env", []):
        path = entry.get("valueFrom", {}).get("fieldRef", {}).get("fieldPath", "")
        label = re.fullmatch(r"metadata\.labels\['(.*)'\]", path)
        values[entry["name"]] = labels[label[1]] if label else filled(entry.get("value", ""))
    return [filled(word) for word in (*container["command"], *container["args"])]


def test_each_sweep_has_a_folder_of_its_own() -> None:
    folders = set()
    for job, uid in (("transfers-sweep-293", "1b"), ("sweep-now", "2c"), ("sweep-now", "3d")):
        labels = {"batch.kubernetes.io/job-name": job, "batch.kubernetes.io/controller-uid": uid}
        _, folder, *_ = command_of("transfers-sweep", labels)
        assert folder == f"/sweeps/{job}-{uid}/runs"
        folders.add(folder)
    assert len(folders) == 3
    # Nothing else names the sweep: not the day, which may end while pods start.
    assert "sh" not in container_of("transfers-sweep")["command"]


def test_the_judge_reads_what_the_sweep_writes() -> None:
    assert command_of("transfers-judge", {})[1:] == ["--newest", "/sweeps"]
    for name, script in (("transfers-sweep", "node_sweep"), ("transfers-judge", "judge_sweep")):
        container = container_of(name)
        assert container["command"] == [f"/opt/transfers/integrations/{script}"]
        assert (INTEGRATIONS / script).exists()
        assert {"name": "sweeps", "mountPath": "/sweeps"} in container["volumeMounts"]


def test_the_docs_wait_for_failed_sweeps_too() -> None:
    for path in (INTEGRATIONS.parent / "docs/SITE.md", SWEEP):
        text = path.read_text("utf-8")
        (waits,) = re.findall(r"for end in (.*); do kubectl wait --for=condition=\$end ", text)
        assert waits.split() == ["complete", "failed"]
        assert text.count("kubectl wait") == 1


def test_the_docs_name_jobs_and_files_that_exist() -> None:
    text = (INTEGRATIONS.parent / "docs/SITE.md").read_text("utf-8")
    jobs = set(re.findall(r"cronjob/([\w-]+)", text + SWEEP.read_text("utf-8")))
    assert jobs == {"transfers-sweep", "transfers-judge"} <= documents().keys()
    for path in re.findall(r"(?<!tests/)\bintegrations/([\w./-]+[\w])", text):
        assert (INTEGRATIONS / path).exists(), path
