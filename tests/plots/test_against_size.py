"""Tests the figures of bandwidth and time against size."""

import functools
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import synthetic
from colours import contrast
from format_2 import message
from synthetic import KIB, MIB, SIXTEEN, run

from plots.figures import FIGURES as ALL_FIGURES
from plots.figures import log_ticks, style
from plots.figures.bandwidth import LABEL_DISTANCE, MOST_LINES, draw_bandwidth
from plots.figures.layout import WIDE
from plots.figures.points import transfer_points
from plots.model.derive import Run
from plots.model.load import read_result
from plots.page import draw, render

FIGURES = ("bandwidth", "latency")
SVG = "{http://www.w3.org/2000/svg}"

JAVASCRIPT = ("copy/pinned", "constructor", "__proto__", "toString")
CASES = {
    "gpu": run(),
    "sixteen": run(synthetic.rows(SIXTEEN)),
    "apart": run(synthetic.apart()),
    "sixteen-apart": run(synthetic.apart(SIXTEEN)),
    "host": run(device={"kind": "host", "name": "host"}, link=None),
    "javascript": run(synthetic.apart(JAVASCRIPT)),
    "one-size": run(synthetic.rows(sizes=(MIB,))),
    "one-row": run(synthetic.rows(("copy/pinned",), (MIB,), (1.0,))[:1]),
    "incomplete": run(complete=False),
    "cold": run(synthetic.rows() + synthetic.rows(factors=(50.0, 60.0), suffix="/cold")),
    "skipped": run(
        skipped=[{"name": "copy/pinned_wc/h2d", "reason": message("unsupported", "synthetic")}]
    ),
    "others": run(synthetic.rows() + synthetic.others()),
    "odd-names": run(
        device={"kind": "cuda", "name": "Synthetic <GPU> & Söhne \x00"},
        machine={"cpu": {"model": "Prozeßor <µ> & “x”\nline"}},
    ),
    "bare": run(
        run=None, device={"kind": "cuda"}, link=None, machine=None, skipped=None, warnings=None
    ),
}


def bandwidth(subject):
    """Returns the specification of a run's bandwidths."""
    return render.specification(draw_bandwidth(subject, WIDE))


@functools.cache
def spec(figure, case):
    """Returns the Vega-Lite specification of a case's chart; tests share it and only read it."""
    return render.specification(ALL_FIGURES[figure](CASES[case], WIDE))


@functools.cache
def svg(figure, case):
    """Returns the SVG image of a case's chart as a tree."""
    return svg_of(spec(figure, case))


def svg_of(spec):
    return ElementTree.fromstring(draw.svg(spec))


def points(spec):
    return spec["datasets"]["points"]


def point(spec, strategy, variant, size):
    matches = [
        p
        for p in points(spec)
        if (p["strategy"], p["variant"], p["bytes"]) == (strategy, variant, size)
    ]
    assert len(matches) == 1
    return matches[0]


def panels(spec):
    (row, *_) = spec["vconcat"]
    return row.get("hconcat") or row["vconcat"]


def texts(root):
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("case", CASES)
def test_a_figure_renders(case, figure):
    root = svg(figure, case)
    assert 400 < float(root.get("width")) < 1200
    assert 350 < float(root.get("height")) < 900
    assert root.tag == f"{SVG}svg"
    shown = texts(root)
    assert set(spec(figure, case)["title"]["text"]) <= set(shown)
    assert any(text.startswith("host → device") for text in shown)
    if figure == "bandwidth":
        assert any(text.startswith("host → device (h2d") for text in shown)
    groups = [group for group in root.iter(f"{SVG}g") if "role-mark" in group.get("class", "")]
    assert sum(map(len, groups)) > 3


def count_lines(root):
    return sum("mark-line" in group.get("class", "") for group in root.iter(f"{SVG}g"))


@pytest.mark.parametrize("figure", FIGURES)
def test_names_that_javascript_knows_are_drawn_as_others(figure):
    assert count_lines(svg(figure, "javascript")) == 2 * len(JAVASCRIPT)  # both directions


