"""Tests that numbers have the digits that `gate_transfers show` prints."""

import re
from pathlib import Path

import pytest
import synthetic
from calls import call

from plots.model.derive import Run
from plots.model.load import read_result
from plots.text import numbers

RECORDED = Path(__file__).resolve().parents[2] / "results" / "nvidia-h200"


def by_key(key):
    return numbers.quantity_by_key(1234567.0, key)


# By the function that writes them.
WRITTEN = {
    numbers.digits: {
        **{0: "0", 0.0004: "4.000e-04", 1.23456: "1.235"},
        **{9.99951: "10.00", 99.996: "100.0", 2e6: "2.000e+06"},
    },
    numbers.size: {4: "4 B", 1024: "1 KiB", 6144: "6 KiB", 1.5 * 2**20: "1.5 MiB", 2**30: "1 GiB"},
    numbers.signed_percent: {
        **{0.1: "+10.0 %", -0.03: "−3.00 %", -0.00004: "+0.00 %", 0.09995: "+10.0 %"},
        **{-0.67: "−67.0 %", 1.14: "+114 %", 100.0: "×101.0"},
    },
    numbers.probability: {9e-5: "<0.0001", 0.00076: "0.00076", 0.0994: "0.099", 0.0996: "0.10"},
    by_key: {
        **{"real_time": "1.235 ms", "copy_ns": "1.235 ms", "gb_per_s": "1.235e+06 GB/s"},
        **{"bytes_per_second": "1.235 MB/s", "items_per_second": "1.235 M/s"},
        **{"link_percent": "1.235e+06 %", "cores": "1.235e+06"},
    },
    numbers.rate: {
        **{55.519: "55.52 GB/s", 0.99994: "999.9 MB/s"},
        **{6.84e-4: "684.0 kB/s", 4e-8: "40.00 B/s"},
    },
    # Three digits below one.
    numbers.gb: {
        **{55.24: "55.2", 1.04: "1.0", 0.446: "0.446"},
        **{0.08904: "0.0890", 0.0001: "0.000100", 0.0: "0"},
    },
    numbers.change: {-0.0336: "−3 %", 0.056: "+6 %", -0.001: "0 %", 1e6: "×1.000e+06"},
    numbers.time: {0: "0 ns"},
}


@pytest.mark.parametrize("write", WRITTEN)
def test_numbers_are_written_with_their_digits_and_units(write):
    assert {value: write(value) for value in WRITTEN[write]} == WRITTEN[write]


def test_bandwidths_of_a_line_have_one_unit():
    assert numbers.rates(1.2, 0.08904) == ["1.200 GB/s", "0.0890 GB/s"]
    assert numbers.rates(0.5601, 0.08904) == ["560.1 MB/s", "89.04 MB/s"]
    assert numbers.rate_in_interval(0.08904, 0.0881, 0.09) == "89.04 MB/s [88.1, 90.0]"
    assert numbers.rate_in_interval(161.04, 159.2, 162.9) == "161.0 GB/s [159.2, 162.9]"


def test_programs_get_hyphens_and_readers_a_minus():
    assert (numbers.digits(-12.5), numbers.plain_digits(-12.5)) == ("−12.50", "-12.50")
    assert numbers.quantity(-1.0, "ns") == "−1.000 ns"


@pytest.mark.parametrize(
    "text",
    [
        "55.24~GB/s (64~MiB) in 1.2~ms, at 1980~MHz and 43~°C",
        "−10.5~%~[−15.6,~−2.23] of 3 benchmarks",
        "1.25×~[1.1,~1.4] as fast; 0.05~s/GB",
        "(95~%: 144.0~ns to 176.0~ns)",
        "CPU seconds for 10⁹~B in 2 steps, PCIe 5.0 x16",
    ],
)
def test_lines_do_not_end_between_a_number_and_its_unit(text):
    assert numbers.bind(text.replace("~", " ")) == text.replace("~", numbers.NO_BREAK)


def times_and_rates():
    """Returns medians at and near the edges where the digits or the unit change."""
    edges = (9.9995, 99.995, 999.95, 9999.5, 99995.0, 999950.0, 1e6, 9.9e8, 9.9995e8)
    return [edge * factor for edge in edges for factor in (0.9999, 1.0, 1.00011)]


def parse_show(gate, path, *options):
    completed = call([gate, "show", path, *options], expected=0)
    lines = (re.split(r" {2,}", line.strip()) for line in completed.stdout.splitlines())
    return {line[0]: line[1:] for line in lines}


def check_agreement(gate, path):
    """Checks that both programs print the same digits, and counts the benchmarks."""
    run = Run(read_result(path))
    by_time = parse_show(gate, path)
    by_rate = parse_show(gate, path, "--judge-by=gb_per_s")
    for benchmark in run.benchmarks:
        assert [numbers.time(benchmark.ns), numbers.percent(benchmark.spread)] == by_time[
            benchmark.name
        ]
        if benchmark.gb_per_s:
            assert numbers.rate(benchmark.gb_per_s) == by_rate[benchmark.name][0]
    return len(run.benchmarks)


def test_agree_with_gate_transfers_show_to_the_last_digit(tmp_path, gate_program):
    rows = []
    for i, ns in enumerate(times_and_rates()):
        for factor in (
            0.97,
            1.0,
            1.0 + i / 7,
            1.01,
        ):  # an even count: medians lie between two values
            row = synthetic.row(f"copy/kind_{i}/h2d/1MiB", 2**20, ns * factor)
            rows.append(row | {"real_time": ns * factor, "time_unit": "ns"})
    path = synthetic.write(tmp_path / "run.json", synthetic.document(rows))
    assert check_agreement(gate_program, path) == len(times_and_rates())


@pytest.mark.parametrize("name", ["2026-11-21-memory", "2026-11-21-fast-paths-again"])
def test_agree_with_gate_transfers_show_on_recorded_runs(name, gate_program):
    assert check_agreement(gate_program, RECORDED / name / "result.json.gz") > 1000


def test_agree_with_the_summary_of_the_same_run(tmp_path, program):
    path = tmp_path / "result.json"
    command = [program, "--device=host", "--strategies=copy,copy_async", "--sizes=4KiB,64KiB"]
    # With an even number of repetitions, the median lies between two.
    command += ["--cache=warm", "--benchmark_repetitions=2", "--benchmark_min_time=0.0003"]
    completed = call([*command, f"--out={path}"], expected=0)
    run = Run(read_result(path))
    by_name = {benchmark.name: benchmark for benchmark in run.benchmarks}
    table = completed.stdout.partition("64KiB, GB/s")[2].partition("* best of its column")[0]
    compared = 0
    for line in table.splitlines():
        name, *cells = line.replace("*", " ").split() or [""]
        for direction, time, rate in zip(("h2d", "d2h"), cells[:2], cells[2:4], strict=False):
            small, large = (by_name.get(f"{name}/{direction}/{size}") for size in ("4KiB", "64KiB"))
            if small and large:
                decimals = 3 if small.ns < 1e6 else 1
                assert f"{small.ns / 1000:.{decimals}f}" == time, line
                assert f"{large.gb_per_s:.2f}" == rate, line
                compared += 1
    assert compared >= 10
