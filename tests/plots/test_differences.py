"""Tests the figure of differences between runs: its marks, intervals and axis."""

import json

import pytest
import synthetic
from synthetic import KIB, MIB

from plots.figures import GROUP_FIGURES, style
from plots.figures.layout import COLUMN, PAPER, WIDE
from plots.model.derive import NoData
from plots.page import render

EVEN = (0.99, 0.995, 1.0, 1.0, 1.005, 1.01)


def machine(name, *slower, factors=EVEN, size=MIB, **more):
    """Returns a run of copies of pinned memory, `slower` times as long as 20 µs."""
    rows = [
        synthetic.row(f"copy/pinned/h2d/{synthetic.size_name(size << 2 * i)}", size << 2 * i, ns)
        for i, slow in enumerate(slower)
        for ns in (20e3 * slow * factor for factor in factors)
    ]
    return synthetic.run(rows, device={"kind": "cuda", "name": name}, **more)


def drawn(*runs, layout=WIDE):
    return render.specification(GROUP_FIGURES["differences"]([*enumerate(runs, 1)], layout))


def rows(spec):
    return spec["datasets"]["differences"]


def test_a_mark_is_the_difference_in_bandwidth_and_coloured_if_clear():
    spec = drawn(machine("a", 1.0, 1.0, 1.0), machine("b", 1.25, 1.001, 0.8))
    slow, same, fast = rows(spec)
    assert [row["gain"] for row in (slow, same, fast)] == pytest.approx([-20, -0.1, 25], abs=0.01)
    colours = [style.VERDICT[name].colour for name in ("slower", "unchanged", "faster")]
    assert [row["colour"] for row in (slow, same, fast)] == colours
    assert slow["low"] < slow["gain"] < slow["high"] < 0
    assert same["low"] < 0 < same["high"]


def test_rows_are_sizes_below_their_strategy():
    spec = drawn(machine("a", 1.0, 1.0), machine("b", 1.0, 1.0))
    (panel,) = spec["vconcat"][0]["hconcat"]
    (names,) = {
        tuple(layer["encoding"]["y"]["scale"]["domain"])
        for layer in panel["layer"]
        if "y" in layer["encoding"]
    }
    assert names == ("#|copy/pinned", "copy/pinned|1 MiB", "copy/pinned|4 MiB")


def test_what_is_beyond_the_axis_is_an_arrow_with_its_value():
    strategies = ("copy/pageable", "copy/pinned", "copy/staged")
    runs = [synthetic.rows(strategies, factors=EVEN) for _ in range(2)]
    for row in runs[1]:
        factor = 4 if row["name"] == "copy/staged/h2d/64MiB" else 1
        row["median_ns"] *= factor
        row["real_time"] *= factor
        row["gb_per_s"] /= factor
    spec = drawn(*map(synthetic.run, runs))
    (far,) = [row for row in rows(spec) if row["gain"] < -50]
    assert (far["at"], far["is_inside"], far["beyond_from"]) == (-5, False, True)
    assert far["text"].startswith("−75.0 %")
    assert all(row["is_inside"] for row in rows(spec) if row is not far)


def test_without_an_interval_nothing_is_coloured():
    runs = [machine(name, slow, factors=(1.0, 1.0)) for name, slow in (("a", 1.0), ("b", 2.0))]
    (row,) = rows(drawn(*runs))
    assert row["gain"] == pytest.approx(-50)
    assert not row["clear"]
    assert row["colour"] == style.VERDICT["unchanged"].colour


def test_the_figure_says_that_each_run_is_one_process():
    spec = drawn(machine("a", 1.0), machine("b", 1.0))
    assert any("each run is one process" in line for line in spec["title"]["subtitle"])
    assert spec["datasets"]["one_process"] == [
        {"low": pytest.approx(-2.0), "high": pytest.approx(2.0)}
    ]


@pytest.mark.parametrize("layout", [WIDE, COLUMN, PAPER], ids=lambda layout: layout.name)
def test_several_runs_stand_below_each_other_in_each_row(layout):
    runs = [machine(name, 1.0 + i / 10) for i, name in enumerate("abcde")]
    spec = drawn(*runs, layout=layout)
    assert [row["run"] for row in rows(spec)] == ["b", "c", "d"]
    assert any("1 more run not shown" in line for line in spec["title"]["subtitle"])
    # Black, as Vega has them, cannot be seen on a dark page.
    assert f'"symbolFillColor": "{style.INK}"' in json.dumps(spec)


def test_only_sizes_that_all_runs_have_are_shown():
    spec = drawn(machine("a", 1.0, 1.0), machine("b", 1.0, 1.0), machine("c", 1.0))
    assert {row["size"] for row in rows(spec)} == {"1 MiB"}


def test_what_cannot_be_compared_is_left_out():
    host = synthetic.run(device={"kind": "host", "name": "host"}, link=None)
    with pytest.raises(NoData, match="without a GPU"):
        drawn(host, host)
    other = synthetic.run(synthetic.rows(("copy/pageable",)))
    with pytest.raises(NoData, match="in common"):
        drawn(machine("a", 1.0), other)
    with pytest.raises(NoData, match="in common"):
        drawn(machine("a", 1.0), machine("b", 1.0, size=KIB))
