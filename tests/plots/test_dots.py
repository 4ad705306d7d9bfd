"""Tests the figures that draw a dot for each strategy or repetition."""

import pytest
import synthetic
from synthetic import KIB, MIB, run

from plots.figures import FIGURES, style
from plots.figures.bandwidth import LABEL_DISTANCE
from plots.figures.layout import COLUMN, WIDE
from plots.model.derive import NoData
from plots.page import render

TO_DEVICE = "host → device"
EIGHT = (0.9, 0.95, 0.98, 1.0, 1.0, 1.02, 1.05, 1.3)


def spec_of(figure, subject, layout=WIDE):
    return render.specification(FIGURES[figure](subject, layout))


def repeated(name, size, ns, factors=EIGHT, **more):
    """Returns the repetitions of a benchmark."""
    return [
        synthetic.row(f"{name}/{synthetic.size_name(size)}", size, ns * factor, **more)
        for factor in factors
    ]


def rows_of(figure, subject, data, direction=TO_DEVICE, layout=WIDE):
    datasets = spec_of(figure, subject, layout)["datasets"]
    return [row for row in datasets[data] if row["direction"] == direction]


def small(**factors):
    """Returns copies of 4 B by strategy, so many times as long as 6 µs."""
    return run(
        [
            row
            for memory, factor in factors.items()
            for row in repeated(f"copy/{memory}/h2d", 4, 6000.0 * factor)
        ]
    )


def test_small_copies_stand_in_the_order_of_their_times_and_alike_ones_share_a_row():
    subject = small(pageable=1.5, pinned=1.0, pinned_wc=1.005, staged=1.7)
    rows = rows_of("small_copies", subject, "copies")
    assert [row["name"] for row in rows] == ["copy/pinned +1", "copy/pageable", "copy/staged"]
    assert [row["text"] for row in rows] == ["6", "9", "10.2"]
    figure = FIGURES["small_copies"](subject, WIDE)
    assert figure.summary == (
        "host → device: copy/pinned takes 6.000 µs; nothing measured is clearly faster."
    )


def test_no_small_copy_is_named_the_fastest_where_the_plain_one_is_as_good():
    figure = FIGURES["small_copies"](small(pageable=1.02, pinned=1.0, staged=1.7), WIDE)
    assert figure.summary == (
        "host → device: copy/pageable takes 6.120 µs; nothing measured is clearly faster."
    )


def test_a_small_copy_has_the_interval_of_its_median_if_there_are_repetitions_enough():
    (row,) = rows_of("small_copies", small(pinned=1.0), "copies")
    assert (row["low"], row["high"]) == pytest.approx((5.4, 7.8))
    assert row["interval"] == "5.400 µs to 7.800 µs"
    few = run(repeated("copy/pinned/h2d", 4, 6000.0, (0.9, 1.0, 1.1)))
    (row,) = rows_of("small_copies", few, "copies")
    assert row["low"] == row["us"] == row["high"]


def test_a_small_copy_far_slower_than_the_others_stands_at_the_edge_with_its_time():
    rows = rows_of("small_copies", small(pinned=1.0, staged=1.5, register_once=20.0), "copies")
    assert [(row["text"], row["beyond"]) for row in rows] == [
        ("6", False),
        ("9", False),
        ("120", True),
    ]
    assert rows[-1]["place"] == pytest.approx(11.7)  # where the interval of the second one ends


def test_small_copies_are_those_of_the_smallest_size_that_most_strategies_have():
    odd = repeated("copy/pinned/h2d", 4, 6e3)
    for memory in ("pinned", "staged"):
        odd += repeated(f"copy/{memory}/h2d", KIB, 7e3) + repeated(f"copy/{memory}/h2d", MIB, 9e4)
    spec = spec_of("small_copies", run(odd))
    assert spec["title"]["text"] == ["Time of a copy of 1 KiB — Synthetic GPU"]
    assert {row["us"] for row in spec["datasets"]["copies"]} == {7.0}


def test_small_copies_of_many_strategies_are_counted():
    subject = run(
        [
            row
            for i in range(30)
            for row in repeated(f"copy/kind_{i:02}/h2d", 4, 6000 * 1.5**i, (1.0, 1.0))
        ]
    )
    subtitle = " ".join(spec_of("small_copies", subject, COLUMN)["title"]["subtitle"])
    assert "in the tables only: 10 more" in subtitle


def in_order(*factors, size=MIB, indexes=None):
    """Returns a run of one benchmark, with the repetitions in this order."""
    rows = repeated("copy/pinned/h2d", size, 6000.0, factors)
    for row, index in zip(rows, indexes or range(len(rows)), strict=True):
        row["repetition_index"] = index
    return run(rows)


def test_repetitions_stand_in_their_order_against_their_median():
    subject = in_order(1.0, 1.05, 0.98, 1.0, indexes=(0, 2, 1, 3))
    dots = rows_of("samples", subject, "repetitions")
    assert [dot["relative"] for dot in dots] == pytest.approx([0, -2, 5, 0])
    assert [dot["order"] for dot in dots] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    assert [dot["repetition"] for dot in dots][1] == "2 of 4"
    (row,) = rows_of("samples", subject, "ranges")
    assert row["text"] == "−2 to +5 %"
    summary = FIGURES["samples"](subject, WIDE).summary
    assert summary.endswith("a repetition of copy/pinned, host → device, 1 MiB: +5.00 %.")


