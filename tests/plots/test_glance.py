"""Tests the first lines of a run: its rates beside the link's."""

import pytest
import synthetic
from synthetic import MIB

from plots.text import caption, glance

SIZE = 64 * MIB


def rows(pinned=50.0, pageable=10.0, both=90.0):
    """Returns copies of 64 MiB at these rates in GB/s, and small ones of 1 µs."""
    large = {"copy/pinned": pinned, "copy/pageable": pageable}
    return [
        *(
            synthetic.row(f"{strategy}/{direction}/64MiB", SIZE, SIZE / rate)
            for strategy, rate in large.items()
            if rate
            for direction in ("h2d", "d2h")
        ),
        synthetic.row("copy/pinned/h2d/4B", 4, 1000.0),
        *(
            [synthetic.row("duplex/engines/pinned/64MiB", 2 * SIZE, 2 * SIZE / both)]
            if both
            else []
        ),
    ]


def test_each_direction_and_both_are_compared_with_the_link():
    shown = glance.describe(synthetic.run(rows()))
    up, down, both = shown.gauges
    assert (up.label, down.label, both.label) == ("Host → device", "Device → host", "Both at once")
    assert (up.rate, up.text) == (
        "50.00 GB/s",
        "with pinned memory, 79 % of the raw 63.0 GB/s; 10.00 GB/s with pageable memory (64 MiB)",
    )
    assert (up.share, up.plain_share) == (pytest.approx(79.37), pytest.approx(15.87))
    assert up.packet_share == pytest.approx(100 * 58.4 / 63.0, abs=0.01)
    assert (both.rate, both.text) == (
        "90.00 GB/s",
        "in total with pinned memory, 71 % of the raw 126.0 GB/s both ways (64 MiB each)",
    )
    assert both.share == pytest.approx(100 * 90 / 126, abs=0.01)
    assert (
        shown.small
        == "The smallest copies of pinned memory (copy/pinned) take 1.000 µs to the device (4 B)"
        + (" and 1.342 ms to the host (64 MiB).")
    )


def test_what_was_not_measured_is_left_out():
    shown = glance.describe(synthetic.run(rows(pageable=None, both=None)))
    assert [gauge.label for gauge in shown.gauges] == ["Host → device", "Device → host"]
    assert {gauge.plain_share for gauge in shown.gauges} == {None}
    assert "pageable" not in shown.gauges[0].text
    assert "pageable" not in shown.reading
    assert glance.describe(synthetic.run([synthetic.row("cpu/pinned/read/1MiB", MIB, 5e4)])) is None


def test_a_bar_does_not_leave_its_frame():
    shown = glance.describe(synthetic.run(rows(pinned=80.0)))
    assert shown.gauges[0].share == 100
    assert "127 %" in shown.gauges[0].text


@pytest.mark.parametrize(
    "transfers",
    [
        {"link": None},
        {"device": {"kind": "host", "name": "host"}, "link": None},
        {"run": {"profile": "quick", "faults_injected": ["slow_copies"]}},
    ],
    ids=["unknown link", "no GPU", "faults"],
)
def test_without_a_link_or_true_numbers_there_are_no_bars(transfers):
    assert glance.describe(synthetic.run(rows(), **transfers)) is None


def test_the_title_of_a_page_is_what_was_measured():
    assert caption.page_title(synthetic.run()) == "Synthetic GPU · PCIe 5.0 x16"
    assert caption.page_title(synthetic.run(link=None)) == "Synthetic GPU"


def test_the_first_line_says_what_the_page_is():
    assert caption.describe_report(synthetic.run(rows())).startswith(
        "Report of one run of bench_transfers, 2026-11-20 11:00 UTC; host name "
    )
    assert "bench_transfers (incomplete), " in caption.describe_report(
        synthetic.run(rows(), complete=False)
    )
