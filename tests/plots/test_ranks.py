"""Tests how several runs are sorted: by bandwidth, and by the part of their links."""

from pathlib import Path

import pytest
import synthetic
from synthetic import MIB

from plots.figures import GROUP_FIGURES
from plots.figures.layout import COLUMN, WIDE
from plots.model.derive import NoData, Run
from plots.model.load import read_result
from plots.model.ranks import ranks
from plots.page import render

RECORDED = Path(__file__).resolve().parents[2] / "results"
SIZE = 64 * MIB
GEN_4 = {**synthetic.LINK, "generation": 4, "limit_gb_per_s": 31.5}
TO_DEVICE = "pinned memory to the device, 64 MiB"


def machine(name, gb_per_s, spread=0.0, link=synthetic.LINK):
    """Returns a run of six copies to the device; every other one is slower by `spread`."""
    times = [SIZE / gb_per_s * (1 + spread * (i % 2)) for i in range(6)]
    rows = [synthetic.row("copy/pinned/h2d/64MiB", SIZE, ns) for ns in times]
    return synthetic.run(rows, device={"kind": "cuda", "name": name}, link=link)


def drawn(*runs, layout=WIDE):
    return render.specification(GROUP_FIGURES["ranks"]([*enumerate(runs, 1)], layout))


def order(spec, key="gb_per_s"):
    """Returns rank, name and text of each row of a panel, from top to bottom."""
    rows = [row for row in spec["datasets"]["ranks"] if row["panel"] == f"{TO_DEVICE}, {key}"]
    return [(row["rank"], row["run"], row["text"]) for row in rows]


def test_the_fastest_comes_first_and_ties_share_a_rank():
    spec = drawn(machine("slow", 40.0), machine("fast", 50.0), machine("as fast", 50.5))
    assert order(spec) == [
        ("1=", "as fast", "50.50 GB/s, 80 %"),
        ("1=", "fast", "50.00 GB/s, 79 %"),
        ("3", "slow", "40.00 GB/s, 63 %"),
    ]
    assert spec["datasets"]["ranks"][0]["row"] == "0|1= as fast"


def test_repetitions_that_overlap_are_a_tie_however_far_their_medians_are_apart():
    spec = drawn(machine("a", 50.0), machine("b", 46.0, spread=-0.2), machine("c", 30.0))
    assert [rank for rank, *_ in order(spec)] == ["1=", "1=", "3"]


def test_a_slow_link_that_is_used_well_is_first_by_its_share():
    runs = machine("good use", 28.35, link=GEN_4), machine("fast link", 50.4), machine("c", 25.2)
    spec = drawn(*runs)
    assert [name for _, name, _ in order(spec)] == ["fast link", "good use", "c"]
    assert order(spec, "percent") == [
        ("1", "good use", "28.35 GB/s, 90 %"),
        ("2", "fast link", "50.40 GB/s, 80 %"),
        ("3", "c", "25.20 GB/s, 40 %"),
    ]
    marks = [row["at"] for row in spec["datasets"]["ranks"] if "percent" in row["panel"]]
    assert marks == pytest.approx([90, 80, 40])


def test_both_ways_at_once_are_percents_of_both_directions():
    def run(name):
        rows = [
            row
            for _ in range(6)
            for row in (
                synthetic.row("copy/pinned/h2d/64MiB", SIZE, SIZE / 50.4),
                synthetic.row("duplex/engines/pinned/64MiB", 2 * SIZE, 2 * SIZE / 100.8),
            )
        ]
        return synthetic.run(rows, device={"kind": "cuda", "name": name})

    rows = drawn(run("a"), run("b"), run("c"))["datasets"]["ranks"]
    assert {row["text"] for row in rows} == {"50.40 GB/s, 80 %", "100.8 GB/s, 80 %"}


def test_on_equal_links_the_share_sorts_as_the_bandwidth_does_and_is_not_drawn():
    spec = drawn(machine("a", 50.0), machine("b", 40.0), machine("c", 30.0))
    assert {row["panel"] for row in spec["datasets"]["ranks"]} == {f"{TO_DEVICE}, gb_per_s"}


def test_two_runs_have_no_ranks():
    with pytest.raises(NoData, match="fewer than 3 runs"):
        drawn(machine("a", 50.0), machine("b", 40.0), layout=COLUMN)


def test_a_rank_counts_those_that_are_clearly_better():
    measured = [
        run.transfers[0]
        for run in (machine("a", 50.0), machine("b", 49.5), machine("c", 40.0), machine("d", 40.1))
    ]
    assert list(map(str, ranks(measured))) == ["1=", "1=", "3=", "3="]


def test_recorded_runs_of_three_gpus_and_more_are_ranked():
    names = (
        "nvidia-h200/2026-11-21-report",
        "nvidia-h100/2026-11-21-transfers",
        "nvidia-h200/2026-11-21-fast-paths",
        "nvidia-h200/2026-11-21-fast-paths-again",
    )
    runs = [Run(read_result(RECORDED / name / "result.json.gz")) for name in names]
    ranked = {}
    for row in drawn(*runs)["datasets"]["ranks"]:
        ranked.setdefault(row["panel"], []).append((row["rank"], row["run"]))
    large, *_ = ranked.values()
    assert {rank for rank, _ in large} == {"1="}  # the link decides
    both = ranked["pinned memory both ways at once, 1 GiB, gb_per_s"]
    assert [rank for rank, _ in both] == ["1=", "1=", "1=", "4"]
    assert both[-1] == ("4", "NVIDIA H100 80GB HBM3")
    pageable = ranked["pageable memory to the host, 1 GiB, gb_per_s"]
    assert [rank for rank, _ in pageable] == ["1=", "1=", "2", "3"]