def test_repetitions_share_an_axis_and_those_beyond_are_arrows_at_its_edge():
    subject = in_order(*[1.0] * 18, 1.5, 0.7)
    dots = rows_of("samples", subject, "repetitions")[-2:]
    assert [(dot["place"], dot["beyond"]) for dot in dots] == [(1, "right"), (-1, "left")]
    spec = spec_of("samples", subject)
    domains = {
        tuple(layer["encoding"]["x"]["scale"]["domain"])
        for row in spec["vconcat"]
        for panel in row["hconcat"]
        for layer in panel["layer"]
        if layer["encoding"]["x"].get("field") == "place"
    }
    assert domains == {(-1.06, 1.06)}
    assert (
        max(dot["place"] for dot in rows_of("samples", in_order(0.6, 1, 1.7), "repetitions")) == 20
    )


def test_few_repetitions_show_no_order():
    with pytest.raises(NoData, match="3 repetitions"):
        FIGURES["samples"](in_order(1.0, 1.1), WIDE)


def priced(**facts):
    """Returns copies of 64 MiB by memory, each with its rate in GB/s and its CPU seconds per GB."""
    return run(
        [
            row
            for memory, (rate, cpu) in facts.items()
            for row in repeated(
                f"copy/{memory}/h2d", 64 * MIB, 64 * MIB / rate, (1.0, 1.0), cpu_s_per_gb=cpu
            )
        ]
    )


def test_speed_stands_against_the_cpu_time_and_the_line_joins_what_none_beats():
    subject = priced(pageable=(10.0, 0.01), pinned=(50.0, 0.02), staged=(40.0, 0.1), x=(5.0, 0.02))
    rows = rows_of("price", subject, "prices")
    places = {row["strategy"]: (row["gb_per_s"], row["cpu"]) for row in rows}
    assert places["copy/pinned"] == (pytest.approx(50.0), 0.02)
    assert {row["strategy"] for row in rows if row["unbeaten"]} == {"copy/pageable", "copy/pinned"}
    assert FIGURES["price"](subject, WIDE).summary == (
        "host → device: nothing is both faster and cheaper than copy/pageable (10.00 GB/s at "
        "0.010 s/GB) and copy/pinned (50.00 GB/s at 0.020 s/GB)."
    )
    assert "dashed line" in " ".join(spec_of("price", subject)["title"]["subtitle"])
    alone = priced(pinned=(50.0, 0.02), staged=(40.0, 0.1))
    assert "dashed line" not in " ".join(spec_of("price", alone)["title"]["subtitle"])


def test_labels_of_prices_lie_apart_and_alike_strategies_share_one():
    subject = priced(pinned=(50.0, 0.02), pinned_wc=(50.1, 0.02), staged=(49.0, 0.02))
    rows = rows_of("price", subject, "prices")
    assert [row["name"] for row in rows] == ["copy/staged", "copy/pinned +1"]
    apart = LABEL_DISTANCE * 55 / (WIDE.panel_height * 3 // 4)
    assert rows[1]["place"] - rows[0]["place"] == pytest.approx(apart)


def test_without_cpu_times_there_is_no_price():
    with pytest.raises(NoData, match="CPU time"):
        FIGURES["price"](run(repeated("copy/pinned/h2d", MIB, 5e4)), WIDE)


def test_a_call_stands_beside_the_arrival_of_its_data():
    rows = repeated("copy_async/pinned/h2d", MIB, 2e6, (0.9, 1.0, 1.2), enqueue_ns=4000.0)
    rows += repeated("copy_async/pageable/h2d", MIB, 8e6, (1.0, 1.0), enqueue_ns=6e6)
    rows += repeated("copy/pinned/h2d", MIB, 2e6)  # its call is not timed by itself
    shown = rows_of("returns", run(rows), "calls")
    assert [(row["strategy"], row["returned"], row["arrived"], row["text"]) for row in shown] == [
        ("copy_async/pageable", 6.0, 8.0, "75.0 %"),
        ("copy_async/pinned", 0.004, 2.0, "0.20 %"),
    ]
    assert FIGURES["returns"](run(rows), WIDE).summary.endswith(
        "it returns after 6.000 ms, and the data have arrived after 8.000 ms."
    )


@pytest.mark.parametrize("figure", ["small_copies", "price", "returns"])
def test_nothing_to_draw_is_an_error(figure):
    with pytest.raises(NoData):
        FIGURES[figure](run(repeated("cpu/pinned/read_scalar", MIB, 5e4)), WIDE)


def test_ticks_of_a_short_logarithmic_axis():
    assert style.one_two_five(0.013, 0.21) == [0.02, 0.05, 0.1, 0.2]
    assert style.one_two_five(1, 10) == [1, 2, 5, 10]
