"""Runs that go on with an earlier one (--resume)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest
from program import ALL_RAN, ROOT, SOMETHING_FAILED, USAGE, Program, read
from resumed import (
    PACED,
    ROUNDS,
    TRANSFERS,
    Edit,
    assert_is_whole,
    codes,
    cut,
    edit,
    key,
    resume,
    set_at,
)


@pytest.mark.parametrize("time", ["3ms", "200ms"])
def test_the_rest_is_measured(paced: Program, tmp_path: Path, time: str):
    out = tmp_path / "result.json"
    earlier = cut(paced, out, time=time, code=0)
    resume(paced, out, expected=ALL_RAN)
    whole = read(out)
    assert_is_whole(whole, earlier)
    assert "max_time_reached" not in codes(whole.transfers["warnings"])
    assert whole.transfers["run"]["options"] == earlier.transfers["run"]["options"]
    assert whole.transfers["run"]["command_line"][-1] == "--resume=result.json"
    assert [path.name for path in tmp_path.iterdir()] == ["result.json"]


def test_each_part_is_recorded(paced: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    earlier = cut(paced, out, "--label=room=7", "--note=at night")
    resume(paced, out, "--seed=2", "--max-time=100ms", expected=ALL_RAN)
    resume(paced, out, expected=ALL_RAN)
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


def test_the_file_is_as_the_schema_has_it(paced: Program, cut_file: Path):
    resume(paced, cut_file, expected=ALL_RAN)
    schema = json.loads((ROOT / "docs/result_file.schema.json").read_text())
    document = json.loads(cut_file.read_text())
    jsonschema.validate(document, schema)
    document["context"]["transfers"]["parts"][1]["number"] = "two"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_the_whole_goes_where_out_says(paced: Program, cut_file: Path, tmp_path: Path):
    whole, earlier = tmp_path / "whole.json", read(cut_file)
    bytes_before = cut_file.read_bytes()
    environment = {"BENCHMARK_OUT": str(tmp_path / "other.json")}
    resume(paced, cut_file, f"--out={whole}", env=environment, expected=ALL_RAN)
    assert cut_file.read_bytes() == bytes_before
    assert_is_whole(read(whole), earlier)
    assert not (tmp_path / "other.json").exists()


def test_only_out_itself_names_another_file(paced: Program, cut_file: Path, tmp_path: Path):
    earlier = read(cut_file)
    environment = {
        "BENCHMARK_OUT": str(tmp_path / "other.json"),
        "BENCHMARK_FILTER": "first",
        "BENCHMARK_REPETITIONS": "1",
    }
    resume(paced, cut_file, env=environment, expected=ALL_RAN)
    assert_is_whole(read(cut_file), earlier)
    assert not (tmp_path / "other.json").exists()


def test_the_whole_can_be_printed(paced: Program, cut_file: Path):
    bytes_before = cut_file.read_bytes()
    completed = resume(paced, cut_file, "--out=-", expected=ALL_RAN)
    assert json.loads(completed.out)["context"]["transfers"]["complete"] is True
    assert cut_file.read_bytes() == bytes_before


def test_a_packed_file_stays_packed(paced: Program, tmp_path: Path):
    part = tmp_path / "part.json.gz"
    paced.run(*PACED, "--seed=1", "--max-time=200ms", f"--out={part}", expected=ALL_RAN)
    resume(paced, part, expected=ALL_RAN)
    assert part.read_bytes()[:2] == b"\x1f\x8b"


@pytest.mark.parametrize("copied", [False, True])
def test_nothing_is_measured_where_nothing_lacks(paced: Program, tmp_path: Path, copied: bool):
    file, copy = tmp_path / "result.json", tmp_path / "copy.json"
    paced.run(*PACED, f"--out={file}", expected=ALL_RAN)
    before, time = file.read_bytes(), file.stat().st_mtime_ns
    resume(paced, file, *([f"--out={copy}"] if copied else []), expected=ALL_RAN)
    assert (file.read_bytes(), file.stat().st_mtime_ns) == (before, time)
    assert copy.exists() is copied
    if copied:
        assert json.loads(copy.read_text()) == json.loads(before)


def test_what_has_failed_stays_failed(paced: Program, tmp_path: Path):
    file = tmp_path / "result.json"
    fault = "--inject=fail@paced/first/h2d/1MiB"
    earlier = cut(paced, file, fault, code=SOMETHING_FAILED)
    assert set(earlier.failed) == {"paced/first/h2d/1MiB"}
    resume(paced, file, expected=SOMETHING_FAILED)
    whole = read(file)
    assert whole.failed == earlier.failed
    assert len(whole.by_name()["paced/first/h2d/1MiB"]) == 1
    assert whole.transfers["complete"] is True
    assert "faults_injected" in codes(whole.transfers["warnings"])
    assert whole.transfers["run"]["faults_injected"] == [fault.removeprefix("--inject=")]
    resume(paced, file, expected=SOMETHING_FAILED)  # nothing lacks


def test_a_benchmark_that_fails_later_keeps_its_repetitions(paced: Program, cut_file: Path):
    earlier = read(cut_file)
    resume(paced, cut_file, "--inject=fail@paced/first/h2d/1MiB", expected=SOMETHING_FAILED)
    whole = read(cut_file)
    keys = {key(row) for row in whole.rows}
    assert {key(row) for row in earlier.rows} <= keys
    assert set(whole.failed) == {"paced/first/h2d/1MiB"}


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
def test_another_machine_does_not_go_on(paced: Program, cut_file: Path, change: Edit):
    edit(cut_file, change)
    before = cut_file.read_bytes()
    completed = resume(paced, cut_file, expected=USAGE)
    assert len(completed.complaints) == 1
    assert "it was measured elsewhere" in completed.complaints[0]
    assert cut_file.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        (ANOTHER_BOOT, "boot_id"),
        (set_at(*TRANSFERS, "devices", 0, "driver_version", value="1.0"), "driver_version"),
        (set_at(*TRANSFERS, "program", "version", value="0.0.1"), "version"),
    ],
)
def test_other_conditions_are_a_warning(paced: Program, cut_file: Path, change: Edit, fact: str):
    edit(cut_file, change)
    earlier = read(cut_file)
    resume(paced, cut_file, expected=ALL_RAN)
    whole = read(cut_file)
    assert_is_whole(whole, earlier)
    (warning,) = (w for w in whole.transfers["warnings"] if w["code"] == "parts_differ")
    assert warning["data"]["part"] == 2
    assert warning["data"]["fact"] == fact
    assert warning["data"]["before"] != warning["data"]["now"]
    assert warning in whole.transfers["parts"][1]["warnings"]
    assert warning not in whole.transfers["parts"][0]["warnings"]


def test_what_was_skipped_for_a_moment_is_measured(paced: Program, cut_file: Path):
    earlier = read(cut_file)
    name = "paced/first/h2d/1MiB"

    def skip(document: dict[str, Any]) -> None:
        document["benchmarks"] = [r for r in document["benchmarks"] if r["run_name"] != name]
        document["context"]["transfers"]["skipped"] = [
            {"name": name, "reason": {"code": "memory_refused", "data": {}, "text": "no memory"}}
        ]

    edit(cut_file, skip)
    resume(paced, cut_file, expected=ALL_RAN)
    whole = read(cut_file)
    assert len(whole.by_name()[name]) == ROUNDS
    assert whole.skipped == {}
    assert whole.names() >= earlier.names()


@pytest.mark.parametrize("variable", ["BENCHMARK_REPETITIONS", "BENCHMARK_MIN_TIME"])
def test_a_variable_that_is_no_number_does_not_count_either(
    paced: Program, cut_file: Path, variable: str
):
    """As in a new run whose command line has the option; the options here are the file's."""
    earlier = read(cut_file)
    paced.run("--device=host", env={variable: "bad"}, expected=USAGE)
    paced.run(*PACED, "--quiet", "--out=-", env={variable: "bad"}, expected=ALL_RAN)
    resume(paced, cut_file, env={variable: "bad"}, expected=ALL_RAN)
    assert_is_whole(read(cut_file), earlier)
