"""Draws the time of one operation against size, with the lines that `advise` has fitted."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import style
from plots.figures.common import (
    Axis,
    Figure,
    compose_run_chart,
    draw_against_size,
    headlines,
    linear,
    logarithmic,
    memory_colours,
    select_drawable,
    shown_rows,
    strategy_colours,
    tooltip,
)
from plots.figures.layout import Layout
from plots.figures.points import Point, in_drawing_order, transfer_points
from plots.model.derive import DIRECTIONS, Run
from plots.model.headline import headline_strategies
from plots.model.programs import fit_name
from plots.text import caption, numbers


def draw_latency(run: Run, layout: Layout) -> Figure:
    """Draws the time of every plain transfer, and t0 + n/B of the headline strategies."""
    points, left_out = select_drawable(transfer_points(run), headlines(run, layout))
    times = [point.time_us_low for point in points] + [point.time_us_high for point in points]
    fits = _make_fit_rows(run, points)
    halves = [row for row in fits if row["half"]]
    scale, ticks = logarithmic(
        min(times + [row["time_us"] for row in fits]), max(times + [row["time_us"] for row in fits])
    )
    axis = Axis(
        field="time_us",
        title="time of one operation (µs)",
        scale=scale,
        ticks=ticks,
        other=linear(max(times)),
    )
    memories = sorted({point.memory for point in points}, key=style.memory_order)
    rows, data = draw_against_size(
        run,
        points,
        axis,
        [],
        layout,
        lambda direction: _draw_fits(direction, axis, fits, memories),
    )
    remarks = [
        *caption.describe_transfers(run, [point.repetitions for point in points]),
        left_out,
        _explain_fits(run, bool(fits), bool(halves)),
    ]
    chart = compose_run_chart("Time of transfers", run, layout, remarks, *rows)
    chart.datasets = data | {"fits": fits}
    chart.usermeta = {"axis": axis.other_form()}
    best = min(points, key=lambda point: point.time_us)
    fit_texts = "; ".join(
        f"{row['strategy']} ({row['variant']}): t0 {row['t0']}, B {row['rate']}, n½ {row['n_half']}"
        for row in halves
    )
    return Figure(
        heading="Latency against size" + (", and the fitted line" if fits else ""),
        reading=_explain_reading(bool(fits), bool(halves)),
        summary=f"The shortest operation takes {numbers.time(best.time_us * 1000)}: "
        f"{best.strategy} ({best.variant}) at {best.size}. {fit_texts}",
        chart=chart,
        strategies=strategy_colours(points),
    )


def _explain_fits(run: Run, with_fits: bool, with_halves: bool) -> str:
    """Explains the black dots and the rings, or says why there are none."""
    if with_fits:
        dots = (
            "black dots: t0 + n/B where bench_transfers advise has fitted one line (times that "
            "bend need several: see the table)"
        )
        return dots + ("; ring: n½, where half of B is reached" if with_halves else "")
    reason = run.advice.missing.get("fits")
    if not reason and run.advice.fits:
        reason = "none of the strategies to look at first is a single line (see the table)"
    return f"no fitted lines: {reason or 'bench_transfers advise has fitted none'}"


def _explain_reading(with_fits: bool, with_halves: bool) -> str:
    sentences = ["Lower is better."]
    if with_fits:
        sentences.append("Small transfers cost t0 whatever their size; large ones cost n/B.")
    if with_halves:
        sentences.append("At n½ both cost the same and half of the bandwidth B is reached.")
    return " ".join(sentences)


def _make_fit_rows(run: Run, points: list[Point]) -> list[dict[str, Any]]:
    """Returns points along t0 + n/B of the headline strategies, and n½ of each."""
    rows = []
    shown = {point.memory for point in points}
    first = headline_strategies(run)
    labels = {benchmark.label: benchmark for benchmark in in_drawing_order(run.transfers)}
    for benchmark in labels.values():
        fit = run.advice.fits.get(fit_name(benchmark))
        is_first = benchmark.strategy in first and benchmark.kind in shown
        if not is_first or fit is None or fit.lines != 1 or fit.t0_ns <= 0:
            continue
        sizes = sorted(entry.bytes for entry in run.sizes(benchmark).values() if entry.bytes)
        half = fit.half_bytes
        places = [(float(size), False) for size in sizes]
        if half and sizes[0] <= half <= sizes[-1]:
            places.append((half, True))
        rows += [
            {
                "strategy": benchmark.strategy,
                "memory": benchmark.kind,
                "variant": benchmark.variant or benchmark.direction,
                "direction": DIRECTIONS[benchmark.direction],
                "bytes": place,
                "half": is_half,
                "time_us": (fit.t0_ns + place / fit.gb_per_s) / 1000,
                "t0": numbers.time(fit.t0_ns),
                "rate": numbers.rate(fit.gb_per_s),
                "n_half": numbers.size(half) if half else "unknown",
            }
            for place, is_half in places
        ]
    return rows


def _draw_fits(
    direction: str, axis: Axis, fits: list[dict[str, Any]], memories: list[str]
) -> list[alt.Chart]:
    if not fits:
        return []
    base = shown_rows("fits", direction=direction).encode(
        x=alt.X("bytes:Q"),
        y=axis.encoding("time_us"),
        detail=[alt.Detail("strategy:N"), alt.Detail("variant:N")],
        color=memory_colours(memories),
        tooltip=tooltip(
            strategy="strategy", direction="variant", t0="t0", B="rate", n_half="n_half"
        ),
    )
    lines = base.transform_filter("!datum.half")
    return [
        # Without a bright edge, the lines of measured times would hide them.
        lines.mark_line(strokeWidth=3, opacity=0.8).encode(color=alt.ColorValue(style.PAPER)),
        lines.mark_line(strokeDash=[1, 3], strokeWidth=1.6).encode(color=alt.ColorValue(style.INK)),
        base.transform_filter("datum.half").mark_point(
            filled=False, size=130, strokeWidth=2, shape="circle"
        ),
    ]
