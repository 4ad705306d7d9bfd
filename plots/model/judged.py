"""Asks `bench_transfers export --format=report` how far the numbers of runs can be trusted."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plots.model import questions
from plots.model.files import ResultError
from plots.model.load import Result

FORMAT = 1


@dataclass(frozen=True)
class Sentence:
    """Holds a sentence, and whether it is a warning.

    `unknown` names the fact that the file lacks, if the sentence says that one is not known.
    """

    text: str
    warning: bool = False
    unknown: str = ""
    about: str = ""  # a subject of src/trust/judgement.hpp


@dataclass(frozen=True)
class Mark:
    """Holds a verdict on one subject: its state, the verdict, its details and its evidence."""

    subject: str
    state: str  # "good", "warning", "unknown"
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


@dataclass(frozen=True)
class Use:
    """Names a strategy, with the file's words for it."""

    strategy: str
    summary: str
    place: str  # "to the device", where it is not used in both directions


@dataclass(frozen=True)
class Gain:
    """Holds how many times as fast as a plain copy a strategy is, in one direction."""

    benchmark: str
    value: float
    low: float | None  # the ends of the 95 % interval; None: they are not known
    high: float | None
    known: str  # "faster", "not_told", "no_interval"
    subject: str  # the strategy, the direction, the size, and its rate or time
    text: str
    doubt: str  # that it is not clear, as the end of a sentence


@dataclass(frozen=True)
class Rule:
    """Holds a rule: the data that it is about, the strategies, why, and what they gain."""

    code: str
    data: str
    uses: list[Use]
    why: str
    gains: list[Gain] = field(default_factory=list)


@dataclass(frozen=True)
class Alike:
    """Holds names in groups, each of which one line can stand for, and what is alike in them."""

    groups: list[list[str]] = field(default_factory=list)
    text: str = ""


@dataclass(frozen=True)
class Followed:
    """Holds a question that is asked of a run over time, and its benchmarks, one of each size."""

    question: str
    is_rate: bool
    benchmarks: list[str]


VERDICTS = ("faster", "slower")  # what else is known of a difference is that neither is sure


@dataclass(frozen=True)
class Difference:
    """Holds by which part another run takes longer than the first, or takes more of the CPU."""

    first: float  # what is compared: the median, or the centre of the medians of processes
    second: float
    value: float
    low: float | None  # the ends of the 95 % interval; None: they are not known
    high: float | None
    known: str  # "slower", "faster", "not_told", "needs_runs", "no_interval"
    text: str
    doubt: str  # that neither is known, as the end of a sentence


@dataclass(frozen=True)
class Answered:
    """Holds the answers of all runs to a question, and what each further run is beside the first.

    A rank is one more than the number of runs that are faster.
    """

    question: str
    subject: str  # with the size
    size_bytes: int
    counter: str  # of which less is better
    is_rate: bool
    benchmarks: list[str]
    ranks: list[int]
    ranks_by_link: list[int] | None
    differences: list[Difference]


@dataclass(frozen=True)
class Comparison:
    """Holds what differs between the first runs with a GPU."""

    runs: int  # how many
    questions: list[Answered]
    sentences: list[str]  # of each further run
    explanation: str  # when one is slower or faster
    interval: str  # the title of the intervals: what they cover
    transfers: dict[str, list[Difference | None]]  # by the first run's benchmark
    problems: list[str]
    left_out: set[str]  # benchmarks of the first run that are not compared


@dataclass(frozen=True)
class Spread:
    """Holds how far the times of a benchmark are apart, in nanoseconds."""

    interval: tuple[float, float] | None = None  # between processes, 95 %
    modes: list[float] = field(default_factory=list)  # medians of the two, if there are two

    @classmethod
    def parse(cls, given: dict[str, Any]) -> Spread:
        """Returns what the program says of one benchmark."""
        interval = given["interval_ns"]
        modes = [mode["median_ns"] for mode in given["modes"] or ()]
        return cls(interval and (interval[0], interval[1]), modes)


Job = tuple[str, str, int, bool]  # role, direction, size, whether of pageable memory alone


