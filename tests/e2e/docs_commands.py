"""The commands of README and docs, and which of them a machine without a GPU cannot run."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from calls import call

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>[a-z]*)")
SHELLS = {"sh", "bash", "console", "shell"}

BUILDS = "builds for minutes; CI does"
MINUTES = "measures for minutes"
NEEDS_GPU = "needs a GPU"
NEEDS_LINKS = "needs a GPU's links; tests/e2e/test_gate_runs.py runs the script"


@dataclass(frozen=True)
class Command:
    page: str
    line: int
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"


@dataclass(frozen=True)
class Block:
    page: str
    commands: tuple[Command, ...]

    @property
    def text(self) -> str:
        return "\n".join(command.text for command in self.commands)


@dataclass(frozen=True)
class LeftOut:
    """Commands that contain the words, or blocks that do, and why they are not run."""

    page: str
    words: str
    reason: str
    whole_block: bool = False

    def is_of(self, command: Command, block: Block) -> bool:
        text = block.text if self.whole_block else command.text
        return self.page == command.page and self.words in text


# The options of the programs are looked up in these, too.
LEFT_OUT = [
    LeftOut("README.md", "scripts/bench     #", MINUTES),
    LeftOut("README.md", "scripts/bench --profile=standard", MINUTES),
    LeftOut("README.md", "cmake --preset", BUILDS),
    LeftOut("README.md", "scripts/gate base", NEEDS_LINKS),
    LeftOut("README.md", "bench_transfers map", NEEDS_GPU),
    LeftOut("README.md", "scripts/report", "draws for 15 s; tests/plots do"),
    LeftOut("README.md", "srun", "needs Slurm"),
    LeftOut("docs/ADVISE.md", "scripts/bench --profile=standard", MINUTES),
    LeftOut("docs/ADVISE.md", "bench_transfers map", NEEDS_GPU),
    LeftOut("docs/ADVISE.md", "--devices=cuda:0,2-3", "needs the map of four GPUs"),
    LeftOut("docs/BUILD.md", "cmake", BUILDS),
    LeftOut("docs/BUILD.md", "report/bin", "tests/packages runs it", True),
    LeftOut("docs/COMPARE.md", "--profile=standard", MINUTES),
    LeftOut("docs/COMPARE.md", "scripts/report", "draws for 15 s; tests/plots do"),
    LeftOut("docs/EXPORTS.md", "nvbandwidth --json", "needs nvbandwidth"),
    LeftOut("docs/EXPORTS.md", "--sizes=512MiB", "a GPU's run: ours.json is a recorded one"),
    LeftOut("docs/BUILD.md", "apt-get install", "tests/packages runs it", True),
    LeftOut("docs/CPU_ACCESS.md", "scripts/bench", "draws for 15 s, as the README does"),
    LeftOut("docs/DOCTOR.md", "--device=cuda:0", NEEDS_GPU),
    LeftOut("docs/DOCTOR.md", "srun", "needs Slurm"),
    LeftOut("docs/FLEET.md", "srun", "needs Slurm"),
    LeftOut("docs/FLEET.md", "mpirun -n 16", NEEDS_GPU),
    LeftOut("docs/FLEET.md", "WORLD_SIZE=2", "tests/e2e/test_fleet_mpi.py runs it", True),
    LeftOut("docs/GATE.md", "cmake --preset", BUILDS),
    LeftOut("docs/GATE.md", "for i in $(seq 3)", "as in the README; given are runs of a GPU"),
    LeftOut("docs/GATE.md", "scripts/gate base", NEEDS_LINKS),
    LeftOut("docs/GATE.md", "gate_transfers history", "many days; test_gate_history.py runs it"),
    LeftOut("docs/INSTALL.md", "transfers/bin", "tests/packages/test_wheel.py does it", True),
    LeftOut("docs/MAP.md", "bench_transfers map   ", NEEDS_GPU),
    LeftOut("docs/MAP.md", "--device=cuda:0,2-3", NEEDS_GPU),
    LeftOut("docs/MAP.md", "--device=host:0@", "measures for 25 s; tests/e2e/test_map.py does"),
    LeftOut("docs/REPORT.md", "scripts/report", "draws for 15 s; tests/plots do"),
    LeftOut("docs/SITE.md", "sbatch", "tests/integrations/test_slurm.py runs it", True),
    LeftOut("docs/SITE.md", "kubectl", "needs a cluster of Kubernetes", True),
    LeftOut("docs/SITE.md", "ansible-playbook", "needs hosts of Ansible"),
    LeftOut("docs/SITE.md", "node_sweep", "tests/integrations/test_sweep.py runs it", True),
    LeftOut("docs/SITE.md", "/opt/transfers/integrations/node_check", NEEDS_GPU),
    LeftOut("docs/SITE.md", "dcgm/limits.py", "tests/integrations/test_dcgm.py runs it"),
    LeftOut("docs/SITE.md", "dcgmi", "needs DCGM"),
    LeftOut("docs/SITE.md", "reframe", "tests/integrations/test_reframe.py runs it"),
    LeftOut(
        "docs/YOUR_REPOSITORY.md", ".transfers", "tests/e2e/test_your_repository.py does", True
    ),
    LeftOut("docs/fast_paths/company.md", "bench_transfers", MINUTES),
    LeftOut("docs/fast_paths/interference.md", "--strategies=", MINUTES),
    LeftOut(
        "docs/fast_paths/parameters.md",
        "launch/parameters",
        "tests/e2e/test_fast_path_strategies.py runs it",
    ),
    LeftOut("docs/library/INSTALL.md", "cmake", "tests/consumer/test_install.py does it"),
    LeftOut(
        "docs/library/INSTALL.md", "pkg-config", "tests/consumer/test_pkg_config.py does", True
    ),
]

H200 = ROOT / "results/nvidia-h200"
GATE = H200 / "2026-11-21-gate"
RESULT = H200 / "2026-11-21-report/result.json.gz"
HOST_MAP = H200 / "2026-11-22-two-gpus/host_map.json"
# What the reader of a page has measured before, or on machines with GPUs.
GIVEN: dict[str, dict[str, Path]] = {
    "README.md": {
        "results/local/a/b/result.json": RESULT,
        "before.json": GATE / "first-1.json.gz",
        "after.json": GATE / "third-1.json.gz",
        "sweep/node/gpu.json.gz": GATE / "first-1.json.gz",
    },
    "docs/ADVISE.md": {
        "results/local/a/b/result.json": RESULT,
        "result.json": RESULT,
        "host_map.json": HOST_MAP,
    },
    "docs/COMPARE.md": {
        f"h{model}{number}.json": ROOT
        / f"results/nvidia-h{model}/2026-11-26-two-gpus{folder}/copies-1.json.gz"
        for model, folder in {"200": "", "100": "-3"}.items()
        for number in ("", "-1")
    },
    "docs/EXPORTS.md": {
        "before.json": GATE / "first-1.json.gz",
        "before-1.json": GATE / "first-1.json.gz",
        "before-2.json": GATE / "first-2.json.gz",
        "after.json": GATE / "third-1.json.gz",
        "after-1.json": GATE / "third-1.json.gz",
        "after-2.json": GATE / "third-2.json.gz",
        "result.json": RESULT,
        "nv.json": ROOT / "tests/e2e/nvbandwidth.json",
        "ours.json": ROOT / "results/nvidia-h200/2026-11-23-staging-5/result.json.gz",
    },
    "docs/FLEET.md": {
        "plugin.c": ROOT / "src/fleet/mpi/plugin.c",
        "plugin.h": ROOT / "src/fleet/mpi/plugin.h",
        "sweep/node/gpu.json.gz": GATE / "first-1.json.gz",
    },
    "docs/GATE.md": {
        f"{ours}-{number}.json": GATE / f"{recorded}-{number}.json.gz"
        for ours, recorded in {"run-2026-11-21": "first", "new": "third"}.items()
        for number in (1, 2, 3, 4, 5)
    },
}
# Sweeps that are collected for the page, and of which runs.
SWEEPS: dict[str, dict[str, list[Path]]] = {
    "docs/FLEET.md": {
        name: [GATE / f"first-{number}.json.gz", H200 / f"2026-11-22-gate/fifth-{number}.json.gz"]
        for name, number in {
            "accepted.json.gz": 1,
            "monday.json.gz": 2,
            "tuesday.json.gz": 3,
            "sweeps/a.json.gz": 4,
            "sweeps/b.json.gz": 5,
        }.items()
    }
}


def is_complete(text: str) -> bool:
    """Whether bash would run it now, and not wait for more lines."""
    checked = call(["bash", "-n"], input=text)
    return checked.returncode == 0 and not checked.stderr and not text.endswith("\\\n")


def commands_of(page: str, first_line: int, lines: list[str]) -> Iterator[Command]:
    text, begin = "", first_line
    for number, line in enumerate(lines, first_line):
        text += line.removeprefix("$ ") + "\n"
        if is_complete(text):
            yield Command(page, begin, text.removesuffix("\n"))
            text, begin = "", number + 1
    assert not text, f"{page}:{begin}: no end of this command"


def blocks_of(page: str, text: str) -> Iterator[Block]:
    lines = text.splitlines()
    number = 0
    while number < len(lines):
        fence = FENCE.match(lines[number])
        number += 1
        if not fence:
            continue
        begin, indent = number, len(fence["indent"])
        while not lines[number].startswith(fence["indent"] + "```"):
            number += 1
        if fence["language"] in SHELLS:
            inside = [line[indent:] for line in lines[begin:number]]
            if fence["language"] == "console":  # with what is printed
                inside = [line for line in inside if line.startswith("$ ")]
            yield Block(page, tuple(commands_of(page, begin + 1, inside)))
        number += 1


@functools.cache
def pages() -> dict[str, list[Block]]:
    files = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
    names = [str(file.relative_to(ROOT)) for file in files]
    found = {
        name: list(blocks_of(name, file.read_text("utf-8")))
        for name, file in zip(names, files, strict=True)
    }
    return {name: blocks for name, blocks in found.items() if blocks}


def entry_of(command: Command, block: Block) -> LeftOut | None:
    return next((entry for entry in LEFT_OUT if entry.is_of(command, block)), None)
