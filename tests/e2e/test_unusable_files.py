"""Every command refuses the same result files, in one line that names the file and the reason.

A table of command and defect is walked through. What a file lacks, and what in it contradicts
itself, is decided in src/result_file alone.
"""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from program import ALL_RAN, NOTHING_RAN, ROOT, USAGE, Completed, Program, Result

from plots.__main__ import main as report
from plots.model.load import read_result

RESULTS = ROOT / "results"
NAMED = 1  # of fleet_transfers judge
FORMATS = (
    *("csv", "markdown", "openmetrics", "openmetrics-timestamps", "bencher"),
    *("github-benchmark", "github-benchmark-bigger", "report"),
)
Document = dict[str, Any]
Change = Callable[[Document], None]


# What files lack


def no_rows(document: Document) -> None:
    document["benchmarks"] = []
    document["context"]["transfers"]["skipped"] = []


def nothing_ran(document: Document) -> None:
    reason = {"code": "unsupported", "data": {}, "text": "it is not there"}
    names = {row["run_name"] for row in document["benchmarks"]}
    document["context"]["transfers"]["skipped"] = [
        {"name": name, "reason": reason} for name in sorted(names)
    ]
    document["benchmarks"] = []


def aggregates_only(document: Document) -> None:
    for row in document["benchmarks"]:
        row |= {"run_type": "aggregate", "aggregate_name": "mean", "name": row["name"] + "_mean"}


def all_failed(document: Document) -> None:
    for row in document["benchmarks"]:
        row |= {"error_occurred": True, "error_message": "no memory"}


def no_median(document: Document) -> None:
    for row in document["benchmarks"]:
        del row["median_ns"]


LACKS: dict[Change, str] = {
    no_rows: "it has no benchmarks",
    nothing_ran: "none of its benchmarks could run",
    aggregates_only: "it has only aggregates",
    all_failed: "all of its benchmarks have failed",
    no_median: "none of its benchmarks has a median_ns above zero",
}


# What contradicts itself


def last_repetition(document: Document) -> Document:
    rows = [row for row in document["benchmarks"] if row["run_name"] == "copy/pageable/h2d/64KiB"]
    row: Document = rows[-1]
    return row


def in_a_row(**factors: float) -> Change:
    def change(document: Document) -> None:
        row = last_repetition(document)
        # A row of few samples has no percentiles.
        known: Document = dict.fromkeys(("p5_ns", "p95_ns"), row["median_ns"]) | row
        row |= {field: known[field] * by for field, by in factors.items() if field in known}

    return change


def with_field(field: str, value: Any) -> Change:
    return lambda document: last_repetition(document).update({field: value})


def without_field(field: str) -> Change:
    def change(document: Document) -> None:
        del last_repetition(document)[field]

    return change


def all_times(ns: float) -> Change:
    """Times that fit each other, without a rate."""

    def change(document: Document) -> None:
        row = last_repetition(document)
        row |= {key: ns for key in row if key.endswith("_ns")} | {"real_time": ns}
        row["time_unit"] = "ns"
        del row["gb_per_s"]

    return change


def facts_with(key: str, **values: str) -> Change:
    def change(document: Document) -> None:
        facts = document["context"]["transfers"][key]
        (facts[0] if isinstance(facts, list) else facts).update(values)

    return change


def other_direction(document: Document) -> None:
    described = document["context"]["transfers"]["benchmarks"]
    described["copy/pageable/h2d/64KiB"]["direction"] = "d2h"


def bytes_of_one_repetition(document: Document) -> None:
    in_a_row(bytes=2, gb_per_s=2)(document)


def repetition_twice(document: Document) -> None:
    document["benchmarks"].append(copy.deepcopy(last_repetition(document)))


