"""Reads files, plain or compressed with gzip, and their JSON; each refusal is one line."""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import Any

from plots.model import gunzip, strict_json

MOST_BYTES = 128 << 20  # as src/common/read_error.hpp


class ResultError(Exception):
    """A result file that cannot be used; the message is one line for a person."""


def read_text(path: Path) -> bytes:
    """Reads a file, plain or compressed with gzip."""
    return unpacked(path, read_bytes(path))


def read_bytes(path: Path) -> bytes:
    """Reads a file as it is."""
    if _is_named_pipe(path):
        raise ResultError(f"{path}: cannot be read: it is a named pipe, not a file")
    try:
        with path.open("rb") as source:
            return _require_small(path, source.read(MOST_BYTES + 1))
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror or error}") from error


def unpacked(path: Path, data: bytes) -> bytes:
    """Returns the bytes without gzip; `path` is only named."""
    try:
        text = gunzip.unpacked(data, MOST_BYTES) if gunzip.is_packed(data) else data
    except zlib.error as error:
        raise ResultError(f"{path}: damaged gzip file: {error}") from error
    return _require_small(path, text)


def _require_small(path: Path, data: bytes) -> bytes:
    if len(data) > MOST_BYTES:
        raise ResultError(f"{path}: more than {MOST_BYTES >> 20} MiB: not a result file")
    return data


def _is_named_pipe(path: Path) -> bool:
    """Tells whether opening the path would wait for a writer.

    A pipe that the shell makes is excepted: it has a writer, and no path.
    """
    try:
        return path.is_fifo() and path.resolve(strict=True).is_fifo()
    except OSError:
        return False


def parse_document(path: Path, data: bytes) -> Any:
    """Parses a text as JSON; throws ResultError."""
    try:
        return strict_json.parse(data)
    except strict_json.RepeatedKeyError as error:
        raise ResultError(f"cannot use {path}: {error}") from error
    except ValueError as error:
        raise ResultError(f"{path}: not JSON, or cut short: {error}") from error
