"""Tests which runs are of one machine, and how they are drawn against the time."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
import synthetic
from synthetic import KIB, MIB

from plots.figures import GROUP_FIGURES
from plots.figures.layout import COLUMN, PAPER, WIDE
from plots.model.derive import NoData, Run
from plots.model.load import read_result
from plots.model.same_gpu import longest_history
from plots.page import render

RECORDED = Path(__file__).resolve().parents[2] / "results"


def machine(day, gb_per_s=50.0, sizes=(MIB,), name="GPU", uuid=None, strategy="copy/pinned/h2d"):
    """Returns a run of six copies of each size, started at noon of a day, or at a time."""
    rows = [
        synthetic.row(f"{strategy}/{synthetic.size_name(size)}", size, size / gb_per_s * factor)
        for size in sizes
        for factor in (0.98, 0.99, 1.0, 1.0, 1.01, 1.02)
    ]
    device = {"kind": "cuda", "name": name} | ({"uuid": uuid} if uuid else {})
    started = day if "T" in day else f"{day}T12:00:00Z"
    return synthetic.run(rows, device=device, run={"started_utc": started})


def drawn(*runs, layout=WIDE):
    return render.specification(GROUP_FIGURES["history"]([*enumerate(runs, 1)], layout))


def rows(spec):
    return spec["datasets"]["history"]


def subtitle(spec):
    return " ".join(spec["title"]["subtitle"])


def test_runs_stand_in_the_order_of_time_with_their_intervals():
    spec = drawn(machine("2026-11-22", 40.0), machine("2026-11-20", 50.0))
    assert [(row["hours"], row["text"]) for row in rows(spec)] == [
        (0.0, "50.00 GB/s"),
        (48.0, "40.00 GB/s"),
    ]
    # Marks open the panels of the runs as the report numbers them.
    assert [(row["of_run"], row["benchmark"]) for row in rows(spec)] == [
        (2, "copy/pinned/h2d/1MiB"),
        (1, "copy/pinned/h2d/1MiB"),
    ]
    first = rows(spec)[0]
    assert (first["low"], first["at"], first["high"]) == pytest.approx((50 / 1.02, 50, 50 / 0.98))


def test_a_run_of_another_gpu_is_not_part_of_the_history():
    runs = [machine(f"2026-11-2{i}") for i in range(3)]
    spec = drawn(machine("2026-11-20", name="other"), *runs)
    assert len(rows(spec)) == 3
    assert "1 run of other machines not shown here" in subtitle(spec)


def test_gpus_of_the_same_name_and_host_are_told_apart_by_their_uuids():
    alike = [machine("2026-11-20", uuid="a"), machine("2026-11-21", uuid="a")]
    assert "beware" not in subtitle(drawn(*alike))
    spec = drawn(*alike, machine("2026-11-22", uuid="b"))
    assert "beware: 2 GPUs of the same name" in subtitle(spec)
    assert [row["gpu"] for row in rows(spec)] == ["a", "a", "b"]


def test_the_uuid_decides_where_the_name_of_the_host_has_changed():
    first, second = machine("2026-11-20", uuid="a"), machine("2026-11-21", uuid="a")
    second.result.context["host_name"] = "renamed"
    assert [dated.started for dated in longest_history([second, first])] == [
        datetime(2026, 11, day, 12, tzinfo=UTC) for day in (20, 21)
    ]
    other = machine("2026-11-22", uuid="b")
    other.result.context["host_name"] = "renamed"
    assert len(longest_history([first, other])) == 1
    assert len(longest_history([first, other, second])) == 3  # the second one joins both


def test_a_question_is_about_the_largest_size_that_half_of_the_runs_have():
    spec = drawn(
        machine("2026-11-20", sizes=(MIB, 16 * MIB)),
        machine("2026-11-21", sizes=(MIB, 16 * MIB, 64 * MIB)),
        machine("2026-11-22", sizes=(MIB,)),
    )
    assert {row["panel"] for row in rows(spec)} == {"pinned memory to the device, 16 MiB"}
    assert len(rows(spec)) == 2


def test_small_copies_are_times_of_the_smallest_size():
    runs = [machine(f"2026-11-2{i}", sizes=(4 * KIB, 16 * KIB, MIB)) for i in range(2)]
    texts = {row["panel"]: row["text"] for row in rows(drawn(*runs))}
    assert texts["small pinned copy to the device, 4 KiB"] == "81.92 ns"
    assert texts["pinned memory to the device, 1 MiB"] == "50.00 GB/s"


def panels(spec):
    return [panel for line in spec["vconcat"] for panel in line.get("hconcat", [line])]


def ticks(spec):
    (labels,) = {panel["layer"][0]["encoding"]["x"]["axis"]["labelExpr"] for panel in panels(spec)}
    return labels.partition("[indexof")[0]


@pytest.mark.parametrize(
    ("start", "end", "shown"),
    [
        ("2026-11-20", "2026-11-23", '["11-21", "11-22", "11-23"]'),
        ("2026-11-20T22:10:00Z", "2026-11-21T01:10:00Z", '["23:00", "11-21", "01:00"]'),
        ("2026-11-01", "2026-11-30", '["11-02", "11-16", "11-30"]'),
        ("2026-01-20", "2027-01-20", '["2026-04", "2026-07", "2026-10", "2027-01"]'),
    ],
)
def test_ticks_are_days_or_hours_that_a_reader_knows(start, end, shown):
    assert ticks(drawn(machine(start), machine(end))) == shown


def test_noise_does_not_look_like_a_change():
    runs = [machine(f"2026-11-2{i}", rate) for i, rate in enumerate((50.0, 50.5))]
    (panel,) = panels(drawn(*runs))
    domain = panel["layer"][0]["encoding"]["y"]["scale"]["domain"]
    assert domain == pytest.approx([50.5 * 0.9, 50.5 * 1.1])


@pytest.mark.parametrize("layout", [COLUMN, PAPER], ids=lambda layout: layout.name)
def test_a_column_has_the_panels_below_each_other(layout):
    runs = [machine(f"2026-11-2{i}", sizes=(4 * KIB, KIB * MIB)) for i in range(2)]
    assert [len(line["vconcat"]) for line in drawn(*runs, layout=layout)["vconcat"]] == [1, 1]


def test_without_two_times_or_without_a_gpu_there_is_no_history():
    with pytest.raises(NoData, match="twice"):
        drawn(machine("2026-11-20"), machine("2026-11-20"))
    with pytest.raises(NoData, match="twice"):
        drawn(machine("2026-11-20"), machine("2026-11-21", name="other"))
    with pytest.raises(NoData, match="twice"):
        drawn(machine("not a time T"), machine("2026-11-21"))
    with pytest.raises(NoData, match="in common"):
        drawn(machine("2026-11-20"), machine("2026-11-21", strategy="copy/pageable/d2h"))
    host = synthetic.run(device={"kind": "host", "name": "host"}, link=None)
    with pytest.raises(NoData, match="without a GPU"):
        drawn(host, host)


def test_recorded_runs_of_three_days_are_a_history():
    days = ("2026-11-20-standard", "2026-11-21-report", "2026-11-22-library", "2026-11-23-staging")
    runs = [
        Run(read_result(RECORDED / "nvidia-h200" / day / "result.json.gz"))
        for day in reversed(days)
    ]
    other = Run(read_result(RECORDED / "nvidia-h100/2026-11-21-transfers/result.json.gz"))
    spec = drawn(*runs, other)
    assert "1 run of other machines" in subtitle(spec)
    assert "beware: 4 GPUs of the same name" in subtitle(spec)
    shown = {}
    for row in rows(spec):
        shown.setdefault(row["panel"], []).append(row["date"][:10])
    # The run of the library stops at 256 MiB.
    assert shown["pinned memory to the device, 1 GiB"] == [
        *("2026-11-20", "2026-11-21", "2026-11-23")
    ]
    assert shown["small pinned copy to the device, 4 B"] == ["2026-11-20", "2026-11-21"]
    assert ticks(spec) == '["11-21", "11-22", "11-23"]'