CONTRADICTORY: dict[str, tuple[Change, str]] = {
    "median": (in_a_row(median_ns=10, p95_ns=10, p99_ns=10, max_ns=10), "real_time and median_ns"),
    "real_time": (in_a_row(real_time=10), "real_time and median_ns"),
    "real_time of 0": (in_a_row(real_time=0), "its real_time is 0"),
    "all times 0": (all_times(0), "its real_time is 0"),
    "all times negative": (all_times(-5), "its real_time is -5"),
    "all times long": (all_times(1e30), "its real_time is 1e+30 ns, which nobody can have"),
    "all times short": (all_times(1e-4), "its real_time is 0.0001 ns, which nobody can have"),
    "real_time as text": (with_field("real_time", "x"), "its real_time is not a number"),
    "time_unit": (with_field("time_unit", "us"), "real_time and median_ns"),
    "unknown time_unit": (with_field("time_unit", "hours"), "its time_unit 'hours' is none of"),
    "no time_unit": (without_field("time_unit"), "its time_unit '' is none of ns, us, ms, s"),
    "iterations": (in_a_row(iterations=10), "iterations and operations"),
    "operations": (in_a_row(operations=10), "iterations and operations"),
    "bytes": (in_a_row(bytes=10), ""),  # or the other repetitions
    "bytes of one repetition": (bytes_of_one_repetition, "move different numbers of bytes"),
    "gb_per_s": (in_a_row(gb_per_s=0.1), "real_time, bytes and gb_per_s"),
    "min_ns": (in_a_row(min_ns=1e6, p5_ns=1), "its min_ns and p5_ns"),
    "min_ns negative": (in_a_row(min_ns=-1), "its min_ns is -1"),
    "p5_ns": (in_a_row(p5_ns=1e6), "its p5_ns and median_ns"),
    "p95_ns": (in_a_row(p95_ns=1e-6), "its median_ns and p95_ns"),
    "max_ns": (in_a_row(max_ns=1e-6), "_ns and max_ns"),
    "mean_ns": (in_a_row(mean_ns=1e6), "its mean_ns and max_ns"),
    "a repetition twice": (repetition_twice, "it is in the file twice"),
    "kind of devices[0]": (facts_with("devices", kind="cuda"), "contradict each other in kind"),
    "finished_utc": (
        facts_with("run", finished_utc="2001-01-01T00:00:00Z"),
        "its finished_utc is before its started_utc",
    ),
    "direction": (other_direction, "its variant and its direction contradict each other"),
}


# Who reads them


@dataclass(frozen=True)
class Places:
    """What a command is given."""

    program: Program
    gate: Program
    fleet: Program
    good: Path
    bad: Path
    baseline: Path
    out: Path


def exported(form: str) -> Callable[[Places], Completed]:
    return lambda at: at.program.run("export", at.bad, f"--format={form}", f"--out={at.out}")


def collect_alone(at: Places) -> Completed:
    completed = at.fleet.run("collect", at.bad, f"--out={at.out}.json")
    # Without the lines of progress.
    return Completed(completed.code, completed.out, "\n".join(completed.complaints))


COMMANDS: dict[str, Callable[[Places], Completed]] = {
    **{f"export {form}": exported(form) for form in FORMATS},
    "advise --check": lambda at: at.program.run(
        "advise", "--check", "--allow-host", f"--from={at.bad}", f"--json={at.out}"
    ),
    "advise --for": lambda at: at.program.run(
        *("advise", "--for=wait", "--bytes=4KiB", "--allow-host"),
        *(f"--from={at.bad}", f"--json={at.out}"),
    ),
    "compare, first": lambda at: at.program.run("compare", at.bad, at.good, f"--json={at.out}"),
    "compare, second": lambda at: at.program.run("compare", at.good, at.bad, f"--json={at.out}"),
    "--resume": lambda at: at.program.run(f"--resume={at.bad}", f"--out={at.out}"),
    "gate show": lambda at: at.gate.run("show", at.bad),
    "gate pin": lambda at: at.gate.run("pin", at.bad, at.good, at.good, f"--out={at.out}"),
    "gate check": lambda at: at.gate.run("check", at.baseline, at.bad, f"--json={at.out}"),
    "fleet collect": collect_alone,
}
# A failure is an answer to those who ask what has changed or who is slow, as is real_time.
# A run that has measured nothing can go on.
ENOUGH = {
    **{
        name: {all_failed, no_median}
        for name in COMMANDS
        if name.startswith(("compare", "gate", "fleet"))
    },
    "--resume": {all_failed, no_median, no_rows, nothing_ran},
}
WITHOUT = {"advise --check": NOTHING_RAN, "advise --for": NOTHING_RAN}  # 3: nothing to rank


def defects() -> Iterator[Any]:
    for command in COMMANDS:
        for change, reason in LACKS.items():
            if change not in ENOUGH.get(command, ()):
                code = WITHOUT.get(command, USAGE)
                yield pytest.param(command, change, code, reason, id=f"{command}-{change.__name__}")
        for name, (change, reason) in CONTRADICTORY.items():
            yield pytest.param(command, change, USAGE, reason, id=f"{command}-{name}")


@pytest.fixture
def given(
    program: Program, gate: Program, fleet: Program, baseline: Path, sample: Result, tmp_path: Path
) -> Callable[[Change], Places]:
    def give(change: Change) -> Places:
        document = copy.deepcopy(sample.document)
        for row in document["benchmarks"]:
            row.pop("disturbed", None)  # each repetition counts
        change(document)
        bad = tmp_path / "bad.json"
        bad.write_text(json.dumps(document), "utf-8")
        return Places(program, gate, fleet, sample.path, bad, baseline, tmp_path / "out")

    return give


@pytest.mark.parametrize(("command", "change", "code", "reason"), list(defects()))
def test_it_is_refused(
    given: Callable[[Change], Places], command: str, change: Change, code: int, reason: str
):
    at = given(change)
    completed = COMMANDS[command](at)
    assert completed.code == code, completed
    assert completed.out == ""
    (line,) = completed.unfolded.splitlines()
    assert str(at.bad) in line
    assert reason in line
    assert not list(at.out.parent.glob("out*"))