def test_labels_lie_apart_and_near_their_lines():
    labels = spec("bandwidth", "sixteen-apart")["datasets"]["labels"]
    for direction in ("host → device", "device → host"):
        places = sorted(row["place"] for row in labels if row["direction"] == direction)
        assert len(places) == MOST_LINES
        distance = LABEL_DISTANCE * 63.0 * 1.1 / (WIDE.panel_height * 3 // 4)
        assert all(b - a >= 0.999 * distance for a, b in pairwise(places))
    assert [row["place"] for row in labels][-1] == pytest.approx(49.96, rel=0.1)


@pytest.mark.parametrize(
    "name", ["nvidia-h200/2026-11-21-report", "nvidia-h100/2026-11-21-transfers"]
)
def test_recorded_runs_have_few_lines_in_colours_that_can_be_seen(name):
    recorded = Path(__file__).resolve().parents[2] / "results" / name / "result.json.gz"
    rows = points(bandwidth(Run(read_result(recorded))))
    strategies = {row["strategy"]: row["memory"] for row in rows}
    assert 4 < len(strategies) <= MOST_LINES
    colours = {style.memory_colour(memory) for memory in strategies.values()}
    assert len(colours) >= 6
    assert all(contrast(colour, style.PAPER) >= 3 for colour in colours)


@pytest.mark.parametrize(
    ("missing", "value"),
    [
        *(("bytes", value) for value in (None, "3")),  # others contradict size_bytes
        *(("median_ns", value) for value in (None, "3")),  # others contradict real_time
    ],
)
def test_rows_without_usable_counters_are_left_out(missing, value):
    usable = synthetic.row("copy/pinned/h2d/1KiB", KIB, 500.0)
    unusable = synthetic.row("copy/pinned/h2d/2KiB", 2 * KIB, 500.0) | {missing: value}
    del unusable["gb_per_s"]  # it would contradict itself
    assert [p.bytes for p in transfer_points(run([usable, unusable]))] == [KIB]


def test_an_image_describes_itself_in_words():
    title, description, *_ = svg("bandwidth", "odd-names")
    assert title.tag == f"{SVG}title"
    assert title.text == "Bandwidth of transfers — Synthetic <GPU> & Söhne"
    assert description.tag == f"{SVG}desc"
    assert description.text == (
        "Bandwidth against size. The highest line reaches 49.96 GB/s: copy/pageable (d2h) at "
        "64 MiB."
    )


def scale_of(spec, channel):
    """Returns what each name maps to on a channel, from the lines of the first panel."""
    layers = panels(spec)[0]["layer"]
    (lines,) = [layer for layer in layers if layer["mark"]["type"] == "line"]
    scale = lines["encoding"][channel]["scale"]
    return dict(zip(scale["domain"], scale["range"], strict=True))


def test_a_strategy_looks_the_same_in_every_figure_and_selection():
    all_colours = {memory: style.memory_colour(memory) for memory in style.MEMORY}
    some_colours = scale_of(spec("bandwidth", "sixteen-apart"), "color")
    assert len(some_colours) > 4
    assert some_colours == {memory: all_colours[memory] for memory in some_colours}
    assert scale_of(spec("bandwidth", "apart"), "strokeDash") == {
        "copy": [1, 0],
        "copy_async": [6, 3],
        "zero_copy": [2, 2],
    }


def test_strategies_that_look_alike_in_grey_are_variants_of_one_memory():
    shapes = {memory: style.memory_shape(memory) for memory in synthetic.ALL_MEMORY}
    groups = {"pageable": "square", "registered": "triangle-up", "pinned": "circle"}
    for memory, shape in shapes.items():
        group = memory.split("_")[0]
        assert shape == ("diamond" if memory.endswith("_wc") else groups[group])


def test_known_memory_kinds_have_colours_of_their_own():
    colours = [style.memory_colour(memory) for memory in synthetic.ALL_MEMORY]
    assert len(set(colours)) == len(synthetic.ALL_MEMORY)


def test_an_unknown_memory_kind_is_drawn_with_a_stable_colour():
    shown = bandwidth(run(synthetic.apart(("copy/pinned", "copy/novel"))))
    assert point(shown, "copy/novel", "h2d", MIB)["gb_per_s"] > 0
    colour = scale_of(shown, "color")["novel"]
    assert colour in {look.colour for look in style.OTHER_MEMORY}
    assert colour == style.memory_colour("novel")


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (4, 64, [4, 8, 16, 32, 64]),
        (2.7, 1.6e9, [2**exponent for exponent in range(4, 31, 4)]),
        (2 * MIB, 4.5 * MIB, [2 * MIB, 4 * MIB]),
    ],
)
def test_size_ticks(low, high, expected):
    assert log_ticks.size_ticks(low, high) == expected


def test_few_size_ticks_are_round():
    assert log_ticks.size_ticks(2.7, 1.6e9, width=107) == [KIB, MIB, KIB * MIB]
    assert log_ticks.size_ticks(4096, 2**30, width=165) == [
        2**exponent for exponent in (15, 20, 25, 30)
    ]
    assert log_ticks.size_ticks(64 * KIB, 512 * KIB, width=60) == [
        64 * KIB,
        512 * KIB,
    ]  # at least two


def test_size_labels_have_binary_units():
    subject = run(synthetic.rows(sizes=(MIB, 1024 * MIB)))
    shown = texts(svg_of(bandwidth(subject)))
    assert {"1 MiB", "1 GiB"} <= set(shown)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(2.0, 3e4, [10, 100, 1e3, 1e4]), (26.0, 27.0, [10, 100]), (10.0, 10.0, [10, 100])],
)
def test_time_axis_has_at_least_two_ticks(low, high, ticks):
    domain, axis_ticks = log_ticks.decades(low, high)
    assert axis_ticks == ticks
    assert domain[0] <= low <= high <= domain[1]
    assert domain[0] <= axis_ticks[0] < axis_ticks[-1] <= domain[1]


def test_ticks_of_a_short_logarithmic_axis():
    assert log_ticks.one_two_five(0.013, 0.21) == [0.02, 0.05, 0.1, 0.2]
    assert log_ticks.one_two_five(1, 10) == [1, 2, 5, 10]
