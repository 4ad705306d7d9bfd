"""Tests the report of maps of hosts, and of several devices of one run."""

import dataclasses
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import test_by_device
from format_2 import fields
from made_up_map import document, eight, link, parse
from synthetic import MIB, row
from test_report import contrast

from plots.__main__ import main
from plots.figures import DEVICES_FIGURES, MAP_FIGURES, style
from plots.figures.layout import COLUMN, WIDE
from plots.model.derive import NoData, Run
from plots.model.host_map import PciLink, parse_map
from plots.model.load import ResultError, parse_result, read_document, read_result
from plots.model.pcie import packet_limit
from plots.model.programs import ask_about_map
from plots.model.same_machine import how_they_differ
from plots.page import draw, render
from plots.page.report import make_sections
from plots.text import caption, map_caption, tables

ROOT = Path(__file__).resolve().parents[2]
TWO_GPUS = ROOT / "results/nvidia-h200/2026-11-22-two-gpus"
CORPUS = sorted((ROOT / "tests/fuzz/corpus/read_map").iterdir())


@pytest.fixture(scope="module")
def program(pytestconfig):
    return pytestconfig.getoption("binary").resolve()


def spec_of(figures, name, subject, layout=WIDE):
    return render.specification(figures[name](subject, layout))


def read_map(path):
    return parse_map(path, *read_document(path))


@pytest.fixture(scope="module")
def two(program):
    return ask_about_map(program, read_map(TWO_GPUS / "host_map.json"))


@pytest.fixture(scope="module")
def eight_devices(program):
    return ask_about_map(program, parse(eight()))


