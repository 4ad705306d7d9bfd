"""Reads maps of hosts, which `bench_transfers map` writes: docs/MAP.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from reprlib import repr as brief
from typing import Any

from plots.model.load import ResultError
from plots.model.values import is_plain_number, is_whole, mapping, printable

FORMAT = 1
KIND = "host_map"
TRAFFIC = ("h2d", "d2h", "both")
# As src/topology/map/reader.cpp has them.
MOST_DEVICES = 64
MOST_NAME = 100
MOST_ENTRIES = 100_000
MOST_NODE = 1 << 20
MOST_COPY = 1 << 50
LEAST_SHARE = 0.001
ROUNDING = 1e-9
MOST_GAIN = 2  # of a device beside others, as src/topology/map/reader.cpp says


@dataclass(frozen=True)
class Rate:
    """Holds a rate and its 95 % interval, in bytes per second."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Link:
    """Holds a link that devices share, and what it gives to each kind of traffic."""

    devices: frozenset[int]
    capacities: dict[str, Rate]


@dataclass(frozen=True)
class PciLink:
    """Holds the generation and the width of a PCI Express link."""

    generation: int
    width: int


@dataclass(frozen=True)
class Device:
    """Holds a device: its rates alone, and the links on the way to it."""

    name: str
    alone: dict[str, Rate]
    hops: list[tuple[str, PciLink | None]]  # address and link, the port next to the host first


@dataclass(frozen=True)
class Node:
    """Holds what each device gets from memory on a NUMA node, by direction, if it was measured."""

    node: int
    rates: list[dict[str, Rate] | None]


@dataclass(frozen=True)
class HostMap:
    """Holds a map of a host."""

    path: Path
    devices: list[Device]
    links: list[Link]  # outer ones before those inside of them
    nodes: list[Node]
    findings: list[tuple[str, str]]  # code and sentence
    sets: int
    errors: tuple[float, float] | None  # median and 95th percentile of sets held out
    context: dict[str, Any] = field(default_factory=dict)
    data: bytes = b""  # the whole file, not compressed
    # What `advise` says of all devices at once, by kind of traffic; or why it does not.
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)
    unanswered: str = "bench_transfers was not asked"

    @property
    def on_host(self) -> bool:
        """Tells whether it was measured without a GPU."""
        return self.context.get("without_gpu") is True

    @property
    def measured(self) -> list[int]:
        """Lists the devices that have rates."""
        return [i for i, device in enumerate(self.devices) if is_measured(device)]

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


def parse_map(path: Path, document: Any, data: bytes = b"") -> HostMap:
    """Parses a JSON document into a map; throws ResultError."""
    try:
        return _map(path, document, data)
    except _NotValid as error:
        raise ResultError(f"{path}: not a map of a host: {error}") from error


class _NotValid(Exception):
    """What is wrong with a map."""


def _require(holds: bool, place: str, otherwise: str) -> None:
    if not holds:
        raise _NotValid(f"{place} {otherwise}")


def _map(path: Path, document: Any, data: bytes) -> HostMap:
    _require(is_map(document), "it", f"has not the kind {KIND}")
    number = document.get("format")
    _require(is_whole(number) and number >= 1, "format", f"is {brief(number)}")
    if number > FORMAT:
        raise _NotValid(
            f"its format, {brief(number)}, is newer than the newest known here, {FORMAT}"
        )
    entries = _list(document, "devices", MOST_DEVICES)
    _require(bool(entries), "devices", "is empty")
    hops = _hops(document, len(entries))
    devices = [_device(f"devices[{i}]", entry, hops[i]) for i, entry in enumerate(entries)]
    names = [device.name for device in devices]
    _require(len(set(names)) == len(names), "devices", "has a name twice")
    sets = _list(document, "sets")
    for i, entry in enumerate(sets):
        _check_set(f"sets[{i}]", entry, devices)
    for i, entry in enumerate(_list(document, "skipped")):
        _flows(f"skipped[{i}]", entry, len(devices))
        _text(f"skipped[{i}].why_not", entry.get("why_not"))
    if document.get("seconds") is not None:
        _not_negative("seconds", document["seconds"])
    _check_drifts(document, len(devices))
    return HostMap(
        path=path,
        devices=devices,
        links=_links(document, len(devices)),
        nodes=_nodes(document, len(devices)),
        findings=_findings(document),
        sets=len(sets),
        errors=_errors(document),
        context=_context(document),
        data=data,
    )


