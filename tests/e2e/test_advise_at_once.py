"""Copies to several devices, as `bench_transfers advise` plans them by a map of the host."""

from __future__ import annotations

import json
from pathlib import Path

from program import ALL_RAN, NOTHING_RAN, ROOT, SOMETHING_FAILED, USAGE, Program, assert_complains

TWO_GPUS = ROOT / "results/nvidia-h200/2026-11-22-two-gpus/host_map.json"
KEPT = ROOT / "tests/fuzz/corpus/read_map"
MAP = f"--host-map={TWO_GPUS}"
ALL = "--devices=all"


def test_devices_are_named_as_for_the_map(program: Program):
    by_name = program.run("advise", MAP, "--devices=cuda:0,cuda:1", expected=ALL_RAN)
    for devices in ("cuda:0-1", "cuda:0,1"):
        assert program.run("advise", MAP, f"--devices={devices}").out == by_name.out


def test_a_map_without_rates_answers_nothing(program: Program):
    completed = program.run("advise", f"--host-map={KEPT}/no_rates.json", ALL)
    assert_complains(completed, NOTHING_RAN, "it has no rates of all")


def test_a_map_of_host_devices_needs_leave(program: Program, tmp_path: Path):
    emulated = json.loads(TWO_GPUS.read_text())
    emulated["context"]["without_gpu"] = True
    file = tmp_path / "host_map.json"
    file.write_text(json.dumps(emulated))
    refused = program.run("advise", f"--host-map={file}", ALL)
    assert_complains(refused, USAGE, "--allow-host")
    allowed = program.run("advise", f"--host-map={file}", ALL, "--allow-host", expected=ALL_RAN)
    assert all(line.startswith("(host, no GPU) ") for line in allowed.out.splitlines() if line)


def test_an_answer_that_cannot_be_written(program: Program):
    completed = program.run("advise", MAP, ALL, "--json=/dev/full")
    assert completed.code in (SOMETHING_FAILED, USAGE)
    assert len(completed.complaints) == 1


def test_the_map_of_a_host_is_not_replaced(program: Program, tmp_path: Path):
    file = tmp_path / "host_map.json"
    file.write_bytes(TWO_GPUS.read_bytes())
    refused = program.run("advise", f"--map={file}", "--from=result.json")
    assert_complains(refused, USAGE, "would replace the map of a host", f"--host-map={file}")
    assert file.read_bytes() == TWO_GPUS.read_bytes()
