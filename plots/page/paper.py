"""Writes what a paper needs beside figures and tables: a caption for each picture."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping

from plots.figures.common import Alike, explain_alike
from plots.figures.layout import CUT
from plots.page.section import Caption, Drawn
from plots.text import caption, latex

TITLE = re.compile(r'class="mark-text role-title-text".*?<text[^>]*>([^<]*)</text>')
AXIS_TITLE = re.compile(r'class="mark-text role-axis-title".*?<text[^>]*>([^<]*)</text>')
TEXT = re.compile(r"<text[^>]*>([^<]*)</text>")
CUT_NAME = re.compile(rf"(\S+){CUT}(\S*)")


def format_captions(drawn: Drawn, images: Mapping[str, bytes]) -> dict[str, bytes]:
    """Returns the caption of each picture of a figure as text and for LaTeX: contents by name.

    A picture for a column of a paper may have some of the panels only. Its caption says which, and
    explains what stands in it.
    """
    wide = drawn.captions["wide"]
    files = _format(drawn.name, wide.heading, _join(wide, "", wide.alike, {}))
    part = re.compile(rf"{re.escape(drawn.name)}-column(-\d+)?\.svg")
    for name in filter(part.fullmatch, images):
        drawing = images[name].decode()
        of_form = drawn.captions["paper"]
        shown = "; ".join(_panels(drawing))
        heading = ", ".join(filter(None, (of_form.heading, shown)))
        files |= _format(name.removesuffix(".svg"), heading, _of_column(of_form, drawing, shown))
    return files


def _format(name: str, short: str, text: str) -> dict[str, bytes]:
    tex = f"\\caption[{latex.escape(short)}]{{{latex.escape(text)}}}\n"
    return {f"{name}.caption.txt": f"{text}\n".encode(), f"{name}.caption.tex": tex.encode()}


def _of_column(of_form: Caption, drawing: str, shown: str) -> str:
    """Returns the caption of a picture by what stands in its drawing."""
    texts = _texts(TEXT, drawing)
    cut = _whole_names(of_form, texts)
    whole = [CUT_NAME.sub(lambda found: cut.get(found[0], found[0]), text) for text in texts]
    alike = [
        group
        for group in of_form.alike
        if any(text.startswith(group.label) for text in whole)
        and (not group.panel or group.panel in texts)
    ]
    return _join(of_form, shown, alike, cut)


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


def _panels(drawing: str) -> list[str]:
    """Returns the titles of panels, or what their axes show if they have none."""
    return _texts(TITLE, drawing) or _texts(AXIS_TITLE, drawing)


def _texts(pattern: re.Pattern[str], drawing: str) -> list[str]:
    return list(dict.fromkeys(html.unescape(text) for text in pattern.findall(drawing) if text))


def _whole_names(of_form: Caption, texts: list[str]) -> dict[str, str]:
    """Returns the whole names of strategies that are shortened in a drawing."""
    whole = {}
    for found in filter(None, map(CUT_NAME.match, texts)):
        fitting = [
            name
            for name in of_form.strategies
            if name.startswith(found[1]) and name.endswith(found[2])
        ]
        if len(fitting) == 1:
            whole[found[0]] = fitting[0]
    return whole
