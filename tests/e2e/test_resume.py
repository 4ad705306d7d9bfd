"""Runs that go on with an earlier one (--resume)."""

from __future__ import annotations

import json
import shutil
import signal
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import limits
import pytest
from program import (
    ALL_RAN,
    LIMIT_S,
    SOMETHING_FAILED,
    TINY,
    TINY_NAMES,
    USAGE,
    Completed,
    Program,
    Result,
    as_undisturbed,
    assert_complains,
    read,
    wait_for,
)

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 20
FOREVER = "--benchmark_repetitions=10000"
PACED = (
    "--device=host",
    "--strategies=paced",
    "--cache=warm",
    "--sizes=64KiB,1MiB",
    f"--benchmark_repetitions={ROUNDS}",
    "--benchmark_min_time=0.001",
)
NAMES = {
    f"paced/{name}/{direction}/{size}"
    for name in ("first", "second", "third", "fourth")
    for direction in ("h2d", "d2h")
    for size in ("64KiB", "1MiB")
}
Edit = Callable[[dict[str, Any]], None]


def cut(paced: Program, out: Path, *arguments: str, time: str = "200ms", code: int = 0) -> Result:
    """A run that has ended before all repetitions."""
    completed = paced.run(*PACED, "--seed=1", f"--max-time={time}", *arguments, f"--out={out}")
    assert completed.code == code, completed
    result = read(out)
    assert result.transfers["complete"] is False
    return result


def resume(paced: Program, file: Path, *arguments: str | Path, **options: Any) -> Completed:
    return paced.run(f"--resume={file}", *arguments, **options)


def key(row: dict[str, Any]) -> tuple[str, int]:
    return row["run_name"], row["repetition_index"]


def unmarked(row: dict[str, Any]) -> dict[str, Any]:
    """Without the mark of a slow round, which later rounds may give to it or take away."""
    marks = [code for code in row.get("disturbed", []) if code != "slow_round"]
    rest = {name: value for name, value in row.items() if name != "disturbed"}
    return rest | {"disturbed": marks}


def assert_is_whole(result: Result, earlier: Result) -> None:
    """All repetitions are there, and those of the earlier part are as they were."""
    assert result.transfers["complete"] is True
    keys = [key(row) for row in result.rows]
    assert sorted(keys) == sorted((name, index) for name in NAMES for index in range(ROUNDS))
    by_key = {key(row): row for row in result.rows}
    assert earlier.rows
    for row in earlier.rows:
        assert unmarked(by_key[key(row)]) == unmarked(row)


def codes(warnings: list[dict[str, Any]]) -> list[str]:
    return [warning["code"] for warning in warnings]


def edit(file: Path, change: Edit) -> None:
    document = json.loads(file.read_text())
    change(document)
    file.write_text(json.dumps(document))


