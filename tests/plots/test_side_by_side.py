"""Tests sentences and the table about what differs between runs."""

from pathlib import Path

import pytest
import synthetic
from synthetic import MIB

from plots.figures import GROUP_FIGURES
from plots.figures.layout import WIDE
from plots.model.derive import Run
from plots.model.load import read_result
from plots.text import cards, marks, side_by_side, tables

RECORDED = Path(__file__).resolve().parents[2] / "results"
BOTH_WAYS = "pinned memory both ways at once, 64 MiB"


def machine(factors, pinned=1.0):
    """Returns a run of copies to the device, and in both directions at once, of 64 MiB."""
    size = 64 * MIB
    rows = [synthetic.row("copy/pinned/h2d/64MiB", size, pinned * 2e6) for _ in factors]
    rows += [synthetic.row("copy/pinned/h2d/1KiB", 1024, pinned * 2e3) for _ in factors]
    rows += [
        synthetic.row("duplex/engines/pinned/64MiB", 2 * size, factor * 1e6) for factor in factors
    ]
    return synthetic.run(rows)


def differences(*runs):
    return [sentence.text for sentence in side_by_side.describe_differences([*enumerate(runs, 1)])]


def test_copies_in_both_directions_at_once_are_compared():
    runs = [(1, machine((1.0,) * 6)), (2, machine((1.25,) * 6))]
    table = tables.compare_runs(runs)
    assert [row for row in table.rows if row[0].startswith("duplex")] == [
        ["duplex/engines/pinned", "64 MiB", "134.2 GB/s", "107.4 GB/s (−20.0 %)"]
    ]
    assert differences(*(run for _, run in runs))[0] == (
        f"run 2 against run 1: clearly worse at {BOTH_WAYS} (−20.0 % [−20.0, −20.0]); not "
        "clearly different at 2 of 3 questions."
    )


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (1, 1, "one repetition each"),  # as `compare` has it
        (1, 6, "one repetition"),
        (6, 1, "one repetition"),
        (2, 2, "too few repetitions"),
    ],
)
def test_without_an_interval_nobody_knows_whether_a_difference_is_chance(first, second, why):
    runs = [(1, machine((1.0,) * first)), (2, machine((2.11,) * second, pinned=2.11))]
    verdict = differences(*(run for _, run in runs))[0]
    assert verdict == f"run 2 against run 1: {why} at 3 of 3 questions: no interval."
    for row in side_by_side.make_question_table(runs).rows:
        assert row[3] == f"−52.6 %, {why}: no interval"
    figure = GROUP_FIGURES["differences"](runs, WIDE)
    assert figure.summary == f"Whether any of 2 differences is chance is not known: {why}."


@pytest.mark.parametrize(
    ("factors", "doubt"),
    [
        ((1.25,) * 20, ""),
        ((*(1.25,) * 18, 0.9, 0.9), "not clear: repetitions overlap"),  # one in ten
        ((1.01,) * 20, "not clear: less than 2 %"),  # processes of one machine may differ by it
        ((1.25, 0.8) * 10, "not clear"),
    ],
)
def test_a_difference_that_may_be_noise_is_not_clear(factors, doubt):
    clear = not doubt
    runs = [(1, machine((1.0,) * 20)), (2, machine(factors))]
    (verdict, _) = side_by_side.describe_differences(runs)
    assert (BOTH_WAYS in verdict.text) is clear
    table = side_by_side.make_question_table(runs)
    (row,) = [row for row in table.rows if row[0] == BOTH_WAYS]
    assert row[3].partition("], ")[2] == doubt
    (raw,) = [row for row in table.raw if row[0].startswith("pinned memory both")]
    assert raw[-1] == (-1 if clear else 0)


def test_plus_is_better_for_rates_and_for_times():
    runs = [(1, machine((1.0,) * 6)), (2, machine((0.5,) * 6, pinned=2.0))]
    table = side_by_side.make_question_table(runs)
    assert {row[0]: row[1:] for row in table.rows} == {
        "pinned memory to the device, 64 MiB": [
            *("33.55 GB/s", "16.78 GB/s", "−50.0 % [−50.0, −50.0]")
        ],
        BOTH_WAYS: ["134.2 GB/s", "268.4 GB/s", "+100 % [+100, +100]"],
        "time of a small copy to the device, pinned memory, 1 KiB": [
            *("2.000 µs", "4.000 µs", "−50.0 % [−50.0, −50.0]")
        ],
    }


