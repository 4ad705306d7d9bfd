"""Writes a report's folder completely or not at all."""

from __future__ import annotations

import tempfile
from pathlib import Path

from plots.model.load import ResultError

PAGE = "report.html"
PARTS = {PAGE, "figures", "tables"}  # everything in a report's folder


def write_folder(out: Path, files: dict[str, bytes]) -> None:
    """Writes files (contents by path) to a folder, and replaces an older report there.

    The files are first written to a folder beside it, and the older report stays until they take
    its place. Throws ResultError if writing fails, or if the folder holds anything but a report.
    """
    out = out.resolve()  # a link to a folder stays a link
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
