"""Tests the command line: it writes the whole report or nothing."""

import gzip
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import synthetic

from plots.__main__ import main
from plots.figures import FIGURES
from plots.figures.layout import WIDE
from plots.model.load import ResultError, read_result
from plots.model.programs import ask
from plots.page import render
from plots.page.write import write_folder

ROOT = Path(__file__).resolve().parents[2]
HANGS_S = 300  # longer than anything takes, even on a busy machine


@pytest.fixture
def quick_images(monkeypatch, undrawn):
    """Replaces the slow drawing in tests of the writing of its output."""
    monkeypatch.setattr("plots.page.report.FIGURES", {"latency": FIGURES["latency"]})


def files_below(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def assert_fails(capsys, arguments, expected):
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("report: ")
    assert captured.err.count("\n") == 1
    assert expected in captured.err


def test_runs_as_a_module(tmp_path):
    path = synthetic.write(tmp_path / "run.json.gz", synthetic.document())
    completed = subprocess.run(
        [sys.executable, "-m", "plots", path, "--program", tmp_path / "none"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    message = f"report: {tmp_path / 'none'} is not built: no fitted lines, no advice\n"
    assert (completed.returncode, completed.stderr) == (0, message)
    out = tmp_path / "report"
    assert completed.stdout == f"{out / 'report.html'}\n"
    figures = ("bandwidth", "compared", "ladder", "latency", "samples")
    assert files_below(out) == sorted(
        ["report.html"]
        + [
            f"figures/{name}{layout}.{kind}"
            for name in figures
            for layout in ("", "-column")
            for kind in ("pdf", "png", "svg")
        ]
        + [
            f"tables/{name}.{kind}"
            for name in ("benchmarks", "transfers")
            for kind in ("csv", "md", "tex")
        ]
    )
    starts = {"pdf": b"%PDF", "png": b"\x89PNG", "svg": b"<svg"}
    for path in (out / "figures").iterdir():
        assert path.read_bytes().startswith(starts[path.suffix[1:]])
        assert path.suffix != ".svg" or b"<desc>" in path.read_bytes()
    assert files_below(tmp_path)[-1] == "run.json.gz"  # no other file remains


def test_no_code_of_the_current_directory_runs(tmp_path):
    """Puts decoys of modules into the directory, as a folder of downloads could have them."""
    for module in ("altair", "random", "multiprocessing", "plots/__init__"):
        decoy = tmp_path / f"{module}.py"
        decoy.parent.mkdir(exist_ok=True)
        decoy.write_text(f"open({str(tmp_path / 'ran')!r}, 'a').write('{module}')\n")
    path = synthetic.write(tmp_path / "run.json", synthetic.document(synthetic.rows()[:4]))
    completed = subprocess.run(
        [ROOT / "scripts" / "report", path.name], cwd=tmp_path, capture_output=True, check=False
    )
    assert completed.returncode == 0, completed.stderr
    assert not (tmp_path / "ran").exists()
    assert (tmp_path / "report" / "figures" / "bandwidth.svg").exists()


def test_an_older_report_is_replaced_as_a_whole(tmp_path, capsys, quick_images):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    out = tmp_path / "a" / "b"
    assert main([str(path), "--out", str(out)]) == 0
    (out / "figures" / "of-a-former-run.png").write_bytes(b"old")
    assert main([str(path), "--out", str(out)]) == 0
    assert "figures/of-a-former-run.png" not in files_below(out)
    assert [path.name for path in out.parent.iterdir()] == ["b"]
    assert not (tmp_path / "report").exists()


def test_a_folder_that_is_no_report_is_left_alone(tmp_path, capsys, quick_images):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    assert_fails(capsys, [path, "--out", tmp_path], "holds 'run.json', which is of no report")
    assert files_below(tmp_path) == ["run.json"]
    (tmp_path / "empty").mkdir()
    assert main([str(path), "--out", str(tmp_path / "empty")]) == 0


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"{", "not JSON"),
        (b"{}", "not a result file"),
        (gzip.compress(b'{"context": 1}', mtime=0), "not a result file"),
        (None, "cannot be read"),
    ],
)
def test_bad_input_gives_one_line_and_writes_nothing(tmp_path, capsys, content, expected):
    valid = synthetic.write(tmp_path / "good.json", synthetic.document())
    path = tmp_path / "run.json"
    if content is not None:
        path.write_bytes(content)
    out = tmp_path / "out"
    for arguments in ([path], [valid, path], [path, valid]):
        assert_fails(capsys, [*arguments, "--out", out], expected)
        assert not out.exists()


@pytest.mark.parametrize("benchmarks", [[], [synthetic.failed_row("copy/pinned/h2d/1KiB")]])
def test_a_file_without_measurements_gives_one_line(tmp_path, capsys, benchmarks):
    path = synthetic.write(tmp_path / "run.json", synthetic.document(benchmarks))
    assert_fails(capsys, [path], "nothing was measured")
    assert files_below(tmp_path) == ["run.json"]


