"""`bench_transfers fleet`: no file of an earlier run passes for one of this, and none is lost."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fleet_ranks import ONE_WAY, Ranks, earlier, judge, variables
from program import ALL_RAN, USAGE, Program, assert_complains, read, wait_for


def test_memory_that_a_dead_run_has_left_is_not_in_the_way(ranks: Ranks) -> None:
    for process in ranks.measuring(2, "--benchmark_repetitions=1000"):
        process.kill()
        process.wait()
    ranks.run(started=2, of=2, expected=ALL_RAN)
    rows = [row for row in read(ranks.file(1)).rows if row["name"] in ONE_WAY]
    assert {row["ranks"] for row in rows} == {2}


def test_a_stopped_process_of_an_earlier_run_keeps_its_file_alone(ranks: Ranks) -> None:
    earlier = ranks.measuring(2, "--benchmark_repetitions=1000")
    earlier[1].send_signal(signal.SIGSTOP)
    earlier[0].kill()
    earlier[0].wait()
    # Its place among the ranks is free, its file is not.
    again = ranks.completed(ranks.start(1, 2, "--wait=0.2"), expected=USAGE)
    assert f"another process writes {ranks.file(1)}: another run of this sweep" in again.unfolded
    ranks.completed(ranks.start(0, 2, "--wait=0.2"), expected=ALL_RAN)


def test_no_file_of_an_earlier_run_passes_for_one_of_this(ranks: Ranks, fleet: Program) -> None:
    ranks.run("--sweep=s", started=2, of=2)
    second = ranks.file(1)
    measured = second.read_text("utf-8")
    another = second.with_name("another.json")
    another.write_text(measured.replace('"sweep": "s"', '"sweep": "t"'))
    ranks.run("--sweep=s", "--wait=0.1", started=1, of=2, expected=ALL_RAN)
    assert not second.exists()
    assert another.exists()
    another.unlink()
    _, answer = judge(fleet, ranks.out)
    assert [found["code"] for found in answer["findings"]] == ["missing"]


@pytest.mark.parametrize("earlier_sweep", ["s", "t"])
def test_what_an_earlier_run_has_measured_is_put_aside(ranks: Ranks, earlier_sweep: str) -> None:
    ranks.run(f"--sweep={earlier_sweep}", started=2, of=2)
    measured = [ranks.file(rank).read_text("utf-8") for rank in range(2)]
    again = ranks.run("--sweep=s", started=2, of=2)
    (said,) = [line for completed in again for line in completed.complaints]
    assert "left 2 results of ranks 0, 1: put aside as" in said
    assert f"{ranks.file(0).parent}/*.json.earlier" in said
    assert [earlier(ranks.file(rank)).read_text("utf-8") for rank in range(2)] == measured
    ranks.run("--sweep=s", started=2, of=2)
    assert [earlier(ranks.file(rank)).read_text("utf-8") for rank in range(2)] == measured
    assert ranks.file(0).with_name("host_0.json.earlier.2").exists()


def test_ranks_that_are_started_one_after_the_other_keep_their_results(
    ranks: Ranks, fleet: Program
) -> None:
    ranks.completed(ranks.start(0, 2, "--sweep=s", "--wait=0.1"))
    measured = ranks.file(0).read_text("utf-8")
    second = ranks.completed(ranks.start(1, 2, "--sweep=s", "--wait=0.1"), expected=ALL_RAN)
    assert "left 1 result of rank 0: put aside as" in second.unfolded
    assert earlier(ranks.out / os.uname().nodename / "host_0.json").read_text("utf-8") == measured
    sweep, _ = judge(fleet, ranks.out)
    assert [gpu["rank"] for gpu in sweep["gpus"]] == [1], "what is put aside is passed over"
    assert sweep["problems"] == []


def test_a_rank_that_fails_leaves_no_file_of_an_earlier_run(ranks: Ranks) -> None:
    ranks.run("--sweep=s", started=1, of=1)
    assert ranks.file(0).exists()
    failed = ranks.completed(ranks.start(0, 1, "--sweep=s", "--device=cuda:1000"))
    assert failed.code != ALL_RAN
    assert "left 1 result of rank 0" in failed.unfolded
    assert not ranks.file(0).exists()


def of_job(name: str, rank: int, size: int) -> dict[str, Any]:
    return {"variables": variables(rank, size) | {"TORCHELASTIC_RUN_ID": name}}


@pytest.mark.parametrize("name", ["second", "first"])  # launchers without a job's name
def test_two_jobs_do_not_write_one_file(ranks: Ranks, name: str) -> None:
    more = ("--sweep=s", "--benchmark_repetitions=1000")
    first = [ranks.start(rank, 2, *more, **of_job("first", rank, 2)) for rank in range(2)]
    wait_for(lambda: ranks.rows(0) > 0, "the first row of rank 0")
    second = [ranks.start(rank, 2, "--sweep=s", **of_job(name, rank, 2)) for rank in range(2)]
    for rank, process in enumerate(second):
        told = f"rank {rank} on {os.uname().nodename}: another "
        under_way = "another run of this sweep is under way on this node"
        assert_complains(ranks.completed(process), USAGE, told, under_way)
    assert [process.poll() for process in first] == [None, None]
    assert list(ranks.out.rglob("*.earlier")) == []


def test_a_job_that_has_written_nothing_yet_is_in_the_way(ranks: Ranks) -> None:
    first = ranks.start(0, 2, "--sweep=s", "--wait=1000")  # waits for a rank that does not come
    wait_for(lambda: has_joined(first), "the first job")
    second = ranks.completed(ranks.start(0, 2, "--sweep=s"))
    assert_complains(
        second,
        USAGE,
        f"rank 0 on {os.uname().nodename}: another run of this sweep is under way on this node",
        "another process of this node is local rank 0",
    )
    assert first.poll() is None


def has_joined(process: subprocess.Popen[str]) -> bool:
    """Whether it has the file in which the ranks of a node meet."""
    maps = Path(f"/proc/{process.pid}/maps")
    return "/ranks-" in maps.read_text("utf-8")


def test_what_is_cut_off_does_not_stand_for_a_rank_that_does_not_come(
    ranks: Ranks, fleet: Program
) -> None:
    ranks.run("--sweep=s", started=3, of=3)
    cut = {1: '"benchmarks"', 2: '"fleet"'}  # one tells whose it is, the other does not
    files = {rank: ranks.file(rank) for rank in cut}
    for rank, place in cut.items():
        text = files[rank].read_text("utf-8")
        files[rank].write_text(text[: text.rindex(place)])
    (only,) = ranks.run("--sweep=s", "--wait=0.1", started=1, of=3, expected=ALL_RAN)
    told = "left 2 results of ranks 0, 1 and 1 file of no known rank: put aside as"
    assert f"bench_transfers: {os.uname().nodename}: earlier runs have left" in only.err
    assert told in only.unfolded
    assert not any(file.exists() for file in files.values())
    assert all(earlier(file).exists() for file in files.values())
    _, answer = judge(fleet, ranks.out)
    assert answer["verdict"] == "named"
    assert {found["code"] for found in answer["findings"]} == {"missing"}


def of_node(node: int, local: int, nodes: int, of: int, name: str) -> dict[str, Any]:
    """Of many pods or computers that say that they have one name."""
    told = {
        "RANK": node * of + local,
        "WORLD_SIZE": nodes * of,
        "LOCAL_RANK": local,
        "LOCAL_WORLD_SIZE": of,
        "NODE_NAME": name,
    }
    return {"variables": {key: f"{value}" for key, value in told.items()}}


@pytest.mark.parametrize(
    "nodes", [("host:0,host:1", "host:2,host:3"), ("host:0,host:1",) * 2], ids=["own", "same"]
)
@pytest.mark.parametrize("started", [2, 1])
def test_nodes_of_one_name_lose_nothing(ranks: Ranks, nodes: tuple[str, str], started: int) -> None:
    """The second of them is slow to start: the first has finished."""
    for node, devices in enumerate(nodes):
        options = ["--sweep=s", f"--device={devices}"]
        if started < 2:
            options.append("--wait=0.1")
        processes = [
            ranks.start(node * 2 + local, 4, *options, **of_node(node, local, 2, 2, "localhost"))
            for local in range(started)
        ]
        for process in processes:
            completed = ranks.completed(process, expected=ALL_RAN)
            assert "earlier" not in completed.err
    assert list(ranks.out.rglob("*.earlier")) == []
    told = [read(file).transfers["fleet"]["rank"] for file in ranks.out.rglob("*.json")]
    assert sorted(told) == [node * 2 + local for node in (0, 1) for local in range(started)]


def test_single_ranks_of_one_name_lose_nothing(ranks: Ranks) -> None:
    for node in range(3):
        of_pod = of_node(node, 0, 3, 1, "worker")
        ranks.completed(ranks.start(node, 3, "--sweep=s", **of_pod), expected=ALL_RAN)
    assert len(list((ranks.out / "worker").glob("*.json"))) == 3
    again = ranks.completed(ranks.start(2, 3, "--sweep=s", **of_node(2, 0, 3, 1, "worker")))
    assert "left 1 result of rank 2: put aside as" in again.unfolded, again
    assert len(list((ranks.out / "worker").glob("*.json"))) == 3


def test_a_second_process_does_not_replace_the_file_of_the_first(ranks: Ranks) -> None:
    first = ranks.start(0, 1, "--benchmark_repetitions=1000", variables={})
    wait_for(lambda: ranks.rows(0) > 0, "the first row of the first process")
    second = ranks.completed(ranks.start(0, 1, variables={}))
    told = f"another process writes {ranks.file(0)}: start one process for each GPU"
    assert_complains(second, USAGE, told)
    first.send_signal(signal.SIGTERM)
    ranks.completed(first, expected=128 + signal.SIGTERM)
    assert read(ranks.file(0)).transfers["run"]["interrupted_by"] == "SIGTERM"
    ranks.completed(ranks.start(0, 1, variables={}), expected=ALL_RAN)


def test_listing_removes_no_files(ranks: Ranks) -> None:
    ranks.run(started=1, of=1)
    ranks.run("--benchmark_list_tests", started=1, of=1)
    assert ranks.file(0).exists()
