"""Reads maps of hosts, which `bench_transfers map` writes: docs/answers.schema.json.

What is shown is read. `bench_transfers advise`, which is asked about each map, checks it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from plots.model import decode
from plots.model.decode import NotValid, key
from plots.model.files import ResultError
from plots.model.values import is_plain_number, printable

FORMAT = 1
KIND = "host_map"
TRAFFIC = ("h2d", "d2h", "both")
Number = Annotated[float, decode.that(is_plain_number, "no number", float)]  # also a huge one
UNASKED = "bench_transfers was not asked"


@dataclass(frozen=True)
class Rate:
    """Holds a rate and its 95 % interval, in bytes per second."""

    value: Number
    low: Number
    high: Number


def _rates(value: Any, kinds: tuple[str, ...] = TRAFFIC) -> dict[str, Rate]:
    entries = decode.require_object(value)
    return {kind: decode.read(Rate, entries.get(kind)) for kind in kinds}


def _rates_of_node(value: Any) -> dict[str, Rate] | None:
    return None if value is None else _rates(value, TRAFFIC[:2])


def _capacities(value: Any) -> dict[str, Rate]:
    known = {kind: entry for kind, entry in decode.require_object(value).items() if entry}
    return {kind: decode.read(Capacity, entry).rate for kind, entry in known.items()}


def _count(value: Any) -> int:
    return len(decode.require_list(value))


def _findings(value: Any) -> list[tuple[str, str]]:
    """Returns codes and sentences, which the program makes from the rest: odd ones are left out."""
    return [
        (printable(entry.get("code")), text)
        for entry in (value if isinstance(value, list) else [])
        if isinstance(entry, dict) and (text := printable(entry.get("text")))
    ]


@dataclass(frozen=True)
class Capacity:
    """Holds what a link gives."""

    rate: Rate = key("bytes_per_second")


@dataclass(frozen=True)
class Link:
    """Holds a link that devices share, and what it gives to each kind of traffic."""

    devices: frozenset[int]
    capacities: Annotated[dict[str, Rate], _capacities]


@dataclass(frozen=True)
class PciLink:
    """Holds the generation and the width of a PCI Express link."""

    generation: int
    width: int


@dataclass(frozen=True)
class Hop:
    """Holds a port on the way to a device, and its link."""

    address: str
    link: PciLink | None


@dataclass(frozen=True)
class Way:
    """Holds the ports on the way to a device, that next to the host first."""

    hops: list[Hop]


@dataclass(frozen=True)
class Device:
    """Holds a device, and its rates alone."""

    name: str
    alone: Annotated[dict[str, Rate], _rates]


@dataclass(frozen=True)
class Node:
    """Holds what each device gets from memory on a NUMA node, by direction, if it was measured."""

    node: int
    rates: list[Annotated[dict[str, Rate] | None, _rates_of_node]]


@dataclass(frozen=True)
class Errors:
    """Holds how far predictions of sets that were held out are from what was measured."""

    median: float
    p95: float


@dataclass(frozen=True, kw_only=True)
class HostMap:
    """Holds a map of a host."""

    path: Path
    data: bytes  # the whole file, not compressed
    devices: list[Device]
    ways: list[Way] = key("pci.paths")  # to the devices; none if they are not known
    links: list[Link]  # outer ones before those inside of them
    nodes: list[Node] = field(default_factory=list)
    findings: Annotated[list[tuple[str, str]], _findings]  # code and sentence
    sets: Annotated[int, _count]
    errors: Errors | None = key("held_out_errors")
    context: dict[decode.Key, Any] = field(default_factory=dict)
    # What `advise` says of all devices at once, by kind of traffic; or why it does not.
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    unanswered: str = UNASKED

    @property
    def on_host(self) -> bool:
        """Tells whether it was measured without a GPU."""
        return self.context.get("without_gpu") is True

    @property
    def measured(self) -> list[int]:
        """Lists the devices that have rates."""
        return [i for i, device in enumerate(self.devices) if is_measured(device)]

    def hops(self, device: int) -> list[Hop]:
        """Lists the ports on the way to a device, that next to the host first."""
        return self.ways[device].hops if self.ways else []

    def names(self, devices: frozenset[int]) -> str:
        """Returns the names of devices, in short where they follow each other."""
        names = [self.devices[i].name for i in sorted(devices)]
        if len(names) > 2 and max(devices) - min(devices) + 1 == len(devices):
            return f"{names[0]} to {names[-1]}"
        return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def is_measured(device: Device) -> bool:
    """Tells whether a device has rates."""
    return device.alone["h2d"].value > 0 and device.alone["d2h"].value > 0


def is_map(document: Any) -> bool:
    """Tells whether a JSON document says that it is a map of a host."""
    return isinstance(document, dict) and document.get("kind") == KIND


def parse_map(path: Path, document: Any, data: bytes) -> HostMap:
    """Parses a JSON document into a map; throws ResultError."""
    try:
        decode.require_kind(document, KIND, FORMAT)
        return decode.read(HostMap, document, path=path, data=data, answers={}, unanswered=UNASKED)
    except NotValid as error:
        raise ResultError(f"{path}: not a map of a host: {error}") from error
