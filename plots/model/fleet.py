"""Reads what `fleet_transfers` says of a sweep and of sweeps over time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from plots.model import values
from plots.model.load import ResultError
from plots.model.questions import ask

SWEEP, JUDGEMENT, HISTORY = "fleet_sweep", "fleet_judgement", "fleet_history"
FORMAT = 1  # of judgements and histories
MOST_GPUS = 100_000
VERDICTS = {0: "healthy", 1: "named", 3: "unknown"}  # by exit code
SCOPES = ("gpu", "node", "rack", "slot", "fleet")
FLEET = "the fleet"  # of a model, or of all
CLASSES = ("link", "host", "latency")
MISSING, PEERS = "missing", "peers"
BEGINNING = 200  # bytes: the programs write the kind first
Value = TypeVar("Value")


@dataclass(frozen=True)
class Aspect:
    """Names a part of transfers that a fault can slow by itself."""

    code: str  # link/h2d/together
    class_name: str
    direction: str
    together: bool


@dataclass(frozen=True)
class Gpu:
    """Holds a GPU of a sweep, with what it is slower than healthy GPUs of its model.

    Slowdowns are in percent of time, one for each aspect; None if that is not known.
    """

    uuid: str
    node: str
    slot: str
    rack: str  # empty: not known
    model: str
    slower: tuple[float | None, ...]

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


@dataclass(frozen=True)
class Slow:
    """Holds an aspect, or one benchmark of it, in which a part is slow."""

    aspect: Aspect
    benchmark: str  # empty: the whole aspect
    slower: float
    interval: tuple[float, float]


@dataclass(frozen=True)
class Finding:
    """Holds a part that is named: a GPU, a node, a rack, a slot or the fleet."""

    scope: str
    gpu: str  # UUID; empty if it is no GPU, or of an unknown one
    slot: str
    node: str
    rack: str
    model: str  # empty: several
    code: str
    class_name: str
    slower: float | None
    interval: tuple[float, float] | None
    confidence: float | None
    slow: tuple[Slow, ...]
    link: str
    facts: tuple[str, ...]  # warnings, benchmarks with wrong data, the rank that is missing
    advice: tuple[str, ...]
    since: str
    reference: str  # what it was compared with; empty: it was not measured

    @property
    def name(self) -> str:
        """Names the part as `Gpu.parts` does."""
        parts = {"gpu": self.gpu, "node": self.node, "rack": self.rack, "slot": self.slot}
        return parts.get(self.scope, FLEET)

    def has(self, gpu: Gpu) -> bool:
        """Tells whether the part has a GPU."""
        return gpu.parts[self.scope] == self.name and self.model in ("", gpu.model)


@dataclass(frozen=True)
class Judgement:
    """Holds what `fleet_transfers judge` says of a sweep."""

    path: Path
    sweep: str
    verdict: str
    gpu_count: int
    aspects: tuple[Aspect, ...]
    gpus: tuple[Gpu, ...]  # empty: the answer has no scores
    findings: tuple[Finding, ...]
    unknown: frozenset[str]  # UUIDs
    doubts: tuple[tuple[str, int, str], ...]  # code, GPUs, sentence
    problems: tuple[tuple[str, str], ...]  # code and sentence
    tested: tuple[tuple[str, str, float], ...]  # class, scope, percent that would have been found
    thresholds: dict[str, float]  # by class: percent that matter; older answers have none
    data: bytes = b""

    def classes(self) -> list[str]:
        """Lists the classes that were measured, the link first."""
        measured = {aspect.class_name for aspect in self.aspects}
        return [name for name in CLASSES if name in measured]


@dataclass(frozen=True)
class Trace:
    """Holds a GPU over sweeps: its slowdown in percent for each aspect and sweep."""

    uuid: str
    node: str
    slot: str
    rack: str
    model: str
    since: int | None  # the first sweep of the present trouble
    before: int | None  # the last one without it
    aspect: str  # of the trouble
    named: frozenset[int]
    slower: dict[str, tuple[float | None, ...]]


@dataclass(frozen=True)
class History:
    """Holds what `fleet_transfers history` says of the GPUs over several sweeps."""

    path: Path
    sweeps: tuple[tuple[str, str], ...]  # id and begin; either may be empty
    aspects: tuple[Aspect, ...]
    gpus: tuple[Trace, ...]
    thresholds: dict[str, float]  # as a judgement has them
    data: bytes = field(default=b"", repr=False)

    def aspect(self, code: str) -> Aspect:
        """Returns the aspect that has a code."""
        return next(aspect for aspect in self.aspects if aspect.code == code)

    @property
    def troubled(self) -> list[Trace]:
        """Lists the GPUs that are in trouble or were named, those in trouble first."""
        chosen = [trace for trace in self.gpus if trace.since is not None or trace.named]
        return sorted(chosen, key=lambda trace: (trace.since is None, -len(trace.named)))


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
        raise ResultError(f"{program}: not built, and {sweep} needs it: build fleet_transfers")
    answer = ask(program, ["judge", sweep, "--json"], VERDICTS)
    return parse_judgement(sweep, answer.document, answer.data)


def parse_judgement(path: Path, document: Any, data: bytes = b"") -> Judgement:
    """Parses what `judge --json` writes; throws ResultError."""
    return _parsed(path, "a judgement of a fleet", lambda: _judgement(path, document, data))


def parse_history(path: Path, document: Any, data: bytes = b"") -> History:
    """Parses what `history --json` writes; throws ResultError."""
    return _parsed(path, "a history of a fleet", lambda: _history(path, document, data))


def _parsed(path: Path, what: str, parse: Callable[[], Value]) -> Value:
    try:
        return parse()
    except KeyError as error:
        raise ResultError(f"{path}: not {what}: there is no {error}") from error
    except (TypeError, ValueError, AttributeError, OverflowError) as error:
        reason = values.printable(str(error))[:200]
        raise ResultError(f"{path}: not {what}: {reason}") from error


def _judgement(path: Path, document: Any, data: bytes) -> Judgement:
    _check_kind(document, JUDGEMENT)
    if document["verdict"] not in VERDICTS.values():
        raise ValueError("its verdict is unknown")
    scores = document.get("scores")  # older answers have none
    aspects = tuple(map(_aspect, _list(scores["aspects"]))) if scores else ()
    gpus = tuple(_gpu(entry, len(aspects)) for entry in _list(scores["gpus"])) if scores else ()
    if len({gpu.uuid for gpu in gpus}) < len(gpus):
        raise ValueError("a GPU is there twice")
    return Judgement(
        path=path,
        sweep=_text(document["sweep"]),
        verdict=document["verdict"],
        gpu_count=_whole(document["gpus"]),
        aspects=aspects,
        gpus=gpus,
        findings=tuple(map(_finding, _list(document["findings"]))),
        unknown=frozenset(map(_name, _list(document["unknown_gpus"]))),
        doubts=tuple(
            (_name(entry["code"]), len(_list(entry["gpus"])), _text(entry["text"]))
            for entry in _list(document["doubts"])
        ),
        problems=tuple(
            (_name(entry["code"]), _text(entry["text"])) for entry in _list(document["problems"])
        ),
        tested=tuple(
            (_name(entry["class"]), _name(entry["scope"]), _number(entry["detectable_percent"]))
            for entry in _list(document["tested"])
            if entry["detectable_percent"] is not None
        ),
        thresholds=_thresholds(document),
        data=data,
    )


def _history(path: Path, document: Any, data: bytes) -> History:
    _check_kind(document, HISTORY)
    sweeps = tuple(
        (_text(entry["id"]), _text(entry["begin"])) for entry in _list(document["sweeps"])
    )
    aspects = tuple(map(_aspect, _list(document["aspects"])))
    return History(
        path=path,
        sweeps=sweeps,
        aspects=aspects,
        gpus=tuple(_trace(entry, len(sweeps), aspects) for entry in _list(document["gpus"])),
        thresholds=_thresholds(document),
        data=data,
    )


def _check_kind(document: Any, kind: str) -> None:
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise ValueError(f"its kind is not {kind}")
    number = document.get("format")
    if not values.is_whole(number) or number < 1:
        raise ValueError("its format is no number")
    if number > FORMAT:
        raise ValueError(f"its format is newer than the newest known here, {FORMAT}")


def _thresholds(document: Any) -> dict[str, float]:
    given = document.get("thresholds_percent", {}).items()
    thresholds = {_name(name): _number(percent) for name, percent in given}
    if not all(map(values.is_positive, thresholds.values())):
        raise ValueError("a threshold is not above zero")
    return thresholds


def _aspect(entry: dict[str, Any]) -> Aspect:
    direction = _name(entry["direction"])
    together = entry["together"] is True
    class_name = _name(entry["class"])
    parts = [class_name, direction if direction != "none" else "", "together" if together else ""]
    code = _text(entry.get("code")) or "/".join(filter(None, parts))
    return Aspect(code, class_name, direction, together)


def _gpu(entry: dict[str, Any], aspects: int) -> Gpu:
    slower = tuple(map(_number_or_none, _list(entry["slower_percent"])))
    if len(slower) != aspects:
        raise ValueError("a GPU has not one score for each aspect")
    return Gpu(
        _name(entry["uuid"]),
        _text(entry["node"]),
        _text(entry["slot"]),
        _text(entry["rack"]),
        _text(entry["model"]),
        slower,
    )


def _finding(entry: dict[str, Any]) -> Finding:
    if entry["scope"] not in SCOPES:
        raise ValueError("the scope of a finding is unknown")
    evidence = entry["evidence"]
    since = entry.get("since")
    return Finding(
        scope=entry["scope"],
        gpu=_text(entry["gpu"]),
        slot=_text(entry["slot"]),
        node=_text(entry["node"]),
        rack=_text(entry["rack"]),
        model=_text(entry.get("model")),
        code=_name(entry["code"]),
        class_name=_text(entry["class"]),
        slower=_number_or_none(entry["slower_percent"]),
        interval=_interval(entry["interval_95"]),
        confidence=_number_or_none(entry["confidence"]),
        slow=tuple(map(_slow, _list(evidence.get("aspects", [])))),
        link=_link(evidence.get("link")),
        facts=_facts(evidence),
        advice=tuple(map(_name, _list(entry.get("advice", [])))),
        since=_text(since.get("begin")) or _text(since.get("sweep")) if since else "",
        reference=_text(entry.get("reference", PEERS)),  # older answers know no other
    )


def _slow(entry: dict[str, Any]) -> Slow:
    interval = _interval(entry["interval_95"])
    value = _number(entry["slower_percent"])
    return Slow(
        _aspect({key: entry[key] for key in ("class", "direction", "together")}),
        _text(entry["benchmark"]),
        value,
        interval or (value, value),
    )


def _link(entry: Any) -> str:
    """Returns a link as Gen5 x8 (of Gen5 x16); empty if nothing of it is known."""
    if not isinstance(entry, dict):
        return ""
    now, most = (
        " ".join(
            f"{word}{values.printable(str(entry[key]))}"
            for word, key in (("Gen", f"generation{end}"), ("x", f"width{end}"))
            if entry.get(key) is not None
        )
        for end in ("", "_max")
    )
    return f"{now} (of {most})" if now and most and now != most else now


def _facts(evidence: dict[str, Any]) -> tuple[str, ...]:
    facts = [_name(code) for code in _list(evidence.get("warnings", []))]
    facts += [f"wrong data in {_name(name)}" for name in _list(evidence.get("benchmarks", []))]
    if values.is_whole(rank := evidence.get("rank")):
        facts.append(f"rank {rank}")
    return tuple(facts)


def _trace(entry: dict[str, Any], sweeps: int, aspects: Sequence[Aspect]) -> Trace:
    codes = {aspect.code for aspect in aspects}
    slower = {
        values.printable(code): tuple(map(_number_or_none, _list(numbers)))
        for code, numbers in entry["slower_percent"].items()
    }
    if not codes >= slower.keys() or any(len(numbers) != sweeps for numbers in slower.values()):
        raise ValueError("a GPU has not one score for each sweep and aspect")
    if _text(entry["aspect"]) not in codes | {""}:
        raise ValueError("the aspect of a trouble is not there")
    named = frozenset(_index(sweep, sweeps) for sweep in _list(entry["named"]))
    since, before = (
        None if entry[key] is None else _index(entry[key], sweeps) for key in ("since", "before")
    )
    return Trace(
        uuid=_name(entry["uuid"]),
        node=_text(entry["node"]),
        slot=_text(entry["slot"]),
        rack=_text(entry["rack"]),
        model=_text(entry["model"]),
        since=since,
        before=before,
        aspect=_text(entry["aspect"]),
        named=named,
        slower=slower,
    )


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(value) > MOST_GPUS:
        raise TypeError("something is no list, or a list of too much")
    return value


def _text(value: Any) -> str:
    """Returns a text as one printable line; empty for null."""
    if value is not None and not isinstance(value, str):
        raise TypeError("something is no text")
    return values.printable(value)


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("something is no text")
    return values.printable(value)


def _whole(value: Any) -> int:
    if not values.is_whole(value):
        raise TypeError("something is no whole number")
    return int(value)


def _index(value: Any, count: int) -> int:
    if _whole(value) >= count:
        raise ValueError("a sweep is named that is not there")
    return int(value)


def _number(value: Any) -> float:
    if not values.is_number(value) or not math.isfinite(value):
        raise TypeError("something is no number, or too large")
    return float(value)


def _number_or_none(value: Any) -> float | None:
    return None if value is None else _number(value)


def _interval(ends: Any) -> tuple[float, float] | None:
    if ends is None:
        return None
    low, high = map(_number_or_none, _list(ends))
    return None if low is None or high is None else (low, high)
