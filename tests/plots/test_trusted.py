"""What is kept is believed only where nobody else could have written it, and with its hash."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from plots.model.load import ResultError
from plots.model.trusted import link_of_others, why_untrusted
from plots.page import render
from plots.page.write import check_folder, write_folder

SOMEBODY_ELSE = 65534
# The group of another user may be that user's own.
OPEN = (0o020, 0o002) if os.geteuid() == 0 else (0o002,)
AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "folder/below/file"
    path.parent.mkdir(parents=True)
    path.write_text("text")
    for folder in (path.parent, path.parent.parent):
        folder.chmod(0o755)
    path.chmod(0o644)
    return path


def test_a_path_is_trusted_that_others_can_neither_change_nor_exchange(file: Path):
    assert why_untrusted(file) == ""
    assert why_untrusted(file.parent / "../below/file") == ""
    for path in (file, file.parent, file.parent.parent):
        before = stat.S_IMODE(path.stat().st_mode)
        for writable in OPEN:
            path.chmod(before | writable)
            assert why_untrusted(file).startswith(f"others may write to {path} (mode ")
        path.chmod(before)
    with pytest.raises(FileNotFoundError):
        why_untrusted(file.with_name("none"))


def test_in_a_sticky_folder_it_is_its_owners(file: Path):
    file.parent.chmod(0o1777)
    assert why_untrusted(file) == ""
    file.chmod(0o666)
    assert why_untrusted(file).startswith("others may write to ")


def test_links_lead_to_what_counts(file: Path, tmp_path: Path):
    for name, target in (("a", file), ("b", Path("folder/below/file")), ("c", Path("folder"))):
        link = tmp_path / name
        link.symlink_to(target)
        path = link / "below/file" if name == "c" else link
        assert why_untrusted(path) == ""
        file.parent.parent.chmod(0o777)
        assert why_untrusted(path).startswith(f"others may write to {tmp_path}/folder ")
        file.parent.parent.chmod(0o755)
    (tmp_path / "circle").symlink_to("circle")
    with pytest.raises(OSError, match="too many links"):
        why_untrusted(tmp_path / "circle")


@AS_ROOT
def test_it_belongs_to_root_or_the_caller(file: Path, tmp_path: Path):
    link = tmp_path / "link"
    link.symlink_to(file)
    for path in (file, file.parent, link):
        os.chown(path, SOMEBODY_ELSE, -1, follow_symlinks=False)
        assert why_untrusted(link).startswith(f"{path} belongs to user {SOMEBODY_ELSE},")
        os.chown(path, 0, -1, follow_symlinks=False)
    assert link_of_others(link) is None
    os.chown(link, SOMEBODY_ELSE, -1, follow_symlinks=False)
    assert link_of_others(link / "none") == link


def test_the_users_own_group_may_write(file: Path, monkeypatch: pytest.MonkeyPatch):
    status = list(file.stat())
    status[stat.ST_MODE] = stat.S_IFREG | 0o664
    status[stat.ST_UID] = status[stat.ST_GID] = SOMEBODY_ELSE
    monkeypatch.setattr(os, "geteuid", lambda: SOMEBODY_ELSE)
    monkeypatch.setattr(Path, "lstat", lambda _: os.stat_result(status))
    assert why_untrusted(file) == ""
    status[stat.ST_MODE] |= 0o002
    assert why_untrusted(file).startswith("others may write to ")


@pytest.fixture
def bundled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The calls that bundle the libraries, which are kept below tmp_path."""
    calls: list[object] = []
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(render, "in_processes", lambda *work: calls.append(work) or ["made here"])
    assert render.scripts.__wrapped__() == "made here"
    assert render.scripts.__wrapped__() == "made here"
    assert len(calls) == 1
    return calls


def kept(tmp_path: Path) -> tuple[Path, Path]:
    hashed, library = sorted(
        (tmp_path / "cache/bench_transfers").iterdir(), key=lambda p: p.suffix
    )[::-1]
    assert hashed.name == f"{library.name}.sha256"
    return library, hashed


