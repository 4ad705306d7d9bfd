"""Draws who slows whom: what a device keeps of its rate while another one copies as well."""

from __future__ import annotations

from typing import Any

from plots.figures import style
from plots.figures.cells import MOST_CELLS, Cells
from plots.figures.common import Figure, make_figure
from plots.figures.layout import Layout
from plots.figures.registered import Of, figure
from plots.model.host_map import TRAFFIC, HostMap
from plots.model.no_data import NoData
from plots.text import map_caption

NOTICEABLE = 0.02  # as src/topology/report/text.cpp has it
TOLD_AS_ONE = 0.02


@figure("pairs", Of.MAP, 2)
def draw_pairs(host_map: HostMap, layout: Layout) -> Figure:
    """Draws a matrix for each kind of traffic in which a pair loses something."""
    if len(host_map.measured) < 2:
        raise NoData("the map has rates of fewer than two devices")
    if len(host_map.measured) > MOST_CELLS:
        raise NoData(f"a matrix of more than {MOST_CELLS} devices cannot be read")
    if not host_map.answers:
        raise NoData(host_map.unanswered)
    panels = _panels(host_map)
    if not panels:
        raise NoData("no device slows another down noticeably")
    names = [host_map.devices[i].name for i in host_map.measured]
    rows = [row for kinds in panels for row in _rows(host_map, kinds)]
    cells = Cells(
        data="pairs",
        rows=names,
        columns=names,
        row_title="device",
        column_title="while this one copies as well",
        layout=layout,
        tips={"device": "row", "beside": "column", "keeps": "percent", "known": "known"},
    )
    drawn = [cells.panel(_key(kinds), map_caption.traffic_words(kinds)) for kinds in panels]
    worst = min(rows, key=lambda row: row["kept"])
    return make_figure(
        map_caption.title("Who slows whom", host_map),
        layout,
        [
            map_caption.origin(host_map),
            "percent of its rate alone that the device of the row keeps (a dot: 98 % or more); "
            + _describe_sources(rows),
            "pairs only; three or more: see the links",
        ],
        cells.arrange(drawn),
        heading="Who slows whom",
        reading="Two devices that share a full link slow each other down.",
        summary=f"The largest loss: {worst['row']} keeps {worst['percent']} of its rate while "
        f"{worst['column']} copies as well ({map_caption.traffic_words(worst['kinds'])}).",
        data={"pairs": rows},
    )


def _kept(host_map: HostMap, kind: str) -> dict[tuple[str, str], tuple[float, str]]:
    pairs = host_map.answers[kind]["pairs"] if kind in host_map.answers else []
    return {
        (pair["device"], pair["other"]): (pair["kept"], pair["source"])
        for pair in pairs
        if pair["kept"] is not None
    }


def _panels(host_map: HostMap) -> list[list[str]]:
    """Returns the kinds of traffic in which something is lost; those that are alike together."""
    panels: list[list[str]] = []
    for kind in TRAFFIC:
        kept = _kept(host_map, kind)
        if not kept or min(part for part, _ in kept.values()) > 1 - NOTICEABLE:
            continue
        for kinds in panels:
            other = _kept(host_map, kinds[0])
            if all(abs(part - other[pair][0]) < TOLD_AS_ONE for pair, (part, _) in kept.items()):
                kinds.append(kind)
                break
        else:
            panels.append([kind])
    return panels


def _key(kinds: list[str]) -> str:
    return "+".join(kinds)


def _rows(host_map: HostMap, kinds: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "panel": _key(kinds),
            "kinds": kinds,
            "strategy": _key(kinds),
            "row": device,
            "column": other,
            "kept": part,
            "text": f"{100 * part:.0f}" if part < 1 - NOTICEABLE else "·",
            "percent": f"{100 * part:.1f} %",
            "known": source,
            "colour": style.kept_colour(part),
        }
        for (device, other), (part, source) in _kept(host_map, kinds[0]).items()
    ]


def _describe_sources(rows: list[dict[str, Any]]) -> str:
    """Says how many pairs were measured; a pair has two cells."""
    measured = sum(row["known"] == "measured" for row in rows)
    if measured == len(rows):
        return "all pairs were measured"
    if measured == 0:
        return "predicted from the links of the map"
    return f"{measured} of {len(rows)} cells measured, the others predicted from the links"
