"""No command of any program replaces a file that a run is writing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from program import (
    ALL_RAN,
    ROOT,
    TINY,
    TINY_NAMES,
    USAGE,
    Program,
    assert_complains,
    read,
    wait_for_rows,
    without,
)

RESULTS = ROOT / "results/nvidia-h200"
RECORDED = RESULTS / "2026-11-21-report/result.json.gz"
NVBANDWIDTH = ROOT / "tests/e2e/nvbandwidth.json"
#: For more than an hour: 40,000 repetitions of 0.1 s each.
FOREVER = (
    *without(TINY, "--benchmark_min_time"),
    "--benchmark_min_time=0.1",
    "--benchmark_repetitions=10000",
)


@pytest.fixture(scope="module")
def written(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file that a run is writing."""
    file = tmp_path_factory.mktemp("written") / "result.json"
    with program.running(*FOREVER, f"--out={file}") as process:
        wait_for_rows(file, 3)
        yield file
        assert process.poll() is None, "it ended before the tests"
    assert read(file).names() <= set(TINY_NAMES)


@pytest.fixture(scope="module")
def result(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("another_run") / "result.json"
    program.measure(f"--out={file}")
    return file


@pytest.fixture(scope="module")
def sweep(fleet: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("sweep") / "sweep.json"
    fleet.run("collect", RECORDED, f"--out={file}", expected=0)
    return file


def assert_refused(program: Program, written: Path, *command: str | Path) -> None:
    assert_complains(program.run(*command), USAGE, f"another process writes {written}")


def test_of_bench_transfers(program: Program, written: Path, result: Path):
    for command in (
        ("export", result, "--format=csv", f"--out={written}"),
        ("import", NVBANDWIDTH, f"--out={written}"),
        ("compare", result, result, f"--json={written}"),
        ("compare", result, result, f"--markdown={written}"),
        ("doctor", "--device=host", f"--json={written}"),
        ("map", "--device=host:0", "--size=64KiB", f"--out={written}"),
        ("advise", f"--from={RECORDED}", "--check", f"--json={written}"),
        ("advise", f"--from={RECORDED}", f"--map={written}"),
    ):
        assert_refused(program, written, *command)


def test_of_gate_transfers(gate: Program, written: Path, pinned: tuple[Path, list[Path]]):
    baseline, runs = pinned
    assert_refused(gate, written, "pin", *runs, f"--out={written}")
    for option in ("--json", "--junit", "--markdown"):
        assert_refused(gate, written, "check", baseline, *runs, f"{option}={written}")
        # scripts/gate asks so before it measures, and then removes earlier answers.
        assert_refused(gate, written, "check", baseline, "--dry-run", f"{option}={written}")


def test_of_fleet_transfers(fleet: Program, written: Path, sweep: Path):
    assert_refused(fleet, written, "collect", RECORDED, f"--out={written}")
    for option in ("--json", "--junit", "--markdown", "--openmetrics"):
        assert_refused(fleet, written, "judge", sweep, f"{option}={written}")
    assert_refused(fleet, written, "history", sweep, f"--json={written}")


def test_a_file_that_nobody_writes_any_more_is_replaced(
    program: Program, gate: Program, fleet: Program, result: Path, sweep: Path,
    pinned: tuple[Path, list[Path]], tmp_path: Path,
):  # fmt: skip
    file = tmp_path / "result.json"
    with program.running(*FOREVER, f"--out={file}"):
        wait_for_rows(file, 3)
    program.run("export", result, "--format=csv", f"--out={file}", expected=ALL_RAN)
    assert file.read_text().startswith("file,")
    gate.run("pin", *pinned[1], f"--out={file}", expected=0)
    assert file.read_bytes() == pinned[0].read_bytes()
    fleet.run("collect", RECORDED, f"--out={file}", expected=0)
    assert file.read_bytes() == sweep.read_bytes()
