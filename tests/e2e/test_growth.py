"""Work grows with the input: each reader of files is given twice as much, and twice as much again.

Instructions are counted (valgrind), not time: they are the same on a busy machine. What the second
doubling adds, as a multiple of what the first one has added, is 2 where work grows in proportion, 4
where it grows with the square.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from itertools import pairwise, zip_longest
from pathlib import Path

import described
import limits
import pytest
from advice_files import MIB, QUESTION, gpu_file, rows, write
from calls import call
from gate_files import Lab
from program import ROOT, Program, environment
from test_completion import COMMANDS
from test_fleet import small_sweep

pytestmark = pytest.mark.nightly

NVBANDWIDTH = ROOT / "tests/e2e/nvbandwidth.json"
TWO_GPUS = ROOT / "results/nvidia-h200/2026-11-22-two-gpus/host_map.json"
PROPORTION, SQUARE, CUBE = 2.6, 4.6, 8.6  # with room for logarithms

Arguments = list[str | Path]
Make = Callable[[Path, int], Arguments]
# What is doubled, how much of it there is first, and how work may grow.
Readers = dict[str, tuple[Make, int, float]]


def counts(program: Program, commands: list[tuple[Path, Arguments]], folder: Path) -> list[int]:
    """The instructions of all but the first of these commands: one process runs them all."""
    codes, log = folder / "codes.txt", folder / "valgrind.txt"
    lines = ["\t".join(map(str, (at, *given))) for at, given in commands]
    count = ("--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null")
    again = {"CALLED_AGAIN": program.path, "CALLED_AGAIN_CODES": codes}
    again |= {"LD_PRELOAD": limits.library("called_again", folder)}
    completed = call(
        ["valgrind", *count, f"--log-file={log}", program.path],
        input="\n".join(lines) + "\n",
        env=environment({name: f"{value}" for name, value in again.items()}),
    )
    # What is slower, or not known, is an answer, too.
    for line, code in zip_longest(lines, codes.read_text("utf-8").split()):
        assert code in ("0", "1", "3"), (line, completed.stderr)
    sums = [
        int(found.replace(",", ""))
        for found in re.findall(r"I +refs: +([\d,]+)", log.read_text("utf-8"))
    ]
    return [after - before for before, after in pairwise(sums[:-1])]


def assert_growth(program: Program, readers: Readers, folder: Path) -> None:
    commands: list[tuple[Path, Arguments]] = [(folder, ["--version"])]
    for place, (make, first, _) in enumerate(readers.values()):
        for count in (first, 2 * first, 4 * first):
            of_count = folder / f"{place}" / f"{count}"
            of_count.mkdir(parents=True)
            commands.append((of_count, make(of_count, count)))
    work = counts(program, commands, folder)
    steep = []
    for (name, (_, _, most)), at in zip(readers.items(), range(0, len(work), 3), strict=True):
        first, second, third = work[at : at + 3]
        if not (growth := (third - second) / (second - first)) < most:
            steep.append(f"{name}: {growth:.2f}, not less than {most}")
    assert not steep, "\n".join(steep)


def run(
    folder: Path, name: str = "run", sizes: int = 2, repetitions: int = 5, strategies: int = 1
) -> Path:
    """Of another name: other times, of another process."""
    other = 1 + int(name.encode().hex(), 16) % 997 / 1e5
    document = gpu_file([4096, 8192], allocation=False, cpu=False)
    document["benchmarks"] = [
        row | {"repetition_index": index, "real_time": ns, "time_unit": "ns", "median_ns": ns}
        for strategy in range(strategies)
        for size in range(4096, 4096 * (sizes + 1), 4096)
        for row in rows(f"copy/kind{strategy}/h2d/{size}B", 6000 + size / 10, size)[:1]
        for index in range(repetitions)
        for ns in [other * row["median_ns"] * (1 + index % 97 / 1e3)]
    ]
    return write(folder / f"{name}.json", document)


def jobs(
    folder: Path, settings: int = 1, strategies: int = 2, sizes: int = 2, repetitions: int = 5
) -> Path:
    """Transfers both ways; those of one setting are alternatives to each other."""
    document = gpu_file([4096, 8192], allocation=False, cpu=False)
    document["benchmarks"], entries = [], {}
    for setting in range(settings):
        for strategy in range(strategies):
            for size in range(4096, 4096 * (sizes + 1), 4096):
                name = f"duplex/s{strategy}/{setting}/{size}B"
                row = rows(name, 5000 + strategy + size / 10, size)[0]
                document["benchmarks"] += [
                    row | {"repetition_index": index} for index in range(repetitions)
                ]
                entries[name] = described.describe(name) | {
                    "family": "duplex",
                    "strategy": f"duplex/s{strategy}",
                    "setting": str(setting),
                    "direction": "both",
                    "role": "duplex",
                }
    document["context"]["transfers"]["benchmarks"] = entries
    file = folder / "run.json"
    file.write_text(json.dumps(described.complete(document)), "utf-8")
    return file


def host_map(folder: Path, devices: int = 8, sets: int = 0, nodes: int = 0) -> str:
    document = json.loads(TWO_GPUS.read_text("utf-8"))
    alone = document["devices"][0]["alone"]
    document["devices"] = [{"name": f"cuda:{index}", "alone": alone} for index in range(devices)]
    document["pci"] = {"visible": False, "paths": []}
    document["links"] = [
        document["links"][0] | {"devices": members}
        for members in ([*range(devices)], *([each, each + 1] for each in range(0, devices, 2)))
    ]
    document["sets"] = []
    for index in range(sets):
        h2d = sorted({index % devices, index // 3 % devices})
        rates = [3e10 * (1 + index % 7 / 100)] * (len(h2d) + 1)
        document["sets"].append(
            {"h2d": h2d, "d2h": [index // 5 % devices], "held_out": index % 5 == 0}
            | {"measured": rates, "predicted": rates}
        )
    rate = {"h2d": alone["h2d"], "d2h": alone["d2h"]}
    document["nodes"] = [{"node": node, "rates": [rate] * devices} for node in range(nodes)]
    file = folder / "map.json"
    file.write_text(json.dumps(document), "utf-8")
    return f"--host-map={file}"


def nvbandwidth(folder: Path, devices: int) -> Path:
    document = json.loads(NVBANDWIDTH.read_text("utf-8"))
    answer = document["nvbandwidth"]
    answer["GPU Device list"] = [
        f"{number}: NVIDIA H200 (00000000:{number // 32:02x}:{number % 32:02x}): (node)"
        for number in range(devices)
    ]
    answer["testcases"][0] |= {"bandwidth_matrix": [["50.5"] * devices], "sum": 50.5 * devices}
    file = folder / "nvbandwidth.json"
    file.write_text(json.dumps(document), "utf-8")
    return file


def lab(folder: Path, benchmarks: int, name: str = "lab") -> Lab:
    """Two of other names have other runs."""
    (folder / name).mkdir(parents=True)
    costs = {f"copy/pinned/h2d/{4096 * size}B": 6000.0 + size for size in range(1, benchmarks + 1)}
    return Lab(folder / name, costs, seed=sum(name.encode()))


def sweep(folder: Path, gpus: int = 20, benchmarks: int = 2, day: int = 0, slow: int = 0) -> Path:
    """Of a day; some of the first GPUs are slow."""
    date = f"{2010 + day // 300}-{1 + day // 28 % 10:02d}-{1 + day % 28:02d}"
    file = small_sweep(folder / f"sweep{day}.json", date)
    document = json.loads(file.read_text("utf-8"))
    benchmark, gpu = document["benchmarks"][0], document["gpus"][0]
    document["benchmarks"] = [
        benchmark | {"name": f"copy/pinned/h2d/{4096 * size}B"} for size in range(1, benchmarks + 1)
    ]
    document["gpus"] = [
        gpu
        | {
            "uuid": f"GPU-{number:06d}",
            "node": f"node{number // 4}",
            "rack": f"rack{number // 32}",
            "times_ns": [[[1e6 * (1.2 if number < slow else 1) + 1e3 * (number % 3)] * 3]]
            * benchmarks,
        }
        for number in range(gpus)
    ]
    file.write_text(json.dumps(document), "utf-8")
    return file


def results(folder: Path, gpus: int = 4, benchmarks: int = 5, runs: int = 1) -> Path:
    """Of one GPU on each node, for `collect`."""
    for number in range(gpus):
        facts = {"device.uuid": f"GPU-{number}"}
        lab(folder / "in", benchmarks, f"node{number}").runs(runs, facts=facts)
    return folder / "in"


BOTH = ("advise", "--for=duplex", "--bytes=1MiB")
ALL = "--devices=all"
FORMATS = (
    *("csv", "markdown", "openmetrics"),
    *("bencher", "github-benchmark", "github-benchmark-bigger", "report"),
)


def exported(format_: str, what: str) -> Make:
    return lambda at, n: [
        *("export", f"--format={format_}"),
        run(at, sizes=n) if what == "sizes" else run(at, repetitions=n),
    ]


BENCH: Readers = {
    # A line is fitted from each size to each larger one.
    "advise: sizes": (
        lambda at, n: ["advise", *QUESTION, f"--from={run(at, sizes=n)}"],
        *(60, SQUARE),
    ),
    "advise: strategies": (
        lambda at, n: ["advise", *QUESTION, f"--from={run(at, strategies=n)}"],
        *(20, PROPORTION),
    ),
    "advise: repetitions": (
        lambda at, n: ["advise", *QUESTION, f"--from={run(at, repetitions=n)}"],
        *(150, PROPORTION),
    ),
    "advise: questions": (
        lambda at, n: [
            *("advise", f"--bytes={','.join(str(MIB + each) for each in range(n))}"),
            *("--direction=h2d", f"--from={run(at)}", "--json=answers.json"),
        ],
        *(20, PROPORTION),
    ),
    "advise --map: sizes": (
        lambda at, n: ["advise", "--map=map.json", f"--from={run(at, sizes=n)}"],
        *(30, SQUARE),
    ),
    "advise --check: sizes": (
        lambda at, n: ["advise", "--check", f"--from={run(at, sizes=n)}"],
        *(70, SQUARE),
    ),
    "advise --for: jobs": (
        lambda at, n: [*BOTH, f"--from={jobs(at, settings=n)}"],
        *(20, PROPORTION),
    ),
    "advise --for: strategies": (
        lambda at, n: [*BOTH, f"--from={jobs(at, strategies=n)}"],
        *(30, PROPORTION),
    ),
    "advise --for: sizes": (lambda at, n: [*BOTH, f"--from={jobs(at, sizes=n)}"], 60, SQUARE),
    "advise --for: repetitions": (
        lambda at, n: [*BOTH, f"--from={jobs(at, repetitions=n)}"],
        *(100, PROPORTION),
    ),
    "advise --host-map: sets": (
        lambda at, n: ["advise", ALL, host_map(at, sets=n)],
        *(150, PROPORTION),
    ),
    "advise --host-map: nodes": (
        lambda at, n: ["advise", ALL, host_map(at, nodes=n)],
        *(100, PROPORTION),
    ),
    # There are 64 at most. Each is asked about beside each other one.
    "advise --host-map: devices": (
        lambda at, n: ["advise", ALL, host_map(at, devices=n)],
        *(8, CUBE),
    ),
    "compare: benchmarks": (
        lambda at, n: ["compare", run(at, "a", sizes=n), run(at, "b", sizes=n)],
        *(40, PROPORTION),
    ),
    "compare: repetitions": (
        lambda at, n: ["compare", run(at, "a", repetitions=n), run(at, "b", repetitions=n)],
        *(100, PROPORTION),
    ),
    "compare: files": (
        lambda at, n: ["compare", *lab(at, 3, "a").runs(n), "--", *lab(at, 3, "b").runs(n, 1)],
        *(30, PROPORTION),
    ),
    "compare: benchmarks of several runs": (
        lambda at, n: ["compare", *lab(at, n, "a").runs(3), "--", *lab(at, n, "b").runs(3, 1)],
        *(30, PROPORTION),
    ),
    "export: files": (
        lambda at, n: ["export", "--format=csv", *(run(at, f"{each}") for each in range(n))],
        *(15, PROPORTION),
    ),
    "import: devices": (lambda at, n: ["import", nvbandwidth(at, n)], 100, PROPORTION),
    **{
        f"export: {what}, {format_}": (exported(format_, what), first, PROPORTION)
        for what, first in (("sizes", 30), ("repetitions", 100))
        for format_ in FORMATS
    },
}
OUTPUTS = ("--json=answer.json", "--markdown=answer.md", "--junit=answer.xml")
GATE: Readers = {
    "pin: benchmarks": (
        lambda at, n: ["pin", *lab(at, n).runs(3), "--out=baseline.json"],
        *(30, PROPORTION),
    ),
    "pin: runs": (
        lambda at, n: ["pin", *lab(at, 2).runs(n), "--out=baseline.json"],
        *(70, PROPORTION),
    ),
    "show: benchmarks": (lambda at, n: ["show", *lab(at, n).runs(3)], 30, PROPORTION),
    "show: runs": (lambda at, n: ["show", *lab(at, 5).runs(n)], 20, PROPORTION),
    "show: repetitions": (
        lambda at, n: ["show", run(at, "a", repetitions=n), run(at, "b", repetitions=n)],
        *(100, PROPORTION),
    ),
}
FLEET: Readers = {
    "collect: GPUs": (
        lambda at, n: ["collect", results(at, gpus=n), "--out=sweep.json"],
        *(15, PROPORTION),
    ),
    "collect: benchmarks": (
        lambda at, n: ["collect", results(at, benchmarks=n), "--out=sweep.json"],
        *(30, PROPORTION),
    ),
    "collect: runs of a GPU": (
        lambda at, n: ["collect", results(at, runs=n), "--out=sweep.json"],
        *(20, PROPORTION),
    ),
    "judge: GPUs": (
        lambda at, n: ["judge", sweep(at, n, slow=n // 20), *OUTPUTS, "--openmetrics=answer.prom"],
        *(80, PROPORTION),
    ),
    "judge: benchmarks": (
        lambda at, n: ["judge", sweep(at, benchmarks=n), *OUTPUTS],
        *(20, PROPORTION),
    ),
    "judge: GPUs of a reference": (
        lambda at, n: ["judge", sweep(at, n, day=1), f"--reference={sweep(at, n)}"],
        *(40, PROPORTION),
    ),
    "judge: earlier sweeps": (
        lambda at, n: [
            *("judge", sweep(at, day=n, slow=1)),
            *(f"--history={sweep(at, day=day, slow=int(day > n / 2))}" for day in range(n)),
        ],
        *(10, PROPORTION),
    ),
    "show: GPUs": (lambda at, n: ["show", sweep(at, n)], 40, PROPORTION),
    "show: benchmarks": (lambda at, n: ["show", sweep(at, benchmarks=n)], 20, PROPORTION),
    "history: sweeps": (
        lambda at, n: ["history", *(sweep(at, day=day) for day in range(n)), "--json=answer.json"],
        *(10, PROPORTION),
    ),
    "history: GPUs": (
        lambda at, n: ["history", *(sweep(at, n, day=day) for day in range(3))],
        *(40, PROPORTION),
    ),
}


def of_baselines(gate: Program) -> Readers:
    """Of a baseline's benchmarks, runs and sessions; and the new runs."""

    def pinned(at: Path, runs: list[Path]) -> Path:
        gate.run("pin", *runs, f"--out={at / 'baseline.json'}", expected=0)
        return at / "baseline.json"

    def checked(doubled: str) -> Make:
        def make(at: Path, count: int) -> Arguments:
            counts = {"benchmarks": 2, "runs": 3, "sessions": 1, "new": 3} | {doubled: count}
            made = lab(at, counts["benchmarks"])
            baseline = pinned(at, made.sessions(counts["sessions"], counts["runs"]))
            new = made.runs(counts["new"], counts["sessions"] + 1)
            return ["check", baseline, *new, *OUTPUTS]

        return make

    def history(at: Path, made: Lab, sessions: int) -> Arguments:
        first, *later = made.sessions(sessions, 3)
        return ["history", pinned(at, [first, *later[:2]]), *later[2:], "--json=answer.json"]

    # Up to 500 runs, a factor takes the same draws of chance numbers.
    first = {"benchmarks": 30, "runs": 70, "sessions": 40, "new": 70}
    return {
        **{f"check: {name}": (checked(name), first[name], PROPORTION) for name in first},
        "power: benchmarks": (
            lambda at, n: ["power", pinned(at, lab(at, n).runs(3))],
            *(80, PROPORTION),
        ),
        "history: benchmarks": (
            lambda at, n: history(at, lab(at, n), sessions=5),
            *(20, PROPORTION),
        ),
        "history: sessions": (lambda at, n: history(at, lab(at, 2), sessions=n), 20, PROPORTION),
    }


