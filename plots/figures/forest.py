"""Draws new runs against a baseline, as the gate has judged them: a forest plot."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, make_figure
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.forest_rows import (
    CheckedRow,
    Panel,
    as_data,
    checked_row,
    key_rows,
    line_rows,
    members,
    select,
    single_rows,
)
from plots.figures.keys import key_panel, key_place
from plots.figures.layout import Layout
from plots.figures.registered import Of, figure
from plots.figures.rows import ABOVE, Rows
from plots.model.derive import Run
from plots.model.gate import BenchmarkVerdict, Check
from plots.model.no_data import NoData
from plots.text import caption, numbers, verdict

WIDTH = 430  # of the panel, without the names on its left
TEXT_WIDTH = 56  # of the column of slowdowns
NAME_WIDTH = 300  # longer names are cut; the table and the tooltip have them in full
KEY_COLUMNS = 2
KEY_WIDTH = {"wide": 240, "column": 175, "paper": 175}  # of a column of the key
MOST_ROWS = {
    "wide": 32,
    "column": 18,
    "paper": 9,
}  # no higher than a page, with a panel for each class


@figure("forest", Of.CHECK, 1)
def draw_forest(check: Check, runs: list[tuple[int, Run]], layout: Layout) -> Figure:
    """Draws the gate's answer about the new runs, which are numbered as in the report."""
    if not check.compared:
        raise NoData("no benchmark could be compared")
    shown = select(check, MOST_ROWS[layout.name])
    panels = {
        entry.name: Panel(entry, of_class)
        for entry in check.classes
        if (of_class := members(shown, entry))
    }
    rows = [checked_row(benchmark, panels[benchmark.class_name or ""]) for benchmark in shown]
    single = [row for benchmark in shown for row in single_rows(benchmark, runs)]
    inside = [row for row in single if panels[row.class_name or ""].has(row.slowdown)]
    return make_figure(
        caption.title(
            f"New runs against the baseline: {verdict.describe_verdict(check)}", runs[0][1]
        ),
        layout,
        _make_subtitle(check, runs, shown, rows, len(single) - len(inside)),
        *(
            _draw_panel(panel, layout, is_last=number == len(panels))
            for number, panel in enumerate(panels.values(), start=1)
        ),
        _draw_key(layout),
        heading="Each benchmark against the baseline",
        reading="To the right of zero is slower. Each class of benchmarks has its own axis. The "
        "interval is of one benchmark alone; the gate asks for more: a slowdown beyond the "
        "threshold, significant among all that were compared, and shown by (nearly) every run. "
        "Hollow marks: noise would hide a slowdown of the threshold, so what is not found there is "
        "not known.",
        summary=f"{check.sentence}. {_describe_classes(check)} {_describe_extremes(check)}",
        data={
            "checked": as_data(rows),
            "single": as_data(inside),
            "lines": as_data(line_rows(shown, for_each_row=not layout.beside)),
            "key": key_rows(KEY_COLUMNS),
        },
    )


def _make_subtitle(
    check: Check,
    runs: list[tuple[int, Run]],
    shown: list[BenchmarkVerdict],
    rows: list[CheckedRow],
    outside: int,
) -> list[str]:
    last = runs[-1][1].result
    last_date = f"; the last of {len(runs)} runs {caption.date(last)}" if len(runs) > 1 else ""
    cuts = []
    if any(row.is_cut for row in rows):
        cuts.append("an arrow: the interval goes on beyond the axis")
    if outside:
        cuts.append(f"beyond the axis: {caption.count(outside, 'value')} of single runs")
    return [
        f"{caption.describe_origin(runs[0][1])}{last_date}",
        f"{verdict.describe_counts(check)}; mark: centre of the new runs; line: its 95 % interval",
        _describe_selection(check, shown),
        "; ".join(cuts),
    ]


def _describe_selection(check: Check, shown: list[BenchmarkVerdict]) -> str:
    """Says which benchmarks are shown, or nothing if all are."""
    left_out = len(check.compared) - len(shown)
    if not left_out:
        return ""
    changed = sum(benchmark.has_changed for benchmark in check.compared)
    changed_shown = sum(benchmark.has_changed for benchmark in shown)
    if changed_shown < changed:
        selection = f"the {changed_shown} worst of {changed} that are slower, ambiguous or faster"
    elif changed:
        selection = (
            f"every benchmark that is slower, ambiguous or faster ({changed}), and the largest "
            "slowdowns of the others in each class"
        )
    else:
        selection = "the largest slowdowns in each class"
    return f"shown: {selection}; the other {left_out} are in the table"


def _describe_classes(check: Check) -> str:
    return "; ".join(map(verdict.describe_class, check.classes)) + "."


def _describe_extremes(check: Check) -> str:
    slowest = max(check.compared, key=lambda benchmark: benchmark.slowdown or 0)
    fastest = min(check.compared, key=lambda benchmark: benchmark.slowdown or 0)
    parts = [
        f"{benchmark.name} has changed by {numbers.signed_percent(benchmark.slowdown or 0)} "
        f"({benchmark.words})"
        for benchmark in dict.fromkeys((slowest, fastest))
    ]
    return f"Of {len(check.compared)} compared, {' and '.join(parts)}."