def _at(place: str, holder: Any, key: str) -> Any:
    _require(isinstance(holder, dict), place or "it", "is no object")
    _require(key in holder, place or "it", f"has no {key!r}")
    return holder[key]


def _list(holder: Any, key: str, most: int = MOST_ENTRIES, place: str = "") -> list[Any]:
    value = _at(place, holder, key)
    name = f"{place}.{key}" if place else key
    _require(isinstance(value, list), name, "is no list")
    _require(len(value) <= most, name, f"has more than {most} entries")
    return list(value)


def _number(place: str, value: Any) -> float:
    _require(is_plain_number(value), place, "is no number")
    return float(value)


def _not_negative(place: str, value: Any) -> float:
    number = _number(place, value)
    _require(number >= 0, place, "is negative")
    return number


def _between(place: str, value: Any, least: float, most: float) -> float:
    number = _number(place, value)
    _require(least <= number <= most, place, f"is {brief(value)}, not from {least} to {most}")
    return number


def _whole(place: str, value: Any, most: int, least: int = 0) -> int:
    _require(is_whole(value) and least <= value <= most, place, f"is no whole number to {most}")
    return int(value)


def _text(place: str, value: Any) -> str:
    _require(isinstance(value, str), place, "is no text")
    return printable(value)


def _rate(place: str, holder: Any, key: str) -> Rate:
    entry, name = _at(place, holder, key), f"{place}.{key}"
    value = _not_negative(f"{name}.value", _at(name, entry, "value"))
    low, high = (_number(f"{name}.{end}", _at(name, entry, end)) for end in ("low", "high"))
    slack = ROUNDING * value
    inside = low <= value + slack and value <= high + slack
    _require(inside, name, "has a value outside of its interval")
    return Rate(value, low, high)


def _device(place: str, entry: Any, hops: list[tuple[str, PciLink | None]]) -> Device:
    raw = _at(place, entry, "name")
    name = _text(f"{place}.name", raw)
    _require(0 < len(raw) <= MOST_NAME, f"{place}.name", f"has not 1 to {MOST_NAME} characters")
    alone = _at(place, entry, "alone")
    rates = {kind: _rate(f"{place}.alone", alone, kind) for kind in TRAFFIC}
    _check_shares(f"{place}.alone", alone)
    return Device(name, rates, hops)


def _hops(document: Any, devices: int) -> list[list[tuple[str, PciLink | None]]]:
    pci = _at("", document, "pci")
    _require(isinstance(_at("pci", pci, "visible"), bool), "pci.visible", "is no truth value")
    _require(isinstance(pci.get("guest") or False, bool), "pci.guest", "is no truth value")
    paths = _list(pci, "paths", MOST_DEVICES, "pci")
    _require(len(paths) in (0, devices), "pci.paths", f"has {len(paths)} for {devices} devices")
    hops = [_path(f"pci.paths[{i}]", path) for i, path in enumerate(paths)]
    return hops or [[] for _ in range(devices)]


def _path(place: str, path: Any) -> list[tuple[str, PciLink | None]]:
    for key in ("bus_id", "root_complex"):
        if _at(place, path, key) is not None:
            _text(f"{place}.{key}", path[key])
    return [
        _hop(f"{place}.hops[{i}]", hop) for i, hop in enumerate(_list(path, "hops", place=place))
    ]


