"""Tests the command line: it writes the whole report or nothing."""

import gzip
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import altair as alt
import pytest
import synthetic
from calls import call
from packed import page_data
from reporting import assert_fails, files_below

from plots.__main__ import main
from plots.figures import FIGURES
from plots.figures.layout import PAPER, WIDE
from plots.model.load import read_result
from plots.model.programs import BREAK_EVEN_SIZES, ask
from plots.page import render

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("is_terminal", [True, False])
def test_progress_is_said_on_terminals_alone(quick_images, monkeypatch, tmp_path, is_terminal):
    said = io.StringIO()
    said.isatty = lambda: is_terminal
    monkeypatch.setattr(sys, "stderr", said)
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    assert main([str(path), "--out", str(tmp_path / "out"), "--program", "none"]) == 0
    text = said.getvalue()
    assert ("report: preparing latency …" in text) is is_terminal
    assert text.endswith("\r\x1b[K") is is_terminal  # the line is empty again


def test_runs_as_a_module(tmp_path):
    path = synthetic.write(tmp_path / "run.json.gz", synthetic.document())
    completed = call(
        [sys.executable, "-m", "plots", path, "--program", tmp_path / "none"], cwd=ROOT
    )
    build = "cmake --preset programs && cmake --build build"
    missing = f"report: {tmp_path / 'none'} is not built ({build})"
    message = f"{missing}: no verdict, no fitted lines, no advice\n"
    assert (completed.returncode, completed.stderr) == (0, message)
    out = tmp_path / "report"
    assert completed.stdout == f"{out / 'report.html'}\n"
    figures = ("bandwidth", "compared", "ladder", "latency", "samples", "small_copies")
    columns = {name for name in files_below(out) if "-column" in name}
    assert set(files_below(out)) - columns == {
        "report.html",
        "tables/measurements.csv",
        "tables/method.tex",
        "tables/method.txt",
        "tables/numbers.tex",
        "tables/published.bib",
        "tables/repetitions.csv.gz",
        *(
            f"figures/{name}.{kind}"
            for name in figures
            for kind in ("pdf", "png", "svg", "caption.txt", "caption.tex")
        ),
        *(
            f"tables/{name}.{kind}"
            for name in ("benchmarks", "headline", "transfers")
            for kind in ("csv", "md", "tex")
        ),
    }
    assert {"figures/bandwidth-column-2.pdf", "figures/ladder-column-1.svg"} <= columns
    pictures = {name.rpartition(".")[0] for name in files_below(out) if name.endswith(".pdf")}
    assert {f"{name}.caption.tex" for name in pictures} <= set(files_below(out))
    page = (out / "report.html").read_text("utf-8")
    links = set(map(unquote, re.findall(r'href="((?:figures|tables)/[^"]+)"', page)))
    assert {"figures/bandwidth.caption.txt", "tables/method.txt"} <= links <= set(files_below(out))
    starts = {
        "pdf": b"%PDF",
        "png": b"\x89PNG",
        "svg": b"<svg",
        "txt": b"",
        "tex": b"\\caption[",
    }
    for path in (out / "figures").iterdir():
        assert path.read_bytes().startswith(starts[path.suffix[1:]])
        assert path.suffix != ".svg" or b"<desc>" in path.read_bytes()
    assert files_below(tmp_path)[-1] == "run.json.gz"  # no other file remains


def decoy_modules():
    """Returns the names of all modules that could be imported, and more."""
    packages = {path.stem for path in Path(alt.__file__).parents[1].iterdir()}
    own = {"plots", "altair", "sitecustomize", "usercustomize", "__main__"}
    return sorted(filter(str.isidentifier, {*sys.stdlib_module_names, *packages, *own}))


