"""Holds what `bench_transfers export --format=report` says of runs; judge.py asks it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


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
