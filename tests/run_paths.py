"""Where binaries look for their libraries: an empty or relative entry is the current directory."""

from __future__ import annotations

import re
import struct
import subprocess
from pathlib import Path

LOADED = (2, 3)  # ET_EXEC, ET_DYN; an object file is loaded by nobody
ENTRIES = re.compile(r"\((?:RPATH|RUNPATH)\)\s+Library (?:rpath|runpath): \[(.*)\]")


def binaries(folder: Path) -> list[Path]:
    """The programs and shared libraries below a folder, each once."""
    return sorted(
        path
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and _is_loaded(path)
    )


def _is_loaded(path: Path) -> bool:
    with path.open("rb") as file:
        head = file.read(18)
    return head.startswith(b"\x7fELF") and struct.unpack_from("<H", head, 16)[0] in LOADED


def entries_of(binary: Path) -> list[str]:
    told = subprocess.run(
        ["readelf", "--dynamic", "--wide", binary],
        env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"},
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        check=True,
    ).stdout
    return [entry for entries in ENTRIES.findall(told) for entry in entries.split(":")]


def is_fixed(entry: str) -> bool:
    """Whether the entry is the same folder wherever the program is started."""
    return re.match(r"/|(\$ORIGIN|\$\{ORIGIN\})(/|\Z)", entry) is not None


def open_entries(folder: Path) -> dict[str, list[str]]:
    """By binary, the entries that depend on the current directory. Fails where nothing was read."""
    found = binaries(folder)
    assert found, f"no binary in {folder}"
    loose = {
        str(path): [entry for entry in entries_of(path) if not is_fixed(entry)] for path in found
    }
    return {path: entries for path, entries in loose.items() if entries}
