"""Fleets, made of the recorded runs of seven H200 machines, as docs/FLEET.md describes."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import xmlschema
from program import ROOT, Completed, Program

HEALTHY, NAMED, BAD_INPUT, UNKNOWN = 0, 1, 2, 3
RESULTS = ROOT / "results/nvidia-h200"
SCHEMA = ROOT / "tests/data/junit.xsd"
FOLDERS = {
    "first": "2026-11-21-gate",
    "second": "2026-11-21-gate",
    "third": "2026-11-21-gate",
    "fourth": "2026-11-22-gate",
    "fifth": "2026-11-22-gate",
    "sixth": "2026-11-22-gate",
    "seventh": "2026-11-22-gate",
}


def add(root: Path, node: str, runs: str | None = None) -> None:
    """Copies three runs of a recorded machine to the folder of a node."""
    (root / node).mkdir(parents=True)
    for number in (1, 2, 3):
        name = f"{runs or node}-{number}.json.gz"
        shutil.copy(RESULTS / FOLDERS[node] / name, root / node / name)


def judge(fleet: Program, root: Path, *options: str) -> tuple[Completed, dict[str, Any]]:
    sweep, answer = root.with_suffix(".json.gz"), root.with_suffix(".answer.json")
    # The machines were lent on two days.
    fleet.run("collect", root, f"--out={sweep}", "--within=48", expected=0)
    completed = fleet.run("judge", sweep, f"--json={answer}", *options)
    return completed, json.loads(answer.read_text("utf-8"))


def in_fleet(file: Path, **fleet: str | int) -> dict[str, Any]:
    """Returns a recorded result as one of a rank."""
    document: dict[str, Any] = json.loads(gzip.decompress(file.read_bytes()))
    context = document["context"]
    # Where `bench_transfers` has it: before what was measured.
    context["transfers"] = {"fleet": {"launcher": "made up", **fleet}, **context["transfers"]}
    return document


def ranks_of_a_sweep(root: Path, sweep: str, ranks: int = 4) -> None:
    """Writes the recorded machines as ranks of a sweep, one on each node."""
    for rank, node in enumerate(list(FOLDERS)[:ranks]):
        (root / node).mkdir(parents=True)
        recorded = RESULTS / FOLDERS[node] / f"{node}-1.json.gz"
        document = in_fleet(recorded, sweep=sweep, rank=rank, world_size=ranks, node=node)
        (root / node / "result.json").write_text(json.dumps(document))


def test_one_of_several_sweeps_is_chosen(fleet: Program, tmp_path: Path) -> None:
    for day in range(6):
        ranks_of_a_sweep(tmp_path / f"runs/{day}", f"day{day}", ranks=2)
    out = tmp_path / "sweep.json"
    completed = fleet.run(
        "collect", tmp_path / "runs", f"--out={out}", "--within=48", expected=BAD_INPUT
    )
    assert not out.exists()
    (line,) = (line for line in completed.complaints if "--sweep=ID" in line)
    assert "day0, day1, day2, day3, day4 and 1 more" in line
    completed = fleet.run(
        "collect", tmp_path / "runs", f"--out={out}", "--within=48", "--sweep=day4", expected=0
    )
    assert "0 problems; 10 files are of other sweeps" in completed.out
    assert json.loads(out.read_text("utf-8"))["sweep"] == "day4"
    fleet.run("collect", tmp_path / "runs", f"--out={out}", "--sweep=day9", expected=BAD_INPUT)


def test_inputs_are_not_overwritten(fleet: Program, tmp_path: Path) -> None:
    add(tmp_path / "runs", "first")
    result, sweep = tmp_path / "runs/first/first-1.json.gz", tmp_path / "runs/sweep.json.gz"
    before = result.read_bytes()
    fleet.run("collect", tmp_path / "runs", f"--out={result}", expected=BAD_INPUT)
    assert result.read_bytes() == before
    # The sweep of the last time is replaced, and is no result.
    for _ in range(2):
        fleet.run("collect", tmp_path / "runs", f"--out={sweep}", expected=0)
    before = sweep.read_bytes()
    fleet.run("judge", sweep, f"--json={tmp_path}/runs/../runs/sweep.json.gz", expected=BAD_INPUT)
    assert sweep.read_bytes() == before


def test_plain_runs_of_one_sweep_are_collected(
    program: Program, fleet: Program, tmp_path: Path
) -> None:
    """Without ranks: files say their sweep, and not how many there should be."""
    (tmp_path / "runs/node").mkdir(parents=True)
    for gpu in (0, 1):
        out = f"--out={tmp_path}/runs/node/{gpu}.json"
        sweep = {"TRANSFERS_SWEEP": "monday"}
        program.measure("--device=host", "--strategies=copy/pinned", out, env=sweep)
    completed = fleet.run("collect", "runs", "--out=sweep.json.gz", cwd=tmp_path, expected=0)
    assert "of 2 files in sweep.json.gz; 0 problems" in completed.out
    # One machine has no peers.
    judged = fleet.run(
        "judge", "sweep.json.gz", "--json=answer.json", cwd=tmp_path, expected=UNKNOWN
    )
    assert "sweep monday" in judged.out
    assert json.loads((tmp_path / "answer.json").read_text("utf-8"))["problems"] == []
    fleet.run("show", "sweep.json.gz", cwd=tmp_path, expected=0)


@pytest.fixture(scope="module")
def slowed(fleet: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sweep of the recorded machines, the first of them slowed."""
    root = tmp_path_factory.mktemp("fleet") / "sweep"
    for node in FOLDERS:
        add(root, node, "slowed" if node == "first" else None)
    sweep = root.with_suffix(".json")
    fleet.run("collect", root, f"--out={sweep}", "--within=48", expected=0)
    return sweep


