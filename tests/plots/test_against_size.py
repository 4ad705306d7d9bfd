"""Tests the figures of bandwidth and time against size."""

import functools
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
import synthetic
from colours import contrast
from format_2 import message
from synthetic import KIB, MIB, SIXTEEN, run

from plots.figures import FIGURES as ALL_FIGURES
from plots.figures import style
from plots.figures.bandwidth import LABEL_DISTANCE, MOST_LINES, draw_bandwidth
from plots.figures.common import SHOWN_FILTER, literal
from plots.figures.latency import PANELS
from plots.figures.layout import PAPER, WIDE
from plots.figures.points import transfer_points
from plots.model.derive import NoData, Run
from plots.model.groups import group_transfers
from plots.model.load import read_result
from plots.model.programs import Advice
from plots.page import draw, render

FIGURES = ("bandwidth", "latency")
MOST_PANELS = PANELS["wide"]
SVG = "{http://www.w3.org/2000/svg}"

ERRORS = [
    synthetic.failed_row("copy/pinned/h2d/8MiB"),
    synthetic.row("copy/pinned/h2d/16MiB", 16 * MIB, 1e6, error_occurred=True),
]
COLD = synthetic.rows(factors=(50.0, 60.0), suffix="/cold")
OTHERS = [
    synthetic.row("cpu/pinned/read_scalar/1MiB", MIB, 5e4),
    synthetic.row("allocate/pinned/alloc/1MiB", MIB, 5e4),
    synthetic.row("gpu_array/pinned/sum/1MiB", MIB, 5e4),
    synthetic.row("copy/pinned/sideways/1MiB", MIB, 5e4),
    synthetic.row("null/none/h2d/0B", 0, 50.0),
    synthetic.row("copy/pinned/h2d/0B", 0, 50.0),
    synthetic.row("nonsense", MIB, 5e4),
    synthetic.row("copy/\ud800/h2d/1MiB", MIB, 5e4),  # a lone surrogate cannot be drawn
]
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
    "cold": run(synthetic.rows() + COLD),
    "skipped": run(
        skipped=[{"name": "copy/pinned_wc/h2d", "reason": message("unsupported", "synthetic")}]
    ),
    "errors": run(synthetic.rows() + ERRORS),
    "others": run(synthetic.rows() + OTHERS),
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


def title(spec):
    return " ".join(spec["title"]["text"])


def subtitle(spec):
    return " ".join(spec["title"]["subtitle"])


def panels(spec):
    (row, *_) = spec["vconcat"]
    return row.get("hconcat") or row["vconcat"]


def marks(panel):
    return [layer["mark"]["type"] for layer in panel["layer"]]


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


def test_one_panel_for_each_group_of_strategies_that_are_alike():
    assert panel_names(spec("latency", "sixteen")) == [literal("copy/pageable +15")]
    names = panel_names(spec("latency", "apart"))
    assert names == list(map(literal, synthetic.STRATEGIES))
    assert count_lines(svg("latency", "apart")) == 2 * len(names)  # both directions
    assert len(panel_names(spec("latency", "sixteen-apart"))) == MOST_PANELS
    few = render.specification(ALL_FIGURES["latency"](CASES["sixteen-apart"], PAPER))
    assert len(panel_names(few)) == 4
    left_out = len(SIXTEEN) - MOST_PANELS
    assert f"in the tables only: {left_out} more" in subtitle(spec("latency", "sixteen-apart"))


def panel_names(spec):
    """Returns the titles of panels as expressions."""
    rows = spec["vconcat"]
    return [panel["title"]["text"]["expr"] for row in rows for panel in row.get("hconcat", [])]


@pytest.mark.parametrize("figure", FIGURES)
def test_names_that_javascript_knows_are_drawn_as_others(figure):
    assert count_lines(svg(figure, "javascript")) == 2 * len(JAVASCRIPT)  # both directions


def test_one_line_per_group_of_strategies_that_are_alike():
    assert count_lines(svg("bandwidth", "sixteen")) == 2
    assert count_lines(svg("bandwidth", "apart")) == 2 * len(synthetic.STRATEGIES)


