"""Asks `gate_transfers check` whether runs are slower than a baseline."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from plots.model import decode
from plots.model.decode import Interval, NotValid, key
from plots.model.files import ResultError
from plots.model.load import Message
from plots.model.questions import absence, ask

# The "format" of the gate's answers that this package reads. A pass of an older gate does not say
# how much of each class was tested, so it is no pass here.
FORMAT = 3
PASS, REGRESSION, INCONCLUSIVE = "PASS", "REGRESSION", "INCONCLUSIVE"
ANSWERS = {0: PASS, 1: REGRESSION, 3: INCONCLUSIVE, 4: "ENVIRONMENT_SLOWER"}  # by exit code
NOT_KNOWN = "not_known"
NOT_CHANGED = ("unchanged", NOT_KNOWN)  # verdicts on a benchmark
UNKNOWN = "gate_transfers is of another version: it answers in a form that is not known here"


Answer = Annotated[str, decode.one_of(*ANSWERS.values())]


@dataclass(frozen=True)
class Counts:
    """Holds how many there are before and after."""

    before: int
    after: int


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
    class_name: str | None = key("class", default=None)
    threshold: float | None = None
    slowdown: float | None = None
    interval: Interval = key("interval_95", default=None)
    runs: tuple[float | None, ...] = key("slowdown_of_runs", default=())  # of each new run
    p: float | None = None
    detectable: float | None = key("detectable_80", default=None)
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


@dataclass(frozen=True, kw_only=True)
class ClassVerdict:
    """Holds what the gate says of one class: of the benchmarks that the same thing limits."""

    name: str = key("class")
    decides: bool  # the verdict on the whole
    verdict: Answer
    threshold: float
    reasons: list[Message]
    of_baseline: int  # without those that may be missing
    compared: int
    tested: int  # noise would not have hidden a slowdown of the threshold
    slowdown: float | None  # what all have in common; None if the class is too small to tell
    changed: bool  # that is beyond the threshold


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Names a fact of the machine that differs from the baseline's; empty texts are unknown."""

    key: str
    before: str = ""
    after: str = ""
    allowed: bool


@dataclass(frozen=True, kw_only=True)
class Check:
    """Holds the gate's answer. `differences` are those from the baseline's machine."""

    verdict: Answer
    sentence: str
    reasons: list[Message]
    notes: list[Message]
    differences: list[Difference] = key("changed")
    judged_by: str
    of_repetitions: str
    runs: Counts
    sessions: Counts
    classes: list[ClassVerdict]
    benchmarks: list[BenchmarkVerdict]

    def __post_init__(self) -> None:
        """Checks that those that were compared have a threshold, and a class that is there."""
        known = {entry.name for entry in self.classes}
        for one in self.compared:
            if one.class_name not in known or one.threshold is None:
                raise NotValid("no such class or threshold")

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
        raise ResultError(f"--baseline: {absence(program)}")
    options = [] if decide_by is None else [f"--decide-by={decide_by}"]
    answered = ask(program, ["check", baseline, *runs, *options, "--json"], ANSWERS)
    answer = parse(answered.document, runs)
    if answer.verdict != ANSWERS[answered.code]:
        raise ResultError(UNKNOWN)
    return answer


def parse(document: Any, runs: list[Path]) -> Check:
    """Parses the file that `check --json` writes, and shortens the paths of runs to file names."""
    try:
        answer = decode.read(Check, document)
        if (document["format"], document["kind"]) != (FORMAT, "check"):
            raise NotValid("another format")
    except (KeyError, NotValid) as error:
        raise ResultError(UNKNOWN) from error

    def shorten(messages: list[Message]) -> list[Message]:
        return [replace(one, text=_with_file_names(one.text, runs)) for one in messages]

    classes = [replace(entry, reasons=shorten(entry.reasons)) for entry in answer.classes]
    reasons, notes = shorten(answer.reasons), shorten(answer.notes)
    return replace(answer, reasons=reasons, notes=notes, classes=classes)


def _with_file_names(text: str, runs: list[Path]) -> str:
    for path in runs:
        text = text.replace(str(path), path.name)
    return text
