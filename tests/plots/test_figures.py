"""Tests the other figures, with synthetic and with recorded runs."""

import functools
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import synthetic
from colours import contrast, luminance
from synthetic import KIB, MIB, run

from plots.figures import FIGURES, GROUP_FIGURES, style
from plots.figures.layout import COLUMN, WIDE
from plots.model.derive import NoData, Run
from plots.model.load import read_result
from plots.model.pcie import LANE
from plots.model.published import Published, read_published
from plots.page import draw, render
from plots.text import caption, numbers

RECORDED = Path(__file__).resolve().parents[2] / "results" / "nvidia-h200"
SVG = "{http://www.w3.org/2000/svg}"


def timed(name, size, gb_per_s, factors=(0.95, 1.0, 1.1), **more):
    """Returns three repetitions."""
    benchmark_name = f"{name}/{synthetic.size_name(size)}" if size else name
    ns = size / gb_per_s if size else gb_per_s
    rows = [synthetic.row(benchmark_name, size, ns * factor, **more) for factor in factors]
    return [row if size else row | {"bytes": None, "gb_per_s": None} for row in rows]


def spec_of(figure, subject, layout=WIDE):
    return render.specification(FIGURES[figure](subject, layout))


def texts(spec):
    """Returns the texts in the drawing."""
    root = ElementTree.fromstring(draw.svg(spec))
    return ["".join(element.itertext()) for element in root.iter(f"{SVG}text")]


@functools.cache
def recorded(name):
    return Run(read_result(RECORDED / name / "result.json.gz"))


@pytest.mark.parametrize(
    ("name", "figures"),
    [
        (
            "2026-11-21-fast-paths-again",
            "bandwidth small_copies latency ladder compared round_trip overlap fast_paths price "
            "returns samples",
        ),
        (
            "2026-11-21-memory",
            "bandwidth small_copies latency ladder compared cpu_access allocation "
            "returns cold_caches samples",
        ),
        ("2026-11-21-launches", ""),
        ("2026-11-21-gib", "allocation"),
    ],
)
def test_recorded_runs_have_the_figures_that_their_data_allow(name, figures):
    drawn = {}
    for figure in FIGURES:
        try:
            drawn[figure] = spec_of(figure, recorded(name))
        except NoData as why:
            assert str(why)
    assert set(drawn) == set(figures.split())
    for figure, spec in drawn.items():
        assert "NVIDIA H200" in " ".join(spec["title"]["text"])
        assert "2026-11-21" in " ".join(spec["title"]["subtitle"]), figure


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        ("2026-11-21-fast-paths-again", "ladder"),
        ("2026-11-21-fast-paths-again", "fast_paths"),
        ("2026-11-21-fast-paths-again", "round_trip"),
        ("2026-11-21-memory", "small_copies"),
        ("2026-11-21-fast-paths-again", "price"),
        ("2026-11-21-fast-paths-again", "returns"),
        ("2026-11-21-memory", "cpu_access"),
        ("2026-11-21-memory", "allocation"),
        ("2026-11-21-memory", "samples"),
        ("2026-11-21-memory", "compared"),
        ("2026-11-21-memory", "cold_caches"),
        ("2026-11-23-interference", "interference"),
    ],
)
def test_every_quantity_has_a_unit_and_every_text_is_drawn_in_one_font(name, figure):
    spec = spec_of(figure, recorded(name))
    root = ElementTree.fromstring(draw.svg(spec))
    assert root.get("font-family") == style.FONT
    assert {element.get("font-family") for element in root.iter(f"{SVG}text")} == {None}
    units = ("GB/s", "µs", "ms", "ns", "%", "size of", "times as", "CPU seconds per GB")
    titles = list(axis_titles(spec))
    assert titles
    assert all(any(unit in title for unit in units) for title in titles), titles
    # Liberation Sans has these characters. Any other could bring in another font.
    drawn = "".join("".join(element.itertext()) for element in root.iter(f"{SVG}text"))
    assert set(drawn) <= set(map(chr, range(0x20, 0x7F))) | set("→−—–·µ½³…×")


def axis_titles(node):
    """Yields the titles of all axes of quantities."""
    if isinstance(node, dict):
        for channel in ("x", "y"):
            encoding = node.get("encoding", {}).get(channel)
            if encoding and encoding.get("title") and encoding.get("type") == "quantitative":
                yield encoding["title"]
        for value in node.values():
            yield from axis_titles(value)
    elif isinstance(node, list):
        for value in node:
            yield from axis_titles(value)


