"""Tests that a report does not mix the devices of a run."""

from pathlib import Path
from typing import Any

import format_2
import pytest
from several_devices import AT_ONCE, two_devices

from plots.figures import DEVICES_FIGURES
from plots.figures.layout import COLUMN, WIDE
from plots.model.by_device import split
from plots.model.derive import Run
from plots.model.load import parse_result
from plots.text import concurrent_table


@pytest.fixture
def result() -> Any:
    return parse_result(Path("two.json"), two_devices(), b"two")


def test_what_uses_several_devices_stays_with_the_first(result):
    first, second = split(result)
    assert AT_ONCE in first.benchmarks
    assert first.benchmarks[AT_ONCE].devices == (0, 1)
    assert AT_ONCE not in second.benchmarks
    flow = second.transfers["metrics"]["gb_per_s@cuda:1:h2d"]["flow"]
    assert flow == {"device": 0, "direction": "h2d"}


def listed(count: int) -> Any:
    """A run whose set of copies has a name of its own for each."""
    made_up = two_devices()
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
    assert concurrent_table.make_concurrent_table(Run(result)).rows[0][0] == name
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
