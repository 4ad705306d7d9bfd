"""Writes what a paper needs beside figures and tables: a caption for each picture."""

from __future__ import annotations

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from plots.figures.common import Alike, explain_alike
from plots.figures.layout import CUT
from plots.page.section import Caption, Drawn
from plots.text import caption, latex

# What Vega calls titles of panels and axes.
TITLE, AXIS_TITLE = "role-title-text", "role-axis-title"
TEXT = "{http://www.w3.org/2000/svg}text"


def format_captions(drawn: Drawn, images: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the caption of each picture of a figure as text and for LaTeX: contents by name.

    A picture for a column of a paper may have some of the panels only. Its caption says which, and
    explains what stands in it.
    """
    wide = drawn.captions["wide"]
    files = _format(drawn.name, wide.heading, _join(wide, "", wide.alike, {}))
    part = re.compile(rf"{re.escape(drawn.name)}-column(-\d+)?\.svg")
    for name in filter(part.fullmatch, images):
        drawing = ElementTree.fromstring(images[name])
        of_form = drawn.captions["paper"]
        # Panels without titles are told by what their axes show.
        shown = "; ".join(_texts(drawing, TITLE) or _texts(drawing, AXIS_TITLE))
        heading = ", ".join(filter(None, (of_form.heading, shown)))
        text = _of_column(of_form, _texts(drawing), shown)
        files |= _format(name.removesuffix(".svg"), heading, text)
    return files


def _format(name: str, short: str, text: str) -> dict[str, bytes]:
    tex = f"\\caption[{latex.escape(short)}]{{{latex.prose(text)}}}\n"
    return {f"{name}.caption.txt": f"{text}\n".encode(), f"{name}.caption.tex": tex.encode()}


def _of_column(of_form: Caption, texts: list[str], shown: str) -> str:
    """Returns the caption of a picture by the texts that stand in it."""
    words = dict.fromkeys(word for text in texts for word in text.split() if CUT in word)
    cut = {word: name for word in words if (name := _whole(word, of_form.strategies))}
    whole = [" ".join(cut.get(word, word) for word in text.split(" ")) for text in texts]
    alike = [
        group
        for group in of_form.alike
        if any(text.startswith(group.label) for text in whole)
        and (not group.panel or group.panel in texts)
    ]
    return _join(of_form, shown, alike, cut)


def _whole(cut: str, names: list[str]) -> str:
    """Returns the name that is shortened so, or nothing if it could be several."""
    start, _, end = cut.partition(CUT)
    fitting = [name for name in names if name.startswith(start) and name.endswith(end)]
    return fitting[0] if len(fitting) == 1 else ""


def _join(of_form: Caption, shown: str, alike: list[Alike], cut: Mapping[str, str]) -> str:
    """Joins what titles and subtitles say in other forms, and how to read the picture."""
    names = [f"{short} is {name}" for short, name in cut.items()]
    sentences = [
        f"{of_form.title}.",
        f"Shown: {shown}." if shown else "",
        of_form.reading,
        explain_alike(alike),
        f"Shortened: {caption.listed(names)}." if names else "",
        f"Measured: {'; '.join(of_form.details)}.",
    ]
    return " ".join(filter(None, sentences))


def _texts(drawing: ElementTree.Element, role: str = "") -> list[str]:
    """Returns the texts of a drawing, each once, or of that which has a role."""
    parts = [part for part in drawing.iter() if role in part.get("class", "").split()]
    texts = (text.text for part in (parts if role else [drawing]) for text in part.iter(TEXT))
    return list(dict.fromkeys(filter(None, texts)))
