"""`bench_transfers fleet` with MPI: rank 0 gathers the results."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from fleet_ranks import MANY, TINY, Ranks, earlier, judge
from program import ALL_RAN, ROOT, Program, environment, wait_for


class Mpi:
    """An MPI of this computer."""

    def __init__(self, program: Program, name: str) -> None:
        starter = shutil.which(f"mpirun.{name}")
        if not starter or not program.path.with_name(f"libbench_transfers_mpi_{name}.so").exists():
            pytest.skip(f"there is no {name} here, or its plugin is not built")
        options = ["--oversubscribe", "--allow-run-as-root"] if name == "openmpi" else []
        self.command = [starter, *options]
        self.program = program

    def start(
        self, started: Ranks, ranks: int, *more: str, complaints: Path | None = None
    ) -> subprocess.Popen[str]:
        """`complaints`: a folder for what each process says on standard error."""
        command = self.program.command("fleet", f"--out={started.out}", "--sweep=s", *TINY, *more)
        if complaints:
            command = ["sh", "-c", f'exec "$0" "$@" 2>"{complaints}/$$"', *command]
        return started.popen([*self.command, "-n", f"{ranks}", *command], env=environment())


@pytest.fixture(params=["openmpi", "mpich"])
def mpi(program: Program, request: pytest.FixtureRequest) -> Mpi:
    return Mpi(program, request.param)


def processes_with(folder: Path, rank: int) -> list[int]:
    """Those of an MPI's rank that write to the folder."""
    variables = [f"{name}={rank}" for name in ("OMPI_COMM_WORLD_RANK", "PMI_RANK")]
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            arguments = (process / "cmdline").read_text("utf-8").split("\0")
            told = (process / "environ").read_text("utf-8", "replace").split("\0")
        except OSError:
            continue
        is_program = Path(arguments[0]).name == "bench_transfers"
        if is_program and f"--out={folder}" in arguments and {*variables} & {*told}:
            found.append(int(process.name))
    return found


def test_rank_0_of_mpi_writes_what_collect_would(mpi: Mpi, ranks: Ranks, fleet: Program) -> None:
    folder = ranks.out
    ran = ranks.completed(mpi.start(ranks, 4), expected=ALL_RAN)
    assert f"4 of 4 ranks in {folder}/sweep.json.gz; 0 problems" in ran.out
    gathered = sweep_of_rank_0(ranks)
    sweep, _ = judge(fleet, folder)
    assert gathered == sweep
    assert sorted(gpu["rank"] for gpu in sweep["gpus"]) == [0, 1, 2, 3]
    assert sweep["problems"] == []


def test_no_sweep_of_an_earlier_job_passes_for_one_of_this(mpi: Mpi, ranks: Ranks) -> None:
    ranks.completed(mpi.start(ranks, 2), expected=ALL_RAN)
    sweep = ranks.out / "sweep.json.gz"
    measured = sweep.read_bytes()
    failed = ranks.completed(mpi.start(ranks, 2, "--device=cuda:1000"))
    assert failed.code != ALL_RAN
    assert not sweep.exists()
    assert earlier(sweep).read_bytes() == measured
    assert f"the sweep of an earlier run is put aside as {earlier(sweep)}" in failed.unfolded


def sweep_of_rank_0(ranks: Ranks) -> dict[str, Any]:
    return json.loads(gzip.decompress((ranks.out / "sweep.json.gz").read_bytes()))


def copies_of_other_jobs(left: Path) -> list[Path]:
    """Files beside that of a rank of three, which are of another sweep and of another job."""
    text = left.read_text("utf-8")
    written: list[Path] = []
    for old, new in (('"sweep": "s"', '"sweep": "t"'), ('"world_size": 3', '"world_size": 4')):
        assert old in text
        written.append(left.with_name(f"copy_{len(written)}.json"))
        written[-1].write_text(text.replace(old, new))
    return written


