"""Tests what the page has of advise's answers and of each benchmark."""

import json

import pytest
import synthetic
from healthy import timed
from synthetic import MIB

from plots.model.derive import Run
from plots.page import calculator, packing, panels
from plots.text import numbers


def strategy(name, transfer, **facts):
    def around(value):
        return {"value": value, "low": 0.9 * value, "high": 1.1 * value}

    return {
        "name": name,
        "total_ns": around(transfer + 60.0),
        "allocation_ns": around(10.0),
        "fill_ns": around(50.0),
        "transfer_ns": around(transfer),
        "read_back_ns": around(0.0),
        "behind_ns": around(transfer - 100.0),
        "as_good": False,
        "extrapolated": False,
        "pays": None,
        **facts,
    }


def answer(*strategies, recommended, reuse=1):
    return {
        "question": {"bytes": MIB, "direction": "h2d", "reuse": reuse},
        "measured_terms": {"allocation": True, "cpu_writes": True, "cpu_reads": False},
        "recommended": recommended,
        "strategies": list(strategies),
    }


def calculated(*answers):
    return calculator.calculate(synthetic.run(advice=synthetic.advice(rankings=list(answers))))


def test_an_answer_has_its_terms_and_what_is_told_of_it():
    first = strategy("copy/pinned", 100.0, as_good=True)
    second = strategy("copy/pageable", 223.456, extrapolated=True)
    found = calculated(answer(first, second, recommended="copy/pinned", reuse=100))
    assert found["strategies"] == ["copy/pageable", "copy/pinned"]
    (shown,) = found["answers"]
    assert shown["recommended"] == 1
    assert found["missing"] == ["CPU reads"]
    assert found["command"] == "bench_transfers advise --from=FILE"
    assert (shown["bytes"], shown["size"], shown["reuse"]) == (MIB, "1 MiB", 100)
    assert shown["rows"] == [
        [1, 1, 0, 10, 50, 100, 0, 144, 176, 0, 0, 0],
        [0, 0, 1, 10, 50, 223.5, 0, 255.1, 311.8, 123.5, 111.1, 135.8],
    ]


def test_an_answer_that_cannot_tell_recommends_nothing():
    (shown,) = calculated(answer(strategy("copy/pinned", 100.0), recommended=None))["answers"]
    assert shown["recommended"] is None


def test_an_older_advise_tells_ties_instead_of_what_is_as_good():
    older = strategy("copy/pinned", 100.0, as_good_as_best=True)
    del older["as_good"]
    (shown,) = calculated(answer(older, recommended="copy/pinned"))["answers"]
    assert shown["rows"][0][1] == 1


def test_where_nothing_is_ranked_there_is_no_answer():
    assert calculated() == {}
    assert calculated(answer(recommended=None)) == {}


def test_a_panel_has_repetitions_in_their_order_and_each_counter():
    rows = [row for row in synthetic.rows(("copy/pinned",)) if row["run_type"] == "iteration"]
    name = rows[0]["name"]
    of_one = [row for row in rows if row["name"] == name]
    for i, row in enumerate(of_one):
        row |= {"repetition_index": len(of_one) - i, "p95_ns": 12344.0, "copy_ns": 7.0, "batch": 4}
    found = panels.describe_benchmarks(synthetic.run(rows))
    assert set(found["benchmarks"]) == {row["name"] for row in rows}
    one = found["benchmarks"][name]
    times = [row["median_ns"] for row in reversed(of_one)]
    assert one["ns"] == pytest.approx(times, rel=1e-4)
    places = dict(zip(one["counters"][::2], one["counters"][1::2], strict=True))
    values = {found["counters"][place][0]: value for place, value in places.items()}
    assert values["95th percentile"] == 12340
    assert values["copy"] == 7
    percentiles = [text for text, _ in found["counters"][: found["percentiles"]]]
    assert percentiles[0] == "fastest"
    assert percentiles[-1] == "slowest"
    assert "operations between two readings of the clock" not in values


def test_a_panel_has_the_median_of_the_table_and_no_rate_of_what_is_not_moved():
    rows = timed("allocate/pinned", MIB, 1.23456789) + timed("copy/pinned/h2d", MIB, 2.0)
    rows = [row | {"gb_per_s": row["bytes"] / row["median_ns"]} for row in rows]
    run = synthetic.run(rows)
    found = panels.describe_benchmarks(run)
    shown = [text for text, _ in found["counters"]]
    rate = shown.index("bandwidth")
    for benchmark in run.benchmarks:
        panel = found["benchmarks"][benchmark.name]
        assert numbers.time(panel["median"]) == numbers.time(benchmark.ns)
        assert (rate in panel["counters"][::2]) is run.is_moved(benchmark)
    assert {run.is_moved(benchmark) for benchmark in run.benchmarks} == {True, False}


def test_numbers_are_packed_with_the_digits_that_are_shown():
    assert packing.rounded(123456.0) == 123500
    assert packing.rounded(0.0012345678) == 0.001235
    assert packing.as_json([packing.rounded(2.0), packing.rounded(2.5)]) == "[2,2.5]"
    assert packing.pack("x" * 1000).isascii()
    assert packing.pack("x" * 1000) == packing.pack("x" * 1000)


def test_the_interval_is_absent_where_repetitions_are_too_few():
    found = panels.describe_benchmarks(Run(synthetic.result(synthetic.rows(("copy/pinned",))[:1])))
    (one,) = found["benchmarks"].values()
    assert len(one["ns"]) == 1
    assert one["interval"] == []
    assert json.dumps(found)
