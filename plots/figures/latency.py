"""Draws the time of one operation against size: a panel for each group, with t0 and n/B."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.bandwidth import choose_groups
from plots.figures.common import (
    Figure,
    Listing,
    Value,
    groups_alike,
    label_alike,
    linear,
    logarithmic,
    run_figure,
    sizes_axis,
    strategy_colours,
)
from plots.figures.compose import LayerChart, at_pixel, hconcat
from plots.figures.keys import direction_key, direction_key_rows
from plots.figures.layout import BOLD_LETTER, LETTER, Layout
from plots.figures.points import Point, transfer_points
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import name_of
from plots.model.benchmark import Benchmark
from plots.model.derive import DIRECTIONS, Run
from plots.model.groups import Group
from plots.model.programs import Fit, fit_name
from plots.text import caption, numbers

PANELS = {"wide": 6, "column": 6, "paper": 4}
PANELS_BESIDE = {"wide": 3, "column": 2, "paper": 2}
HEIGHT = {"wide": 170, "column": 130, "paper": 120}
TITLE_ROOM = 20  # pixels, of the title of an axis
TICK_OVERHANG = 12  # pixels, of the last label right of it
SPACING = 14
HALF_ABOVE = 5  # pixels above the axis
LABEL_TOPS = {"h2d": 10, "d2h": 24}  # pixels from the top of a panel
CODES = {words: code for code, words in DIRECTIONS.items()}
Row = dict[str, Any]


@figure("latency", Of.RUN, 2, Question.SMALL)
def draw_latency(run: Run, layout: Layout) -> Figure:
    """Draws the measured times, t0 + n/B where one line fits, and what t0 and n/B are alone."""
    every_point = transfer_points(run)
    groups = choose_groups(run, layout)[: PANELS[layout.name]]
    points = [p for p in every_point if p.strategy in {group.name for group in groups}]
    low, high = min(p.time_us_low for p in points), max(p.time_us_high for p in points)
    fitted = [(benchmark, fit) for group in groups for benchmark, fit in _fits(run, group)]
    low = min([low, *(fit.t0_ns / 1000 for _, fit in fitted)])
    scale, ticks = logarithmic(low, high, above=0.28)
    time = Value("time of one operation (µs)", scale, ticks)
    fits = [row for benchmark, fit in fitted for row in _make_fit_rows(benchmark, fit, points, low)]
    single = {
        (benchmark.strategy, benchmark.direction) for benchmark, fit in fitted if fit.lines == 1
    }
    others = {group.name: len(group.others) for group in groups}
    codes = [code for code in DIRECTIONS if any(CODES[p.direction] == code for p in points)]
    left_out = len({p.strategy for p in every_point}) - sum(len(group.members) for group in groups)
    listing = Listing("time_us", descending=False, value="time")
    best = min(points, key=lambda point: point.time_us)
    texts = "; ".join(_describe_fit(benchmark, fit) for benchmark, fit in fitted)
    return run_figure(
        "Time of transfers",
        run,
        layout,
        [
            caption.describe_timing([point.repetitions for point in points]),
            caption.describe_omissions(run.result),
            f"in the tables only: {left_out} more" if left_out else "",
            _explain_fits(run, bool(fits), layout),
        ],
        *_draw_rows(groups, points, time, layout),
        direction_key(codes, layout),
        heading="Latency against size" + (", and the fitted line" if fits else ""),
        reading=_explain_reading(bool(fits)),
        summary=f"The shortest operation takes {numbers.time(best.time_us * 1000)} "
        f"({best.variant}, {best.size}). {texts}",
        strategies=strategy_colours(points),
        alike=groups_alike(groups),
        data={
            "points": [_make_point_row(point, single, others[point.strategy]) for point in points],
            "fits": fits,
            "labels": [_make_label(benchmark, fit, layout) for benchmark, fit in fitted],
            "key": direction_key_rows(codes),
        },
        meta={"axis": Value(time.title or "", *linear(high)).form()} | listing.usermeta(),
    )


def _fits(run: Run, group: Group) -> list[tuple[Benchmark, Fit]]:
    """Returns what `advise` has fitted to a group's plainest strategy, once for each direction."""
    by_direction = {code: each for (code, _), each in group.members[group.name].items()}
    fits = (
        (by_direction[code], run.advice.fits.get(fit_name(by_direction[code])))
        for code in DIRECTIONS
        if code in by_direction
    )
    return [(benchmark, fit) for benchmark, fit in fits if fit and fit.t0_ns > 0]


def _make_point_row(point: Point, single: set[tuple[str, str]], others: int) -> Row:
    code = CODES[point.direction]
    look = style.DIRECTION[code]
    return asdict(point) | {
        "label": label_alike(point.strategy, others),
        "colour": look.colour,
        "shape": look.shape,
        "has_model": (point.strategy, code) in single,
    }


def _make_fit_rows(benchmark: Benchmark, fit: Fit, points: list[Point], low: float) -> list[Row]:
    """Returns points along t0, n/B and their sum, if one line fits, and n½ if it is known."""
    words = DIRECTIONS[benchmark.direction]
    sizes = [
        float(p.bytes) for p in points if (p.strategy, p.direction) == (benchmark.strategy, words)
    ]
    reaches_low = low * 1000 * fit.gb_per_s  # bytes: where n/B enters the panel
    long = [
        size for size in (reaches_low, *sizes) if max(reaches_low, sizes[0]) <= size <= sizes[-1]
    ]
    lines = {
        "t0": [(size, fit.t0_ns) for size in (sizes[0], sizes[-1])],
        "n/B": [(size, size / fit.gb_per_s) for size in long],
    }
    if fit.lines == 1:
        lines["sum"] = [(size, fit.t0_ns + size / fit.gb_per_s) for size in sizes]
    if fit.half_bytes and sizes[0] <= fit.half_bytes <= sizes[-1]:
        lines["half"] = [(fit.half_bytes, 2 * fit.half_bytes / fit.gb_per_s)]
    look = style.DIRECTION[benchmark.direction]
    of_fit = {
        "strategy": benchmark.strategy,
        "direction": words,
        "colour": look.colour,
        "t0": numbers.time(fit.t0_ns),
        "rate": numbers.rate(fit.gb_per_s),
        "n_half": numbers.size(fit.half_bytes) if fit.half_bytes else "unknown",
    }
    return [
        of_fit | {"line": line, "bytes": size, "time_us": ns / 1000}
        for line, places in lines.items()
        for size, ns in places
    ]