def test_a_line_stands_for_the_plainest_strategy_and_its_band_for_all():
    slow = synthetic.rows(("copy/pinned_wc",), factors=(0.9, 1.0, 1.5))
    subject = run(synthetic.rows(("copy/pinned",)) + slow)
    shown = bandwidth(subject)
    assert {p["strategy"] for p in points(shown)} == {"copy/pinned"}
    rate = point(shown, "copy/pinned", "h2d", MIB)
    assert rate["gb_per_s"] == pytest.approx(MIB / synthetic.expected_ns(MIB))
    assert rate["gb_per_s_low"] == pytest.approx(rate["gb_per_s"] / 1.5)
    labels = [row["label"] for row in shown["datasets"]["labels"]]
    assert labels == ["copy/pinned +1  50.0 (79 %)"] * 2


@pytest.mark.parametrize(
    ("factor", "spread", "alike"),
    [
        (1.005, 0.0, True),  # closer than 1 %
        (1.05, 0.0, False),  # all repetitions agree
        (1.05, 0.2, True),  # not told apart
        (1.3, 0.9, False),  # not told apart, but nobody would call it alike
    ],
)
def test_strategies_are_alike_if_they_differ_little_or_only_by_noise(factor, spread, alike):
    factors = (1 - spread, 1.0, 1 + spread)
    first = synthetic.rows(("copy/pinned",), (MIB,), factors)
    second = synthetic.rows(("copy/pinned_wc",), (MIB,), tuple(factor * f for f in factors))
    assert (len(group_transfers(run(first + second))) == 1) is alike


def test_strategies_of_other_sizes_or_only_small_ones_are_not_alike():
    missing = synthetic.rows(("copy/pinned",), (MIB, 64 * MIB))
    missing += synthetic.rows(("copy/pinned_wc",), (MIB,))
    assert len(group_transfers(run(missing))) == 2
    assert len(group_transfers(run(synthetic.rows(("copy/a", "copy/b"), (KIB,))))) == 2


def test_bandwidth_begins_at_4_kib_where_there_are_such_sizes():
    assert {p["bytes"] for p in points(spec("bandwidth", "gpu"))} == {64 * KIB, MIB, 64 * MIB}
    assert {p["bytes"] for p in points(bandwidth(run(synthetic.rows(sizes=(4, 64)))))} == {4, 64}


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


@pytest.mark.parametrize("size", synthetic.SIZES[-3:])
def test_plots_the_median_over_the_repetitions(size):
    expected = synthetic.expected_ns(size)
    for strategy, variant in (("copy/pinned", "h2d"), ("zero_copy/pinned_mapped", "write")):
        shown = bandwidth(run(synthetic.rows((strategy,))))
        times = render.specification(ALL_FIGURES["latency"](run(synthetic.rows((strategy,))), WIDE))
        timed = point(times, strategy, variant, size)
        assert timed["repetitions"] == 3
        assert timed["time_us"] == pytest.approx(expected / 1000)
        assert timed["time_us_low"] == pytest.approx(0.9 * expected / 1000)
        assert timed["time_us_high"] == pytest.approx(1.2 * expected / 1000)
        rate = point(shown, strategy, variant, size)
        assert rate["gb_per_s"] == pytest.approx(size / expected)
        assert rate["gb_per_s_low"] == pytest.approx(size / expected / 1.2)
        assert rate["gb_per_s_high"] == pytest.approx(size / expected / 0.9)


def test_directions_go_to_their_panels():
    shown = spec("bandwidth", "apart")
    directions = {p["variant"]: p["direction"] for p in points(shown)}
    assert directions == {
        "h2d": "host → device",
        "read": "host → device",
        "d2h": "device → host",
        "write": "device → host",
    }
    assert [panel["title"]["text"] for panel in panels(shown)] == [
        "host → device (h2d, read)",
        "device → host (d2h, write)",
    ]
    for panel, direction in zip(panels(shown), ("host → device", "device → host"), strict=True):
        filters = {
            step["filter"]
            for layer in panel["layer"]
            if layer["data"]["name"] == "points"
            for step in layer["transform"]
        }
        assert filters == {f"datum.direction === {literal(direction)}", SHOWN_FILTER}


