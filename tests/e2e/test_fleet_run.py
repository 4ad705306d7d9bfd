"""`bench_transfers fleet`: several processes of one node, on the host device."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from pathlib import Path

import limits
import pytest
from fleet_ranks import ALONE, BOTH_WAYS, MANY, ONE_WAY, TINY, Ranks, at_once, judge, variables
from program import (
    ALL_RAN,
    NOTHING_RAN,
    SOMETHING_FAILED,
    USAGE,
    Program,
    assert_complains,
    environment,
    read,
    wait_for,
)


def test_the_ranks_of_a_node_measure_in_turn_and_all_at_once(ranks: Ranks, fleet: Program) -> None:
    ranks.run("--sweep=monday", "--rack=r1", started=4, of=4, expected=ALL_RAN)
    for rank in range(4):
        result = read(ranks.file(rank))
        assert result.transfers["complete"]
        told = result.transfers["fleet"]
        assert (told["sweep"], told["rack"], told["launcher"]) == ("monday", "r1", "torchrun")
        assert (told["rank"], told["world_size"]) == (rank, 4)
        assert (told["local_rank"], told["local_size"]) == (rank, 4)
        assert told["node"] == os.uname().nodename
        assert result.names() == {*at_once(4), *ALONE}
        assert {row.get("ranks") for row in result.rows if row["name"] in at_once(4)} == {4}
        described = result.transfers["benchmarks"][ONE_WAY[0]]
        assert described["set"] == {"kind": "ranks", "place": None}
        (without,) = result.transfers["sentinels"]["skipped"]
        assert without["reason"]["code"] == "among_ranks"
        assert result.transfers["sentinels"]["readings"] == []
    sweep, answer = judge(fleet, ranks.out)
    together = {entry["name"] for entry in sweep["benchmarks"] if entry["together"]}
    assert "concurrent/pinned/h2d/1MiB/h2d, 4 at once" in together
    assert len(together) == (4 if BOTH_WAYS in at_once(4) else 2)  # "both" is one of each direction
    assert len(sweep["gpus"]) == answer["gpus"] == 4
    assert len({gpu["model"] for gpu in sweep["gpus"]}) == 1, "they can be compared"
    assert sweep["problems"] == []


def test_all_ranks_have_the_order_of_the_first(ranks: Ranks) -> None:
    ranks.run(started=2, of=2)
    assert len({read(ranks.file(rank)).transfers["run"]["seed"] for rank in range(2)}) == 1


def test_a_killed_rank_costs_itself(ranks: Ranks, fleet: Program) -> None:
    more = (f"--benchmark_repetitions={MANY}",)
    processes = ranks.measuring(4, *more)
    processes[2].kill()
    for rank in (0, 1, 3):
        ranks.completed(processes[rank], expected=ALL_RAN)
        rows = [row for row in read(ranks.file(rank)).rows if row["name"] in ONE_WAY]
        assert len(rows) == 2 * MANY
        assert {row["ranks"] for row in rows} == {3}
    sweep, answer = judge(fleet, ranks.out)
    assert "incomplete_run" in {problem["code"] for problem in sweep["problems"]}
    assert answer["verdict"] != "healthy"


def test_a_killed_rank_is_named_once_and_in_the_files_of_the_others(ranks: Ranks) -> None:
    processes = ranks.measuring(3, f"--benchmark_repetitions={MANY}")
    processes[2].kill()
    others = [ranks.completed(processes[rank]) for rank in (0, 1)]
    said = " ".join((others[0].err + others[1].err).split())
    node = os.uname().nodename
    assert said.count("no longer wait for rank 2 (local rank 2, host:2) since 20") == 1
    assert said.count(f"bench_transfers: {node}: the other ranks") == 1
    assert "its process has ended" in said
    for rank in (0, 1):
        assert others[rank].code == ALL_RAN
        result = read(ranks.file(rank))
        assert {*ALONE} <= result.names(), "its own turn"
        (lost,) = [w for w in result.transfers["warnings"] if w["code"] == "rank_lost"]
        told = {key: lost["data"][key] for key in ("rank", "local_rank", "device", "has_ended")}
        assert told == {"rank": 2, "local_rank": 2, "device": "host:2", "has_ended": True}


def test_a_rank_that_never_starts_is_missing(ranks: Ranks, fleet: Program) -> None:
    (only,) = ranks.run("--wait=0.1", started=1, of=2)
    assert only.code == ALL_RAN, only
    node = os.uname().nodename
    assert f"bench_transfers: {node}: 1 of 2 ranks are there" in only.unfolded
    _, answer = judge(fleet, ranks.out)
    assert answer["verdict"] == "named"
    assert [found["code"] for found in answer["findings"]] == ["missing"]


def test_listing_needs_no_folder(program: Program, tmp_path: Path) -> None:
    strategies = program.run("fleet", "--list", "--device=host", cwd=tmp_path, expected=ALL_RAN)
    assert "\ncopy " in strategies.out
    benchmarks = program.run(
        "fleet", "--benchmark_list_tests", *TINY, cwd=tmp_path, expected=ALL_RAN
    )
    assert {*ALONE} <= {*benchmarks.out.split()}
    assert list(tmp_path.iterdir()) == []


def test_a_run_by_itself_stays_on_its_processor(ranks: Ranks, tmp_path: Path) -> None:
    usable = sorted(os.sched_getaffinity(0))
    result = tmp_path / "r.json"
    process = ranks.popen(
        ranks.program.command(*TINY, f"--out={result}", "--benchmark_repetitions=1000"),
        preexec_fn=lambda: os.sched_setaffinity(0, usable[:1]),
    )
    wait_for(result.exists, "the result file")
    for thread in Path(f"/proc/{process.pid}/task").iterdir():
        assert os.sched_getaffinity(int(thread.name)) == {usable[0]}


def test_ranks_that_are_bound_to_one_processor_leave_it(ranks: Ranks) -> None:
    usable = sorted(os.sched_getaffinity(0))
    if len(usable) < 2:
        pytest.skip("there is one processor")
    processes = ranks.begin(2, preexec_fn=lambda: os.sched_setaffinity(0, usable[:1]))
    completed = [ranks.completed(process) for process in processes]
    assert "too few processors" in completed[0].err
    assert completed[1].err == ""
    for rank in range(2):
        result = read(ranks.file(rank))
        assert result.transfers["fleet"]["unbound"]
        is_enough = BOTH_WAYS in at_once(2)
        assert (BOTH_WAYS in result.names()) == is_enough
        codes = {warning["code"] for warning in result.transfers["warnings"]}
        assert ("too_few_processors" in codes) != is_enough
        assert (BOTH_WAYS in result.skipped) != is_enough


def test_ranks_that_never_copy_at_once_stay_on_their_processors(ranks: Ranks) -> None:
    usable = sorted(os.sched_getaffinity(0))
    processes = ranks.begin(
        2, "--benchmark_filter=^copy", preexec_fn=lambda: os.sched_setaffinity(0, usable[:1])
    )
    for process in processes:
        completed = ranks.completed(process, expected=ALL_RAN)
        assert "too few processors" not in completed.err
    for rank in range(2):
        result = read(ranks.file(rank))
        assert "unbound" not in result.transfers["fleet"]
        assert "too_few_processors" not in {w["code"] for w in result.transfers["warnings"]}


def test_ranks_but_the_first_say_only_where_their_files_are(ranks: Ranks) -> None:
    first, second = ranks.run(started=2, of=2)
    assert "copy/pinned" in first.out
    assert second.out == f"rank 1 on {os.uname().nodename}: {ranks.file(1)}\n"
    assert second.err == ""


def test_a_rank_writes_each_line_at_once(ranks: Ranks) -> None:
    # Others write to the same terminal. Such a socket keeps what was written at once together.
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = ranks.program.command("fleet", f"--out={ranks.out}", *TINY)
    with ours, theirs:
        process = ranks.popen(
            command, stdout=theirs, stderr=subprocess.DEVNULL, env=environment(variables(0, 1))
        )
        theirs.close()
        pieces = [*iter(lambda: ours.recv(1 << 20), b"")]
        assert process.wait() == ALL_RAN
    assert len(pieces) > 1
    assert [piece for piece in pieces if piece.find(b"\n") != len(piece) - 1] == []


def test_a_rank_that_fails_says_which_it_is(ranks: Ranks) -> None:
    ranks.out.touch()
    told = f"rank 1 on {os.uname().nodename}: cannot write"
    failed = ranks.completed(ranks.start(1, 2, "--ranks-per-node=2", "--wait=0.1"), expected=USAGE)
    assert told in failed.unfolded


def test_a_rank_that_has_nothing_to_run_says_which_it_is(ranks: Ranks) -> None:
    nothing = ranks.completed(ranks.start(0, 1, "--benchmark_filter=no such"))
    assert_complains(nothing, NOTHING_RAN, f"rank 0 on {os.uname().nodename}: nothing to run")


def test_a_rank_that_cannot_start_threads_says_which_it_is(ranks: Ranks) -> None:
    ranks.out.mkdir()
    ranks.out.chmod(0o777)
    failed = ranks.completed(ranks.start(0, 1, preexec_fn=limits.processes(1)))
    if "libstdc++" in failed.unfolded or "Permission denied" in failed.unfolded:
        pytest.skip("another user cannot start the program, or write here")
    assert failed.code == SOMETHING_FAILED
    (said,) = failed.complaints
    assert f"rank 0 on {os.uname().nodename}: no more threads can be started" in said


def test_a_signal_keeps_what_was_measured(ranks: Ranks) -> None:
    processes = ranks.measuring(2, "--benchmark_repetitions=1000")
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        ranks.completed(process, expected=128 + signal.SIGTERM)
    first = read(ranks.file(0))
    assert first.measured
    assert not first.transfers["complete"]
    assert first.transfers["run"]["interrupted_by"] == "SIGTERM"


def test_two_ranks_on_one_device_are_an_error(ranks: Ranks) -> None:
    for completed in ranks.run("--device=host:0", started=2, of=2):
        assert_complains(completed, USAGE, "local ranks 0 and 1", "use the same device host:0")
    assert not ranks.file(0).exists()


@pytest.mark.parametrize("node", ["../../evil", ".", "..", "a/b", "new\nline\x1b[2J", "x" * 1000])
def test_a_hostile_node_name_leads_nowhere_else(ranks: Ranks, node: str) -> None:
    ranks.completed(ranks.start(0, 1, variables=variables(0, 1, node)), expected=ALL_RAN)
    (path,) = ranks.out.parent.rglob("host_0.json")
    assert path.parent.parent == ranks.out
    assert all(letter.isascii() and letter.isprintable() for letter in path.parent.name)


def test_a_full_disk_is_one_line(ranks: Ranks) -> None:
    process = ranks.start(0, 1, preexec_fn=limits.file_size(4096))
    completed = ranks.completed(process, expected=SOMETHING_FAILED)
    assert len(completed.complaints) == 1
    assert "cannot write" in completed.complaints[0]


def test_one_process_needs_no_launcher(ranks: Ranks) -> None:
    ranks.completed(ranks.start(0, 1, variables={}), expected=ALL_RAN)
    told = read(ranks.file(0)).transfers["fleet"]
    assert (told["rank"], told["world_size"]) == (None, None)
    assert told["node"] == os.uname().nodename


def test_a_node_that_has_lost_its_gpus_does_not_measure_its_memory(
    program: Program, tmp_path: Path
) -> None:
    completed = program.run("fleet", f"--out={tmp_path}", env={"CUDA_VISIBLE_DEVICES": ""})
    assert_complains(completed, NOTHING_RAN, "no GPU: ")
