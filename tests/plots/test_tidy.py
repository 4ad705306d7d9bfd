"""Tests the tidy data: a benchmark or a repetition in a row, a variable in a column."""

import csv
import gzip
import io
import re
from pathlib import Path

import pandas
import pytest
import synthetic
from synthetic import KIB, MIB

from plots.model.derive import Run
from plots.model.load import read_result
from plots.model.significance import median_interval
from plots.page import report
from plots.text import tidy

RECORDED = Path(__file__).resolve().parents[2] / "results"


def read(data):
    return list(csv.DictReader(io.StringIO(data.decode())))


def tidy_rows(*runs):
    files = tidy.format_tidy(runs)
    return read(files["measurements.csv"]), read(gzip.decompress(files["repetitions.csv.gz"]))


def test_what_a_name_packs_stands_in_columns():
    rows = [
        synthetic.row("copy/pinned/h2d/1MiB/cold", MIB, 100e3),
        synthetic.row("zero_copy/pinned_mapped/read/4KiB", 4 * KIB, 10e3),
    ]
    cold, read_by_kernel = tidy_rows(synthetic.run(rows))[0]
    expected = {
        "run": "1",
        "device": "Synthetic GPU",
        "started_utc": "2026-11-20 11:00 UTC",
        "family": "copy",
        "memory": "pinned",
        "variant": "h2d",
        "direction": "h2d",
        "size_bytes": str(MIB),
        "moved_bytes": str(MIB),
        "cold": "1",
        "repetitions": "1",
        "median_ns": "100000.0",
        "median_ns_low_95": "",
        "gb_per_s": str(MIB / 100e3),
    }
    assert {key: cold[key] for key in expected} == expected
    assert (read_by_kernel["variant"], read_by_kernel["direction"]) == ("read", "h2d")
    assert (read_by_kernel["cold"], read_by_kernel["family"]) == ("0", "zero_copy")


def test_runs_stand_below_each_other_and_differ_by_a_column():
    measurements, repetitions = tidy_rows(synthetic.run(), synthetic.run())
    for rows in (measurements, repetitions):
        assert [row["run"] for row in rows] == sorted(row["run"] for row in rows)
        assert {row["run"] for row in rows} == {"1", "2"}
    keys = [(row["run"], row["benchmark"]) for row in measurements]
    assert len(keys) == len(set(keys))


def test_each_repetition_has_a_row_and_can_be_joined():
    rows = [
        synthetic.row("copy/pinned/h2d/1KiB", KIB, ns, repetition_index=i, max_ns=ns + 1)
        for i, ns in ((1, 200.0), (0, 100.0))
    ]
    measurements, repetitions = tidy_rows(synthetic.run(rows))
    shown = [(row["repetition"], row["median_ns"], row["max_ns"]) for row in repetitions]
    assert shown == [("1", "200.0", "201.0"), ("0", "100.0", "101.0")]
    assert [row["gb_per_s"] for row in repetitions] == [str(KIB / 200.0), str(KIB / 100.0)]
    assert {row["benchmark"] for row in repetitions} == {row["benchmark"] for row in measurements}
    assert repetitions[0]["p5_ns"] == ""


@pytest.mark.parametrize(
    ("count", "places"),
    # The ends have probabilities of 2 * sum(binomial(n, i), i <= place) / 2**n of missing it.
    [(5, None), (6, (0, 5)), (8, (0, 7)), (9, (1, 7)), (12, (2, 9)), (20, (5, 14))],
)
def test_the_interval_of_a_median_is_that_of_its_order_statistics(count, places):
    values = [float(i) for i in range(count)]
    expected = places and tuple(float(place) for place in places)
    assert median_interval(values[::-1]) == expected


def test_the_interval_of_a_rate_is_that_of_its_time():
    rows = [synthetic.row("copy/pinned/h2d/1MiB", MIB, ns) for ns in (1e4, 2e4, 2e4, 2e4, 2e4, 4e4)]
    ((row), *_) = tidy_rows(synthetic.run(rows))[0]
    assert (row["median_ns_low_95"], row["median_ns_high_95"]) == ("10000.0", "40000.0")
    assert float(row["gb_per_s_low_95"]) == pytest.approx(MIB / 4e4)
    assert float(row["gb_per_s_high_95"]) == pytest.approx(MIB / 1e4)


def test_an_allocation_has_no_rate():
    rows = [synthetic.row("allocate/pinned/1MiB", MIB, 5000.0)]
    ((measured,), (repetition,)) = tidy_rows(synthetic.run(rows))
    assert (measured["gb_per_s"], measured["moved_bytes"], repetition["gb_per_s"]) == ("", "", "")
    assert measured["size_bytes"] == str(MIB)


def test_a_text_is_no_formula():
    run = synthetic.run(device={"kind": "cuda", "name": "=1+1"})
    assert tidy_rows(run)[0][0]["device"] == "'=1+1"


def test_a_report_has_the_tidy_data_of_all_its_runs(undrawn, monkeypatch):
    monkeypatch.setattr("plots.page.report.FIGURES", {})
    host = synthetic.result(device={"kind": "host", "name": "host"}, link=None)
    files = report.make_report([host, synthetic.result()], None)
    devices = {row["run"]: row["device"] for row in read(files["tables/measurements.csv"])}
    assert devices["1"] == "Synthetic GPU"  # numbered as the sections are
    assert devices["2"].startswith("host device")
    repeated = read(gzip.decompress(files["tables/repetitions.csv.gz"]))
    assert {row["run"] for row in repeated} == {"1", "2"}
    assert files["tables/repetitions.csv.gz"][4:8] == bytes(4)  # no time: the same file each time


def test_a_recorded_curve_is_one_query():
    run = Run(read_result(RECORDED / "nvidia-h200/2026-11-21-report/result.json.gz"))
    measurements, repetitions = tidy_rows(run)
    curve = [
        row
        for row in measurements
        if (row["strategy"], row["direction"], row["cold"]) == ("copy/pinned", "h2d", "0")
    ]
    assert len({row["size_bytes"] for row in curve}) == len(curve) > 10
    assert all(
        float(row["median_ns_low_95"]) <= float(row["median_ns"]) <= float(row["median_ns_high_95"])
        for row in curve
    )
    assert len(repetitions) == sum(int(row["repetitions"]) for row in measurements)


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