def test_the_answer_has_a_form_for_everybody(fleet: Program, slowed: Path, tmp_path: Path) -> None:
    markdown, junit = tmp_path / "answer.md", tmp_path / "answer.xml"
    metrics = tmp_path / "answer.prom"
    completed = fleet.run(
        "judge",
        slowed,
        "--json=-",
        f"--markdown={markdown}",
        f"--junit={junit}",
        f"--openmetrics={metrics}",
        expected=NAMED,
    )
    (found,) = json.loads(completed.out)["findings"]
    assert found["advice"][0] == "sizes_and_kinds"
    document = ElementTree.parse(junit).getroot()
    xmlschema.XMLSchema(SCHEMA).validate(document)
    failed = [case for case in document.iter("testcase") if case.find("failure") is not None]
    assert [case.get("name") for case in failed] == ["first"]
    lines = metrics.read_text("utf-8").splitlines()
    assert any(line.startswith('transfers_fleet_finding{gpu="GPU-e8c0c07f') for line in lines)


def test_a_single_machine_is_compared_with_itself(fleet: Program, tmp_path: Path) -> None:
    sweeps = {}
    for name, numbers in {"before": (1, 2, 3), "after": (4, 5, 6), "slowed": (1, 2, 3)}.items():
        folder = tmp_path / name / "first"
        folder.mkdir(parents=True)
        machine = "slowed" if name == "slowed" else "first"
        for number in numbers:
            shutil.copy(RESULTS / FOLDERS["first"] / f"{machine}-{number}.json.gz", folder)
        sweeps[name] = tmp_path / f"{name}.json.gz"
        fleet.run("collect", tmp_path / name, f"--out={sweeps[name]}", expected=0)
    reference = f"--reference={sweeps['before']}"
    fleet.run("judge", sweeps["after"], reference, expected=HEALTHY)
    completed = fleet.run("judge", sweeps["slowed"], reference, expected=NAMED)
    assert "[slower_than_before]" in completed.out
    # An output must not replace what is read.
    fleet.run("judge", sweeps["after"], reference, f"--json={sweeps['before']}", expected=BAD_INPUT)