def test_one_direction_gives_one_panel():
    only = [row for row in synthetic.rows(("copy/pinned",)) if "/d2h/" in row["name"]]
    shown = bandwidth(run(only))
    assert [panel["title"]["text"] for panel in panels(shown)] == ["device → host (d2h)"]


def test_link_limits_are_drawn_and_labelled():
    shown = spec("bandwidth", "gpu")
    limits = {limit["kind"]: limit for limit in shown["datasets"]["limits"]}
    assert limits["raw"]["label"] == "PCIe 5.0 x16: 63.0 GB/s"
    assert limits["raw"]["low"] == limits["raw"]["high"] == 63.0
    assert limits["packet"]["label"] == "after headers: 57.6–58.4 GB/s"
    assert (limits["packet"]["low"], limits["packet"]["high"]) == (57.6, 58.4)
    assert all({"rule", "text"} <= set(marks(panel)) for panel in panels(shown))
    drawn = texts(svg("bandwidth", "gpu"))
    assert shown["datasets"]["labels"][0]["label"] in drawn
    assert drawn.count("PCIe 5.0 x16: 63.0 GB/s") == 2  # once in each panel


@pytest.mark.parametrize(
    ("link", "kinds"),
    [
        (None, []),
        ({**synthetic.LINK, "limit_gb_per_s": None, "packet_limit_gb_per_s": None}, []),
        ({**synthetic.LINK, "packet_limit_gb_per_s": None}, ["raw"]),
        ({**synthetic.LINK, "limit_gb_per_s": None}, ["packet"]),
    ],
)
def test_unknown_limits_are_not_drawn(link, kinds):
    shown = bandwidth(run(link=link))
    assert [limit["kind"] for limit in shown["datasets"]["limits"]] == kinds
    for panel in panels(shown):
        assert marks(panel).count("text") == len(kinds) + 1
        assert marks(panel).count("rule") == 2 * len(kinds)


def test_the_limits_lie_inside_the_bandwidth_axis():
    slow = run(synthetic.rows(sizes=(4, 64)))
    layers = panels(bandwidth(slow))[0]["layer"]
    domains = [layer["encoding"]["y"]["scale"]["domain"] for layer in layers]
    assert all(low == 0 and high > 63.0 for low, high in domains)


@pytest.mark.parametrize("figure", FIGURES)
def test_only_host_results_say_that_there_is_no_gpu(figure):
    gpu = title(spec(figure, "gpu"))
    assert "no GPU" not in gpu
    assert gpu.endswith("Synthetic GPU")


def test_the_subtitle_names_machine_date_and_timing():
    text = subtitle(spec("bandwidth", "gpu"))
    assert "incomplete" not in text
    assert "not shown" not in text


def test_the_subtitle_counts_the_measured_repetitions():
    uneven = synthetic.rows()[:-2]  # the last aggregate, and the repetition before it
    assert "median of 2 to 3 repetitions" in subtitle(bandwidth(run(uneven)))


def test_cold_rows_are_not_mixed_with_the_others():
    assert points(spec("bandwidth", "cold")) == points(spec("bandwidth", "gpu"))


def test_failed_rows_are_absent():
    assert points(spec("bandwidth", "errors")) == points(spec("bandwidth", "gpu"))
    assert "not shown: 2 failed benchmarks" in subtitle(spec("bandwidth", "errors"))


def test_skipped_benchmarks_and_warnings_are_counted():
    assert "not shown: 1 skipped benchmark" in subtitle(spec("bandwidth", "skipped"))
    warned = run(warnings=[message("other", "synthetic")] * 2)
    assert "2 warnings in the result file" in subtitle(bandwidth(warned))


def test_other_benchmarks_and_sizes_of_zero_are_left_out():
    assert points(spec("bandwidth", "others")) == points(spec("bandwidth", "gpu"))
    assert points(spec("latency", "others")) == points(spec("latency", "gpu"))
    assert subtitle(spec("bandwidth", "others")) == subtitle(spec("bandwidth", "gpu"))


def test_a_new_family_is_drawn_without_being_registered():
    new = run(synthetic.rows() + [synthetic.row("copy_halves/pinned/h2d/1MiB", MIB, 5e4)])
    drawn = [p for p in transfer_points(new) if p.family == "copy_halves"]
    assert [(p.memory, p.bytes) for p in drawn] == [("pinned", MIB)]
    assert "copy_halves" in str(render.specification(ALL_FIGURES["latency"](new, WIDE)))