def test_the_ladder_names_the_loss_at_each_rung():
    rows = timed("copy/pinned/h2d", 64 * MIB, 56.0) + timed(
        "copy/pinned_portable/h2d", 64 * MIB, 55.9
    )
    rows += timed("copy/pageable/h2d", 64 * MIB, 14.0) + timed("copy/staged/h2d", 64 * MIB, 50.4)
    spec = spec_of("ladder", run(rows))
    shown = [(row["row"], row["gb_per_s_text"], row["note"]) for row in spec["datasets"]["rungs"]]
    assert shown == [
        ("PCIe 5.0 x16", "63.00 GB/s, 100 %", ""),
        ("after packet headers", "57.6–58.4 GB/s, 91–93 %", "−7.3 to −8.6 % headers"),
        ("best measured", "56.00 GB/s, 89 %", "−2.78 %"),
        ("copy/pinned and 1 alike", "56.00 GB/s, 89 %", ""),
        ("copy/staged", "50.40 GB/s, 80 %", "−10.0 % staged by several threads"),
        ("copy/pageable", "14.00 GB/s, 22 %", "−75.0 % staged by the driver"),
    ]
    drawn = texts(spec)
    assert all({row, ", ".join(filter(None, row_texts))} <= set(drawn) for row, *row_texts in shown)
    column = texts(spec_of("ladder", run(rows), COLUMN))
    assert all(set(filter(None, row)) <= set(column) for row in shown)


def test_strategies_share_a_rung_only_if_they_lose_for_the_same_reason():
    rows = timed("copy/pinned/h2d", MIB, 50.0) + timed("zero_copy/pinned_mapped/read", MIB, 49.9)
    rows += timed("copy_async/pinned/h2d", MIB, 50.1) + timed("copy/registered/h2d", MIB, 49.0)
    spec = spec_of("ladder", run(rows))
    shown = {r["row"]: r["alike"] for r in spec["datasets"]["rungs"] if r["kind"] == "strategy"}
    assert shown == {
        "copy/pinned and 1 alike": "copy_async/pinned",
        "zero_copy/pinned_mapped": "",
        "copy/registered": "",
    }


def test_without_a_link_there_is_no_ladder():
    with pytest.raises(NoData, match="limit of the link is not known"):
        FIGURES["ladder"](run(link=None), WIDE)


def test_cpu_access_tells_the_effective_memory_type():
    rows = timed("cpu/pinned_wc/read_scalar", MIB, 0.2) + timed(
        "cpu/pageable/read_scalar", MIB, 9.0
    )
    rows += timed("cpu/pageable/read_scalar", KIB, 40.0)  # a smaller size, which caches hold
    rows += timed("cpu/pageable/read_random", MIB, 1.0, ns_per_access=190.0)
    rows += timed("cpu/pageable/write_fill", MIB, 13.0)
    types = [
        {"memory": "pinned_wc", "memory_type": "write-combined"},
        {"memory": "pageable", "memory_type": "write-back"},
    ]
    spec = spec_of("cpu_access", run(rows, buffers=types))
    shown = {(row["row"], row["access"]): row["value_text"] for row in spec["datasets"]["accesses"]}
    assert shown == {
        ("pinned_wc [write-combined]", "read_scalar"): "200.0 MB/s",
        ("pageable [write-back]", "read_scalar"): "9.000 GB/s",
        ("pageable [write-back]", "write_fill"): "13.00 GB/s",
        ("pageable [write-back]", "read_random"): "190.0 ns",
    }
    drawn = texts(spec)
    assert {"pinned_wc [write-combined]", "reads (GB/s)", "random reads (ns)"} <= set(drawn)
    for panel in spec["vconcat"][0]["hconcat"]:
        scale = panel["layer"][1]["encoding"]["x"]["scale"]
        assert (scale.get("type", "linear"), scale["domain"][0]) == ("linear", 0)


READS = {
    "pageable": 10.0,
    "registered": 9.7,
    "pinned": 10.2,
    "pinned_wc": 9.9,
    "pageable_huge": 14.0,
}


def cpu_access_of(rates, factors=(1.0,), **types):
    """Draws reads at these rates; returns the figure, and its rows by name."""
    rows = [
        row
        for memory, rate in rates.items()
        for factor in factors
        for row in timed(f"cpu/{memory}/read_vector", MIB, rate * factor)
    ]
    buffers = [
        {
            "memory": memory,
            "memory_type": types.get(memory, "write-back"),
            "write_combined": memory.endswith("_wc"),
        }
        for memory in rates
    ]
    figure = FIGURES["cpu_access"](run(rows, buffers=buffers), WIDE)
    data = figure.chart.datasets["accesses"]
    return figure, {row["row"]: (row["low"], row["high"]) for row in data}


