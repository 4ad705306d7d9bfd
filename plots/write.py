"""Writes a whole folder or nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

from plots.load import ResultError

PAGE = "report.html"  # what tells a report from somebody's other folder


def write_folder(out: Path, files: dict[str, bytes]) -> None:
    """Writes files (contents by path) to a folder, in place of an older report there.

    They are written beside it first. Throws ResultError when that fails, or when the folder holds
    something else.
    """
    _refuse_others(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as scratch:
            made = Path(scratch) / "new"
            for name, data in files.items():
                path = made / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            if out.exists():
                out.rename(Path(scratch) / "old")
            made.rename(out)
    except OSError as error:
        raise ResultError(f"{out}: cannot be written: {error.strerror or error}") from error


def _refuse_others(out: Path) -> None:
    if out.is_dir() and any(out.iterdir()) and not (out / PAGE).is_file():
        raise ResultError(f"{out}: exists and is no report: choose another folder (--out)")
    if out.exists() and not out.is_dir():
        raise ResultError(f"{out}: cannot be written: it is not a folder")
