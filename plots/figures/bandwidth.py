"""Draws bandwidth against size, one panel per direction, with the limits of the link."""

from __future__ import annotations

from plots.figures.common import (
    LABEL_HEIGHT,
    Axis,
    Figure,
    compose_run_chart,
    draw_against_size,
    headlines,
    linear,
    link_limits,
    logarithmic,
    select_drawable,
    strategy_colours,
)
from plots.figures.layout import Layout
from plots.figures.points import transfer_points
from plots.model.derive import Run
from plots.text import caption, numbers


def draw_bandwidth(run: Run, layout: Layout) -> Figure:
    """Draws every plain transfer."""
    points, left_out = select_drawable(transfer_points(run), headlines(run, layout))
    limits = link_limits(run)
    top = max([point.gb_per_s_high for point in points] + [limit.high for limit in limits])
    scale, ticks = linear(top)
    axis = Axis(
        field="gb_per_s",
        title="bandwidth (GB/s)" if layout.brief else "bandwidth (GB/s, 1 GB = 1000³ B)",
        scale=scale,
        ticks=ticks,
        other=logarithmic(
            min(point.gb_per_s_low for point in points), top, LABEL_HEIGHT / layout.panel_height
        ),
    )
    rows, data = draw_against_size(run, points, axis, limits, layout)
    remarks = [*caption.describe_transfers(run, [point.repetitions for point in points]), left_out]
    chart = compose_run_chart("Bandwidth of transfers", run, layout, remarks, *rows)
    chart.datasets = data
    chart.usermeta = {"axis": axis.other_form()}
    best = max(points, key=lambda point: point.gb_per_s)
    return Figure(
        heading="Bandwidth against size",
        reading=f"Higher is better. {_explain_limits(run, bool(limits))} The band around a line "
        "reaches from the fastest to the slowest repetition.",
        summary=f"The highest bandwidth is {numbers.rate(best.gb_per_s)}: {best.strategy} "
        f"({best.variant}) at {best.size}.",
        chart=chart,
        strategies=strategy_colours(points),
    )


def _explain_limits(run: Run, has_limits: bool) -> str:
    if run.on_host:
        return "Rates beyond what memory delivers are copies within caches."
    if has_limits:
        return "Lines at the top: what the link carries, and what packet headers leave of it."
    return "What the link can carry is not known."