def _hop(place: str, hop: Any) -> tuple[str, PciLink | None]:
    address = _text(f"{place}.address", _at(place, hop, "address"))
    if _at(place, hop, "numa_node") is not None:
        _whole(f"{place}.numa_node", hop["numa_node"], MOST_NODE)
    if _at(place, hop, "local_cpus") is not None:
        _text(f"{place}.local_cpus", hop["local_cpus"])
    link = _at(place, hop, "link")
    if link is None:
        return address, None
    numbers = {
        key: _whole(f"{place}.link.{key}", _at(f"{place}.link", link, key), 255)
        for key in ("generation", "width", "generation_max", "width_max")
    }
    return address, PciLink(numbers["generation"], numbers["width"])


def _indices(place: str, holder: Any, key: str, devices: int) -> frozenset[int]:
    entries = _list(holder, key, MOST_DEVICES, place)
    found = [_whole(f"{place}.{key}[{i}]", entry, devices - 1) for i, entry in enumerate(entries)]
    _require(len(set(found)) == len(found), f"{place}.{key}", "has a device twice")
    return frozenset(found)


def _links(document: Any, devices: int) -> list[Link]:
    entries = _list(document, "links", 2 * MOST_DEVICES)
    links = [_link(f"links[{i}]", entry, devices) for i, entry in enumerate(entries)]
    for (i, outer), (j, inner) in combinations(enumerate(links), 2):
        inside = inner.devices < outer.devices or not inner.devices & outer.devices
        _require(
            inside, f"links[{j}]", f"crosses links[{i}], repeats it, or should stand before it"
        )
    return links


def _link(place: str, entry: Any, devices: int) -> Link:
    capacities = _at(place, entry, "capacities")
    known = {}
    for kind in TRAFFIC:
        name = f"{place}.capacities"
        capacity = _at(name, capacities, kind)
        if capacity is not None:
            known[kind] = _capacity(f"{name}.{kind}", capacity)
    below = _indices(place, entry, "devices", devices)
    _require(len(below) > 1, f"{place}.devices", "has fewer than two")
    _require(bool(known), f"{place}.capacities", "has none")
    return Link(below, known)


def _capacity(place: str, entry: Any) -> Rate:
    rate = _rate(place, entry, "bytes_per_second")
    _require(rate.value > 0, f"{place}.bytes_per_second", "is not positive")
    _between(f"{place}.effect", _at(place, entry, "effect"), -1, 1)
    _between(f"{place}.p", _at(place, entry, "p"), 0, 1)
    _whole(f"{place}.sets", _at(place, entry, "sets"), MOST_ENTRIES)
    _check_shares(place, entry)
    return rate


def _check_shares(place: str, holder: Any) -> None:
    """Checks how a full link divides between the directions, if the file says it."""
    if (shares := holder.get("shares")) is None:
        return
    name = f"{place}.shares"
    parts = [
        _between(f"{name}.{key}", _at(name, shares, key), LEAST_SHARE, 1) for key in TRAFFIC[:2]
    ]
    _require(abs(sum(parts) - 1) < LEAST_SHARE, name, "has parts that do not make a whole")


def _nodes(document: Any, devices: int) -> list[Node]:
    if document.get("nodes") is None:
        return []
    nodes = [
        _node(f"nodes[{i}]", entry, devices) for i, entry in enumerate(_list(document, "nodes"))
    ]
    numbers = [node.node for node in nodes]
    _require(len(set(numbers)) == len(numbers), "nodes", "has a node twice")
    return nodes


def _node(place: str, entry: Any, devices: int) -> Node:
    number = _whole(f"{place}.node", _at(place, entry, "node"), MOST_NODE)
    rates = _list(entry, "rates", MOST_DEVICES, place)
    _require(len(rates) == devices, f"{place}.rates", f"has {len(rates)} for {devices} devices")
    if entry.get("why_not") is not None:
        _text(f"{place}.why_not", entry["why_not"])
    return Node(
        number,
        [
            None
            if rate is None
            else {kind: _rate(f"{place}.rates[{i}]", rate, kind) for kind in TRAFFIC[:2]}
            for i, rate in enumerate(rates)
        ],
    )


