"""Writes the sources of published figures for BibTeX and biblatex."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from urllib.parse import urlsplit

from plots.model.published import Published
from plots.text import latex


def format_bibliography(figures: Iterable[Published]) -> str:
    """Returns an entry for each source: title and address; authors and dates are not recorded."""
    titles = {figure.source: figure.title for figure in figures}
    keys: Counter[str] = Counter()
    entries = []
    for source, title in titles.items():
        key = _words(source) or "source"
        keys[key] += 1
        number = f"-{keys[key]}" if keys[key] > 1 else ""
        entries.append(_format_entry(key + number, source, title))
    return "\n".join(entries)


def _words(source: str) -> str:
    """Returns what an address says, for a key."""
    address = urlsplit(source)
    return re.sub("[^A-Za-z0-9]+", "-", f"{address.path}-{address.query}").strip("-")


def _format_entry(key: str, source: str, title: str) -> str:
    return (
        f"@misc{{{key},\n"
        f"  key = {{{key}}},\n"  # BibTeX sorts by it where there is no author
        f"  title = {{{{{latex.escape(title)}}}}},\n"
        f"  howpublished = {{\\url{{{source}}}}},\n"
        "}\n"
    )
