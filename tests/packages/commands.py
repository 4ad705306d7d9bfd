"""Commands, and what the project says of itself."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from calls import call

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = frozenset({"bench_transfers", "fleet_transfers", "gate_transfers"})
# Few and short: what is tried is that it measures.
MEASURING = ("--device=host", "--strategies=copy/pinned", "--sizes=64KiB", "--profile=quick")


def run(*command: str | Path, cwd: Path | None = None) -> str:
    completed = call(command, cwd=cwd, expected=0)
    return completed.stdout


def make_debian(release: str, root: Path, *packages: str) -> None:
    """A Debian with these packages, or files of packages, and nothing that they do not need."""
    if os.geteuid() != 0 or not shutil.which("mmdebstrap"):
        pytest.skip("needs root and mmdebstrap")
    run(
        "mmdebstrap",
        "--mode=root",
        "--variant=apt",
        '--aptopt=APT::Install-Recommends "false"',
        *(f"--include={package}" for package in packages),
        "--hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount",  # shows it these files
        release,
        root,
    )


def inside(root: Path, *command: str) -> str:
    # /proc is there as long as the command runs. No variable of the environment is.
    mounting = ("unshare", "--mount", "--pid", "--fork", f"--mount-proc={root}/proc")
    clean = ("/usr/bin/env", "-i", "-C", "/tmp", "PATH=/usr/bin:/bin")
    return run(*mounting, "chroot", root, *clean, *command)


def version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text("utf-8")
    found = re.search(r"^project\(\S+ VERSION (\S+)", text, re.MULTILINE)
    assert found
    return found[1]
