"""Tests `bench_transfers doctor` on this machine, whatever it is."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from typing import Any

import limits
import pytest
from calls import call
from program import (
    ALL_RAN,
    LIMIT_S,
    NOTHING_RAN,
    ROOT,
    SOMETHING_FAILED,
    Program,
    has_gpu,
)

PAGE = ROOT / "docs/DOCTOR.md"
EXIT_CODES = {"healthy": ALL_RAN, "findings": SOMETHING_FAILED, "not_known": NOTHING_RAN}
WITHOUT_FILES = 'mount -t tmpfs none /sys && mount -t tmpfs none /proc && exec "$0" "$@"'


def examine(program: Program, *arguments: str, **options: Any) -> tuple[int, dict[str, Any]]:
    """Runs it, and returns its exit code and its answer."""
    completed = program.run("doctor", "--json=-", *arguments, **options)
    document: dict[str, Any] = json.loads(completed.out)
    return completed.code, document


def codes(document: dict[str, Any], part: str) -> list[str]:
    return [entry["code"] for entry in document[part]]


def test_the_answer_is_complete_and_has_the_code_of_its_verdict(program: Program):
    code, document = examine(program)
    assert (document["kind"], document["format"]) == ("doctor", 1)
    assert code == EXIT_CODES[document["verdict"]]
    assert document["context"]["host_name"] == platform.node()
    documented = set(re.findall(r"^\| `(\w+)` \|", PAGE.read_text("utf-8"), re.MULTILINE))
    assert set(codes(document, "findings") + codes(document, "cannot_be_known")) <= documented
    for finding in document["findings"]:
        assert finding["severity"] in ("slows", "may_slow")
        assert finding["evidence"]
        assert finding["fix"]["command"]
        assert finding["cost"] is None or finding["cost"]["reference"]


def test_without_a_gpu_only_the_host_is_examined(program: Program):
    code, document = examine(program, "--device=host")
    assert code == NOTHING_RAN
    assert document["verdict"] == "not_known"
    assert document["gpus"] == []
    assert "no_gpu" in codes(document, "cannot_be_known")


def test_limits_of_the_process_are_those_of_its_launcher(program: Program):
    refused = limits.locked_memory(64 << 10)
    _, document = examine(program, "--device=host", preexec_fn=refused)
    (found,) = [entry for entry in document["findings"] if entry["code"] == "memlock_limit"]
    assert found["evidence"] == {"limit_bytes": 64 << 10}


def test_binding_to_one_cpu_is_found(program: Program):
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        pytest.skip("this machine has one CPU")
    _, document = examine(
        program, "--device=host", preexec_fn=lambda: os.sched_setaffinity(0, usable[:1])
    )
    (found,) = [entry for entry in document["findings"] if entry["code"] == "few_cpus"]
    assert found["evidence"]["usable_cpus"] == 1


def test_hidden_files_are_said_and_break_nothing(program: Program):
    if not shutil.which("unshare"):
        pytest.skip("there is no unshare")
    hidden = ["unshare", "--mount", "sh", "-c", WITHOUT_FILES]
    if subprocess.run([*hidden, "true"], capture_output=True, check=False).returncode != 0:
        pytest.skip("this user may not hide files")
    completed = call(
        [*hidden, *program.command("doctor", "--device=host", "--json=-")],
        timeout=LIMIT_S,
        expected=NOTHING_RAN,
    )
    document = json.loads(completed.stdout)
    assert codes(document, "cannot_be_known")[0] == "no_gpu"
    (hidden_files,) = [e for e in document["cannot_be_known"] if e["code"] == "files_hidden"]
    assert hidden_files["evidence"]["pci_devices"] is False
    assert hidden_files["evidence"]["process"] is False


def test_measuring_without_a_gpu_measures_nothing(program: Program):
    code, document = examine(program, "--device=host", "--measure")
    assert code == NOTHING_RAN
    assert document["measured"] == []


@pytest.mark.skipif(not has_gpu(), reason="there is no GPU")
def test_links_of_gpus_are_read_under_load_and_measured(program: Program):
    _, document = examine(program, "--measure")
    for gpu in document["gpus"]:
        assert gpu["read_under_load"] is True
        assert sum(link["bottleneck"] for link in gpu["links"]) == min(1, len(gpu["links"]))
    measured = [(copy["gpu"], copy["direction"]) for copy in document["measured"]]
    assert measured == [(gpu["id"], d) for gpu in document["gpus"] for d in ("h2d", "d2h")]
    assert all(copy["gb_per_s"] > 0 for copy in document["measured"])
