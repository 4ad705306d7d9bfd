"""Reads result files and checks them."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from reprlib import repr as brief
from typing import Any, TypeVar

from plots.model import gunzip, strict_json
from plots.model.disturbed import select_least_disturbed
from plots.model.values import (
    is_failed,
    is_plain_number,
    is_positive,
    is_whole,
    legible,
    mapping,
    member,
    printable,
    text,
)

FORMAT = 2  # the "format" of the result files that this package reads
MOST_BYTES = 128 << 20  # as src/common/files.hpp
DIRECTIONS = ("h2d", "d2h", "both", "none")
CACHES = ("warm", "cold")
BETTER = ("more", "less", None)
SCHEMA = 1  # of Google Benchmark's json_schema_version
MOST_PLAINNESS = 2**32 - 1
MOST_INDEX = 2**63 - 1
KINDS = ("duration", "rate", "share", "count", "size")
Value = TypeVar("Value")


class ResultError(Exception):
    """A result file that cannot be used; the message is one line for a person."""


@dataclass(frozen=True)
class Flow:
    """Holds one of several copies at once; its device and its direction tell it from the others.

    Where the copies differ in it, `memory` is its kind of host memory, and `node` a NUMA node.
    """

    device: int  # an index
    direction: str
    memory: str | None = field(default=None, compare=False)
    node: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class DeviceSet:
    """Says what the devices of several copies at once have in common."""

    kind: str  # "all", "node", "port", "pair", "listed", "ranks"
    place: str | None  # the number of a node, the address of a port or a root complex


@dataclass(frozen=True)
class Fields:
    """Holds the fields that describe a benchmark. See docs/RESULT_FILE.md."""

    family: str
    strategy: str
    method: str | None
    setting: str | None
    memory: str | None
    node: int | None
    variant: str | None
    direction: str
    size_bytes: int | None
    cache: str
    devices: tuple[int, ...]
    flows: tuple[Flow, ...]
    set: DeviceSet | None
    role: str
    plainness: int
    in_place: bool
    emulation: bool

    @property
    def label(self) -> str:
        """Returns the benchmark's name without size and cache."""
        return "/".join(filter(None, (self.strategy, self.variant)))

    @property
    def kind(self) -> str:
        """Returns what distinguishes it in its family and role: a method or a kind of memory."""
        return self.method or self.memory or self.strategy

    @property
    def cold(self) -> bool:
        """Tells whether caches are flushed before each operation."""
        return self.cache == "cold"


@dataclass(frozen=True)
class Role:
    """Describes what a group of benchmarks measures."""

    description: str
    table: str


@dataclass(frozen=True)
class Metric:
    """Describes a counter. A headline metric gets a column of its own."""

    unit: str
    better: str | None
    kind: str
    description: str
    headline: bool
    flow: Flow | None
    alone: bool


@dataclass(frozen=True)
class Message:
    """Holds a message for people; programs decide by its code and data."""

    code: str
    data: dict[str, Any] = field(hash=False)  # what has a message may be a key
    text: str


@dataclass(frozen=True)
class Skip:
    """Names a benchmark that could not run, with the reason."""

    name: str
    reason: Message


