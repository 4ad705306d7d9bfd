"""Every command in README and docs is run, or docs_commands.LEFT_OUT says why not."""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from docs_commands import (
    GIVEN,
    LEFT_OUT,
    ROOT,
    SWEEPS,
    Block,
    Command,
    LeftOut,
    blocks_of,
    entry_of,
    pages,
)
from program import LIMIT_S, Program, environment

# Runs of milliseconds. Google Benchmark reads these variables, and so do the programs.
QUICK = {
    "BENCHMARK_FILTER": "^(copy/(pageable|pinned)|zero_copy/pinned_mapped)/.*/(4KiB|64KiB)$",
    "BENCHMARK_REPETITIONS": "2",
    "BENCHMARK_MIN_TIME": "0.0001",
}
IN_THE_FUTURE = 4102444800  # 2100
# Programs that judge also answer by these codes. 2 would be a command that they do not take.
JUDGES = re.compile(
    r"\b(gate_transfers check|scripts/gate|fleet_transfers (judge|history)"
    r"|bench_transfers doctor)\b"
)
PROGRAM = re.compile(r"(?:^|[\s/;(])((?:bench|gate|fleet)_transfers|scripts/\w+)(?=\s|$)")


def answers(command: Command) -> set[int]:
    return {0, 1, 3} if JUDGES.search(command.text) else {0}


def script_of(blocks: list[Block]) -> str:
    """Each block begins in the same folder, and ends at a command that fails."""
    lines = ["set -u"]
    for block in blocks:
        lines += ["(", ":"]
        for command in block.commands:
            if entry_of(command, block):
                continue
            right = "|".join(str(code) for code in sorted(answers(command)))
            lines += [
                command.text,
                f"case $? in {right}) ;; *) echo '{command.place}' >&2; exit 9 ;; esac",
            ]
        lines.append(") || exit $?")
    return "\n".join(lines)


def give(page: str, folder: Path, fleet: Program) -> None:
    for name, source in GIVEN.get(page, {}).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        unpacked = source.suffix == ".gz" and not name.endswith(".gz")
        file.write_bytes(gzip.decompress(source.read_bytes()) if unpacked else source.read_bytes())
        # advise takes the newest result: that of a GPU, not what this machine measures meanwhile.
        os.utime(file, (IN_THE_FUTURE, IN_THE_FUTURE))
    for name, runs in SWEEPS.get(page, {}).items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        fleet.run("collect", *runs, f"--out={file}", "--within=10000", expected=0)


@pytest.fixture
def clone(program: Program, tmp_path: Path) -> Path:
    """A folder with what the commands use of the repository; programs are built already."""
    folder = tmp_path / "clone"
    shutil.copytree(ROOT / "scripts", folder / "scripts")
    (folder / "results").mkdir()
    for name in ("results/nvidia-h100", "results/nvidia-h200", "plots", "CMakeLists.txt", ".venv"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").symlink_to(program.path.parent)
    return folder


@pytest.mark.parametrize("page", sorted(pages()))
def test_the_commands_run(page: str, clone: Path, program: Program, fleet: Program):
    give(page, clone, fleet)
    programs = program.path.parent
    completed = subprocess.run(
        ["bash", "-c", script_of(pages()[page])],
        cwd=clone,
        env=environment(QUICK)
        | {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "TRANSFERS_BIN": str(programs),
            "HOME": str(clone),
        },
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT_S,
        check=False,
    )
    assert completed.returncode == 0, f"{completed.stdout[-2000:]}\n{completed.stderr[-2000:]}"


def test_a_wrong_command_is_found(clone: Path):
    """Otherwise the test above would show nothing."""
    text = "```sh\ntrue\n```\n\n  ```sh\n  bench_transfers doctor \\\n    --mesure\n  ```\n"
    blocks = list(blocks_of("docs/MADE_UP.md", text))
    assert [command.place for block in blocks for command in block.commands] == [
        "docs/MADE_UP.md:2",
        "docs/MADE_UP.md:6",
    ]
    path = f"{clone / 'build'}:{os.environ['PATH']}"
    completed = subprocess.run(
        ["bash", "-c", script_of(blocks)],
        env=environment({"PATH": path}),
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert completed.returncode != 0
    assert "--mesure" in completed.stderr
    assert completed.stderr.endswith("docs/MADE_UP.md:6\n")


# What is left out


@pytest.mark.parametrize("entry", LEFT_OUT, ids=lambda entry: f"{entry.page}:{entry.words}")
def test_each_reason_is_that_of_a_command(entry: LeftOut):
    assert any(
        entry.is_of(command, block) for block in pages()[entry.page] for command in block.commands
    )
    for named in re.findall(r"tests/[\w/]+(?:\.py)?", entry.reason):
        assert (ROOT / named).exists()
    for named in re.findall(r"(tests/\S+\.py) runs it", entry.reason) * entry.whole_block:
        assert entry.page in (ROOT / named).read_text("utf-8")


def options_of(text: str) -> set[str]:
    return set(re.findall(r"--[a-z][\w-]+", text))


def known_options(name: str, command: str, programs: Path) -> set[str]:
    if name.startswith("scripts/"):
        lists = "bench_options gate_options" if name != "scripts/report" else ""
        text = (ROOT / name).read_text("utf-8") + (ROOT / "scripts/arguments.sh").read_text(
            "utf-8"
        ) * bool(lists)
        return options_of(text)
    run = [str(programs / name), command, "--help"] if command else [str(programs / name), "--help"]
    return options_of(subprocess.run(run, capture_output=True, text=True, check=True).stdout)


def left_out() -> list[Command]:
    return [
        command
        for blocks in pages().values()
        for block in blocks
        for command in block.commands
        if entry_of(command, block) and PROGRAM.search(command.text)
    ]


@pytest.mark.parametrize("command", left_out(), ids=lambda command: command.place)
def test_what_is_left_out_has_options_that_exist(command: Command, program: Program):
    """At least that. --help has no room for --inject, which test_your_repository.py runs."""
    calls = list(PROGRAM.finditer(command.text))
    for call, following in zip(calls, [*calls[1:], None], strict=True):
        rest = command.text[call.end() : following.start() if following else None]
        rest = re.split(r"[;|&#\n](?<!\\\n)", rest)[0]
        words = shlex.split(rest.replace("\\\n", " "))
        first = words[0] if words and re.fullmatch("[a-z]+", words[0]) else ""
        known = known_options(call[1], first, program.path.parent)
        for word in words:
            if word.startswith("--") and not word.startswith("--benchmark_") and len(word) > 2:
                assert word.partition("=")[0] in known | {"--inject"}


def test_presets_exist():
    text = (ROOT / "CMakePresets.json").read_text("utf-8")
    presets = {preset["name"] for preset in json.loads(text)["configurePresets"]}
    files = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    named = {
        name for file in files for name in re.findall(r"--preset (\w+)", file.read_text("utf-8"))
    }
    assert named
    assert named <= presets
