"""Reads what `fleet_transfers judge` says of a sweep."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from plots.model import decode, values
from plots.model.decode import Interval, NotValid, key
from plots.model.files import ResultError
from plots.model.no_data import NoData
from plots.model.questions import absence, ask

SWEEP, JUDGEMENT, HISTORY = "fleet_sweep", "fleet_judgement", "fleet_history"
FORMAT = 1  # of judgements and histories
VERDICTS = {0: "healthy", 1: "named", 3: "unknown"}  # by exit code
FLEET = "the fleet"  # of a model, or of all
CLASSES = ("link", "host", "latency")
MISSING, PEERS = "missing", "peers"
NO_SCORES = "the answer of fleet_transfers has no scores of single GPUs: judge the sweep again"
BEGINNING = 200  # bytes: the programs write the kind first
Value = TypeVar("Value")
Scores = tuple[float | None, ...]  # slowdowns in percent, where they are known
Percent = Annotated[float, decode.that(values.is_positive, "not above zero", float)]
Thresholds = dict[decode.Name, Percent]  # by class: the slowdown from which on it matters


@dataclass(frozen=True, kw_only=True)
class Aspect:
    """Names a part of transfers that a fault can slow by itself."""

    class_name: str = key("class")
    direction: str
    together: bool

    @property
    def code(self) -> str:
        """Returns a name such as link/h2d/together."""
        direction = self.direction if self.direction != "none" else ""
        parts = (self.class_name, direction, "together" if self.together else "")
        return "/".join(filter(None, parts))


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """Holds a GPU of a sweep, with what it is slower than healthy GPUs of its model.

    Slowdowns are in percent of time, one for each aspect; None if that is not known.
    """

    uuid: str
    node: str = ""
    slot: str = ""
    rack: str = ""  # not known
    model: str = ""
    slower: Scores = key("slower_percent")

    @property
    def parts(self) -> dict[str, str]:
        """Names the parts of the fleet that the GPU is in, itself among them, by scope."""
        return {
            "gpu": self.uuid,
            "node": self.node,
            "rack": self.rack,
            "slot": self.slot,
            "fleet": FLEET,
        }


@dataclass(frozen=True, kw_only=True)
class Slow:
    """Holds an aspect, or one benchmark of it, in which a part is slow."""

    aspect: Aspect = key("")
    benchmark: str = ""  # the whole aspect
    slower: float = key("slower_percent")
    known_interval: Interval = key("interval_95", default=None)

    @property
    def order(self) -> tuple[float, str]:
        """Returns what sorts the slowest last."""
        return self.slower, self.benchmark or self.aspect.code

    @property
    def interval(self) -> tuple[float, float]:
        """Returns the interval of 95 %; without one the value is both ends."""
        return self.known_interval or (self.slower, self.slower)


def _link(entry: Any) -> str:
    """Returns a link as Gen5 x8 (of Gen5 x16); empty if nothing of it is known."""
    if not isinstance(entry, dict):
        return ""
    now, most = (
        " ".join(
            f"{word}{values.printable(str(entry[name]))}"
            for word, name in (("Gen", f"generation{end}"), ("x", f"width{end}"))
            if entry.get(name) is not None
        )
        for end in ("", "_max")
    )
    return f"{now} (of {most})" if now and most and now != most else now


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Holds a part that is named: a GPU, a node, a rack, a slot or the fleet."""

    scope: Annotated[str, decode.one_of("gpu", "node", "rack", "slot", "fleet")]
    gpu: str = ""  # UUID; empty if it is no GPU, or of an unknown one
    slot: str = ""
    node: str = ""
    rack: str = ""
    model: str = ""  # several
    code: str
    class_name: str = key("class", default="")
    slower: float | None = key("slower_percent")
    interval: Interval = key("interval_95", default=None)
    confidence: float | None
    slow: tuple[Slow, ...] = key("evidence.aspects", default=())
    link: Annotated[str, _link] = key("evidence.link", default="")
    warnings: tuple[str, ...] = key("evidence.warnings", default=())
    damaged: tuple[str, ...] = key("evidence.benchmarks", default=())  # with wrong data
    rank: Annotated[Any, values.whole_or_none] = key("evidence.rank", default=None)  # is missing
    advice: tuple[str, ...] = ()
    since_sweep: str = key("since.sweep", default="")
    since_begin: str = key("since.begin", default="")
    reference: str = PEERS  # what it was compared with; empty: it was not measured

    @property
    def since(self) -> str:
        """Returns since when it is slow, as far as that is known."""
        return self.since_begin or self.since_sweep

    @property
    def facts(self) -> tuple[str, ...]:
        """Lists warnings, benchmarks with wrong data, and the rank that is missing."""
        damaged = (f"wrong data in {name}" for name in self.damaged)
        ranks = [] if self.rank is None else [f"rank {self.rank}"]
        return (*self.warnings, *damaged, *ranks)

    @property
    def name(self) -> str:
        """Names the part as `Gpu.parts` does."""
        parts = {"gpu": self.gpu, "node": self.node, "rack": self.rack, "slot": self.slot}
        return parts.get(self.scope, FLEET)

    def has(self, gpu: Gpu) -> bool:
        """Tells whether the part has a GPU."""
        return gpu.parts[self.scope] == self.name and self.model in ("", gpu.model)