def test_kinds_of_memory_that_are_alike_for_the_cpu_are_one_range():
    _, rows = cpu_access_of(READS)
    assert rows == {
        "4 kinds, all write-back": (pytest.approx(9.7), pytest.approx(10.2)),
        "pageable_huge": (pytest.approx(14.0), pytest.approx(14.0)),
    }


def test_write_combined_memory_in_effect_stands_apart():
    _, rows = cpu_access_of(READS | {"pinned_wc": 0.2}, pinned_wc="write-combined")
    assert list(rows) == [
        "3 kinds, all write-back",
        "pageable_huge [write-back]",
        "pinned_wc [write-combined]",
    ]
    assert rows["pinned_wc [write-combined]"][1] == pytest.approx(0.2)
    # As fast as the others, it is still another type.
    _, rows = cpu_access_of(READS, pinned_wc="write-combined")
    assert "pinned_wc [write-combined]" in rows


def test_a_kind_leaves_the_range_only_with_all_of_its_interval():
    _, rows = cpu_access_of(READS, factors=(0.6, 1.0, 1.0, 1.4))
    assert list(rows) == ["5 kinds, all write-back"]


def test_kinds_of_unknown_type_are_not_said_to_be_alike():
    figure, rows = cpu_access_of(READS, **dict.fromkeys(READS, ""))
    assert set(rows) == set(READS)
    assert figure.summary == "No memory is known to be write-combined in effect."


def test_allocation_shows_allocating_and_freeing_in_known_colours():
    rows = timed("allocate/pinned", MIB, 2.0) + timed("free/pinned", MIB, 8.0)
    rows += timed("allocate/device_pool", MIB, 9000.0)
    spec = spec_of("allocation", run(rows))
    costs = {(row["name"], row["us"]) for row in spec["datasets"]["costs"]}
    assert {name for name, _ in costs} == {"allocate/pinned", "free/pinned", "allocate/device_pool"}
    assert dict(costs)["allocate/pinned"] == pytest.approx(MIB / 2e3)
    gib = next(r["per_gib"] for r in spec["datasets"]["costs"] if r["name"] == "allocate/pinned")
    assert gib == numbers.time(1024 * MIB / 2.0)
    assert {"allocate, touch and lock", "free", "device_pool"} <= set(texts(spec))
    colours = dict(FIGURES["allocation"](run(rows), WIDE).strategies)
    assert colours["pinned"] == style.memory_colour("pinned")


def ranking(size, direction, **pays):
    return {
        "question": {"bytes": size, "direction": direction, "reuse": 1},
        "measured_terms": {"allocation": True},
        "strategies": [
            {"name": name.replace("__", "/"), "pays": value} for name, value in pays.items()
        ],
    }


def test_break_even_is_what_advise_says():
    answers = [
        ranking(
            MIB,
            "h2d",
            copy__pinned={"from": 9},
            copy__pageable_huge={"up_to": 32},
            copy__staged="never",
            copy__pageable=None,
        ),
        ranking(16 * MIB, "h2d", copy__pinned={"from": 1}, copy__staged={"from": 1}),
    ]
    spec = spec_of("break_even", run(advice=synthetic.advice(rankings=answers)))
    shown = {(r["strategy"], r["size"]): r["from_text"] for r in spec["datasets"]["pays"]}
    assert shown == {
        ("copy/pinned", "1 MiB"): "9 transfers",
        ("copy/pinned", "16 MiB"): "1 transfer",
        ("copy/pageable_huge", "1 MiB"): "at once, up to 32",
        ("copy/staged", "1 MiB"): "never",
        ("copy/staged", "16 MiB"): "1 transfer",
    }
    cells = {(r["strategy"], r["size"]): (r["text"], r["colour"]) for r in spec["datasets"]["pays"]}
    assert cells == {
        ("copy/pinned", "1 MiB"): ("9", style.REUSE[10]),
        ("copy/pinned", "16 MiB"): ("1", style.REUSE[1]),
        ("copy/pageable_huge", "1 MiB"): ("1–32", style.REUSE[1]),
        ("copy/staged", "1 MiB"): ("never", style.REUSE_NEVER),
        ("copy/staged", "16 MiB"): ("1", style.REUSE[1]),
    }


