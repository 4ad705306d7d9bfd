"""Describes each machine of a comparison in a few lines: its health, what to use, what differs."""

from __future__ import annotations

from dataclasses import dataclass

from plots.model.derive import Run
from plots.model.judged import Mark, Rule
from plots.model.values import mapping
from plots.text import caption, glance, side_by_side
from plots.text.side_by_side import GPU, LINK, Numbered


@dataclass(frozen=True)
class Card:
    """Holds the lines of one run: its verdicts, then words beside what they are about."""

    name: str
    marks: list[Mark]
    lines: list[tuple[str, str]]


def make_cards(runs: Numbered) -> list[Card]:
    """Makes a card for each run; they have the facts that differ between the runs."""
    facts = side_by_side.make_fact_table(runs)
    names = side_by_side.run_names(runs)
    return [
        Card(
            name,
            run.judged.marks,
            [
                *_describe_link(run),
                *((rule.data, _name_strategies(rule)) for rule in run.judged.rules),
                *((row[0], row[place]) for row in facts.rows if row[0] not in (GPU, LINK)),
            ],
        )
        for place, (name, (_, run)) in enumerate(zip(names, runs, strict=True), start=1)
    ]


def _describe_link(run: Run) -> list[tuple[str, str]]:
    """Returns the link, and how much of its raw rate large copies reach."""
    link = mapping(run.result.transfers, "link")
    if not link:
        return []
    shown = glance.describe(run)
    rates = [gauge.reached for gauge in shown.gauges] if shown else []
    words = "large pinned copies, and their part of its raw rate"
    reached = f"; {words}: {caption.listed(rates)}" if rates else ""
    return [(LINK, f"{caption.link_name(link)}{reached}")]


def _name_strategies(rule: Rule) -> str:
    return "; ".join(" ".join(filter(None, (use.strategy, use.place))) for use in rule.uses)
