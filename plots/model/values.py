"""Values from files of others: taken only where they are what they should be."""

from __future__ import annotations

from typing import Any, TypeGuard

LEAST, MOST = 1e-18, 1e18  # beyond these are damaged files, and logarithms that fail


def is_positive(value: Any) -> TypeGuard[float]:
    """Whether a value is a number above zero, of a size that can be meant."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and LEAST < value < MOST


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value is a number of a size that can be meant; zero and negative ones are."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and -MOST < value < MOST


def is_whole(value: Any) -> TypeGuard[int]:
    """Whether a value is a whole number from zero on."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def member(value: Any, key: str, kind: type) -> Any:
    """A member of a JSON object if it is there and of the right kind, else None."""
    entry = value.get(key) if isinstance(value, dict) else None
    return entry if isinstance(entry, kind) else None


def mapping(value: Any, key: str) -> dict[str, Any]:
    """A member of a JSON object that is an object itself, otherwise an empty one."""
    entry: dict[str, Any] | None = member(value, key, dict)
    return entry or {}


def text(holder: Any, key: str, default: str) -> str:
    """A string on one line, without characters that cannot be drawn."""
    return printable(member(holder, key, str)) or default


def printable(value: Any) -> str:
    """A string on one line, without characters that cannot be drawn; empty if it is none."""
    characters = value if isinstance(value, str) else ""
    if characters.isprintable():
        return " ".join(characters.split())
    return " ".join("".join(c if c.isprintable() else " " for c in characters).split())