def test_what_is_kept_is_nobody_elses(tmp_path: Path, bundled: list[object]):
    library, hashed = kept(tmp_path)
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (library.parent, library, hashed)]
    assert modes == [0o700, 0o600, 0o600]


SPOILT = {
    "changed": lambda library, hashed: library.write_text("somebody's"),
    "another hash": lambda library, hashed: hashed.write_text("0" * 64),
    "no hash": lambda library, hashed: hashed.unlink(),
    "others may write": lambda library, hashed: library.chmod(0o666),
    "others may write the hash": lambda library, hashed: hashed.chmod(0o666),
}


@pytest.mark.parametrize(
    "spoil",
    [
        *SPOILT.values(),
        pytest.param(lambda library, _: os.chown(library, SOMEBODY_ELSE, -1), marks=AS_ROOT),
    ],
    ids=[*SPOILT, "given away"],
)
def test_what_somebody_could_have_changed_is_made_anew(
    tmp_path: Path, bundled: list[object], spoil
):
    spoil(*kept(tmp_path))
    assert render.scripts.__wrapped__() == "made here"
    assert len(bundled) == 2
    assert render.scripts.__wrapped__() == "made here"
    assert len(bundled) == 2, "and kept again"


def test_nothing_is_kept_where_others_can_write(tmp_path: Path, bundled: list[object]):
    (tmp_path / "cache").chmod(0o777)
    for _ in range(2):
        assert render.scripts.__wrapped__() == "made here"
    assert len(bundled) == 3


@pytest.mark.parametrize("relative", ["", ".", "cache", "../cache"])
def test_a_relative_cache_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundled: list[object], relative: str
):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("XDG_CACHE_HOME", relative)
    assert render.scripts.__wrapped__() == "made here"
    assert (tmp_path / "home/.cache/bench_transfers").is_dir()
    monkeypatch.setenv("HOME", ".")
    assert render.scripts.__wrapped__() == "made here"
    assert list(here.iterdir()) == []


def test_a_report_takes_over_the_modes_of_the_older_one(tmp_path: Path):
    out = tmp_path / "report"
    files = {"report.html": b"page", "tables/a.csv": b"1"}
    write_folder(out, files)
    modes = {"": 0o750, "report.html": 0o640, "tables": 0o700, "tables/a.csv": 0o600}
    for name, mode in modes.items():
        (out / name).chmod(mode)
    write_folder(out, {**files, "tables/b.csv": b"2"})
    assert {name: stat.S_IMODE((out / name).stat().st_mode) for name in modes} == modes


@AS_ROOT
def test_a_report_takes_over_the_owner_of_the_older_one(tmp_path: Path):
    out = tmp_path / "report"
    write_folder(out, {"report.html": b"page"})
    for path in (out, out / "report.html"):
        os.chown(path, SOMEBODY_ELSE, SOMEBODY_ELSE)
    write_folder(out, {"report.html": b"new"})
    assert [(p.stat().st_uid, p.stat().st_gid) for p in (out, out / "report.html")] == [
        (SOMEBODY_ELSE, SOMEBODY_ELSE)
    ] * 2


@AS_ROOT
def test_no_report_goes_through_somebody_elses_link(tmp_path: Path):
    (tmp_path / "real").mkdir()
    link = tmp_path / "link"
    link.symlink_to("real")
    write_folder(link, {"report.html": b"page"})
    assert (tmp_path / "real/report.html").read_bytes().startswith(b"page")
    os.chown(link, SOMEBODY_ELSE, SOMEBODY_ELSE, follow_symlinks=False)
    for out in (link, link / "report"):
        with pytest.raises(ResultError, match="is a link of another user"):
            check_folder(out)
        with pytest.raises(ResultError, match="is a link of another user"):
            write_folder(out, {"report.html": b"page"})
