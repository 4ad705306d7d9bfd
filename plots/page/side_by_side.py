"""Makes the section of several runs side by side."""

from __future__ import annotations

from plots.figures import GROUP_FIGURES
from plots.model.derive import Run
from plots.model.judged import Sentence
from plots.page.section import MOST_SECTIONS, Drawer, Section
from plots.text import cards, compared_table, side_by_side

DIFFERENCES_HEADING = "What differs"


def make_group_section(drawer: Drawer, runs: list[tuple[int, Run]]) -> Section:
    on_host = runs[0][1].on_host
    kind = "without a GPU" if on_host else "with a GPU"
    heading = f"{len(runs)} runs {kind} side by side"
    prefix = "host-runs-" if on_host else "runs-"
    compared = runs[:MOST_SECTIONS]
    bandwidths = compared_table.compare_runs(runs)
    questions = side_by_side.make_question_table(compared)
    facts = side_by_side.make_fact_table(runs)
    section = Section(
        name=prefix,
        heading=heading,
        on_host=on_host,
        has_measurements=True,
        title=side_by_side.title(runs),
        measured=side_by_side.describe_runs(runs),
        verdict=DIFFERENCES_HEADING,
        cards=cards.make_cards(compared),
        cards_note=facts.note,
        sentences={DIFFERENCES_HEADING: side_by_side.describe_differences(compared)},
        tables_under={DIFFERENCES_HEADING: [questions] if questions.rows else []},
        tables=[table for table in (facts, bandwidths) if table and table.rows],
    )
    left_out = [number for number, _ in runs if number > MOST_SECTIONS]
    if left_out:
        sentence = (
            f"Runs from {left_out[0]} on are in figures and tables only: make reports of fewer."
        )
        section.sentences["What is left out"] = [Sentence(sentence, True)]
    drawer.add_figures(section, GROUP_FIGURES, runs)
    return section
