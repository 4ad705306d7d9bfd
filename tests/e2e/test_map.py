"""Tests `bench_transfers map` on emulated devices and links."""

from __future__ import annotations

import json
import signal
from pathlib import Path
from typing import Any

import limits
import pytest
from program import NOTHING_RAN, Program

RATE = 200e6
SHARED = "--device=host:0@a=200MB/s,host:1@a"


def read_map(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def test_devices_that_share_a_link_get_its_rate_together(program: Program, tmp_path: Path):
    out = tmp_path / "host_map.json"
    completed = program.run("map", SHARED, "--size=512KiB", f"--out={out}", expected=0)
    document = read_map(out)
    assert (document["kind"], document["format"]) == ("host_map", 1)
    assert [device["name"] for device in document["devices"]] == ["host:0", "host:1"]
    together = [flows for flows in document["sets"] if flows["h2d"] == [0, 1] and not flows["d2h"]]
    assert together
    # A link never gives more than its rate, however busy this machine is.
    assert all(0 < sum(flows["measured"]) < 1.2 * RATE for flows in together)
    assert any(flows["held_out"] for flows in document["sets"])
    assert document["seconds"] > 0
    assert f"{len(document['sets'])} sets were measured in " in completed.out


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_it_is_printed(program: Program, tmp_path: Path, out: str):
    arguments = ("map", "--device=host:0", "--size=64KiB", f"--out={out}")
    completed = program.run(*arguments, cwd=tmp_path, expected=0)
    assert json.loads(completed.out)["kind"] == "host_map"
    assert list(tmp_path.iterdir()) == []


def test_devices_that_are_refused_memory_are_skipped(program: Program):
    refused = limits.locked_memory(64 << 10)
    completed = program.run(
        "map", "--device=host:0,1", "--size=1MiB", preexec_fn=refused, expected=NOTHING_RAN
    )
    assert "could not be measured" in completed.out


def test_an_interrupted_map_says_what_it_knows(program: Program, tmp_path: Path):
    out = tmp_path / "host_map.json"
    slow = "--device=host:0@a=2MB/s,host:1@a"
    process = program.start("map", slow, "--size=64KiB", f"--out={out}")
    assert process.stderr is not None
    while "measuring sets" not in (line := process.stderr.readline()):
        assert line, "it ended by itself"
    process.send_signal(signal.SIGINT)
    shown, _ = process.communicate()
    assert process.returncode == 128 + signal.SIGINT
    assert "interrupted" in shown
    document = read_map(out)
    assert document["sets"]
    assert {entry["why_not"] for entry in document["skipped"]} == {"interrupted"}