@dataclass(frozen=True)
class Judged:
    """Holds what the program says of a run. Without an answer, the one alert says why."""

    findings: list[Sentence] = field(default_factory=list)
    alerts: list[Sentence] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    verdict: Verdict | None = None
    as_good: dict[Job, list[str]] = field(default_factory=dict)  # as the fastest, plainest first
    warnings: list[str] = field(default_factory=list)
    matters: list[Sentence] = field(default_factory=list)  # most of all
    rules: list[Rule] = field(default_factory=list)
    basis: dict[str, str] = field(default_factory=dict)  # of recommendations: texts by code
    alike: dict[tuple[str, int | None], Alike] = field(default_factory=dict)  # None: each size
    questions: list[Followed] = field(default_factory=list)
    spreads: dict[str, Spread] = field(default_factory=dict)  # by benchmark
    # Of the runs that were judged together: by how many, as many as there is room for.
    comparisons: dict[int, Comparison] = field(default_factory=dict)

    def about(self, *subjects: str) -> list[Sentence]:
        """Returns what is said of subjects, in their order."""
        return [one for subject in subjects for one in self.findings if one.about == subject]


def judge(program: Path | None, results: Sequence[Result]) -> list[Judged]:
    """Returns what the program says of each run. It is started once.

    Throws Refused for a file that contradicts itself.
    """
    try:
        document = _ask(program, results) if results else {"runs": [], "comparisons": []}
    except questions.Refused:
        raise
    except ResultError as error:
        return [Judged(alerts=[Sentence(f"The run is not judged: {error}.", True)])] * len(results)
    comparisons = {one["runs"]: _parse_comparison(one) for one in document["comparisons"]}
    return [_parse(run, comparisons) for run in document["runs"]]


def _ask(program: Path | None, results: Sequence[Result]) -> dict[str, Any]:
    if program is None or not program.is_file():
        raise ResultError("bench_transfers, which judges, is missing")
    with tempfile.TemporaryDirectory(prefix="plots-") as folder:
        files = {Path(folder) / f"{i}.json": result for i, result in enumerate(results)}
        for file, result in files.items():
            file.write_bytes(_document(result))
        arguments: list[str | Path] = ["export", "--format=report", *files, "--out"]
        try:
            document = questions.ask(program, arguments, {0}).document
        except questions.Refused as refusal:
            text = str(refusal)
            for file, result in files.items():
                text = text.replace(str(file), str(result.path))
            raise questions.Refused(text) from refusal
    if document.get("format") != FORMAT:
        raise ResultError("bench_transfers export answers in a format that is not known here")
    return dict(document)


def _document(result: Result) -> bytes:
    """Returns the file, or what is said in it of one of several devices."""
    if result.data and len(result.transfers["devices"]) == 1:
        return result.data
    text = json.dumps({"context": result.context, "benchmarks": result.rows}, ensure_ascii=False)
    return text.encode("utf-8", "replace")  # of names with half of a character


def _parse(run: dict[str, Any], comparisons: dict[int, Comparison]) -> Judged:
    findings = [
        Sentence(one["text"], one["severity"] == "warning", one["unknown"], one["about"])
        for one in run["findings"]
    ]
    marks = [
        Mark(
            one["name"],
            one["state"],
            one["verdict"],
            one["details"],
            [findings[i] for i in one["evidence"]],
            one["clause"],
        )
        for one in run["marks"]
    ]
    verdict = run["verdict"]
    return Judged(
        findings,
        [findings[i] for i in run["alerts"]],
        marks,
        verdict and Verdict(verdict["lead"], verdict["text"], verdict["severity"] == "warning"),
        {
            (one["role"], one["direction"], one["size_bytes"], one["of_pageable"]): one[
                "benchmarks"
            ]
            for one in run["choices"]
        },
        [warning["text"] for warning in run["warnings"]],
        [Sentence(one["text"]) for one in run["matters"]],
        [
            Rule(
                **rule
                | {
                    "uses": [Use(**use) for use in rule["uses"]],
                    "gains": [Gain(**gain) for gain in rule["gains"]],
                }
            )
            for rule in run["rules"]
        ],
        {one["code"]: one["text"] for one in run["basis"]},
        {(one["of"], one["size_bytes"]): Alike(one["groups"], one["text"]) for one in run["alike"]},
        [Followed(**one) for one in run["questions"]],
        {name: Spread.parse(spread) for name, spread in run["spreads"].items()},
        comparisons,
    )


def _parse_comparison(document: dict[str, Any]) -> Comparison:
    def parse(differences: list[Any]) -> list[Any]:
        return [one and Difference(**one) for one in differences]

    return Comparison(
        document["runs"],
        [
            Answered(**one | {"differences": parse(one["differences"])})
            for one in document["questions"]
        ],
        document["differences"],
        document["explanation"],
        document["interval"],
        {name: parse(differences) for name, differences in document["transfers"].items()},
        [problem["text"] for problem in document["problems"]],
        {
            name
            for problem in document["problems"]
            for name in problem["data"].get("benchmarks", ())
        },
    )
