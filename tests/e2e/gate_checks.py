"""Checks by `gate_transfers` in all forms, and the properties of every answer."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xmlschema
from program import ROOT, Completed, Program

PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE, ENVIRONMENT = 0, 1, 2, 3, 4
WORDS = {
    PASS: "PASS",
    REGRESSION: "REGRESSION",
    INCONCLUSIVE: "INCONCLUSIVE",
    ENVIRONMENT: "ENVIRONMENT_SLOWER",
}
GITHUB_LIMIT = 65_536
SCHEMA = ROOT / "tests/data/junit.xsd"


@dataclass(frozen=True)
class Answer:
    completed: Completed
    document: dict[str, Any]
    markdown: str
    junit: ElementTree.Element

    @property
    def text(self) -> str:
        """The printed text, with folded lines joined."""
        return self.completed.out.replace("\n  ", " ")

    @property
    def verdicts(self) -> dict[str, str]:
        return {
            benchmark["name"]: benchmark["verdict"] for benchmark in self.document["benchmarks"]
        }

    def names(self, verdict: str) -> list[str]:
        return [name for name, word in self.verdicts.items() if word == verdict]


@dataclass(frozen=True)
class Gate:
    program: Program
    folder: Path
    baseline: Path
    schema: xmlschema.XMLSchema

    def check(self, *arguments: str | Path, expected: int, baseline: Path | None = None) -> Answer:
        """Runs a check, and tests the properties of every answer."""
        markdown, junit, document = (self.folder / name for name in ("a.md", "a.xml", "a.json"))
        completed = self.program.run(
            "check",
            baseline or self.baseline,
            *arguments,
            f"--markdown={markdown}",
            f"--junit={junit}",
            f"--json={document}",
        )
        assert completed.code == expected, completed
        assert completed.err == ""
        answer = Answer(
            completed,
            json.loads(document.read_text("utf-8")),
            markdown.read_text("utf-8"),
            ElementTree.parse(junit).getroot(),
        )
        self.schema.validate(junit)
        assert_all_say_the_same(answer, expected)
        return answer


def assert_all_say_the_same(answer: Answer, code: int) -> None:
    word = WORDS[code]
    assert answer.document["exit_code"] == code
    assert answer.document["verdict"] == word
    assert answer.text.splitlines()[-1] == answer.document["sentence"]
    assert answer.document["sentence"].startswith(word)
    assert answer.markdown.splitlines()[0].startswith(f"## Transfers: {word}")
    assert len(answer.markdown) < GITHUB_LIMIT
    assert answer.markdown.count("<details>") == answer.markdown.count("</details>")
    (suite,) = answer.junit
    assert (int(suite.attrib["failures"]) + int(suite.attrib["errors"]) == 0) == (code == PASS)
    for kind, attribute in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
        assert len(suite.findall(f"testcase/{kind}")) == int(suite.attrib[attribute])
    assert len(suite.findall("testcase")) == int(suite.attrib["tests"])
    assert (
        (suite.findtext("system-out") or "")
        .replace("\n  ", " ")
        .endswith(answer.document["sentence"] + "\n")
    )
    for benchmark in answer.document["benchmarks"]:
        if "slowdown" in benchmark:
            low, high = benchmark["interval_95"]
            assert low < benchmark["slowdown"] < high
            assert len(benchmark["slowdown_of_runs"]) == answer.document["runs"]["after"]
            runs = [value for value in benchmark["slowdown_of_runs"] if value is not None]
            assert min(runs) - 1e-9 <= benchmark["slowdown"] <= max(runs) + 1e-9
    for text in (answer.completed.out, answer.markdown):
        assert "nan" not in re.findall(r"\b\w+\b", text.lower())


def table(text: str) -> dict[str, str]:
    """Lines of the terminal's tables by the benchmarks' names."""
    return {line.split()[0]: line for line in text.splitlines() if "/" in line}
