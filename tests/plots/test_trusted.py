"""What is kept is believed only where nobody else could have written it, and with its hash."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from calls import call

from plots.model import trusted
from plots.model.files import ResultError
from plots.model.trusted import link_of_others, take_over, why_untrusted
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
    monkeypatch.setattr(render, "in_processes", lambda *work: calls.append(work) or ["made hère"])
    assert render.scripts.__wrapped__() == "made hère"
    assert render.scripts.__wrapped__() == "made hère"
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
    assert library.read_text("utf-8") == "made hère"
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
    assert render.scripts.__wrapped__() == "made hère"
    assert len(bundled) == 2
    assert render.scripts.__wrapped__() == "made hère"
    assert len(bundled) == 2, "and kept again"


def test_nothing_is_kept_where_others_can_write(tmp_path: Path, bundled: list[object]):
    (tmp_path / "cache").chmod(0o777)
    for _ in range(2):
        assert render.scripts.__wrapped__() == "made hère"
    assert len(bundled) == 3


@pytest.mark.parametrize("relative", ["", ".", "cache", "../cache"])
def test_a_relative_cache_is_ignored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, bundled: list[object], relative: str
):
    here = tmp_path / "here"
    here.mkdir()
    monkeypatch.chdir(here)
    monkeypatch.setenv("XDG_CACHE_HOME", relative)
    assert render.scripts.__wrapped__() == "made hère"
    assert (tmp_path / "home/.cache/bench_transfers").is_dir()
    monkeypatch.setenv("HOME", ".")
    assert render.scripts.__wrapped__() == "made hère"
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


ONE_MEMBER, ANOTHER_MEMBER, SHARED, ELSEWHERE = 2001, 2002, 3000, 4000


@AS_ROOT
def test_what_the_owner_of_the_program_made_is_trusted(file: Path, monkeypatch: pytest.MonkeyPatch):
    os.chown(file, ONE_MEMBER, -1)
    assert "belongs to user" in why_untrusted(file)
    script = file.with_name("script")
    script.touch()
    os.chown(script, ONE_MEMBER, -1)
    monkeypatch.setattr(trusted, "__file__", str(script))
    assert why_untrusted(file) == ""


def test_root_may_have_no_number(shared: Path):
    """As in a container of a user: what is root's is the overflow user's there."""
    inside = ["unshare", "-Ur"]
    if os.geteuid() == 0:
        inside = ["setpriv", f"--reuid={ONE_MEMBER}", "--clear-groups", *inside]
    if not shutil.which(inside[0]) or subprocess.run([*inside, "true"], check=False).returncode:
        pytest.skip("there are no user namespaces")
    code = (
        "import sys; from pathlib import Path; sys.path.insert(0, sys.argv[1]); "
        "from plots.model.trusted import why_untrusted as why; print(why(Path('/etc/passwd')))"
    )
    # What is tested is where the other user can read it.
    model = shared / "plots/model"
    shutil.copytree(Path(trusted.__file__).parent, model)
    (model.parent / "__init__.py").touch()
    answer = call([*inside, "python3", "-c", code, shared])
    assert (answer.returncode, answer.stdout) == (0, "\n"), answer.stderr


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder of a group, into which its members can write."""
    folder = Path(tempfile.mkdtemp())
    if os.geteuid() == 0:
        os.chown(folder, 0, SHARED)
    folder.chmod(0o2775)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def acting_as(user: int) -> Iterator[None]:
    """As a member of the group, whose new files the group may write to."""
    mask = os.umask(0o002)
    os.setegid(SHARED)
    os.seteuid(user)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)
        os.umask(mask)


@AS_ROOT
def test_each_member_of_a_group_may_replace_its_report(shared: Path):
    out = shared / "report"
    for user in (ONE_MEMBER, ANOTHER_MEMBER):
        with acting_as(user):
            check_folder(out)
            write_folder(out, {"report.html": b"page", "tables/a.csv": b"%d" % user})
        for path in (out, out / "tables", out / "tables/a.csv"):
            status = path.stat()
            mode = 0o2775 if path.is_dir() else 0o664
            assert (status.st_uid, status.st_gid) == (user, SHARED), path
            assert stat.S_IMODE(status.st_mode) == mode, path
    assert [path.name for path in shared.iterdir()] == ["report"]


@AS_ROOT
@pytest.mark.parametrize(
    ("owner", "group", "mode", "becomes"),
    [
        (ONE_MEMBER, SHARED, 0o664, 0o664),
        (ONE_MEMBER, ELSEWHERE, 0o646, 0o666),
        (ANOTHER_MEMBER, ELSEWHERE, 0o640, 0o600),
        (ANOTHER_MEMBER, ELSEWHERE, 0o440, 0o400),
        (ONE_MEMBER, SHARED, 0o644, None),
        (ONE_MEMBER, SHARED, 0o600, None),
    ],
)
def test_what_may_be_written_may_be_replaced(
    shared: Path, owner: int, group: int, mode: int, becomes: int | None
):
    old, new = shared / "old", shared / "new"
    old.write_text("old")
    os.chown(old, owner, group)
    old.chmod(mode)
    with acting_as(ANOTHER_MEMBER):
        new.write_text("new")
        if becomes is None:
            with pytest.raises(PermissionError):
                take_over(new, old)
            return
        take_over(new, old)
    status = new.stat()
    assert (status.st_uid, status.st_gid) == (ANOTHER_MEMBER, SHARED)
    assert stat.S_IMODE(status.st_mode) == becomes
