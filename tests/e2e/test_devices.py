"""Tests runs of several devices, which are emulated."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from gate_files import pin
from program import (
    SOMETHING_FAILED,
    TINY_NAMES,
    USAGE,
    Program,
    Result,
    as_undisturbed,
    assert_complains,
)

TWO = "--device=host:0@a=4GB/s,1@a"
IDS = ("host:0", "host:1")
NAMES = {f"{name}@{device}" for name in TINY_NAMES for device in IDS}


@pytest.fixture(scope="module")
def result(program: Program) -> Result:
    return program.measure_and_read(TWO)


def test_every_strategy_runs_on_each_device(result: Result):
    assert result.names() == NAMES
    assert all(len(rows) == 2 for rows in result.by_name().values())
    assert [device["id"] for device in result.transfers["devices"]] == list(IDS)
    for name, benchmark in result.transfers["benchmarks"].items():
        (index,) = benchmark["devices"]
        assert name.endswith(f"@{IDS[index]}")
        assert "@" not in benchmark["strategy"]
    assert result.transfers["complete"] is True


def test_a_lost_device_costs_only_its_own_benchmarks(program: Program):
    lost = f"{TINY_NAMES[0]}@host:1"
    result = program.measure_and_read(TWO, f"--inject=lose@{lost}", expected=SOMETHING_FAILED)
    failed = result.failed
    assert failed.keys() == {name for name in NAMES if name.endswith("@host:1")}
    assert failed.pop(lost) == "injected failure"
    for message in failed.values():
        assert message.startswith(f"not run: the device host:1 was lost in {lost}")
    # A busy machine may lose the device only in the first round, and keeps what it had by then.
    counts = Counter(row["name"] for row in result.measured)
    assert all(counts[name] == 2 for name in NAMES if name.endswith("@host:0"))
    assert all(counts[name] <= 1 for name in NAMES if name.endswith("@host:1"))
    assert counts[lost] == 0
    assert result.transfers["complete"] is False


@pytest.mark.parametrize(("device", "parts"), [("", ["host:0"]), ("host:1", ["host:1"])])
def test_advise_answers_for_one_device(
    program: Program, result: Result, device: str, parts: list[str]
):
    chosen = [f"--of-device={device}"] if device else []
    question = ("--bytes=64KiB", "--direction=h2d", "--allow-host")
    answer = program.run("advise", f"--from={result.path}", *question, *chosen, expected=0)
    for part in parts:
        assert f"{part} host (emulated" in answer.out
    assert "@host" not in answer.out


def test_advise_knows_the_devices_of_a_file(program: Program, result: Result):
    question = ("--bytes=64KiB", "--direction=h2d", "--allow-host", "--of-device=host:7")
    completed = program.run("advise", f"--from={result.path}", *question)
    assert_complains(completed, USAGE, "no device host:7", "host:0, host:1")


def test_the_gate_compares_the_same_devices(program: Program, gate: Program, tmp_path: Path):
    def runs(name: str, device: str) -> list[Path]:
        files = [tmp_path / f"{name}{i}.json" for i in range(3)]
        for file in files:
            program.measure(f"--device={device}", f"--out={file}", "--benchmark_repetitions=1")
        return [*map(as_undisturbed, files)]

    baseline = pin(gate, runs("a", "host:0-1"))
    completed = gate.run("check", str(baseline), *runs("b", "host:0,2"), expected=3)
    assert "devices" in completed.out
