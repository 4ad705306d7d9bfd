"""Runs the program and reads its outputs."""

from __future__ import annotations

import atexit
import fcntl
import functools
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import tempfile
import termios
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
ALL_RAN, SOMETHING_FAILED, USAGE, NOTHING_RAN = 0, 1, 2, 3
PROGRAMS = ("bench_transfers:", "gate_transfers:", "fleet_transfers:")
LIMIT_S = 900  # only for hangs: on a busy machine everything takes ten times as long
COLUMNS = 100
HOST = ("--device=host", "--benchmark_min_time=0.001")
TINY = (*HOST, "--strategies=copy/pageable", "--sizes=4KiB,64KiB", "--cache=warm")
TINY_NAMES = [
    f"copy/pageable/{direction}/{size}"
    for direction in ("h2d", "d2h")
    for size in ("4KiB", "64KiB")
]


@functools.cache
def nowhere() -> str:
    """A folder for what nobody looks at: a run without --out keeps a result file."""
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@dataclass(frozen=True)
class Completed:
    """A run that has ended."""

    code: int
    out: str
    err: str

    @property
    def unfolded(self) -> str:
        """stderr, with folded lines joined."""
        return self.err.replace("\n  ", " ")

    @property
    def complaints(self) -> list[str]:
        return [line for line in self.unfolded.splitlines() if line.startswith(PROGRAMS)]


@dataclass(frozen=True)
class Program:
    path: Path

    def command(self, *arguments: str | Path) -> list[str]:
        return [str(self.path), *(str(argument) for argument in arguments)]

    def run(
        self,
        *arguments: str | Path,
        expected: int | None = None,
        env: dict[str, str] | None = None,
        **options: Any,
    ) -> Completed:
        """Runs the program with these arguments alone; it must end with the code that is expected.

        `options` go to subprocess.
        """
        piped: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        ended = subprocess.run(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            env=environment(env),
            encoding="utf-8",
            timeout=LIMIT_S,
            check=False,
            **({"cwd": nowhere()} | piped | options),
        )
        completed = Completed(ended.returncode, ended.stdout or "", ended.stderr or "")
        assert expected in (None, completed.code), completed
        return completed

    def measure(self, *arguments: str | Path, expected: int = ALL_RAN, **options: Any) -> Completed:
        """A tiny run of two repetitions, unless the arguments say otherwise."""
        return self.run(*tiny(*arguments), expected=expected, **options)

    def run_and_read(
        self, *arguments: str | Path, expected: int | None = ALL_RAN, **options: Any
    ) -> Result:
        """The result file of a run with these arguments alone."""
        out = Path(tempfile.mkdtemp(dir=nowhere()), "result.json")
        completed = self.run(*arguments, f"--out={out}", expected=expected, **options)
        return replace(read(out), completed=completed)

    def measure_and_read(self, *arguments: str | Path, **options: Any) -> Result:
        """The result file of a tiny run, as measure() makes it."""
        return self.run_and_read(*tiny(*arguments), **options)

    @contextmanager
    def running(self, *arguments: str | Path, **options: Any) -> Iterator[subprocess.Popen[str]]:
        """A process that is ended with the block, whatever happens."""
        with self.start(*arguments, **options) as process:
            try:
                yield process
            finally:
                process.kill()

    def start(self, *arguments: str | Path, **options: Any) -> subprocess.Popen[str]:
        piped: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen(
            self.command(*arguments),
            stdin=subprocess.DEVNULL,
            env=environment(),
            encoding="utf-8",
            **({"cwd": nowhere()} | piped | options),
        )


def as_undisturbed(file: Path) -> Path:
    """Takes out of a result file what has disturbed its run: the machine may be busy."""
    document = json.loads(file.read_text("utf-8"))
    for row in document["benchmarks"]:
        row.pop("disturbed", None)
    file.write_text(json.dumps(document), "utf-8")
    return file


def without(defaults: Iterable[str], *arguments: str | Path) -> list[str]:
    """The defaults for flags that are not among the arguments."""
    names = {str(argument).partition("=")[0] for argument in arguments}
    return [option for option in defaults if option.partition("=")[0] not in names]


def tiny(*arguments: str | Path) -> list[str | Path]:
    """The arguments of a tiny run of two repetitions, unless they say otherwise."""
    return [*without((*TINY, "--benchmark_repetitions=2"), *arguments), *arguments]


def environment(more: dict[str, str] | None = None) -> dict[str, str]:
    """The environment of the tests, without variables that the program reads as flags."""
    ours = {key: value for key, value in os.environ.items() if not key.startswith("BENCHMARK_")}
    return ours | {"TRANSFERS_SITE_FILE": ""} | (more or {})


def assert_complains(completed: Completed, code: int, *parts: str) -> None:
    """The only output is one line on stderr that contains the parts."""
    assert completed.code == code, completed
    assert completed.out == ""
    assert completed.err.count("\n") == 1, completed.err
    assert_one_complaint(completed, *parts)


def assert_one_complaint(completed: Completed, *parts: str) -> None:
    """The last line on stderr is the only complaint, and readable."""
    assert len(completed.complaints) == 1, completed.err
    (line,) = completed.complaints
    assert completed.unfolded.endswith(line + "\n")
    assert re.match(r"(bench|gate|fleet)_transfers: [\w'/-]", line), line
    for part in parts:
        assert part in line
    assert "terminate called" not in completed.err


@dataclass(frozen=True)
class Result:
    """A result file, read as strictly as any reader might."""

    document: dict[str, Any]
    path: Path = field(default=Path())
    completed: Completed = Completed(ALL_RAN, "", "")

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
        return {skipped["name"]: skipped["reason"]["text"] for skipped in self.transfers["skipped"]}

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


def rows_in(path: Path) -> int:
    return len(read(path).rows) if path.exists() else 0


def wait_for(condition: Callable[[], Any], description: str) -> Any:
    """Waits until the condition is true, and returns its value."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.01)
    raise AssertionError(f"in vain: waited for {description}")


def wait_for_rows(path: Path, count: int) -> None:
    wait_for(lambda: rows_in(path) >= count, f"{count} rows in {path}")


def open_terminal(columns: int) -> tuple[int, int]:
    """Both ends of a new terminal. Writes to the second arrive at the first."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    return ours, theirs


def received_by(terminal: int) -> Iterator[bytes]:
    """Pieces as they arrive, until the other end is closed."""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # the terminal's other end is closed
            return
        yield piece


def listed(out: str) -> Iterator[tuple[str, str, str]]:
    """Name, summary, and variants with support of each strategy that --list shows."""
    for entry in re.split(r"\n(?=\S)", out.removesuffix("\n")):
        first, *lines = entry.splitlines()
        name, _, summary = first.partition(" ")  # a long name has none beside it
        texts = {35: summary.strip(), 37: ""}  # by their first column
        for line in lines:
            texts[len(line) - len(line.lstrip())] += " " + line.strip()
        assert texts.keys() == {35, 37}, entry
        yield name, texts[35].strip(), texts[37].strip()


def has_gpu() -> bool:
    if shutil.which("nvidia-smi") is None:
        return False
    return subprocess.run(["nvidia-smi"], capture_output=True, check=False).returncode == 0