@pytest.mark.parametrize(
    ("transfers", "colour"),
    [(1, 1), (2, 10), (10, 10), (11, 100), (100, 100), (101, math.inf), (10**6, math.inf)],
)
def test_cells_of_break_even_are_the_darker_the_sooner_a_strategy_pays(transfers, colour):
    assert style.reuse_colour(transfers) == style.REUSE[colour]
    assert style.reuse_colour(None) == style.REUSE_NEVER
    lightness = [luminance(shade) for shade in (*style.REUSE.values(), style.REUSE_NEVER)]
    assert lightness == sorted(lightness)


def test_numbers_can_be_read_on_cells_of_break_even():
    for shade in (*style.REUSE.values(), style.REUSE_NEVER):
        ink = "#fefefe" if luminance(shade) < 0.18 else "#010101"  # as cells.py chooses
        assert contrast(shade, ink) >= 4.5
        assert style.dark_colours()[shade] == shade


def test_phases_and_memory_can_be_seen_in_both_themes():
    dark = style.dark_colours()
    lines = [colour for colour, _ in style.PHASES.values()]
    lines += [look.colour for look in style.MEMORY.values()]
    for colour in lines:
        assert contrast(colour, style.PAPER) >= 3, colour
        assert contrast(dark[colour], dark[style.PAPER]) >= 3, colour


def test_texts_in_colours_can_be_read_in_both_themes():
    dark = style.dark_colours()
    looks = [*style.MEMORY.values(), *style.OTHER_MEMORY, *style.VERDICT.values()]
    for look in (*looks, *style.DIRECTION.values()):
        tone = style.text_colour(look.colour)
        assert contrast(tone, style.PAPER) >= 4.5, look
        assert contrast(dark[tone], dark[style.PAPER]) >= 4.5, look
        if contrast(look.colour, style.PAPER) >= 4.5:
            assert tone == look.colour


def test_each_dark_colour_of_a_text_has_one_counterpart():
    """A dark page is printed in its light colours."""
    dark = style.dark_colours()
    marks = {look.colour for look in (*style.MEMORY.values(), *style.DIRECTION.values())}
    texts = {style.text_colour(colour) for colour in marks} - marks
    assert len(texts) > 10
    for tone in texts:
        assert list(dark.values()).count(dark[tone]) == 1, tone


ON_CELLS = {"#fefefe", "#010101"}  # as cells.py chooses by the colour of the cell


@pytest.mark.parametrize("layout", [WIDE, COLUMN])
@pytest.mark.parametrize("name", ["allocation", "bandwidth", "latency", "small_copies", "price"])
def test_texts_in_a_drawing_can_be_read(name, layout):
    result = read_result(RECORDED / "2026-11-21-report" / "result.json.gz")
    drawing = draw.picture(render.specification(FIGURES[name](Run(result), layout)))
    colours = set(re.findall(r'<text[^>]* fill="(#[0-9a-f]{6})"', drawing)) - ON_CELLS
    assert len(colours) > 1
    assert all(contrast(colour, style.PAPER) >= 4.5 for colour in colours), colours


def overlap_rows(name, ns, **steps):
    return [
        synthetic.row(f"overlap/pinned/{name}/{size}", size_bytes, ns * size_bytes / MIB, **steps)
        for size, size_bytes in (("1MiB", MIB), ("64MiB", 64 * MIB))
    ]


def test_overlap_shows_steps_in_time_and_pieces_as_wholes():
    steps = {"upload_ns": 40e3, "compute_ns": 10e3, "download_ns": 50e3}
    rows = [
        *overlap_rows("pieces_16", 60e3),
        *overlap_rows("pieces_2", 80e3),
        *overlap_rows("chosen", 55e3),
        *overlap_rows("serial", 100e3, **steps),
    ]
    figure = FIGURES["overlap"](run(rows), WIDE)
    data = figure.chart.datasets
    panel = "overlap/pinned, 1 MiB"
    small = [row for row in data["phases"] if row["panel"] == panel]
    assert [(row["row"], row["phase"], row["start"], row["end"]) for row in small] == [
        ("serial", "upload", 0, pytest.approx(0.04)),
        ("serial", "compute", pytest.approx(0.04), pytest.approx(0.05)),
        ("serial", "download", pytest.approx(0.05), pytest.approx(0.1)),
        ("chosen", "all at once", 0, pytest.approx(0.055)),
        ("pieces_2", "all at once", 0, pytest.approx(0.08)),
        ("pieces_16", "all at once", 0, pytest.approx(0.06)),
    ]
    assert {"panel": panel, "limit": pytest.approx(0.05)} in data["limits"]
    assert "55.00 µs with chosen, 100.0 µs one after the other" in figure.summary


