"""Commands, and what the project says of itself."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = frozenset({"bench_transfers", "fleet_transfers", "gate_transfers"})
# Few and short: what is tried is that it measures.
MEASURING = ("--device=host", "--strategies=copy/pinned", "--sizes=64KiB", "--profile=quick")


def run(*command: str | Path, cwd: Path | None = None) -> str:
    completed = subprocess.run(command, cwd=cwd, capture_output=True, encoding="utf-8", check=False)
    assert completed.returncode == 0, completed
    return completed.stdout


def version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text("utf-8")
    found = re.search(r"^project\(\S+ VERSION (\S+)", text, re.MULTILINE)
    assert found
    return found[1]
