"""Makes the table of the links of a host."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from plots.model.host_map import TRAFFIC, HostMap, Rate
from plots.text import numbers
from plots.text.table import Column, Table, make_table


def make_links_table(host_map: HostMap) -> Table:
    """Makes the table of a map's links and devices: what each gives, with 95 % intervals."""
    links = [
        (f"shared by {host_map.names(link.devices)}", link.capacities) for link in host_map.links
    ]
    rows = [*links, *((device.name, device.alone) for device in host_map.devices)]
    columns: list[Column[tuple[str, Mapping[str, Rate]]]] = [
        Column("link", lambda row: row[0]),
        *(column for kind in TRAFFIC for column in _traffic_columns(kind)),
    ]
    return make_table("links", "What links and devices give", rows, columns)


def _traffic_columns(kind: str) -> list[Column[tuple[str, Mapping[str, Rate]]]]:
    """Returns the columns of a kind of traffic; a rate that is not positive is not known."""

    def numbers_of(row: tuple[str, Mapping[str, Rate]]) -> list[float]:
        rate = row[1].get(kind)
        known = (rate.value, rate.low, rate.high) if rate and rate.value > 0 else ()
        return [number / 1e9 for number in known]

    def text(row: tuple[str, Mapping[str, Rate]]) -> str:
        return numbers.rate_in_interval(*known) if (known := numbers_of(row)) else "-"

    def number(place: int, row: tuple[str, Mapping[str, Rate]]) -> float | None:
        return known[place] if (known := numbers_of(row)) else None

    return [
        Column(f"{kind} [95 %]", text, key=None),
        *(
            Column("", key=f"{kind}{end}_gb_per_s", raw=partial(number, place))
            for place, end in enumerate(("", "_low", "_high"))
        ),
    ]
