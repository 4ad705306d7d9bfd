"""Tests the command line: it writes the whole report or nothing."""

import gzip
import io
import json
import os
import re
import resource
import select
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from urllib.parse import unquote

import altair as alt
import made_up_fleet
import pytest
import synthetic
from packed import page_data

from plots.__main__ import main
from plots.figures import FIGURES
from plots.figures.layout import PAPER, WIDE
from plots.model.load import ResultError, read_result
from plots.model.programs import BREAK_EVEN_SIZES, ask
from plots.page import render
from plots.page.write import check_folder, write_folder

ROOT = Path(__file__).resolve().parents[2]
HANGS_S = 300  # longer than anything takes, even on a busy machine


@pytest.fixture
def quick_images(monkeypatch, undrawn):
    """Replaces the slow drawing in tests of the writing of its output."""
    monkeypatch.setattr("plots.page.run.FIGURES", {"latency": FIGURES["latency"]})


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def assert_fails(capsys, arguments, expected):
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("report: ")
    assert captured.err.count("\n") == 1
    assert expected in captured.err


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
    completed = subprocess.run(
        [sys.executable, "-m", "plots", path, "--program", tmp_path / "none"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
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


# What nobody can read


def start(path, **options):
    """Starts a report of a small run, which takes little time."""
    return subprocess.Popen(
        [sys.executable, "-m", "plots", path, "--program", path.parent / "none"],
        cwd=ROOT,
        encoding="utf-8",
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options,
    )


@pytest.fixture
def small(tmp_path):
    return synthetic.write(tmp_path / "run.json", synthetic.document(synthetic.rows()[:4]))


@pytest.fixture
def undrawable(tmp_path):
    """Writes an answer about a fleet without figures: a whole report, at a third of the cost."""
    answer = made_up_fleet.judgement()
    del answer["scores"]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(answer), "utf-8")
    return path


@pytest.mark.parametrize("reader", ["gone", "full"])
def test_an_answer_that_cannot_be_printed_gives_one_line(undrawable, reader):
    if reader == "full":
        out = Path("/dev/full").open("w")  # noqa: SIM115
    else:
        ours, theirs = os.pipe()
        os.close(ours)
        out = os.fdopen(theirs, "w")
    with out, start(undrawable, stdout=out) as process:
        _, err = process.communicate(timeout=HANGS_S)
    assert process.returncode == 2, err
    reason = {"gone": "Broken pipe", "full": "No space left on device"}[reader]
    *_, last = err.splitlines()
    assert last == f"report: the report is written, but not where it is: {reason}"
    assert "Traceback" not in err
    assert "Exception" not in err
    assert (undrawable.parent / "report" / "report.html").exists()


def test_complaints_that_cannot_be_printed_still_have_their_exit_code(tmp_path):
    with (
        Path("/dev/full").open("w") as full,
        start(tmp_path / "missing.json", stderr=full) as process,
    ):
        assert process.wait(HANGS_S) == 2


# Too little memory


def test_an_address_space_too_small_to_draw_gives_one_line(small):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))

    with start(small, preexec_fn=limit) as process:
        out, err = process.communicate(timeout=HANGS_S)
    if process.returncode == 0:
        pytest.skip("it is enough here")
    assert (process.returncode, out) == (2, "")
    assert all(line.startswith("report: ") for line in err.splitlines()), err
    assert "memory is short" in err
    assert files_below(small.parent) == ["run.json"]


def test_a_drawing_process_that_is_ended_gives_one_line():
    with pytest.raises(ResultError, match="a process that draws has ended early"):
        render.in_processes(1, signal.raise_signal, [(signal.SIGKILL,)])


# Where the report goes


def untimely(*_):
    raise AssertionError("drawn before it was known where to")