def test_a_rank_of_mpi_that_hangs_costs_itself(
    program: Program, ranks: Ranks, fleet: Program
) -> None:
    mpi = Mpi(program, "mpich")
    job = mpi.start(ranks, 3, "--wait=3", f"--benchmark_repetitions={MANY}")
    wait_for(lambda: ranks.rows(0) > 0 or job.poll() is not None, "the first row of rank 0")
    stopped = processes_with(ranks.out, 2)
    assert len(stopped) == 1
    os.kill(stopped[0], signal.SIGSTOP)
    left = ranks.file(2)
    others = copies_of_other_jobs(left)
    ended = Ranks.completed(job)
    assert ended.code != ALL_RAN
    assert f"rank 2 gives no answer: what it has left counts ({left})" in ended.unfolded
    for other in others:
        other.unlink()
    gathered = sweep_of_rank_0(ranks)
    assert gathered["world_size"] == 3
    assert 0 in {gpu["rank"] for gpu in gathered["gpus"]}
    wait_for(lambda: not processes_with(ranks.out, 2), "the end of the rank that hung")
    assert gathered == judge(fleet, ranks.out)[0]
    (unfinished,) = [found for found in gathered["problems"] if found["data"].get("rank") == 2]
    assert unfinished["code"] == "incomplete_run"


def test_a_rank_that_gives_rank_0_up_says_so(
    program: Program, ranks: Ranks, tmp_path: Path
) -> None:
    # Files: mpirun loses what it has not forwarded when the job is aborted.
    said_by = tmp_path / "said"
    said_by.mkdir()
    more = ("--wait=3", f"--benchmark_repetitions={MANY}")
    job = Mpi(program, "mpich").start(ranks, 2, *more, complaints=said_by)
    wait_for(lambda: ranks.rows(0) > 0 or job.poll() is not None, "the first row of rank 0")
    (first,) = processes_with(ranks.out, 0)
    os.kill(first, signal.SIGSTOP)
    ended = Ranks.completed(job)
    assert ended.code != ALL_RAN
    said = "".join(file.read_text("utf-8") for file in said_by.iterdir()).replace("\n  ", " ")
    assert "bench_transfers: rank 1: rank 0 has given no answer for" in said
    assert f"this rank's results are in {ranks.file(1)}" in said
    wait_for(lambda: not processes_with(ranks.out, 0), "the end of the rank that hung")


def test_a_rank_of_mpi_that_hangs_keeps_no_signal_away(program: Program, ranks: Ranks) -> None:
    mpi = Mpi(program, "openmpi")
    job = mpi.start(ranks, 2, "--benchmark_repetitions=1000", "--wait=1000")
    wait_for(lambda: ranks.rows(0) > 0 or job.poll() is not None, "the first row of rank 0")
    (first,) = processes_with(ranks.out, 0)
    (second,) = processes_with(ranks.out, 1)
    os.kill(second, signal.SIGSTOP)
    os.kill(first, signal.SIGTERM)
    assert Ranks.completed(job).code != ALL_RAN
    gathered = sweep_of_rank_0(ranks)
    assert [gpu["rank"] for gpu in gathered["gpus"]] == [0, 1]
    assert {found["code"] for found in gathered["problems"]} == {"incomplete_run"}


def test_the_documented_lines_need_no_gpu(ranks: Ranks, tmp_path: Path) -> None:
    text = (ROOT / "docs/FLEET.md").read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (block,) = [block for block in blocks if "--device=host" in block]
    path = f"{ranks.program.path.parent}:{os.environ['PATH']}"
    tried = ranks.popen(["bash", "-c", block], cwd=tmp_path, env=environment({"PATH": path}))
    # Unknown, also where one is slower than the other.
    completed = ranks.completed(tried, expected=3)
    assert "[host_device]" in completed.out
    assert "[no_peers]" in completed.out
    measured = json.loads(gzip.decompress((tmp_path / "dry.json.gz").read_bytes()))
    assert [gpu["rank"] for gpu in measured["gpus"]] == [0, 1]
    assert {entry["together"] for entry in measured["benchmarks"]} == {False, True}
