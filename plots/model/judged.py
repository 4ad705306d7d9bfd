"""Asks `bench_transfers export --format=report` how far the numbers of runs can be trusted."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from plots.model import questions
from plots.model.load import Result, ResultError

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

    def about(self, *subjects: str) -> list[Sentence]:
        """Returns what is said of subjects, in their order."""
        return [one for subject in subjects for one in self.findings if one.about == subject]


def judge(program: Path | None, results: Sequence[Result]) -> list[Judged]:
    """Returns what the program says of each run. It is started once.

    Throws Refused for a file that contradicts itself.
    """
    try:
        runs = _ask(program, results) if results else []
    except questions.Refused:
        raise
    except ResultError as error:
        return [Judged(alerts=[Sentence(f"The run is not judged: {error}.", True)])] * len(results)
    return [_parse(run) for run in runs]


def _ask(program: Path | None, results: Sequence[Result]) -> list[dict[str, Any]]:
    if program is None or not program.is_file():
        raise ResultError("bench_transfers, which judges, is not built")
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
    runs: list[dict[str, Any]] = document["runs"]
    return runs


def _document(result: Result) -> bytes:
    """Returns the file, or what is said in it of one of several devices."""
    if result.data and len(result.transfers["devices"]) == 1:
        return result.data
    text = json.dumps({"context": result.context, "benchmarks": result.rows}, ensure_ascii=False)
    return text.encode("utf-8", "replace")  # of names with half of a character


def _parse(run: dict[str, Any]) -> Judged:
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
    )