def test_no_code_of_the_current_directory_runs(tmp_path):
    """Fills the directory with decoys, as a folder of downloads could have them."""
    ran = tmp_path / "ran"
    for name in decoy_modules():
        (tmp_path / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write('{name}.py ')\n")
    for module in ("plots", "altair", "multiprocessing"):
        (tmp_path / module).mkdir()
        shutil.copy(tmp_path / f"{module}.py", tmp_path / module / "__init__.py")
    for program in ("dirname", "realpath", "nvcc", "python", "python3", "dpkg-query", "sha256sum"):
        (tmp_path / program).write_text(f"#!/bin/sh\necho {program} >> '{ran}'\nexit 1\n")
        (tmp_path / program).chmod(0o755)
    path = synthetic.write(tmp_path / "run.json", synthetic.document(synthetic.rows()[:4]))
    environment = {
        "PATH": f"{os.environ['PATH']}:.::",
        "CDPATH": ".:..",
        "PYTHONPATH": ".",
        "PYTHONOPTIMIZE": "2",  # altair needs its docstrings
        "PYTHONSTARTUP": "altair.py",
        "PYTHONHOME": str(tmp_path),
        "PYTHONWARNINGS": "error",
    }
    completed = subprocess.run(
        [ROOT / "scripts" / "report", path.name],
        cwd=tmp_path,
        env=os.environ | environment,
        capture_output=True,
        check=False,
    )
    assert not ran.exists(), ran.read_text()
    assert completed.returncode == 0, completed.stderr
    assert b"Traceback" not in completed.stderr
    assert (tmp_path / "report" / "figures" / "bandwidth.svg").exists()


@pytest.mark.parametrize(
    ("benchmarks", "reason"),
    [
        ([], "it has no benchmarks"),
        ([synthetic.failed_row("copy/pinned/h2d/1KiB")], "all of its benchmarks have failed"),
        (
            [synthetic.row("copy/pinned/h2d/1KiB", 1024, 1.0, run_type="aggregate")],
            "it has only aggregates",
        ),
        (
            [synthetic.row("copy/pinned/h2d/1KiB", 1024, 50.0) | {"median_ns": None}],
            "none of its benchmarks has a median_ns above zero",
        ),
    ],
)
def test_a_file_without_measurements_gives_one_line(tmp_path, capsys, benchmarks, reason):
    path = synthetic.write(tmp_path / "run.json", synthetic.document(benchmarks))
    assert_fails(capsys, [path], f"cannot use {path}: {reason}")
    assert files_below(tmp_path) == ["run.json"]


def test_the_fitted_lines_are_those_of_advise(tmp_path, capsys, quick_images, program):
    document = synthetic.document()
    path = synthetic.write(tmp_path / "run.json.gz", document)
    assert main([str(path), "--program", str(program)]) == 0
    page = (tmp_path / "report" / "report.html").read_text()
    assert "Time as t0 + n/B, as advise has fitted it" in page
    fits = (tmp_path / "report" / "tables" / "fits.csv").read_text().splitlines()
    assert fits[0] == (
        "strategy,t0_ns,t0_ns_low_95,t0_ns_high_95,"
        "gb_per_s,gb_per_s_low_95,gb_per_s_high_95,half_bandwidth_bytes,lines"
    )
    # The synthetic times are 1000 ns + 0.02 ns per byte.
    line = next(fit for fit in fits if fit.startswith("copy/pinned/h2d"))
    t0, t0_low, t0_high, rate, rate_low, rate_high, half, _ = map(float, line.split(",")[1:])
    assert t0 == pytest.approx(1000, rel=1e-3)
    assert rate == pytest.approx(50, rel=1e-3)
    assert half == pytest.approx(50000, rel=1e-2)
    assert t0_low <= t0 <= t0_high
    assert rate_low <= rate <= rate_high


def test_the_error_of_a_failing_program_is_shown_escaped(tmp_path, capsys, quick_images):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho 'bench_transfers: cannot <b>use</b> it' >&2\nexit 3\n")
    program.chmod(0o755)
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    assert main([str(path), "--program", str(program)]) == 0
    page = (tmp_path / "report" / "report.html").read_text()
    assert "no fitted lines: cannot <b>use</b> it" in json.dumps(page_data(page))
    assert "<b>use" not in page


@pytest.mark.parametrize(
    ("name", "terms"),
    [
        ("nvidia-h100/2026-11-21-transfers", ("transfer_ns", "total_ns")),
        ("nvidia-h200/2026-11-21-report", ("allocation_ns", "fill_ns", "transfer_ns", "total_ns")),
    ],
)
def test_advise_gets_every_row_and_field_that_it_reads(name, terms, tmp_path, program):
    recorded = ROOT / "results" / name / "result.json.gz"
    advice = ask(program, read_result(recorded), on_host=False)
    assert advice.missing == {}
    asked = [entry["question"] for entry in advice.rankings]
    assert {question["direction"] for question in asked} == {"h2d", "d2h"}
    assert {question["bytes"] for question in asked} >= set(BREAK_EVEN_SIZES)
    (ranking,) = [
        entry
        for entry in advice.rankings
        if [entry["question"][key] for key in ("bytes", "direction", "reuse")] == [2**20, "h2d", 1]
    ]
    question = ["--bytes=1MiB", "--direction=h2d", "--json", tmp_path / "full.json"]
    command = [program, "advise", "--from", recorded, *question]
    subprocess.run(command, check=True, capture_output=True)
    full = json.loads((tmp_path / "full.json").read_bytes())
    assert full["strategies"]
    assert predicted(ranking, terms) == predicted(full, terms)
    assert ranking["measured_terms"] == full["measured_terms"]


def predicted(ranking, terms):
    return {entry["name"]: [entry[term] for term in terms] for entry in ranking["strategies"]}


def test_an_interruption_gives_one_line_and_writes_nothing(tmp_path, capsys, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("plots.__main__.make_report", interrupted)
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    assert main([str(path)]) == 130
    assert capsys.readouterr().err == "report: interrupted; nothing was written\n"
    assert files_below(tmp_path) == ["run.json"]


def test_several_processes_draw_the_same_images_as_one(monkeypatch):
    specs = [
        (
            f"{i}",
            *(
                render.specification(FIGURES["bandwidth"](synthetic.run(rows), layout))
                for layout in (WIDE, PAPER)
            ),
        )
        for i, rows in enumerate((synthetic.rows(), synthetic.rows(("copy/pinned",))))
    ]
    monkeypatch.setattr("plots.page.render.FIGURES_PER_PROCESS", 1)
    several = render.all_images(specs)
    monkeypatch.setattr("plots.page.render.MOST_PROCESSES", 1)
    single = render.all_images(specs)
    assert [several[name] for name in single if name[-3:] != "pdf"] == [
        data
        for name, data in single.items()
        if name[-3:] != "pdf"  # a PDF contains its date
    ]
    assert sorted(several) == sorted(single)
    assert set(several) == {
        f"{i}{form}.{kind}"
        for i in range(2)
        for form, kinds in (
            ("", ("pdf", "png", "svg")),
            ("-column-1", ("pdf", "svg")),
            ("-column-2", ("pdf", "svg")),
        )
        for kind in kinds
    }


def test_libraries_that_cannot_be_kept_are_bundled_each_time(tmp_path, monkeypatch):
    calls = []
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(render, "in_processes", lambda *work: calls.append(work) or ["/* v */"])
    assert [render.scripts.__wrapped__() for _ in range(2)] == ["/* v */"] * 2
    assert len(calls) == 2


def test_only_the_figures_that_are_named_are_drawn(tmp_path, undrawn):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    assert main([str(path), "--figures=latency,samples"]) == 0
    figures = {
        Path(name).name.partition(".")[0] for name in files_below(tmp_path / "report/figures")
    }
    assert figures == {"latency", "samples"}
    page = (tmp_path / "report" / "report.html").read_text()
    assert re.findall('<figure id="([^"]*)">', page) == ["latency", "samples"]


def file_with(folder, changed, **transfers):
    """Writes a file of which one row is changed."""
    rows = synthetic.rows() + [synthetic.row("copy/pinned/h2d/2MiB", 2**21, 9.0) | changed]
    return synthetic.write(folder / "run.json", synthetic.document(rows, **transfers))


@pytest.mark.parametrize(
    "changed",
    [
        {"copy_ns": 1e308, "p99_ns": 1e308},
        {"copy_ns": 5e-324, "p5_ns": 5e-324},
        {"name": "copy/pinned/h2d/" + "9" * 5000 + "B"},
        {"name": "copy/\u202e/h2d/1MiB", "error_occurred": True},
    ],
)
def test_implausible_values_break_nothing(tmp_path, undrawn, changed):
    path = file_with(tmp_path, changed, machine={"cpu": {"name": ["a list"]}})
    assert main([str(path)]) == 0
    assert "Infinity" not in (tmp_path / "report" / "report.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("changed", "transfers"),
    [
        ({"median_ns": 10**400}, {}),
        ({"gb_per_s": 10**400}, {}),
        ({"name": "copy/\ud800/h2d/1MiB"}, {}),
        ({}, {"machine": {"cpu": {"\ud800": ["\udfff"]}}}),
    ],
)
def test_what_no_reader_takes_is_refused(tmp_path, capsys, changed, transfers):
    assert_fails(capsys, [file_with(tmp_path, changed, **transfers)], "not JSON, or cut short")


def test_an_unexpected_error_gives_one_line(tmp_path, capsys, monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("by\nnothing")

    monkeypatch.setattr("plots.__main__.make_report", broken)
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    assert_fails(capsys, [path], "ZeroDivisionError: by nothing")


def test_files_that_unpack_to_too_much_are_refused(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("plots.model.files.MOST_BYTES", 1 << 20)
    path = tmp_path / "run.json.gz"
    path.write_bytes(gzip.compress(b" " * (2 << 20)))
    assert_fails(capsys, [path], "more than 1 MiB: not a result file")
