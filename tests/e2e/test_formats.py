"""Google Benchmark's flags for formats and files."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from program import (
    SOMETHING_FAILED,
    TINY,
    TINY_NAMES,
    Program,
    assert_one_complaint,
    parse,
    read,
)

AGGREGATES = ("mean", "median", "stddev", "cv")
AGGREGATE_NAMES = [f"{name}_{kind}" for name in TINY_NAMES for kind in AGGREGATES]


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def first_words(text: str) -> list[str]:
    return [line.split()[0] for line in text.splitlines() if line.startswith("copy/")]


def test_json_on_stdout_is_the_result_file(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    completed = program.measure("--benchmark_format=json", f"--out={out}")
    assert completed.out == out.read_text("utf-8")
    assert parse(completed.out).names() == set(TINY_NAMES)


def assert_is_csv(text: str) -> None:
    rows = table(text)
    repetitions = [row for row in rows if row["name"] in TINY_NAMES]
    assert sorted(row["name"] for row in repetitions) == sorted(2 * TINY_NAMES)
    assert sorted(row["name"] for row in rows) == sorted(2 * TINY_NAMES + AGGREGATE_NAMES)
    for row in repetitions:
        assert row["time_unit"] == "ns"
        assert float(row["real_time"]) == pytest.approx(float(row["median_ns"]), rel=1e-3)
        assert float(row["gb_per_s"]) > 0
    times = {row["name"]: float(row["real_time"]) for row in rows}
    for name in TINY_NAMES:
        share = times[f"{name}_stddev"] / times[f"{name}_mean"]
        assert times[f"{name}_cv"] == pytest.approx(share, rel=1e-3)


def test_csv_on_stdout(program: Program):
    assert_is_csv(program.measure("--benchmark_format=csv").out)


def test_csv_file(program: Program, tmp_path: Path):
    out = tmp_path / "result.csv"
    program.measure(f"--benchmark_out={out}", "--benchmark_out_format=csv")
    assert_is_csv(out.read_text())
    assert list(tmp_path.iterdir()) == [out]


def test_csv_with_a_failure_and_different_counters(program: Program):
    completed = program.measure(
        "--benchmark_format=csv",
        "--strategies=null,copy/pageable,copy_async/pageable",
        "--inject=fail@copy/pageable/h2d/4KiB",
        expected=SOMETHING_FAILED,
    )
    rows = table(completed.out)
    assert {row["name"] for row in rows} > {"null/single", "copy_async/pageable/d2h/64KiB"}
    assert len({len(row) for row in rows}) == 1


@pytest.mark.parametrize("flag", ["--out", "--benchmark_out"])
def test_both_names_of_the_output_flag_write_the_file(program: Program, tmp_path: Path, flag: str):
    out = tmp_path / "result.json"
    program.measure(f"{flag}={out}")
    assert read(out).names() == set(TINY_NAMES)


def test_google_benchmarks_environment_variables(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    program.measure(env={"BENCHMARK_OUT": str(out), "BENCHMARK_FILTER": "h2d"})
    assert read(out).names() == set(TINY_NAMES[:2])


def aggregates_agree(rows: list[dict[str, Any]]) -> None:
    for name in TINY_NAMES:
        by_kind = {row["aggregate_name"]: row for row in rows if row["run_name"] == name}
        assert set(by_kind) == set(AGGREGATES)
        assert by_kind["cv"]["aggregate_unit"] == "percentage"
        mean, deviation = (by_kind[kind]["real_time"] for kind in ("mean", "stddev"))
        assert mean > 0
        assert by_kind["cv"]["median_ns"] == pytest.approx(deviation / mean, rel=1e-3)
        assert by_kind["cv"]["real_time"] == pytest.approx(deviation / mean, rel=1e-3)


def test_file_with_aggregates_only(program: Program):
    result = program.measure_and_read("--benchmark_report_aggregates_only")
    assert {row["run_type"] for row in result.rows} == {"aggregate"}
    assert sorted(row["name"] for row in result.rows) == sorted(AGGREGATE_NAMES)
    aggregates_agree(result.rows)


def test_summary_with_aggregates_only_has_figures_still(program: Program):
    completed = program.measure("--benchmark_report_aggregates_only")
    assert any(line.startswith("copy/pageable ") for line in completed.out.splitlines()), (
        completed.out
    )


def test_variation_on_the_console_is_a_percentage_of_the_mean(program: Program):
    completed = program.measure("--benchmark_format=console", "--benchmark_display_aggregates_only")
    figures = {line.split()[0]: line.split() for line in completed.out.splitlines() if "/" in line}
    for name in TINY_NAMES:
        mean, deviation, variation = (
            float(figures[f"{name}_{kind}"][1]) for kind in ("mean", "stddev", "cv")
        )
        assert figures[f"{name}_cv"][2] == "%"
        # Three digits are shown of mean and deviation.
        assert variation == pytest.approx(100 * deviation / mean, rel=0.2, abs=0.5)


def test_one_repetition_has_no_aggregates(program: Program):
    completed = program.measure(
        "--benchmark_repetitions=1",
        "--benchmark_report_aggregates_only",
        "--benchmark_format=json",
    )
    assert {row["run_type"] for row in parse(completed.out).rows} == {"iteration"}


@pytest.mark.parametrize("display", ["console", "csv"])
def test_display_of_aggregates_only(program: Program, tmp_path: Path, display: str):
    out = tmp_path / "result.json"
    completed = program.measure(
        f"--benchmark_format={display}", "--benchmark_display_aggregates_only", f"--out={out}"
    )
    is_csv = display == "csv"
    shown = [row["name"] for row in table(completed.out)] if is_csv else first_words(completed.out)
    assert sorted(shown) == sorted(AGGREGATE_NAMES)
    assert {row["run_type"] for row in read(out).rows} == {"iteration"}
    assert len(read(out).rows) == 2 * len(TINY_NAMES)


def test_time_unit(program: Program):
    completed = program.run(*TINY, "--benchmark_time_unit=us", "--benchmark_format=json")
    if "unknown argument" in completed.err:
        pytest.skip("this Google Benchmark has no --benchmark_time_unit")
    assert completed.code == 0
    for row in parse(completed.out).rows:
        assert row["time_unit"] == "us"
        assert row["real_time"] * 1000 == pytest.approx(row["median_ns"], rel=1e-6)


def test_context_of_ones_own(program: Program):
    completed = program.measure(
        "--benchmark_context=slot=left,cable=new", "--benchmark_format=json"
    )
    context = parse(completed.out).context
    assert (context["slot"], context["cable"]) == ("left", "new")
    assert context["transfers"]["complete"]


@pytest.mark.parametrize("display", ["json", "csv", None])
def test_results_that_cannot_be_printed(program: Program, display: str | None):
    """For example on a full disk: the user must learn that redirected output is incomplete."""
    with Path("/dev/full").open("w") as full:
        completed = program.measure(
            *([f"--benchmark_format={display}"] if display else []),
            expected=SOMETHING_FAILED,
            stdout=full,
        )
    assert_one_complaint(completed)
