"""Calls of programs, whose outputs are texts."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def call(
    command: Sequence[str | Path], *, expected: int | None = None, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Runs a command, keeps what it prints, and compares its exit code with the expected one.

    `options` go to subprocess.
    """
    piped: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    completed = subprocess.run(command, encoding="utf-8", check=False, **(piped | options))
    assert expected in (None, completed.returncode), completed
    return completed