@dataclass(frozen=True, kw_only=True)
class Doubt:
    """Says of GPUs why it is not known whether they are slow."""

    code: str
    gpus: list[str]
    text: str


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Says what is wrong with the sweep."""

    code: str
    text: str


@dataclass(frozen=True, kw_only=True)
class Tested:
    """Says of a class and a kind of part what slowdown would have been found."""

    class_name: str = key("class")
    scope: str
    percent: float | None = key("detectable_percent")


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """Holds what `fleet_transfers judge` says of a sweep."""

    path: Path
    data: bytes
    sweep: str = ""
    verdict: Annotated[str, decode.one_of(*VERDICTS.values())]
    gpu_count: int = key("gpus")
    aspects: tuple[Aspect, ...] = key("scores.aspects", default=())
    gpus: tuple[Gpu, ...] = key("scores.gpus", default=())  # older answers have no scores
    findings: tuple[Finding, ...]
    unknown: frozenset[str] = key("unknown_gpus")  # UUIDs
    doubts: tuple[Doubt, ...]
    problems: tuple[Problem, ...]
    tested: tuple[Tested, ...]
    # Older answers have none.
    thresholds: Thresholds = key("thresholds_percent", default_factory=dict)

    def __post_init__(self) -> None:
        """Checks what GPUs have in common."""
        if any(len(gpu.slower) != len(self.aspects) for gpu in self.gpus):
            raise NotValid("a GPU has not one score for each aspect")
        if len({gpu.uuid for gpu in self.gpus}) < len(self.gpus):
            raise NotValid("a GPU is there twice")

    def classes(self) -> list[str]:
        """Lists the classes that were measured, the link first."""
        measured = {aspect.class_name for aspect in self.aspects}
        return [name for name in CLASSES if name in measured]

    def sorted_gpus(self) -> list[Gpu]:
        """Lists the GPUs by rack, node and slot; throws NoData if there are none."""
        if not self.gpus:
            raise NoData(NO_SCORES)
        key = values.natural
        return sorted(
            self.gpus,
            key=lambda gpu: (not gpu.rack, key(gpu.rack), key(gpu.node), gpu.slot, gpu.uuid),
        )

    def named_gpus(self, class_name: str) -> dict[str, Finding]:
        """Returns the findings of slow parts of a class by UUID of GPU, the widest part."""
        of_part: dict[tuple[str, str], list[Gpu]] = {}
        for gpu in self.gpus:
            for part in gpu.parts.items():
                of_part.setdefault(part, []).append(gpu)
        named: dict[str, Finding] = {}
        for finding in self.findings:
            if finding.class_name != class_name or finding.slower is None:
                continue
            for gpu in of_part.get((finding.scope, finding.name), []):
                if finding.has(gpu):
                    named.setdefault(gpu.uuid, finding)
        return named

    def slowdowns(self, class_name: str, named: dict[str, Finding]) -> dict[str, Slow]:
        """Returns in what each GPU is slowest in a class, by UUID.

        A GPU that is named for single benchmarks stands with those: its scores do not show them.
        """
        known = {
            gpu.uuid: [
                Slow(aspect=aspect, slower=slower)
                for aspect, slower in zip(self.aspects, gpu.slower, strict=True)
                if slower is not None and aspect.class_name == class_name
            ]
            for gpu in self.gpus
        }
        for uuid, finding in named.items():
            known[uuid] += [slow for slow in finding.slow[:1] if slow.benchmark]
        return {uuid: max(slow, key=lambda one: one.order) for uuid, slow in known.items() if slow}


def kind_of(beginning: bytes) -> str | None:
    """Returns the kind of a file of `fleet_transfers` by its first bytes."""
    head = beginning[:BEGINNING]
    kinds = (SWEEP, JUDGEMENT, HISTORY)
    if b'"kind"' not in head:
        return None
    return next((kind for kind in kinds if f'"{kind}"'.encode() in head), None)


def judge(program: Path, sweep: Path) -> Judgement:
    """Asks `fleet_transfers judge` about a sweep. Throws ResultError, with one line."""
    if not program.is_file():
        raise ResultError(f"{sweep}: {absence(program)}")
    answer = ask(program, ["judge", sweep, "--json"], VERDICTS)
    return parse_judgement(sweep, answer.document, answer.data)


def parse_judgement(path: Path, document: Any, data: bytes = b"") -> Judgement:
    """Parses what `judge --json` writes; throws ResultError."""
    return parsed(path, "a judgement of a fleet", Judgement, JUDGEMENT, document, data)


def parsed(
    path: Path, what: str, kind: type[Value], name: str, document: Any, data: bytes
) -> Value:
    """Parses what a command of `fleet_transfers` writes; throws ResultError."""
    try:
        decode.require_kind(document, name, FORMAT)
        return decode.read(kind, document, path=path, data=data)
    except NotValid as error:
        raise ResultError(f"{path}: not {what}: {error}") from error