@dataclass(frozen=True)
class Result:
    """Holds one result file: its context, and one row per repetition that counts."""

    path: Path
    context: dict[str, Any]
    rows: list[dict[str, Any]]
    data: bytes = b""  # the whole file, not compressed
    benchmarks: dict[str, Fields] = field(default_factory=dict)  # by name
    roles: dict[str, Role] = field(default_factory=dict)
    metrics: dict[str, Metric] = field(default_factory=dict)
    parts: int = 1  # in which the run was measured, one after another
    warnings: list[Message] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)
    why_not_gpu: Message | None = None
    only_aggregates: bool = False

    @property
    def transfers(self) -> dict[str, Any]:
        """Returns the part of the context that describes the run."""
        transfers: dict[str, Any] = self.context["transfers"]
        return transfers

    @property
    def complete(self) -> bool:
        """Tells whether the run has reached its end, and of one in parts the last part as well."""
        parts = self.transfers.get("parts")
        return self.transfers.get("complete") is True and (not parts or parts[-1]["complete"])

    @property
    def lacks(self) -> str:
        """Tells why there is no time in it, as lacks() in src/result_file/contents.cpp does."""
        measured = [row for row in self.rows if not is_failed(row)]
        if self.only_aggregates:
            return (
                "it has only aggregates; the repetitions are there when it is measured without "
                "--benchmark_report_aggregates_only"
            )
        if not self.rows and self.skipped and self.complete:
            return "none of its benchmarks could run"
        if not self.rows:
            return "it has no benchmarks"
        if not measured:
            return "all of its benchmarks have failed"
        if not any(is_positive(row.get("median_ns")) for row in measured):
            return "none of its benchmarks has a median_ns above zero"
        return ""


def read_result(path: str | Path) -> Result:
    """Reads a result file, plain or compressed with gzip."""
    path = Path(path)
    return result_in(path, _read(path))


def read_document(path: Path) -> tuple[Any, bytes]:
    """Reads a file as JSON, plain or compressed with gzip; returns the document and its text."""
    text = read_text(path)
    return parse_document(path, text), text


def read_text(path: Path) -> bytes:
    """Reads a file, plain or compressed with gzip."""
    return _unpacked(path, _read(path))


def result_in(path: Path, data: bytes) -> Result:
    """Reads a result file from its bytes; `path` is only named."""
    text = _unpacked(path, data)
    return parse_result(path, parse_document(path, text), text)


def parse_result(path: Path, document: Any, data: bytes = b"") -> Result:
    """Parses a JSON document into a result."""
    try:
        return _result(path, document, data)
    except _NotValid as error:
        raise ResultError(f"cannot use {path}: {error}") from error


class _NotValid(Exception):
    """What is wrong with a result file."""


def _result(path: Path, document: Any, data: bytes) -> Result:
    context = member(document, "context", dict)
    transfers = member(context, "transfers", dict)
    rows = member(document, "benchmarks", list)
    if transfers is None:
        raise _NotValid("it has no context.transfers")
    _check_format(path, transfers.get("format"))
    _check_truth(transfers, "complete")
    if rows is None or not all(isinstance(row, dict) for row in rows):
        raise _NotValid("it has no list of benchmarks")
    _check_schema(context.get("json_schema_version"))
    repetitions = [_named(row) for row in rows if _is_repetition(row)]
    for row in repetitions:
        _check_row(row)
        _check_disturbed(row)
    repetitions = select_least_disturbed(repetitions)
    _check_device(transfers)
    devices = _devices(transfers)
    fields = _each(transfers, "benchmarks", _fields)
    roles = {legible(name): role for name, role in _each(transfers, "roles", _role).items()}
    metrics = _each(transfers, "metrics", _metric)
    _check_references(repetitions, fields, roles, metrics, devices)
    return Result(
        path=path,
        context=context,
        rows=repetitions,
        only_aggregates=bool(rows) and not repetitions,
        data=data,
        benchmarks=fields,
        roles=roles,
        metrics=metrics,
        parts=_parts(transfers),
        warnings=_entries(transfers, "warnings", _message),
        skipped=_entries(transfers, "skipped", _skip),
        why_not_gpu=_why_not_gpu(transfers),
    )


def _read(path: Path) -> bytes:
    if _is_named_pipe(path):
        raise ResultError(f"{path}: cannot be read: it is a named pipe, not a file")
    try:
        with path.open("rb") as source:
            return _require_small(path, source.read(MOST_BYTES + 1))
    except OSError as error:
        raise ResultError(f"{path}: cannot be read: {error.strerror or error}") from error


