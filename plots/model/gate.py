"""Asks `gate_transfers check` whether runs are slower than a baseline."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plots.model import values
from plots.model.load import Message, ResultError
from plots.model.questions import ask

# The "format" of the gate's answers that this package reads. A pass of an older gate does not say
# how much of each class was tested, so it is no pass here.
FORMAT = 3
PASS, REGRESSION, INCONCLUSIVE = "PASS", "REGRESSION", "INCONCLUSIVE"
ANSWERS = {0: PASS, 1: REGRESSION, 3: INCONCLUSIVE, 4: "ENVIRONMENT_SLOWER"}  # by exit code
NOT_KNOWN = "not_known"
NOT_CHANGED = ("unchanged", NOT_KNOWN)  # verdicts on a benchmark
BUILD = "cmake --preset default && cmake --build --preset default --target gate_transfers"
UNKNOWN = f"gate_transfers answers in a form that is not known here; build this version: {BUILD}"


@dataclass(frozen=True)
class BenchmarkVerdict:
    """Holds what the gate says of one benchmark.

    Slowdowns are parts of one, negative where the benchmark got faster. If the benchmark was not
    compared, `slowdown` and everything after it keep their defaults.
    """

    name: str
    verdict: str  # slower, ambiguous, missing, faster, new, not_known, unchanged
    before: float | None  # in the unit of the metric that the gate judges by
    after: float | None
    note: Message | None
    class_name: str | None = None
    threshold: float | None = None
    slowdown: float | None = None
    interval: tuple[float, float] | None = None  # the 95 % confidence interval
    runs: tuple[float | None, ...] = ()  # the slowdown of each new run
    p: float | None = None
    detectable: float | None = None
    advisory: bool = False

    @property
    def words(self) -> str:
        """Returns the verdict in words."""
        return self.verdict.replace("_", " ")

    @property
    def has_changed(self) -> bool:
        """Tells whether it is slower or faster, or may be slower."""
        return self.verdict not in NOT_CHANGED

    @property
    def is_hidden(self) -> bool:
        """Tells whether noise would hide a slowdown of the threshold."""
        return self.advisory or self.verdict == NOT_KNOWN


@dataclass(frozen=True)
class ClassVerdict:
    """Holds what the gate says of one class: of the benchmarks that the same thing limits."""

    name: str
    decides: bool  # the verdict on the whole
    verdict: str
    threshold: float
    reasons: list[Message]
    of_baseline: int  # without those that may be missing
    compared: int
    tested: int  # noise would not have hidden a slowdown of the threshold
    slowdown: float | None  # what all have in common; None if the class is too small to tell
    changed: bool  # that is beyond the threshold


@dataclass(frozen=True)
class Difference:
    """Names a fact of the machine that differs from the baseline's; empty texts are unknown."""

    key: str
    before: str
    after: str
    allowed: bool


@dataclass(frozen=True)
class Check:
    """Holds the gate's answer. `differences` are those from the baseline's machine."""

    verdict: str
    sentence: str
    reasons: list[Message]
    notes: list[Message]
    differences: list[Difference]
    judged_by: str
    uses_fastest: bool
    runs: tuple[int, int]  # before and after
    sessions: tuple[int, int]
    classes: list[ClassVerdict]
    benchmarks: list[BenchmarkVerdict]

    def displayed_verdict(self, benchmark: BenchmarkVerdict) -> str:
        """Returns a benchmark's verdict in the gate's words."""
        too_few = any(reason.code == "too_few_runs" for reason in self.reasons)
        return "not judged" if too_few and benchmark.verdict == "missing" else benchmark.words

    @property
    def compared(self) -> list[BenchmarkVerdict]:
        """Lists the benchmarks whose slowdown is known."""
        return [benchmark for benchmark in self.benchmarks if benchmark.slowdown is not None]


