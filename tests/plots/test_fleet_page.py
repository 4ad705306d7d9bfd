"""Tests the report of sweeps of fleets, and of their GPUs over sweeps."""

import copy
import json
import stat
from itertools import pairwise
from pathlib import Path

import pytest
from made_up_fleet import (
    MADE_UP,
    THRESHOLDS,
    finding,
    gpu,
    history,
    judgement,
    large,
    parse,
    parse_past,
    place_of,
)

from plots.__main__ import main
from plots.figures import FLEET_FIGURES, fleet_grid, fleet_scale
from plots.figures.layout import WIDE
from plots.model import fleet
from plots.model.files import ResultError
from plots.page import render
from plots.page.report import make_report, make_sections
from plots.text import fleet_tables

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "tests/fuzz/corpus"
MOST_DATA = 4 * 2**20  # beside the libraries, which take 1.2 MiB of a page
MOST_ROWS = 5000  # of a figure: each is a node of the page's drawing


def spec_of(figures, name, subject, layout=WIDE):
    return render.specification(figures[name](subject, layout))


def data_of(figures, name, subject, layout=WIDE):
    return spec_of(figures, name, subject, layout)["datasets"]


@pytest.fixture(scope="module")
def thousand():
    return parse(large())


@pytest.fixture(scope="module")
def drawn(thousand):
    """Returns the data of its figures by name and layout; drawing them takes seconds."""
    (section,) = make_sections([], None, fleets=[thousand])
    return {
        (figure.name.removeprefix("fleet-"), layout): spec["datasets"]
        for figure in section.drawn
        for layout, spec in (("wide", figure.spec), ("column", figure.column))
    }


def test_gpus_stand_by_rack_node_and_slot_in_the_order_of_their_numbers():
    made_up = parse(judgement(nodes=12, gpus_in_node=1, nodes_in_rack=3))
    names = [entry.node for entry in made_up.sorted_gpus()]
    assert names == [f"node{i}" for i in range(12)]


def test_figures_of_eight_thousand_gpus_stay_small(drawn):
    assert {name for name, _ in drawn} == set(FLEET_FIGURES)
    assert max(sum(map(len, data.values())) for data in drawn.values()) < MOST_ROWS
    for layout in ("wide", "column"):
        named = drawn["strip", layout]["named"]
        assert sum(row["class"] == "link" for row in named) == 4 + 16 * 8 + 8 + 8


def test_what_bars_stand_for_is_every_gpu_that_is_not_named(thousand, drawn):
    rows = [row for row in drawn["strip", "wide"]["marks"] if row["class"] == "host"]
    known = [entry.slower[3] for entry in thousand.gpus]
    assert min(row["low"] for row in rows) == min(known)
    assert max(row["high"] for row in rows) == max(known)