@pytest.mark.parametrize("time", ["3ms", "200ms"])
def test_the_rest_is_measured(paced: Program, tmp_path: Path, time: str):
    out = tmp_path / "result.json"
    earlier = cut(paced, out, time=time, code=0)
    completed = resume(paced, out)
    assert completed.code == ALL_RAN, completed
    whole = read(out)
    assert_is_whole(whole, earlier)
    assert "max_time_reached" not in codes(whole.transfers["warnings"])
    assert whole.transfers["run"]["options"] == earlier.transfers["run"]["options"]
    assert whole.transfers["run"]["command_line"][-1] == "--resume=result.json"
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_each_part_is_recorded(paced: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    earlier = cut(paced, out, "--label=room=7", "--note=at night")
    assert resume(paced, out, "--seed=2", "--max-time=100ms").code == ALL_RAN
    assert resume(paced, out).code == ALL_RAN
    whole = read(out)
    assert_is_whole(whole, earlier)
    first, second, third = whole.transfers["parts"]
    assert [part["number"] for part in (first, second, third)] == [1, 2, 3]
    assert [part["complete"] for part in (first, second, third)] == [False, False, True]
    assert (first["seed"], second["seed"]) == (1, 2)
    assert first["max_time_s"] == 0.2
    assert third["max_time_s"] is None
    run = earlier.transfers["run"]
    assert first["started_utc"] == run["started_utc"]
    assert first["finished_utc"] == run["finished_utc"]
    assert third["finished_utc"] is not None
    machine = earlier.transfers["machine"]
    for part in (first, second, third):
        assert part["boot_id"] == machine["kernel"]["boot_id"]
        assert part["cpu_model"] == machine["cpu"]["model"]
        assert part["host_name"] == earlier.context["host_name"]
        assert part["version"] == earlier.transfers["program"]["version"]
        (device,) = part["devices"]
        assert device["id"] == "host"
        assert device["name"] == earlier.transfers["device"]["name"]
    assert codes(first["warnings"]).count("max_time_reached") == 1
    assert codes(second["warnings"]).count("max_time_reached") == 1
    assert "max_time_reached" not in codes(third["warnings"])
    assert whole.transfers["run"]["labels"] == {"room": "7"}
    assert whole.transfers["run"]["note"] == "at night"


def test_the_file_is_as_the_schema_has_it(paced: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    cut(paced, out)
    assert resume(paced, out).code == ALL_RAN
    schema = json.loads((ROOT / "docs/result_file.schema.json").read_text())
    document = json.loads(out.read_text())
    jsonschema.validate(document, schema)
    document["context"]["transfers"]["parts"][1]["number"] = "two"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_the_whole_goes_where_out_says(paced: Program, tmp_path: Path):
    part, whole = tmp_path / "part.json", tmp_path / "whole.json"
    earlier = cut(paced, part)
    bytes_before = part.read_bytes()
    environment = {"BENCHMARK_OUT": str(tmp_path / "other.json")}
    assert resume(paced, part, f"--out={whole}", env=environment).code == ALL_RAN
    assert part.read_bytes() == bytes_before
    assert_is_whole(read(whole), earlier)
    assert not (tmp_path / "other.json").exists()


def test_only_out_itself_names_another_file(paced: Program, tmp_path: Path):
    part = tmp_path / "part.json"
    earlier = cut(paced, part)
    environment = {
        "BENCHMARK_OUT": str(tmp_path / "other.json"),
        "BENCHMARK_FILTER": "first",
        "BENCHMARK_REPETITIONS": "1",
    }
    assert resume(paced, part, env=environment).code == ALL_RAN
    assert_is_whole(read(part), earlier)
    assert not (tmp_path / "other.json").exists()


def test_the_whole_can_be_printed(paced: Program, tmp_path: Path):
    part = tmp_path / "part.json"
    cut(paced, part)
    bytes_before = part.read_bytes()
    completed = resume(paced, part, "--out=-")
    assert completed.code == ALL_RAN, completed
    assert json.loads(completed.out)["context"]["transfers"]["complete"] is True
    assert part.read_bytes() == bytes_before


def test_a_packed_file_stays_packed(paced: Program, tmp_path: Path):
    part = tmp_path / "part.json.gz"
    completed = paced.run(*PACED, "--seed=1", "--max-time=200ms", f"--out={part}")
    assert completed.code == ALL_RAN, completed
    assert resume(paced, part).code == ALL_RAN
    assert part.read_bytes()[:2] == b"\x1f\x8b"


@pytest.mark.parametrize("copied", [False, True])
def test_nothing_is_measured_where_nothing_lacks(paced: Program, tmp_path: Path, copied: bool):
    file, copy = tmp_path / "result.json", tmp_path / "copy.json"
    assert paced.run(*PACED, f"--out={file}").code == ALL_RAN
    before, time = file.read_bytes(), file.stat().st_mtime_ns
    completed = resume(paced, file, *([f"--out={copy}"] if copied else []))
    assert completed.code == ALL_RAN, completed
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (before, time)
    assert copy.exists() is copied
    if copied:
        assert json.loads(copy.read_text()) == json.loads(before)


def test_a_killed_run_is_taken_to_its_end(paced: Program, tmp_path: Path):
    """All repetitions are there, but the run has not said so."""
    file = tmp_path / "result.json"
    assert paced.run(*PACED, f"--out={file}").code == ALL_RAN
    edit(file, lambda document: document["context"]["transfers"].update(complete=False))
    earlier = read(file)
    assert resume(paced, file).code == ALL_RAN
    assert_is_whole(read(file), earlier)


def test_what_has_failed_stays_failed(paced: Program, tmp_path: Path):
    file = tmp_path / "result.json"
    fault = "--inject=fail@paced/first/h2d/1MiB"
    earlier = cut(paced, file, fault, code=SOMETHING_FAILED)
    assert set(earlier.failed) == {"paced/first/h2d/1MiB"}
    completed = resume(paced, file)
    assert completed.code == SOMETHING_FAILED, completed
    whole = read(file)
    assert whole.failed == earlier.failed
    assert len(whole.by_name()["paced/first/h2d/1MiB"]) == 1
    assert whole.transfers["complete"] is True
    assert "faults_injected" in codes(whole.transfers["warnings"])
    assert whole.transfers["run"]["faults_injected"] == [fault.removeprefix("--inject=")]
    assert resume(paced, file).code == SOMETHING_FAILED  # nothing lacks


def test_a_benchmark_that_fails_later_keeps_its_repetitions(paced: Program, tmp_path: Path):
    file = tmp_path / "result.json"
    earlier = cut(paced, file)
    assert resume(paced, file, "--inject=fail@paced/first/h2d/1MiB").code == SOMETHING_FAILED
    whole = read(file)
    keys = {key(row) for row in whole.rows}
    assert {key(row) for row in earlier.rows} <= keys
    assert set(whole.failed) == {"paced/first/h2d/1MiB"}


def set_at(*path: str | int, value: Any) -> Edit:
    def change(document: dict[str, Any]) -> None:
        inner: Any = document
        for step in path[:-1]:
            inner = inner[step]
        inner[path[-1]] = value

    return change


TRANSFERS = ("context", "transfers")
ANOTHER_BOOT = set_at(*TRANSFERS, "machine", "kernel", "boot_id", value="another")


def another_computer(document: dict[str, Any]) -> None:
    ANOTHER_BOOT(document)
    document["context"]["host_name"] = "another-host"


@pytest.mark.parametrize(
    "change",
    [
        set_at(*TRANSFERS, "machine", "cpu", "model", value="Another CPU"),
        set_at(*TRANSFERS, "devices", 0, "name", value="Another GPU"),
        set_at(*TRANSFERS, "devices", 0, "uuid", value="GPU-1"),
        another_computer,
    ],
)
def test_another_machine_does_not_go_on(paced: Program, tmp_path: Path, change: Edit):
    file = tmp_path / "result.json"
    cut(paced, file)
    edit(file, change)
    before = file.read_bytes()
    completed = resume(paced, file)
    assert completed.code == USAGE, completed
    assert len(completed.complaints) == 1
    assert "it was measured elsewhere" in completed.complaints[0]
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        (ANOTHER_BOOT, "boot_id"),
        (set_at(*TRANSFERS, "devices", 0, "driver_version", value="1.0"), "driver_version"),
        (set_at(*TRANSFERS, "program", "version", value="0.0.1"), "version"),
    ],
)
def test_other_conditions_are_a_warning(paced: Program, tmp_path: Path, change: Edit, fact: str):
    file = tmp_path / "result.json"
    cut(paced, file)
    edit(file, change)
    earlier = read(file)
    assert resume(paced, file).code == ALL_RAN
    whole = read(file)
    assert_is_whole(whole, earlier)
    (warning,) = (w for w in whole.transfers["warnings"] if w["code"] == "parts_differ")
    assert warning["data"]["part"] == 2
    assert warning["data"]["fact"] == fact
    assert warning["data"]["before"] != warning["data"]["now"]
    assert warning in whole.transfers["parts"][1]["warnings"]
    assert warning not in whole.transfers["parts"][0]["warnings"]


