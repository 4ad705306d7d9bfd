"""Writes a whole folder or nothing."""

from __future__ import annotations

import tempfile
from pathlib import Path

from plots.model.load import ResultError

PAGE = "report.html"
PARTS = {PAGE, "figures", "tables"}  # all that a report's folder holds


def write_folder(out: Path, files: dict[str, bytes]) -> None:
    """Writes files (contents by path) to a folder, in place of an older report there.

    They are written beside it first, and the older report stays until they are in its place. Throws
    ResultError when that fails, or when the folder holds something else.
    """
    out = out.resolve()  # a link stays one
    _refuse_other_folders(out)
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=out.parent, prefix=f".{out.name}-") as scratch:
            new, old = Path(scratch) / "new", Path(scratch) / "old"
            for name, data in files.items():
                path = new / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
            try:
                if out.exists():
                    out.rename(old)
                new.rename(out)
            except BaseException:
                if old.exists() and not out.exists():
                    old.rename(out)
                raise
    except OSError as error:
        raise ResultError(f"{out}: cannot be written: {error.strerror or error}") from error


def _refuse_other_folders(out: Path) -> None:
    if out.exists() and not out.is_dir():
        raise ResultError(f"{out}: cannot be written: it is not a folder")
    if not out.is_dir():
        return
    names = {path.name for path in out.iterdir()}
    if names and (PAGE not in names or not names <= PARTS):
        stranger = min(names - PARTS, default="figures")
        raise ResultError(
            f"{out}: holds {stranger!r}, which is of no report: choose another folder (--out)"
        )
