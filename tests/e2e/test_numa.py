"""Memory on a NUMA node: what the system refuses, and what is measured nevertheless."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import limits
import pytest
from program import HOST, NOTHING_RAN, Program, Result

ON_NODE = "copy/pinned@node0/h2d"


@pytest.fixture(scope="module")
def refused_numa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return limits.library("refused_numa", tmp_path_factory.mktemp("numa"))


@pytest.fixture
def needs_nodes(program: Program):
    listing = program.run("--list", "--device=host", f"--strategies={ON_NODE}").out
    if "not on this device" in listing:
        pytest.skip(listing)


def run(program: Program, strategies: str, **options: Any) -> Result:
    small = ("--sizes=64KiB", "--cache=warm", "--benchmark_repetitions=1")
    return program.run_and_read(*HOST, f"--strategies={strategies}", *small, **options)


@pytest.mark.usefixtures("needs_nodes")
def test_the_node_of_the_memory_is_recorded(program: Program):
    result = run(program, f"{ON_NODE},copy/pinned/h2d")
    fields = result.transfers["benchmarks"]
    assert fields["copy/pinned@node0/h2d/64KiB"]["node"] == 0
    assert fields["copy/pinned@node0/h2d/64KiB"]["memory"] == "pinned@node0"
    assert "node" not in fields["copy/pinned/h2d/64KiB"]
    assert {buffer["memory"] for buffer in result.transfers["buffers"]} == {
        "pinned",
        "pinned@node0",
    }


@pytest.mark.usefixtures("needs_nodes")
@pytest.mark.parametrize("call", ["mbind", "move_pages"])
def test_a_container_that_refuses_the_calls_gets_the_reason(
    program: Program, refused_numa: Path, call: str
):
    env = {"LD_PRELOAD": str(refused_numa), "REFUSED_CALL": call}
    result = run(program, f"{ON_NODE},copy/pinned/h2d", env=env)
    reason = result.skipped["copy/pinned@node0/h2d/64KiB"]
    assert f"the system refuses {call}" in reason
    assert "SYS_NICE" in reason
    assert {row["name"] for row in result.rows} == {"copy/pinned/h2d/64KiB"}
    run(program, ON_NODE, env=env, expected=NOTHING_RAN)


@pytest.mark.usefixtures("needs_nodes")
def test_pages_elsewhere_are_counted_and_not_measured(program: Program, refused_numa: Path):
    env = {"LD_PRELOAD": str(refused_numa), "PAGES_ELSEWHERE": "1"}
    result = run(program, f"{ON_NODE},copy/pinned/h2d", env=env)
    reason = result.skipped["copy/pinned@node0/h2d/64KiB"]
    assert re.search(r"\b1 of \d+ pages lie on node 5, not on node 0", reason)
    assert {row["name"] for row in result.rows} == {"copy/pinned/h2d/64KiB"}


@pytest.mark.usefixtures("needs_nodes")
def test_copies_at_once_on_a_node_that_is_refused_are_skipped_alone(
    program: Program, refused_numa: Path
):
    request = "host:0:h2d:pinned@node0+host:1:h2d:pinned"
    result = program.run_and_read(
        "--device=host:0-1",
        "--strategies=concurrent/listed,copy/pinned/h2d",
        f"--concurrent={request}",
        "--sizes=1MiB",
        "--cache=warm",
        "--benchmark_repetitions=1",
        env={"LD_PRELOAD": str(refused_numa), "REFUSED_CALL": "mbind"},
    )
    assert result.skipped.keys() == {f"concurrent/listed/mixed/{request}/1MiB"}
    assert "the system refuses mbind" in "".join(result.skipped.values())
    assert result.names() == {f"copy/pinned/h2d/1MiB@host:{device}" for device in (0, 1)}
