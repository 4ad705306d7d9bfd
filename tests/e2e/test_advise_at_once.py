"""Copies to several devices, as `bench_transfers advise` plans them by a map of the host."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from program import ALL_RAN, NOTHING_RAN, SOMETHING_FAILED, USAGE, Program, assert_complains

ROOT = Path(__file__).resolve().parents[2]
TWO_GPUS = ROOT / "results/nvidia-h200/2026-11-22-two-gpus/host_map.json"
KEPT = ROOT / "tests/fuzz/corpus/read_map"
MAP = f"--host-map={TWO_GPUS}"
ALL = "--devices=all"

BAD_ARGUMENTS: dict[tuple[str, ...], list[str]] = {
    (MAP,): ["--host-map needs --devices"],
    (ALL,): ["--devices needs --host-map"],
    (MAP, "--devices=cuda:2"): ["the map has no 'cuda:2', but cuda:0, cuda:1"],
    (MAP, "--devices=cuda:0,cuda:0"): ["cuda:0 is named twice"],
    (MAP, "--devices=cuda:0,"): ["bad --devices 'cuda:0,': all, or devices of the map"],
    (MAP, "--devices=auto"): ["bad --devices 'auto': all, or devices of the map"],
    (MAP, "--devices=cuda:0-2"): ["the map has no 'cuda:2', but cuda:0, cuda:1"],
    (MAP, "--devices=cuda:0,0-1"): ["cuda:0 is named twice"],
    (MAP, ALL, "--direction=up"): ["bad --direction 'up': h2d, d2h or both"],
    (MAP, ALL, "--bytes=0"): ["bad size '0'"],
    (MAP, ALL, "--reuse=2"): ["--reuse has no effect with --host-map"],
    (MAP, ALL, "--map=map.json"): ["--map has no effect with --host-map"],
    (MAP, ALL, f"--json={TWO_GPUS}"): ["is an input: it would be overwritten"],
    ("--host-map=no.json", ALL): ["cannot use no.json"],
    (f"--host-map={KEPT}/truncated.json", ALL): ["it is cut off"],
    (f"--host-map={KEPT}/newer.json", ALL): ["format is 2: this program reads maps up to format 1"],
    (f"--host-map={KEPT}/crossed_links.json", ALL): ["links[1] crosses links[0]"],
}


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=range(len(BAD_ARGUMENTS)))
def test_bad_arguments(program: Program, arguments: tuple[str, ...]):
    completed = program.run("advise", *arguments)
    assert_complains(completed, USAGE, *BAD_ARGUMENTS[arguments])


def test_two_gpus_may_copy_at_once_in_one_direction_but_not_in_both(
    program: Program, tmp_path: Path
):
    answer = tmp_path / "answer.json"
    completed = program.run("advise", MAP, ALL, f"--json={answer}")
    assert (completed.code, completed.err) == (ALL_RAN, "")
    document = json.loads(answer.read_text())
    assert (document["format"], document["kind"]) == (1, "at_once")
    groups = {each["direction"]: len(each["groups"]) for each in document["answers"]}
    assert groups == {"h2d": 1, "d2h": 1, "both": 2}
    for each in document["answers"]:
        assert each["all"]["source"] == "measured"
        assert "poor_prediction" in [doubt["code"] for doubt in each["doubts"]]


def test_devices_are_named_as_for_the_map(program: Program):
    by_name = program.run("advise", MAP, "--devices=cuda:0,cuda:1")
    assert by_name.code == ALL_RAN
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
    allowed = program.run("advise", f"--host-map={file}", ALL, "--allow-host")
    assert allowed.code == ALL_RAN
    assert all(line.startswith("(host, no GPU) ") for line in allowed.out.splitlines() if line)


def test_an_answer_that_cannot_be_written(program: Program):
    completed = program.run("advise", MAP, ALL, "--json=/dev/full")
    assert completed.code in (SOMETHING_FAILED, USAGE)
    assert len(completed.complaints) == 1
