"""Tests `bench_transfers export`: its output is read as the programs it is for read it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from pathlib import Path
from typing import Any

import pandas  # type: ignore[import-untyped]
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from program import ALL_RAN, Program, Result

RESULTS = Path(__file__).resolve().parents[2] / "results"
RECORDED = RESULTS / "nvidia-h200/2026-11-21-report/result.json.gz"
RECORDED_HOST = RESULTS / "host/2026-11-21-report/result.json.gz"
HOSTILE = '=1+1,"a\\b" \'c\' <d> @e | [f](g) {h="i"} `j`'
# By https://bencher.dev/docs/reference/bencher-metric-format: numbers alone, `value` required.
MEASURE = {
    "type": "object",
    "properties": {key: {"type": "number"} for key in ("value", "lower_value", "upper_value")},
    "required": ["value"],
    "additionalProperties": False,
}
BENCHER = {
    "type": "object",
    "minProperties": 1,
    "additionalProperties": {
        "type": "object",
        "minProperties": 1,
        "propertyNames": {"maxLength": 64},
        "additionalProperties": MEASURE,
    },
}
# By the README of benchmark-action/github-action-benchmark, "custom benchmarks".
GITHUB = {
    "type": "array",
    "minItems": 1,
    "items": {
        "type": "object",
        "properties": {
            **{key: {"type": "string"} for key in ("name", "unit", "range", "extra")},
            "value": {"type": "number"},
        },
        "required": ["name", "unit", "value"],
        "additionalProperties": False,
    },
}
SAMPLE = re.compile(r'^(\w+)(?:\{((?:\w+="(?:[^"\\]|\\.)*",?)*)\})? (\S+)$')
LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def exported(program: Program, form: str, *files: Path) -> str:
    completed = program.run("export", *files, f"--format={form}")
    assert completed.code == ALL_RAN, completed
    assert completed.err == ""
    return completed.out


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))


def samples(text: str) -> list[tuple[str, dict[str, str], float]]:
    """Reads OpenMetrics as its grammar says: samples between their metadata and one end."""
    assert text.count("# EOF") == 1
    found = []
    for line in text.splitlines()[:-1]:
        if line.startswith("#"):
            assert re.match(r"# (TYPE \w+ gauge|HELP \w+ .+)$", line), line
            continue
        match = SAMPLE.match(line)
        assert match, line
        found.append((match[1], dict(LABEL.findall(match[2] or "")), float(match[3])))
    assert len({(name, tuple(labels.items())) for name, labels, _ in found}) == len(found)
    return found


@pytest.fixture
def hostile(sample: Result, tmp_path: Path) -> Path:
    """The sample, with a benchmark whose name has a meaning in each of the formats."""
    document: dict[str, Any] = json.loads(json.dumps(sample.document))
    described = document["context"]["transfers"]["benchmarks"]
    name = next(row["run_name"] for row in sample.measured)
    described[HOSTILE] = described.pop(name)
    for row in document["benchmarks"]:
        if row["run_name"] == name:
            row["name"] = row["run_name"] = HOSTILE
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_csv_has_the_medians_of_the_file(program: Program, sample: Result):
    table = rows(exported(program, "csv", sample.path))
    assert {row["benchmark"] for row in table} == {row["run_name"] for row in sample.measured}
    for row in table:
        times = sorted(
            entry["median_ns"]
            for entry in sample.measured
            if entry["run_name"] == row["benchmark"] and "disturbed" not in entry
        )
        if times:
            assert times[0] <= float(row["time_ns"]) <= times[-1]
        described = sample.transfers["benchmarks"][row["benchmark"]]
        for key in ("family", "strategy", "direction", "cache"):
            assert row[key] == described[key]
        assert row["size_bytes"] == str(described["size_bytes"] or "")
        assert (row["on_host"], row["time_better"]) == ("true", "less")
        assert row["rate_better"] == ("more" if row["rate_gb_per_s"] else "")


def test_pandas_reads_csv(program: Program):
    """As docs/EXPORTS.md says: numbers, truth values and dates have their types."""
    text = exported(program, "csv", RECORDED)
    frame = pandas.read_csv(io.StringIO(text), parse_dates=["started_utc"])
    assert len(frame) == len(rows(text))
    assert pandas.api.types.is_datetime64_any_dtype(frame["started_utc"])
    for name in ("time_ns", "time_low_ns", "rate_gb_per_s", "size_bytes", "repetitions"):
        assert pandas.api.types.is_numeric_dtype(frame[name]), name
    for name in ("complete", "on_host"):
        assert pandas.api.types.is_bool_dtype(frame[name]), name
    pinned = frame[(frame["strategy"] == "copy/pinned") & (frame["cache"] == "warm")]
    table = pinned.pivot(index="size_bytes", columns="direction", values="rate_gb_per_s")
    assert list(table.columns) == ["d2h", "h2d"]
    assert table.index.is_monotonic_increasing
    assert 50 < table.loc[2**30, "h2d"] < 63


def test_openmetrics_of_a_recorded_run(program: Program):
    found = samples(exported(program, "openmetrics", RECORDED))
    rates = [
        (labels, value)
        for name, labels, value in found
        if name == "transfers_rate_bytes_per_second"
        and labels["benchmark"] == "copy/pinned/h2d/1GiB"
    ]
    ((labels, value),) = rates
    assert (labels["on_host"], labels["better"], labels["memory"]) == ("false", "more", "pinned")
    assert 50e9 < value < 63e9
    assert ("transfers_run_failed_benchmarks", {"on_host": "false"}, 0.0) in found


@pytest.mark.parametrize(("file", "suffix"), [(RECORDED, ""), (RECORDED_HOST, "-on-host")])
def test_bencher_metric_format(program: Program, file: Path, suffix: str):
    document = json.loads(exported(program, "bencher", file))
    Draft202012Validator(BENCHER).validate(document)
    names = {measure for measures in document.values() for measure in measures}
    assert names == {f"latency{suffix}", f"bandwidth{suffix}"}
    for measures in document.values():
        for metric in measures.values():
            assert metric["lower_value"] <= metric["value"] <= metric["upper_value"]


@pytest.mark.parametrize(("form", "unit"), [("", "ns"), ("-bigger", "GB/s")])
def test_github_action_benchmark(program: Program, form: str, unit: str):
    entries = json.loads(exported(program, f"github-benchmark{form}", RECORDED))
    Draft202012Validator(GITHUB).validate(entries)
    assert {entry["unit"] for entry in entries} == {unit}
    assert len({entry["name"] for entry in entries}) == len(entries)
    assert all("on_host: false" in entry["extra"].splitlines() for entry in entries)


def test_hostile_names_come_through_each_format(program: Program, hostile: Path):
    assert "'" + HOSTILE in {row["benchmark"] for row in rows(exported(program, "csv", hostile))}
    labels = [labels for _, labels, _ in samples(exported(program, "openmetrics", hostile))]
    escaped = HOSTILE.replace("\\", "\\\\").replace('"', '\\"')
    assert escaped in {entry.get("benchmark") for entry in labels}
    assert HOSTILE in json.loads(exported(program, "bencher", hostile))
    entries = json.loads(exported(program, "github-benchmark", hostile))
    assert HOSTILE in {entry["name"] for entry in entries}
    table = exported(program, "markdown", hostile)
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    assert len({line.count("|") for line in lines}) == 1
    assert "<d>" not in table
    assert "](g)" not in table


def test_files_of_the_same_name_are_told_apart(program: Program, tmp_path: Path):
    files = []
    for folder, file in (("a", RECORDED), ("b", RECORDED_HOST)):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "result.json")
        files[-1].write_bytes(gzip.decompress(file.read_bytes()))
    named = {row["file"] for row in rows(exported(program, "csv", *files))}
    assert named == {str(file) for file in files}
    samples(exported(program, "openmetrics", *files))


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_standard_output_has_names(program: Program, sample: Result, out: str):
    completed = program.run("export", sample.path, "--format=csv", f"--out={out}")
    assert completed.code == ALL_RAN, completed
    assert completed.out == exported(program, "csv", sample.path)


def test_it_writes_a_file(program: Program, sample: Result, tmp_path: Path):
    out = tmp_path / "values.csv"
    completed = program.run("export", sample.path, "--format=csv", f"--out={out}")
    assert (completed.code, completed.out) == (ALL_RAN, "")
    assert out.read_text("utf-8") == exported(program, "csv", sample.path)