@pytest.mark.parametrize(
    ("gpus", "unknown", "last_bar"),
    [(802, 0, "node400/01:00"), (804, 10, "2 GPUs, node396/00:00 to node396/01:00")],
    ids=["alone", "without_scores"],
)
def test_bars_of_one_gpu_and_of_equal_values_are_visible(gpus, unknown, last_bar):
    document = judgement(nodes=gpus // 2)
    for entry in document["scores"]["gpus"][gpus - unknown :]:
        entry["slower_percent"] = [None] * 5
    spec = spec_of(FLEET_FIGURES, "strip", parse(document))
    *others, last = (row for row in spec["datasets"]["marks"] if row["class"] == "host")
    assert all(row["gpus"].startswith("3 GPUs, ") for row in others)
    assert last["gpus"] == last_bar
    assert " to " not in last["text"]
    assert json.dumps(spec).count('"strokeCap": "square"') == 3  # a layer of bars in each panel


def test_data_and_tables_of_eight_thousand_gpus_are_small(thousand, drawn):
    assert len(json.dumps([*drawn.values()])) < MOST_DATA
    _, scores = fleet_tables.make_fleet_tables(thousand)
    assert (len(scores.raw), len(scores.rows)) == (8000, fleet_tables.MOST_ON_PAGE)


def test_a_rack_that_is_named_is_marked_in_all_of_its_nodes(drawn):
    rows = drawn["racks", "wide"]["cells"]
    marked = {row["name"] for row in rows if row["letter"] == "R"}
    assert marked == {f"node{i}" for i in range(160, 176)}


def test_a_node_without_any_results_has_a_cell(drawn):
    rows = drawn["racks", "wide"]["cells"]
    (cell,) = (row for row in rows if row["name"] == "node2000" and row["class"] == "link")
    assert (cell["letter"], cell["text"]) == ("×", "not known")


@pytest.mark.parametrize("nodes_in_rack", [16, 0], ids=["racks", "no_racks"])
def test_many_nodes_share_cells(nodes_in_rack):
    made_up = parse(
        judgement(
            nodes=4000,
            gpus_in_node=1,
            nodes_in_rack=nodes_in_rack,
            slower={(1234, None): 80.0},
            findings=[finding("gpu", 80.0, **place_of(1234, 0, nodes_in_rack))],
        )
    )
    rows = data_of(FLEET_FIGURES, "racks", made_up)["cells"]
    assert len(rows) <= 3 * fleet_grid.MOST_CELLS
    (cell,) = (row for row in rows if row["letter"] == "G")
    assert cell["slower"] == pytest.approx(80, abs=2)


def test_peers_of_a_named_part_are_those_that_are_not_named(drawn):
    rows = drawn["outliers", "wide"]["slow"]
    assert [row["slower"] for row in rows] == sorted((r["slower"] for r in rows), reverse=True)
    (rack,) = (row for row in rows if row["scope"] == "rack")
    assert rack["peers"] == "62"
    assert -1 < rack["least"] < rack["low_half"] < rack["high_half"] < rack["most"] < 1
    (node,) = (row for row in rows if "node600" in row["name"])
    assert int(node["peers"]) == 1000 / 2 - 1 - 16 / 2


@pytest.mark.parametrize("class_name", ["link", "host", "latency", "unknown"])
def test_a_colour_is_darker_the_slower_and_ticks_do_not_crowd(class_name):
    small_one = fleet_scale.small(parse(judgement()), class_name)
    assert small_one == THRESHOLDS.get(class_name, fleet_scale.LINEAR)
    steps = [0, 0.5 * small_one, small_one, 3 * small_one, 20 * small_one, 1e6]
    greens = [int(fleet_scale.colour(step, small_one)[3:5], 16) for step in steps]
    assert greens == sorted(greens, reverse=True)
    assert len(set(greens)) == len(greens)
    ends = fleet_scale.domain([-1.0, 300.0], small_one)
    ticks = fleet_scale.ticks(ends, 6)
    assert 0 in ticks
    places = [fleet_scale.position(tick, small_one) for tick in ticks]
    width = fleet_scale.position(ends.high, small_one) - fleet_scale.position(ends.low, small_one)
    gaps = [b - a for a, b in pairwise(places)]
    assert min(gaps) >= width / 6


BAD = {
    "kind": {"kind": "other"},
    "format": {"format": 2},
    "format is text": {"format": "1"},
    "verdict": {"verdict": "PASS"},
    "findings": {"findings": {}},
    "scope": {"findings": [finding("row")]},
    "text": {"sweep": 7},
    "number": {"findings": [finding("gpu") | {"slower_percent": "5"}]},
    "scores": {"scores": {"aspects": [], "gpus": [gpu(0, 0) | {"slower_percent": [1.0]}]}},
    "twice": {"scores": {"aspects": [], "gpus": [gpu(0, 0) | {"slower_percent": []}] * 2}},
}


@pytest.mark.parametrize("change", BAD.values(), ids=BAD)
def test_a_bad_judgement_is_refused_in_one_line(change):
    with pytest.raises(ResultError) as refusal:
        parse(judgement() | change)
    assert str(refusal.value).isprintable()
    assert str(refusal.value).startswith(str(MADE_UP))


@pytest.mark.parametrize("key", ["since", "named", "slower_percent", "aspect"])
def test_a_history_that_contradicts_itself_is_refused(key):
    document = history()
    wrong = {"since": 20, "named": [-1], "slower_percent": {"link/h2d": [1]}, "aspect": "other"}
    document["gpus"][0][key] = wrong[key]
    with pytest.raises(ResultError):
        parse_past(document)


def write(path, document):
    path.write_text(json.dumps(document), "utf-8")
    return path


def stub(tmp_path, document, code=1):
    """Makes a program that answers as `fleet_transfers judge SWEEP --json FILE` would."""
    answer = write(tmp_path / "answer.json", document)
    program = tmp_path / "fleet_transfers"
    program.write_text(f'#!/bin/sh\ncp "{answer}" "$4"\nexit {code}\n', "utf-8")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


def test_the_command_makes_a_page_of_a_sweep_and_its_history(tmp_path, undrawn, capsys):
    sweep = write(tmp_path / "sweep.json", {"kind": "fleet_sweep", "format": 1})
    over_time = write(tmp_path / "history.json", history())
    program = stub(tmp_path, judgement(findings=[finding("gpu", 5.0, **place_of(1, 0))]))
    out = tmp_path / "report"
    command = [sweep, over_time, "--out", out, "--fleet", program]
    assert main(list(map(str, command))) == 0, capsys.readouterr().err
    page = (out / "report.html").read_text("utf-8")
    assert "Fleet: named (8 GPUs, sweep made up)" in page
    assert "GPUs over 20 sweeps" in page
    assert 'id="fleet-strip"' in page
    assert "Figures published by others" not in page
    assert (out / "tables" / "fleet-findings.csv").is_file()
    assert (out / "tables" / "history-troubled.csv").is_file()


def test_an_answer_that_is_given_is_not_asked_for_again(tmp_path, undrawn):
    sweep = write(tmp_path / "sweep.json", {"kind": "fleet_sweep", "format": 1})
    answer = write(tmp_path / "judged.json", judgement())
    command = [sweep, answer, "--out", tmp_path / "report", "--fleet", tmp_path / "none"]
    assert main(list(map(str, command))) == 0


@pytest.mark.parametrize(
    ("code", "why"), [(2, "ended with 2"), (None, "not built")], ids=["refuses", "not_built"]
)
def test_a_sweep_that_cannot_be_judged_is_one_line(tmp_path, undrawn, capsys, code, why):
    sweep = write(tmp_path / "sweep.json", {"kind": "fleet_sweep", "format": 1})
    program = stub(tmp_path, judgement(), code) if code else tmp_path / "none"
    out = tmp_path / "report"
    assert main([str(sweep), "--out", str(out), "--fleet", str(program)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert why in line
    assert not out.exists()


def test_names_of_a_fleet_cannot_end_the_page(tmp_path, undrawn):
    document = judgement(findings=[finding("gpu", 5.0, **place_of(1, 0))])
    hostile = "</script><img src=x onerror=alert(1)>\u202e\x1b[2J"
    for entry in document["scores"]["gpus"]:
        entry["rack"] = entry["model"] = hostile
    for entry in document["findings"]:
        entry["node"] = hostile
    files = make_report([], None, fleets=[parse(document)])
    page = files["report.html"].decode()
    assert "<img" not in page
    assert "\x1b" not in page
    assert "\u202e" not in page


def test_what_the_program_says_of_a_sweep_is_understood(program):
    answer = fleet.judge(
        program.with_name("fleet_transfers"), CORPUS / "read_sweep" / "slow_gpu.json"
    )
    assert (answer.verdict, answer.gpu_count) == ("named", 6)
    assert [(entry.scope, entry.gpu) for entry in answer.findings] == [("gpu", "GPU-2-0")]
    if answer.gpus:  # older programs give no scores
        (slowest,) = (entry for entry in answer.gpus if entry.uuid == "GPU-2-0")
        assert max(s for s in slowest.slower if s is not None) == pytest.approx(20, abs=2)


def test_a_document_is_not_changed_by_reading_it():
    document = large(32)
    before = copy.deepcopy(document)
    parse(document)
    assert document == before


def test_slots_and_whole_fleets_are_named_and_drawn():
    model = gpu(0, 0)["model"]
    slot = finding("slot", 5.0, slot="0000:01:00.0", model=model)
    named = parse(judgement(findings=[finding("fleet", 6.0, model=None), slot]))
    assert [entry.name for entry in named.findings] == [fleet.FLEET, "0000:01:00.0"]
    table, _ = fleet_tables.make_fleet_tables(named)
    assert [row[0] for row in table.rows] == ["fleet all models", "slot 0000:01:00.0"]
    assert set(named.named_gpus("link")) == {entry.uuid for entry in named.gpus}
    of_slot = parse(judgement(findings=[slot]))
    assert len(of_slot.named_gpus("link")) == 4  # one of each node
    cells = data_of(FLEET_FIGURES, "racks", of_slot)["cells"]
    assert [cell["letter"] for cell in cells].count("S") == 4
    assert data_of(FLEET_FIGURES, "outliers", named)["slow"]
