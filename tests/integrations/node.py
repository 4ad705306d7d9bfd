"""A node for tests of integrations/node_check: programs whose times are known, and settings."""

from __future__ import annotations

import os
import subprocess
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from calls import call

ROOT = Path(__file__).resolve().parents[2]
INTEGRATIONS = ROOT / "integrations"
HEALTHY, SLOWER, BAD, UNKNOWN = 0, 1, 2, 3
ON_THE_HOST = (
    "--device=host",
    "--strategies=copy/pinned",
    "--sizes=64KiB",
    "--cache=warm",
    "--benchmark_min_time=0.001",
    "--benchmark_repetitions=3",
)
SLOW = "--inject=slow:1.5@^paced/second/"


def write_script(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/usr/bin/env bash\n{text}\n", "utf-8")
    path.chmod(0o755)
    return path


def programs_of_a_site(folder: Path, binary: Path) -> Path:
    """What the bundle has, as /opt/transfers."""
    beside = binary.resolve().parent
    for program, command, option in (
        ("bench_transfers", "fleet", "--mpi"),
        ("fleet_transfers", "judge", "--openmetrics"),
    ):
        path = beside / program
        if not path.exists():
            pytest.skip(f"no {path}")
        told = call([path, command, "--help"], timeout=60)
        assert option in told.stdout, f"{program} {command} has no {option}"
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("bench_transfers", "fleet_transfers", "gate_transfers"):
        (folder / name).symlink_to(beside / name)
    (folder / "integrations").symlink_to(INTEGRATIONS)
    return folder


def make_bundle(archive: Path, binary: Path) -> None:
    """What `cmake --build --target bundle` makes, as far as this computer needs it."""
    programs = programs_of_a_site(archive.parent / "of_the_bundle", binary)
    with tarfile.open(archive, "w:gz", dereference=True, compresslevel=1) as file:
        file.add(programs, arcname="bench_transfers-0.1.0-Linux-x86_64")


@dataclass(frozen=True)
class Node:
    """Its bench_transfers is the program whose clock only its strategies advance, so that no test
    depends on how busy this computer is. Its folder has a file `faults` with options for it."""

    folder: Path

    @property
    def settings(self) -> Path:
        return self.folder / "settings"

    @property
    def baseline(self) -> Path:
        return self.folder / "state/baseline.json"

    def check(self, *arguments: str) -> tuple[int, str]:
        """Exit code and line of node_check."""
        completed = call(
            [INTEGRATIONS / "node_check", *arguments],
            env={**os.environ, "TRANSFERS_SETTINGS": str(self.settings)},
            stdin=subprocess.DEVNULL,
            timeout=300,
        )
        assert completed.stdout.startswith("node_check: "), completed
        assert completed.stdout.count("\n") == 1
        return completed.returncode, completed.stdout.removeprefix("node_check: ").strip()

    def inject(self, fault: str, *, once: bool = False) -> None:
        """Into each process from now on, or into the next one only."""
        (self.folder / "faults").write_text(fault, "utf-8")
        (self.folder / "once").unlink(missing_ok=True)
        if once:
            (self.folder / "once").touch()

    @contextmanager
    def program(self, script: str) -> Iterator[None]:
        """Another bench_transfers for a while."""
        path = self.folder / "programs/bench_transfers"
        before = path.read_text("utf-8")
        write_script(path, script)
        try:
            yield
        finally:
            path.write_text(before, "utf-8")

    def set(self, line: str) -> None:
        with self.settings.open("a", encoding="utf-8") as file:
            file.write(line + "\n")


def make_node(folder: Path, binary: Path) -> Node:
    """A node with a baseline of six processes."""
    paced = binary.resolve().parent / "bench_transfers_paced"
    if not paced.exists():
        pytest.skip(f"no {paced}")
    programs = folder / "programs"
    # Seeds that follow each other: times that differ by what processes differ.
    write_script(
        programs / "bench_transfers",
        f"seed=$(($(cat {folder}/seed) + 1)); echo $seed >{folder}/seed\n"
        f"faults=$(cat {folder}/faults); [ ! -e {folder}/once ] || : >{folder}/faults\n"
        f'exec {paced} --seed=$seed $faults "$@"',
    )
    (programs / "gate_transfers").symlink_to(paced.with_name("gate_transfers"))
    (folder / "seed").write_text("1", "utf-8")
    (folder / "faults").touch()
    (folder / "settings").write_text(
        f"programs={programs}\n"
        f"state={folder}/state\n"
        "devices=host\n"
        'measure_options=("--sizes=256KiB,1MiB,4MiB" --cache=warm --benchmark_min_time=0.001\n'
        "  --benchmark_repetitions=3)\n"
        "check_options=(--decide-by=other --threshold=20%)\n"
        "every_s=0\n",
        "utf-8",
    )
    node = Node(folder)
    assert node.check("--pin=6") == (HEALTHY, "pinned runs=6")
    return node
