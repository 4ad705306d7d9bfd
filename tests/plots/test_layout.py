"""Tests figures of recorded runs in both layouts: no text is too small, cut or covered."""

import functools
from itertools import combinations
from pathlib import Path

import made_up_fleet
import made_up_map
import pytest
import synthetic
from browsing import HANGS_MS
from reporting import judged_runs

from plots.figures import (
    DEVICES_FIGURES,
    FIGURES,
    FLEET_FIGURES,
    GROUP_FIGURES,
    HISTORY_FIGURES,
    MAP_FIGURES,
)
from plots.figures.forest import draw_forest
from plots.figures.layout import COLUMN, WIDE
from plots.model import gate
from plots.model.derive import Run
from plots.model.judge import judge
from plots.model.load import read_result
from plots.model.no_data import NoData
from plots.model.programs import ask, ask_about_map
from plots.page import draw, render

RECORDED = Path(__file__).resolve().parents[2] / "results"
# Together, these have all figures; the second has few lines.
RUNS = ("nvidia-h200/2026-11-21-report", "nvidia-h200/2026-11-20-gpu-arrays")
MACHINES = (
    "nvidia-h200/2026-11-21-report",
    "nvidia-h100/2026-11-21-transfers",
    "nvidia-h200/2026-11-21-fast-paths",
    "nvidia-h200/2026-11-21-fast-paths-again",
)
HOST = "host/2026-11-21-report"
SIDE_BY_SIDE = [
    (figure, [RECORDED / name / "result.json.gz" for name in names])
    for figure in GROUP_FIGURES
    if figure != "company"
    for names in (RUNS, MACHINES)
] + [("company", sorted(RECORDED.glob("nvidia-h100/2026-11-27-company-2*/company.json.gz")))]
TEXTS = """() => [...document.querySelectorAll('svg text')].filter(one => one.textContent.trim())
  .map(one => {
    const box = one.getBoundingClientRect();
    const turned = one.getAttribute('transform')?.includes('rotate');
    return {text: one.textContent, left: box.left, right: box.right, top: box.top,
            bottom: box.bottom, size: parseFloat(getComputedStyle(one).fontSize), turned};
  })"""
# Boxes have the full height of a line, of which letters use a part.
SLACK = 2.5


@pytest.fixture(scope="module")
def page(browser):
    opened = browser.new_page(viewport={"width": 1000, "height": 1200})
    opened.set_default_timeout(HANGS_MS)
    return opened


@functools.cache
def recorded(name, program):
    result = read_result(RECORDED / name / "result.json.gz")
    return Run(result, ask(program, result, on_host=name == HOST), *judge(program, [result]))


def drawing(figure, layout):
    return draw.svg(render.specification(figure(layout)))


def examine(page, svg, layout):
    """Checks the sizes and places of the drawing's texts, in pixels."""
    page.set_content(f"<body style='margin: 0'>{svg}</body>")
    size = page.locator("svg").bounding_box()
    if layout is COLUMN:
        assert size["width"] <= 390  # 7 points for the smallest text at 3.3 inches
        assert size["height"] <= 2.9 * size["width"]  # no higher than a page
    else:
        assert size["width"] <= 960
    texts = page.evaluate(TEXTS)
    assert texts
    for text in texts:
        assert text["size"] >= 10
        assert text["left"] >= 0, text
        assert text["right"] <= size["width"], text
        assert text["top"] >= 0, text
        assert text["bottom"] <= size["height"], text
    overlaps = [
        (a["text"], b["text"])
        for a, b in combinations(texts, 2)
        if min(a["right"], b["right"]) - max(a["left"], b["left"]) > SLACK
        and min(a["bottom"], b["bottom"]) - max(a["top"], b["top"]) > SLACK
    ]
    assert overlaps == []


@pytest.mark.parametrize("layout", [WIDE, COLUMN], ids=lambda layout: layout.name)
@pytest.mark.parametrize("figure", FIGURES)
@pytest.mark.parametrize("name", [*RUNS, HOST])
def test_texts_are_readable_and_apart(page, name, figure, layout, program):
    run = recorded(name, program)
    try:
        svg = drawing(functools.partial(FIGURES[figure], run), layout)
    except NoData as why:
        pytest.skip(str(why))
    examine(page, svg, layout)


@pytest.mark.parametrize("layout", [WIDE, COLUMN], ids=lambda layout: layout.name)
@pytest.mark.parametrize(
    ("figure", "files"), SIDE_BY_SIDE, ids=[f"{len(files)}-{name}" for name, files in SIDE_BY_SIDE]
)
def test_runs_side_by_side_are_readable(page, figure, files, layout, program):
    runs = list(enumerate(judged_runs(program, [read_result(file) for file in files]), 1))
    try:
        svg = drawing(functools.partial(GROUP_FIGURES[figure], runs), layout)
    except NoData as why:
        assert (figure, len(files)) == ("ranks", 2), why
        return
    examine(page, svg, layout)


def eight(program):
    return ask_about_map(program, made_up_map.parse(made_up_map.eight()))


@functools.cache
def fleet_of(nodes):
    return made_up_fleet.parse(made_up_fleet.large(nodes))


def past():
    return made_up_fleet.parse_past(made_up_fleet.history())


# What they draw, of a program that answers.
OTHERS = {
    "at_once": (
        DEVICES_FIGURES["at_once"],
        lambda program: recorded("nvidia-h200/2026-11-22-two-gpus", program),
    ),
    **{f"map's {name}": (figure, eight) for name, figure in MAP_FIGURES.items()},
    "racks of 32 nodes": (FLEET_FIGURES["racks"], lambda _: fleet_of(32)),
    **{f"fleet's {name}": (each, lambda _: fleet_of(1000)) for name, each in FLEET_FIGURES.items()},
    "gpus over sweeps": (HISTORY_FIGURES["gpus"], lambda _: past()),
}


@pytest.mark.parametrize("layout", [WIDE, COLUMN], ids=lambda layout: layout.name)
@pytest.mark.parametrize("name", OTHERS)
def test_figures_of_devices_maps_and_fleets_are_readable(page, name, layout, program):
    figure, subject = OTHERS[name]
    examine(page, drawing(functools.partial(figure, subject(program)), layout), layout)


@pytest.mark.parametrize("layout", [WIDE, COLUMN], ids=lambda layout: layout.name)
@pytest.mark.parametrize("names", ["slowed-1 slowed-2 slowed-3", "second-6 second-7 second-8"])
def test_runs_against_a_baseline_are_readable(page, names, layout, gate_program):
    folder = RECORDED / "nvidia-h200" / "2026-11-21-gate"
    paths = [folder / f"{name}.json.gz" for name in names.split()]
    answer = gate.check(gate_program, folder / "baseline-median.json", paths)
    runs = [(i, Run(read_result(path))) for i, path in enumerate(paths, start=1)]
    examine(page, drawing(functools.partial(draw_forest, answer, runs), layout), layout)


def test_the_check_sees_texts_on_each_other(page):
    svg = drawing(functools.partial(FIGURES["bandwidth"], synthetic.run()), WIDE)
    twice = svg.replace("</svg>", "<text x='40' y='60' font-size='11'>on top</text></svg>")
    examine(page, svg, WIDE)
    with pytest.raises(AssertionError, match="on top"):
        examine(page, twice, WIDE)
