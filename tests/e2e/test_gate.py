"""The verdicts of `gate_transfers`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from gate_checks import (
    BAD_INPUT,
    ENVIRONMENT,
    INCONCLUSIVE,
    PASS,
    REGRESSION,
    Gate,
    table,
)
from gate_files import (
    BANDWIDTH,
    LATENCY,
    PINNED_UPLOAD,
    REGISTERED_DOWNLOAD,
    SUITE,
    Lab,
    changed,
    failed_rows,
    pin,
)
from program import Program

#: By key: the path in a file, and two values.
FACTS_OF_RUNS: dict[str, tuple[str, Any, Any]] = {
    "link.generation": ("link.generation", 4, 5),
    "link.width": ("link.width", 8, 16),
    "device.name": ("device.name", "One GPU", "Another GPU"),
    "device.compute_capability": ("device.compute_capability", "8.0", "9.0"),
    "device.driver_version": ("device.driver_version", "580.1", "590.1"),
    "device.driver_cuda_version": ("device.driver_cuda_version", "12.0", "13.0"),
    "device.runtime_cuda_version": ("device.runtime_cuda_version", "12.0", "13.0"),
    "device.confidential_computing": ("device.confidential_computing", False, True),
    "cpu.model": ("machine.cpu.model", "One CPU", "Another CPU"),
    "cpu.numa_nodes": ("machine.cpu.numa_nodes", 1, 2),
    "cpu.cpus_allowed": ("machine.cpu.cpus_allowed", 8, 16),
    "cpu.governor": ("machine.cpu.governor", "powersave", "performance"),
    "memory.total_gib": ("machine.memory.total_bytes", 64 * 2**30, 128 * 2**30),
    "memory.transparent_hugepage_enabled": (
        "machine.memory.transparent_hugepage_enabled",
        "always",
        "madvise",
    ),
    "memory.transparent_hugepage_defrag": (
        "machine.memory.transparent_hugepage_defrag",
        "always",
        "madvise",
    ),
    "process.numa_policy_nodes_allowed": (
        "machine.process",
        {"numa_policy_nodes_allowed": "0"},
        {"numa_policy_nodes_allowed": "0-1"},
    ),
    "virtualisation.hypervisor": (
        "machine.virtualisation",
        {"hypervisor": "KVM"},
        {"hypervisor": "Xen"},
    ),
    "iommu.enabled": ("machine.iommu", {"enabled": True}, {"enabled": False}),
    "kernel.release": ("machine.kernel.release", "6.1", "6.2"),
    "program.build_type": ("program.build_type", "Release", "Debug"),
    "program.cuda_toolkit": ("program.cuda_toolkit", "12.4.131", "13.0.88"),
    "settings.min_time_ms": ("run.min_time_ms", 3, 6),
    "settings.rounds": ("run.rounds", 2, 3),
    "settings.random_order": ("run.random_order", True, False),
}


def test_nothing_has_changed(checks: Gate, lab: Lab):
    answer = checks.check(*lab.runs(3, day=9), expected=PASS)
    assert sorted(answer.names("unchanged")) == sorted(SUITE)
    assert len(answer.verdicts) == len(SUITE)
    assert answer.document["reasons"] == []
    classes = answer.document["classes"]
    assert answer.document["sentence"] == "PASS: " + "; ".join(
        f"{part['class']}: all {count} benchmarks tested at {100 * part['threshold']:g} % "
        f"with a confidence of 95 % each, "
        f"none slower by more than {100 * part['bound']:.2f} % "
        f"(all by the mean at {100 * part['mean_threshold']:g} %, too, "
        f"none slower by more than {100 * part['bound_by_mean']:.2f} %)"
        for part, count in zip(classes, (len(BANDWIDTH), len(LATENCY)), strict=True)
    )
    for part in classes:
        tested = [b for b in answer.document["benchmarks"] if b["class"] == part["class"]]
        assert part["bound"] == max(entry["at_most_95"] for entry in tested)
        assert 0 < part["bound"] <= part["threshold"]
    assert [part["class"] for part in answer.document["classes"]] == ["link", "latency"]


def test_a_slowdown(checks: Gate, lab: Lab):
    answer = checks.check(
        *lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1, REGISTERED_DOWNLOAD: 1.04}),
        expected=REGRESSION,
    )
    assert answer.names("slower") == [PINNED_UPLOAD, REGISTERED_DOWNLOAD]
    worst, less = answer.document["benchmarks"][:2]
    assert worst["slowdown"] == pytest.approx(0.1, abs=0.005)
    assert less["slowdown"] == pytest.approx(0.04, abs=0.005)
    assert worst["before"] == pytest.approx(SUITE[PINNED_UPLOAD], rel=0.005)
    assert worst["after"] == pytest.approx(1.1 * SUITE[PINNED_UPLOAD], rel=0.005)
    worst_of_link = f"link: 2 of {len(BANDWIDTH)} benchmarks slower, the worst {PINNED_UPLOAD} by "
    assert worst_of_link in answer.text
    failures = answer.junit.findall(".//testcase[failure]")
    assert [failure.attrib["name"] for failure in failures] == [PINNED_UPLOAD, REGISTERED_DOWNLOAD]
    visible = answer.markdown.partition("<details>")[0]
    assert f"<code>{PINNED_UPLOAD}</code>" in visible
    assert f"<code>{REGISTERED_DOWNLOAD}</code>" in visible


def test_latency_has_a_threshold_of_its_own(checks: Gate, lab: Lab):
    name = "copy/pinned/h2d/4B"
    runs = lab.runs(3, day=9, slowed={name: 1.04})
    checks.check(*runs, expected=PASS)
    checks.check(*runs, "--latency-threshold=1%", expected=REGRESSION)


def test_the_threshold_decides(checks: Gate, lab: Lab):
    runs = lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.04})
    checks.check(*runs, "--threshold=10 %", expected=PASS)
    checks.check(*runs, "--threshold=3%", expected=REGRESSION)


def test_improvements_and_new_benchmarks_never_fail(checks: Gate, tmp_path: Path):
    lab = Lab(tmp_path, SUITE | {"copy/newest/h2d/1MiB": 5e4}, seed=3)
    answer = checks.check(*lab.runs(3, day=9, slowed={PINNED_UPLOAD: 0.9}), expected=PASS)
    assert answer.names("faster") == [PINNED_UPLOAD]
    assert answer.names("new") == ["copy/newest/h2d/1MiB"]
    assert "FASTER" in answer.text
    assert "NEW\ncopy/newest/h2d/1MiB" in answer.text


def test_missing_benchmarks_can_be_allowed(checks: Gate, lab: Lab):
    runs = lab.runs(3, day=9, without=[PINNED_UPLOAD])
    answer = checks.check(*runs, "--allow-missing=pinned/h2d/64", expected=PASS)
    assert f"{PINNED_UPLOAD}  not measured, allowed" in answer.text
    assert answer.junit.find(f".//testcase[@name='{PINNED_UPLOAD}']/skipped") is not None
    checks.check(*runs, "--allow-missing=pinned/d2h/64", expected=INCONCLUSIVE)


def test_nothing_is_no_pass_even_if_everything_may_be_missing(checks: Gate, lab: Lab):
    runs = lab.runs(3, day=9)
    answer = checks.check(*runs[:2], "--allow-missing=.*", expected=INCONCLUSIVE)
    assert [reason["code"] for reason in answer.document["reasons"]] == [
        "too_few_runs",
        "nothing_compared",
    ]


def test_what_may_be_missing_is_not_needed(checks: Gate, lab: Lab):
    """A class that decides passes only if something of it is tested."""
    runs = lab.runs(3, day=9, without=LATENCY)
    answer = checks.check(*runs, f"--allow-missing=^({'|'.join(LATENCY)})$", expected=INCONCLUSIVE)
    link, latency = answer.document["classes"]
    assert (link["of_baseline"], link["tested"]) == (len(BANDWIDTH), len(BANDWIDTH))
    assert (latency["of_baseline"], latency["compared"]) == (0, 0)
    assert [reason["code"] for reason in answer.document["reasons"]] == ["too_few_can_show"]


def test_a_failed_benchmark_is_not_fast(checks: Gate, lab: Lab, tmp_path: Path):
    def fail(document: dict[str, Any]) -> None:
        rows = [row for row in document["benchmarks"] if row["name"] != PINNED_UPLOAD]
        document["benchmarks"] = rows + failed_rows(PINNED_UPLOAD)

    first, *remaining = lab.runs(3, day=9)
    runs = [changed(first, tmp_path / "failed.json", fail), *remaining]
    answer = checks.check(*runs, expected=INCONCLUSIVE)
    assert f"{PINNED_UPLOAD}  failed in 1 of 3 runs" in answer.text


@pytest.mark.parametrize(
    ("facts", "key"),
    [
        ({"device.driver_version": "590.9"}, "device.driver_version"),
        ({"link.width": 8}, "link.width"),
        ({"link.generation": None}, "link.generation"),
        ({"machine.cpu": {"model": "Another CPU"}}, "cpu.model"),
    ],
)
def test_another_machine(checks: Gate, lab: Lab, facts: Mapping[str, Any], key: str):
    runs = lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1}, facts=facts)
    answer = checks.check(*runs, expected=INCONCLUSIVE)
    assert [fact["key"] for fact in answer.document["changed"]] == [key]
    # It explains the results, so it comes first.
    for text in (answer.completed.out, answer.markdown):
        assert text.index(key) < text.index(PINNED_UPLOAD)
    answer = checks.check(*runs, f"--allow-different={key},cpu.model", expected=REGRESSION)
    assert answer.document["changed"][0]["allowed"] is True


@pytest.mark.parametrize("key", [*FACTS_OF_RUNS])
def test_any_fact_may_be_allowed_to_differ(gate: Program, lab: Lab, key: str):
    """Also if the baseline lacks it, because its runs differ."""
    path, value, other_value = FACTS_OF_RUNS[key]
    old = [*lab.runs(2, facts={path: value}), *lab.runs(2, day=1, facts={path: other_value})]
    baseline = lab.folder / "baseline"
    gate.run("pin", *old, f"--out={baseline}", expected=BAD_INPUT)
    gate.run("pin", *old, f"--allow-different={key}", f"--out={baseline}", expected=PASS)
    new = lab.runs(3, day=9, facts={path: value})
    completed = gate.run("check", baseline, *new, f"--allow-different={key}")
    assert completed.code != BAD_INPUT, completed


def test_too_few_runs(checks: Gate, lab: Lab):
    for count in (1, 2):
        answer = checks.check(*lab.runs(count, day=8 + count), expected=INCONCLUSIVE)
        (reason,) = answer.document["reasons"]
        assert reason["code"] == "too_few_runs"
        assert reason["data"] == {"runs": count, "needed": 3}
        assert answer.document["more_runs_may_tell"] is True


@pytest.mark.parametrize("factor", [1.08, 0.9])
def test_the_environment_changed(checks: Gate, lab: Lab, factor: float):
    code = ENVIRONMENT if factor > 1 else INCONCLUSIVE
    answer = checks.check(*lab.runs(3, day=9, slowed=factor), expected=code)
    assert answer.document["verdict"] == ("ENVIRONMENT_SLOWER" if factor > 1 else "INCONCLUSIVE")
    moved = [each for each in answer.document["reasons"] if each["code"] == "environment_changed"]
    assert [reason["data"]["class"] for reason in moved] == ["link", "latency"]
    for reason, benchmarks in zip(moved, (BANDWIDTH, LATENCY), strict=True):
        assert reason["data"]["benchmarks"] == len(benchmarks)
        assert reason["data"]["slowdown"] == pytest.approx(factor - 1, abs=0.01)
    assert answer.document["more_runs_may_tell"] is False


def test_too_noisy(checks: Gate, gate: Program, tmp_path: Path):
    lab = Lab(tmp_path, process_deviation=0.05, seed=4)
    baseline = pin(gate, lab.sessions(3, 4), "--allow-noisy")
    answer = checks.check(*lab.runs(3, day=9), baseline=baseline, expected=INCONCLUSIVE)
    assert f"{len(SUITE)} of {len(SUITE)} are advisory (*)" in answer.text


def test_benchmarks_that_cannot_show_the_threshold_do_not_pass(
    checks: Gate, gate: Program, tmp_path: Path
):
    """Processes differ so much that few benchmarks of the link can show it."""
    lab = Lab(tmp_path, process_deviation=0.01, seed=2)
    baseline = pin(gate, lab.sessions(3, 4), "--allow-noisy")
    answer = checks.check(*lab.runs(3, day=9), baseline=baseline, expected=INCONCLUSIVE)
    cause = next(r for r in answer.document["reasons"] if r["data"]["class"] == "link")
    assert cause["code"] == "too_few_can_show"
    assert cause["data"]["can_show"] < len(BANDWIDTH) / 2
    assert cause["data"]["of"] == cause["data"]["compared"] == len(BANDWIDTH)
    assert answer.document["more_runs_may_tell"] is True


def test_judged_by_another_field(checks: Gate, gate: Program, lab: Lab, tmp_path: Path):
    baseline = tmp_path / "rates"
    gate.run("pin", *lab.sessions(3, 4), "--judge-by=gb_per_s", f"--out={baseline}")
    runs = lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.0})
    checks.check(*runs, baseline=baseline, expected=PASS)

    def slow(document: dict[str, Any]) -> None:
        for row in document["benchmarks"]:
            if row["name"] == PINNED_UPLOAD:
                row["gb_per_s"] /= 1.1

    slowed = [changed(run, run.with_suffix(".slow"), slow) for run in lab.runs(3, day=9)]
    answer = checks.check(*slowed, baseline=baseline, expected=REGRESSION)
    (name,) = answer.names("slower")
    assert name == PINNED_UPLOAD
    assert "MB/s" in table(answer.completed.out)[PINNED_UPLOAD]
    assert "+" in table(answer.completed.out)[PINNED_UPLOAD]


def test_units_may_differ(checks: Gate, lab: Lab, tmp_path: Path):
    def in_ms(document: dict[str, Any]) -> None:
        for row in document["benchmarks"]:
            row["real_time"] /= 1e3
            row["time_unit"] = "ms"

    first, *remaining = lab.runs(3, day=9)
    checks.check(changed(first, tmp_path / "ms.json", in_ms), *remaining, expected=PASS)


def test_files_of_another_program(checks: Gate, gate: Program, tmp_path: Path):
    lab = Lab(tmp_path, foreign=True, seed=5)
    baseline = pin(gate, lab.sessions(3, 4))
    answer = checks.check(*lab.runs(3, day=9), baseline=baseline, expected=PASS)
    assert "do not describe their machine" in answer.text
    answer = checks.check(
        *lab.runs(3, day=9, slowed={PINNED_UPLOAD: 1.1}), baseline=baseline, expected=REGRESSION
    )
    assert answer.names("slower") == [PINNED_UPLOAD]


def test_a_result_without_a_gpu_says_so_everywhere(checks: Gate, gate: Program, lab: Lab):
    host = {"device.kind": "host", "device.name": "host"}
    baseline = lab.folder / "host"
    completed = gate.run("pin", *lab.sessions(3, 4, facts=host), f"--out={baseline}")
    assert "host device (no GPU)" in completed.out
    runs = lab.runs(3, day=9, facts=host)
    answer = checks.check(*runs, baseline=baseline, expected=PASS)
    assert answer.document["on_host"] is True
    assert answer.document["sentence"].startswith("PASS on the host device (no GPU)")
    assert "(host device, no GPU)" in answer.markdown.splitlines()[0]
    assert "(no GPU)" in answer.junit[0].attrib["name"]
    assert "host device (no GPU)" in gate.run("power", baseline).out
    assert "host device (no GPU)" in " ".join(gate.run("show", *runs).out.split())


def test_more_runs_may_tell(checks: Gate, lab: Lab):
    """One of three processes does not show the slowdown of the others."""
    runs = [*lab.runs(2, day=9, slowed={PINNED_UPLOAD: 1.1}), *lab.runs(1, day=9)]
    answer = checks.check(*runs, expected=INCONCLUSIVE)
    assert answer.names("ambiguous") == [PINNED_UPLOAD]
    assert answer.document["more_runs_may_tell"] is True
    assert answer.junit.find(f".//testcase[@name='{PINNED_UPLOAD}']/error") is not None


def test_pin_keeps_what_differs_out_of_the_fingerprint(checks: Gate, gate: Program, lab: Lab):
    older = lab.sessions(1, 5, facts={"device.driver_version": "570.1"})
    newer = lab.runs(5, day=2)
    out = lab.folder / "both"
    key = "device.driver_version"
    gate.run("pin", *older, *newer, f"--allow-different={key}", f"--out={out}", expected=0)
    assert key not in json.loads(out.read_text("utf-8"))["machine"]
    checks.check(*lab.runs(3, day=9), baseline=out, expected=PASS)
