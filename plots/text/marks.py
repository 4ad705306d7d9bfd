"""Writes the marks of a run: four short verdicts, each with the sentences that it follows from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from plots.model.derive import Run
from plots.text import caption, trust
from plots.text.findings import compare_with_link
from plots.text.trust import Sentence

GOOD, WARNING, UNKNOWN = "good", "warning", "unknown"


@dataclass(frozen=True)
class Mark:
    """Holds a verdict on one subject: its state, the verdict, its details and its evidence."""

    subject: str
    state: str
    verdict: str
    details: str
    evidence: list[Sentence]


def describe(run: Run) -> list[Mark]:
    """Returns the marks of a run; none if faults falsified it."""
    if trust.injected_faults(run):
        return []
    link = [] if run.on_host else [*trust.assess_link(run), *compare_with_link(run)]
    clocks = trust.assess_clocks(run)
    noise = trust.assess_noise(run)
    memory = trust.assess_memory(run)
    host = trust.assess_host(run)
    marks = [
        *([_mark_link(link, memory, host)] if link else []),
        _mark("Throttling", "none seen", clocks, needed=clocks[:1]),
        _mark("Repeatability", "good", noise, needed=noise),
    ]
    everything = [*link, *host, *memory, *clocks, *noise]
    return [*marks, _mark_unknown(everything)]


def alerts(run: Run) -> list[Sentence]:
    """Returns what is wrong with the run as a whole, which no mark covers."""
    if trust.injected_faults(run):
        return trust.assess(run)
    return [*trust.assess_run(run), *(one for one in trust.assess_host(run) if one.warning)]


def _mark_link(link: list[Sentence], memory: list[Sentence], host: list[Sentence]) -> Mark:
    """Makes the mark of the link: healthy only if memory is near and nobody else uses it."""
    # That it is a virtual machine is an alert. Here it is a reason for what is not known.
    around = [*memory, *(replace(sentence, warning=False) for sentence in host)]
    mark = _mark("Link", "healthy", [*link, *around], needed=link)
    unknown = [sentence.unknown for sentence in around if sentence.unknown]
    if mark.state != GOOD or not unknown:
        return mark
    details = f"{_details([*link, *memory])}; not known: {', '.join(unknown)}"
    return replace(mark, state=UNKNOWN, verdict="no fault seen", details=details)


def _mark(subject: str, good: str, evidence: list[Sentence], needed: list[Sentence]) -> Mark:
    """Makes a mark, which is good only if every needed fact is known and none is a warning."""
    warnings = [sentence for sentence in evidence if sentence.warning]
    if warnings:
        return Mark(subject, WARNING, "beware", _details(warnings), evidence)
    if not needed or any(sentence.unknown for sentence in needed):
        return Mark(subject, UNKNOWN, "not known", _details(evidence), evidence)
    return Mark(subject, GOOD, good, _details(evidence), evidence)


def _mark_unknown(sentences: list[Sentence]) -> Mark:
    """Makes the mark of all that is not known."""
    unknown = [sentence for sentence in sentences if sentence.unknown]
    names = list(dict.fromkeys(sentence.unknown for sentence in unknown))
    if not names:
        return Mark("Not known", GOOD, "nothing", "every fact is in the file", [])
    verdict = caption.count(len(names), "fact")
    return Mark("Not known", UNKNOWN, verdict, ", ".join(names), unknown)


def _details(sentences: Iterable[Sentence]) -> str:
    return ", ".join(filter(None, (sentence.short for sentence in sentences)))