@pytest.mark.parametrize("command", COMMANDS)
def test_without_a_defect_it_is_not(given: Callable[[Change], Places], command: str):
    at = given(lambda document: None)
    assert "cannot use" not in COMMANDS[command](at).err


ALL = [
    *(pytest.param(*defect, id=defect[0].__name__) for defect in LACKS.items()),
    *(pytest.param(*defect, id=name) for name, defect in CONTRADICTORY.items()),
]


@pytest.mark.parametrize(("change", "reason"), ALL)
def test_the_report_refuses_it_for_the_same_reason(
    given: Callable[[Change], Places],
    capsys: pytest.CaptureFixture[str],
    change: Change,
    reason: str,
):
    at = given(change)
    assert report([str(at.bad), f"--out={at.out}"]) == USAGE
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"report: cannot use {at.bad}: ")
    assert reason in line
    assert not at.out.exists()


@pytest.mark.parametrize(
    ("change", "reason"), [defect for defect in ALL if defect.values[0] is not no_median]
)
def test_a_fleet_with_such_a_file_is_not_healthy(
    given: Callable[[Change], Places], change: Change, reason: str
):
    at = given(change)
    sweep = at.out.with_name("out.json")
    at.fleet.run("collect", at.bad, at.good, f"--out={sweep}", expected=ALL_RAN)
    judged = at.fleet.run("judge", sweep)
    assert judged.code in (NAMED, NOTHING_RAN), judged
    problems = json.loads(sweep.read_text("utf-8"))["problems"]
    expected = "failed_benchmark" if change is all_failed else "unusable_file"
    told = [problem for problem in problems if problem["code"] == expected]
    assert told, problems
    if change is not all_failed:
        assert str(at.bad) in told[0]["text"]
        assert reason in told[0]["text"]


def test_an_export_counts_what_failed_and_what_has_no_time(
    given: Callable[[Change], Places],
):
    def change(document: Document) -> None:
        rows = document["benchmarks"]
        names = sorted({row["run_name"] for row in rows})
        for row in rows:
            if row["run_name"] == names[0]:
                row |= {"error_occurred": True, "error_message": "no memory"}
            if row["run_name"] == names[1]:
                del row["median_ns"]

    at = given(change)
    completed = exported("openmetrics")(at)
    assert completed.code == ALL_RAN
    assert "1 benchmark has failed and is not exported" in completed.unfolded
    assert "1 benchmark has no median_ns and is not exported" in completed.unfolded
    assert 'transfers_run_failed_benchmarks{on_host="true"} 1\n' in at.out.read_text("utf-8")


# A run that leaves only aggregates


@pytest.mark.parametrize(("repetitions", "is_told"), [(2, True), (1, False)])
def test_a_run_that_others_cannot_read_says_so(
    program: Program, tmp_path: Path, repetitions: int, is_told: bool
):
    out = tmp_path / "out.json"
    completed = program.measure(
        *("--sizes=4KiB", f"--out={out}", "--benchmark_report_aggregates_only"),
        f"--benchmark_repetitions={repetitions}",
    )
    told = f"{out} has aggregates instead of repetitions"
    assert (told in completed.unfolded) is is_told
    program.run("export", out, "--format=csv", expected=USAGE if is_told else ALL_RAN)


# Nothing that was recorded is refused


def recorded(step: int) -> list[Path]:
    found = []
    for path in sorted(RESULTS.rglob("*.json*"))[::step]:
        data = path.read_bytes()
        document = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data)
        rows = document.get("benchmarks") if isinstance(document, dict) else None
        if isinstance(rows, list) and "transfers" in document.get("context", {}):
            found.append(path)
    return found


@pytest.mark.parametrize("step", [10, pytest.param(1, marks=pytest.mark.nightly)])
def test_recorded_files_are_read_by_all(
    program: Program, gate: Program, fleet: Program, tmp_path: Path, step: int
):
    files = recorded(step)
    assert len(files) > 150 / step
    gate.run("show", *files, expected=ALL_RAN)
    program.run("export", *files, "--format=csv", f"--out={tmp_path / 'csv'}", expected=ALL_RAN)
    sweep = tmp_path / "sweep.json"
    fleet.run("collect", *files, f"--out={sweep}", expected=ALL_RAN)
    unusable = [
        problem["data"]["file"]
        for problem in json.loads(sweep.read_text("utf-8"))["problems"]
        if problem["code"] == "unusable_file"
    ]
    assert not set(unusable) & {str(path) for path in files}
    assert "cannot use" not in program.run("compare", *files, "--", files[0]).err
    for path in files:
        assert read_result(path)
        asked = program.run("advise", "--check", "--allow-host", f"--from={path}")
        assert asked.code in (ALL_RAN, NOTHING_RAN), asked
