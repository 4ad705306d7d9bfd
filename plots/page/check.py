"""Makes the section of a check against a baseline."""

from __future__ import annotations

from plots.figures import CHECK_FIGURES
from plots.model.derive import Run
from plots.model.gate import Check
from plots.page.section import Drawer, Section
from plots.text import caption, check_table, verdict


def make_check_section(drawer: Drawer, check: Check, runs: list[tuple[int, Run]]) -> Section:
    section = Section(
        name="",
        heading=verdict.heading(check, runs[0][1]),
        on_host=runs[0][1].on_host,
        title=verdict.title(check, runs[0][1]),
        measured=f"{caption.device_name(runs[0][1])}, {caption.date(runs[0][1].result)}",
        marks=verdict.marks(check),
        sentences=verdict.sentences(check, len(runs)),
        tables=[check_table.make_check_table(check, runs[0][1].result.metrics)],
    )
    drawer.add_figures(section, CHECK_FIGURES, check, runs, subject="against the baseline")
    return section
