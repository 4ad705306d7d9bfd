"""Reads values from untrusted JSON: a value of the wrong type or size counts as absent."""

from __future__ import annotations

import re
from typing import Any, TypeGuard

SMALLEST, LARGEST = 1e-18, 1e18  # other values come from damaged files, and break logarithms


def is_positive(value: Any) -> TypeGuard[float]:
    """Tells whether a value is a number above zero and of a plausible size."""
    return is_plain_number(value) and SMALLEST < value < LARGEST


def is_number(value: Any) -> TypeGuard[float]:
    """Tells whether a value is a number of a plausible size; it may be zero or negative."""
    return is_plain_number(value) and -LARGEST < value < LARGEST


def is_plain_number(value: Any) -> TypeGuard[float]:
    """Tells whether a value is a number, which true and false are not."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_whole(value: Any) -> TypeGuard[int]:
    """Tells whether a value is a whole number from zero on."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def whole_or_none(value: Any) -> int | None:
    """Returns a whole number; anything else counts as absent."""
    return value if is_whole(value) else None


def member(value: Any, key: str, kind: type) -> Any:
    """Returns a member of a JSON object if it exists and has the right type, otherwise None."""
    entry = value.get(key) if isinstance(value, dict) else None
    return entry if isinstance(entry, kind) else None


def mapping(value: Any, key: str) -> dict[str, Any]:
    """Returns a member of a JSON object that is an object itself, otherwise an empty one."""
    entry: dict[str, Any] | None = member(value, key, dict)
    return entry or {}


def text(holder: Any, key: str, default: str) -> str:
    """Returns a member as one printable line, or the default if it is empty or no text."""
    return printable(member(holder, key, str)) or default


def printable(value: Any) -> str:
    """Returns a text on one line without unprintable characters; empty if it is no text."""
    characters = value if isinstance(value, str) else ""
    if characters.isprintable():
        return " ".join(characters.split())
    return " ".join(_without_unprintable(characters).split())


def legible(value: Any) -> Any:
    """Returns a JSON value in whose texts and keys blanks stand for unprintable characters."""
    if isinstance(value, str):
        return value if value.isprintable() else _without_unprintable(value)
    if isinstance(value, list):
        return list(map(legible, value))
    if isinstance(value, dict):
        return {legible(key): legible(member) for key, member in value.items()}
    return value


def _without_unprintable(text: str) -> str:
    return "".join(c if c.isprintable() else " " for c in text)


def is_failed(row: dict[str, Any]) -> bool:
    """Tells whether the row has an error instead of times, as `gate_transfers` reads it."""
    flags = (row.get("error_occurred"), row.get("skipped"))
    messages = (row.get("error_message"), row.get("skip_message"))
    return any(flag is True for flag in flags) or any(messages)


def natural(name: str) -> list[tuple[int, str]]:
    """Returns a sort key that puts node2 before node10."""
    parts = re.split(r"([0-9]{1,18})", name)
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in parts]
