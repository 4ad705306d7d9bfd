"""Writes what a paper needs beside figures and tables: captions."""

from __future__ import annotations

from plots.page.section import Drawn
from plots.text import latex


def format_captions(drawn: Drawn) -> dict[str, bytes]:
    """Returns the caption of a figure as text and for LaTeX: contents by file name."""
    text = caption(drawn)
    short = latex.escape(drawn.figure.heading)
    return {
        f"{drawn.name}.caption.txt": f"{text}\n".encode(),
        f"{drawn.name}.caption.tex": f"\\caption[{short}]{{{latex.escape(text)}}}\n".encode(),
    }


def caption(drawn: Drawn) -> str:
    """Returns what title and subtitle say in other forms, and how to read the figure."""
    title = drawn.paper["title"]
    heading, details = ("".join(title["text"]), title.get("subtitle", []))
    return f"{heading}. {drawn.figure.reading} Measured: {'; '.join(filter(None, details))}."
