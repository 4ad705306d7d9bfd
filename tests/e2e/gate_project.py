"""Runs of paced strategies for the gate, and a copy of scripts/gate that measures nothing."""

from __future__ import annotations

import shutil
import stat
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from calls import call
from gate_files import Lab
from program import LIMIT_S, ROOT, Program, environment

SCRIPTS = ROOT / "scripts"

# The strategies of this program advance its clock, so the seed decides the times. Its runs follow
# each other immediately; changing their start times makes three sessions of them.
PACED = (
    "--device=host",
    "--sizes=64KiB,256KiB,1MiB,4MiB",
    "--cache=warm",
    "--benchmark_min_time=0.001",
    "--benchmark_repetitions=5",
)
SLOWED = "paced/second/h2d/1MiB"


def measure(program: Program, out: Path, seed: int, *more: str) -> Path:
    program.run(*PACED, f"--seed={seed}", *more, f"--out={out}", expected=0)
    return out


FAKE = """#!PYTHON
# Instead of measuring, it takes the next prepared file.
import os, pathlib, shutil, signal, sys, time
prepared = pathlib.Path(os.environ["PREPARED"])
if "--list" in sys.argv:
    lacks = (prepared / "no_gpu").exists()
    sys.exit("bench_transfers: device cuda:0: no NVIDIA driver is installed" if lacks else 0)
with (prepared / "arguments").open("a") as file:
    print(*sys.argv[1:], file=file)
number = len((prepared / "arguments").read_text().splitlines())
(out,) = [one.removeprefix("--out=") for one in sys.argv if one.startswith("--out=")]
def take():
    if (prepared / f"{number}.json").exists():
        shutil.copy(prepared / f"{number}.json", out)
def interrupted(*_):
    take()
    sys.exit(130)
if (prepared / "wait").exists():
    signal.signal(signal.SIGINT, interrupted)
    (prepared / "waiting").touch()
    while True:
        time.sleep(1)
take()
print("summary", number)
sys.exit(int((prepared / "code").read_text()) if (prepared / "code").exists() else 0)
""".replace("PYTHON", sys.executable)


@dataclass(frozen=True)
class Project:
    """A copy of the scripts, a gate, and a program that pretends to measure."""

    root: Path
    baseline: Path
    lab: Lab

    @property
    def prepared(self) -> Path:
        return self.root / "prepared"

    @property
    def measured(self) -> list[str]:
        """The arguments of each measured run."""
        file = self.prepared / "arguments"
        return file.read_text().splitlines() if file.exists() else []

    @property
    def kept(self) -> list[str]:
        return sorted(path.name for path in (self.root / "results").rglob("*.*"))

    def prepare(self, runs: list[Path]) -> None:
        for number, run in enumerate(runs, 1):
            shutil.copy(run, self.prepared / f"{number}.json")

    def process_options(self) -> dict[str, Any]:
        ours = environment({"TRANSFERS_BIN": "../bin", "PREPARED": str(self.prepared)})
        work = self.root / "work"
        work.mkdir(exist_ok=True)
        return {"env": ours, "cwd": work}

    def command(self, *arguments: str) -> list[str]:
        return [str(self.root / "scripts/gate"), *arguments]

    def run(self, *arguments: str, expected: int | None = None) -> subprocess.CompletedProcess[str]:
        options = self.process_options()
        return call(self.command(*arguments), expected=expected, timeout=LIMIT_S, **options)

    def check(
        self, *arguments: str, expected: int | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Measures, and compares with the baseline."""
        return self.run("../baseline.json", *arguments, expected=expected)


def make_project(gate: Program, folder: Path) -> Project:
    (folder / "scripts").mkdir()
    for path in (SCRIPTS / "gate", *SCRIPTS.glob("*.sh")):
        shutil.copy(path, folder / "scripts")
    (folder / "bin").mkdir()
    (folder / "bin/gate_transfers").symlink_to(gate.path)
    fake = folder / "bin/bench_transfers"
    fake.write_text(FAKE)
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    (folder / "prepared").mkdir()
    (folder / "runs").mkdir()
    lab = Lab(folder / "runs", seed=21)
    baseline = folder / "baseline.json"
    gate.run("pin", *lab.sessions(3, 4), f"--out={baseline}", expected=0)
    return Project(folder, baseline, lab)
