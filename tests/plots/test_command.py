"""The command line."""

import subprocess
import sys
from pathlib import Path

import pytest
import synthetic

from plots.__main__ import main

NAMES = ["bandwidth.png", "bandwidth.svg", "latency.png", "latency.svg"]


@pytest.fixture
def quick_images(monkeypatch):
    """Replaces the slow drawing where only the writing of its output is tested."""
    monkeypatch.setattr("plots.__main__._render", lambda name, chart: {f"{name}.png": b"image"})


def assert_fails(capsys, arguments, expected):
    assert main([str(argument) for argument in arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("plots: ")
    assert captured.err.count("\n") == 1
    assert expected in captured.err


def test_runs_as_a_module(tmp_path):
    path = synthetic.write(tmp_path / "run.json.gz", synthetic.document())
    done = subprocess.run(
        [sys.executable, "-m", "plots", path],
        cwd=Path(__file__).resolve().parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    figures = tmp_path / "figures"
    assert done.stdout.splitlines() == [str(figures / name) for name in NAMES]
    assert sorted(found.name for found in figures.iterdir()) == NAMES
    assert (figures / "latency.png").read_bytes().startswith(b"\x89PNG")
    assert (figures / "latency.svg").read_text("utf-8").startswith("<svg")


def test_writes_to_the_folder_asked_for_and_replaces_old_figures(tmp_path, capsys):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    out = tmp_path / "a" / "b"
    out.mkdir(parents=True)
    (out / "bandwidth.svg").write_text("old")
    assert main([str(path), "--out", str(out)]) == 0
    assert capsys.readouterr().out.splitlines() == [str(out / name) for name in NAMES]
    assert sorted(found.name for found in out.iterdir()) == NAMES
    assert (out / "bandwidth.svg").read_text("utf-8") != "old"
    assert not (tmp_path / "figures").exists()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"{", "not JSON"),
        (b"{}", "not a result file"),
        (None, "cannot be read"),
    ],
)
def test_bad_input_gives_one_line_and_writes_nothing(tmp_path, capsys, content, expected):
    path = tmp_path / "run.json"
    if content is not None:
        path.write_bytes(content)
    out = tmp_path / "out"
    assert_fails(capsys, [path, "--out", out], expected)
    assert not out.exists()


def test_a_file_without_transfers_gives_one_line_and_writes_nothing(tmp_path, capsys):
    path = synthetic.write(tmp_path / "run.json", synthetic.document([]))
    assert_fails(capsys, [path], "no transfers to plot")
    assert not (tmp_path / "figures").exists()


def test_a_folder_that_cannot_be_written_gives_one_line(tmp_path, capsys, quick_images):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    taken = tmp_path / "taken"
    taken.write_text("a file")
    assert_fails(capsys, [path, "--out", taken], "cannot be written")
    assert_fails(capsys, [path, "--out", taken / "below"], "cannot be written")
    assert taken.read_text() == "a file"


def test_nothing_is_left_behind_when_writing_fails(tmp_path, capsys, monkeypatch, quick_images):
    path = synthetic.write(tmp_path / "run.json", synthetic.document())
    write_bytes = Path.write_bytes

    def full_after_two(target, data):
        if target.name.startswith("latency"):
            raise OSError(28, "No space left on device")
        return write_bytes(target, data)

    monkeypatch.setattr(Path, "write_bytes", full_after_two)
    out = tmp_path / "out"
    assert_fails(capsys, [path, "--out", out], "cannot be written: No space left on device")
    assert list(out.iterdir()) == []
