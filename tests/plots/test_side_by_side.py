"""Tests sentences and the table about what differs between runs."""

from pathlib import Path

import pytest
import synthetic
from synthetic import MIB

from plots.model.derive import Run
from plots.model.load import read_result
from plots.text import side_by_side, tables

RECORDED = Path(__file__).resolve().parents[2] / "results"
BOTH_WAYS = "Pinned memory in both directions at once"


def machine(factors, pinned=1.0):
    """Returns a run of copies to the device, and in both directions at once, of 64 MiB."""
    size = 64 * MIB
    rows = [synthetic.row("copy/pinned/h2d/64MiB", size, pinned * 2e6) for _ in factors]
    rows += [
        synthetic.row("duplex/engines/pinned/64MiB", 2 * size, factor * 1e6) for factor in factors
    ]
    return synthetic.run(rows)


def differences(*runs):
    return [sentence.text for sentence in side_by_side.describe_differences([*enumerate(runs, 1)])]


def test_copies_in_both_directions_at_once_are_compared():
    runs = [(1, machine((1.0, 1.0))), (2, machine((1.25, 1.25)))]
    table = tables.compare_runs(runs)
    assert [row for row in table.rows if row[0].startswith("duplex")] == [
        ["duplex/engines/pinned", "64 MiB", "134.2 GB/s", "107.4 GB/s (-20.0 %)"]
    ]
    assert differences(*(run for _, run in runs))[-1] == (
        f"{BOTH_WAYS}, 64 MiB: 134.2 GB/s in run 1, 107.4 GB/s in run 2 (-20.0 %)."
    )


@pytest.mark.parametrize(
    ("factors", "doubt"),
    [((1.25,) * 20, ""), ((*(1.25,) * 18, 0.9, 0.9), ", which may be noise")],
    ids=["every repetition agrees", "one in ten does not"],
)
def test_a_difference_that_repetitions_contradict_may_be_noise(factors, doubt):
    (*_, both_ways) = differences(machine((1.0,) * 20), machine(factors))
    assert both_ways.endswith(f"(-20.0 %{doubt}).")


def test_only_what_all_runs_have_is_compared():
    other = synthetic.run(synthetic.rows(("copy/pageable",)))
    assert differences(machine((1.0,)), other) == []
    assert differences(machine((1.0,)), machine((1.0,)), other) == []


def test_machines_without_a_gpu_and_falsified_times_are_not_compared():
    host = synthetic.run(device={"kind": "host", "name": "host"}, link=None)
    assert differences(host, host) == []


def test_the_largest_difference_of_the_recorded_machines_is_said():
    runs = [
        Run(read_result(RECORDED / name / "result.json.gz"))
        for name in ("nvidia-h200/2026-11-21-report", "nvidia-h100/2026-11-21-transfers")
    ]
    (*others, both_ways) = differences(*runs)
    assert both_ways == (f"{BOTH_WAYS}, 1 GiB: 100.8 GB/s in run 1, 91.74 GB/s in run 2 (-8.95 %).")
    (pageable,) = [text for text in others if text.startswith("Copies of pageable memory to the d")]
    assert pageable.endswith("(-10.1 %, which may be noise).")
