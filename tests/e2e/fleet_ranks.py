"""Ranks of `bench_transfers fleet` on the host device, for tests."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from program import Completed, Program, environment, rows_in, wait_for

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

    def begin(self, count: int, *arguments: str, **more: Any) -> list[subprocess.Popen[str]]:
        return [self.start(rank, count, *arguments, **more) for rank in range(count)]

    def measuring(self, count: int, *arguments: str) -> list[subprocess.Popen[str]]:
        """Of these ranks, the first has measured something."""
        processes = self.begin(count, *arguments)
        wait_for(lambda: self.rows(0), "the first row of rank 0")
        return processes

    def run(
        self, *arguments: str, started: int, of: int, expected: int | None = None
    ) -> list[Completed]:
        processes = [self.start(rank, of, *arguments) for rank in range(started)]
        return [self.completed(process, expected) for process in processes]

    @staticmethod
    def completed(process: subprocess.Popen[str], expected: int | None = None) -> Completed:
        out, err = process.communicate(timeout=300)
        completed = Completed(process.returncode, out, err)
        assert expected in (None, completed.code), completed
        return completed

    def file(self, rank: int) -> Path:
        return next(iter(self.out.glob(f"*/host_{rank}.json")), self.out / "not there")

    def rows(self, rank: int) -> int:
        return rows_in(self.file(rank))


def judge(fleet: Program, folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The sweep and the answer."""
    sweep, answer = folder.with_suffix(".json"), folder.with_suffix(".answer.json")
    fleet.run("collect", folder, f"--out={sweep}", expected=0)
    fleet.run("judge", sweep, f"--json={answer}")
    return json.loads(sweep.read_text("utf-8")), json.loads(answer.read_text("utf-8"))


def earlier(file: Path) -> Path:
    return file.with_name(f"{file.name}.earlier")
