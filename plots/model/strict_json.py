"""Parses JSON as the programs do (src/result_file/json_text.cpp): no more than RFC 8259 has."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from plots.model.values import printable

MOST_DEPTH = 512  # as src/result_file/reader.cpp has it
LEAST_INTEGER, MOST_INTEGER = -(2**63), 2**64 - 1
MOST_DIGITS = 20  # of integers; Python takes time with the square of their number
SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


class RepeatedKeyError(ValueError):
    """A key is twice in an object; the message is a part of a line for a person."""


def parse(data: bytes) -> Any:
    """Returns the document in UTF-8. Raises ValueError, with one line, if it is none."""
    try:
        document = json.loads(
            data.decode("utf-8"),
            parse_int=_integer,
            parse_float=_float,
            parse_constant=_refuse_constant,
            object_pairs_hook=_unique,
        )
    except RecursionError:
        raise ValueError("nested too deeply") from None
    _require_shallow(document)
    if SURROGATE.search(data):
        _require_whole_characters(document)
    return document


def _refuse_constant(name: str) -> None:
    """JSON has neither NaN nor Infinity, which Python would read."""
    raise ValueError(f"{name} is no number")


def _unique(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """If a key were there twice, readers could differ in which of its values counts."""
    unique = dict(members)
    if len(unique) < len(members):
        counts = Counter(key for key, _ in members)
        repeated = counts.most_common(1)[0][0]
        raise RepeatedKeyError(f"it has {printable(repeated)[:100]} twice")
    return unique


def _integer(digits: str) -> int:
    if len(digits) <= MOST_DIGITS and LEAST_INTEGER <= int(digits) <= MOST_INTEGER:
        return int(digits)
    raise ValueError("a number is too large")


def _float(digits: str) -> float:
    number = float(digits)
    if number in (float("inf"), float("-inf")):
        raise ValueError("a number is too large")
    return number


def _require_shallow(document: Any) -> None:
    level = [document] if isinstance(document, dict | list) else []
    for _ in range(MOST_DEPTH):
        level = [
            child
            for parent in level
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if isinstance(child, dict | list)
        ]
        if not level:
            return
    raise ValueError("nested too deeply")


def _require_whole_characters(document: Any) -> None:
    """Raises where a text has half of a character, for example "\\ud800"."""
    try:
        json.dumps(document, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a text has half of a character") from None
