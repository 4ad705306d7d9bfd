"""No command of any program replaces a file that a run is writing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from program import (
    ALL_RAN,
    TINY,
    TINY_NAMES,
    USAGE,
    Program,
    assert_complains,
    read,
    wait_for,
    without,
)

RESULTS = Path(__file__).resolve().parents[2] / "results/nvidia-h200"
RECORDED = RESULTS / "2026-11-21-report/result.json.gz"
NVBANDWIDTH = Path(__file__).parent / "nvbandwidth.json"
#: For more than an hour: 40,000 repetitions of 0.1 s each.
FOREVER = (
    *without(TINY, "--benchmark_min_time"),
    "--benchmark_min_time=0.1",
    "--benchmark_repetitions=10000",
)


@dataclass(frozen=True)
class Writer:
    """A run that is writing a file."""

    process: int
    file: Path


@pytest.fixture(scope="module")
def writer(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Writer]:
    file = tmp_path_factory.mktemp("writer") / "result.json"
    with program.start(*FOREVER, f"--out={file}") as process:
        try:
            wait_for(lambda: file.exists() and len(read(file).rows) >= 3, "some repetitions")
            yield Writer(process.pid, file)
            assert process.poll() is None, "it ended before the tests"
        finally:
            process.kill()
    assert read(file).names() <= set(TINY_NAMES)


@pytest.fixture(scope="module")
def result(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("another_run") / "result.json"
    program.measure(f"--out={file}")
    return file


@pytest.fixture(scope="module")
def sweep(fleet: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sweep") / "sweep.json"
    assert fleet.run("collect", RECORDED, f"--out={file}").code == 0
    return file


def assert_refused(program: Program, writer: Writer, *command: str | Path) -> None:
    completed = program.run(*command)
    assert_complains(completed, USAGE, f"process {writer.process} writes", writer.file.name)


def test_of_bench_transfers(program: Program, writer: Writer, result: Path):
    for command in (
        ("export", result, "--format=csv", f"--out={writer.file}"),
        ("import", NVBANDWIDTH, f"--out={writer.file}"),
        ("compare", result, result, f"--json={writer.file}"),
        ("compare", result, result, f"--markdown={writer.file}"),
        ("doctor", "--device=host", f"--json={writer.file}"),
        ("map", "--device=host:0", "--size=64KiB", f"--out={writer.file}"),
        ("advise", f"--from={RECORDED}", "--check", f"--json={writer.file}"),
        ("advise", f"--from={RECORDED}", f"--map={writer.file}"),
    ):
        assert_refused(program, writer, *command)


def test_of_gate_transfers(gate: Program, writer: Writer, pinned: tuple[Path, list[Path]]):
    baseline, runs = pinned
    assert_refused(gate, writer, "pin", *runs, f"--out={writer.file}")
    for option in ("--json", "--junit", "--markdown"):
        assert_refused(gate, writer, "check", baseline, *runs, f"{option}={writer.file}")
        # scripts/gate asks so before it measures, and then removes earlier answers.
        assert_refused(gate, writer, "check", baseline, "--dry-run", f"{option}={writer.file}")


def test_of_fleet_transfers(fleet: Program, writer: Writer, sweep: Path):
    assert_refused(fleet, writer, "collect", RECORDED, f"--out={writer.file}")
    for option in ("--json", "--junit", "--markdown", "--openmetrics"):
        assert_refused(fleet, writer, "judge", sweep, f"{option}={writer.file}")
    assert_refused(fleet, writer, "history", sweep, f"--json={writer.file}")


def test_a_file_that_nobody_writes_any_more_is_replaced(
    program: Program, gate: Program, fleet: Program, result: Path, sweep: Path,
    pinned: tuple[Path, list[Path]], tmp_path: Path,
):  # fmt: skip
    file = tmp_path / "result.json"
    with program.start(*FOREVER, f"--out={file}") as process:
        try:
            wait_for(lambda: file.exists() and len(read(file).rows) >= 3, "some repetitions")
        finally:
            process.kill()
    assert program.run("export", result, "--format=csv", f"--out={file}").code == ALL_RAN
    assert file.read_text().startswith("file,")
    assert gate.run("pin", *pinned[1], f"--out={file}").code == 0
    assert file.read_bytes() == pinned[0].read_bytes()
    assert fleet.run("collect", RECORDED, f"--out={file}").code == 0
    assert file.read_bytes() == sweep.read_bytes()
