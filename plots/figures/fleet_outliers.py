"""Draws each part of a fleet that is named against its peers."""

from __future__ import annotations

import math
from statistics import median
from typing import Any

import altair as alt

from plots.figures import draw, fleet_scale, style
from plots.figures.common import Figure, Value, make_figure
from plots.figures.compose import LayerChart
from plots.figures.keys import key_panel, key_place
from plots.figures.layout import Layout, shorten
from plots.figures.registered import Of, figure
from plots.figures.rows import Rows
from plots.model.fleet import PEERS, Aspect, Finding, Judgement, Slow
from plots.model.no_data import NoData
from plots.text import caption, fleet_caption
from plots.text.fleet_caption import SCOPE_NOUNS

WIDTH, TEXT_WIDTH, NAMES_WIDTH = 380, 130, 330  # pixels, of the wide layout
MOST_ROWS = {"wide": 30, "column": 18, "paper": 10}
MOST_OF_A_PART = 3


@figure("outliers", Of.SWEEP, 3)
def draw_outliers(judgement: Judgement, layout: Layout) -> Figure:
    """Draws the slowest aspects of each finding with intervals, over the range of the peers."""
    pairs = [
        (finding, slow) for finding in judgement.findings for slow in finding.slow[:MOST_OF_A_PART]
    ]
    if not pairs:
        raise NoData("no part is named as slow")
    pairs.sort(key=lambda pair: -pair[1].slower)
    shown = pairs[: MOST_ROWS[layout.name]]
    peers = _Peers(judgement)
    rows = [_row(i, finding, slow, peers, layout) for i, (finding, slow) in enumerate(shown)]
    class_name = "link" if any(slow.aspect.class_name == "link" for _, slow in shown) else "host"
    numbers = [row[key] for row in rows for key in ("low", "high", "least", "most")]
    small = fleet_scale.small(judgement, class_name)
    ends = fleet_scale.domain([number for number in numbers if number is not None], small)
    left_out = len(pairs) - len(shown)
    return make_figure(
        fleet_caption.title("What is named, against its peers", judgement),
        layout,
        [
            fleet_caption.origin(judgement),
            "mark and line: percent of time slower, and the 95 % interval; bars: 98 of 100 and "
            "half of the parts of the same kind and model that are not named",
            f"{caption.count(left_out, 'more line')} in the table" if left_out else "",
        ],
        _draw_rows(rows, ends, layout),
        _draw_key(rows),
        heading="What is named, against its peers",
        reading="A part far to the right of the bars of its row is slow. Single benchmarks have no "
        "bars: the scores are of what they have in common.",
        summary=f"The slowest: {rows[0]['name']}, {rows[0]['text']}.",
        data={
            "slow": rows,
            "key": [
                {
                    "column": i,
                    "scope": s,
                    "text": SCOPE_NOUNS[s],
                    "colour": style.SCOPE[s].colour,
                }
                for i, s in enumerate(_scopes(rows))
            ],
        },
    )


class _Peers:
    """Gives the slowdowns of all parts of a kind and model in an aspect."""

    def __init__(self, judgement: Judgement) -> None:
        self._judgement = judgement
        self._places = {
            (aspect.class_name, aspect.direction, aspect.together): i
            for i, aspect in enumerate(judgement.aspects)
        }
        self._known: dict[tuple[str, str, Aspect], list[float]] = {}
        self._named = {
            (finding.class_name, finding.scope, finding.name) for finding in judgement.findings
        }

    def of(self, finding: Finding, aspect: Aspect) -> list[float]:
        """Returns the sorted slowdowns of the peers; empty if they are not known."""
        place = self._places.get((aspect.class_name, aspect.direction, aspect.together))
        model = self._model(finding)
        if place is None or model is None:
            return []
        key = (finding.scope, model, aspect)
        if key not in self._known:
            self._known[key] = self._list(finding, model, place)
        return self._known[key]

    def _model(self, finding: Finding) -> str | None:
        gpus = self._judgement.gpus
        return next((gpu.model for gpu in gpus if finding.has(gpu)), None)

    def _list(self, finding: Finding, model: str, place: int) -> list[float]:
        of_part: dict[str, dict[str, list[float]]] = {}
        for gpu in self._judgement.gpus:
            slower = gpu.slower[place]
            if gpu.model != model or slower is None:
                continue
            if not any((finding.class_name, *part) in self._named for part in gpu.parts.items()):
                part = gpu.parts[finding.scope]
                of_part.setdefault(part, {}).setdefault(gpu.node, []).append(slower)
        return sorted(median(map(median, nodes.values())) for nodes in of_part.values())