def test_overlap_needs_the_steps_and_the_pieces():
    with pytest.raises(NoData):
        FIGURES["overlap"](run(overlap_rows("pieces_2", 80e3)), WIDE)
    steps = {"upload_ns": 40e3, "compute_ns": 10e3, "download_ns": 50e3}
    with pytest.raises(NoData):
        FIGURES["overlap"](run(overlap_rows("serial", 100e3, **steps)), WIDE)


def test_break_even_needs_the_costs_of_allocation():
    answer = ranking(MIB, "h2d", copy__pinned={"from": 9})
    answer["measured_terms"]["allocation"] = False
    with pytest.raises(NoData):
        FIGURES["break_even"](run(advice=synthetic.advice(rankings=[answer])), WIDE)


def test_the_winner_map_has_a_cell_for_each_size_and_reuse():
    winners = [
        ["copy/pageable", "copy/pinned"],
        [None, "copy/pinned"],
        ["copy/pinned", "copy/pinned"],
    ]
    spec = spec_of("winner_map", run(advice=synthetic.advice(winners={"h2d": winners})))
    cells = {(c["bytes"], c["reuse"]): c for c in spec["datasets"]["cells"]}
    assert set(cells) == {(KIB, 1), (KIB, 100), (MIB, 100), (64 * MIB, 1), (64 * MIB, 100)}
    assert cells[KIB, 1]["colour"] == style.PEERS  # the plain copy needs nothing
    assert cells[KIB, 100]["colour"] == style.memory_colour("pinned")
    assert cells[KIB, 1]["margin_text"] == "10.0 %"
    drawn = texts(spec)
    answer = synthetic.advice(winners={"h2d": winners})
    answer.map["directions"]["h2d"]["gain"][0] = [1.0, 3.84]
    answer.map["directions"]["h2d"]["extrapolated"][2][0] = True
    spec = spec_of("winner_map", run(advice=answer))
    cells = {(c["bytes"], c["reuse"]): c for c in spec["datasets"]["cells"]}
    assert (cells[KIB, 1]["gain"], cells[KIB, 100]["gain"]) == ("", "3.8")
    assert (cells[64 * MIB, 1]["gain"], cells[64 * MIB, 100]["gain"]) == ("2.0*", "2.0")
    assert {"copy/pinned", "copy/pageable", "host → device (h2d)"} <= set(drawn)


def test_without_advise_the_winner_map_says_why_it_is_not_there():
    with pytest.raises(NoData, match="synthetic"):
        FIGURES["winner_map"](run(), WIDE)


def test_the_phases_of_a_round_trip_add_up_to_its_time():
    steps = {"upload_ns": 2e6, "compute_ns": 1e6, "download_ns": 2e6}
    no_noise = dict(factors=(1.0, 1.0, 1.0))
    rows = timed(
        "gpu_array/round_trip/pinned/reused/float32", MIB, MIB / 5.5e6, **no_noise, **steps
    )
    rows += timed(
        "gpu_array/round_trip/pageable/fresh/float32", MIB, MIB / 8e6, **no_noise, free_ns=1e6
    )
    spec = spec_of("round_trip", run(rows))
    parts = {}
    for row in spec["datasets"]["phases"]:
        parts.setdefault(row["row"], []).append((row["phase"], row["start"], row["end"]))
    assert parts["pinned/reused"] == [
        ("upload", 0, 2),
        ("compute", 2, 3),
        ("download", 3, 5),
        ("not divided", 5, pytest.approx(5.5)),
    ]
    assert parts["pageable/fresh"] == [
        ("not divided", 0, pytest.approx(7.0)),
        ("free", pytest.approx(7.0), pytest.approx(8.0)),
    ]
    assert {"5.500 ms", "8.000 ms", "time (ms)", "download"} <= set(texts(spec))