def _unpacked(path: Path, data: bytes) -> bytes:
    try:
        unpacked = gunzip.unpacked(data, MOST_BYTES) if gunzip.is_packed(data) else data
    except zlib.error as error:
        raise ResultError(f"{path}: damaged gzip file: {error}") from error
    return _require_small(path, unpacked)


def _require_small(path: Path, data: bytes) -> bytes:
    if len(data) > MOST_BYTES:
        raise ResultError(f"{path}: more than {MOST_BYTES >> 20} MiB: not a result file")
    return data


def _is_named_pipe(path: Path) -> bool:
    """Tells whether opening the path would wait for a writer.

    A pipe that the shell makes is excepted: it has a writer, and no path.
    """
    try:
        return path.is_fifo() and path.resolve(strict=True).is_fifo()
    except OSError:
        return False


def parse_document(path: Path, data: bytes) -> Any:
    """Parses a text as JSON; throws ResultError."""
    try:
        return strict_json.parse(data)
    except strict_json.RepeatedKeyError as error:
        raise ResultError(f"cannot use {path}: {error}") from error
    except ValueError as error:
        raise ResultError(f"{path}: not JSON, or cut short: {error}") from error


def _check_format(path: Path, number: Any) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or number < 1:
        raise _NotValid(f"context.transfers.format is {brief(number)}")
    if number != FORMAT:
        raise ResultError(f"{path}: its result format is {number}, this program reads {FORMAT}")


def _check_schema(number: Any) -> None:
    """Checks the version of Google Benchmark's own part of the file, which may be missing."""
    if number is not None and (number != SCHEMA or not is_whole(number)):
        raise _NotValid(f"its json_schema_version is {brief(number)}, not {SCHEMA}")


def _check_device(transfers: dict[str, Any]) -> None:
    if not member(mapping(transfers, "device"), "kind", str):
        raise _NotValid("it does not say what device was measured (context.transfers.device)")


def _is_repetition(row: dict[str, Any]) -> bool:
    """Returns whether a row has a measurement, and not an aggregate of several."""
    kind = row.get("run_type", "iteration")
    if kind not in ("iteration", "aggregate"):
        raise _NotValid(f"a row's run_type is {brief(kind)}, neither iteration nor aggregate")
    return bool(kind == "iteration")