def test_a_folder_that_cannot_be_written_gives_one_line(tmp_path, capsys, quick_images):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    file = tmp_path / "taken"
    file.write_text("a file")
    assert_fails(capsys, [path, "--out", file], "cannot be written")
    assert_fails(capsys, [path, "--out", file / "below"], "cannot be written")
    assert file.read_text() == "a file"


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
    assert fits[0] == "strategy,t0_ns,gb_per_s,half_bandwidth_bytes,lines"
    # The synthetic times are 1000 ns + 0.02 ns per byte.
    line = next(fit for fit in fits if fit.startswith("copy/pinned/h2d"))
    _, t0, rate, half, _ = line.split(",")
    assert float(t0) == pytest.approx(1000, rel=1e-3)
    assert float(rate) == pytest.approx(50, rel=1e-3)
    assert float(half) == pytest.approx(50000, rel=1e-2)


def test_the_error_of_a_failing_program_is_shown_escaped(tmp_path, capsys, quick_images):
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\necho 'bench_transfers: cannot <b>use</b> it' >&2\nexit 3\n")
    program.chmod(0o755)
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    assert main([str(path), "--program", str(program)]) == 0
    page = (tmp_path / "report" / "report.html").read_text()
    assert "no fitted lines: cannot \\u003cb>use\\u003c/b> it" in page
    assert "<b>use" not in page


def test_advise_gets_every_field_that_it_reads(tmp_path, pytestconfig):
    program = pytestconfig.getoption("binary")
    recorded = ROOT / "results" / "nvidia-h200" / "2026-11-21-report" / "result.json.gz"
    advice = ask(program, read_result(recorded), on_host=False)
    command = [program, "advise", "--from", recorded, "--map", tmp_path / "map.json"]
    subprocess.run(command, check=True, capture_output=True)
    full_map = json.loads((tmp_path / "map.json").read_bytes())
    assert {**advice.map, "from": None} == {**full_map, "from": None}
    assert advice.missing == {}
    assert len(advice.rankings) == 8


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
        (f"{i}", render.specification(FIGURES["latency"](synthetic.run(rows), WIDE)))
        for i, rows in enumerate((synthetic.rows(), synthetic.rows(("copy/pinned",))))
    ]
    several = render.all_images(specs)
    monkeypatch.setattr("plots.page.render.MOST_PROCESSES", 1)
    single = render.all_images(specs)
    assert [several[name] for name in single if name[-3:] != "pdf"] == [
        data
        for name, data in single.items()
        if name[-3:] != "pdf"  # a PDF contains its date
    ]
    assert sorted(several) == sorted(single)
    assert sorted(several) == ["0.pdf", "0.png", "0.svg", "1.pdf", "1.png", "1.svg"]


def test_the_same_run_twice_is_an_error(tmp_path, capsys, undrawn):
    first = synthetic.write(tmp_path / "a.json", synthetic.document())
    again = synthetic.write(tmp_path / "b.json.gz", synthetic.document())
    assert_fails(capsys, [first, again], "b.json.gz: the same run as")


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
    assert (out / "report.html").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["report"]


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    write_folder(tmp_path / "link", {"report.html": b"new"})
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "report.html").read_bytes() == b"new"


@pytest.mark.parametrize(
    "changed",
    [
        {"median_ns": 10**400},
        {"median_ns": 1e308},
        {"median_ns": 5e-324},
        {"gb_per_s": 10**400},
        {"name": "copy/pinned/h2d/" + "9" * 5000 + "B"},
        {"name": "copy/\ud800/h2d/1MiB"},
        {"name": "copy/\u202e/h2d/1MiB", "error_occurred": True},
    ],
)
def test_implausible_values_break_nothing(tmp_path, undrawn, changed):
    rows = synthetic.rows() + [synthetic.row("copy/pinned/h2d/2MiB", 2**21, 9.0) | changed]
    document = synthetic.document(rows, machine={"cpu": {"\ud800": ["\udfff"]}})
    path = synthetic.write(tmp_path / "run.json", document)
    assert main([str(path)]) == 0
    assert "Infinity" not in (tmp_path / "report" / "report.html").read_text("utf-8")


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


@pytest.mark.parametrize("ready", [False, True])
def test_drawing_processes_end_with_their_killed_parent(tmp_path, ready):
    """Kills the parent while its workers start, and after they have started."""
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    killed = subprocess.Popen(
        [sys.executable, "-m", "plots", path, "--program", tmp_path / "none"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )

    def drawing():
        """Returns two or more drawing processes, each with a descriptor that shows its end."""
        workers = [
            pid
            for pid in list_children(killed.pid)
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
            and (not ready or ignores_interruptions(pid))
        ]
        return {pid: os.pidfd_open(pid) for pid in workers} if len(workers) > 1 else None

    while (ends := drawing()) is None:
        assert killed.poll() is None, "drawn before it could be looked at"
        time.sleep(0.02)
    killed.kill()
    killed.wait()
    for pid, end in ends.items():
        ended, *_ = select.select([end], [], [], HANGS_S)
        os.close(end)
        if not ended:
            os.kill(pid, signal.SIGKILL)
        assert ended
