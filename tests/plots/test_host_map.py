"""Tests the report of maps of hosts, and of several devices of one run."""

import json
import re
import shutil
from pathlib import Path

import pytest
from calls import call
from made_up_map import document, link, parse
from several_devices import AT_ONCE, two_devices
from test_report import contrast

from plots.__main__ import _read as read
from plots.__main__ import main
from plots.figures import MAP_FIGURES, dark_page, style
from plots.figures.layout import COLUMN, WIDE
from plots.model.files import ResultError
from plots.model.host_map import PciLink
from plots.model.load import parse_result
from plots.model.pcie import packet_limit
from plots.model.programs import ask_about_map
from plots.model.same_machine import how_they_differ
from plots.page import draw, render

ROOT = Path(__file__).resolve().parents[2]
TWO_GPUS = ROOT / "results/nvidia-h200/2026-11-22-two-gpus"
CORPUS = sorted((ROOT / "tests/fuzz/corpus/read_map").iterdir())


def spec_of(figures, name, subject, layout=WIDE):
    return render.specification(figures[name](subject, layout))


def test_the_recorded_map_is_read():
    host_map = read(TWO_GPUS / "host_map.json")
    assert [device.name for device in host_map.devices] == ["cuda:0", "cuda:1"]
    assert host_map.links[0].capacities["both"].value == pytest.approx(161.04e9, rel=1e-4)
    assert ("h2d" in host_map.links[0].capacities, host_map.sets) == (False, 22)
    assert not host_map.on_host


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_the_report_takes_the_maps_that_the_program_takes(path, program):
    refusal = None
    try:
        ask_about_map(program, read(path))
    except ResultError as error:
        refusal = str(error)
        assert refusal.isprintable()
    command = [program, "advise", "--host-map", path, "--devices=all"]
    answer = call(command)
    assert ("cannot use" in answer.stderr) == (refusal is not None), (refusal, answer.stderr)


def test_nominal_limits_are_those_of_the_program():
    said = (TWO_GPUS / "map.txt").read_text()
    low, high = packet_limit(PciLink(5, 16))
    assert f"Gen5 x16, nominally {low:.1f} to {high:.1f} GB/s" in said
    assert packet_limit(PciLink(6, 16)) == pytest.approx((118 * 256 / 272, 118 * 256 / 268))
    assert packet_limit(PciLink(9, 16)) is None


def of_devices(*devices):
    """Returns a map and a run, of these names and UUIDs: (of the map, of the run)."""
    entries = [[{"name": n, "uuid": u, "kind": "cuda"} for n, u in of_one] for of_one in devices]
    host_map = parse(document(2, context={"devices": entries[0]}))
    made_up = two_devices()
    transfers = made_up["context"]["transfers"]
    described = zip(transfers["devices"], entries[1], strict=True)
    transfers["devices"] = [entry | named for entry, named in described]
    transfers["device"] |= {"name": transfers["devices"][0]["name"]}
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


def test_names_of_devices_are_shown_as_text(program):
    evil = "<script>alert('x')</script>"
    made_up = document(2, link((0, 1), h2d=60))
    made_up["devices"][0]["name"] = evil
    host_map = ask_about_map(program, parse(made_up))
    drawing = draw.svg(spec_of(MAP_FIGURES, "links", host_map, COLUMN))
    assert evil not in drawing
    assert host_map.answers


def test_the_command_takes_maps_beside_runs(tmp_path, undrawn, capsys, program):
    file = TWO_GPUS / "host_map.json"
    options = ["--out", str(tmp_path / "report"), "--program", str(tmp_path / "none")]
    arguments = [*options, str(file)]
    assert main(arguments) == 0
    page = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert re.search(r"<h2[^>]*>Links of the host \(2026-11-22-two-gpus/host_map.json\)", page)
    assert (tmp_path / "report" / "tables" / "map-links.csv").is_file()
    capsys.readouterr()
    (tmp_path / "odd.json").write_text(file.read_text().replace('"held_out":', '"held_in":', 1))
    assert main([*arguments[:2], "--program", str(program), str(tmp_path / "odd.json")]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"report: cannot use {tmp_path / 'odd.json'}: ")
    again = shutil.copy(file, tmp_path / "again.json")
    assert main([*arguments, str(again)]) == 2
    assert "the same map as" in capsys.readouterr().err
    assert main([*arguments, "--baseline", "baseline.json"]) == 2
    assert "not maps or sweeps alone" in capsys.readouterr().err


@pytest.mark.parametrize("described", ["all", {"kind": 1}, {"kind": "node", "place": 1}])
def test_a_set_that_is_not_described_rightly_is_refused(described):
    made_up = two_devices()
    made_up["context"]["transfers"]["benchmarks"][AT_ONCE]["set"] = described
    with pytest.raises(ResultError, match="set"):
        parse_result(Path("sets.json"), made_up)


def test_colours_of_directions_stand_out_from_paper():
    for look in style.DIRECTION.values():
        assert contrast(look.colour, style.PAPER) >= 3
        assert contrast(look.dark, dark_page.DARK_LINES[style.PAPER]) >= 3


def test_findings_that_are_odd_are_left_out():
    odd = [3, {"code": "x"}, {"code": "a", "text": "Good\x1b."}, {"text": "No code."}]
    assert parse(document(1, findings=odd)).findings == [("a", "Good ."), ("", "No code.")]
    assert parse(document(1, findings={})).findings == []
