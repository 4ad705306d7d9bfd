"""Tests that a report does not mix the devices of a run."""

from pathlib import Path
from typing import Any

import format_2
import pytest
import synthetic
from synthetic import MIB

from plots.figures import DEVICES_FIGURES
from plots.figures.layout import COLUMN, WIDE
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
    for row in result.rows:
        row |= {name: 77.0 for name in row if name.startswith("loss_percent")}
    table = tables.make_concurrent_table(Run(result))
    assert [row[2:] for row in table.rows] == [
        ["cuda:0 h2d", "42.00 GB/s", "50.00 GB/s", "−16 %"],  # of the two medians
        ["cuda:1 h2d", "18.00 GB/s", "20.00 GB/s", "−10 %"],
    ]
    assert [row[1] for row in table.raw] == pytest.approx([60.0, 60.0])
    for part in split(result):
        assert "concurrent" not in {table.name for table in tables.make_tables(Run(part))}


def eight() -> dict[str, Any]:
    """A run of eight devices with three sets; all but the last were also measured alone."""
    made_up = document()
    transfers = made_up["context"]["transfers"]
    described, device = transfers["benchmarks"], transfers["devices"][0]
    transfers["devices"] = [device | {"id": f"cuda:{i}", "name": f"GPU {i}"} for i in range(8)]
    for i in range(2, 7):
        name = f"copy/pinned/h2d/1MiB@cuda:{i}"
        described[name] = described["copy/pinned/h2d/1MiB@cuda:0"] | {"devices": [i]}
        made_up["benchmarks"] += [synthetic.row(name, MIB, MIB / 50)] * 3
    for size in (2, 8):
        devices = list(range(8 - size, 8))
        words = "all" if size == 8 else "+".join(f"cuda:{i}" for i in devices)
        name = f"concurrent/pinned/h2d/{words}/1MiB"
        described[name] = described[AT_ONCE] | {
            "variant": f"h2d/{words}",
            "size_bytes": MIB,
            "devices": devices,
            "flows": [{"device": i, "direction": "h2d"} for i in devices],
        }
        made_up["benchmarks"] += [synthetic.row(name, size * MIB, size * MIB / 60)] * 3
    return made_up


@pytest.fixture
def without_figures(monkeypatch):
    for name in ("FIGURES", "GROUP_FIGURES", "DEVICES_FIGURES"):
        monkeypatch.setattr(f"plots.page.report.{name}", {})


def test_a_file_has_one_table_of_all_sets_large_ones_first(without_figures):
    run_of_eight = parse_result(Path("eight.json"), eight(), b"eight")
    sections = make_sections([run_of_eight], None)
    found = [
        (section.name, table)
        for section in sections
        for table in section.tables
        if table.name == "concurrent"
    ]
    ((name, table),) = found
    assert name == "devices-"
    assert list(dict.fromkeys(row[0] for row in table.rows)) == [
        "concurrent/pinned/h2d/all/1MiB",
        AT_ONCE,
        "concurrent/pinned/h2d/cuda:6+cuda:7/1MiB",
    ]


def test_devices_without_a_section_are_named(without_figures):
    sections = make_sections([parse_result(Path("eight.json"), eight(), b"eight")], None)
    together = next(section for section in sections if section.name == "devices-")
    (sentences,) = together.sentences.values()
    assert [sentence.text for sentence in sentences] == [
        "cuda:6 has no section: there is room for 6 such sections in this report.",
        "cuda:7 has no section: nothing but copies at once was measured.",
    ]


def listed(count: int) -> Any:
    """A run whose set of copies has a name of its own for each."""
    made_up = document()
    transfers = made_up["context"]["transfers"]
    memory = "pinned_portable_mapped_wc@node10"
    copies = "+".join(f"cuda:{i}:h2d:{memory}" for i in range(count))
    name = f"concurrent/listed/mixed/{copies}/64MiB"
    transfers["benchmarks"][name] = transfers["benchmarks"].pop(AT_ONCE) | {"variant": copies}
    transfers["devices"] = [transfers["devices"][0] | {"id": f"cuda:{i}"} for i in range(count + 1)]
    transfers["benchmarks"][name]["devices"] = list(range(count))
    for row in made_up["benchmarks"]:
        if row["name"] == AT_ONCE:
            row |= {"name": name, "run_name": name}
    return name, parse_result(Path("listed.json"), made_up, b"listed")


@pytest.mark.parametrize("layout", [WIDE, COLUMN])
def test_a_set_with_a_long_name_is_shown_and_its_label_shortened(layout):
    name, result = listed(64)
    assert len(name) > 2000
    assert Run(result).left_out == 0
    assert tables.make_concurrent_table(Run(result)).rows[0][0] == name
    copies = DEVICES_FIGURES["at_once"](Run(result), layout).chart.datasets["copies"]
    assert copies[1]["set"] == name
    assert "cuda:63" in copies[0]["name"]
    assert "…" in copies[0]["label"]
    assert copies[0]["label"].endswith("63, 64 MiB")
    assert max(len(entry["label"]) for entry in copies) < 80
    assert all(entry["row"].endswith(f"|{entry['label']}") for entry in copies)


def test_a_run_of_one_device_is_left_as_it_is():
    alone = format_2.result()
    assert split(alone) == [alone]


def test_a_device_without_rows_has_no_section(result):
    result.rows[:] = [row for row in result.rows if row["name"].endswith("@cuda:1")]
    (second,) = split(result)
    assert set(second.benchmarks) == set(format_2.copies())


def test_the_report_has_a_section_for_each_device(result, without_figures):
    sections = make_sections([result], None)
    headings = [section.heading for section in sections if section.name.startswith("run-")]
    assert len(headings) == 2
    assert "cuda:0 GPU 0" in headings[0]
    assert "cuda:1 GPU 1" in headings[1]