def test_the_folder_is_looked_at_before_anything_is_drawn(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("plots.__main__.make_report", untimely)
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    file = tmp_path / "taken"
    file.write_text("a file")
    for out, expected in {
        file: "cannot be written: it is not a folder",
        file / "below": "cannot be written: ",
        file / "far" / "below": "cannot be written: ",
        tmp_path: "which is of no report",
        tmp_path / ("x" * 300): "File name too long",
    }.items():
        assert_fails(capsys, [path, "--out", out], expected)


def test_a_folder_without_permission_is_refused_before_anything_is_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr("os.access", lambda *_: False)
    with pytest.raises(ResultError, match="no permission to write to"):
        check_folder(tmp_path / "out")


@pytest.mark.parametrize("own", ["figures/mine.png", "tables/mine.csv", "figures/a/b.svg", "mine"])
def test_files_of_ones_own_in_a_report_are_left_alone(tmp_path, own):
    out = tmp_path / "report"
    files = {"report.html": b"old", "figures/a.png": b"old", "tables/a.csv": b"old"}
    write_folder(out, files)
    (out / own).parent.mkdir(exist_ok=True)
    (out / own).write_bytes(b"my own")
    with pytest.raises(ResultError, match=f"holds '{own}', which is of no report"):
        write_folder(out, {"report.html": b"new"})
    assert (out / own).read_bytes() == b"my own"
    (out / own).unlink()
    write_folder(out, {"report.html": b"new"})
    assert files_below(out) == ["report.html"]


def test_a_report_of_an_older_version_is_replaced(tmp_path):
    """Its page does not list its files."""
    for name in ("report.html", "figures/a.svg", "figures/a-column.pdf", "tables/a.tex"):
        (tmp_path / "report" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "report" / name).write_bytes(b"old")
    (tmp_path / "report" / "figures" / "notes.txt").write_bytes(b"my own")
    with pytest.raises(ResultError, match=r"holds 'figures/notes\.txt'"):
        write_folder(tmp_path / "report", {"report.html": b"new"})
    (tmp_path / "report" / "figures" / "notes.txt").unlink()
    write_folder(tmp_path / "report", {"report.html": b"new"})
    assert files_below(tmp_path) == ["report/report.html"]


def test_an_older_report_is_replaced_as_a_whole(tmp_path, capsys, quick_images):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    out = tmp_path / "a" / "b"
    assert main([str(path), "--out", str(out)]) == 0
    former = {"report.html": b"old", "figures/of-a-former-run.png": b"old"}
    shutil.rmtree(out)
    write_folder(out, former)
    assert main([str(path), "--out", str(out)]) == 0
    assert "figures/of-a-former-run.png" not in files_below(out)
    assert [path.name for path in out.parent.iterdir()] == ["b"]
    assert not (tmp_path / "report").exists()


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


def test_nothing_is_left_behind_when_writing_fails(tmp_path, capsys, monkeypatch, quick_images):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    out = tmp_path / "out"
    assert main([str(path), "--out", str(out)]) == 0
    capsys.readouterr()
    before = {name: (out / name).read_bytes() for name in files_below(out)}
    write_bytes = Path.write_bytes

    def full_after_some(target, data):
        if target.name.startswith("latency"):
            raise OSError(28, "No space left on device")
        return write_bytes(target, data)

    monkeypatch.setattr(Path, "write_bytes", full_after_some)
    assert_fails(capsys, [path, "--out", out], "cannot be written: No space left on device")
    assert {name: (out / name).read_bytes() for name in files_below(out)} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "run.json"]


def test_the_fitted_lines_are_those_of_advise(tmp_path, capsys, quick_images, pytestconfig):
    program = pytestconfig.getoption("binary")
    if not program.is_file():
        pytest.skip("bench_transfers is not built")
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
def test_advise_gets_every_row_and_field_that_it_reads(name, terms, tmp_path, pytestconfig):
    program = pytestconfig.getoption("binary")
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