ODD: dict[str, Edit] = {
    "no benchmarks": set_at("benchmarks", value=5),
    "a row that is none": set_at("benchmarks", 0, value=[]),
    "a row without a name": set_at("benchmarks", 0, value={}),
    "a row with a name alone": lambda document: document["benchmarks"][0].pop("run_name"),
    "a name that is a number": set_at("benchmarks", 0, "run_name", value=3),
    "an index that is a text": set_at("benchmarks", 0, "repetition_index", value="one"),
    "an index that is null": set_at("benchmarks", 0, "repetition_index", value=None),
    "a huge index": set_at("benchmarks", 0, "repetition_index", value=2**40),
    "a negative index": set_at("benchmarks", 0, "repetition_index", value=-1),
    "an aggregate": set_at("benchmarks", 0, "run_type", value="aggregate"),
    "disturbed by a number": set_at("benchmarks", 0, "disturbed", value=[3]),
    "no context": set_at("context", value=None),
    "no transfers": set_at(*TRANSFERS, value=[]),
    "a format that is a text": set_at(*TRANSFERS, "format", value="2"),
    "a newer format": set_at(*TRANSFERS, "format", value=3),
    "complete is a text": set_at(*TRANSFERS, "complete", value="no"),
    "run is a number": set_at(*TRANSFERS, "run", value=3),
    "options are a text": set_at(*TRANSFERS, "run", "options", value="--device=host"),
    "options are not there": set_at(*TRANSFERS, "run", "options", value=None),
    "an option is a number": set_at(*TRANSFERS, "run", "options", value=[1]),
    "an option of another kind": set_at(*TRANSFERS, "run", "options", value=["--out=/tmp/x"]),
    "an option with a bad value": set_at(*TRANSFERS, "run", "options", value=["--sizes=many"]),
    "faults are a number": set_at(*TRANSFERS, "run", "faults_injected", value=1),
    "machine is a list": set_at(*TRANSFERS, "machine", value=[]),
    "program is a text": set_at(*TRANSFERS, "program", value="mine"),
    "strategies are a number": set_at(*TRANSFERS, "strategies", value=1),
    "a strategy is a text": set_at(*TRANSFERS, "strategies", value=["copy"]),
    "buffers are a text": set_at(*TRANSFERS, "buffers", value="many"),
    "warnings are an object": set_at(*TRANSFERS, "warnings", value={}),
    "a warning is a text": set_at(*TRANSFERS, "warnings", value=["beware"]),
    "skipped is a number": set_at(*TRANSFERS, "skipped", value=1),
    "devices are none": set_at(*TRANSFERS, "devices", value=[]),
    "two devices": set_at(*TRANSFERS, "devices", value=[{"id": "a"}, {"id": "b"}]),
    "roles are a list": set_at(*TRANSFERS, "roles", value=[]),
    "benchmarks are a list": set_at(*TRANSFERS, "benchmarks", value=[]),
    "metrics are a text": set_at(*TRANSFERS, "metrics", value="all"),
    "parts are a number": set_at(*TRANSFERS, "parts", value=2),
    "parts are empty": set_at(*TRANSFERS, "parts", value=[]),
    "a part is a text": set_at(*TRANSFERS, "parts", value=["first"]),
    "a part of another number": set_at(
        *TRANSFERS, "parts", value=[{"number": 2, "complete": False}]
    ),
    "a part that does not say whether it is complete": set_at(
        *TRANSFERS, "parts", value=[{"number": 1}]
    ),
    "of a fleet": set_at(*TRANSFERS, "run", "command_line", value=["bench_transfers", "fleet"]),
}