def _quantile(ordered: list[float], part: float) -> float:
    return ordered[min(len(ordered) - 1, math.floor(part * len(ordered)))]


def _row(index: int, finding: Finding, slow: Slow, peers: _Peers, layout: Layout) -> dict[str, Any]:
    is_compared = finding.reference == PEERS and not slow.benchmark
    others = peers.of(finding, slow.aspect) if is_compared else []
    least, low_half, high_half, most = (
        (round(_quantile(others, part), 3) for part in (0.01, 0.25, 0.75, 0.99))
        if others
        else (None,) * 4
    )
    text = fleet_caption.percent_in_interval(slow.slower, slow.interval)
    name = f"{SCOPE_NOUNS[finding.scope]} {fleet_caption.part_name(finding)}"
    whole = f"{name}: {slow.benchmark or fleet_caption.short_aspect(slow.aspect)}"
    room = NAMES_WIDTH if layout.beside else layout.width - 6.1 * (len(text) + 2)
    label = shorten(whole, room)
    return {
        "row": f"{index}|{label}",
        "label": label,
        "name": whole,
        "scope": finding.scope,
        "code": finding.code,
        "slower": slow.slower,
        "low": slow.interval[0],
        "high": slow.interval[1],
        "text": text,
        "least": least,
        "low_half": low_half,
        "high_half": high_half,
        "most": most,
        "peers": f"{len(others)}" if others else "not known",
        "colour": style.SCOPE[finding.scope].colour,
    }


def _draw_rows(rows: list[dict[str, Any]], ends: fleet_scale.Ends, layout: Layout) -> LayerChart:
    width = WIDTH if layout.beside else layout.width
    axis = fleet_scale.axis(ends, width // 45, grid=True)
    value = Value("percent slower", fleet_scale.scale(ends), axis)
    names = [row["row"] for row in rows]
    shown = Rows(alt.Chart(alt.NamedData("slow")), names, layout, value, tall=True)
    with_peers, coloured = shown.only("isValid(datum.least)"), shown.coloured()
    tips = draw.tooltip(part="name", slower="text", code="code", peers="peers")
    return shown.panel(
        [
            with_peers.bars("least", "most", 5, style.PEERS),
            with_peers.bars("low_half", "high_half", 10, style.PEERS_MIDDLE),
            coloured.lines("low", "high", strokeWidth=1.6),
            coloured.points("slower", 55, shape=_shapes(rows), tooltip=tips),
            shown.texts(width + TEXT_WIDTH * layout.beside),
            *shown.names_above("label"),
        ],
        width,
    )


def _scopes(rows: list[dict[str, Any]]) -> list[str]:
    return [scope for scope in SCOPE_NOUNS if any(row["scope"] == scope for row in rows)]


def _shapes(rows: list[dict[str, Any]]) -> Any:
    return draw.scale_by_name(
        "scope", _scopes(rows), lambda scope: style.SCOPE[scope].shape, alt.Shape
    )


def _draw_key(rows: list[dict[str, Any]]) -> LayerChart:
    place = key_place(3, 0.1, [0, 240], lines=False)
    marks = draw.dots(place, 55).encode(color=draw.colour_by_field(), shape=_shapes(rows))
    return key_panel([marks, draw.texts(place, dx=9)], 240)