def check(program: Path, baseline: Path, runs: list[Path], decide_by: str | None = None) -> Check:
    """Checks runs against a baseline. Throws ResultError, with one line, if there is no answer."""
    if not program.is_file():
        raise ResultError(f"{program}: not built, and --baseline needs it: {BUILD}")
    options = [] if decide_by is None else [f"--decide-by={decide_by}"]
    answered = ask(program, ["check", baseline, *runs, *options, "--json"], ANSWERS)
    answer = parse(answered.document, runs)
    if answer.verdict != ANSWERS[answered.code]:
        raise ResultError(UNKNOWN)
    return answer


def parse(document: Any, runs: list[Path]) -> Check:
    """Parses the file that `check --json` writes, and shortens the paths of runs to file names."""
    try:
        if document["format"] != FORMAT or document["kind"] != "check":
            raise ResultError(UNKNOWN)
        classes = [_parse_class(entry, runs) for entry in document["classes"]]
        class_names = {entry.name for entry in classes}
        return Check(
            verdict=_parse_answer(document["verdict"]),
            sentence=values.printable(document["sentence"]),
            reasons=[_parse_message(entry, runs) for entry in document["reasons"]],
            notes=[_parse_message(entry, runs) for entry in document["notes"]],
            differences=list(map(_parse_difference, document["changed"])),
            judged_by=values.printable(document["judged_by"]),
            uses_fastest=document["of_repetitions"] == "fastest",
            runs=_parse_counts(document["runs"]),
            sessions=_parse_counts(document["sessions"]),
            classes=classes,
            benchmarks=[_parse_benchmark(entry, class_names) for entry in document["benchmarks"]],
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ResultError(UNKNOWN) from error


def _parse_answer(word: str) -> str:
    if word not in ANSWERS.values():
        raise ValueError("no verdict")
    return word


def _parse_message(value: dict[str, Any], runs: list[Path]) -> Message:
    code, data = value["code"], value["data"]
    if not isinstance(code, str) or not isinstance(data, dict):
        raise TypeError("no message")
    text = values.text(value, "text", code)
    for path in runs:
        text = text.replace(str(path), path.name)
    return Message(code, data, text)


def _parse_benchmark(entry: dict[str, Any], class_names: set[str]) -> BenchmarkVerdict:
    common = (
        values.printable(entry["name"]),
        values.printable(entry["verdict"]),
        _parse_number(entry["before"]),
        _parse_number(entry["after"]),
        None if entry["note"] is None else _parse_message(entry["note"], []),
    )
    if "slowdown" not in entry:
        return BenchmarkVerdict(*common)
    class_name = values.printable(entry["class"])
    if class_name not in class_names:
        raise ValueError("no such class")
    return BenchmarkVerdict(
        *common,
        class_name=class_name,
        threshold=float(entry["threshold"]),
        slowdown=_parse_number(entry["slowdown"]),
        interval=_parse_interval(entry["interval_95"]),
        runs=tuple(map(_parse_number, entry["slowdown_of_runs"])),
        p=_parse_number(entry["p"]),
        detectable=_parse_number(entry["detectable_80"]),
        advisory=entry["advisory"] is True,
    )


def _parse_class(entry: dict[str, Any], runs: list[Path]) -> ClassVerdict:
    return ClassVerdict(
        name=values.printable(entry["class"]),
        decides=entry["decides"] is True,
        verdict=_parse_answer(entry["verdict"]),
        threshold=float(entry["threshold"]),
        reasons=[_parse_message(reason, runs) for reason in entry["reasons"]],
        of_baseline=int(entry["of_baseline"]),
        compared=int(entry["compared"]),
        tested=int(entry["tested"]),
        slowdown=_parse_number(entry["slowdown"]),
        changed=entry["changed"] is True,
    )


def _parse_difference(entry: dict[str, Any]) -> Difference:
    key, before, after = (values.printable(entry[key]) for key in ("key", "before", "after"))
    return Difference(key, before, after, entry["allowed"] is True)


def _parse_counts(counts: dict[str, Any]) -> tuple[int, int]:
    return int(counts["before"]), int(counts["after"])


def _parse_number(value: Any) -> float | None:
    if value is None:
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _parse_interval(ends: list[float] | None) -> tuple[float, float] | None:
    low, high = map(_parse_number, ends or (None, None))
    return None if low is None or high is None else (low, high)
