"""How the repetitions of a benchmark are distributed: steps in the curve are modes."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots import caption, numbers, style
from plots.derive import NoData, Run
from plots.figures.common import SHOWN, Figure, by_name, headline, memory_colours, page, tooltip

LEAST = 3  # fewer repetitions make no distribution


def samples(run: Run) -> Figure:
    """The strategies to look at first, at a small, a middle and a large size."""
    names = headline(run)
    found = [
        one
        for one in run.transfers
        if "/".join(one.name.split("/")[:2]) in names and one.repetitions >= LEAST
    ]
    if not found:
        raise NoData(f"no plain transfer has {LEAST} repetitions")
    every = sorted({one.bytes or 0 for one in found})
    sizes = list(dict.fromkeys((every[0], every[len(every) // 2], every[-1])))
    rows: list[dict[str, Any]] = []
    for one in found:
        if one.bytes not in sizes:
            continue
        family, memory = one.name.split("/")[:2]
        times = sorted(one.values("median_ns"))
        for i, ns in enumerate(times):
            rows.append(
                {
                    "strategy": f"{family}/{memory}",
                    "memory": memory,
                    "family": family,
                    "direction": one.direction,
                    "bytes": one.bytes,
                    "size": numbers.size(one.bytes),
                    "relative": 100 * (ns / one.ns - 1),
                    "share": (i + 1) / len(times),
                    "time": numbers.time(ns),
                    "place": f"{i + 1} of {len(times)}",
                }
            )
    low, high = min(row["relative"] for row in rows), max(row["relative"] for row in rows)
    memories = sorted({row["memory"] for row in rows}, key=style.memory_order)
    families = sorted({row["family"] for row in rows}, key=style.family_order)
    strategies = [name for name in names if any(row["strategy"] == name for row in rows)]
    panels = []
    for direction in ("host → device", "device → host"):
        line = [
            _panel(direction, size, memories, families)
            for size in sizes
            if any(row["bytes"] == size and row["direction"] == direction for row in rows)
        ]
        if line:
            panels.append(alt.hconcat(*line, spacing=16))
    chart = page(
        "Distribution of repetitions",
        run,
        caption.subtitle(
            run,
            "share of the repetitions that took at most so long, against their median; each "
            "repetition is itself the median of its operations",
        ),
        *panels,
        _key(strategies),
    )
    chart.datasets = {
        "samples": rows,
        "key": [
            {
                "strategy": name,
                "family": name.split("/")[0],
                "memory": name.split("/")[1],
                "column": i % 3 + place,
                "text": name if place == 0.2 else "",
                "line": i // 3,
            }
            for i, name in enumerate(strategies)
            for place in (0.0, 0.2)
        ],
    }
    widest = max(rows, key=lambda row: abs(row["relative"]))
    return Figure(
        heading="Distribution of samples",
        reading="A steep curve is a steady benchmark. Two steps are two modes: the median of "
        "such a benchmark hides one of them.",
        summary=f"Repetitions lie between {low:+.1f} % and {high:+.1f} % of their medians; the "
        f"farthest is {widest['strategy']} at {widest['size']}.",
        chart=chart,
        strategies=[(name, style.memory_colour(name.split("/")[1])) for name in strategies],
    )


def _panel(direction: str, size: int, memories: list[str], families: list[str]) -> alt.LayerChart:
    base = (
        alt.Chart(alt.NamedData("samples"))
        .transform_filter(alt.datum.direction == direction)
        .transform_filter(alt.datum.bytes == size)
        .transform_filter(SHOWN)
        .encode(
            x=alt.X("relative:Q", title="against the median (%)", axis=alt.Axis(tickCount=5)),
            y=alt.Y(
                "share:Q",
                scale=alt.Scale(domain=[0, 1.02], nice=False),
                axis=alt.Axis(format=".0%", tickCount=5),
                title="repetitions (%)",
            ),
            color=memory_colours(memories),
            detail="strategy:N",
        )
    )
    lines = base.mark_line(interpolate="step-after", strokeWidth=1.6).encode(
        strokeDash=by_name("family", families, style.family_dash, alt.StrokeDash)
    )
    marks = base.mark_point(filled=True, size=22, opacity=1).encode(
        shape=by_name("memory", memories, style.memory_shape, alt.Shape),
        tooltip=tooltip(strategy="strategy", size="size", time="time", repetition="place"),
    )
    heading = alt.TitleParams(
        f"{direction}, {numbers.size(size)}", fontSize=12, offset=4, anchor="middle"
    )
    return alt.LayerChart(layer=[lines, marks], title=heading, width=205, height=150)


def _key(strategies: list[str]) -> alt.LayerChart:
    memories = sorted({name.split("/")[1] for name in strategies}, key=style.memory_order)
    families = sorted({name.split("/")[0] for name in strategies}, key=style.family_order)
    place = (
        alt.Chart(alt.NamedData("key"))
        .transform_filter(SHOWN)
        .encode(
            x=alt.X("column:Q", axis=None, scale=alt.Scale(domain=[-0.1, 3], nice=False)),
            y=alt.Y("line:O", axis=None),
            color=memory_colours(memories),
            detail="strategy:N",
        )
    )
    lines = place.mark_line().encode(
        strokeDash=by_name("family", families, style.family_dash, alt.StrokeDash)
    )
    marks = (
        place.transform_filter("datum.text")
        .mark_point(filled=True, size=30, opacity=1)
        .encode(shape=by_name("memory", memories, style.memory_shape, alt.Shape))
    )
    text = (
        place.transform_filter("datum.text")
        .mark_text(align="left", dx=8, fontSize=11)
        .encode(text="text:N", color=alt.value(style.INK))
    )
    return alt.LayerChart(
        layer=[lines, marks, text],
        width=640,
        height=18 * -(-len(strategies) // 3),
        view=alt.ViewBackground(stroke=None),
    )
