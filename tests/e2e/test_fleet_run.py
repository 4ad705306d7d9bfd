"""`bench_transfers fleet`: several processes of one node, on the host device."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import limits
import pytest
from program import (
    ALL_RAN,
    NOTHING_RAN,
    SOMETHING_FAILED,
    USAGE,
    Completed,
    Program,
    assert_complains,
    environment,
    read,
    wait_for,
)

TINY = (
    "--device=host",
    "--strategies=copy/pinned,concurrent/pinned",
    "--sizes=1MiB",
    "--benchmark_min_time=0.001",
    "--benchmark_repetitions=2",
)
ONE_WAY = [f"concurrent/pinned/{direction}/ranks/1MiB" for direction in ("h2d", "d2h")]
BOTH_WAYS = "concurrent/pinned/both/ranks/1MiB"
MANY = 10  # repetitions, so that a process can be ended among them
ALONE = ["copy/pinned/h2d/1MiB", "copy/pinned/d2h/1MiB"]


def variables(rank: int, size: int, node: str = "") -> dict[str, str]:
    """Those of torchrun, a mere loop, or those of srun, which tells a node's name."""
    if not node:
        return {
            "RANK": f"{rank}",
            "WORLD_SIZE": f"{size}",
            "LOCAL_RANK": f"{rank}",
            "LOCAL_WORLD_SIZE": f"{size}",
            "TORCHELASTIC_RUN_ID": "tests",
        }
    return {
        "SLURM_PROCID": f"{rank}",
        "SLURM_STEP_ID": "0",
        "SLURM_NTASKS": f"{size}",
        "SLURM_LOCALID": "0",
        "SLURM_NODEID": f"{rank}",
        "SLURM_STEP_TASKS_PER_NODE": f"1(x{size})",
        "SLURMD_NODENAME": node,
    }


def at_once(ranks: int) -> list[str]:
    """What so many of them can do at once on this computer."""
    return [*ONE_WAY, BOTH_WAYS] if len(os.sched_getaffinity(0)) >= 2 * ranks else ONE_WAY


class Ranks:
    """Processes that are ended with the test, whatever happens."""

    def __init__(self, program: Program, out: Path) -> None:
        self.program = program
        self.out = out
        self.started: list[subprocess.Popen[str]] = []

    def start(self, rank: int, size: int, *arguments: str, **more: Any) -> subprocess.Popen[str]:
        env = environment(more.pop("variables", variables(rank, size)))
        command = self.program.command("fleet", f"--out={self.out}", *TINY, *arguments)
        return self.popen(command, env=env, **more)

    def popen(self, command: list[str], **more: Any) -> subprocess.Popen[str]:
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, encoding="utf-8", **(piped | more)
        )
        self.started.append(process)
        return process

    def run(self, *arguments: str, started: int, of: int) -> list[Completed]:
        processes = [self.start(rank, of, *arguments) for rank in range(started)]
        return [self.completed(process) for process in processes]

    @staticmethod
    def completed(process: subprocess.Popen[str]) -> Completed:
        out, err = process.communicate(timeout=300)
        return Completed(process.returncode, out, err)

    def file(self, rank: int) -> Path:
        return next(iter(self.out.glob(f"*/host_{rank}.json")), self.out / "not there")

    def rows(self, rank: int) -> int:
        return len(read(self.file(rank)).rows) if self.file(rank).exists() else 0


@pytest.fixture
def ranks(program: Program, tmp_path: Path) -> Iterator[Ranks]:
    started = Ranks(program, tmp_path / "sweep")
    yield started
    for process in started.started:
        process.kill()
        process.communicate()


