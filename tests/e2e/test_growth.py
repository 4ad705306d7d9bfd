"""Work grows with the input: each reader of files is given eight times as much.

The processor's time in the program is compared, not the time that passes: a busy machine changes it
little, and the least of several runs less. The bounds have room for a factor of three.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from advice_files import QUESTION, gpu_file, rows, write
from gate_files import Lab
from program import Program

ROOT = Path(__file__).resolve().parents[2]
NVBANDWIDTH = Path(__file__).parent / "nvbandwidth.json"
TIMES = 8  # as much
LINEAR = 3 * TIMES
QUADRATIC = 3 * TIMES**2

Arguments = list[str | Path]


def processor_seconds(program: Program, arguments: Arguments) -> float:
    def once() -> float:
        process = subprocess.Popen(program.command(*arguments), stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        assert os.waitstatus_to_exitcode(status) == 0, arguments
        return used.ru_utime

    return min(once() for _ in range(3))


def made_up_run(path: Path, benchmarks: int, repetitions: int = 5) -> Path:
    """A result file of one kind of copies, with so many sizes."""
    document = gpu_file([4096, 8192], allocation=False, cpu=False)
    document["benchmarks"] = [
        row | {"repetition_index": index, "median_ns": row["median_ns"] * (1 + index % 97 / 1e3)}
        for size in range(1, benchmarks + 1)
        for memory in ("pageable", "pinned")
        for index in range(repetitions)
        for row in rows(f"copy/{memory}/h2d/{4096 * size}B", 6000 + 400 * size, 4096 * size)[:1]
    ]
    return write(path, document)


def of_sizes(folder: Path, count: int) -> Arguments:
    return ["advise", *QUESTION, f"--from={made_up_run(folder / 'run.json', count)}"]


def of_repetitions(folder: Path, count: int) -> Arguments:
    return ["advise", *QUESTION, f"--from={made_up_run(folder / 'run.json', 2, count)}"]


def exported(folder: Path, count: int) -> Arguments:
    return ["export", "--format=csv", made_up_run(folder / "run.json", count)]


def imported(folder: Path, count: int) -> Arguments:
    document = json.loads(NVBANDWIDTH.read_text("utf-8"))
    answer = document["nvbandwidth"]
    answer["GPU Device list"] = [
        f"{number}: NVIDIA H200 (00000000:{number // 32:02x}:{number % 32:02x}): (node)"
        for number in range(count)
    ]
    answer["testcases"][0] |= {"bandwidth_matrix": [["50.5"] * count], "sum": 50.5 * count}
    return ["import", write(folder / "nvbandwidth.json", document)]


def lab(folder: Path, count: int) -> list[Path]:
    costs = {f"copy/pinned/h2d/{4096 * size}B": 6000.0 + 400 * size for size in range(1, count + 1)}
    return [Path(path) for path in Lab(folder, costs).runs(3)]


def judged(gate: Program, folder: Path, count: int) -> Arguments:
    """Reads a baseline, and runs."""
    runs = lab(folder, count)
    completed = gate.run("pin", *runs, f"--out={folder / 'baseline.json'}")
    assert completed.code == 0, completed
    return ["power", folder / "baseline.json"]


def shown(folder: Path, count: int) -> Arguments:
    return ["show", *lab(folder, count)]


def growth(
    program: Program, folder: Path, make: Callable[[Path, int], Arguments], first: int
) -> float:
    seconds = []
    for count in (first, TIMES * first):
        of_count = folder / str(count)
        of_count.mkdir()
        seconds.append(processor_seconds(program, make(of_count, count)))
    return seconds[1] / max(seconds[0], 0.001)


@pytest.mark.parametrize(
    ("make", "first", "most"),
    [
        (of_sizes, 150, QUADRATIC),
        (of_repetitions, 2500, LINEAR),
        (exported, 500, LINEAR),
        (imported, 500, LINEAR),
    ],
)
def test_twice_the_input_takes_a_bounded_factor_more(
    program: Program,
    tmp_path: Path,
    make: Callable[[Path, int], Arguments],
    first: int,
    most: float,
) -> None:
    assert growth(program, tmp_path, make, first) < most


def test_baselines_are_read_in_proportion_to_their_benchmarks(
    gate: Program, tmp_path: Path
) -> None:
    def make(folder: Path, count: int) -> Arguments:
        return judged(gate, folder, count)

    assert growth(gate, tmp_path, make, 300) < LINEAR


def test_runs_are_read_in_proportion_to_their_benchmarks(gate: Program, tmp_path: Path) -> None:
    assert growth(gate, tmp_path, shown, 300) < LINEAR


def test_sweeps_are_read_in_proportion_to_their_gpus(fleet: Program, tmp_path: Path) -> None:
    collected = tmp_path / "one.json"
    completed = fleet.run(
        "collect", ROOT / "results/nvidia-h200/2026-11-21-gate", f"--out={collected}"
    )
    assert completed.code == 0, completed
    sweep = json.loads(collected.read_text("utf-8"))

    def of_gpus(folder: Path, count: int) -> Arguments:
        first = sweep["gpus"][0]
        gpus: list[dict[str, Any]] = [
            first | {"uuid": f"GPU-{number}", "node": f"node{number}"} for number in range(count)
        ]
        path = write(folder / "sweep.json", sweep | {"gpus": gpus, "problems": []})
        return ["show", path]

    assert growth(fleet, tmp_path, of_gpus, 40) < LINEAR


LINES = """
import sys
from pathlib import Path
from plots.model.derive import Run
from plots.model.load import read_result

lines = 0

def count(frame, event, argument):
    global lines
    lines += event == "line"
    return count

sys.settrace(count)
Run(read_result(Path(sys.argv[1]))).transfers
sys.settrace(None)
print(lines)
"""


def test_python_reads_results_in_proportion_to_their_rows(tmp_path: Path) -> None:
    """Here the lines that Python runs are counted: they are the same each time."""
    work = []
    for count in (100, 200, 400):
        path = made_up_run(tmp_path / f"{count}.json", count)
        command = [sys.executable, "-c", LINES, str(path)]
        printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
        work.append(int(printed.stdout))
    assert (work[2] - work[1]) / (work[1] - work[0]) < 2.2
