"""Writes sentences about what differs between runs of several machines."""

from __future__ import annotations

from collections.abc import Iterator

from plots.model.derive import Benchmark, Run, Sizes
from plots.text import numbers
from plots.text.findings import is_slower
from plots.text.trust import Sentence, injected_faults


def describe_differences(runs: list[tuple[int, Run]]) -> list[Sentence]:
    """Compares runs, numbered as in the report, at what a reader asks first.

    Rates are those at the largest size that all runs have.
    """
    if any(run.on_host or injected_faults(run) for _, run in runs):
        return []
    questions = [dict(_questions(run)) for _, run in runs]
    sentences = []
    for question in questions[0]:
        series = [answers.get(question) or {} for answers in questions]
        common = set.intersection(*map(set, series))
        if common:
            size = max(common)
            measured = [sizes[size] for sizes in series]
            sentences.append(_describe(question, size, [number for number, _ in runs], measured))
    return sentences


def _questions(run: Run) -> Iterator[tuple[str, Sizes]]:
    for memory in ("pinned", "pageable"):
        for direction, phrase in (("h2d", "to the device"), ("d2h", "to the host")):
            copies = run.plainest(
                "copy", direction=direction, memory=memory, method=None, in_place=False
            )
            yield f"copies of {memory} memory {phrase}", copies
    yield "pinned memory in both directions at once", run.plainest("duplex", memory="pinned")


def _describe(question: str, size: int, names: list[int], measured: list[Benchmark]) -> Sentence:
    first = measured[0]
    texts = numbers.rates(*(benchmark.gb_per_s or 0 for benchmark in measured))
    parts = [f"{texts[0]} in run {names[0]}"]
    for name, text, benchmark in zip(names[1:], texts[1:], measured[1:], strict=True):
        slow, fast = sorted((first, benchmark), key=lambda entry: -entry.ns)
        change = numbers.signed_percent((benchmark.gb_per_s or 0) / (first.gb_per_s or 1) - 1)
        doubt = "" if is_slower(slow, fast, 1) else ", which may be noise"
        parts.append(f"{text} in run {name} ({change}{doubt})")
    return Sentence(
        f"{question[:1].upper()}{question[1:]}, {numbers.size(size)}: {', '.join(parts)}."
    )
