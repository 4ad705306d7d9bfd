"""Writes the verdict on a run, and its marks: what was seen, with the sentences that say it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from plots.model.derive import Run
from plots.text import caption, numbers, trust
from plots.text.findings import compare_with_link, describe_both_ways
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
    clause: str = ""  # what was seen, within a sentence, if that is good


@dataclass(frozen=True)
class Verdict:
    """Holds the verdict on a run in a sentence, which begins with `lead`."""

    lead: str
    text: str
    warning: bool


def describe(run: Run) -> list[Mark]:
    """Returns the marks of a run; none if faults falsified it."""
    if trust.injected_faults(run):
        return []
    link = [] if run.on_host else [*trust.assess_link(run), *compare_with_link(run)]
    memory, host = trust.assess_memory(run), trust.assess_host(run)
    noise = trust.assess_noise(run)
    throttling = _mark_throttling(run)
    marks = [
        *([_mark_link(link, [*describe_both_ways(run), *memory])] if link else []),
        throttling,
        _mark_noise(run, noise),
    ]
    return [*marks, _mark_unknown([*link, *host, *memory, *throttling.evidence, *noise])]


def summarise(run: Run) -> Verdict | None:
    """Returns the verdict that follows from the marks; None if faults falsified the run."""
    if trust.injected_faults(run):
        return None
    marks = describe(run)
    warnings = [mark for mark in marks if mark.state == WARNING]
    seen = ", ".join(mark.clause for mark in marks if mark.clause)
    names = _names_unknown(marks[-1].evidence)
    more = caption.count(len(names) - 1, "more fact")
    unknown = f"Not known: {names[0]}{f', and {more}' if more else ''}." if names else ""
    if warnings:
        faults = ", ".join(f"{mark.subject.lower()} ({mark.details})" for mark in warnings)
        return _verdict("Beware:", f"{faults}.", f"Otherwise {seen}." if seen else "", unknown)
    if any(sentence.warning for sentence in trust.assess_run(run)):
        lead = "The run itself is in doubt, see below."
        return _verdict(lead, f"Otherwise {seen}." if seen else "", unknown)
    if not seen:
        return Verdict("No verdict.", unknown, False)
    return Verdict("No fault seen:", f"{seen}. {unknown}".rstrip(), False)


def _verdict(lead: str, *sentences: str) -> Verdict:
    """Makes a verdict that warns."""
    return Verdict(lead, " ".join(filter(None, sentences)), True)


def alerts(run: Run) -> list[Sentence]:
    """Returns what is wrong with the run as a whole, which no mark covers."""
    if trust.injected_faults(run):
        return trust.assess(run)
    return [*trust.assess_run(run), *(one for one in trust.assess_host(run) if one.warning)]


def _mark_link(link: list[Sentence], others: list[Sentence]) -> Mark:
    """Makes the mark of the link: at full speed only if its state and both rates are known.

    Where memory lies is a fact by itself; only memory that is known to be far is a doubt here.
    """
    evidence = [*link, *others]
    return _mark("Link", "full speed", evidence, link, "the link ran at full speed")


def _mark_throttling(run: Run) -> Mark:
    """Makes the mark of the clocks, which says of which of them throttling would be known."""
    clocks = {"GPU": trust.assess_gpu_clocks(run), "CPU": trust.assess_cpu_clocks(run)}
    asked = {name: answers for name, answers in clocks.items() if answers}
    known = [name for name, answers in asked.items() if not _names_unknown(answers)]
    where = caption.listed(known)
    evidence = [*(one for answers in asked.values() for one in answers)]
    needed = evidence[:1]
    evidence += trust.assess_governor(run)
    clause = f"no throttling of {caption.listed([f'the {name}' for name in known])} was seen"
    return _mark("Throttling", f"none on {where}", evidence, needed, clause)


def _mark_noise(run: Run, noise: list[Sentence]) -> Mark:
    middle = trust.middle_half(run)
    if middle is None:
        return _mark("Noise", "", noise, noise, "")
    part = numbers.percent(middle)
    clause = f"{trust.steady_half(run)} within {part}"
    return _mark("Noise", f"typically {part}", noise, noise, clause)


def _mark(
    subject: str, good: str, evidence: list[Sentence], needed: list[Sentence], clause: str
) -> Mark:
    """Makes a mark, which is good only if every needed fact is known and none is a warning."""
    warnings = [sentence for sentence in evidence if sentence.warning]
    if warnings:
        return Mark(subject, WARNING, "beware", _details(warnings), evidence)
    if not needed or any(sentence.unknown for sentence in needed):
        return Mark(subject, UNKNOWN, "not known", _details(evidence), evidence)
    return Mark(subject, GOOD, good, _details(evidence), evidence, clause)


def _mark_unknown(sentences: list[Sentence]) -> Mark:
    """Makes the mark of all that is not known."""
    names = _names_unknown(sentences)
    if not names:
        return Mark("Facts", GOOD, "all known", "every fact is in the file", [])
    unknown = [sentence for sentence in sentences if sentence.unknown]
    return Mark("Facts", UNKNOWN, f"{len(names)} not known", ", ".join(names), unknown)


def _names_unknown(sentences: list[Sentence]) -> list[str]:
    return list(dict.fromkeys(sentence.unknown for sentence in sentences if sentence.unknown))


def _details(sentences: Iterable[Sentence]) -> str:
    return ", ".join(filter(None, (sentence.short for sentence in sentences)))