def _flows(place: str, entry: Any, devices: int) -> list[tuple[int, str]]:
    """Returns device and direction of each copy of a set, in the order of its rates."""
    copies = [(i, key) for key in TRAFFIC[:2] for i in _indices(place, entry, key, devices)]
    _require(bool(copies), place, "has no copies")
    return sorted(copies, key=lambda copy: copy[0])


def _check_set(place: str, entry: Any, devices: list[Device]) -> None:
    copies = _flows(place, entry, len(devices))
    _require(
        isinstance(_at(place, entry, "held_out"), bool), f"{place}.held_out", "is no truth value"
    )
    for key in ("measured", "predicted"):
        rates = _list(entry, key, 2 * MOST_DEVICES, place)
        told = f"has {len(rates)} rates for {len(copies)} copies"
        _require(len(rates) == len(copies), f"{place}.{key}", told)
        for i, (rate, (device, way)) in enumerate(zip(rates, copies, strict=True)):
            own = devices[device].alone[way].value
            _require(
                _not_negative(f"{place}.{key}[{i}]", rate) <= MOST_GAIN * own or own == 0,
                f"{place}.{key}[{i}]",
                "is more than twice what the device gets alone",
            )


def _check_drifts(document: Any, devices: int) -> None:
    """Checks what older files do not have."""
    if document.get("drifts") is None:
        return
    for i, entry in enumerate(_list(document, "drifts")):
        place = f"drifts[{i}]"
        _whole(f"{place}.device", _at(place, entry, "device"), devices - 1)
        kind = _at(place, entry, "traffic")
        _require(kind in TRAFFIC, f"{place}.traffic", "is not h2d, d2h or both")
        rates = _list(entry, "rates", place=place)
        for k, rate in enumerate(rates):
            _require(
                _not_negative(f"{place}.rates[{k}]", rate) > 0,
                f"{place}.rates[{k}]",
                "is not positive",
            )
        _require(len(rates) >= 2, f"{place}.rates", "has fewer than two rates")


def _errors(document: Any) -> tuple[float, float] | None:
    place = "held_out_errors"
    entry = _at("", document, place)
    if entry is None:
        return None
    _whole(f"{place}.sets", _at(place, entry, "sets"), MOST_ENTRIES)
    _whole(f"{place}.flows", _at(place, entry, "flows"), MOST_ENTRIES * MOST_DEVICES)
    median, p95 = (
        _not_negative(f"{place}.{key}", _at(place, entry, key)) for key in ("median", "p95")
    )
    return median, p95


def _findings(document: Any) -> list[tuple[str, str]]:
    """Returns codes and sentences, which the program makes from the rest: odd ones are left out."""
    entries = document.get("findings")
    return [
        (printable(entry.get("code")), text)
        for entry in (entries if isinstance(entries, list) else [])
        if isinstance(entry, dict) and (text := printable(entry.get("text")))
    ]


def _context(document: Any) -> dict[str, Any]:
    """Returns how it was measured, as far as the file says it."""
    place, context = "context", document.get("context")
    if context is None:
        return {}
    _require(isinstance(context, dict), place, "is no object")
    if context.get("without_gpu") is not None:
        _require(
            isinstance(context["without_gpu"], bool), f"{place}.without_gpu", "is no truth value"
        )
    if context.get("size_bytes") is not None:
        _whole(f"{place}.size_bytes", context["size_bytes"], MOST_COPY, 1)
    for key in ("date", "git_commit"):
        if context.get(key) is not None:
            _text(f"{place}.{key}", context[key])
    return mapping(document, place)
