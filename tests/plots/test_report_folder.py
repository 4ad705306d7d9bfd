"""Tests where a report goes: the whole of it, in place of an older one, or nothing."""

import shutil
from pathlib import Path

import pytest
import synthetic
from reporting import assert_fails, files_below

from plots.__main__ import main
from plots.model.files import ResultError
from plots.page.write import check_folder, write_folder


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
