"""Draws GPUs over sweeps: since when each of the troubled ones is slow."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import draw, fleet_scale, style
from plots.figures.common import Figure, Value, make_figure
from plots.figures.compose import LayerChart, hconcat, vconcat
from plots.figures.layout import LETTER, Layout, shorten
from plots.figures.registered import Of, figure
from plots.model.fleet_history import History, Trace
from plots.model.no_data import NoData
from plots.text import caption, fleet_caption

MOST_PANELS = {"wide": 12, "column": 6, "paper": 2}
COLUMNS = {"wide": 3, "column": 1, "paper": 1}
HEIGHT = 92
SLOW = "#d55e00"


@figure("gpus", Of.HISTORY, 1)
def draw_history(history: History, layout: Layout) -> Figure:
    """Draws a small panel for each troubled GPU, or for each aspect of a single one."""
    if len(history.sweeps) < 2:
        raise NoData("the history has fewer than two sweeps")
    panels = _panels(history)
    if not panels:
        raise NoData("no GPU was named in any of these sweeps")
    shown = panels[: MOST_PANELS[layout.name]]
    columns = min(COLUMNS[layout.name], len(shown))
    width = (layout.width - 40 * columns) // columns - 14
    rows, bands, starts = [], [], []
    charts = []
    for i, (trace, aspect) in enumerate(shown):
        slower = trace.slower[aspect]
        band = _band(history, aspect, trace.model)
        rows += [_point(history, i, trace, sweep, v) for sweep, v in enumerate(slower)]
        bands += [{"panel": i, "sweep": sweep, "low": lo, "high": hi} for sweep, lo, hi in band]
        if trace.since is not None and aspect == trace.aspect:
            starts.append({"panel": i, "at": trace.since - 0.5})
        values = [value for value in slower if value is not None]
        values += [end for _, *both in band for end in both]
        small = fleet_scale.small(history, history.aspect(aspect).class_name)
        ends = fleet_scale.domain(values, small)
        heading = _heading(history, trace, aspect)
        charts.append(_draw_panel(i, heading, history, ends, width, first=i % columns == 0))
    left_out = len(panels) - len(shown)
    grid = vconcat(
        *(hconcat(*charts[i : i + columns], spacing=12) for i in range(0, len(charts), columns)),
        spacing=10,
    )
    return make_figure(
        f"GPUs over {caption.count(len(history.sweeps), 'sweep')} — {_models(history)}",
        layout,
        [
            f"{fleet_caption.sweep_name(history, 0)} to "
            f"{fleet_caption.sweep_name(history, len(history.sweeps) - 1)}; percent of time "
            "slower than healthy GPUs of the model; grey: 98 of 100 GPUs of it that were "
            "never named",
            "filled squares: the GPU, its node or its rack was named; dashed: where the "
            "present trouble begins",
            f"{caption.count(left_out, 'more')} in the table" if left_out else "",
        ],
        grid,
        heading="GPUs over sweeps",
        reading="A step is an event: look at what was changed there. A slope, or marks that come "
        "and go, are heat or other users.",
        summary=" ".join(
            sentence.text for sentence in fleet_caption.history_sentences(history)[:6]
        ),
        data={"points": rows, "bands": bands, "starts": starts},
    )


def _models(history: History) -> str:
    names = list(dict.fromkeys(trace.model for trace in history.gpus))
    return caption.counted_names([trace.model for trace in history.gpus]) if len(names) < 4 else ""


def _panels(history: History) -> list[tuple[Trace, str]]:
    """Lists GPUs and aspects: all that a single GPU has, or that of each one's trouble."""
    if len(history.gpus) == 1:
        trace = history.gpus[0]
        return [(trace, aspect) for aspect in trace.slower]
    return [(trace, aspect) for trace in history.troubled if (aspect := _aspect(trace))]


def _aspect(trace: Trace) -> str:
    """Returns the aspect of the trouble, or that in which the GPU was slowest when named."""
    if trace.aspect in trace.slower:
        return trace.aspect
    worst = [
        (slower, aspect)
        for aspect, numbers in trace.slower.items()
        for sweep, slower in enumerate(numbers)
        if slower is not None and (sweep in trace.named or not trace.named)
    ]
    return max(worst, default=(0.0, ""))[1]


