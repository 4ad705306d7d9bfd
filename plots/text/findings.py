"""Writes what stands beside a run's rates and recommendations: published figures, the basis."""

from __future__ import annotations

import re

from plots.model import values
from plots.model.derive import Run
from plots.model.judged import Sentence
from plots.model.published import Published, read_published
from plots.model.values import mapping
from plots.text import caption, choices, numbers
from plots.text.trust import injected_faults


def compare_with_published(run: Run) -> list[Sentence]:
    """Writes a sentence for each strategy and direction published for this GPU or link."""
    if run.on_host or injected_faults(run) or not run.transfers:
        return []
    name = caption.device_name(run)
    link = caption.link_name(mapping(run.result.transfers, "link"))
    figures_by_strategy: dict[tuple[str, str], list[Published]] = {}
    for entry in read_published():
        same_gpu = re.search(rf"{re.escape(entry.gpu)}(?![0-9A-Za-z])", name)
        if same_gpu or (" x" in link and entry.link == link):
            figures_by_strategy.setdefault((entry.strategy, entry.direction), []).append(entry)
    sentences = []
    for (strategy, direction), entries in figures_by_strategy.items():
        measured = run.rate(strategy, direction)
        if measured is not None:
            rate, largest = measured
            size = numbers.size(largest.size_bytes or 0)
            figures_text = "; ".join(map(_describe_published, entries))
            sentences.append(
                Sentence(
                    f"{strategy} {direction}: {numbers.rate(rate)} here ({size}). "
                    f"Published: {figures_text}."
                )
            )
    if figures_by_strategy:
        return sentences
    known = f" or for {link}" if " x" in link else ""
    return [Sentence(f"There are no published figures for {name}{known} to compare with yet.")]


def _describe_published(entry: Published) -> str:
    link = "link not stated" if entry.link == "not stated" else f"link: {entry.link}"
    details = "; ".join(filter(None, (entry.tool, link, entry.note, entry.source)))
    return f"{entry.rate} for {entry.gpu} ({details})"


def explain_recommendations(run: Run) -> list[Sentence]:
    """Explains the table of recommendations: what it rests on, and the strategies in it."""
    if run.on_host or injected_faults(run):
        return []
    chosen = choices.read_choices(run)
    winners = [choice.strategy for choice in chosen if choice.strategy]
    if not winners:
        return []
    shown = ["predicted", "not_included"]
    if any(choice.extrapolated for choice in chosen):
        shown.insert(1, "extrapolated")
    basis = run.judged.basis
    summaries = {
        values.text(strategy, "name", ""): values.text(strategy, "summary", "")
        for strategy in caption.entries(run.result, "strategies")
    }
    return [
        *(Sentence(basis[code], code == "not_included") for code in shown if code in basis),
        *(
            Sentence(f"{name}: {summaries[name]}.")
            for name in dict.fromkeys(winners)
            if summaries.get(name)
        ),
    ]
