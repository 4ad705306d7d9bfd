"""Makes the sections of a fleet: of a sweep, and of its GPUs over sweeps."""

from __future__ import annotations

import hashlib

from plots.figures import FLEET_FIGURES, HISTORY_FIGURES
from plots.model.fleet import Judgement
from plots.model.fleet_history import History
from plots.page.section import Drawer, Section
from plots.text import caption, fleet_caption, fleet_tables


def make_fleet_section(drawer: Drawer, judgement: Judgement, number: int | None) -> Section:
    """Makes the section of a sweep, which is numbered if there are several."""
    section = Section(
        name="fleet-" if number is None else f"fleet-{number}-",
        heading=fleet_caption.heading(judgement),
        on_host=False,
        title=fleet_caption.heading(judgement),
        subtitle=fleet_caption.describe(judgement),
        measured=fleet_caption.describe(judgement),
        is_fleet=True,
        marks=fleet_caption.marks(judgement),
        sentences=fleet_caption.sentences(judgement),
        tables=fleet_tables.make_fleet_tables(judgement),
        method=[
            ("file", caption.short_path(judgement.path)),
            ("sha256 of what fleet_transfers says", hashlib.sha256(judgement.data).hexdigest()),
        ],
    )
    drawer.add_figures(section, FLEET_FIGURES, judgement)
    return section


def make_history_section(drawer: Drawer, history: History, number: int | None) -> Section:
    """Makes the section of a history, which is numbered if there are several."""
    heading = f"GPUs over {caption.count(len(history.sweeps), 'sweep') or 'no sweeps'}"
    section = Section(
        name="history-" if number is None else f"history-{number}-",
        heading=heading,
        on_host=False,
        title=f"Fleet: {heading}",
        subtitle=fleet_caption.history_origin(history),
        is_fleet=True,
        marks=fleet_caption.history_marks(history),
        sentences={"Since when": fleet_caption.history_sentences(history)},
        tables=fleet_tables.make_history_tables(history),
        method=[
            ("file", caption.short_path(history.path)),
            ("sha256 of its content", hashlib.sha256(history.data).hexdigest()),
        ],
    )
    drawer.add_figures(section, HISTORY_FIGURES, history)
    return section
