"""Tests the other figures, with synthetic and with recorded runs."""

import functools
import gzip
import json
import math
import re
from pathlib import Path
from statistics import median
from xml.etree import ElementTree

import pytest
import synthetic
from colours import contrast, luminance
from healthy import timed
from synthetic import KIB, MIB, run

from plots.figures import FIGURES, GROUP_FIGURES, dark_page, style
from plots.figures.layout import COLUMN, WIDE
from plots.model.derive import Run
from plots.model.load import parse_result, read_result
from plots.model.no_data import NoData
from plots.model.pcie import LANE
from plots.model.published import read_published
from plots.page import draw, render
from plots.text import caption

RECORDED = Path(__file__).resolve().parents[2] / "results" / "nvidia-h200"
SVG = "{http://www.w3.org/2000/svg}"


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


ALL_SHOWN = {
    "2026-11-21-fast-paths-again": "ladder fast_paths round_trip price returns",
    "2026-11-21-memory": "small_copies cpu_access allocation samples compared cold_caches",
    "2026-11-23-interference": "interference",
}


@pytest.mark.parametrize(
    ("name", "figure"),
    [(name, figure) for name, figures in ALL_SHOWN.items() for figure in figures.split()],
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
        assert dark_page.dark_colours()[shade] == shade


def test_phases_and_memory_can_be_seen_in_both_themes():
    dark = dark_page.dark_colours()
    lines = [colour for colour, _ in style.PHASES.values()]
    lines += [look.colour for look in style.MEMORY.values()]
    for colour in lines:
        assert contrast(colour, style.PAPER) >= 3, colour
        assert contrast(dark[colour], dark[style.PAPER]) >= 3, colour


def test_texts_in_colours_can_be_read_in_both_themes():
    dark = dark_page.dark_colours()
    for look in style.LOOKS:
        tone = style.text_colour(look.colour)
        assert contrast(tone, style.PAPER) >= 4.5, look
        assert contrast(dark[tone], dark[style.PAPER]) >= 4.5, look
        if contrast(look.colour, style.PAPER) >= 4.5:
            assert tone == look.colour


def test_each_dark_colour_of_a_text_has_one_counterpart():
    """A dark page is printed in its light colours."""
    dark = dark_page.dark_colours()
    marks = {look.colour for look in (*style.MEMORY.values(), *style.DIRECTION.values())}
    texts = {style.text_colour(colour) for colour in marks} - marks
    assert len(texts) > 10
    for tone in texts:
        assert list(dark.values()).count(dark[tone]) == 1, tone


@pytest.mark.parametrize("clash", [("#4477aa", "#123456"), ("#123456", "#7aa6d6")])
def test_colours_that_clash_are_named(monkeypatch, clash):
    monkeypatch.setitem(style.PHASES, "rest", clash)
    with pytest.raises(ValueError, match="#4477aa with #7aa6d6, and " + " with ".join(clash)):
        dark_page.dark_colours()


ON_CELLS = {"#fefefe", "#010101"}  # as cells.py chooses by the colour of the cell


@pytest.mark.parametrize("layout", [WIDE, COLUMN])
@pytest.mark.parametrize("name", ["allocation", "bandwidth", "latency", "small_copies", "price"])
def test_texts_in_a_drawing_can_be_read(name, layout):
    drawing = draw.picture(spec_of(name, recorded("2026-11-21-report"), layout))
    colours = set(re.findall(r'<text[^>]* fill="(#[0-9a-f]{6})"', drawing)) - ON_CELLS
    assert len(colours) > 1
    assert all(contrast(colour, style.PAPER) >= 4.5 for colour in colours), colours


def overlap_rows(name, ns, **steps):
    return [
        synthetic.row(f"overlap/pinned/{name}/{size}", size_bytes, ns * size_bytes / MIB, **steps)
        for size, size_bytes in (("1MiB", MIB), ("64MiB", 64 * MIB))
    ]


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


def test_published_figures_have_sources_and_sensible_values():
    for figure in read_published():
        assert figure.source.startswith("https://")
        assert figure.direction in ("h2d", "d2h", "none")
        least = 0.05 if figure.direction == "none" else 0.5  # the CPU's own access; a copy
        assert least < figure.low <= figure.high < 500
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
        rankings=[synthetic.ranking(MIB, "h2d", copy__pinned={"from": 9})],
    )
    host = run(rows, advice, device={"kind": "host", "name": "host"}, link=None)
    if figure in (
        "ladder",
        "compared",
        "break_even",
        "interference",
        "company",
        "gains",
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


@pytest.mark.parametrize("layout", [WIDE, COLUMN], ids=lambda layout: layout.name)
def test_company_shows_which_copies_work_waits_for(layout):
    folder = RECORDED.parent / "nvidia-h100" / "2026-11-27-company"
    spec = spec_of("company", Run(read_result(folder / "company.json.gz")), layout)
    rows = spec["datasets"]["company"]
    cells = {(row["row"], row["column"], row["panel"]): row for row in rows}
    waits = cells["memcpy pageable", "memory chain", "h2d"]
    assert waits["factor"] > 1000 > 2 > cells["engine", "memory chain", "h2d"]["factor"]
    assert waits["colour"] != cells["engine", "graph", "d2h"]["colour"]
    assert {row["column"] for row in rows} == {"memory chain", "arithmetic chain", "hbm", "graph"}
    shown = texts(spec)
    assert "polite to both" in shown or layout is not WIDE
    assert "idle" not in {row["row"] for row in rows}


def test_company_of_several_runs_has_cells_of_all_processes_of_one_machine():
    folder = RECORDED.parent / "nvidia-h100" / "2026-11-27-company"
    document = json.loads(gzip.decompress((folder / "company.json.gz").read_bytes()))
    facts = document["context"]["transfers"]["benchmarks"]
    every = [
        row
        for row in document["benchmarks"]
        if facts[row["name"]]["strategy"] == "company/engine/hbm"
    ]

    def part(*processes):
        rows = [row for row in every if row["process"] in processes]
        return Run(parse_result(Path("made up"), document | {"benchmarks": rows}))

    def draw_runs(*runs):
        return render.specification(GROUP_FIGURES["company"](list(enumerate(runs, 1)), WIDE))

    cells = draw_runs(part(1), part(2, 3))["datasets"]["company"]
    assert len(cells) == 2
    for cell in cells:
        rows = [row for row in every if facts[row["name"]]["direction"] == cell["panel"]]
        times, alone = (median(row[key] for row in rows) for key in ("median_ns", "work_alone_ns"))
        assert cell["factor"] == times / alone
    with pytest.raises(NoData, match="no two runs"):
        draw_runs(part(1, 2, 3))
    assert "3 or more processes" in json.dumps(draw_runs(part(1), part(2, 3)))
    assert "2 or more processes" in json.dumps(draw_runs(part(1), part(2)))


@pytest.mark.parametrize("layout", [WIDE, COLUMN], ids=lambda layout: layout.name)
def test_interference_shows_what_a_small_copy_waits(layout):
    spec = spec_of("interference", recorded("2026-11-23-interference"), layout)
    shown = texts(spec)
    for text in ("engine", "4MiB chunks", "50KiB by memcpy beside h2d", "99.9 %"):
        assert text in shown, text
    rows = spec["datasets"]["waits"]
    waits = {(row["row"], row["direction"], row["percentile"]): row["us"] for row in rows}
    behind = waits["engine|50KiB by memcpy beside h2d", "host → device", "median"]
    beside = waits["engine|50KiB by memcpy beside d2h", "host → device", "median"]
    assert behind > 100 * beside, "an engine ends a copy before it begins the next"
    if layout is WIDE:  # The large copy that lets others in comes first.
        domain = spec["vconcat"][0]["hconcat"][0]["layer"][1]["encoding"]["y"]["scale"]["domain"]
        headings = [name.split("|")[1] for name in domain if name.startswith("#")]
        assert headings[0] == "kernel"
        assert {row["row"] for row in rows} <= set(domain)