@pytest.mark.parametrize("missing", ["bytes", "median_ns"])
@pytest.mark.parametrize("value", [None, 0, -1.0, float("nan"), float("inf"), "3"])
def test_rows_without_usable_counters_are_left_out(missing, value):
    usable = synthetic.row("copy/pinned/h2d/1KiB", KIB, 500.0)
    unusable = synthetic.row("copy/pinned/h2d/2KiB", 2 * KIB, 500.0) | {missing: value}
    del unusable["real_time"], unusable["gb_per_s"]  # it would contradict itself
    assert [p.bytes for p in transfer_points(run([usable, unusable]))] == [KIB]


@pytest.mark.parametrize("figure", FIGURES)
def test_nothing_to_plot_is_an_error(figure):
    with pytest.raises(NoData, match="no plain transfers with warm caches were measured"):
        ALL_FIGURES[figure](run(COLD + ERRORS + OTHERS), WIDE)


def test_names_are_shown_as_they_are_without_control_characters():
    shown = texts(svg("bandwidth", "odd-names"))
    assert "Bandwidth of transfers — Synthetic <GPU> & Söhne" in shown
    assert any("(Prozeßor <µ> & “x” line)" in text for text in shown)


def test_an_image_describes_itself_in_words():
    title, description, *_ = svg("bandwidth", "odd-names")
    assert title.tag == f"{SVG}title"
    assert title.text == "Bandwidth of transfers — Synthetic <GPU> & Söhne"
    assert description.tag == f"{SVG}desc"
    assert description.text == (
        "Bandwidth against size. The highest line reaches 49.96 GB/s: copy/pageable (d2h) at "
        "64 MiB."
    )


def test_long_names_are_wrapped_and_not_cut():
    name = "Synthetic " + "very " * 40 + "long name"
    shown = bandwidth(run(device={"kind": "cuda", "name": name}))
    assert len(shown["title"]["text"]) > 1
    assert title(shown).endswith(name)


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


def test_many_strategies_are_drawn_as_far_as_they_can_be_told_apart():
    names = tuple(f"copy/kind_{i:03}" for i in range(40))
    shown = render.specification(
        ALL_FIGURES["latency"](run(synthetic.apart(names, sizes=(MIB,))), WIDE)
    )
    assert len({p["strategy"] for p in points(shown)}) == MOST_PANELS
    assert f"in the tables only: {40 - MOST_PANELS} more" in subtitle(shown)
    few = tuple(f"copy/kind_{i:02}" for i in range(20))
    shown = bandwidth(run(synthetic.apart(few, (MIB,))))
    assert len({p["strategy"] for p in points(shown)}) == MOST_LINES
    assert f"in the tables only: {20 - MOST_LINES} more" in subtitle(shown)


def test_the_other_scale_is_there_for_the_page():
    axis = spec("latency", "gpu")["usermeta"]["axis"]
    assert axis["scale"]["type"] == "linear"
    titles = {
        layer["encoding"]["y"]["title"]
        for p in panels(spec("latency", "apart"))
        for layer in p["layer"]
        if "field" in layer["encoding"]["y"]
    }
    assert titles == {axis["title"]}  # the page finds axes by their titles


def fitted(lines=1, half=1e5):
    """Returns a run of one strategy with a fit to the device."""
    answer = synthetic.advice(fits={"copy/pinned/h2d": (2000.0, 50.0, half)})
    fits = {name: replace(fit, lines=lines) for name, fit in answer.fits.items()}
    missing = {"map": "nothing to rank", "rankings": "nothing to rank"}
    return run(synthetic.rows(("copy/pinned",)), Advice(fits, missing=missing))


