"""Tests that a comparison shows the medians that it compares."""

from pathlib import Path

import pytest
from reporting import judged_runs

from plots.model.load import read_result
from plots.text import compared_table, side_by_side

RECORDED = Path(__file__).resolve().parents[2] / "results"
RUNS = ["nvidia-h200/2026-11-27-transfers", "nvidia-h100/2026-11-27-transfers"]


@pytest.fixture(scope="module")
def runs(program):
    results = [read_result(RECORDED / run / "result.json.gz") for run in RUNS]
    return list(enumerate(judged_runs(program, results), 1))


def test_of_each_question(runs):
    raw = side_by_side.make_question_table(runs).raw
    assert len(raw) > 10
    for _, _, _, first, second, longer, *_ in raw:
        assert second / first - 1 == pytest.approx(longer, rel=1e-6)


def test_of_each_bandwidth(runs):
    table = compared_table.compare_runs(runs)
    first, second = (table.raw_head.index(f"gb_per_s of run {number}") for number in (1, 2))
    differences = side_by_side.comparison_of(runs).transfers.values()
    known = [one.value for (one,) in differences if one]
    assert len(table.raw) > 10
    of_paper = [column.cells for column in table.paper if column.head.startswith("run ")]
    for place, row in enumerate(table.raw):
        assert [cells[place] for cells in of_paper] == [row[first], row[second]]
        assert row[first] / row[second] - 1 in map(pytest.approx, known)
