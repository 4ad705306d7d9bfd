"""Writes sentences about the gate's answer."""

from __future__ import annotations

from collections import Counter

from plots.model.derive import Run
from plots.model.gate import (
    INCONCLUSIVE,
    NOT_KNOWN,
    PASS,
    REGRESSION,
    BenchmarkVerdict,
    Check,
    ClassVerdict,
    Difference,
)
from plots.model.judged import Mark, Sentence
from plots.text import caption, numbers

STATES = {PASS: "good", INCONCLUSIVE: "unknown"}  # of marks; others are warnings


def title(check: Check, run: Run) -> str:
    """Returns the verdict and the device, as the title of a page."""
    return f"{check.verdict}: {caption.device_name(run)} against its baseline"


def marks(check: Check) -> list[Mark]:
    """Returns the verdict on the whole, and on each class of benchmarks."""
    state = STATES.get(check.verdict, "warning")
    whole = Mark("Gate", state, check.verdict, "", [Sentence(f"{check.sentence}.")])
    return [whole, *map(_mark_class, check.classes)]


def _mark_class(entry: ClassVerdict) -> Mark:
    role = "" if entry.decides else " (only vetoes)"
    told = f"{describe_class(entry)}{_describe_shift(entry)}{role}."
    evidence = _said([told, *(reason.text for reason in entry.reasons)])
    if entry.verdict == PASS and entry.tested == 0:
        return Mark(f"Class {entry.name}", "unknown", "nothing tested", role.strip(), evidence)
    state = STATES.get(entry.verdict, "warning")
    return Mark(f"Class {entry.name}", state, entry.verdict, f"{_counts(entry)}{role}", evidence)


def _said(texts: list[str]) -> list[Sentence]:
    return [Sentence(text) for text in dict.fromkeys(texts)]


def heading(check: Check, run: Run) -> str:
    """Returns the verdict, the number of runs and the device."""
    runs = caption.count(check.runs.after, "run")
    return f"{describe_verdict(check)}: {runs} against the baseline, {caption.device_name(run)}"


def describe_verdict(check: Check) -> str:
    """Returns the verdict, and how much it speaks of: a pass is one of what was tested."""
    deciding = [entry for entry in check.classes if entry.decides]
    tested = sum(entry.tested for entry in deciding)
    total = sum(entry.of_baseline for entry in deciding)
    left_out = " in the classes that decide" if len(deciding) < len(check.classes) else ""
    return f"{check.verdict}, {tested} of {total} tested{left_out}"


def describe_class(entry: ClassVerdict) -> str:
    """Returns the verdict on a class with its counts."""
    if entry.verdict == PASS and entry.tested == 0:
        return f"{entry.name}: nothing tested"
    return f"{entry.name}: {entry.verdict}, {_counts(entry)}"


def _counts(entry: ClassVerdict) -> str:
    return f"{entry.tested} of {entry.of_baseline} tested at {100 * entry.threshold:g} %"


def describe_counts(check: Check) -> str:
    """Returns how many runs were compared with how many."""
    before, after = (
        f"{caption.count(runs, 'run')} of {caption.count(sessions, 'session')}"
        for runs, sessions in (
            (check.runs.before, check.sessions.before),
            (check.runs.after, check.sessions.after),
        )
    )
    return f"{after} against a baseline of {before}"


def interval(benchmark: BenchmarkVerdict) -> str:
    """Formats the interval of a slowdown, or "-" if it is not known."""
    return (
        " to ".join(map(numbers.signed_percent, benchmark.interval)) if benchmark.interval else "-"
    )


def probability(benchmark: BenchmarkVerdict) -> str:
    """Formats the p-value of a slowdown, or "-" if it is not known or does not apply."""
    if benchmark.p is None or benchmark.verdict == "faster":
        return "-"
    return numbers.probability(benchmark.p)


def sentences(check: Check, runs: int) -> dict[str, list[Sentence]]:
    """Returns the sentences about the check as a whole, by heading."""
    # The sentences of other answers already have the reasons.
    reasons = check.reasons if check.verdict == REGRESSION else []
    texts_by_heading = {
        "The gate's answer": [check.sentence],
        "Without the slower benchmarks, the answer would be inconclusive": [
            reason.text for reason in reasons
        ],
        "What differs from the baseline": list(map(_describe_difference, check.differences)),
        "What was compared": [
            _describe_comparison(check),
            *_describe_unknown(check),
        ],
        "Notes of the gate": [note.text for note in check.notes],
    }
    if runs > 1:
        texts_by_heading["What was compared"].append(
            f"Only the first of these {runs} runs has a section of its own below: they are of one "
            "machine. For a section of each, make a report without the baseline."
        )
    return {name: _said(texts) for name, texts in texts_by_heading.items()}


def _describe_difference(difference: Difference) -> str:
    allowed = " (allowed)" if difference.allowed else ""
    before, after = difference.before or "unknown", difference.after or "unknown"
    return f"{difference.key}: was {before}, is {after}{allowed}"


def _describe_comparison(check: Check) -> str:
    fastest = " of the fastest repetition" if check.of_repetitions == "fastest" else ""
    counts = Counter(map(check.displayed_verdict, check.benchmarks))
    verdicts = ", ".join(f"{count} {verdict}" for verdict, count in counts.items()) or "none"
    basis = f"judged by {check.judged_by}{fastest}"
    return f"{describe_counts(check)}, {basis}. Benchmarks: {verdicts}."


def _describe_shift(entry: ClassVerdict) -> str:
    if entry.slowdown is None:
        return ""
    direction = "slower" if entry.slowdown > 0 else "faster"
    change = ": the environment changed" if entry.changed else ""
    return f"; as a whole {numbers.percent(abs(entry.slowdown))} {direction}{change}"


def _describe_unknown(check: Check) -> list[str]:
    count = sum(benchmark.verdict == NOT_KNOWN for benchmark in check.compared)
    if not count:
        return []
    return [
        f"{count} of {len(check.compared)} compared {'is' if count == 1 else 'are'} not known: "
        "noise would hide a slowdown of the threshold."
    ]