def test_no_fitted_line_is_below_the_axis():
    """t0 is below every measured time where no small size was measured."""
    answer = synthetic.advice(fits={"copy/pinned/h2d": (20.0, 50.0, None)})
    large = synthetic.rows(("copy/pinned",), sizes=(MIB, 64 * MIB))
    missing = {"map": "nothing to rank", "rankings": "nothing to rank"}
    shown = ALL_FIGURES["latency"](run(large, Advice(answer.fits, missing=missing)), WIDE)
    panel = render.specification(shown)["vconcat"][0]["hconcat"][0]
    lows = {layer["encoding"]["y"]["scale"]["domain"][0] for layer in panel["layer"][:2]}
    assert max(lows) <= 0.02 == min(row["time_us"] for row in shown.chart.datasets["fits"])


def fit_lines(subject):
    """Returns time by size of each line of the fit."""
    rows = render.specification(ALL_FIGURES["latency"](subject, WIDE))["datasets"]["fits"]
    assert {row["t0"] for row in rows} == {"2.000 µs"}
    names = dict.fromkeys(row["line"] for row in rows)
    return {
        name: {row["bytes"]: row["time_us"] for row in rows if row["line"] == name}
        for name in names
    }


def test_fitted_lines_are_those_of_advise():
    lines = fit_lines(fitted())
    assert set(lines) == {"t0", "n/B", "sum", "half"}
    assert set(lines["sum"]) == set(synthetic.SIZES)
    assert lines["sum"][MIB] == pytest.approx(2 + MIB / 50e3)
    assert set(lines["t0"].values()) == {2.0}
    assert lines["n/B"][MIB] == pytest.approx(MIB / 50e3)
    lowest = 0.9 * synthetic.expected_ns(4) / 1000
    assert min(lines["n/B"].values()) == pytest.approx(lowest)  # where the panel begins
    assert lines["half"] == {100000.0: pytest.approx(4.0)}  # half of 50 GB/s
    shown = render.specification(ALL_FIGURES["latency"](fitted(), WIDE))
    assert [row["text"] for row in shown["datasets"]["labels"]] == ["2.00 µs, 50.0 GB/s, 97.7 KiB"]
    models = {row["direction"]: row["has_model"] for row in points(shown)}
    assert models == {"host → device": True, "device → host": False}
    figure = ALL_FIGURES["latency"](fitted(), WIDE)
    assert "copy/pinned (h2d): t0 2.000 µs, B 50.00 GB/s, n½ 97.7 KiB" in figure.summary


def test_several_fitted_lines_have_no_sum_and_an_unknown_n_half_has_no_mark():
    assert set(fit_lines(fitted(lines=3, half=None))) == {"t0", "n/B"}


def test_only_drawn_marks_are_explained():
    figure = ALL_FIGURES["latency"](fitted(), WIDE)
    text = subtitle(render.specification(figure))
    assert "nothing to rank" not in text
    assert "no fitted lines" not in text
    assert "band" not in text
    assert all(name in text for name in ("dashed: t0 and n/B", "triangle: n½", "texts: t0, B, n½"))
    assert "n½" in figure.reading
    without = ALL_FIGURES["latency"](CASES["gpu"], WIDE)
    text = subtitle(render.specification(without))
    assert "dashed" not in text
    assert "n½" not in without.reading
    assert "t0" not in without.reading


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
    assert style.size_ticks(low, high) == expected


def test_few_size_ticks_are_round():
    assert style.size_ticks(2.7, 1.6e9, width=107) == [KIB, MIB, KIB * MIB]
    assert style.size_ticks(4096, 2**30, width=165) == [
        2**exponent for exponent in (15, 20, 25, 30)
    ]
    assert style.size_ticks(64 * KIB, 512 * KIB, width=60) == [64 * KIB, 512 * KIB]  # at least two


def test_size_labels_have_binary_units():
    subject = run(synthetic.rows(sizes=(MIB, 1024 * MIB)))
    shown = texts(svg_of(bandwidth(subject)))
    assert {"1 MiB", "1 GiB"} <= set(shown)


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [(2.0, 3e4, [10, 100, 1e3, 1e4]), (26.0, 27.0, [10, 100]), (10.0, 10.0, [10, 100])],
)
def test_time_axis_has_at_least_two_ticks(low, high, ticks):
    domain, axis_ticks = style.decades(low, high)
    assert axis_ticks == ticks
    assert domain[0] <= low <= high <= domain[1]
    assert domain[0] <= axis_ticks[0] < axis_ticks[-1] <= domain[1]