def small_sweep(file: Path, day: str | None, missing: tuple[str, ...] = ()) -> Path:
    """Writes a made-up sweep of five nodes, each of which has four GPUs."""
    benchmarks = [
        {
            "name": f"copy/pinned/{towards}/64MiB",
            "class": "link",
            "direction": towards,
            "together": False,
            "copied_bytes": None,
        }
        for towards in ("h2d", "d2h")
    ]
    names = [(node, f"GPU-{node}-{number}") for node in "abcde" for number in range(4)]
    gpus = [
        {
            "uuid": uuid,
            "slot": None,
            "model": "made-up GPU",
            "node": node,
            "rack": None,
            "rank": None,
            "link": dict.fromkeys(("generation", "width", "generation_max", "width_max")),
            "warnings": [],
            "wrong_data": [],
            "times_ns": [[[1e6 + 1e3 * (place % 3)] * 3] for _ in benchmarks],
        }
        for place, (node, uuid) in enumerate(names)
        if not uuid.startswith(missing or ("none",))
    ]
    document = {
        "kind": "fleet_sweep",
        "format": 1,
        "sweep": file.stem,
        "begin": day and f"{day}T03:00:00Z",
        "world_size": None,
        "other_ranks": [],
        "benchmarks": benchmarks,
        "gpus": gpus,
        "problems": [],
    }
    file.write_text(json.dumps(document))
    return file


def test_history_is_healthy_only_if_the_newest_sweep_is(fleet: Program, tmp_path: Path) -> None:
    small_sweep(tmp_path / "first.json", "2026-11-01")
    small_sweep(tmp_path / "second.json", "2026-11-02")
    completed = fleet.run("history", tmp_path, expected=HEALTHY)
    # What has no place in time is said, and hides nothing.
    for name, day, words in (("t", None, "does not tell when"), ("f", "2099-01-01", "future")):
        odd = small_sweep(tmp_path / f"{name}.json", day, missing=("GPU-a", "GPU-b"))
        completed = fleet.run("history", tmp_path, expected=UNKNOWN)
        assert words in completed.complaints[0]
        assert "2 sweeps of 20 GPUs" in completed.out
        odd.unlink()
    # Some nodes alone: nothing is known of the others.
    few = small_sweep(tmp_path / "few.json", "2026-11-03", missing=("GPU-a", "GPU-b"))
    completed = fleet.run("history", tmp_path, expected=HEALTHY)
    assert "8 GPUs are of nodes that were not swept since" in completed.out
    fleet.run("history", tmp_path, "--gpu=GPU-a-1", expected=UNKNOWN)
    fleet.run("history", tmp_path, "--gpu=GPU-c-1", expected=HEALTHY)
    few.unlink()
    small_sweep(tmp_path / "third.json", "2026-11-03", missing=("GPU-a-1",))
    completed = fleet.run("history", tmp_path, expected=NAMED)
    assert "GPU-a-1 (a): gone after sweep second" in completed.out
    fleet.run("history", tmp_path, "--gpu=GPU-a-1", expected=NAMED)


def test_history_has_references(fleet: Program, tmp_path: Path) -> None:
    first = small_sweep(tmp_path / "first.json", "2026-11-01")
    small_sweep(tmp_path / "second.json", "2026-11-02")
    # All GPUs are slower than accepted, which peers do not show.
    document = json.loads(first.read_text("utf-8"))
    document["sweep"], document["begin"] = "third", "2026-11-03T03:00:00Z"
    for gpu in document["gpus"]:
        gpu["times_ns"] = [
            [[time * 1.2 for time in run] for run in runs] for runs in gpu["times_ns"]
        ]
    (tmp_path / "third.json").write_text(json.dumps(document))
    completed = fleet.run("history", tmp_path, expected=HEALTHY)
    for references in ([first], [first, first]):
        options = [f"--reference={file}" for file in references]
        completed = fleet.run("history", tmp_path, *options, expected=NAMED)
        assert "The newest sweep is named" in completed.out


