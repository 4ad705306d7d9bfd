"""Asks `bench_transfers export --format=report` how far the numbers of runs can be trusted."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plots.model import questions
from plots.model.files import ResultError
from plots.model.judged import (
    Alike,
    Answered,
    Comparison,
    Difference,
    Followed,
    Gain,
    Judged,
    Mark,
    Rule,
    Sentence,
    Spread,
    Use,
    Verdict,
)
from plots.model.load import Result

FORMAT = 1


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
        findings=findings,
        alerts=[findings[i] for i in run["alerts"]],
        marks=marks,
        verdict=verdict
        and Verdict(verdict["lead"], verdict["text"], verdict["severity"] == "warning"),
        as_good={
            (one["role"], one["direction"], one["size_bytes"], one["of_pageable"]): one[
                "benchmarks"
            ]
            for one in run["choices"]
        },
        warnings=[warning["text"] for warning in run["warnings"]],
        matters=[Sentence(one["text"]) for one in run["matters"]],
        rules=[
            Rule(
                **rule
                | {
                    "uses": [Use(**use) for use in rule["uses"]],
                    "gains": [Gain(**gain) for gain in rule["gains"]],
                }
            )
            for rule in run["rules"]
        ],
        basis={one["code"]: one["text"] for one in run["basis"]},
        alike={
            (one["of"], one["size_bytes"]): Alike(one["groups"], one["text"])
            for one in run["alike"]
        },
        questions=[Followed(**one) for one in run["questions"]],
        spreads={name: Spread.parse(spread) for name, spread in run["spreads"].items()},
        comparisons=comparisons,
    )


def _parse_comparison(document: dict[str, Any]) -> Comparison:
    def parse(differences: list[Any]) -> list[Any]:
        return [one and Difference(**one) for one in differences]

    return Comparison(
        runs=document["runs"],
        questions=[
            Answered(**one | {"differences": parse(one["differences"])})
            for one in document["questions"]
        ],
        sentences=document["differences"],
        explanation=document["explanation"],
        interval=document["interval"],
        transfers={name: parse(differences) for name, differences in document["transfers"].items()},
        problems=[problem["text"] for problem in document["problems"]],
        left_out={
            name
            for problem in document["problems"]
            for name in problem["data"].get("benchmarks", ())
        },
    )
