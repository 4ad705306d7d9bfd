"""Reads result files."""

from __future__ import annotations

import gzip
import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FORMAT = 1  # the newest "format" of a result file that this package reads
GZIP_MAGIC = b"\x1f\x8b"
MOST_BYTES = 128 << 20  # as src/input/read_text.hpp


class ResultError(Exception):
    """A result file that cannot be used; the message is one line for a person."""


@dataclass(frozen=True)
class Result:
    """One result file: its context, and one row per repetition of a benchmark."""

    path: Path
    context: dict[str, Any]
    rows: list[dict[str, Any]]
    data: bytes = b""  # the whole file, not compressed

    @property
    def transfers(self) -> dict[str, Any]:
        """The part of the context that describes the run."""
        transfers: dict[str, Any] = self.context["transfers"]
        return transfers


def read_result(path: str | Path) -> Result:
    """Reads a result file, plain or compressed with gzip."""
    path = Path(path)
    data = _read(path)
    document = _parse(path, data)
    context = _member(document, "context", dict)
    transfers = _member(context, "transfers", dict)
    rows = _member(document, "benchmarks", list)
    if transfers is None:
        raise ResultError(f"{path}: not a result file: it has no context.transfers")
    _check_format(path, transfers.get("format"))
    _check_truth(path, transfers, "complete")
    if rows is None or not all(isinstance(row, dict) for row in rows):
        raise ResultError(f"{path}: not a result file: it has no list of benchmarks")
    repetitions = [row for row in rows if row.get("run_type") == "iteration"]
    for row in repetitions:
        _check_truth(path, row, "error_occurred")
    return Result(path, context, repetitions, data)


def _read(path: Path) -> bytes:
    if _is_named_pipe(path):
        raise ResultError(f"{path}: cannot be read: it is a named pipe, not a file")
    try:
        with path.open("rb") as plain:
            packed = plain.peek(2).startswith(GZIP_MAGIC)
            with gzip.open(plain) if packed else plain as source:
                data = source.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ResultError(f"{path}: more than {MOST_BYTES >> 20} MiB: not a result file")
        return data
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ResultError(f"{path}: damaged gzip file: {error}") from error
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror or error}") from error


def _is_named_pipe(path: Path) -> bool:
    """To open it waits for whoever writes; a pipe of the shell has a writer, and no path."""
    try:
        return path.is_fifo() and path.resolve(strict=True).is_fifo()
    except OSError:
        return False


def _parse(path: Path, data: bytes) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{path}: not JSON, or cut short: {error}") from error


def _member(value: Any, key: str, kind: type) -> Any:
    """A member of a JSON object if it is there and of the right kind, else None."""
    member = value.get(key) if isinstance(value, dict) else None
    return member if isinstance(member, kind) else None


def _check_format(path: Path, number: Any) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise ResultError(f"{path}: not a result file: context.transfers.format is {number!r}")
    if number > FORMAT:
        raise ResultError(
            f"{path}: result format {number} is newer than the newest known here, {FORMAT}"
        )


def _check_truth(path: Path, where: dict[str, Any], key: str) -> None:
    if not isinstance(where.get(key), bool | None):
        raise ResultError(f"{path}: not a result file: {key} is neither true nor false")