def test_bench_transfers(paced: Program, tmp_path: Path) -> None:
    """The program with few strategies: it starts in half the time."""
    assert_growth(paced, BENCH, tmp_path)


def test_gate_transfers(gate: Program, tmp_path: Path) -> None:
    assert_growth(gate, GATE | of_baselines(gate), tmp_path)


def test_fleet_transfers(fleet: Program, tmp_path: Path) -> None:
    assert_growth(fleet, FLEET, tmp_path)


def test_every_command_and_format_is_here(program: Program, gate: Program) -> None:
    (line,) = re.findall(r"^Formats: (.*)\.$", program.run("export", "--help").out, re.MULTILINE)
    assert line.split(", ") == [*FORMATS]
    # What measures reads no files; of a fleet, others than these do.
    measure = {"", "map", "doctor", "fleet"}
    assert {name.split()[0].rstrip(":") for name in BENCH} == {
        *COMMANDS["bench_transfers"]
    } - measure
    of_gate = GATE | of_baselines(gate)
    assert {name.split(":")[0] for name in of_gate} == {*COMMANDS["gate_transfers"]} - {""}
    assert {name.split(":")[0] for name in FLEET} == {*COMMANDS["fleet_transfers"]} - {""}


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
    """Here the lines that Python runs are counted."""
    work = []
    for count in (100, 200, 400):
        path = run(tmp_path, f"{count}", sizes=count)
        command = [sys.executable, "-c", LINES, str(path)]
        printed = call(command, cwd=ROOT, expected=0)
        work.append(int(printed.stdout))
    assert (work[2] - work[1]) / (work[1] - work[0]) < 2.2
