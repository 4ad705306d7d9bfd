"""Holds what a topic of the method yields: sentences, and names of what a file lacks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from plots.model import values


@dataclass(frozen=True)
class Unknown:
    """Names what the file lacks."""

    name: str


Facts = Iterator[str | Unknown]


def known(value: Any, unknown: str, sentence: str) -> str | Unknown:
    """Returns a sentence with a text of the file, or what is not known if there is none."""
    text = values.printable(value)
    return sentence.format(text) if text else Unknown(unknown)
