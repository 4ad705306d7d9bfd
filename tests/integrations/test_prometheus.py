"""Prometheus: what fleet_transfers writes, and the alerts on it, checked by promtool."""

from __future__ import annotations

import pathlib
import re
import shutil
import subprocess

import pytest
import yaml  # type: ignore[import-untyped]
from calls import call
from node import INTEGRATIONS, ROOT, programs_of_a_site
from tools import run_tool

RULES = INTEGRATIONS / "prometheus/transfers.rules.yml"
RECORDED = ROOT / "results/nvidia-h200/2026-11-21-gate"


@pytest.fixture(scope="module")
def metrics(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Of three recorded machines, of which one was slowed."""
    folder = tmp_path_factory.mktemp("metrics")
    programs = programs_of_a_site(folder / "programs", pytestconfig.getoption("binary"))
    for node in ("slowed", "second", "third"):
        (folder / "runs" / node).mkdir(parents=True)
        shutil.copy(RECORDED / f"{node}-1.json.gz", folder / "runs" / node)
    program = programs / "fleet_transfers"
    sweep = folder / "sweep.json"
    subprocess.run(
        [program, "collect", folder / "runs", f"--out={sweep}"], capture_output=True, check=True
    )
    judged = call([program, "judge", sweep, "--openmetrics=-"])
    assert judged.returncode in (0, 1, 3), judged
    return judged.stdout


def test_promtool_reads_the_metrics(metrics: str) -> None:
    completed = run_tool("promtool", "check", "metrics", text=metrics, expected=0)
    assert completed.stderr == ""


@pytest.mark.parametrize("recorded", ["nvidia-h200", "host"])
def test_promtool_reads_the_values_of_a_run(pytestconfig: pytest.Config, recorded: str) -> None:
    """What `bench_transfers export` writes for the textfile collector."""
    run = ROOT / f"results/{recorded}/2026-11-21-report/result.json.gz"
    exported = call(
        [pytestconfig.getoption("binary"), "export", run, "--format=openmetrics"], expected=0
    )
    completed = run_tool("promtool", "check", "metrics", text=exported.stdout, expected=0)
    assert completed.stderr == ""


def test_promtool_backfills_a_recorded_run(
    pytestconfig: pytest.Config, tmp_path: pathlib.Path
) -> None:
    """What `export` writes with timestamps, as docs/EXPORTS.md says."""
    run = ROOT / "results/nvidia-h200/2026-11-21-report/result.json.gz"
    exported = tmp_path / "run.om"
    exporting = ("export", run, "--format=openmetrics-timestamps", f"--out={exported}")
    subprocess.run([pytestconfig.getoption("binary"), *exporting], check=True)
    samples = sum(line[0] != "#" for line in exported.read_text("utf-8").splitlines())
    run_tool(
        *("promtool", "tsdb", "create-blocks-from", "openmetrics", "run.om", "data"),
        cwd=tmp_path,
        expected=0,
    )
    listed = run_tool("promtool", "tsdb", "list", "data", cwd=tmp_path)
    assert [line.split()[4] for line in listed.stdout.splitlines()[1:]] == [str(samples)], listed


def test_the_alerts_use_metrics_and_labels_that_there_are(metrics: str) -> None:
    groups = yaml.safe_load(RULES.read_text("utf-8"))["groups"]
    rules = [rule for group in groups for rule in group["rules"]]
    used = {name for rule in rules for name in re.findall(r"transfers_\w+", rule["expr"])}
    assert used <= set(re.findall(r"^# TYPE (\w+) ", metrics, re.MULTILINE))
    (named, *_) = re.findall(r"^transfers_fleet_finding\{(.*)\} 1$", metrics, re.MULTILINE)
    labels = set(re.findall(r'(\w+)="', named)) | {"rank"}
    summaries = " ".join(rule["annotations"]["summary"] for rule in rules)
    assert set(re.findall(r"\$labels\.(\w+)", summaries)) <= labels


def test_the_alerts_fire_as_their_tests_say() -> None:
    for command in (("check", "rules", RULES), ("test", "rules", "transfers.rules_test.yml")):
        run_tool("promtool", *command, cwd=RULES.parent, expected=0)
