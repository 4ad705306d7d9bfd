"""Draws what memory costs to allocate and to free."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.bandwidth import LABEL_DISTANCE, move_apart
from plots.figures.common import (
    Figure,
    Listing,
    Value,
    groups_alike,
    label_alike,
    logarithmic,
    run_figure,
    sizes_axis,
)
from plots.figures.compose import LayerChart
from plots.figures.layout import LETTER, Layout
from plots.figures.registered import Of, Question, figure
from plots.model.derive import Run
from plots.model.groups import Group, Series, group_alike
from plots.model.judged import Alike
from plots.model.no_data import NoData
from plots.text import caption, numbers

ROLES = {"allocation": "allocate, touch and lock", "deallocation": "free"}
GAP = 22  # pixels, between panels and around labels
Row = dict[str, Any]


@figure("allocation", Of.RUN, 3, Question.COST)
def draw_allocation(run: Run, layout: Layout) -> Figure:
    """Draws the time to allocate and to free, against size: a line for kinds that are alike."""
    groups = _groups(run)
    rows = [row for group in groups for row in _make_rows(group)]
    if not rows:
        raise NoData("what memory costs to allocate was not measured")
    time = Value("time (µs)", *logarithmic(*(pick(r["us"] for r in rows) for pick in (min, max))))
    roles = [role for role in ROLES if any(row["role"] == role for row in rows)]
    names = {row["memory"]: row["label"] for row in rows}
    label_room = round(LETTER * max(map(len, names.values()))) + GAP
    beside = len(roles) if layout.beside else 1
    width = (layout.width - GAP) // beside - layout.axis - label_room
    height = max(layout.panel_height, LABEL_DISTANCE * (len(names) + 1))
    panels = [_draw_panel(role, rows, time, width, height) for role in roles]
    largest = max(row["bytes"] for row in rows)
    dearest = max((r for r in rows if r["bytes"] == largest), key=lambda row: float(row["us"]))
    return run_figure(
        "Allocating memory and freeing it",
        run,
        layout,
        [
            "median; lock_…: cudaHostRegister alone; dotted: device memory; pools are warm; "
            "both scales are logarithmic"
        ],
        layout.row(*panels, spacing=GAP),
        heading="Allocation and page-locking",
        reading="Lower is better. Memory that is allocated once and used often costs next to "
        "nothing for each use; memory that is allocated for each transfer adds all of its cost."
        + f" {_alike(run).text}"
        * any(group.others for group in groups),
        summary=f"At {numbers.size(largest)} the most expensive is {dearest['name']}: "
        f"{dearest['time']}.",
        strategies=[(memory, style.memory_colour(memory)) for memory in _memories(rows)],
        alike=groups_alike(groups),
        data={
            "costs": rows,
            "labels": [
                label
                for role in roles
                for label in _make_labels(role, rows, names, time.scale.domain, height)
            ],
        },
        meta=Listing("us", descending=False, value="time", place="role").usermeta(),
    )


def _memories(rows: list[Row]) -> list[str]:
    return sorted({row["memory"] for row in rows}, key=style.memory_order)


def _draw_panel(role: str, rows: list[Row], time: Value, width: int, height: int) -> LayerChart:
    memories, sizes = _memories(rows), [row["bytes"] for row in rows]
    base = draw.shown_rows("costs", role=role).encode(
        x=sizes_axis(min(sizes), max(sizes), "size of the block", width),
        y=time.y("us"),
        color=draw.memory_colours(memories),
        detail=alt.Detail("memory:N"),
    )
    dash = draw.scale_by_name("memory", memories, style.memory_dash, alt.StrokeDash)
    shape = draw.scale_by_name("memory", memories, style.memory_shape, alt.Shape)
    tips = draw.tooltip(
        memory="memory", alike="alike", size="size", time="time", for_a_GiB="per_gib"
    )
    layers = [
        base.mark_line().encode(strokeDash=dash),
        draw.zoomed(draw.dots(base, 26).encode(shape=shape, tooltip=tips), role),
        draw.end_labels(time.y("place"), width, role=role),
    ]
    return draw.panel(layers, width, height, draw.panel_title(ROLES[role], "start"))


def _groups(run: Run) -> list[Group]:
    """Groups kinds of memory that cost the same at every size."""
    by_memory: dict[str, Series] = {}
    benchmarks = [one for one in run.with_role(*ROLES) if one.bytes and one.warm]
    for benchmark in sorted(benchmarks, key=lambda one: style.memory_order(one.kind)):
        series = by_memory.setdefault(benchmark.kind, {})
        series[benchmark.role, benchmark.bytes or 0] = benchmark
    return group_alike(by_memory, _alike(run))


def _alike(run: Run) -> Alike:
    return run.judged.alike.get(("allocation", None), Alike())


def _make_rows(group: Group) -> list[Row]:
    return [
        {
            "benchmark": benchmark.name,
            "name": benchmark.strategy,
            "label": label_alike(group.name, len(group.others)),
            "role": role,
            "memory": group.name,
            "strategy": group.name,
            "alike": caption.listed(group.others) if group.others else "none",
            "bytes": size,
            "size": numbers.size(size),
            "us": benchmark.ns / 1000,
            "time": numbers.time(benchmark.ns),
            "per_gib": numbers.time(benchmark.ns * 2**30 / size),
        }
        for (role, size), benchmark in group.members[group.name].items()
    ]


def _make_labels(
    role: str, rows: list[Row], names: dict[str, str], domain: list[float], height: int
) -> list[Row]:
    """Returns the labels at the right ends of lines, moved apart on the logarithmic axis."""
    ends: dict[str, Row] = {}
    for row in rows:
        if row["role"] == role and row["bytes"] >= ends.get(row["memory"], row)["bytes"]:
            ends[row["memory"]] = row
    # From the top, where lines lie close together.
    ordered = sorted(ends.values(), key=lambda row: -float(row["us"]))
    low, high = map(math.log10, domain)
    distance = LABEL_DISTANCE * (high - low) / height
    places = move_apart([high - math.log10(row["us"]) for row in ordered], distance)
    return [
        {
            "role": role,
            "memory": row["memory"],
            "strategy": row["memory"],
            "label": names[row["memory"]],
            "colour": style.text_colour(style.memory_colour(row["memory"])),
            "place": 10 ** (high - place),
        }
        for row, place in zip(ordered, places, strict=True)
    ]
