"""Lists the links and devices of a host as the rows of a tree."""

from __future__ import annotations

from dataclasses import dataclass

from plots.model.host_map import HostMap, Link, PciLink, Rate


@dataclass(frozen=True)
class Row:
    """Holds a link or a device, and its level in the tree."""

    name: str
    level: int
    rates: dict[str, Rate]
    pci: PciLink | None
    is_link: bool

    @property
    def known_rates(self) -> dict[str, Rate]:
        """Returns the rates above zero, by kind of traffic."""
        return {kind: rate for kind, rate in self.rates.items() if rate.value > 0}


def tree_rows(host_map: HostMap, with_devices: bool) -> list[Row]:
    """Returns the rows from top to bottom, the host first."""
    rows = [Row("host", 0, {}, None, True)]
    everything = frozenset(range(len(host_map.devices)))
    _add_below(host_map, everything, list(host_map.links), 1, with_devices, rows)
    return rows


def _add_below(
    host_map: HostMap,
    devices: frozenset[int],
    links: list[Link],
    level: int,
    with_devices: bool,
    rows: list[Row],
) -> None:
    """Adds links and devices of a set by their first device; outer links come first in a map."""
    left = sorted(devices)
    while left:
        first = left[0]
        link = next((link for link in links if first in link.devices), None)
        if link is None:
            device = host_map.devices[first]
            if with_devices:
                hops = host_map.hops(first)
                pci = hops[-1].link if hops else None
                rows.append(Row(device.name, level, device.alone, pci, False))
            left.remove(first)
            continue
        name = f"{host_map.names(link.devices)} share"
        rows.append(Row(name, level, link.capacities, _port(host_map, link), True))
        inside = [other for other in links if other.devices < link.devices]
        _add_below(host_map, link.devices, inside, level + 1, with_devices, rows)
        left = [other for other in left if other not in link.devices]


def _port(host_map: HostMap, link: Link) -> PciLink | None:
    """Returns the port nearest to the host that has exactly these devices below it."""
    below: dict[str, set[int]] = {}
    ports: dict[str, PciLink | None] = {}
    for i in range(len(host_map.devices)):
        for hop in host_map.hops(i):
            below.setdefault(hop.address, set()).add(i)
            ports[hop.address] = hop.link
    for hop in host_map.hops(min(link.devices)):
        if below[hop.address] == link.devices:
            return ports[hop.address]
    return None
