"""Tests the tidy data: a benchmark or a repetition in a row, a variable in a column."""

import csv
import gzip
import io
import re
from pathlib import Path

import pandas
import pytest
import synthetic
from reporting import judged_runs

from plots.model.load import read_result
from plots.page import report
from plots.text import tidy

RECORDED = Path(__file__).resolve().parents[2] / "results"


def read(data):
    return list(csv.DictReader(io.StringIO(data.decode())))


def tidy_rows(*runs):
    files = tidy.format_tidy(runs)
    return read(files["measurements.csv"]), read(gzip.decompress(files["repetitions.csv.gz"]))


def test_a_report_has_the_tidy_data_of_all_its_runs(undrawn, monkeypatch):
    monkeypatch.setattr("plots.page.run.FIGURES", {})
    host = synthetic.result(device={"kind": "host", "name": "host"}, link=None)
    files = report.make_report([host, synthetic.result()], None)
    devices = {row["run"]: row["device"] for row in read(files["tables/measurements.csv"])}
    assert devices["1"] == "Synthetic GPU"  # numbered as the sections are
    assert devices["2"].startswith("host device")
    repeated = read(gzip.decompress(files["tables/repetitions.csv.gz"]))
    assert {row["run"] for row in repeated} == {"1", "2"}
    assert files["tables/repetitions.csv.gz"][4:8] == bytes(4)  # no time: the same file each time


def test_a_recorded_curve_is_one_query(program):
    result = read_result(RECORDED / "nvidia-h100/2026-11-26-processes/result-1.json.gz")
    measurements, repetitions = tidy_rows(*judged_runs(program, [result]))
    curve = [
        row
        for row in measurements
        if (row["strategy"], row["direction"], row["cold"]) == ("copy/pinned", "h2d", "0")
    ]
    assert len({row["size_bytes"] for row in curve}) == len(curve) > 5
    assert all(
        float(row["median_ns_low_95"]) <= float(row["median_ns"]) <= float(row["median_ns_high_95"])
        for row in curve
    )
    assert len(repetitions) == sum(int(row["repetitions"]) for row in measurements)


def test_a_run_of_one_process_has_no_intervals(program):
    result = read_result(RECORDED / "nvidia-h200/2026-11-22-loaded/result.json.gz")
    measurements, _ = tidy_rows(*judged_runs(program, [result]))
    assert {row["median_ns_low_95"] for row in measurements} == {""}
    assert {row["gb_per_s_high_95"] for row in measurements} == {""}


def test_the_documented_line_converts_the_table_to_parquet(tmp_path, monkeypatch):
    pytest.importorskip("pyarrow")  # 170 MB, for this line alone
    document = (RECORDED.parent / "docs" / "REPORT.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", document, re.DOTALL)
    (line,) = [block for block in blocks if "to_parquet" in block]
    (tmp_path / "tables").mkdir()
    data = tidy.format_tidy([synthetic.run()])["measurements.csv"]
    (tmp_path / "tables" / "measurements.csv").write_bytes(data)
    monkeypatch.chdir(tmp_path)
    exec(line, {"pandas": pandas})
    converted = pandas.read_parquet("measurements.parquet")
    pandas.testing.assert_frame_equal(converted, pandas.read_csv(io.BytesIO(data)))
    assert len(converted) == len(read(data)) > 0