def _named(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row whose name is its benchmark's, as `run_name` has it where that exists."""
    name = row.get("run_name", row.get("name"))
    if not isinstance(name, str) or not name:
        raise _NotValid("a row of its benchmarks has no name")
    return row if row.get("name") == name else row | {"name": name}


def _check_truth(holder: dict[str, Any], key: str) -> None:
    if not isinstance(holder.get(key), bool | None):
        raise _NotValid(f"{key} is neither true nor false")


def _check_row(row: dict[str, Any]) -> None:
    """Checks the types of what Google Benchmark says of a repetition; it may be missing."""
    _check_truth(row, "error_occurred")
    if not is_plain_number(row.get("skipped")):  # a counter may have that name, too
        _check_truth(row, "skipped")
    for key in ("error_message", "skip_message", "error_code"):
        if not isinstance(row.get(key), str | None):
            raise _NotValid(f"{key} of {brief(row['name'])} is no text")
    index = row.get("repetition_index", 0)
    if not is_whole(index) or index > MOST_INDEX:
        raise _NotValid(f"a repetition_index is {brief(index)}, no whole number from 0")


def _check_disturbed(row: dict[str, Any]) -> None:
    """Another program may have a counter of this name."""
    codes = row.get("disturbed")
    if codes is None or (isinstance(codes, (int, float)) and not isinstance(codes, bool)):
        return
    if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
        raise _NotValid("a row's disturbed is no list of texts")


def _check_references(
    rows: list[dict[str, Any]],
    benchmarks: dict[str, Fields],
    roles: dict[str, Role],
    metrics: dict[str, Metric],
    devices: int,
) -> None:
    for row in rows:
        name = str(row.get("name"))
        if name not in benchmarks:
            raise _NotValid(f"{brief(name)} is not in context.transfers.benchmarks")
    for name, fields in benchmarks.items():
        if fields.role not in roles:
            raise _NotValid(f"the role of {brief(name)}, {brief(fields.role)}, is not in roles")
        indices = (*fields.devices, *(flow.device for flow in fields.flows))
        if any(index >= devices for index in indices):
            raise _NotValid(f"{brief(name)} names a device that is not in devices")
    for name, metric in metrics.items():
        if metric.flow and metric.flow.device >= devices:
            raise _NotValid(f"metric {brief(name)} names a device that is not in devices")


def _each(
    holder: dict[str, Any], key: str, parse: Callable[[str, dict[str, Any]], Value]
) -> dict[str, Value]:
    """Parses every member of an object of objects."""
    members = member(holder, key, dict)
    if members is None:
        raise _NotValid(f"it has no context.transfers.{key}")
    for name, value in members.items():
        if not isinstance(value, dict):
            raise _NotValid(f"{key}[{brief(name)}] is no object")
    return {name: parse(f"{key}[{brief(name)}]", value) for name, value in members.items()}


def _list(holder: dict[str, Any], key: str) -> list[Any]:
    value = holder.get(key)
    if not isinstance(value, list | None):
        raise _NotValid(f"{key} is no list")
    return value or []


def _entries(holder: dict[str, Any], key: str, parse: Callable[[str, Any], Value]) -> list[Value]:
    """Parses every entry of a list."""
    return [parse(f"{key}[{i}]", entry) for i, entry in enumerate(_list(holder, key))]


def _parts(transfers: dict[str, Any]) -> int:
    """Counts the parts of a run that was resumed; a run of a single part has no list of them."""
    if transfers.get("parts") is None:
        return 1
    parts = _list(transfers, "parts")
    if not parts:
        raise _NotValid("its parts are no list of parts")
    for number, part in enumerate(parts, 1):
        if not isinstance(part, dict) or not is_whole(part.get("number")):
            raise _NotValid(f"its part {number} has no number")
        if part["number"] != number:
            raise _NotValid(f"its part {number} has another number")
        if not isinstance(part.get("complete"), bool):
            raise _NotValid(f"its part {number} does not say whether it is complete")
    return len(parts)


def _devices(transfers: dict[str, Any]) -> int:
    """Counts the devices that the file describes."""
    devices = _list(transfers, "devices")
    if not devices or not all(isinstance(device, dict) for device in devices):
        raise _NotValid("it has no list of devices")
    return len(devices)


def _fields(place: str, value: dict[str, Any]) -> Fields:
    devices = value.get("devices")
    if not isinstance(devices, list) or not all(map(is_whole, devices)):
        raise _NotValid(f"{place}.devices is no list of whole numbers")
    size = value.get("size_bytes")
    if size is not None and not is_whole(size):
        raise _NotValid(f"{place}.size_bytes is {brief(size)}, no whole number from 0")
    plainness = value.get("plainness")
    if not is_whole(plainness) or plainness > MOST_PLAINNESS:
        raise _NotValid(f"{place}.plainness is {brief(plainness)}, no whole number from 0")
    return Fields(
        family=_name(place, value, "family"),
        strategy=_name(place, value, "strategy"),
        method=_text_or_null(place, value, "method"),
        setting=_text_or_null(place, value, "setting"),
        memory=_text_or_null(place, value, "memory"),
        node=_small_whole_or_null(place, value, "node"),
        variant=_text_or_null(place, value, "variant"),
        direction=_one_of(place, value, "direction", DIRECTIONS),
        size_bytes=size,
        cache=_one_of(place, value, "cache", CACHES),
        devices=tuple(devices),
        flows=_flows(place, value),
        set=_set(f"{place}.set", value.get("set")),
        role=_name(place, value, "role"),
        plainness=plainness,
        in_place=_truth(place, value, "in_place"),
        emulation=_truth(place, value, "emulation"),
    )


def _role(place: str, value: dict[str, Any]) -> Role:
    return Role(_line(place, value, "description"), _name(place, value, "table"))


def _metric(place: str, value: dict[str, Any]) -> Metric:
    return Metric(
        unit=_line(place, value, "unit"),
        better=_one_of(place, value, "better", BETTER),
        kind=_one_of(place, value, "kind", KINDS),
        description=_line(place, value, "description"),
        headline=_truth(place, value, "headline"),
        flow=_flow(f"{place}.flow", value["flow"]) if value.get("flow") is not None else None,
        alone=_truth(place, value, "alone"),
    )


def _flows(place: str, value: dict[str, Any]) -> tuple[Flow, ...]:
    flows = value.get("flows")
    if not isinstance(flows, list | None):
        raise _NotValid(f"{place}.flows is no list")
    return tuple(_flow(f"{place}.flows[{i}]", flow) for i, flow in enumerate(flows or []))


def _set(place: str, value: Any) -> DeviceSet | None:
    if value is None:
        return None
    if not isinstance(value, dict):
        raise _NotValid(f"{place} is no object")
    return DeviceSet(_name(place, value, "kind"), _text_or_null(place, value, "place"))


def _flow(place: str, value: Any) -> Flow:
    if not isinstance(value, dict) or not is_whole(value.get("device")):
        raise _NotValid(f"{place} has no device")
    return Flow(
        value["device"],
        _one_of(place, value, "direction", DIRECTIONS),
        _text_or_null(place, value, "memory"),
        _small_whole_or_null(place, value, "node"),
    )


def _message(place: str, value: Any) -> Message:
    if not isinstance(value, dict):
        raise _NotValid(f"{place} is no message with a code")
    code = _name(place, value, "code")
    return Message(code, mapping(value, "data"), _line(place, value, "text"))


def _skip(place: str, value: Any) -> Skip:
    if not isinstance(value, dict):
        raise _NotValid(f"{place} is no object")
    return Skip(text(value, "name", "unknown"), _message(f"{place}.reason", value.get("reason")))


def _why_not_gpu(transfers: dict[str, Any]) -> Message | None:
    reason = mapping(transfers, "device").get("why_not_gpu")
    return None if reason is None else _message("device.why_not_gpu", reason)


def _name(place: str, value: dict[str, Any], key: str) -> str:
    entry = value.get(key)
    if not isinstance(entry, str):
        raise _NotValid(f"{place}.{key} is {brief(entry)}, no text")
    return str(legible(entry))


def _line(place: str, value: dict[str, Any], key: str) -> str:
    """Returns a text that is shown, on one line."""
    return printable(_name(place, value, key))


def _text_or_null(place: str, value: dict[str, Any], key: str) -> str | None:
    return None if value.get(key) is None else _name(place, value, key)


def _small_whole_or_null(place: str, value: dict[str, Any], key: str) -> int | None:
    entry = value.get(key)
    if entry is not None and (not is_whole(entry) or entry > MOST_PLAINNESS):
        raise _NotValid(f"{place}.{key} is {brief(entry)}, no whole number from 0")
    return entry


def _truth(place: str, value: dict[str, Any], key: str) -> bool:
    entry = value.get(key)
    if not isinstance(entry, bool | None):
        raise _NotValid(f"{place}.{key} is neither true nor false")
    return bool(entry)


def _one_of(place: str, value: dict[str, Any], key: str, known: tuple[Any, ...]) -> Any:
    entry = value.get(key)
    if entry not in known or isinstance(entry, bool):
        raise _NotValid(f"{place}.{key} is {brief(entry)}, not {' or '.join(map(str, known))}")
    return entry
