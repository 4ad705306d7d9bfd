"""Holds a section of the report, and adds figures to it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import groupby
from pathlib import PurePath
from typing import Any

from plots.figures import BEGINNINGS, QUESTIONS
from plots.figures.common import CAPTION, Alike, Figure
from plots.figures.layout import COLUMN, PAPER, WIDE, Layout
from plots.model import values
from plots.model.judged import Mark, Rule, Sentence, Verdict
from plots.model.no_data import NoData
from plots.page import render
from plots.page.progress import NO_PROGRESS, Progress
from plots.text.cards import Card
from plots.text.glance import Glance
from plots.text.table import Table

# A report with more sections would be large, and late: each takes seconds and half a megabyte.
MOST_SECTIONS = 6
MESSAGE_KEYS = {"code", "data", "text"}
OUTPUT_OPTIONS = ("--out", "--benchmark_out")


@dataclass(frozen=True)
class Caption:
    """Holds what the caption of a form of a figure says; a form differs in what it shows."""

    title: str
    details: list[str]
    heading: str
    reading: str
    alike: list[Alike]
    strategies: list[str]  # the whole names of those in the figure


@dataclass(frozen=True)
class Drawn:
    """Holds a figure of the report in all layouts."""

    name: str  # the start of its files' names, and its anchor in the page
    figure: Figure
    spec: dict[str, Any]
    column: dict[str, Any]
    paper: dict[str, Any]  # empty if no files are made
    question: str = ""  # that it answers, with others
    begins: bool = False  # its section, above the sentences
    captions: dict[str, Caption] = field(default_factory=dict)  # of its forms in files


@dataclass
class Section:
    """Holds the section of one run, or of several runs of one kind.

    Runs with a GPU and runs on the host device never share a section.
    """

    name: str
    heading: str
    on_host: bool
    title: str = ""  # of a page that begins with this section
    subtitle: str = ""  # what its heading says and its title does not
    origin: str = ""  # of one of several runs: what its heading does not say
    measured: str = ""  # on which devices, and when, for captions of tables
    has_measurements: bool = False  # the tidy tables have its rows
    cards: list[Card] = field(default_factory=list)  # of the machines that are compared
    cards_note: str = ""
    verdict: str = ""  # the heading whose sentences stand above their tables
    is_fleet: bool = False  # it has slowdowns, and no rates to compare with published ones
    sentences: dict[str, list[Sentence]] = field(default_factory=dict)
    drawn: list[Drawn] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    tables_under: dict[str, list[Table]] = field(default_factory=dict)  # by heading
    tables: list[Table] = field(default_factory=list)
    alerts: list[Sentence] = field(default_factory=list)
    summary: Verdict | None = None  # of the marks
    marks: list[Mark] = field(default_factory=list)
    glance: Glance | None = None
    rules: list[Rule] = field(default_factory=list)
    calculator: dict[str, Any] = field(default_factory=dict)  # what calculator.py lists
    panels: dict[str, Any] = field(default_factory=dict)  # what panels.py lists
    run_number: int = 1  # of the run that they are of
    macros: str = ""  # the numbers for LaTeX
    method: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def by_question(self) -> list[tuple[str, list[Drawn]]]:
        """Returns the figures below the sentences by the questions that they answer."""
        below = (drawn for drawn in self.drawn if not drawn.begins)
        grouped = groupby(below, lambda drawn: drawn.question)
        return [(question, list(figures)) for question, figures in grouped]


@dataclass(frozen=True)
class Drawer:
    """Draws figures into sections: those that are asked for, in the layouts that are needed."""

    names: frozenset[str] | None = None  # None: all
    for_papers: bool = True
    say: Progress = NO_PROGRESS

    def add_figures(
        self,
        section: Section,
        figures: Mapping[str, Callable[..., Figure]],
        *of: Any,
        subject: str = "",
    ) -> None:
        """Draws figures of something into a section."""
        for name, draw in figures.items():
            self.add_figure(section, name, partial(draw, *of), subject)

    def add_figure(
        self, section: Section, name: str, make: Callable[[Layout], Figure], subject: str = ""
    ) -> None:
        """Draws a figure in the layouts, or notes with its subject why it is left out."""
        if self.names is not None and name not in self.names:
            return
        self.say(f"preparing {section.name}{name}")
        try:
            figure = make(WIDE)
            wide, of_wide = _specify(figure)
            column, _ = _specify(make(COLUMN))
            paper, of_paper = _specify(make(PAPER)) if self.for_papers else ({}, of_wide)
        except NoData as reason:
            section.left_out.append((subject or name.replace("_", " "), str(reason)))
            return
        question = QUESTIONS.get(name, "")
        captions = {"wide": of_wide, "paper": of_paper}
        forms = wide, column, paper, question, name in BEGINNINGS, captions
        section.drawn.append(Drawn(f"{section.name}{name}", figure, *forms))


def _specify(figure: Figure) -> tuple[dict[str, Any], Caption]:
    """Returns the specification of a figure, and what a caption says of it."""
    spec = render.specification(figure)
    title, *details = spec["usermeta"].pop(CAPTION)
    rows = [row for data in figure.chart.datasets.values() for row in data]
    names = sorted({str(row["strategy"]) for row in rows if "strategy" in row})
    return spec, Caption(title, details, figure.heading, figure.reading, figure.alike, names)


def flatten(key: str, value: Any, rows: list[tuple[str, str]]) -> None:
    """Adds what a file says below a key, one row for each value."""
    if isinstance(value, dict) and value.keys() == MESSAGE_KEYS:
        rows.append((key, values.text(value, "text", "")))
    elif isinstance(value, dict):
        for name, member in value.items():
            printable_name = values.printable(str(name))
            flatten(f"{key}.{printable_name}" if key else printable_name, member, rows)
    elif isinstance(value, str):
        rows.append((key, values.printable(value)))
    elif isinstance(value, float) and abs(value) < 1e6:
        rows.append((key, f"{value:.6g}"))  # the file has all digits
    elif key == "run.command_line" and isinstance(value, list):
        rows.append((key, values.printable(shlex.join(_without_folders(value)))))
    else:
        rows.append((key, values.printable(json.dumps(value, ensure_ascii=False))))


def _without_folders(words: list[Any]) -> list[str]:
    """Removes folders from a command line: they are private. Newer files have none."""
    shown = [str(word) for word in words]
    for i, word in enumerate(shown):
        option, is_set, value = word.partition("=")
        if i == 0 or shown[i - 1] in OUTPUT_OPTIONS:
            shown[i] = PurePath(word).name
        elif is_set and option in OUTPUT_OPTIONS:
            shown[i] = f"{option}={PurePath(value).name}"
    return shown