def _draw_panel(panel: Panel, layout: Layout, is_last: bool) -> LayerChart:
    names = [benchmark.name for benchmark in panel.shown]
    value = Value(
        "slower by (%)" if is_last else None,
        alt.Scale(domain=list(panel.domain), nice=False),
        alt.Axis(tickCount=8, format="~f"),
    )
    width = WIDTH if layout.beside else layout.width
    plain, single, lines = (
        Rows(
            alt.Chart(alt.NamedData(data)).transform_filter(alt.datum["class"] == panel.entry.name),
            names,
            layout,
            value,
            tall=True,
            y=_names(names, layout),
        )
        for data in ("checked", "single", "lines")
    )
    tips = draw.tooltip(
        benchmark="name",
        verdict="words",
        slower_by="text",
        **{"95 %_interval": "interval"},
        p="p",
        detectable="detectable",
    )
    marks = replace(plain, chart=plain.chart.encode(tooltip=tips)).coloured()
    x = value.x("slowdown")
    ticks = _draw_ticks(single.base, **single.place)
    layers = [
        *_draw_lines(lines, x, names),
        ticks.encode(x=x, tooltip=draw.tooltip(benchmark="name", run="run", slower_by="text")),
        marks.lines("low", "high", strokeWidth=1.5),
        marks.arrows("low", "left", "datum.beyond_low", 30),
        marks.arrows("high", "right", "datum.beyond_high", 30),
        *_draw_points(marks.base.encode(x=x), **marks.place),
        *_draw_texts(plain, width, tips),
    ]
    return marks.panel(layers, width, _make_heading(panel), framed=True)


def _make_heading(panel: Panel) -> alt.TitleParams:
    entry = panel.entry
    return alt.TitleParams(
        verdict.describe_class(entry),
        subtitle=f"dashed: threshold; shown: {len(panel.shown)} of {entry.compared} compared"
        f"{'' if entry.decides else '; does not decide'}",
        fontSize=12,
        offset=6,
        anchor="start",
        frame="group",
    )


def _draw_lines(rows: Rows, x: alt.X, names: list[str]) -> list[Any]:
    """Draws zero and the threshold, in a column below the texts of each row."""
    limit, rules = style.LIMIT["raw"], rows.chart.encode(x=x)
    if not rows.layout.beside:
        y = _names(names, rows.layout, 0.5)
        rules = rules.encode(y=y, y2=alt.Y2("name:N", bandPosition=1))
    return [
        rules.transform_filter("datum.zero").mark_rule(color=style.LINE, strokeWidth=1.5),
        rules.transform_filter("!datum.zero").mark_rule(color=limit.colour, strokeDash=limit.dash),
    ]


def _names(names: list[str], layout: Layout, place: float = 0.5) -> alt.Y:
    axis = alt.Axis(
        labels=layout.beside,
        labelLimit=NAME_WIDTH,
        ticks=False,
        domain=False,
        grid=False,
        labelPadding=6,
    )
    scale = alt.Scale(type="band", domain=names, padding=0)
    return alt.Y("name:N", scale=scale, axis=axis, title=None, bandPosition=place)


def _draw_texts(rows: Rows, width: int, tips: list[alt.Tooltip]) -> list[Any]:
    """Draws the slowdowns, in a column also the names, both above the marks."""
    rows = replace(rows, chart=rows.chart.encode(tooltip=tips))
    if rows.layout.beside:
        return [rows.texts(width + TEXT_WIDTH)]
    room = width - TEXT_WIDTH - 8
    name = draw.texts(rows.base, "name", yOffset=ABOVE, dx=4, limit=room)
    return [name.encode(x=at_pixel(0)), rows.texts(width, dx=-4)]


def _draw_ticks(base: alt.Chart, **place: Any) -> Any:
    return base.mark_tick(
        orient="vertical", size=10, thickness=1, color=style.PUBLISHED_COLOUR, opacity=0.8, **place
    )


def _draw_points(base: alt.Chart, **place: Any) -> list[Any]:
    """Draws filled marks, and hollow ones if not tested; shape and colour show the verdict."""
    shape = draw.scale_by_name(
        "verdict", list(style.VERDICT), lambda name: style.verdict(name).shape, alt.Shape
    )
    filled = draw.dots(base.transform_filter("!datum.hollow"), 55, **place)
    outline = {"fill": style.PAPER, "strokeWidth": 1.6}
    hollow = draw.dots(base.transform_filter("datum.hollow"), 45, **outline, **place)
    return [
        filled.encode(shape=shape, color=draw.colour_by_field()),
        hollow.encode(shape=shape, stroke=alt.Stroke("colour:N", scale=None, legend=None)),
    ]


def _draw_key(layout: Layout) -> LayerChart:
    place = key_place(KEY_COLUMNS, 0.05)
    marks = _draw_points(place.transform_filter("!datum.tick"))
    ticks = _draw_ticks(place.transform_filter("datum.tick"))
    lines = len({row["line"] for row in key_rows(KEY_COLUMNS)})
    width = KEY_COLUMNS * KEY_WIDTH[layout.name]
    return key_panel([*marks, ticks, draw.texts(place, dx=9)], width, lines)