def judge(fleet: Program, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The sweep and the answer."""
    sweep, answer = folder.with_suffix(".json"), folder.with_suffix(".answer.json")
    completed = fleet.run("collect", folder, f"--out={sweep}")
    assert completed.code == 0, completed
    fleet.run("judge", sweep, f"--json={answer}")
    return json.loads(sweep.read_text("utf-8")), json.loads(answer.read_text("utf-8"))


def test_the_ranks_of_a_node_measure_in_turn_and_all_at_once(ranks: Ranks, fleet: Program) -> None:
    for completed in ranks.run("--sweep=monday", "--rack=r1", started=4, of=4):
        assert completed.code == ALL_RAN, completed
    for rank in range(4):
        result = read(ranks.file(rank))
        assert result.transfers["complete"]
        told = result.transfers["fleet"]
        assert (told["sweep"], told["rack"], told["launcher"]) == ("monday", "r1", "torchrun")
        assert (told["rank"], told["local_rank"], told["world_size"]) == (rank, rank, 4)
        assert told["node"] == os.uname().nodename
        assert result.names() == {*at_once(4), *ALONE}
        assert {row.get("ranks") for row in result.rows if row["name"] in at_once(4)} == {4}
        described = result.transfers["benchmarks"][ONE_WAY[0]]
        assert described["set"] == {"kind": "ranks", "place": None}
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
    ran = ranks.completed(mpi.start(ranks, 4))
    assert ran.code == ALL_RAN, ran
    assert f"4 of 4 ranks in {folder}/sweep.json.gz; 0 problems" in ran.out
    gathered = sweep_of_rank_0(ranks)
    sweep, _ = judge(fleet, folder)
    assert gathered == sweep
    assert sorted(gpu["rank"] for gpu in sweep["gpus"]) == [0, 1, 2, 3]
    assert sweep["problems"] == []


def test_no_sweep_of_an_earlier_job_passes_for_one_of_this(mpi: Mpi, ranks: Ranks) -> None:
    assert ranks.completed(mpi.start(ranks, 2)).code == ALL_RAN
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
    job = mpi.start(ranks, 3, "--wait=0.5", f"--benchmark_repetitions={MANY}")
    wait_for(lambda: ranks.rows(0) > 0, "the first row of rank 0")
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
    more = ("--wait=0.5", f"--benchmark_repetitions={MANY}")
    job = Mpi(program, "mpich").start(ranks, 2, *more, complaints=said_by)
    wait_for(lambda: ranks.rows(0) > 0, "the first row of rank 0")
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
    wait_for(lambda: ranks.rows(0) > 0, "the first row of rank 0")
    (first,) = processes_with(ranks.out, 0)
    (second,) = processes_with(ranks.out, 1)
    os.kill(second, signal.SIGSTOP)
    os.kill(first, signal.SIGTERM)
    assert Ranks.completed(job).code != ALL_RAN
    gathered = sweep_of_rank_0(ranks)
    assert [gpu["rank"] for gpu in gathered["gpus"]] == [0, 1]
    assert {found["code"] for found in gathered["problems"]} == {"incomplete_run"}


def test_a_killed_rank_costs_itself(ranks: Ranks, fleet: Program) -> None:
    more = (f"--benchmark_repetitions={MANY}",)
    processes = [ranks.start(rank, 4, *more) for rank in range(4)]
    wait_for(lambda: ranks.rows(0) > 0, "the first row of rank 0")
    processes[2].kill()
    for rank in (0, 1, 3):
        completed = ranks.completed(processes[rank])
        assert completed.code == ALL_RAN, completed
        rows = [row for row in read(ranks.file(rank)).rows if row["name"] in ONE_WAY]
        assert len(rows) == 2 * MANY
        assert {row["ranks"] for row in rows} == {3}
    sweep, answer = judge(fleet, ranks.out)
    assert "incomplete_run" in {problem["code"] for problem in sweep["problems"]}
    assert answer["verdict"] != "healthy"


def test_a_killed_rank_is_named_once_and_in_the_files_of_the_others(ranks: Ranks) -> None:
    processes = [ranks.start(rank, 3, f"--benchmark_repetitions={MANY}") for rank in range(3)]
    wait_for(lambda: ranks.rows(0) > 0, "the first row of rank 0")
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


def test_memory_that_a_dead_run_has_left_is_not_in_the_way(ranks: Ranks) -> None:
    dead = [ranks.start(rank, 2, "--benchmark_repetitions=1000") for rank in range(2)]
    wait_for(lambda: ranks.rows(0) > 0, "the first row of rank 0")
    for process in dead:
        process.kill()
        process.wait()
    for completed in ranks.run(started=2, of=2):
        assert completed.code == ALL_RAN, completed
    rows = [row for row in read(ranks.file(1)).rows if row["name"] in ONE_WAY]
    assert {row["ranks"] for row in rows} == {2}


def test_a_stopped_process_of_an_earlier_run_keeps_its_file_alone(ranks: Ranks) -> None:
    earlier = [ranks.start(rank, 2, "--benchmark_repetitions=1000") for rank in range(2)]
    wait_for(lambda: ranks.rows(0) > 0, "the first row of rank 0")
    earlier[1].send_signal(signal.SIGSTOP)
    earlier[0].kill()
    earlier[0].wait()
    # Its place among the ranks is free, its file is not.
    again = ranks.completed(ranks.start(1, 2, "--wait=0.2"))
    assert again.code == USAGE, again
    assert f"another process writes {ranks.file(1)}: another run of this sweep" in again.unfolded
    again = ranks.completed(ranks.start(0, 2, "--wait=0.2"))
    assert again.code == ALL_RAN, again


def earlier(file: Path) -> Path:
    return file.with_name(f"{file.name}.earlier")


def test_no_file_of_an_earlier_run_passes_for_one_of_this(ranks: Ranks, fleet: Program) -> None:
    ranks.run("--sweep=s", started=2, of=2)
    second = ranks.file(1)
    measured = second.read_text("utf-8")
    another = second.with_name("another.json")
    another.write_text(measured.replace('"sweep": "s"', '"sweep": "t"'))
    (only,) = ranks.run("--sweep=s", "--wait=0.1", started=1, of=2)
    assert only.code == ALL_RAN, only
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
    second = ranks.completed(ranks.start(1, 2, "--sweep=s", "--wait=0.1"))
    assert second.code == ALL_RAN, second
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
    (only,) = ranks.run("--sweep=s", "--wait=0.1", started=1, of=3)
    assert only.code == ALL_RAN, only
    told = "left 2 results of ranks 0, 1 and 1 file of no known rank: put aside as"
    assert f"bench_transfers: {os.uname().nodename}: earlier runs have left" in only.err
    assert told in only.unfolded
    assert not any(file.exists() for file in files.values())
    assert all(earlier(file).exists() for file in files.values())
    _, answer = judge(fleet, ranks.out)
    assert answer["verdict"] == "named"
    assert {found["code"] for found in answer["findings"]} == {"missing"}


def test_listing_needs_no_folder(program: Program, tmp_path: Path) -> None:
    strategies = program.run("fleet", "--list", "--device=host", cwd=tmp_path)
    assert strategies.code == ALL_RAN, strategies
    assert "\ncopy " in strategies.out
    benchmarks = program.run("fleet", "--benchmark_list_tests", *TINY, cwd=tmp_path)
    assert benchmarks.code == ALL_RAN, benchmarks
    assert {*ALONE} <= {*benchmarks.out.split()}
    assert list(tmp_path.iterdir()) == []


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
            completed = ranks.completed(process)
            assert completed.code == ALL_RAN, completed
            assert "earlier" not in completed.err
    assert list(ranks.out.rglob("*.earlier")) == []
    told = [read(file).transfers["fleet"]["rank"] for file in ranks.out.rglob("*.json")]
    assert sorted(told) == [node * 2 + local for node in (0, 1) for local in range(started)]


def test_single_ranks_of_one_name_lose_nothing(ranks: Ranks) -> None:
    for node in range(3):
        of_pod = of_node(node, 0, 3, 1, "worker")
        completed = ranks.completed(ranks.start(node, 3, "--sweep=s", **of_pod))
        assert completed.code == ALL_RAN, completed
    assert len(list((ranks.out / "worker").glob("*.json"))) == 3
    again = ranks.completed(ranks.start(2, 3, "--sweep=s", **of_node(2, 0, 3, 1, "worker")))
    assert "left 1 result of rank 2: put aside as" in again.unfolded, again
    assert len(list((ranks.out / "worker").glob("*.json"))) == 3


def lines_to_try_it() -> list[str]:
    """The blocks of docs/FLEET.md that need no GPU."""
    text = (Path(__file__).resolve().parents[2] / "docs/FLEET.md").read_text("utf-8")
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [block for block in blocks if "--device=host" in block]


@pytest.mark.parametrize("has_mpi", [False, True])
def test_the_documented_lines_need_no_gpu(ranks: Ranks, tmp_path: Path, has_mpi: bool) -> None:
    (block,) = [block for block in lines_to_try_it() if ("mpirun" in block) == has_mpi]
    if has_mpi:
        (tmp_path / "mpirun").symlink_to(Mpi(ranks.program, "openmpi").command[0])
    path = f"{tmp_path}:{ranks.program.path.parent}:{os.environ['PATH']}"
    mpi = {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }
    tried = ranks.popen(["bash", "-c", block], cwd=tmp_path, env=environment({"PATH": path, **mpi}))
    completed = ranks.completed(tried)
    assert completed.code == 3, completed  # unknown, also where one is slower than the other
    assert "[host_device]" in completed.out
    assert "[no_peers]" in completed.out
    sweep = tmp_path / ("dry/sweep.json.gz" if has_mpi else "dry.json.gz")
    measured = json.loads(gzip.decompress(sweep.read_bytes()))
    assert [gpu["rank"] for gpu in measured["gpus"]] == [0, 1]
    assert {entry["together"] for entry in measured["benchmarks"]} == {False, True}


def test_a_second_process_does_not_replace_the_file_of_the_first(ranks: Ranks) -> None:
    first = ranks.start(0, 1, "--benchmark_repetitions=1000", variables={})
    wait_for(lambda: ranks.rows(0) > 0, "the first row of the first process")
    second = ranks.completed(ranks.start(0, 1, variables={}))
    told = f"another process writes {ranks.file(0)}: start one process for each GPU"
    assert_complains(second, USAGE, told)
    first.send_signal(signal.SIGTERM)
    assert ranks.completed(first).code == 128 + signal.SIGTERM
    assert read(ranks.file(0)).transfers["run"]["interrupted_by"] == "SIGTERM"
    again = ranks.completed(ranks.start(0, 1, variables={}))
    assert again.code == ALL_RAN, again


def test_a_rank_does_not_remove_the_file_that_another_process_writes(ranks: Ranks) -> None:
    first = ranks.start(0, 1, "--benchmark_repetitions=1000")
    wait_for(lambda: ranks.rows(0) > 0, "the first row of the first process")
    second = ranks.completed(ranks.start(0, 1))
    assert_complains(second, USAGE, f"another process writes {ranks.file(0)}")
    assert ranks.file(0).exists()
    assert first.poll() is None


def test_listing_removes_no_files(ranks: Ranks) -> None:
    ranks.run(started=1, of=1)
    ranks.run("--benchmark_list_tests", started=1, of=1)
    assert ranks.file(0).exists()


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
    processes = [
        ranks.start(rank, 2, preexec_fn=lambda: os.sched_setaffinity(0, usable[:1]))
        for rank in range(2)
    ]
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
    processes = [
        ranks.start(
            rank,
            2,
            "--benchmark_filter=^copy",
            preexec_fn=lambda: os.sched_setaffinity(0, usable[:1]),
        )
        for rank in range(2)
    ]
    for process in processes:
        completed = ranks.completed(process)
        assert completed.code == ALL_RAN, completed
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
    failed = ranks.completed(ranks.start(1, 2, "--ranks-per-node=2", "--wait=0.1"))
    assert failed.code == USAGE
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
    processes = [ranks.start(rank, 2, "--benchmark_repetitions=1000") for rank in range(2)]
    wait_for(lambda: ranks.rows(0) > 0, "the first row of rank 0")
    for process in processes:
        process.send_signal(signal.SIGTERM)
    for process in processes:
        assert ranks.completed(process).code == 128 + signal.SIGTERM
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
    completed = ranks.completed(ranks.start(0, 1, variables=variables(0, 1, node)))
    assert completed.code == ALL_RAN, completed
    (path,) = ranks.out.parent.rglob("host_0.json")
    assert path.parent.parent == ranks.out
    assert all(letter.isascii() and letter.isprintable() for letter in path.parent.name)


def test_a_full_disk_is_one_line(ranks: Ranks) -> None:
    process = ranks.start(0, 1, preexec_fn=limits.file_size(4096))
    completed = ranks.completed(process)
    assert completed.code == SOMETHING_FAILED
    assert len(completed.complaints) == 1
    assert "cannot write" in completed.complaints[0]


def test_one_process_needs_no_launcher(ranks: Ranks, tmp_path: Path) -> None:
    completed = ranks.completed(ranks.start(0, 1, variables={}))
    assert completed.code == ALL_RAN, completed
    told = read(ranks.file(0)).transfers["fleet"]
    assert (told["rank"], told["world_size"]) == (None, None)
    assert told["node"] == os.uname().nodename


def test_a_node_that_has_lost_its_gpus_does_not_measure_its_memory(
    program: Program, tmp_path: Path
) -> None:
    completed = program.run("fleet", f"--out={tmp_path}", env={"CUDA_VISIBLE_DEVICES": ""})
    assert_complains(completed, NOTHING_RAN, "no GPU: ")