def test_fast_paths_are_compared_at_the_largest_size_that_both_have():
    rows = timed("copy/pageable/h2d", MIB, 10.0, cpu_s_per_gb=0.1)
    rows += timed("copy/pageable/h2d", 64 * MIB, 10.0, cpu_s_per_gb=0.1)
    rows += timed("copy/staged/h2d", 64 * MIB, 50.0, cpu_s_per_gb=0.25)
    rows += timed("copy/staged/h2d", 256 * MIB, 55.0, cpu_s_per_gb=0.2)
    rows += timed("message/memcpy", 0, 8000.0) + timed("message/mapped_flag", 0, 2000.0)
    spec = spec_of("fast_paths", run(rows))
    shown = [(r["way"], r["speedup_text"], r["cpu_text"]) for r in spec["datasets"]["ways"]]
    assert shown == [
        ("ordinary memory, h2d, 64 MiB: pageable", "pageable: 10.00 GB/s", "0.100"),
        ("ordinary memory, h2d, 64 MiB: staged", "5.00×, 50.00 GB/s", "0.250"),
        ("a message and its answer: memcpy", "memcpy: 8.000 µs", ""),
        ("a message and its answer: mapped_flag", "4.00×, 2.000 µs", ""),
    ]
    drawn = texts(spec)
    assert {"staged", "mapped_flag", "5.00×, 50.00 GB/s", "CPU seconds per GB"} <= set(drawn)
    assert spec["datasets"]["ways"][1]["colour"] == style.memory_colour("staged")
    # A column has no panel for CPU time, which stands beside the rates.
    column = set(texts(spec_of("fast_paths", run(rows), COLUMN)))
    assert {"pageable: 10.00 GB/s, 0.100 s/GB", "5.00×, 50.00 GB/s, 0.250 s/GB"} <= column


def test_the_text_of_a_bar_that_points_left_does_not_cover_it():
    rows = timed("copy/pageable/h2d", MIB, 10.0)
    rows += timed("copy/staged/h2d", MIB, 5.0) + timed("copy/register_once/h2d", MIB, 20.0)
    root = ElementTree.fromstring(draw.svg(spec_of("fast_paths", run(rows))))
    texts_at = {
        "".join(element.itertext()): float(place[1])
        for element in root.iter(f"{SVG}text")
        if (place := re.match(r"translate\(([\d.]+),", element.get("transform", "")))
    }
    bars_at = [
        (float(place[1]), float(place[2]))
        for element in root.iter(f"{SVG}path")
        if element.get("aria-roledescription") == "bar"
        and (place := re.match(r"M([\d.]+),[\d.]+h([\d.]+)", element.get("d", "")))
    ]
    begin = next(x for x, length in bars_at if length == 0)
    assert min(x for x, _ in bars_at) < begin  # a slower method has a bar that points left
    assert begin < texts_at["0.50×, 5.000 GB/s"] < texts_at["2.00×, 20.00 GB/s"]


def test_a_fast_path_without_the_plain_method_is_left_out():
    with pytest.raises(NoData, match="no fast path"):
        FIGURES["fast_paths"](run(timed("copy/staged/h2d", MIB, 50.0)), WIDE)


def test_the_ladder_is_of_a_size_that_most_strategies_have():
    names = ("copy/pinned", "copy/pageable", "copy/staged", "copy/graph")
    rows = synthetic.rows(names, (MIB,)) + timed("copy/pinned/h2d", 64 * MIB, 70.0)
    rows += timed("copy/late/h2d", 64 * MIB, 9.0)
    spec = spec_of("ladder", run(rows))
    assert "1 MiB" in spec["title"]["text"][0]
    assert {row["direction"] for row in spec["datasets"]["rungs"]} == {
        "host → device",
        "device → host",
    }
    assert "not measured at this size: copy/late" in " ".join(spec["title"]["subtitle"])


def published(gpu, link, limit, strategy, direction, low, high):
    return Published(
        gpu, link, limit, strategy, direction, low, high, "tool", "https://a/b", "T", ""
    )


OTHERS = [
    published("GPU A", "PCIe 4.0 x16", 31.5, "copy/pinned", "h2d", 25.2, 25.2),
    published("GPU B", "PCIe 5.0 x16", 63.0, "copy/pinned", "h2d", 50.4, 53.55),
    published("GPU C", "not stated", None, "copy/pinned", "h2d", 10.0, 10.0),
    published("GPU A", "PCIe 4.0 x16", 31.5, "copy/pageable", "h2d", 10.0, 10.0),
]


def test_published_figures_are_compared_as_parts_of_their_links(monkeypatch):
    monkeypatch.setattr("plots.figures.compared.read_published", lambda: OTHERS)
    rates = timed("copy/pinned/h2d", 64 * MIB, 56.7) + timed("copy/pinned/h2d", KIB, 1.0)
    spec = spec_of("compared", run(rates))
    shown = {
        (row["link"], row["gpu"]): (row["row"], row["whose"], row["low"], row["high"], row["label"])
        for row in spec["datasets"]["compared"]
    }
    # Others' link is not known, or their strategy was not measured here.
    assert shown == {
        ("PCIe 5.0 x16", "Synthetic GPU"): (
            *("copy/pinned h2d", "measured here"),
            *(pytest.approx(90), pytest.approx(90), "90 %"),
        ),
        ("PCIe 5.0 x16", "GPU B"): (
            *("copy/pinned h2d", "published by others"),
            # Ours stands where its text would be.
            *(pytest.approx(80), pytest.approx(85), ""),
        ),
        ("PCIe 4.0 x16", "GPU A"): (
            *("copy/pinned h2d", "published by others"),
            *(pytest.approx(80), pytest.approx(80), "80 %"),
        ),
    }
    headings = [panel["title"]["text"] for panel in spec["vconcat"][0]["hconcat"]]
    assert headings == [
        ["PCIe 5.0 x16: 63.0 GB/s", "Synthetic GPU", "GPU B"],
        ["PCIe 4.0 x16: 31.5 GB/s", "GPU A"],
    ]
    for panel in spec["vconcat"][0]["hconcat"]:
        assert panel["layer"][0]["encoding"]["x"]["scale"]["domain"][0] == 0


