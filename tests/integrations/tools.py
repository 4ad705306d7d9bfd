"""Programs of others, which scripts/test --integrations installs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from calls import call

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / ".cache/integrations/bin"


def run_tool(
    name: str,
    *arguments: str | Path,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
    text: str = "",
    expected: int | None = None,
) -> subprocess.CompletedProcess[str]:
    """Skips the test where there is no such program. `text` is what it reads from stdin."""
    path = f"{FOLDER}:{os.environ['PATH']}"
    program = shutil.which(name, path=path)
    if program is None:
        pytest.skip(f"no {name} (scripts/test --integrations installs it)")
    return call(
        [program, *arguments],
        cwd=cwd,
        env={**os.environ, "PATH": path, **(env or {})},
        input=text,
        timeout=300,
        expected=expected,
    )