def _make_label(benchmark: Benchmark, fit: Fit, layout: Layout) -> Row:
    """Returns the text of a direction within its panel."""
    parts = [numbers.short_time(fit.t0_ns), f"{numbers.gb(fit.gb_per_s)} GB/s"]
    if layout.beside and fit.half_bytes:
        parts.append(numbers.size(fit.half_bytes))
    return {
        "strategy": benchmark.strategy,
        "direction": DIRECTIONS[benchmark.direction],
        "text": ", ".join(parts),
        "colour": style.text_colour(style.DIRECTION[benchmark.direction].colour),
    }


def _draw_rows(groups: list[Group], points: list[Point], time: Value, layout: Layout) -> list[Any]:
    """Returns the panels in rows."""
    beside = PANELS_BESIDE[layout.name]
    room = (layout.width - SPACING * (beside - 1)) // beside
    ticks = max(len(f"{tick:,.0f}") for tick in time.ticks.values)
    width = room - TITLE_ROOM - round(LETTER * ticks) - TICK_OVERHANG
    panels = [_draw_panel(group, points, time, layout, width, room) for group in groups]
    return [
        hconcat(*panels[first : first + beside], spacing=SPACING)
        for first in range(0, len(panels), beside)
    ]


def _draw_panel(
    group: Group, points: list[Point], time: Value, layout: Layout, width: int, room: int
) -> LayerChart:
    """Draws a panel of a width; its title has the room of all that belongs to it."""
    sizes = [point.bytes for point in points]
    x = sizes_axis(min(sizes), max(sizes), width=width)
    y = time.y("time_us")
    measured, fits = (
        draw.shown_rows(data, strategy=group.name).encode(
            x=x,
            y=y,
            color=draw.colour_by_field(),
            detail=[alt.Detail(f"{each}:N") for each in details],
        )
        for data, details in (("points", ("strategy", "variant")), ("fits", ("line", "direction")))
    )
    labels = draw.shown_rows("labels", strategy=group.name).encode(
        x=at_pixel(6), color=draw.colour_by_field()
    )
    marks = draw.dots(measured, 22).encode(
        shape=alt.Shape("shape:N", scale=None, legend=None), tooltip=draw.rate_tooltip()
    )
    height = HEIGHT[layout.name]
    half = draw.dots(
        fits.transform_filter("datum.line === 'half'"), 60, shape="triangle-up"
    ).encode(
        y=at_height(height - HALF_ABOVE),
        tooltip=draw.tooltip(strategy="strategy", t0="t0", B="rate", n_half="n_half"),
    )
    layers = [
        fits.transform_filter("datum.line === 't0' || datum.line === 'n/B'").mark_line(
            strokeDash=[4, 3], strokeWidth=1, opacity=0.8
        ),
        fits.transform_filter("datum.line === 'sum'").mark_line(strokeWidth=1.4),
        measured.transform_filter("!datum.has_model").mark_line(strokeWidth=0.8),
        marks,
        half,
        *(
            draw.texts(labels.transform_filter(alt.datum.direction == DIRECTIONS[code])).encode(
                y=at_height(top)
            )
            for code, top in LABEL_TOPS.items()
        ),
    ]
    title = draw.name_title(name_of(group.name, len(group.others), room, BOLD_LETTER))
    return draw.panel(layers, width, height, title)


def at_height(y: float) -> alt.YValue:
    """Places marks at a distance from the top of their panel."""
    return alt.YValue(y)  # type: ignore[no-untyped-call]


def _explain_fits(run: Run, with_fits: bool, layout: Layout) -> str:
    """Explains lines, triangles and texts, or says why there are none."""
    if with_fits:
        half = ", n½" if layout.beside else ""
        return (
            "dashed: t0 and n/B as bench_transfers advise has fitted them; line: their sum, where "
            "one line fits (else the points are joined); triangle: n½, where half of B is reached; "
            f"texts: t0, B{half}"
        )
    reason = run.advice.missing.get("fits")
    if not reason and run.advice.fits:
        reason = "of the strategies shown none has one (see the table)"
    return f"no fitted lines: {reason or 'bench_transfers advise has fitted none'}"


def _explain_reading(with_fits: bool) -> str:
    sentences = ["Lower is better."]
    if with_fits:
        sentences.append(
            "Small transfers cost t0 whatever their size; large ones cost n/B. n½ is the smallest "
            "size that reaches half of B. Points far above both dashed lines have a cost of their "
            "own."
        )
    return " ".join(sentences)


def _describe_fit(benchmark: Benchmark, fit: Fit) -> str:
    half = numbers.size(fit.half_bytes) if fit.half_bytes else "unknown"
    variant = benchmark.variant or benchmark.direction
    return (
        f"{benchmark.strategy} ({variant}): t0 {numbers.time(fit.t0_ns)}, "
        f"B {numbers.rate(fit.gb_per_s)}, n½ {half}"
    )