@pytest.mark.parametrize(
    ("name", "transfers", "why"),
    [
        ("copy/staged/h2d", {}, "nothing of a known link that was measured here"),
        ("copy/pinned/h2d", {"link": None}, "the limit of the link is not known"),
        ("copy/pinned/h2d", {"device": {"kind": "host", "name": "host"}}, "without a GPU"),
    ],
)
def test_without_anything_to_compare_there_are_no_published_figures(
    name, transfers, why, monkeypatch
):
    monkeypatch.setattr("plots.figures.compared.read_published", lambda: OTHERS)
    with pytest.raises(NoData, match=why):
        FIGURES["compared"](run(timed(name, 64 * MIB, 56.7), **transfers), WIDE)


def test_published_figures_have_sources_and_sensible_values():
    for figure in read_published():
        assert figure.source.startswith("https://")
        assert 0.5 < figure.low <= figure.high < 500
        assert figure.direction in ("h2d", "d2h")
        assert figure.gpu and figure.strategy and figure.tool and figure.title
        assert figure.link_gb_per_s is None or figure.high < figure.link_gb_per_s


def test_raw_rates_of_published_links_are_those_of_the_standard():
    for figure in read_published():
        if pcie := re.fullmatch(r"PCIe (\d)\.0 x(\d+)", figure.link):
            generation, width = map(int, pcie.groups())
            assert figure.link_gb_per_s == pytest.approx(LANE[generation] * width, rel=1e-4)


@pytest.mark.parametrize("figure", FIGURES)
def test_the_host_device_says_so_in_every_figure(figure):
    rows = synthetic.rows() + timed("cpu/pageable/read_scalar", MIB, 9.0)
    rows += timed("allocate/pinned", MIB, 2.0) + timed("copy/staged/h2d", 64 * MIB, 50.0)
    rows += timed("gpu_array/round_trip/pinned/reused/float32", MIB, 5.0)
    rows += synthetic.rows(("copy/pinned",), suffix="/cold")
    rows += overlap_rows("pieces_2", 8e4) + overlap_rows(
        "serial", 9e4, upload_ns=4e4, download_ns=4e4
    )
    rows = [row | {"cpu_s_per_gb": 0.1, "enqueue_ns": 9.0} for row in rows]
    advice = synthetic.advice(
        winners={"h2d": [["copy/pinned"] * 2] * 3},
        rankings=[ranking(MIB, "h2d", copy__pinned={"from": 9})],
    )
    host = run(rows, advice, device={"kind": "host", "name": "host"}, link=None)
    if figure in (
        "ladder",
        "compared",
        "break_even",
        "interference",
        "winner_map",
    ):  # these need a GPU and its link, or rows that this run lacks
        with pytest.raises(NoData):
            FIGURES[figure](host, WIDE)
    else:
        assert caption.HOST_NOTE in " ".join(spec_of(figure, host)["title"]["text"])


@pytest.mark.parametrize("figure", FIGURES)
def test_odd_runs_break_no_figure(figure):
    odd = [
        run([]),
        run(
            timed("copy/pinned/h2d", MIB, 50.0)[:1],
            link=None,
            device={"kind": "cuda"},
            run=None,
            machine=None,
        ),
        run([synthetic.failed_row("copy/pinned/h2d/1MiB")] + synthetic.rows(sizes=(MIB,))),
        run(synthetic.rows(tuple(f"copy/kind_{i}" for i in range(60)), sizes=(KIB, MIB))),
    ]
    for odd_run in odd:
        try:
            draw.svg(spec_of(figure, odd_run))
        except NoData as why:
            assert "\n" not in str(why)


