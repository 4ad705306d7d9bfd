"""Draws answers: bars with their intervals, coloured if they are clear, and a text beside each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.layout import LETTER, Layout
from plots.figures.rows import GAP, Row, Rows
from plots.model.judged import VERDICTS, Difference, Gain

COLUMN_BARS = 0.55  # the part of a column that is for bars: texts stand on their right


def values_of(said: Gain | Difference, on_axis: Callable[[float], float]) -> Row:
    """Returns what is drawn of an answer, in the unit of the axis."""
    low, high = (said.value if end is None else end for end in (said.low, said.high))
    colour = style.verdict(said.known if said.known in VERDICTS else "unchanged").colour
    ends = {"value": on_axis(said.value), "low": on_axis(low), "high": on_axis(high)}
    # Grey says already that a difference with an interval is not clear.
    doubt = said.doubt if said.low is None else ""
    told = {"text": said.text, "answer": f"{said.text}{doubt}"}
    return {**ends, **told, "clear": said.known in VERDICTS, "colour": colour}


def place_on_axis(row: Row, start: float, end: float) -> Row:
    """Returns where the mark and its line are drawn: what is beyond the axis, at its end."""

    def inside(value: float) -> float:
        return min(max(value, start), end)

    return {
        "at": inside(row["value"]),
        "from": inside(row["low"]),
        "to": inside(row["high"]),
        "is_inside": start < row["value"] < end,
        "beyond_from": row["low"] < start,
        "beyond_to": row["high"] > end,
    }


def anchor(layout: Layout) -> Any:
    """Returns where the title of the axis stands: in a column it may be longer than the axis."""
    return "middle" if layout.beside else "start"


def room_for_bars(layout: Layout, rows: list[Row], panels: int = 1) -> int:
    """Returns how wide the bars of a panel are; several panels have no texts beside them."""
    if not layout.beside:
        return round(COLUMN_BARS * layout.width)
    names, texts = (max(len(row.get(field, "")) for row in rows) for field in ("name", "answer"))
    room = layout.width - LETTER * names - GAP
    return round(room - LETTER * texts - 2 * GAP if panels == 1 else room / panels - 2 * GAP)


def draw_answers(
    rows: Rows, width: int, tips: list[alt.Tooltip], title: Any = alt.Undefined, texts: bool = True
) -> LayerChart:
    """Returns a panel of bars that begin at zero, perhaps with texts beside them."""
    layout = rows.layout
    names, rows = rows.names_above("name"), rows.only("isValid(datum.at)").coloured()
    height = {"band": 0.62} if layout.beside else 11
    look: Any = {"stroke": style.LINE, "strokeOpacity": 0.6}
    band = rows.base.mark_bar(height={"band": 1} if layout.beside else 15, **look, **rows.place)
    bar = rows.base.mark_bar(height=height, **rows.place)
    ink = {"color": alt.ColorValue(style.INK)}
    layers: list[Any] = [
        band.encode(
            x=rows.value.x("least"), x2=alt.X2("most:Q"), color=alt.ColorValue(style.PEERS)
        ),
        bar.encode(x=rows.value.x("at"), x2=alt.datum(0), tooltip=tips),
        rows.lines("from", "to", strokeWidth=1.5).encode(**ink),
        rows.arrows("from", "left", "datum.beyond_from", 34, **ink),
        rows.arrows("to", "right", "datum.beyond_to", 34, **ink),
        *names,
    ]
    if not layout.beside:
        layers.append(rows.texts(layout.width, "answer", **rows.place).encode(**ink))
    elif texts:
        layers.append(draw.texts(rows.base, "answer").encode(x=at_pixel(width + GAP), **ink))
    return rows.panel(layers, width if layout.beside else layout.width, title)
