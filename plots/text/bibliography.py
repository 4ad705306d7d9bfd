"""Writes the sources of published figures for BibTeX and biblatex."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from plots.model.published import Published
from plots.text import latex


def format_bibliography(figures: Iterable[Published]) -> str:
    """Returns an entry for each source: title and address; authors and dates are not recorded."""
    titles = {figure.source: figure.title for figure in figures}
    return "\n".join(_format_entry(source, title) for source, title in titles.items())


def _format_entry(source: str, title: str) -> str:
    key = re.sub("[^A-Za-z0-9]+", "-", urlsplit(source).path).strip("-")
    return (
        f"@misc{{{key},\n"
        f"  key = {{{key}}},\n"  # BibTeX sorts by it where there is no author
        f"  title = {{{{{latex.escape(title)}}}}},\n"
        f"  howpublished = {{\\url{{{source}}}}},\n"
        "}\n"
    )
