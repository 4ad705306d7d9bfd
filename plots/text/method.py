"""Writes the section of a paper that says how numbers were measured, from the facts in the files.

What every run shares is said once. What the procedure is and no file says is in docs/METHOD.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import chain

from plots.model.derive import Run
from plots.model.values import mapping
from plots.text import caption, latex
from plots.text.method_facts import Facts, Unknown
from plots.text.method_machine import describe_machine
from plots.text.method_procedure import describe_import, describe_procedure
from plots.text.method_values import describe_statistics, describe_timing

MOST_DESCRIBED = 12  # runs; of more, a text would be a table

Topic = Callable[[Run], Facts]


def _nothing(_: Run) -> Facts:
    yield from ()


TOPICS: tuple[Topic, ...] = (
    describe_machine,
    describe_procedure,
    describe_timing,
    describe_statistics,
)
# What is not known is a paragraph of its own.
IMPORTED: tuple[Topic, ...] = (describe_machine, describe_import, _nothing)


def format_method(runs: Sequence[tuple[int, Run]]) -> dict[str, bytes]:
    """Returns the text, plain and for LaTeX: contents by file name."""
    paragraphs = describe_method(runs)
    tex = (f"\\begin{{sloppypar}}\n{latex.prose(text)}\n\\end{{sloppypar}}" for text in paragraphs)
    return {
        "method.txt": "\n\n".join(paragraphs).encode() + b"\n",
        "method.tex": "\n\n".join((latex.PACKAGES, *tex)).encode() + b"\n",
    }


def describe_method(runs: Sequence[tuple[int, Run]]) -> list[str]:
    """Returns the paragraphs: those of one run, or what runs share and then what differs."""
    shown = runs[:MOST_DESCRIBED]
    of_runs = [_topics(run) for _, run in shown]
    in_all = set.intersection(*(set(chain(*topics)) for topics in of_runs))
    paragraphs = [
        " ".join(shared)
        for topic in of_runs[0]
        if (shared := [text for text in topic if text in in_all])
    ]
    if len(runs) == 1:
        return paragraphs
    names = caption.listed([f"run {number} ({caption.device_name(run)})" for number, run in shown])
    omitted = caption.count(len(runs) - len(shown), "more run")
    rest = f" {omitted} of this report are not described." if omitted else ""
    return [
        f"{len(shown)} runs were measured: {names}.{rest} For all of them:",
        *paragraphs,
        *(
            f"Run {number} ({caption.device_name(run)}): {' '.join(own)}"
            for (number, run), topics in zip(shown, of_runs, strict=True)
            if (own := [text for text in chain(*topics) if text not in in_all])
        ),
    ]


def _topics(run: Run) -> list[list[str]]:
    """Returns the sentences of each topic; the last has also what is not known."""
    topics = IMPORTED if mapping(run.result.transfers, "imported") else TOPICS
    facts = [[*topic(run)] for topic in topics]
    known = [[fact for fact in topic if isinstance(fact, str)] for topic in facts]
    unknown = [fact.name for fact in chain(*facts) if isinstance(fact, Unknown)]
    unknown += [found.unknown for found in run.judged.findings if found.about != "rate"]
    if listed := caption.listed(list(dict.fromkeys(filter(None, unknown)))):
        known[-1].append(f"Not known: {listed}.")
    return known
