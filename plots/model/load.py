"""Reads result files.

What is shown is checked here; `bench_transfers` tells whether it contradicts itself (judged.py).
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from pathlib import Path
from reprlib import repr as brief
from typing import Annotated, Any

from plots.model import decode, gunzip, strict_json
from plots.model.decode import Key, Name, NotValid, key
from plots.model.disturbed import select_least_disturbed
from plots.model.values import mapping, member, printable

FORMAT = 2  # the "format" of the result files that this package reads
MOST_BYTES = 128 << 20  # as src/common/read_error.hpp
ITERATION = "iteration"  # the run_type of a row that is no aggregate
WRITTEN = (  # by whom, before each operation: docs/METHOD.md
    "written_here",
    "written_by_one",
    "written_by_one_awake",
    "written_by_all",
    "written_by_all_awake",
    "streamed",
)
Direction = Annotated[str, decode.one_of("h2d", "d2h", "both", "none")]
Flag = Annotated[
    bool, decode.that(lambda value: isinstance(value, bool | None), "neither true nor false", bool)
]


class ResultError(Exception):
    """A result file that cannot be used; the message is one line for a person."""


@dataclass(frozen=True)
class Flow:
    """Holds one of several copies at once; its device and its direction tell it from the others.

    Where the copies differ in it, `memory` is its kind of host memory, and `node` a NUMA node.
    """

    device: int  # an index
    direction: Direction
    memory: Name | None = field(default=None, compare=False)
    node: int | None = field(default=None, compare=False)


@dataclass(frozen=True)
class DeviceSet:
    """Says what the devices of several copies at once have in common."""

    kind: Name  # "all", "node", "port", "pair", "listed", "ranks"
    place: Name | None  # the number of a node, the address of a port or a root complex


@dataclass(frozen=True, kw_only=True)
class Fields:
    """Holds the fields that describe a benchmark. See docs/RESULT_FILE.md."""

    family: Name
    strategy: Name
    method: Name | None
    setting: Name | None
    memory: Name | None
    node: int | None
    variant: Name | None
    direction: Direction
    size_bytes: int | None
    cache: Annotated[str, decode.one_of("warm", "cold", *WRITTEN)]
    devices: tuple[int, ...]
    flows: tuple[Flow, ...] = ()
    set: DeviceSet | None
    role: Name
    plainness: int
    in_place: Flag
    emulation: Flag

    @property
    def label(self) -> str:
        """Returns the benchmark's name without size and cache."""
        return "/".join(filter(None, (self.strategy, self.variant)))

    @property
    def kind(self) -> str:
        """Returns what distinguishes it in its family and role: a method or a kind of memory."""
        return self.method or self.memory or self.strategy

    @property
    def warm(self) -> bool:
        """Tells whether the host's lines are as the previous operation has left them."""
        return self.cache == "warm"

    @property
    def cold(self) -> bool:
        """Tells whether caches are flushed before each operation."""
        return self.cache == "cold"


@dataclass(frozen=True)
class Role:
    """Describes what a group of benchmarks measures."""

    description: str
    table: Name


@dataclass(frozen=True)
class Metric:
    """Describes a counter. A headline metric gets a column of its own."""

    unit: str
    better: Annotated[str | None, decode.one_of("more", "less", None)]
    kind: Annotated[str, decode.one_of("duration", "rate", "share", "count", "size")]
    description: str
    headline: Flag
    flow: Flow | None
    alone: Flag


def _or_none_of_it(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


@dataclass(frozen=True)
class Message:
    """Holds a message for people; programs decide by its code and data."""

    code: Name
    data: Annotated[dict[str, Any], _or_none_of_it] = field(hash=False)  # it may be in a key
    text: str


def _named_or_unknown(name: Any) -> str:
    return printable(name) or "unknown"


@dataclass(frozen=True)
class Skip:
    """Names a benchmark that could not run, with the reason."""

    name: Annotated[str, _named_or_unknown]
    reason: Message


def _kind_of_device(kind: Any) -> str:
    if not isinstance(kind, str) or not kind:
        raise NotValid("is not said")
    return kind


def _devices_of(*flows: Flow | None) -> list[int]:
    return [flow.device for flow in flows if flow]


@dataclass(frozen=True, kw_only=True)
class Result:
    """Holds one result file: its context, and one row per repetition that counts."""

    path: Path
    context: dict[str, Any]
    rows: list[dict[str, Any]]
    data: bytes  # the whole file, not compressed
    benchmarks: dict[Key, Fields]  # by name
    roles: dict[Name, Role]
    metrics: dict[Key, Metric]
    devices: list[dict[str, Any]]
    kind: Annotated[str, _kind_of_device] = key("device.kind")
    why_not_gpu: Message | None = key("device.why_not_gpu")
    in_parts: list[dict[str, Any]] = key("parts", default_factory=lambda: [{}])
    warnings: list[Message] = field(default_factory=list)
    skipped: list[Skip] = field(default_factory=list)

    @property
    def began(self) -> Any:
        """Returns when the measurement began; of several processes the first one tells."""
        run = mapping(self.transfers, "run")
        first = self.in_parts[0] if self.in_parts and run.get("processes", 1) != 1 else {}
        return first.get("started_utc") or run.get("started_utc")

    def __post_init__(self) -> None:
        """Checks that what is named is there."""
        for row in self.rows:
            if row["name"] not in self.benchmarks:
                raise NotValid(f"{brief(row['name'])} is not in context.transfers.benchmarks")
        for name, fields in self.benchmarks.items():
            if fields.role not in self.roles:
                raise NotValid(f"the role of {brief(name)}, {brief(fields.role)}, is not in roles")
            self._require_devices(brief(name), *fields.devices, *_devices_of(*fields.flows))
        for name, metric in self.metrics.items():
            self._require_devices(f"metric {brief(name)}", *_devices_of(metric.flow))

    def _require_devices(self, name: str, *indices: int) -> None:
        if any(index >= len(self.devices) for index in (0, *indices)):
            raise NotValid(f"{name} names a device that is not in devices")

    @property
    def parts(self) -> int:
        """Counts the parts in which the run was measured, each going on with those before."""
        return 1 + sum(part.get("resumed") is not False for part in self.in_parts[1:])

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


def read_result(path: str | Path) -> Result:
    """Reads a result file, plain or compressed with gzip."""
    path = Path(path)
    return result_in(path, _read(path))


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
    except NotValid as error:
        raise ResultError(f"cannot use {path}: {error}") from error


def _result(path: Path, document: Any, data: bytes) -> Result:
    context = mapping(document, "context")
    transfers, rows = member(context, "transfers", dict), member(document, "benchmarks", list)
    if transfers is None:
        raise NotValid("it has no context.transfers")
    _check_format(path, transfers.get("format"))
    if rows is None or not all(isinstance(row, dict) for row in rows):
        raise NotValid("it has no list of benchmarks")
    repetitions = [_named(row) for row in rows if row.get("run_type", ITERATION) == ITERATION]
    return decode.read(
        Result,
        transfers,
        path=path,
        context=context,
        rows=select_least_disturbed(repetitions),
        data=data,
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
        raise NotValid(f"context.transfers.format is {brief(number)}")
    if number != FORMAT:
        raise ResultError(f"{path}: its result format is {number}, this program reads {FORMAT}")


def _named(row: dict[str, Any]) -> dict[str, Any]:
    """Returns a row whose name is its benchmark's, as `run_name` has it where that exists."""
    name = row.get("run_name", row.get("name"))
    if not isinstance(name, str) or not name:
        raise NotValid("a row of its benchmarks has no name")
    return row if row.get("name") == name else row | {"name": name}
