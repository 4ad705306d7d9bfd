"""Draws by how much runs differ from the first of them, by strategy, size and direction."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.answers import place_on_axis, values_of
from plots.figures.common import Figure, Value, make_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.machines import common_strategies
from plots.figures.registered import Of, figure
from plots.figures.rows import HEADING_MARK, Rows, directions_of, strong_grid
from plots.model.benchmark import Benchmark
from plots.model.derive import DIRECTIONS, Run
from plots.model.judged import Comparison, Difference
from plots.model.no_data import NoData
from plots.text import caption, numbers, side_by_side

SHAPES = ("circle", "square", "triangle-up")
MOST_OTHERS = len(SHAPES)
# Strategies, and sizes of each: of one further run, and of several.
MOST = {"wide": (6, 5), "column": (6, 3), "paper": (4, 3)}
MOST_OF_SEVERAL = {"wide": (4, 3), "column": (3, 3), "paper": (2, 2)}
HALVES = (5, 10, 20, 30, 50, 100)  # percent, of the axis on each side of zero
INSIDE = 0.9  # the part of all marks that the axis has room for; the others are arrows
OUTSIDER: dict[str, Any] = {"dy": -6, "fontSize": 10}
SIGNED = "datum.value === 0 ? '0' : format(datum.value, '+.0f')"
OF_NEXT = 0.5  # the height of a row for a further run, as a part of that for the first


@figure("differences", Of.RUNS, 2)
def draw_differences(runs: list[tuple[int, Run]], layout: Layout) -> Figure:
    """Draws how much longer each further run takes than the first, with the interval."""
    first = runs[0][1]
    comparison = side_by_side.comparison_to_draw(runs)
    shown = runs[: 1 + MOST_OTHERS]
    names = side_by_side.run_names(runs)[: len(shown)]
    most_strategies, most_sizes = (MOST if len(shown) == 2 else MOST_OF_SEVERAL)[layout.name]
    strategies = common_strategies(shown)[:most_strategies]
    pairs = [
        (name, *pair)
        for place, (name, (_, run)) in enumerate(zip(names[1:], shown[1:], strict=True))
        for pair in _pairs(first, run, strategies, place, comparison)
    ]
    sizes = _select_sizes(shown, strategies, most_sizes)
    pairs = [pair for pair in pairs if pair[1].bytes in sizes]
    rows = [_make_row(*pair) for pair in pairs]
    if not rows:
        problems = comparison.problems or ["these runs have no plain transfer in common"]
        raise NoData(problems[0])
    half = choose_half(rows)
    rows = [row | place_on_axis(row, -half, half) for row in rows]
    directions = directions_of(rows)
    panels = [
        _draw_panel(name, rows, names, half, layout, with_names=name == directions[0])
        for name in directions
    ]
    other = "" if len(names) > 2 else f"{names[1]} "
    return make_figure(
        f"Differences in time — {other}against {names[0]}",
        layout,
        [
            f"mark: difference of the medians; line: {comparison.interval}; arrow: beyond the axis",
            _describe_omissions(runs, shown),
        ],
        layout.row(*panels, spacing=24).resolve_legend(shape="shared"),
        heading="Differences in time",
        reading=f"Right of zero is slower than {names[0]}. {side_by_side.COLOURS}",
        summary=_summarise(rows, [pair[3] for pair in pairs]),
        data={"differences": rows},
    )


def _pairs(
    first: Run, other: Run, strategies: list[str], place: int, comparison: Comparison
) -> list[tuple[Benchmark, Benchmark, Difference]]:
    """Returns the same benchmarks of two runs, with their differences."""
    return [
        (benchmark, same, difference)
        for name in strategies
        for benchmark in first.transfers
        if benchmark.strategy == name
        if (same := other.sizes(benchmark).get(benchmark.size_bytes or 0))
        if (difference := comparison.transfers[benchmark.name][place])
    ]


def _select_sizes(runs: list[tuple[int, Run]], strategies: list[str], most: int) -> set[int]:
    """Returns sizes that all runs have, from the smallest to the largest in even steps."""
    common = sorted(
        set.intersection(
            *(
                {entry.bytes or 0 for entry in run.transfers if entry.strategy in strategies}
                for _, run in runs
            )
        )
    )
    steps = min(most, len(common)) - 1
    return {common[round(i * (len(common) - 1) / max(steps, 1))] for i in range(steps + 1)}


def _make_row(
    run: str, first: Benchmark, other: Benchmark, difference: Difference
) -> dict[str, Any]:
    size = numbers.size(first.bytes or 0)
    values = values_of(difference, percent)
    return {
        "row": f"{first.strategy}|{size}",
        "strategy": first.strategy,
        "direction": DIRECTIONS[first.direction],
        "size": size,
        "bytes": first.bytes,
        "run": run,
        **values,
        "doubt": difference.doubt,
        "ink": style.text_colour(values["colour"]),
        "first": numbers.rate(first.gb_per_s or 0),
        "rate": numbers.rate(other.gb_per_s or 0),
    }


def choose_half(rows: list[dict[str, Any]]) -> int:
    """Returns how many percent the axis shows on each side of zero."""
    values = sorted(abs(row["value"]) for row in rows)
    needed = values[min(int(INSIDE * len(values)), len(values) - 1)]
    return next((half for half in HALVES if half > needed), HALVES[-1])


def percent(part: float) -> float:
    """Returns a part in percent."""
    return 100 * part


def _describe_omissions(runs: list[tuple[int, Run]], shown: list[tuple[int, Run]]) -> str:
    left_out = len(runs) - len(shown)
    return f"{caption.count(left_out, 'more run')} not shown here" if left_out else ""


def _summarise(rows: list[dict[str, Any]], differences: list[Difference]) -> str:
    counted = side_by_side.count_significant(differences)
    clear = [row for row in rows if row["clear"]]
    if not clear:
        return counted
    most = max(clear, key=lambda row: abs(row["value"]))
    return (
        f"{counted} The largest of these is that of {most['run']} in {most['strategy']}, "
        f"{most['size']}, {most['direction']}: {most['text']}."
    )


def _row_names(rows: list[dict[str, Any]]) -> list[str]:
    """Returns the names of rows: below each strategy its sizes."""
    names = []
    for strategy in dict.fromkeys(row["strategy"] for row in rows):
        of_strategy = [row for row in rows if row["strategy"] == strategy]
        names.append(f"{HEADING_MARK}|{strategy}")
        names += dict.fromkeys(
            row["row"] for row in sorted(of_strategy, key=lambda row: row["bytes"])
        )
    return names


def _draw_panel(
    direction: str,
    rows: list[dict[str, Any]],
    run_names: list[str],
    half: int,
    layout: Layout,
    with_names: bool,
) -> LayerChart:
    runs = run_names[1:]
    names = _row_names(rows)
    axis = alt.Axis(tickCount=5, labelExpr=SIGNED, grid=True, gridColor=strong_grid(0))
    scale = alt.Scale(domain=[-half, half], nice=False)
    value = Value("takes longer by (%)", scale, axis)
    several = len(runs) > 1
    legend = alt.Legend(
        title=None,
        orient="bottom",
        columns=len(runs) if layout.beside else 1,
        symbolFillColor=style.INK,
        symbolStrokeColor=style.INK,
    )
    shapes = dict(zip(runs, SHAPES, strict=False))
    shape = draw.scale_by_name(
        "run", runs, shapes.__getitem__, alt.Shape, legend if several else None
    )
    chart = draw.shown_rows("differences", direction=direction)
    if several:
        chart = chart.encode(yOffset=alt.YOffset("run:N", scale=alt.Scale(domain=runs), sort=runs))
    shown = Rows(chart, names, layout, value, with_names or not layout.beside).coloured()
    rates = {run_names[0]: "first", "this" if several else runs[0]: "rate"}
    texts = {"run": "run", "strategy": "strategy", "size": "size", "difference": "text"}
    tips = draw.tooltip(**texts | rates)
    return shown.panel(
        [
            shown.lines("from", "to", strokeWidth=1.6),
            shown.arrows("from", "left", "datum.beyond_from", 34),
            shown.arrows("to", "right", "datum.beyond_to", 34),
            shown.only("datum.is_inside").points("at", 46, shape=shape, tooltip=tips),
            *_draw_texts_of_outsiders(shown.base, value.x("at"), tips),
        ],
        layout.beside_names([name.rpartition("|")[2] for name in names], 320),
        draw.panel_title(direction),
        height=round(layout.row_height * (1 + OF_NEXT * (len(runs) - 1)) * len(names)),
    )


def _draw_texts_of_outsiders(base: alt.Chart, x: alt.X, tips: list[alt.Tooltip]) -> list[Any]:
    """Writes the value of each mark that lies beyond the axis."""
    outside = base.transform_filter("!datum.is_inside").transform_calculate(
        said="format(datum.value, '+.0f') + ' %'"
    )
    left = outside.transform_filter("datum.at < 0").mark_text(align="left", dx=8, **OUTSIDER)
    right = outside.transform_filter("datum.at > 0").mark_text(align="right", dx=-8, **OUTSIDER)
    texts = {"text": alt.Text("said:N"), "color": draw.colour_by_field("ink")}
    return [mark.encode(x=x, tooltip=tips, **texts) for mark in (left, right)]