def test_the_recorded_map_is_read():
    host_map = read_map(TWO_GPUS / "host_map.json")
    assert [device.name for device in host_map.devices] == ["cuda:0", "cuda:1"]
    assert host_map.links[0].capacities["both"].value == pytest.approx(161.04e9, rel=1e-4)
    assert ("h2d" in host_map.links[0].capacities, host_map.sets) == (False, 22)
    assert not host_map.on_host


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_both_readers_take_the_same_maps(path, program):
    refusal = None
    try:
        read_map(path)
    except ResultError as error:
        refusal = str(error)
        assert refusal.isprintable()
    command = [program, "advise", "--host-map", path, "--devices=all"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ("cannot use" in answer.stderr) == (refusal is not None), (refusal, answer.stderr)


def test_a_tree_has_each_link_and_each_device_at_its_level(eight_devices):
    data = spec_of(MAP_FIGURES, "links", eight_devices)["datasets"]
    rows = [(entry["at"] // 12, entry["name"], entry["values"]) for entry in data["names"]]
    device = "h2d 50.0  d2h 50.0  both 90.0"
    limit = "Gen5 x16 (57.6 to 58.4)"
    assert rows[:5] == [
        (0, "host", ""),
        (1, "cuda:0 to cuda:3 share, Gen4 x16 (28.8 to 29.2)", "h2d 120.0  both 150.0"),
        (2, "cuda:0 and cuda:1 share, Gen4 x16 (28.8 to 29.2)", "h2d 70.0"),
        (3, f"cuda:0, {limit}", device),
        (3, f"cuda:1, {limit}", device),
    ]
    assert rows[8][:2] == (1, f"cuda:4 to cuda:7 share, {limit}")
    assert len(rows) == 13


def test_marks_of_a_tree_are_in_gb_per_s_with_intervals(eight_devices):
    data = spec_of(MAP_FIGURES, "links", eight_devices)["datasets"]
    link_below = next(mark for mark in data["rates"] if mark["name"].startswith("cuda:4 to"))
    assert (link_below["value"], link_below["low"]) == pytest.approx((101.6, 0.99 * 101.6))
    assert link_below["colour"] == style.DIRECTION["h2d"].colour


def test_nominal_limits_are_those_of_the_program():
    said = (TWO_GPUS / "map.txt").read_text()
    low, high = packet_limit(PciLink(5, 16))
    assert f"Gen5 x16, nominally {low:.1f} to {high:.1f} GB/s" in said
    assert packet_limit(PciLink(6, 16)) == pytest.approx((118 * 256 / 272, 118 * 256 / 268))
    assert packet_limit(PciLink(9, 16)) is None


def test_many_devices_leave_the_links():
    many = parse(document(64, link(range(64), h2d=500), link(range(32), h2d=300)))
    names = [entry["name"] for entry in spec_of(MAP_FIGURES, "links", many)["datasets"]["names"]]
    assert names == ["host", "cuda:0 to cuda:63 share", "cuda:0 to cuda:31 share"]
    with pytest.raises(NoData, match="cannot be read"):
        MAP_FIGURES["pairs"](many, WIDE)


def test_the_matrix_says_who_slows_whom(two, eight_devices):
    cells = spec_of(MAP_FIGURES, "pairs", two)["datasets"]["pairs"]
    assert {(cell["row"], cell["column"], cell["text"]) for cell in cells} == {
        ("cuda:0", "cuda:1", "81"),
        ("cuda:1", "cuda:0", "81"),
    }
    assert {cell["known"] for cell in cells} == {"measured"}
    cells = spec_of(MAP_FIGURES, "pairs", eight_devices)["datasets"]["pairs"]
    upload = {(c["row"], c["column"]): c["text"] for c in cells if c["panel"] == "h2d"}
    assert upload["cuda:0", "cuda:1"] == "70"
    assert upload["cuda:0", "cuda:4"] == "·"
    assert len(upload) == 56


def test_the_matrix_says_that_it_is_of_pairs_and_what_is_alike(program):
    made_up = document(4, link(range(4), h2d=60, d2h=60, both=60))
    alike = ask_about_map(program, parse(made_up))
    spec = spec_of(MAP_FIGURES, "pairs", alike)
    assert "pairs only; three or more: see the links" in spec["title"]["subtitle"]
    assert map_caption.traffic_words(["h2d", "d2h", "both"]) == "the same in h2d, d2h and both ways"
    assert map_caption.traffic_words(["h2d", "both"]) == "the same in h2d and both ways"
    assert map_caption.traffic_words(["both"]) == "both ways at once"


def test_slow_links_have_three_digits(program):
    slow = document(2, link((0, 1), h2d=0.08904))
    slow["devices"][0]["alone"]["h2d"] = {"value": 0.0562e9, "low": 0.056e9, "high": 0.0565e9}
    host_map = parse(slow)
    assert tables.make_links_table(host_map).rows[0][1] == "89.04 MB/s [88.1, 89.9]"
    names = spec_of(MAP_FIGURES, "links", host_map)["datasets"]["names"]
    assert [entry["values"] for entry in names[1:3]] == [
        "h2d 0.0890",
        "h2d 0.0562  d2h 50.0  both 90.0",
    ]
    assert "share h2d 0.0890 GB/s" in MAP_FIGURES["links"](host_map, WIDE).summary


def of_devices(*devices):
    """Returns a map and a run, of these names and UUIDs: (of the map, of the run)."""
    entries = [[{"name": n, "uuid": u, "kind": "cuda"} for n, u in of_one] for of_one in devices]
    host_map = parse(document(2, context={"devices": entries[0]}))
    made_up = test_by_device.document()
    transfers = made_up["context"]["transfers"]
    described = zip(transfers["devices"], entries[1], strict=True)
    transfers["devices"] = [entry | named for entry, named in described]
    return host_map, parse_result(Path("night/run.json"), made_up, b"run")


A, B, C, D = (("H200", f"GPU-{letter}") for letter in "abcd")


@pytest.mark.parametrize(
    ("of_map", "of_run", "why"),
    [
        ((A, B), (A, B), ""),
        ((A, B), (B, C), ""),  # of a machine with more than these
        ((A, B), (C, D), "their GPUs have other UUIDs"),
        ((A, B), (("H200", None), ("H200", None)), ""),
        ((A, B), (("H100", None), ("H100", None)), "their devices have other names"),
    ],
)
def test_a_map_of_another_machine_is_known_by_its_devices(of_map, of_run, why):
    assert how_they_differ(*of_devices(of_map, of_run)) == why
    assert how_they_differ(parse(document(2)), of_devices(of_map, of_run)[1]) == ""


def test_the_page_warns_of_a_map_of_another_machine(monkeypatch):
    monkeypatch.setattr("plots.page.report.FIGURES", {})
    monkeypatch.setattr("plots.page.report.GROUP_FIGURES", {})
    host_map, other = of_devices((A, B), (C, D))
    sections = make_sections([other], None, maps=[host_map])
    (sentences,) = next(s for s in sections if s.name == "map-").sentences.values()
    assert sentences[0].text.startswith(
        "The map is of the machine with 2 × H200 (GPU-a and GPU-b), "
    )
    assert sentences[1].warning
    assert "made_up.json is of another machine than night/run.json" in sentences[1].text


def test_the_command_warns_of_a_map_of_another_machine(tmp_path, undrawn, capsys, monkeypatch):
    monkeypatch.setattr("plots.__main__.make_report", lambda *_: {"report.html": b""})
    recorded = TWO_GPUS / "result.json.gz"
    options = ["--out", str(tmp_path / "report"), "--program", str(TWO_GPUS / "map.txt")]
    assert main([*options, str(recorded), str(TWO_GPUS / "host_map.json")]) == 0
    assert capsys.readouterr().err == ""
    moved = json.loads((TWO_GPUS / "host_map.json").read_text())
    for device in moved["context"]["devices"]:
        device["uuid"] += "-other"
    (tmp_path / "moved.json").write_text(json.dumps(moved))
    assert main([*options, str(recorded), str(tmp_path / "moved.json")]) == 0
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "beware" in said
    assert "their GPUs have other UUIDs" in said


def test_without_the_program_the_matrix_is_left_out():
    lonely = ask_about_map(None, parse(document(2, link((0, 1), h2d=60))))
    with pytest.raises(NoData, match="not built"):
        MAP_FIGURES["pairs"](lonely, WIDE)


def test_nothing_shared_has_a_tree_and_no_matrix(program):
    apart = ask_about_map(program, parse(document(3)))
    assert len(spec_of(MAP_FIGURES, "links", apart)["datasets"]["names"]) == 4
    with pytest.raises(NoData, match="no device slows another"):
        MAP_FIGURES["pairs"](apart, WIDE)


def test_nodes_are_compared_with_the_best_of_each_device(eight_devices):
    cells = spec_of(MAP_FIGURES, "nodes", eight_devices)["datasets"]["nodes"]
    assert len(cells) == 32
    far = next(cell for cell in cells if (cell["row"], cell["column"]) == ("node 1", "cuda:0"))
    assert (far["text"], far["part"]) == ("40.9", pytest.approx(40.9 / 55.1))
    with pytest.raises(NoData, match="fewer than two NUMA nodes"):
        MAP_FIGURES["nodes"](parse(document(2)), WIDE)


def run_on_nodes():
    """Returns a run of two devices with memory on two nodes."""
    made_up = test_by_device.document()
    for node, device, rate in ((0, 0, 55.0), (0, 1, 41.0), (1, 0, 40.0), (1, 1, 54.0)):
        name = f"copy/pinned@node{node}/h2d/64MiB@cuda:{device}"
        made_up["context"]["transfers"]["benchmarks"][name] = fields(
            f"copy/pinned@node{node}",
            "copy",
            memory="pinned",
            node=node,
            variant="h2d",
            direction="h2d",
            size_bytes=64 * MIB,
            devices=[device],
        )
        made_up["benchmarks"] += [row(name, 64 * MIB, 64 * MIB / rate)] * 3
    return Run(parse_result(Path("nodes.json"), made_up, b"nodes"))


def test_a_run_has_a_matrix_of_nodes_and_devices():
    cells = spec_of(DEVICES_FIGURES, "nodes", run_on_nodes())["datasets"]["nodes"]
    shown = {(c["row"], c["column"], c["panel"]): c["text"] for c in cells}
    assert shown == {
        ("node 0", "cuda:0", "h2d"): "55.0",
        ("node 0", "cuda:1", "h2d"): "41.0",
        ("node 1", "cuda:0", "h2d"): "40.0",
        ("node 1", "cuda:1", "h2d"): "54.0",
    }


def test_copies_at_once_are_shown_beside_those_alone():
    run = Run(read_result(TWO_GPUS / "result.json.gz"))
    copies = spec_of(DEVICES_FIGURES, "at_once", run)["datasets"]["copies"]
    texts = [(entry["name"], entry["text"]) for entry in copies]
    both = texts.index(("pinned, both ways, all, 64 MiB", "144.3 in all"))
    assert texts[both + 1 : both + 3] == [
        ("cuda:0 h2d", "28.4 of 55.2 (−49 %)"),
        ("cuda:0 d2h", "43.5 of 55.0 (−21 %)"),
    ]
    with pytest.raises(NoData, match="no copies at once"):
        DEVICES_FIGURES["at_once"](Run(dataclasses.replace(run.result, rows=[])), WIDE)


def test_a_section_holds_all_devices_of_a_run_and_another_the_map(two, monkeypatch):
    monkeypatch.setattr("plots.page.report.FIGURES", {})  # they take seconds
    monkeypatch.setattr("plots.page.report.GROUP_FIGURES", {})
    result = read_result(TWO_GPUS / "result.json.gz")
    sections = make_sections([result], None, maps=[two])
    together = next(section for section in sections if section.name == "devices-")
    assert [drawn.name for drawn in together.drawn] == ["devices-at_once"]
    assert together.heading.endswith("2 × NVIDIA H200")
    of_map = next(section for section in sections if section.name == "map-")
    assert [drawn.name for drawn in of_map.drawn] == ["map-links", "map-pairs"]
    (sentences,) = of_map.sentences.values()
    assert [sentence.warning for sentence in sentences].count(True) == 1  # poor_prediction
    assert of_map.tables[0].rows[0] == [
        "shared by cuda:0 and cuda:1",
        "-",
        "-",
        "161.0 GB/s [159.2, 162.9]",
    ]


def test_a_map_without_a_gpu_says_so_in_every_figure(program):
    made_up = eight()
    made_up["context"]["without_gpu"] = True
    emulated = ask_about_map(program, parse(made_up))
    for name in MAP_FIGURES:
        spec = spec_of(MAP_FIGURES, name, emulated)
        assert caption.HOST_NOTE in " ".join(spec["title"]["text"])
    assert make_sections([], None, maps=[emulated])[0].on_host


def test_a_table_has_all_digits(two):
    table = tables.make_links_table(two)
    assert table.raw_head[1:4] == ["h2d_gb_per_s", "h2d_low_gb_per_s", "h2d_high_gb_per_s"]
    assert table.raw[0][1:4] == [None] * 3
    assert table.raw[0][7] == pytest.approx(161.0412227)


def test_names_of_devices_are_shown_as_text(program):
    evil = "<script>alert('x')</script>"
    made_up = document(2, link((0, 1), h2d=60))
    made_up["devices"][0]["name"] = evil
    host_map = ask_about_map(program, parse(made_up))
    drawing = draw.svg(spec_of(MAP_FIGURES, "links", host_map, COLUMN))
    assert evil not in drawing
    assert host_map.answers


def test_the_command_takes_maps_beside_runs(tmp_path, undrawn, capsys):
    file = TWO_GPUS / "host_map.json"
    options = ["--out", str(tmp_path / "report"), "--program", str(tmp_path / "none")]
    arguments = [*options, str(file)]
    assert main(arguments) == 0
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert re.search(r"<h2[^>]*>Links of the host \(2026-11-22-two-gpus/host_map.json\)", page)
    assert (tmp_path / "report" / "tables" / "map-links.csv").is_file()
    capsys.readouterr()
    again = shutil.copy(file, tmp_path / "again.json")
    assert main([*arguments, str(again)]) == 2
    assert "the same map as" in capsys.readouterr().err
    assert main([*arguments, "--baseline", "baseline.json"]) == 2
    assert "not maps or sweeps alone" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("described", "words"),
    [
        (None, "cuda:0+cuda:1"),
        ({"kind": "pair", "place": None}, "cuda:0+cuda:1"),
        ({"kind": "node", "place": "1"}, "next to node 1"),
        ({"kind": "port", "place": "0000:c0:01.1"}, "below 0000:c0:01.1"),
    ],
)
def test_a_set_is_named_by_what_its_devices_have_in_common(described, words):
    made_up = test_by_device.document()
    transfers = made_up["context"]["transfers"]
    transfers["devices"].append(transfers["devices"][1] | {"id": "cuda:2"})  # not in the set
    transfers["benchmarks"][test_by_device.AT_ONCE]["set"] = described
    run = Run(parse_result(Path("sets.json"), made_up, b"sets"))
    copies = spec_of(DEVICES_FIGURES, "at_once", run)["datasets"]["copies"]
    assert copies[0]["name"] == f"pinned, host → device, {words}, 64 MiB"


@pytest.mark.parametrize("described", ["all", {"kind": 1}, {"kind": "node", "place": 1}])
def test_a_set_that_is_not_described_rightly_is_refused(described):
    made_up = test_by_device.document()
    made_up["context"]["transfers"]["benchmarks"][test_by_device.AT_ONCE]["set"] = described
    with pytest.raises(ResultError, match="set"):
        parse_result(Path("sets.json"), made_up)


def test_colours_of_directions_stand_out_from_paper():
    for look in style.DIRECTION.values():
        assert contrast(look.colour, style.PAPER) >= 3
        assert contrast(look.dark, style.DARK_LINES[style.PAPER]) >= 3


@pytest.mark.parametrize("name", ["crossed_links", "newer", "truncated", "another_kind"])
def test_a_map_that_cannot_be_read_is_refused_in_one_line(name, tmp_path, capsys):
    file = ROOT / "tests/fuzz/corpus/read_map" / f"{name}.json"
    assert main([str(file), "--out", str(tmp_path / "report")]) == 2
    complaint = capsys.readouterr().err
    assert complaint.count("\n") == 1
    assert file.name in complaint


def test_findings_that_are_odd_are_left_out():
    odd = [3, {"code": "x"}, {"code": "a", "text": "Good\x1b."}, {"text": "No code."}]
    assert parse(document(1, findings=odd)).findings == [("a", "Good ."), ("", "No code.")]
    assert parse(document(1, findings={})).findings == []


def test_flows_may_have_memory_and_node_of_their_own():
    made_up = test_by_device.document()
    flow = made_up["context"]["transfers"]["benchmarks"][test_by_device.AT_ONCE]["flows"][0]
    flow |= {"memory": "pageable", "node": 1}
    run = Run(parse_result(Path("mixed.json"), made_up, b"mixed"))
    copies = spec_of(DEVICES_FIGURES, "at_once", run)["datasets"]["copies"]
    assert [entry["name"] for entry in copies][1:] == ["cuda:0 h2d pageable", "cuda:1 h2d"]
    flow["node"] = "one"
    with pytest.raises(ResultError, match="node"):
        parse_result(Path("mixed.json"), made_up)