def test_only_facts_that_differ_are_listed():
    device = {"kind": "cuda", "name": "Other GPU", "driver_version": "1.2"}
    first = synthetic.run()
    second = synthetic.run(device=device)
    table = side_by_side.make_fact_table([(1, first), (2, second)])
    assert table.head == ["fact", "Synthetic GPU", "Other GPU"]
    assert table.rows == [["GPU", "Synthetic GPU", "Other GPU"], ["driver", "not known", "1.2"]]
    assert "The same in all: link, " in table.note


def test_only_what_all_runs_have_is_compared():
    other = synthetic.run(synthetic.rows(("copy/pageable",)))
    assert differences(machine((1.0,)), other) == []
    assert differences(machine((1.0,)), machine((1.0,)), other) == []


def test_machines_without_a_gpu_and_falsified_times_are_not_compared():
    host = synthetic.run(device={"kind": "host", "name": "host"}, link=None)
    assert differences(host, host) == []


def test_the_recorded_machines_differ_both_ways_at_once():
    runs = [
        (i, Run(read_result(RECORDED / name / "result.json.gz")))
        for i, name in enumerate(
            ("nvidia-h200/2026-11-21-report", "nvidia-h100/2026-11-21-transfers"), start=1
        )
    ]
    assert side_by_side.title(runs) == "NVIDIA H200 and NVIDIA H100 80GB HBM3"
    (verdict, _) = differences(*(run for _, run in runs))
    assert verdict.startswith("NVIDIA H100 80GB HBM3 against NVIDIA H200: clearly worse at ")
    assert "pinned memory both ways at once, 1 GiB (−8.9" in verdict
    table, facts = side_by_side.make_question_table(runs), side_by_side.make_fact_table(runs)
    cells = {row[0]: row[3] for row in table.rows}
    assert cells["pageable memory to the device, 1 GiB"].endswith("not clear")
    assert "highest memory clock" in [row[0] for row in facts.rows]


def test_what_no_run_says_is_not_the_same_in_all():
    runs = [synthetic.run(), synthetic.run(device={"kind": "cuda", "name": "Other GPU"})]
    table = side_by_side.make_fact_table([*enumerate(runs, 1)])
    assert table.rows == [["GPU", "Synthetic GPU", "Other GPU"]]
    same = table.note.partition("The same in all: ")[2]
    assert same.startswith("link, ")
    assert "driver" not in same


def test_runs_are_named_by_what_tells_them_apart():
    def named(*devices):
        runs = [
            synthetic.run(
                device={"kind": "cuda", "name": name},
                run={"started_utc": f"2026-11-2{i}T11:00:00Z"},
            )
            for i, name in enumerate(devices)
        ]
        return side_by_side.run_names([*enumerate(runs, 1)])

    assert named("A", "B") == ["A", "B"]
    assert named("A", "A") == ["2026-11-20 11:00 UTC", "2026-11-21 11:00 UTC"]
    assert named("A", "B", "A") == ["A of 2026-11-20 11:00 UTC", "B", "A of 2026-11-22 11:00 UTC"]


def test_a_page_of_many_runs_is_titled_by_their_devices():
    runs = [
        synthetic.run(
            device={"kind": "cuda", "name": name}, run={"started_utc": f"2026-11-2{i}T11:00:00Z"}
        )
        for i, name in enumerate("AABA")
    ]
    assert side_by_side.title([*enumerate(runs, 1)]) == "3 × A, B"
    assert side_by_side.title([*enumerate(runs[1:3], 1)]) == "A and B"


def test_a_card_has_the_health_of_a_machine_what_to_use_and_what_differs():
    rows = [
        synthetic.row(f"{name}/h2d/64MiB", 64 * MIB, ns * factor)
        for name, ns in (("copy/pageable", 6e6), ("copy/pinned", 1.25e6))
        for factor in (0.99, 0.995, 1.0, 1.0, 1.005, 1.01)
    ]
    device = {"kind": "cuda", "name": "Other GPU", "driver_version": "1.2"}
    runs = [(1, synthetic.run(rows)), (2, synthetic.run(rows, device=device))]
    first, second = cards.make_cards(runs)
    assert [first.name, second.name] == ["Synthetic GPU", "Other GPU"]
    assert first.marks == marks.describe(runs[0][1])
    assert ("driver", "1.2") in second.lines
    assert ("Large arrays, copied again and again", "copy/pinned") in second.lines
    assert dict(second.lines)["link"] == (
        "PCIe 5.0 x16; large pinned copies, and their part of its raw rate: "
        "53.69 GB/s to the device (85 %)"
    )
    assert "processor" not in dict(second.lines)  # it does not differ
    assert "GPU" not in dict(second.lines)  # the card's name