def test_earlier_sweeps_are_compared_with_the_references_too(
    fleet: Program, tmp_path: Path
) -> None:
    (tmp_path / "days").mkdir()
    two_gpus = ("GPU-a-2", "GPU-a-3", "GPU-b", "GPU-c", "GPU-d", "GPU-e")
    for day in range(1, 6):
        file = tmp_path / f"days/day{day}.json"
        document = json.loads(small_sweep(file, f"2026-11-0{day}", two_gpus).read_text("utf-8"))
        slower = 1.05 if day > 3 else 1  # which two peers do not show
        times = document["gpus"][0]["times_ns"]
        document["gpus"][0]["times_ns"] = [
            [[time * slower for time in run] for run in runs] for runs in times
        ]
        file.write_text(json.dumps(document))
    newest = tmp_path / "days/day5.json"
    references = [f"--reference={tmp_path}/days/day{day}.json" for day in (1, 2, 3)]
    completed = fleet.run(
        "judge", newest, f"--history={tmp_path}/days", *references, "--json=-", expected=NAMED
    )
    (found,) = json.loads(completed.out)["findings"]
    assert (found["gpu"], found["code"]) == ("GPU-a-0", "slower_than_before")
    assert found["since"]["sweep"] == "day4"
    assert not found["since"]["is_first_known"]
    completed = fleet.run("history", tmp_path / "days", *references, "--json=-", expected=NAMED)
    assert json.loads(completed.out)["gpus"][0]["since"] == 3


def test_reference_is_another_sweep_and_covers_this_one(fleet: Program, tmp_path: Path) -> None:
    first = small_sweep(tmp_path / "first.json", "2026-11-01")
    second = small_sweep(tmp_path / "second.json", "2026-11-02")
    half = small_sweep(tmp_path / "half.json", "2026-11-03", missing=("GPU-d", "GPU-e"))
    fleet.run("judge", second, f"--reference={first}", expected=HEALTHY)
    copy = shutil.copy(second, tmp_path / "copy.json")
    fleet.run("judge", second, f"--reference={copy}", expected=BAD_INPUT)
    completed = fleet.run("judge", first, f"--reference={second}", expected=UNKNOWN)
    assert "[baseline_is_later]" in completed.out
    completed = fleet.run("judge", half, f"--reference={first}", "--json=-", expected=UNKNOWN)
    doubts = {doubt["code"]: doubt for doubt in json.loads(completed.out)["doubts"]}
    assert doubts["nodes_not_measured"]["nodes"] == ["d", "e"]


def test_host_devices_show_nothing_of_gpus(
    program: Program, fleet: Program, tmp_path: Path
) -> None:
    sweep = tmp_path / "sweep.json"
    result = tmp_path / "runs/here/host.json"
    result.parent.mkdir(parents=True)
    program.run(
        "--device=host", "--strategies=copy/pinned", "--sizes=4KiB", f"--out={result}", expected=0
    )
    fleet.run("collect", tmp_path / "runs", f"--out={sweep}", expected=0)
    completed = fleet.run("judge", sweep, expected=UNKNOWN)
    assert "host memory has no link" in completed.out
    assert "[host_device]" in completed.out


def test_each_gpu_is_shown_beside_its_peers(fleet: Program, tmp_path: Path) -> None:
    for node in ("first", "second"):
        add(tmp_path / "sweep", node)
    sweep = tmp_path / "sweep.json"
    for out in (tmp_path / "sweep/earlier.json", sweep):
        collected = fleet.run("collect", tmp_path / "sweep", f"--out={out}", expected=0)
        assert " of 6 files in " in collected.out, "a sweep is no result"
    for name in ("-", "/dev/stdout"):
        printed = fleet.run("collect", tmp_path / "sweep", f"--out={name}", expected=0)
        assert printed.out == out.read_text("utf-8")
    completed = fleet.run("show", sweep, expected=0)
    assert [line.split()[1] for line in completed.out.splitlines()[1:3]] == ["first", "second"]
