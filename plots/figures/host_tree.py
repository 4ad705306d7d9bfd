"""Draws which links the devices of a host share: a tree, and what each link gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, make_figure
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.host_tree_rows import Row, tree_rows
from plots.figures.keys import key_panel, key_place
from plots.figures.layout import BOLD_LETTER, LETTER, Layout, shorten
from plots.figures.registered import Of, figure
from plots.figures.rows import BOLD
from plots.model.host_map import TRAFFIC, HostMap, Rate
from plots.model.no_data import NoData
from plots.model.pcie import packet_limit
from plots.text import map_caption, numbers

MOST_DEVICES = 24  # more make the figure higher than a page: then links alone are drawn
BELOW_TEXT = 8  # pixels from the middle of a text to where a line below it begins
STEP = 12  # pixels between the levels of the tree
NOMINAL_COLOUR = style.LIMIT["packet"].colour
OFFSETS = {"h2d": -4, "d2h": 0, "both": 4}  # pixels: marks of alike rates stay apart


@dataclass(frozen=True)
class Places:
    """Holds where the parts of a row are, in pixels."""

    row: int
    names: tuple[int, int]
    marks: tuple[int, int]
    values: int
    text_offset: int
    mark_offset: int


COLUMN_PLACES = Places(36, (0, 346), (60, 346), 346, -9, 7)
MOST_NAME, VALUES_WIDTH, WIDE_MARKS = 350, 220, 580  # pixels, of the wide layout


@figure("links", Of.MAP, 1)
def draw_host_tree(host_map: HostMap, layout: Layout) -> Figure:
    """Draws the host, its shared links and its devices, each with its rates in GB/s."""
    if not host_map.measured:
        raise NoData("the map has rates of no device")
    with_devices = len(host_map.devices) <= MOST_DEVICES
    rows = tree_rows(host_map, with_devices)
    if len(rows) < 2:
        raise NoData(f"no links are shared; more than {MOST_DEVICES} devices are not drawn")
    places = _wide_places(rows) if layout.beside else COLUMN_PLACES
    data = _data(rows, places)
    shown = [kind for kind in TRAFFIC if any(mark["kind"] == kind for mark in data["rates"])]
    top = 1.05 * max(
        [mark["high"] for mark in data["rates"]] + [mark["high"] for mark in data["nominal"]]
    )
    return make_figure(
        map_caption.title("Links between host and devices", host_map),
        layout,
        [
            map_caption.origin(host_map),
            "links: what all devices below get together; devices: each alone; lines: 95 % "
            "intervals"
            + (
                "; grey: what packet headers leave of the PCI link in one direction"
                * bool(data["nominal"])
            ),
            "" if with_devices else "single devices are in the table",
        ],
        _draw_tree(len(rows), top, places),
        _draw_key(layout),
        heading="Links between host and devices",
        reading="Devices below a link share what it gives. A link that no set of copies fills "
        "cannot be seen, and is not here.",
        summary=_summary(host_map),
        data=data | {"key": _key_rows(shown)},
    )


def _wide_places(rows: list[Row]) -> Places:
    """Leaves room for the longest name."""
    widest = max(_start(row) + len(_name(row, True)) * BOLD_LETTER for row in rows)
    end = min(MOST_NAME, round(widest) + 8)
    return Places(24, (0, end), (end + 12, WIDE_MARKS), WIDE_MARKS + 12, 0, 0)


def _start(row: Row) -> int:
    return STEP * row.level + (4 if row.level else 0)


def _name(row: Row, is_wide: bool) -> str:
    """Returns the name of a row; a column has no room for the PCI link of several devices."""
    if row.pci is None or (row.is_link and not is_wide):
        return row.name
    limit = packet_limit(row.pci) if is_wide else None
    nominal = f" ({limit[0]:.1f} to {limit[1]:.1f})" if limit else ""
    return f"{row.name}, Gen{row.pci.generation} x{row.pci.width}{nominal}"


def _summary(host_map: HostMap) -> str:
    if not host_map.links:
        return "No devices share a link that holds them back."
    parts = [
        f"{host_map.names(link.devices)} share "
        + ", ".join(
            f"{kind} {numbers.gb(rate.value / 1e9)} GB/s" for kind, rate in link.capacities.items()
        )
        for link in host_map.links
    ]
    return "; ".join(parts) + "."


def _data(rows: list[Row], places: Places) -> dict[str, list[dict[str, Any]]]:
    rates = [
        _mark(line, row.name, kind, rate, places)
        for line, row in enumerate(rows)
        for kind, rate in row.known_rates.items()
    ]
    nominal = [
        {"line": line, "low": limit[0], "high": limit[1], "half": 0.3}
        for line, row in enumerate(rows)
        if (limit := packet_limit(row.pci) if row.pci else None)
    ]
    names = [_name_row(line, row, places) for line, row in enumerate(rows)]
    return {"names": names, "rates": rates, "nominal": nominal, "edges": _edges(rows, places)}


def _name_row(line: int, row: Row, places: Places) -> dict[str, Any]:
    """Returns the name and the values of a row; above the marks both share a line."""
    values = "  ".join(
        f"{kind} {numbers.gb(rate.value / 1e9)}" for kind, rate in row.known_rates.items()
    )
    start = _start(row)
    beside = places.text_offset == 0
    room = places.names[1] - start - (0 if beside else round(LETTER * len(values)) + 8)
    name = shorten(_name(row, beside), room, BOLD_LETTER if row.is_link else LETTER)
    return {"line": line, "at": start, "name": name, "link": row.is_link, "values": values}


def _edges(rows: list[Row], places: Places) -> list[dict[str, Any]]:
    """Returns for each row a line to its left, and one from there up to the row it is below."""
    edges = []
    above: dict[int, int] = {}  # the last row of each level
    offset, below = places.text_offset / places.row, BELOW_TEXT / places.row
    for line, row in enumerate(rows):
        above[row.level] = line
        if row.level:
            x, y = STEP * (row.level - 1) + 5, line + offset
            edges.append({"x": x, "y": y, "end": _start(row) - 2, "to": y})
            edges.append({"x": x, "y": above[row.level - 1] + offset + below, "end": x, "to": y})
    return edges


def _mark(line: int, name: str, kind: str, rate: Rate, places: Places) -> dict[str, Any]:
    value, low, high = (number / 1e9 for number in (rate.value, rate.low, rate.high))
    return {
        "line": line + (places.mark_offset + OFFSETS[kind]) / places.row,
        "name": name,
        "kind": kind,
        "words": map_caption.WORDS[kind],
        "value": value,
        "low": max(low, 0.0),
        "high": high,
        "colour": style.DIRECTION[kind].colour,
        "text": f"{numbers.gb(value)} GB/s",
        "interval": f"{numbers.gb(low)} to {numbers.gb(high)} GB/s",
    }


def _draw_tree(count: int, top: float, places: Places) -> LayerChart:
    scale = alt.Scale(domain=[count - 0.5, -0.5], nice=False, zero=False)
    line = alt.Y("line:Q", scale=scale, axis=None)
    pixels = alt.Scale(domain=[0, places.names[1]], range=list(places.names), nice=False)
    edges = (
        alt.Chart(alt.NamedData("edges"))
        .mark_rule(color=style.LINE, strokeWidth=1)
        .encode(
            x=alt.X("x:Q", scale=pixels, axis=None),
            x2=alt.X2("end:Q"),
            y=alt.Y("y:Q", scale=scale, axis=None),
            y2=alt.Y2("to:Q"),
        )
    )
    rows, y = alt.Chart(alt.NamedData("names")).encode(y=line), places.text_offset
    names = [
        draw.texts(
            rows.transform_filter(f"datum.link === {flag}"), "name", yOffset=y, **weight
        ).encode(x=alt.X("at:Q", scale=pixels, axis=None))
        for flag, weight in (("true", BOLD), ("false", {}))
    ]
    values = draw.texts(rows, "values", "right" if y else "left", yOffset=y)
    values = values.encode(x=at_pixel(places.values))
    both: LayerChart = LayerChart(
        layer=[
            LayerChart(layer=[edges, *names, values]),
            LayerChart(layer=_draw_marks(scale, top, places)),
        ],
        width=max(
            places.names[1],
            places.marks[1],
            places.values + (VALUES_WIDTH if not places.text_offset else 0),
        ),
        height=places.row * count,
        view=alt.ViewBackground(stroke=None),
    ).resolve_scale(x="independent")
    return both


def _draw_marks(scale: alt.Scale, top: float, places: Places) -> list[Any]:
    reach = alt.Scale(domain=[0, top], range=list(places.marks), nice=False)
    value = Value("GB/s", reach, alt.Axis(tickCount=6, format="~f"))
    nominal = (
        alt.Chart(alt.NamedData("nominal"))
        .transform_calculate(
            first=f"datum.line + {places.mark_offset / places.row} - datum.half",
            last=f"datum.line + {places.mark_offset / places.row} + datum.half",
        )
        .mark_rect(color=NOMINAL_COLOUR, opacity=0.45)
        .encode(
            x=value.x("low"),
            x2=alt.X2("high:Q"),
            y=alt.Y("first:Q", scale=scale, axis=None),
            y2=alt.Y2("last:Q"),
        )
    )
    rates = alt.Chart(alt.NamedData("rates")).encode(
        y=alt.Y("line:Q", scale=scale, axis=None), color=draw.colour_by_field()
    )
    intervals = rates.mark_rule(strokeWidth=1.5).encode(x=value.x("low"), x2=alt.X2("high:Q"))
    marks = draw.dots(rates, 45).encode(
        x=value.x("value"),
        shape=_shapes(),
        tooltip=draw.tooltip(
            link="name", traffic="words", gets="text", **{"95 %_interval": "interval"}
        ),
    )
    return [nominal, intervals, marks]


def _shapes() -> Any:
    return draw.scale_by_name(
        "kind", list(TRAFFIC), lambda kind: style.DIRECTION[kind].shape, alt.Shape
    )


def _key_rows(kinds: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "kind": kind,
            "column": column,
            "text": f"{kind}: {map_caption.WORDS[kind]}"
            if kind != "both"
            else map_caption.WORDS[kind],
            "colour": style.DIRECTION[kind].colour,
        }
        for column, kind in enumerate(kinds)
    ]


def _draw_key(layout: Layout) -> LayerChart:
    reach = [0, 480] if layout.beside else [0, 346]
    place = key_place(3, 0.06, reach, lines=False)
    marks = draw.dots(place, 45).encode(shape=_shapes(), color=draw.colour_by_field())
    return key_panel([marks, draw.texts(place, dx=7)], reach[1])