def test_runs_side_by_side_show_strategies_that_colours_tell_apart():
    rows = [
        row
        for name in ("copy/pinned/h2d", "copy_async/pinned/h2d", "copy/staged/h2d")
        for row in timed(name, MIB, 50.0)
    ]
    figure = GROUP_FIGURES["machines"]([(1, run(rows)), (2, run(rows))], WIDE)
    assert [name for name, _ in figure.strategies] == ["copy/pinned", "copy/staged"]


def test_runs_side_by_side_are_absolute_and_in_percent_of_each_link():
    slow = {**synthetic.LINK, "generation": 4, "limit_gb_per_s": 31.5}
    first = run(timed("copy/pinned/h2d", MIB, 50.4))
    second = run(timed("copy/pinned/h2d", MIB, 25.2), link=slow)
    figure = GROUP_FIGURES["machines"]([(1, first), (2, second)], WIDE)
    spec = render.specification(figure)
    shown = {r["run"]: (r["rate"], r["percent"]) for r in spec["datasets"]["runs"]}
    assert shown == {
        "run 1": (numbers.rate(50.4), pytest.approx(80)),
        "run 2": (numbers.rate(25.2), pytest.approx(80)),
    }
    assert {"copy/pinned, run 1", "copy/pinned, run 2", "bandwidth (% of the link)"} <= set(
        texts(spec)
    )
    with pytest.raises(NoData):
        GROUP_FIGURES["machines"]([(1, first), (2, run(timed("copy/novel/h2d", MIB, 5.0)))], WIDE)


def test_cold_caches_are_ratios_to_warm_ones_with_their_range():
    rows = timed("copy/pinned/h2d", MIB, 10.0, (1.0, 1.0, 1.25))
    rows += timed("copy/pinned/h2d", MIB, 5.0, (0.8, 1.0, 1.0))
    for row in rows[3:]:
        row["name"] += "/cold"
        row["run_name"] += "/cold"
    spec = spec_of("cold_caches", run(rows))
    (drawn,) = spec["datasets"]["ratios"]
    assert (drawn["strategy"], drawn["size"], drawn["times"]) == (
        "copy/pinned",
        "1 MiB",
        "2.00 times",
    )
    assert drawn["low"] == pytest.approx(2 * 0.8 / 1.25)
    assert drawn["high"] == pytest.approx(2)
    assert "1 MiB" in texts(spec)


def test_cold_caches_need_both_states():
    with pytest.raises(NoData, match="warm and cold"):
        FIGURES["cold_caches"](run(timed("copy/pinned/h2d", MIB, 10.0)), WIDE)


def test_cold_caches_show_the_smallest_the_middle_and_the_largest_size():
    rows = []
    for size in (KIB, 2 * KIB, 4 * KIB, 8 * KIB, 16 * KIB):
        rows += timed("copy/pinned/d2h", size, 10.0)
        cold = timed("copy/pinned/d2h", size, 9.0)
        rows += [row | {key: row[key] + "/cold" for key in ("name", "run_name")} for row in cold]
    drawn = spec_of("cold_caches", run(rows))["datasets"]["ratios"]
    assert {row["size"] for row in drawn} == {"1 KiB", "4 KiB", "16 KiB"}


@pytest.mark.parametrize("layout", [WIDE, COLUMN], ids=lambda layout: layout.name)
def test_interference_shows_what_a_small_copy_waits(layout):
    spec = spec_of("interference", recorded("2026-11-23-interference"), layout)
    shown = texts(spec)
    for text in ("engine", "4MiB chunks", "50KiB by memcpy beside h2d", "99.9 %"):
        assert text in shown, text
    waits = {
        (row["row"], row["direction"], row["percentile"]): row["us"]
        for row in spec["datasets"]["waits"]
    }
    behind = waits["engine|50KiB by memcpy beside h2d", "host → device", "median"]
    beside = waits["engine|50KiB by memcpy beside d2h", "host → device", "median"]
    assert behind > 100 * beside, "an engine ends a copy before it begins the next"


def test_interference_puts_the_large_copy_that_lets_others_in_first():
    names = [
        row["row"]
        for row in spec_of("interference", recorded("2026-11-23-interference"))["datasets"]["waits"]
    ]
    spec = spec_of("interference", recorded("2026-11-23-interference"))
    domain = spec["vconcat"][0]["hconcat"][0]["layer"][1]["encoding"]["y"]["scale"]["domain"]
    headings = [name.split("|")[1] for name in domain if name.startswith("#")]
    assert headings[0] == "kernel"
    assert set(names) <= set(domain)


def test_interference_needs_small_copies():
    with pytest.raises(NoData, match="small copies"):
        FIGURES["interference"](run(timed("copy/pinned/h2d", MIB, 10.0)), WIDE)
