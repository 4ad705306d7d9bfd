"""Draws what memory costs to allocate and to free."""

from __future__ import annotations

import math
from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.bandwidth import LABEL_DISTANCE, move_apart
from plots.figures.common import (
    ZOOM,
    Figure,
    Listing,
    colour_by_field,
    compose_run_chart,
    groups_alike,
    label_alike,
    logarithmic,
    memory_colours,
    panel_title,
    scale_by_name,
    shown_rows,
    sizes_axis,
    tooltip,
)
from plots.figures.compose import LayerChart, at_pixel
from plots.figures.layout import LETTER, Layout
from plots.figures.registered import Of, Question, figure
from plots.model.derive import NoData, Run
from plots.model.groups import Group, Series, group_alike
from plots.model.judged import Alike
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
    memories = sorted({row["memory"] for row in rows}, key=style.memory_order)
    sizes = [row["bytes"] for row in rows]
    scale, ticks = logarithmic(min(r["us"] for r in rows), max(r["us"] for r in rows))
    roles = [role for role in ROLES if any(row["role"] == role for row in rows)]
    names = {group.name: label_alike(group.name, len(group.others)) for group in groups}
    label_room = round(LETTER * max(map(len, names.values()))) + GAP
    beside = len(roles) if layout.beside else 1
    width = (layout.width - GAP) // beside - layout.axis - label_room
    height = max(layout.panel_height, LABEL_DISTANCE * (len(names) + 1))
    labels = [
        label for role in roles for label in _make_labels(role, rows, names, scale.domain, height)
    ]
    panels = []
    for role in roles:
        across = sizes_axis(min(sizes), max(sizes), "size of the block", width)
        colour = memory_colours(memories)
        y = alt.Y("us:Q", scale=scale, axis=ticks, title="time (µs)")
        base = shown_rows("costs", role=role).encode(
            x=across, y=y, color=colour, detail=alt.Detail("memory:N")
        )
        dash = scale_by_name("memory", memories, style.memory_dash, alt.StrokeDash)
        shape = scale_by_name("memory", memories, style.memory_shape, alt.Shape)
        tips = tooltip(
            memory="memory", alike="alike", size="size", time="time", for_a_GiB="per_gib"
        )
        marks = base.mark_point(filled=True, size=26, opacity=1).encode(shape=shape, tooltip=tips)
        zoom = alt.selection_interval(bind="scales", zoom=ZOOM, name=f"zoom_{role}")
        ends = shown_rows("labels", role=role).encode(
            x=at_pixel(width),
            y=alt.Y("place:Q", scale=scale, axis=ticks, title="time (µs)"),
            text=alt.Text("label:N"),
            color=colour_by_field(),
        )
        panels.append(
            LayerChart(
                layer=[
                    base.mark_line().encode(strokeDash=dash),
                    marks.add_params(zoom),
                    ends.mark_text(align="left", dx=8, fontSize=11, clip=False),
                ],
                title=panel_title(ROLES[role], "start"),
                width=width,
                height=height,
            )
        )
    largest = max(sizes)
    dearest = max((r for r in rows if r["bytes"] == largest), key=lambda row: float(row["us"]))
    return Figure(
        heading="Allocation and page-locking",
        reading="Lower is better. Memory that is allocated once and used often costs next to "
        "nothing for each use; memory that is allocated for each transfer adds all of its cost."
        + f" {_alike(run).text}"
        * any(group.others for group in groups),
        summary=f"At {numbers.size(largest)} the most expensive is {dearest['name']}: "
        f"{dearest['time']}.",
        chart=compose_run_chart(
            "Allocating memory and freeing it",
            run,
            layout,
            [
                "median; lock_…: cudaHostRegister alone; dotted: device memory; pools are warm; "
                "both scales are logarithmic"
            ],
            layout.row(*panels, spacing=GAP),
            data={"costs": rows, "labels": labels},
            meta=Listing("us", descending=False, value="time", place="role").usermeta(),
        ),
        strategies=[(memory, style.memory_colour(memory)) for memory in memories],
        alike=groups_alike(groups),
    )


def _groups(run: Run) -> list[Group]:
    """Groups kinds of memory that cost the same at every size."""
    by_memory: dict[str, Series] = {}
    benchmarks = [one for one in run.with_role(*ROLES) if one.bytes and not one.cold]
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
