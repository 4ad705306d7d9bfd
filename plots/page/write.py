"""Writes a report's folder completely or not at all."""

from __future__ import annotations

import json
import os
import re
import tempfile
from pathlib import Path

from plots.model.files import ResultError
from plots.model.trusted import link_of_others, take_over
from plots.model.values import printable

PAGE = "report.html"
# The kinds of files in a report's folder, for reports of older versions, which have no list.
OLDER_FILES = re.compile(r"(figures/[^/]+\.(svg|pdf|png)|tables/[^/]+\.(csv|md|tex))\Z")
LIST = re.compile(rb"<!-- files of this report: (\[.*\]) -->\n\Z")


def write_folder(out: Path, files: dict[str, bytes]) -> None:
    """Writes files (contents by path) to a folder, and replaces an older report there.

    The files are first written to a folder beside it, and the older report stays until they take
    its place, its owner and its modes. Throws ResultError if writing fails, or if the folder holds
    anything but a report.
    """
    out = _behind_links(out)
    _refuse_other_folders(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as scratch:
            new, old = Path(scratch) / "new", Path(scratch) / "old"
            for name, data in files.items():
                path = new / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data + _list(files) if name == PAGE else data)
            _take_over(new, out)
            try:
                if out.exists():
                    out.rename(old)
                new.rename(out)
            except BaseException:
                if old.exists() and not out.exists():
                    old.rename(out)
                raise
    except OSError as error:
        raise _unwritable(out, error.strerror or str(error)) from error


def check_folder(out: Path) -> None:
    """Throws ResultError if a report cannot be written there: before seconds of drawing."""
    out = _behind_links(out)
    try:
        _refuse_other_folders(out)
        nearest = next(folder for folder in out.parents if folder.exists())
    except OSError as error:
        raise _unwritable(out, error.strerror or str(error)) from error
    if not nearest.is_dir():
        raise _unwritable(out, f"{nearest} is not a folder")
    if not os.access(nearest, os.W_OK | os.X_OK):
        raise _unwritable(out, f"no permission to write to {nearest}")


def _behind_links(out: Path) -> Path:
    """Returns what a link leads to, which stays a link, unless it is somebody else's."""
    if link := link_of_others(out):
        raise _unwritable(out, f"{link} is a link of another user")
    return out.resolve()


def _take_over(new: Path, old: Path) -> None:
    """Gives the new report's folders and files the owner and the mode of the older one's."""
    for path in (new, *new.rglob("*")):
        before = old / path.relative_to(new)
        if before.exists():
            take_over(path, before)


def _unwritable(out: Path, reason: str) -> ResultError:
    return ResultError(f"{out}: cannot be written: {reason}")


def _refuse_other_folders(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise _unwritable(out, "it is not a folder")
    if not out.is_dir():
        return
    names = {path.relative_to(out).as_posix() for path in out.rglob("*") if not _is_folder(path)}
    strangers = names - _files_of_report(out / PAGE, names) if PAGE in names else names
    if strangers:
        raise ResultError(
            f"{out}: holds {printable(min(strangers))!r}, which is of no report: "
            "choose another folder (--out)"
        )


def _is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _files_of_report(page: Path, names: set[str]) -> set[str]:
    """Returns the files that belong to the report of a page."""
    found = LIST.search(page.read_bytes())
    if found is None:
        return {PAGE} | {name for name in names if OLDER_FILES.match(name)}
    listed = json.loads(found[1])
    return {PAGE, *(name for name in listed if isinstance(name, str))}


def _list(files: dict[str, bytes]) -> bytes:
    """Returns the end of the page: what a later report may replace."""
    return f"\n<!-- files of this report: {json.dumps(sorted(files))} -->\n".encode()