def _band(history: History, aspect: str, model: str) -> list[tuple[int, float, float]]:
    """Returns for each sweep what 98 of 100 GPUs of the model are within."""
    band = []
    for sweep in range(len(history.sweeps)):
        numbers = sorted(
            value
            for trace in history.gpus
            if trace.model == model and aspect in trace.slower and not trace.named
            if (value := trace.slower[aspect][sweep]) is not None
        )
        if len(numbers) > 4:
            cut = len(numbers) // 100
            band.append((sweep, numbers[cut], numbers[-1 - cut]))
    return band


def _point(
    history: History, panel: int, trace: Trace, sweep: int, slower: float | None
) -> dict[str, Any]:
    named = sweep in trace.named
    return {
        "panel": panel,
        "sweep": sweep,
        "slower": slower,
        "name": fleet_caption.sweep_name(history, sweep),
        "text": "not measured" if slower is None else fleet_caption.percent(slower),
        "gpu": f"{fleet_caption.gpu_name(trace)} ({trace.uuid})",
        "named": named,
        "said": "named" if named else "not named",
    }


def _heading(history: History, trace: Trace, aspect: str) -> str:
    name = f"{fleet_caption.gpu_name(trace)}: {fleet_caption.short_aspect(history.aspect(aspect))}"
    if trace.since is None or aspect != trace.aspect:
        return name
    return f"{name} since {_day(history, trace.since)}"


def _day(history: History, sweep: int) -> str:
    """Returns a sweep in few letters: month and day, or its name."""
    name = fleet_caption.sweep_name(history, sweep)
    return name[5:] if len(name) == 10 and name[4] == "-" else name


def _draw_panel(
    panel: int,
    heading: str,
    history: History,
    ends: fleet_scale.Ends,
    width: int,
    first: bool,
) -> LayerChart:
    short = [_day(history, sweep) for sweep in range(len(history.sweeps))]
    room = max(map(len, short)) * LETTER + 14
    every = max(1, -(-len(short) * round(room) // width))
    scale = alt.Scale(domain=[-0.5, len(short) - 0.5], nice=False)
    axis = alt.Axis(
        values=list(range(0, len(short), every)),
        labelExpr=f"{draw.literal(short)}[datum.value]",
        labelLimit=80,
        grid=False,
    )
    x = alt.X("sweep:Q", scale=scale, axis=axis, title=None)

    value = Value(
        "percent slower" if first else None,
        fleet_scale.scale(ends),
        fleet_scale.axis(ends, 5, minExtent=30),
    )

    def of_panel(data: str) -> alt.Chart:
        chart = alt.Chart(alt.NamedData(data))
        return chart.transform_filter(alt.datum.panel == panel).encode(x=x)

    band = of_panel("bands").mark_area(color=style.PEERS, opacity=1)
    line = of_panel("points").mark_line(strokeWidth=1.4, color=SLOW)
    start = of_panel("starts").mark_rule(strokeDash=[4, 3], color=style.INK)
    points = of_panel("points").transform_filter("isValid(datum.slower)")
    tips = draw.tooltip(sweep="name", slower="text", GPU="gpu", judged="said")
    hollow = {"fill": style.PAPER, "stroke": SLOW, "strokeWidth": 1.2}
    plain, named = (
        draw.dots(points.transform_filter(f"datum.named === {flag}"), size, **look).encode(
            y=value.y("slower"), tooltip=tips
        )
        for flag, size, look in (
            ("false", 22, {"shape": "circle", **hollow}),
            ("true", 46, {"shape": "square", "fill": SLOW}),
        )
    )
    layers = [
        band.encode(y=value.y("low"), y2=alt.Y2("high:Q")),
        start.encode(x=alt.X("at:Q", scale=scale, axis=axis, title=None)),
        line.encode(y=value.y("slower")),
        plain,
        named,
    ]
    return draw.panel(layers, width, HEIGHT, draw.name_title(shorten(heading, width + 20, 6.6)))
