"""Tests `bench_transfers export`: its output is read as the programs it is for read it."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
from datetime import datetime
from pathlib import Path

import pandas  # type: ignore[import-untyped]
import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from program import ALL_RAN, ROOT, USAGE, Program, Result

RESULTS = ROOT / "results"
RECORDED = RESULTS / "nvidia-h200/2026-11-21-report/result.json.gz"
PROCESSES = RESULTS / "nvidia-h100/2026-11-26-processes/result-1.json.gz"
RECORDED_HOST = RESULTS / "host/2026-11-21-report/result.json.gz"
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
    completed = program.run("export", *files, f"--format={form}", expected=ALL_RAN)
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


@pytest.mark.parametrize(("file", "suffix"), [(PROCESSES, ""), (RECORDED_HOST, "-on-host")])
def test_bencher_metric_format(program: Program, file: Path, suffix: str):
    document = json.loads(exported(program, "bencher", file))
    Draft202012Validator(BENCHER).validate(document)
    names = {measure for measures in document.values() for measure in measures}
    assert names == {f"latency{suffix}", f"bandwidth{suffix}"}
    for measures in document.values():
        for metric in measures.values():
            assert ("lower_value" in metric) is (file is PROCESSES)  # the other is of one process
            if file is PROCESSES:
                assert metric["lower_value"] <= metric["value"] <= metric["upper_value"]


@pytest.mark.parametrize(("form", "unit"), [("", "ns"), ("-bigger", "GB/s")])
def test_github_action_benchmark(program: Program, form: str, unit: str):
    entries = json.loads(exported(program, f"github-benchmark{form}", RECORDED))
    Draft202012Validator(GITHUB).validate(entries)
    assert {entry["unit"] for entry in entries} == {unit}
    assert len({entry["name"] for entry in entries}) == len(entries)
    assert all("on_host: false" in entry["extra"].splitlines() for entry in entries)


def test_files_of_the_same_name_are_told_apart(program: Program, tmp_path: Path):
    files = []
    for folder, file in (("a", RECORDED), ("b", RECORDED_HOST)):
        (tmp_path / folder).mkdir()
        files.append(tmp_path / folder / "result.json")
        files[-1].write_bytes(gzip.decompress(file.read_bytes()))
    named = {row["file"] for row in rows(exported(program, "csv", *files))}
    assert named == {str(file) for file in files}
    samples(exported(program, "openmetrics", *files))


def test_timestamps_are_the_start_of_the_run(program: Program):
    started = rows(exported(program, "csv", PROCESSES))[0]["started_utc"]
    began = int(datetime.fromisoformat(started).timestamp())
    expected = [
        line if line.startswith("#") else f"{line} {began}"
        for line in exported(program, "openmetrics", PROCESSES).splitlines()
    ]
    assert exported(program, "openmetrics-timestamps", PROCESSES).splitlines() == expected


def test_timestamps_need_a_start(program: Program, sample: Result, tmp_path: Path):
    document = json.loads(sample.path.read_text("utf-8"))
    del document["context"]["transfers"]["run"]["started_utc"]
    dateless = tmp_path / "dateless.json"
    dateless.write_text(json.dumps(document), "utf-8")
    completed = program.run("export", dateless, "--format=openmetrics-timestamps")
    assert (completed.code, completed.out) == (USAGE, "")
    (line,) = completed.err.splitlines()
    assert line.endswith("dateless.json: it does not say when the run began")


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
def test_standard_output_has_names(program: Program, sample: Result, out: str):
    completed = program.run("export", sample.path, "--format=csv", f"--out={out}", expected=ALL_RAN)
    assert completed.out == exported(program, "csv", sample.path)


def test_it_writes_a_file(program: Program, sample: Result, tmp_path: Path):
    out = tmp_path / "values.csv"
    completed = program.run("export", sample.path, "--format=csv", f"--out={out}")
    assert (completed.code, completed.out) == (ALL_RAN, "")
    assert out.read_text("utf-8") == exported(program, "csv", sample.path)
