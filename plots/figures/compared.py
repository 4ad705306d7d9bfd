"""Draws this run's bandwidths beside published ones, each as a part of what its link carries."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, from_zero, run_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import Rows
from plots.model.derive import DIRECTIONS, Run
from plots.model.no_data import NoData
from plots.model.published import Published, read_published
from plots.text import caption, numbers

OURS, PUBLISHED = "measured here", "published by others"
LABEL_ROOM = 17  # percent of a link that the text behind a mark takes


@figure("compared", Of.RUN, 1, Question.NORMAL)
def draw_compared(run: Run, layout: Layout) -> Figure:
    """Draws a panel for each link, and a row for each strategy that others have published, too."""
    if run.on_host:
        raise NoData("without a GPU nothing that was published of GPUs compares")
    if not run.link_limit:
        raise NoData("the limit of the link is not known")
    published = [
        entry
        for entry in read_published()
        if entry.link_gb_per_s and run.rate(entry.strategy, entry.direction)
    ]
    if not published:
        raise NoData("others have published nothing of a known link that was measured here")
    rows = _make_rows(run, published, run.link_limit)
    limits = {row["link"]: row["limit"] for row in reversed(rows)}  # ours if there are two
    links = sorted(limits, key=lambda link: (link != rows[0]["link"], limits[link]))
    names = [row["row"] for row in rows if row["whose"] == OURS]
    gpus = {
        link: list(dict.fromkeys(row["gpu"] for row in rows if row["link"] == link))
        for link in links
    }
    panels: list[LayerChart] = []
    for link in links:
        heading = [f"{link}: {numbers.gb(limits[link])} GB/s"]
        heading += [] if layout.brief else gpus[link]  # a caption names them
        # Panels beside each other share their rows.
        present = {row["row"] for row in rows if layout.beside or row["link"] == link}
        shown = [name for name in names if name in present]
        width = layout.beside_names(names, max(140, 640 // len(links)))
        panels.append(_draw_panel(link, heading, shown, width, layout, not panels))
    machines = "; ".join(f"{link}: {caption.listed(gpus[link])}" for link in links)
    left = len(read_published()) - len(published)
    return run_figure(
        "Beside published figures",
        run,
        layout,
        [
            "percent of the raw rate of each link; filled: measured here, at the largest size; "
            "hollow: published by others, each of another machine and mostly by another tool, "
            "as its source states it",
            machines if layout.brief else "",
        ],
        layout.row(*panels),
        heading="Beside figures published by others",
        reading="Each panel is a kind of link. Compare percentages across panels, not rates.",
        summary=f"{len(published)} published figures stand beside {len(names)} of ours. The table "
        f"of sources also has the {left} whose link is not stated, or whose strategy was not "
        "measured here.",
        data={"compared": rows},
    )


def _make_rows(run: Run, published: list[Published], limit: float) -> list[dict[str, Any]]:
    """Returns the rows of this run, one for each strategy and direction, and then the others."""
    keys = sorted(
        {(entry.strategy, entry.direction) for entry in published},
        key=lambda key: (key[0], list(DIRECTIONS).index(key[1])),
    )
    rows = [_our_row(run, *key, limit) for key in keys]
    rows += [
        _published_row(entry, entry.link_gb_per_s) for entry in published if entry.link_gb_per_s
    ]
    _label(rows)
    return rows


def _our_row(run: Run, strategy: str, direction: str, limit: float) -> dict[str, Any]:
    measured = run.rate(strategy, direction)
    assert measured
    rate, largest = measured
    return {
        "benchmark": largest.name,
        "row": f"{strategy} {direction}",
        "strategy": strategy,
        "whose": OURS,
        "link": caption.link_name(run.result.transfers["link"]),
        "limit": limit,
        "gpu": caption.device_name(run),
        "low": 100 * rate / limit,
        "high": 100 * rate / limit,
        "rate": numbers.rate(rate),
        "tool": "bench_transfers",
        "source": f"this run, {numbers.size(largest.size_bytes or 0)}",
        "colour": style.strategy_colour(run.strategy(strategy), strategy),
    }


def _published_row(entry: Published, limit: float) -> dict[str, Any]:
    return {
        "row": f"{entry.strategy} {entry.direction}",
        "strategy": entry.strategy,
        "whose": PUBLISHED,
        "link": entry.link,
        "limit": limit,
        "gpu": entry.gpu,
        "low": 100 * entry.low / limit,
        "high": 100 * entry.high / limit,
        "rate": entry.rate,
        "tool": entry.tool,
        "source": entry.source,
        "colour": style.PUBLISHED_COLOUR,
    }


def _label(rows: list[dict[str, Any]]) -> None:
    """Adds the texts behind marks, unless another mark of the row stands where one would be."""
    for row in rows:
        behind = [
            other["low"]
            for other in rows
            if other is not row and (other["link"], other["row"]) == (row["link"], row["row"])
        ]
        is_free = all(not row["high"] <= low < row["high"] + LABEL_ROOM for low in behind)
        row["label"] = f"{row['high']:.0f} %" if is_free else ""


def _draw_panel(
    link: str, heading: list[str], names: list[str], width: int, layout: Layout, is_first: bool
) -> LayerChart:
    axis = alt.Axis(values=[0, 25, 50, 75, 100])
    value = Value("bandwidth (% of the link)", from_zero(100 + LABEL_ROOM), axis)
    tips = draw.tooltip(
        GPU="gpu",
        strategy="row",
        whose="whose",
        bandwidth="rate",
        link="link",
        tool="tool",
        source="source",
    )
    chart = draw.shown_rows("compared", link=link).encode(tooltip=tips)
    labels = is_first or not layout.beside
    rows = Rows(chart, names, layout, value, labels, grid=True).coloured()
    others = rows.only(alt.datum.whose == PUBLISHED)
    diamonds = others.base.mark_point(filled=False, shape="diamond", size=55, strokeWidth=1.5)
    labels = draw.texts(rows.base, "label", dx=8)
    return rows.panel(
        [
            others.lines("low", "high", strokeWidth=1.5),
            diamonds.encode(x=value.x("low")),
            rows.only(alt.datum.whose == OURS).points("low", 70),
            labels.encode(x=alt.X("high:Q"), color=alt.value(style.INK)),
        ],
        width,
        alt.TitleParams(heading, fontSize=12, offset=6, anchor="start", frame="group"),
    )
