"""Runs the programs of this project that write their answers to files."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plots.model import strict_json, values
from plots.model.files import ResultError

REFUSES = 2  # the exit code where a file cannot be used
SECONDS = 600  # only for hangs: on a busy machine everything takes ten times as long


class Refused(ResultError):
    """A program has refused a file; the message is its own."""


def absence(program: Path) -> str:
    """Says what helps where a program is missing: a wheel names one that it has not found."""
    if program.parent == Path():
        return f"{program} is not on the PATH"
    return f"{program} is not built (cmake --preset programs && cmake --build build)"


@dataclass(frozen=True)
class Answer:
    """Holds the file that a program wrote, and the program's exit code."""

    code: int
    document: Any
    data: bytes


def ask(program: Path, arguments: Sequence[str | Path], codes: Collection[int]) -> Answer:
    """Runs a program with a file's name behind the arguments, and parses the file that it writes.

    Throws ResultError, with one line, if there is no answer or the exit code is another.
    """
    with tempfile.TemporaryDirectory(prefix="plots-") as folder:
        out = Path(folder) / "answer.json"
        try:
            completed = subprocess.run(
                [str(program), *map(str, arguments), str(out)],
                capture_output=True,
                text=True,
                errors="replace",
                timeout=SECONDS,
                check=False,
            )
            code = completed.returncode
            if code not in codes or (code != 0 and not out.exists()):
                complaint = re.sub(r"^\w+_transfers: ", "", values.printable(completed.stderr))
                kind = Refused if code == REFUSES else ResultError
                raise kind(complaint or f"{program.name} ended with {code}, saying nothing")
            data = out.read_bytes()
            return Answer(code, strict_json.parse(data), data)
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            reason = values.printable(str(error)).replace(str(out), "its answer")
            raise ResultError(f"{program.name} cannot be asked: {reason}") from error