@pytest.mark.parametrize("change", ODD.values(), ids=ODD.keys())
def test_a_file_with_odd_values_is_refused(paced: Program, cut_file: Path, change: Edit):
    edit(cut_file, change)
    before = cut_file.read_bytes()
    completed = resume(paced, cut_file)
    assert_complains(completed, USAGE, cut_file.name)
    assert cut_file.read_bytes() == before


@pytest.fixture(scope="module")
def cut_once(paced: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("cut") / "result.json"
    cut(paced, file)
    return file


@pytest.fixture
def cut_file(cut_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(cut_once, tmp_path))


def test_a_member_that_is_there_twice_is_refused(paced: Program, cut_file: Path):
    text = cut_file.read_text()
    twice = text.replace('"roles": {', '"devices": 5, "machine": 6, "run": 7, "roles": {', 1)
    assert twice != text
    cut_file.write_text(twice)
    assert_complains(resume(paced, cut_file), USAGE, "result.json", "it has devices twice")
    assert cut_file.read_text() == twice


def test_a_file_that_is_being_written_is_refused(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    with program.start(*TINY, FOREVER, f"--out={out}") as process:
        try:
            wait_for(lambda: out.exists() and len(read(out).rows) >= 3, "some repetitions")
            completed = program.run(f"--resume={out}")
            assert_complains(completed, USAGE, "another process writes")
        finally:
            process.kill()
    rows = len(read(out).rows)
    other = tmp_path / "other.json"
    with program.start(f"--resume={out}", f"--out={other}") as process:
        try:
            wait_for(lambda: other.exists() and len(read(other).rows) > rows, "more repetitions")
            for file in (out, other):
                for option in (f"--resume={file}", f"--out={file}"):
                    completed = program.run(option)
                    assert_complains(completed, USAGE, "another process writes")
        finally:
            process.kill()
    assert program.run(*TINY, "--benchmark_repetitions=1", f"--out={other}").code == ALL_RAN
    assert len(read(other).rows) == len(TINY_NAMES)


def test_a_relative_name_is_that_of_its_folder(program: Program, tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    with program.start(*TINY, FOREVER, "--out=result.json", cwd=one) as process:
        try:
            out = one / "result.json"
            wait_for(lambda: out.exists() and len(read(out).rows) >= 3, "some repetitions")
            for options in (["--resume=result.json"], [*TINY, "--out=result.json"]):
                refused = program.run(*options, cwd=one)
                assert_complains(refused, USAGE, "another process writes")
            other = program.run(*TINY, "--benchmark_repetitions=1", "--out=result.json", cwd=two)
            assert other.code == ALL_RAN, other
        finally:
            process.kill()
    assert len(read(two / "result.json").rows) == len(TINY_NAMES)


def test_what_was_skipped_for_a_moment_is_measured(paced: Program, cut_file: Path):
    earlier = read(cut_file)
    name = "paced/first/h2d/1MiB"

    def skip(document: dict[str, Any]) -> None:
        document["benchmarks"] = [r for r in document["benchmarks"] if r["run_name"] != name]
        document["context"]["transfers"]["skipped"] = [
            {"name": name, "reason": {"code": "memory_refused", "data": {}, "text": "no memory"}}
        ]

    edit(cut_file, skip)
    assert resume(paced, cut_file).code == ALL_RAN
    whole = read(cut_file)
    assert len(whole.by_name()[name]) == ROUNDS
    assert whole.skipped == {}
    assert whole.names() >= earlier.names()


def test_a_killed_run_that_was_spoilt_has_failed(paced: Program, tmp_path: Path):
    file = tmp_path / "result.json"
    assert paced.run(*PACED, f"--out={file}").code == ALL_RAN
    name = "paced/first/h2d/1MiB"

    def spoil(document: dict[str, Any]) -> None:
        document["context"]["transfers"]["complete"] = False
        for row in document["benchmarks"]:
            if row["run_name"] == name:
                row["disturbed"] = ["clock_jumped"]

    edit(file, spoil)
    assert resume(paced, file).code == SOMETHING_FAILED
    whole = read(file)
    assert set(whole.failed) == {name}
    (row,) = whole.by_name()[name]
    assert (row["error_code"], row["disturbed"]) == ("disturbed", ["clock_jumped"])
    assert whole.transfers["complete"] is True
    assert resume(paced, file).code == SOMETHING_FAILED  # nothing lacks


@pytest.mark.parametrize("variable", ["BENCHMARK_REPETITIONS", "BENCHMARK_MIN_TIME"])
def test_a_variable_that_is_no_number_does_not_count_either(
    paced: Program, cut_file: Path, variable: str
):
    """As in a new run whose command line has the option; the options here are the file's."""
    earlier = read(cut_file)
    assert paced.run("--device=host", env={variable: "bad"}).code == USAGE
    assert paced.run(*PACED, "--quiet", "--out=-", env={variable: "bad"}).code == ALL_RAN
    completed = resume(paced, cut_file, env={variable: "bad"})
    assert completed.code == ALL_RAN, completed
    assert_is_whole(read(cut_file), earlier)


def test_ctrl_c_keeps_both_parts(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"

    def measure(rows: int, *arguments: str) -> Result:
        with program.start(*arguments) as process:
            try:
                wait_for(lambda: out.exists() and len(read(out).rows) > rows, "more repetitions")
                process.send_signal(signal.SIGINT)
                process.communicate(timeout=LIMIT_S)
            finally:
                process.kill()
        assert process.returncode == 128 + signal.SIGINT
        return read(out)

    first = measure(3, *TINY, FOREVER, f"--out={out}")
    second = measure(len(first.rows), f"--resume={out}")
    rows = {key(row): row for row in second.rows}
    assert len(rows) == len(second.rows) > len(first.rows)
    assert all(unmarked(rows[key(row)]) == unmarked(row) for row in first.rows)
    assert second.transfers["complete"] is False
    parts = second.transfers["parts"]
    assert [part["interrupted_by"] for part in parts] == ["SIGINT", "SIGINT"]
    assert [part["complete"] for part in parts] == [False, False]


def test_a_killed_part_keeps_the_earlier_one(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    assert program.run(*TINY, "--benchmark_repetitions=2", f"--out={out}").code == ALL_RAN

    def make_unfinished(document: dict[str, Any]) -> None:
        document["context"]["transfers"]["complete"] = False
        options = document["context"]["transfers"]["run"]["options"]
        options[options.index("--benchmark_repetitions=2")] = FOREVER

    edit(out, make_unfinished)
    earlier = read(out)
    with program.start(f"--resume={out}") as process:
        try:
            wait_for(lambda: len(read(out).rows) > len(earlier.rows), "more repetitions")
        finally:
            process.kill()
    rows = {key(row): row for row in read(out).rows}
    assert all(rows[key(row)] == row for row in earlier.rows)
    assert [part["complete"] for part in read(out).transfers["parts"]] == [False, False]


def test_a_full_disk_keeps_the_earlier_part(paced: Program, cut_file: Path):
    before = cut_file.read_bytes()
    limit = limits.file_size(len(before))
    completed = resume(paced, cut_file, preexec_fn=limit)
    assert completed.code == SOMETHING_FAILED, completed
    assert "cannot write" in completed.complaints[-1]
    assert cut_file.read_bytes() == before
    assert [path.name for path in cut_file.parent.iterdir()] == [cut_file.name]


def test_a_file_that_cannot_be_written_is_refused(paced: Program, cut_file: Path):
    cut_file.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        completed = resume(paced, cut_file, preexec_fn=limits.without_override_of_permissions())
    finally:
        cut_file.parent.chmod(stat.S_IRWXU)
    assert completed.code == USAGE, completed
    assert "cannot write" in completed.complaints[-1]


def measured_apart(number: int) -> Edit:
    """The gate refuses files whose parts began in the same second: they may be one run."""

    def change(document: dict[str, Any]) -> None:
        facts = document["context"]["transfers"]
        for minute, part in enumerate((*facts["parts"], facts["run"])):
            time = f"2126-11-22T10:{minute:02}:{number:02}Z"
            part |= {"started_utc": time, "finished_utc": time}

    return change


def test_the_gate_refuses_two_files_that_share_a_part(
    paced: Program, gate: Program, cut_file: Path, tmp_path: Path
):
    wholes = [tmp_path / f"{number}.json" for number in range(2)]
    for number, file in enumerate(wholes):
        assert resume(paced, cut_file, f"--out={file}", f"--seed={number}").code == ALL_RAN
    other = tmp_path / "other.json"
    assert paced.run(*PACED, f"--out={other}").code == ALL_RAN
    for key in ("started_utc", "finished_utc"):
        edit(other, set_at(*TRANSFERS, "run", key, value="2026-11-22T10:00:00Z"))
    for files in (wholes, [cut_file, wholes[0]], [wholes[0], cut_file]):
        pinned = gate.run("pin", *files, other, f"--out={tmp_path / 'baseline.json'}")
        assert_complains(pinned, USAGE, "they are one process")


def test_the_gate_tells_parts_and_an_unfinished_last_one(
    paced: Program, gate: Program, tmp_path: Path
):
    files = [tmp_path / f"{number}.json" for number in range(3)]
    for number, file in enumerate(files):
        assert paced.run(*PACED, f"--seed={number}", f"--out={file}").code == ALL_RAN
    baseline = tmp_path / "baseline.json"
    assert gate.run("pin", *map(as_undisturbed, files), f"--out={baseline}").code == ALL_RAN
    new = [tmp_path / f"new-{number}.json" for number in range(3)]
    for number, file in enumerate(new):
        cut(paced, file)
        assert resume(paced, file).code == ALL_RAN
        edit(file, measured_apart(number))
    checked = gate.run("check", baseline, *new, f"--json={tmp_path / 'check.json'}")
    said = checked.out.replace("\n  ", " ")
    assert "new-0.json was measured in 2 parts" in said
    assert "did not reach its end" not in said
    notes = json.loads((tmp_path / "check.json").read_text())["notes"]
    in_parts = [note["data"] for note in notes if note["code"] == "in_parts"]
    assert [(Path(data["file"]).name, data["parts"]) for data in in_parts] == [
        (f"new-{number}.json", 2) for number in range(3)
    ]

    def end_early(document: dict[str, Any]) -> None:
        """Whatever the file says of the whole: its last part has not ended."""
        document["context"]["transfers"]["parts"][-1]["complete"] = False

    edit(new[0], end_early)
    again = gate.run("check", baseline, *new)
    assert "new-0.json did not reach its end" in again.out.replace("\n  ", " ")
