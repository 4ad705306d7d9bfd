"""Draws all GPUs of a sweep side by side, with what each is slower than its peers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby, pairwise
from typing import Any

import altair as alt

from plots.figures import draw, fleet_scale, style
from plots.figures.common import Figure, Value, make_figure
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.fleet_labels import HEIGHT, label_rows
from plots.figures.fleet_places import Panel, Place, panels_of
from plots.figures.keys import key_panel
from plots.figures.layout import LETTER, Layout
from plots.figures.registered import Of, figure
from plots.figures.rows import BOLD
from plots.model.fleet import Gpu, Judgement
from plots.text import caption, fleet_caption

MOST_MARKS = 800  # GPUs with a mark of their own; of more, a bar stands for several
BARS = {"wide": 400, "column": 150, "paper": 150}
MOST_NAMED = 400  # marks of named GPUs in a panel
ALIGN_LEFT: dict[str, Any] = {"align": "left", "dx": 8}
ALIGN_RIGHT: dict[str, Any] = {"align": "right", "dx": -8}


@figure("strip", Of.SWEEP, 1)
def draw_strip(judgement: Judgement, layout: Layout) -> Figure:
    """Draws a panel for each class; named GPUs are outlined and have labels."""
    gpus = judgement.sorted_gpus()
    step = 1 if len(gpus) <= MOST_MARKS else -(-len(gpus) // BARS[layout.name])
    if step > 1:  # bars of several models would hide each other
        gpus.sort(key=lambda gpu: gpu.model)
    panels = panels_of(judgement, gpus)
    looks = _looks(gpus)
    data = {
        "marks": [row for panel in panels for row in _mark_rows(panel, looks, step)],
        "named": [row for panel in panels for row in _named_rows(panel, looks)],
        "labels": [row for panel in panels for row in label_rows(panel, len(gpus), layout)],
        "key": _key_rows(looks),
    }
    drawn = [
        _draw_panel(panel, gpus, looks, layout, step, _across(gpus, layout, panel is panels[-1]))
        for panel in panels
    ]
    return make_figure(
        fleet_caption.title("All GPUs of the sweep", judgement),
        layout,
        [
            fleet_caption.origin(judgement),
            "percent of time that a GPU is slower than healthy GPUs of its model, in the worst "
            "of its aspects of each class",
            f"{len(gpus):,} GPUs: a bar reaches from the least to the most of neighbours; GPUs "
            "that are named have marks of their own"
            if step > 1
            else "",
        ],
        layout.stack(*drawn),
        *([_draw_key(looks, layout)] if len(looks) > 1 else []),
        heading="All GPUs of the sweep",
        reading="From left to right by rack, node and slot; upwards is slower. Outlined marks are "
        "named by the judge.",
        summary=" ".join(map(_summary, panels)),
        data=data,
    )


def _looks(gpus: Sequence[Gpu]) -> dict[str, style.MarkStyle]:
    """Returns the look of each model, the most frequent first."""
    counts = Counter(gpu.model for gpu in gpus)
    ordered = sorted(counts, key=lambda model: (-counts[model], model))
    return {model: style.MODELS[i % len(style.MODELS)] for i, model in enumerate(ordered)}


def _mark_rows(panel: Panel, looks: dict[str, style.MarkStyle], step: int) -> list[dict[str, Any]]:
    """Returns a row for each GPU, or for each bar of at most `step` neighbours of one model."""
    plain = [place for place in panel.places if not place.finding]
    rows = []
    ordered = sorted(plain, key=lambda place: (place.at // step, place.gpu.model, place.at))
    for (_, model), members in groupby(ordered, lambda at: (at.at // step, at.gpu.model)):
        group = list(members)
        low, high = (choose(place.slower for place in group) for choose in (min, max))
        worst = max(group, key=lambda place: place.slower)
        rows.append(
            {
                "class": panel.name,
                "at": sum(place.at for place in group) / len(group),
                "low": round(low, 3),
                "high": round(high, 3),
                "model": model,
                "colour": looks[model].colour,
                "gpus": _group_words(group),
                "text": " to ".join(dict.fromkeys(map(fleet_caption.percent, (low, high)))),
                "aspect": fleet_caption.slow_words(worst.slow),
            }
        )
    return rows


def _group_words(group: list[Place]) -> str:
    first, last = fleet_caption.gpu_name(group[0].gpu), fleet_caption.gpu_name(group[-1].gpu)
    return first if len(group) == 1 else f"{len(group)} GPUs, {first} to {last}"


def _named_rows(panel: Panel, looks: dict[str, style.MarkStyle]) -> list[dict[str, Any]]:
    named = [(place, place.finding) for place in panel.places if place.finding]
    named.sort(key=lambda entry: -entry[0].slower)
    return [
        {
            "class": panel.name,
            "at": place.at,
            "high": round(place.slower, 3),
            "model": place.gpu.model,
            "colour": looks[place.gpu.model].colour,
            "gpus": f"{fleet_caption.gpu_name(place.gpu)} ({place.gpu.uuid})",
            "text": fleet_caption.percent(place.slower),
            "aspect": fleet_caption.slow_words(place.slow),
            "code": finding.code,
        }
        for place, finding in named[:MOST_NAMED]
    ]


def _across(gpus: Sequence[Gpu], layout: Layout, labels: bool) -> alt.X:
    """Returns the axis of GPUs, with a tick where a rack begins, or a node if racks are unknown."""
    by_rack = len({gpu.rack for gpu in gpus}) > 1
    names = [gpu.rack if by_rack else gpu.node for gpu in gpus]
    starts = {0: names[0]}
    starts |= {at: name for at, (before, name) in enumerate(pairwise(names), 1) if name != before}
    longest = LETTER * max(map(len, starts.values())) + 12
    every = max(1, -(-len(starts) * round(longest) // (layout.width - layout.axis)))
    ticks = {str(at - 0.5): starts[at] for at in list(starts)[::every]}
    axis = alt.Axis(
        values=[float(at) for at in ticks],
        labelExpr=f"{draw.literal(ticks)}[datum.value]",
        labelAlign="left",
        labels=labels,
        ticks=labels,
        grid=True,
        labelOverlap="greedy",
    )
    title = "rack" if by_rack else "node"
    scale = alt.Scale(domain=[-0.5, len(gpus) - 0.5], nice=False)
    return alt.X("at:Q", scale=scale, axis=axis, title=title if labels else None)


def _draw_panel(
    panel: Panel,
    gpus: Sequence[Gpu],
    looks: dict[str, style.MarkStyle],
    layout: Layout,
    step: int,
    x: alt.X,
) -> LayerChart:
    width, height = layout.width - layout.axis, HEIGHT[layout.name]
    scale = fleet_scale.scale(panel.ends)
    axis = fleet_scale.axis(panel.ends, height // 18, minExtent=34)
    value = Value("percent slower", scale, axis)

    def of_class(data: str) -> alt.Chart:
        chart = alt.Chart(alt.NamedData(data))
        return chart.transform_filter(alt.datum["class"] == panel.name).encode(x=x)

    shapes = _shapes(looks)
    tips = draw.tooltip(GPU="gpus", slower="text", most_in="aspect", model="model")
    marks = of_class("marks").encode(color=draw.colour_by_field(), tooltip=tips)
    zero = alt.Chart(alt.NamedData("key")).mark_rule(color=style.LINE, strokeWidth=1, aria=False)
    drawn = (
        _draw_bars(marks, value, width / BARS[layout.name])
        if step > 1
        else draw.dots(marks, max(8.0, min(30.0, 4000.0 / len(gpus))), opacity=0.85).encode(
            y=value.y("high"), shape=shapes
        )
    )
    named = draw.dots(of_class("named"), 46, stroke=style.INK, strokeWidth=1.4).encode(
        y=value.y("high"),
        shape=shapes,
        color=draw.colour_by_field(),
        tooltip=[*tips, *draw.tooltip(code="code")],
    )
    labels = [
        draw.texts(
            of_class("labels").transform_filter(f"datum.right === {flag}"), "name", **look, **BOLD
        ).encode(y=value.y("high"))
        for flag, look in (("true", ALIGN_LEFT), ("false", ALIGN_RIGHT))
    ]
    layers = [zero.encode(y=alt.YDatum(0, scale=scale)), drawn, named, *labels]
    title = draw.panel_title(fleet_caption.CLASS_WORDS.get(panel.name, panel.name), anchor="start")
    return draw.panel(layers, width, height, title)


def _draw_bars(marks: alt.Chart, value: Value, width: float) -> Any:
    """Draws bars from the least to the most of neighbours, which have so many pixels each."""
    # The square ends keep a bar of one GPU, or of equal values, visible.
    bars = marks.mark_rule(strokeWidth=max(1.0, width - 0.3), strokeCap="square", opacity=1)
    return bars.encode(y=value.y("low"), y2=alt.Y2("high:Q"))


def _key_rows(looks: dict[str, style.MarkStyle]) -> list[dict[str, Any]]:
    return [
        {"line": line, "text": model, "model": model, "colour": look.colour}
        for line, (model, look) in enumerate(looks.items())
    ]


def _draw_key(looks: dict[str, style.MarkStyle], layout: Layout) -> LayerChart:
    place = alt.Chart(alt.NamedData("key")).encode(y=alt.Y("line:O", axis=None))
    marks = draw.dots(place, 45).encode(
        x=at_pixel(6), color=draw.colour_by_field(), shape=_shapes(looks)
    )
    return key_panel(
        [marks, draw.texts(place, dx=0).encode(x=at_pixel(16))],
        layout.width - layout.axis,
        len(looks),
    )


def _shapes(looks: dict[str, style.MarkStyle]) -> Any:
    return draw.scale_by_name("model", list(looks), lambda model: looks[model].shape, alt.Shape)


def _summary(panel: Panel) -> str:
    ordered = sorted(place.slower for place in panel.places)
    cut = len(ordered) // 100
    low, high, most = map(fleet_caption.percent, (ordered[cut], ordered[-1 - cut], ordered[-1]))
    worst = max(panel.places, key=lambda place: place.slower)
    aspect = fleet_caption.slow_words(worst.slow)
    named = caption.count(sum(bool(place.finding) for place in panel.places), "GPU") or "none"
    most_of_them = "98 % of the GPUs" if cut else f"all {caption.count(len(ordered), 'GPU')}"
    return (
        f"{panel.name}: {named} named, {most_of_them} from {low} to {high}; the slowest is "
        f"{fleet_caption.gpu_name(worst.gpu)} with {most} in {aspect}."
    )
