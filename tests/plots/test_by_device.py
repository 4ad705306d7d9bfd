"""Tests that a report does not mix the devices of a run."""

from pathlib import Path
from typing import Any

import format_2
import pytest
import synthetic
from synthetic import MIB

from plots.model.by_device import split
from plots.model.derive import Run
from plots.model.load import parse_result
from plots.page.report import make_sections
from plots.text import caption, tables

RATES = (50.0, 20.0)
AT_ONCE = "concurrent/pinned/h2d/all/64MiB"


def document() -> dict[str, Any]:
    """A run of two devices, the second slower, and of both at once."""
    link = synthetic.LINK
    devices = [
        {"id": f"cuda:{i}", "kind": "cuda", "name": f"GPU {i}", "clocks": None}
        | {"link": link | {"limit_gb_per_s": limit}}
        for i, limit in enumerate((63.0, 31.5))
    ]
    benchmarks, rows = {}, []
    for index, rate in enumerate(RATES):
        for name, fields in format_2.copies().items():
            benchmarks[f"{name}@cuda:{index}"] = fields | {"devices": [index]}
            size = fields["size_bytes"]
            rows += [synthetic.row(f"{name}@cuda:{index}", size, size / rate)] * 3
    benchmarks[AT_ONCE] = format_2.fields(
        "concurrent/pinned",
        "concurrent",
        memory="pinned",
        variant="h2d/all",
        direction="h2d",
        size_bytes=64 * MIB,
        devices=[0, 1],
        flows=[{"device": i, "direction": "h2d"} for i in (0, 1)],
    )
    counters = {
        f"{prefix}@cuda:{i}:h2d": value
        for i, (at_once, alone) in enumerate(((42.0, 50.0), (18.0, 20.0)))
        for prefix, value in {
            "gb_per_s": at_once,
            "alone_gb_per_s": alone,
            "loss_percent": 100 * (1 - at_once / alone),
        }.items()
    }
    rows += [synthetic.row(AT_ONCE, 128 * MIB, 128 * MIB / 60, **counters)] * 3
    kinds = {
        "gb_per_s": {"kind": "rate"},
        "alone_gb_per_s": {"kind": "rate", "alone": True},
        "loss_percent": {"kind": "share", "unit": "%"},
    }
    metrics = {
        name: format_2.METRICS["gb_per_s"]
        | kinds[name.split("@")[0]]
        | {"flow": {"device": int(name.split(":")[1]), "direction": "h2d"}}
        for name in counters
    }
    return format_2.document(
        rows,
        device=devices[0],
        devices=devices,
        link=devices[0]["link"],
        benchmarks=benchmarks,
        roles=format_2.ROLES | {"concurrent": {"description": "several", "table": "concurrent"}},
        metrics=format_2.METRICS | metrics,
    )


@pytest.fixture
def result() -> Any:
    return parse_result(Path("two.json"), document(), b"two")


def test_each_device_is_a_run_of_its_own(result):
    runs = [Run(part) for part in split(result)]
    for run, rate, limit in zip(runs, RATES, (63.0, 31.5), strict=True):
        rates = {benchmark.name: benchmark.gb_per_s for benchmark in run.transfers}
        assert rates == pytest.approx(dict.fromkeys(format_2.copies(), rate))
        assert run.link_limit == limit
    assert [caption.device_name(run) for run in runs] == ["cuda:0 GPU 0", "cuda:1 GPU 1"]


def test_what_uses_several_devices_stays_with_the_first(result):
    first, second = split(result)
    assert AT_ONCE in first.benchmarks
    assert first.benchmarks[AT_ONCE].devices == (0, 1)
    assert AT_ONCE not in second.benchmarks
    flow = second.transfers["metrics"]["gb_per_s@cuda:1:h2d"]["flow"]
    assert flow == {"device": 0, "direction": "h2d"}


def test_copies_at_once_have_a_table(result):
    (table,) = (
        table for table in tables.make_tables(Run(split(result)[0])) if table.name == "concurrent"
    )
    assert [row[2:] for row in table.rows] == [
        ["cuda:0 h2d", "42.00 GB/s", "50.00 GB/s", "16.0 %"],
        ["cuda:1 h2d", "18.00 GB/s", "20.00 GB/s", "10.0 %"],
    ]
    assert [row[1] for row in table.raw] == pytest.approx([60.0, 60.0])


def test_a_run_of_one_device_is_left_as_it_is():
    alone = format_2.result()
    assert split(alone) == [alone]


def test_a_device_without_rows_has_no_section(result):
    result.rows[:] = [row for row in result.rows if row["name"].endswith("@cuda:1")]
    (second,) = split(result)
    assert set(second.benchmarks) == set(format_2.copies())


def test_the_report_has_a_section_for_each_device(result, undrawn, monkeypatch):
    monkeypatch.setattr("plots.page.report.FIGURES", {})
    monkeypatch.setattr("plots.page.report.GROUP_FIGURES", {})
    monkeypatch.setattr("plots.page.report.DEVICES_FIGURES", {})
    sections = make_sections([result], None)
    headings = [section.heading for section in sections]
    assert len(headings) == 2
    assert "cuda:0 GPU 0" in headings[0]
    assert "cuda:1 GPU 1" in headings[1]
