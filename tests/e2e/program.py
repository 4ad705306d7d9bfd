"""Runs the program and reads what it leaves behind."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import termios
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

ALL_RAN, SOMETHING_FAILED, USAGE, NOTHING_RAN = 0, 1, 2, 3
PROGRAMS = ("bench_transfers:", "gate_transfers:")
LIMIT_S = 900  # only for what hangs: on a machine that is busy everything takes ten times as long
COLUMNS = 100
HOST = ("--device=host", "--benchmark_min_time=0.001")
TINY = (*HOST, "--strategies=copy/pageable", "--sizes=4KiB,64KiB", "--cache=warm")
TINY_NAMES = [f"copy/pageable/{way}/{size}" for way in ("h2d", "d2h") for size in ("4KiB", "64KiB")]


@dataclass(frozen=True)
class Done:
    """A run that has ended."""

    code: int
    out: str
    err: str

    @property
    def unfolded(self) -> str:
        """stderr, where long lines go over several."""
        return self.err.replace("\n  ", " ")

    @property
    def complaints(self) -> list[str]:
        return [line for line in self.unfolded.splitlines() if line.startswith(PROGRAMS)]


@dataclass(frozen=True)
class Program:
    path: Path

    def command(self, *arguments: str | Path) -> list[str]:
        return [str(self.path), *(str(argument) for argument in arguments)]

    def run(self, *arguments: str | Path, env: dict[str, str] | None = None, **how: Any) -> Done:
        """Runs the program with these arguments alone; `how` goes to subprocess."""
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        done = subprocess.run(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            env=environment(env),
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
            **(piped | how),
        )
        return Done(done.returncode, done.stdout or "", done.stderr or "")

    def measure(self, *arguments: str | Path, expected: int = ALL_RAN, **how: Any) -> Done:
        """A tiny run, of two repetitions, as far as the arguments do not say otherwise."""
        defaults = without((*TINY, "--benchmark_repetitions=2"), *arguments)
        done = self.run(*defaults, *arguments, **how)
        assert done.code == expected, done
        return done

    def start(self, *arguments: str | Path, **how: Any) -> subprocess.Popen[str]:
        piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            env=environment(),
            encoding="utf-8",
            **(piped | how),
        )


def without(defaults: Iterable[str], *arguments: str | Path) -> list[str]:
    """The defaults for flags that are not among the arguments."""
    given = {str(argument).partition("=")[0] for argument in arguments}
    return [one for one in defaults if one.partition("=")[0] not in given]


def environment(more: dict[str, str] | None = None) -> dict[str, str]:
    """Ours, without the variables that the program takes for flags."""
    ours = {key: value for key, value in os.environ.items() if not key.startswith("BENCHMARK_")}
    return ours | (more or {})


def assert_complains(done: Done, code: int, *parts: str) -> None:
    """One line on stderr that has the parts, and nothing else anywhere."""
    assert done.code == code, done
    assert done.out == ""
    assert done.unfolded.count("\n") == 1, done.err
    assert_one_complaint(done, *parts)


def assert_one_complaint(done: Done, *parts: str) -> None:
    """The last line on stderr, and no other, is a complaint that a person can read."""
    assert len(done.complaints) == 1, done.err
    (line,) = done.complaints
    assert done.unfolded.endswith(line + "\n")
    assert re.match(r"(bench|gate)_transfers: [\w'/-]", line), line
    for part in parts:
        assert part in line
    assert "terminate called" not in done.err


@dataclass(frozen=True)
class Result:
    """A result file, read as strictly as any reader might."""

    document: dict[str, Any]
    path: Path = field(default=Path())

    @property
    def context(self) -> dict[str, Any]:
        return self.document["context"]

    @property
    def transfers(self) -> dict[str, Any]:
        return self.context["transfers"]

    @property
    def rows(self) -> list[dict[str, Any]]:
        return self.document["benchmarks"]

    @property
    def measured(self) -> list[dict[str, Any]]:
        return [row for row in self.rows if not row.get("error_occurred")]

    @property
    def failed(self) -> dict[str, str]:
        return {row["name"]: row["error_message"] for row in self.rows if "error_message" in row}

    @property
    def skipped(self) -> dict[str, str]:
        return {one["name"]: one["reason"]["text"] for one in self.transfers["skipped"]}

    def by_name(self) -> dict[str, list[dict[str, Any]]]:
        groups: dict[str, list[dict[str, Any]]] = {}
        for row in self.rows:
            groups.setdefault(row["run_name"], []).append(row)
        return groups

    def names(self) -> set[str]:
        return set(self.by_name())


def parse(text: str, path: Path = Path()) -> Result:
    def refuse(constant: str) -> NoReturn:
        raise AssertionError(f"{constant} is not JSON")

    return Result(json.loads(text, parse_constant=refuse), path)


def read(path: Path) -> Result:
    return parse(path.read_text("utf-8"), path)


def wait_for(condition: Callable[[], Any], what: str) -> Any:
    """Waits until the condition is true, and returns what it returned."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        if found := condition():
            return found
        time.sleep(0.01)
    raise AssertionError(f"in vain: waited for {what}")


def open_terminal(columns: int) -> tuple[int, int]:
    """Both ends of a new terminal: what arrives at the first is what the second was given."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    return ours, theirs


def received_by(terminal: int) -> Iterator[bytes]:
    """Pieces as they come, until nobody is left at the other end."""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # that is how a terminal says so
            return
        yield piece


def listed(out: str) -> Iterator[tuple[str, str, str]]:
    """Name, summary, and the rest in one line, of every strategy that --list shows."""
    for entry in re.split(r"\n(?=\S)", out.removesuffix("\n")):
        first, *others = entry.splitlines()
        name, _, summary = first.partition(" ")  # none beside a long name
        texts = {35: summary.strip(), 37: ""}  # by the column where they begin
        for line in others:
            texts[len(line) - len(line.lstrip())] += " " + line.strip()
        assert texts.keys() == {35, 37}, entry
        yield name, texts[35].strip(), texts[37].strip()


def has_gpu() -> bool:
    if shutil.which("nvidia-smi") is None:
        return False
    return subprocess.run(["nvidia-smi"], capture_output=True, check=False).returncode == 0
