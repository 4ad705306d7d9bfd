"""What the gate says of new runs, in sentences."""

from __future__ import annotations

from plots.model.derive import Run
from plots.model.gate import INCONCLUSIVE, Check, Checked, Difference
from plots.text import caption, numbers
from plots.text.trust import Sentence


def heading(check: Check, run: Run) -> str:
    """The verdict, and of what."""
    runs = caption.count(check.runs[1], "run")
    return f"{check.verdict}: {runs} against the baseline, {caption.device_name(run)}"


def origin(check: Check) -> str:
    """How many runs were compared with how many."""
    before, after = (
        f"{caption.count(runs, 'run')} of {caption.count(sessions, 'session')}"
        for runs, sessions in zip(check.runs, check.sessions, strict=True)
    )
    return f"{after} against a baseline of {before}"


def interval(one: Checked) -> str:
    """The interval of a slowdown, or "-" where it is not known."""
    return " to ".join(map(numbers.signed_percent, one.interval)) if one.interval else "-"


def probability(one: Checked) -> str:
    """That of chance making it look so slow; "-" where that is no question."""
    if one.p is None or one.verdict == "faster":
        return "-"
    return numbers.probability(one.p)


def sentences(check: Check, runs: int) -> dict[str, list[Sentence]]:
    """Everything but what is said of single benchmarks, by heading."""
    # The sentence of an inconclusive answer has its reasons.
    more = [] if check.verdict == INCONCLUSIVE else [one.text for one in check.reasons]
    said = {
        "The gate's answer": [check.sentence],
        "Without what is slower, the answer would be inconclusive": more,
        "What is not as it was for the baseline": list(map(_difference, check.differences)),
        "What was compared": [_compared(check), *_shifts(check), *_advisory(check)],
        "Notes of the gate": [one.text for one in check.notes],
    }
    if runs > 1:
        said["What was compared"].append(
            f"Only the first of these {runs} runs has a section of its own below: they are of one "
            "machine. For a section of each, make a report without the baseline."
        )
    return {name: [Sentence(text) for text in texts] for name, texts in said.items()}


def _difference(one: Difference) -> str:
    allowed = " (allowed)" if one.allowed else ""
    return f"{one.key}: was {one.before or 'unknown'}, is {one.after or 'unknown'}{allowed}"


def _compared(check: Check) -> str:
    fastest = " of the fastest repetition" if check.of_fastest else ""
    counts: dict[str, int] = {}
    for one in check.benchmarks:
        counts[check.found(one)] = counts.get(check.found(one), 0) + 1
    found = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    return f"{origin(check)}, judged by {check.judged_by}{fastest}. Benchmarks: {found or 'none'}."


def _shifts(check: Check) -> list[str]:
    return [
        f"The {one.benchmarks} benchmarks that {'latency' if one.latency_bound else 'bandwidth'} "
        f"decides are {numbers.percent(abs(one.slowdown))} "
        f"{'slower' if one.slowdown > 0 else 'faster'} as a whole"
        f"{': the environment changed' if one.changed else ''}."
        for one in check.shifts
    ]


def _advisory(check: Check) -> list[str]:
    count = sum(one.advisory for one in check.compared)
    if not count:
        return []
    return [
        f"{count} of {len(check.compared)} {'is' if count == 1 else 'are'} advisory: noise would "
        "hide a slowdown of the threshold."
    ]