def test_the_libraries_are_bundled_once(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(render, "in_processes", lambda *work: calls.append(work) or ["/* ü */"])
    bundled = [render.scripts.__wrapped__() for _ in range(2)]
    assert (bundled, len(calls)) == (["/* ü */"] * 2, 1)
    kept, beside = sorted((tmp_path / "cache" / "bench_transfers").iterdir())  # and nothing else
    assert beside.name == f"{kept.name}.sha256"
    assert kept.read_text("utf-8") == "/* ü */"


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


def test_a_folder_with_a_report_and_more_is_left_alone(tmp_path, capsys, undrawn):
    """Uses the folder of a recorded run, which has the report beside the result."""
    path = synthetic.write(tmp_path / "result.json", synthetic.document())
    (tmp_path / "report.html").write_text("old")
    assert_fails(capsys, [path, "--out", tmp_path], "holds 'result.json'")
    assert files_below(tmp_path) == ["report.html", "result.json"]


@pytest.mark.parametrize("failure", [OSError(28, "No space left"), KeyboardInterrupt()])
def test_the_older_report_stays_when_the_new_one_cannot_take_its_place(
    tmp_path, monkeypatch, failure
):
    out = tmp_path / "report"
    write_folder(out, {"report.html": b"old"})
    rename = Path.rename

    def failing(path, target):
        if path.name == "new":
            raise failure
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", failing)
    with pytest.raises((ResultError, KeyboardInterrupt)):
        write_folder(out, {"report.html": b"new"})
    assert (out / "report.html").read_bytes().startswith(b"old")
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_folder(tmp_path / "link", {"report.html": b"new"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "report.html").read_bytes().startswith(b"new")


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
    monkeypatch.setattr("plots.model.load.MOST_BYTES", 1 << 20)
    path = tmp_path / "run.json.gz"
    path.write_bytes(gzip.compress(b" " * (2 << 20)))
    assert_fails(capsys, [path], "more than 1 MiB: not a result file")


def list_children(pid):
    lists = (file.read_text().split() for file in Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(child) for children in lists for child in children]


def ignores_interruptions(pid):
    """Tells whether the process ignores SIGINT, as drawing processes do once they are ready."""
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn"))
    return bool(int(ignored, 16) >> (signal.SIGINT - 1) & 1)


DRIVER = """
import pathlib, sys, time
sys.path.insert(0, ROOT)
from plots.page.render import in_processes
while __name__ == "__mp_main__" and not pathlib.Path(START).exists():
    time.sleep(0.01)
def draw():
    open(NEVER).read()
if __name__ == "__main__":
    in_processes(2, draw, [(), ()])
"""


@pytest.mark.parametrize("ready", [False, True])
def test_drawing_processes_end_with_their_killed_parent(tmp_path, ready):
    """Kills the parent while its workers start, and after they have started.

    They start when there is a file, and then draw without end: whoever looks is not too late.
    """
    may_start, never = tmp_path / "start", tmp_path / "never"
    os.mkfifo(never)
    if ready:
        may_start.touch()
    constants = {"ROOT": ROOT, "START": may_start, "NEVER": never}
    names = "".join(f"{name} = {str(path)!r}\n" for name, path in constants.items())
    (tmp_path / "driver.py").write_text(names + DRIVER)
    killed = subprocess.Popen([sys.executable, tmp_path / "driver.py"])

    def drawing():
        """Returns both drawing processes, each with a descriptor that shows its end."""
        workers = [
            pid
            for pid in list_children(killed.pid)
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
            and ignores_interruptions(pid) is ready
        ]
        return {pid: os.pidfd_open(pid) for pid in workers} if len(workers) > 1 else None

    while (ends := drawing()) is None:
        assert killed.poll() is None
        time.sleep(0.02)
    killed.kill()
    killed.wait()
    may_start.touch()
    for pid, end in ends.items():
        ended, *_ = select.select([end], [], [], HANGS_S)
        os.close(end)
        if not ended:
            os.kill(pid, signal.SIGKILL)
        assert ended


# Ctrl-C and `kill`


def runs_python(pid):
    return b"plots" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")


def has_handlers(pid):
    """Tells whether SIGTERM is caught: by the first line of plots."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def imports(pid):
    """Tells whether the process has loaded the library that draws, one of its last modules."""
    return b"vl_convert" in Path(f"/proc/{pid}/maps").read_bytes()


def workers_of(pid):
    return [
        child
        for child in list_children(pid)
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def starts_to_draw(pid):
    return bool(workers_of(pid))


def worker_imports(pid):
    return any(map(imports, workers_of(pid)))


def draws(pid):
    return any(map(ignores_interruptions, workers_of(pid)))


@pytest.mark.parametrize("group", [True, False])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "moment",
    [runs_python, has_handlers, imports, starts_to_draw, worker_imports, draws],
)
def test_an_interruption_gives_one_line_at_most(small, moment, sent, group):
    """Interrupts the report; with its group, as a terminal does, or alone.

    Not before Python: bash goes on where a program that it waits for just ends well, and a trap,
    which would tell, breaks the parser of bash 5.2 within a command substitution.
    """
    with subprocess.Popen(
        [ROOT / "scripts" / "report", small],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    ) as process:
        while not moment_is_there(moment, process.pid):
            assert process.poll() is None
        (os.killpg if group else os.kill)(process.pid, sent)
        out, err = process.communicate(timeout=HANGS_S)
    assert process.returncode in (128 + sent, -sent), err  # a shell shows both as 128 + sent
    assert (out, err) in (("", ""), ("", "report: interrupted; nothing was written\n"))
    assert files_below(small.parent) == ["run.json"]


def moment_is_there(moment, pid):
    try:
        return moment(pid)
    except (FileNotFoundError, ProcessLookupError):  # a process has just ended
        return False


def test_an_interruption_that_a_finalizer_loses_comes_again():
    code = """
import signal
from plots import interruption
class Final:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)
interruption.raise_once()
Final()
signal.pause()
"""
    completed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=HANGS_S, check=False
    )
    assert (completed.returncode, completed.stderr) == (128 + signal.SIGTERM, b"")


def test_ignored_interruptions_stay_ignored(undrawable):
    ignore = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    with start(undrawable, preexec_fn=ignore) as process:
        while not moment_is_there(has_handlers, process.pid):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANGS_S)
    assert process.returncode == 0, err
