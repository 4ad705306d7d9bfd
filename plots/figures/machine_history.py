"""Draws the runs of one machine against the time: how its rates and times have moved."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, make_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.registered import Of, figure
from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.model.no_data import NoData
from plots.model.same_gpu import Dated, longest_history
from plots.text import caption, numbers
from plots.text.side_by_side import KeyQuestion, key_questions
from plots.text.trust import injected_faults

COLUMNS = {"wide": 3, "column": 1, "paper": 1}
MOST_PANELS = {"wide": 9, "column": 7, "paper": 4}
HEIGHT = {"wide": 96, "column": 70, "paper": 90}
MOST_TICKS = {"wide": 4, "column": 5, "paper": 5}
COLOUR = style.DIRECTION["h2d"].colour
ROOM = 0.1  # an axis shows at least this part of the median below and above it
STEPS = [
    *(timedelta(minutes=step) for step in (1, 5, 15)),
    *(timedelta(hours=step) for step in (1, 3, 6, 12)),
    *(timedelta(days=step) for step in (1, 2, 7, 14)),
]
MOST_DAYS = timedelta(days=60)  # more are shown as months
MONTHS = (1, 2, 3, 6, 12, 24, 60)
MONDAY = datetime(2001, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Ticks:
    """Holds where the axis of time has ticks, in hours since the first run, and their texts."""

    hours: list[float]
    texts: list[str]


@figure("history", Of.RUNS, 4)
def draw_machine_history(runs: list[tuple[int, Run]], layout: Layout) -> Figure:
    """Draws a panel for each question: the median of each run, with its interval."""
    if any(run.on_host or injected_faults(run) for _, run in runs):
        raise NoData("runs without a GPU, or with injected faults, have no history")
    past = longest_history([run for _, run in runs])
    if len({dated.started for dated in past}) < 2:
        raise NoData("no GPU of one name and host was measured twice")
    run_numbers = {id(run): number for number, run in runs}
    panels = list(_panels(past, run_numbers))[: MOST_PANELS[layout.name]]
    if not panels:
        raise NoData("the runs of one machine have no large or small copy in common")
    ticks = _choose_ticks(past, MOST_TICKS[layout.name])
    rows = [row for _, of_panel in panels for row in of_panel]
    charts = [_draw_panel(heading, of_panel, ticks, past, layout) for heading, of_panel in panels]
    uuids = {dated.uuid for dated in past if dated.uuid}
    others = len(runs) - len(past)
    first, last = (caption.date(past[end].run.result) for end in (0, -1))
    return make_figure(
        f"{len(past)} runs over time — {caption.device_name(past[0].run)}",
        layout,
        [
            f"{first} to {last}; medians of the repetitions; line: 95 % interval of the median",
            f"beware: {len(uuids)} GPUs of the same name in hosts of the same name, by their "
            "UUIDs; lines join runs of one GPU"
            if len(uuids) > 1
            else "",
            f"{caption.count(others, 'run')} of other machines not shown here" if others else "",
        ],
        *layout.grid(charts, COLUMNS[layout.name], spacing=14),
        heading="History",
        reading="A step is an event: look at what was changed there. Axes do not begin at zero; "
        "they show at least 10 % on both sides of the median.",
        summary=" ".join(_summarise(heading, of_panel) for heading, of_panel in panels),
        data={"history": rows},
    )


def _panels(
    past: list[Dated], run_numbers: dict[int, int]
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yields for each question that two runs answer its heading, and a row for each of them.

    `run_numbers` are by the identity of the run.
    """
    asked = [{question.text: question for question in key_questions(dated.run)} for dated in past]
    for text in dict.fromkeys(text for questions in asked for text in questions):
        answers = [questions.get(text) for questions in asked]
        size = _choose_size([answer for answer in answers if answer])
        heading = f"{text}, {numbers.size(size)}"
        measured = [answer.sizes.get(size) if answer else None for answer in answers]
        newest = max(one.procedure for one in measured if one)
        rows = [
            _make_row(heading, answer, benchmark, dated, past[0].started)
            | {"of_run": run_numbers[id(dated.run)]}
            for dated, answer, benchmark in zip(past, answers, measured, strict=True)
            if answer and benchmark and benchmark.procedure == newest
        ]
        if len(rows) > 1:
            yield heading, rows


def _choose_size(answers: list[KeyQuestion]) -> int:
    """Returns the largest size that at least half of the runs have, or the smallest of a time."""
    counts = Counter(size for answer in answers for size in answer.sizes)
    enough = min(len(answers) / 2, max(counts.values()))
    sizes = [size for size, count in counts.items() if count >= enough]
    return max(sizes) if answers[0].is_rate else min(sizes)


def _make_row(
    heading: str, question: KeyQuestion, benchmark: Benchmark, dated: Dated, start: datetime
) -> dict[str, Any]:
    ends = benchmark.time_interval or (benchmark.ns, benchmark.ns)
    moved = benchmark.bytes or 0
    times = (benchmark.ns, *ends)
    at, *interval = (moved / ns if question.is_rate else ns / 1000 for ns in times)
    return {
        "benchmark": benchmark.name,
        "panel": heading,
        "strategy": benchmark.strategy,
        "hours": (dated.started - start) / timedelta(hours=1),
        "at": at,
        "low": min(interval),
        "high": max(interval),
        "is_rate": question.is_rate,
        "text": numbers.rate(at) if question.is_rate else numbers.time(benchmark.ns),
        "gpu": dated.uuid or "not known",
        "date": caption.date(dated.run.result),
        "file": caption.file_name(dated.run.result),
        "repetitions": benchmark.repetitions,
    }


def _choose_ticks(past: list[Dated], most: int) -> Ticks:
    start, end = past[0].started, past[-1].started
    choices = [
        *(_multiples(start, end, step) for step in STEPS if (end - start) / step < most),
        *(_beginnings(start, end, months) for months in MONTHS),
    ]
    places = next((places for places in choices if len(places) <= most), [])
    return Ticks(
        [(place - start) / timedelta(hours=1) for place in places],
        [_describe(place, start, end) for place in places],
    )


def _multiples(start: datetime, end: datetime, step: timedelta) -> list[datetime]:
    """Returns times a step apart. Days begin at midnight, weeks on Mondays."""
    first = -(-(start - MONDAY) // step)
    return [MONDAY + i * step for i in range(first, (end - MONDAY) // step + 1)]


def _beginnings(start: datetime, end: datetime, months: int) -> list[datetime]:
    """Returns the beginnings of months, so many apart."""
    numbers_of_months = range(12 * start.year // months * months, 12 * end.year + 12, months)
    beginnings = (
        datetime(month // 12, month % 12 + 1, 1, tzinfo=UTC) for month in numbers_of_months
    )
    return [beginning for beginning in beginnings if start <= beginning <= end]


def _describe(place: datetime, start: datetime, end: datetime) -> str:
    """Returns what distinguishes a tick: the time of day, the day or the month."""
    if place.time() != datetime.min.time():
        return f"{place:%H:%M}"
    return f"{place:%Y-%m}" if end - start > MOST_DAYS else f"{place:%m-%d}"


def _summarise(heading: str, rows: list[dict[str, Any]]) -> str:
    low, high = (choose(rows, key=lambda row: row["at"]) for choose in (min, max))
    return f"{heading}: {low['text']} to {high['text']}."


def _draw_panel(
    heading: str, rows: list[dict[str, Any]], ticks: Ticks, past: list[Dated], layout: Layout
) -> LayerChart:
    hours = (past[-1].started - past[0].started) / timedelta(hours=1)
    x = alt.X(
        "hours:Q",
        scale=alt.Scale(domain=[-0.05 * hours, 1.05 * hours], nice=False),
        axis=alt.Axis(
            values=ticks.hours,
            labelExpr=f"{json.dumps(ticks.texts)}[indexof({ticks.hours}, datum.value)]",
            grid=False,
        ),
        title=None,
    )
    scale = alt.Scale(domain=_domain(rows), nice=False)
    title = "GB/s" if rows[0]["is_rate"] else "µs"
    value = Value(title, scale, alt.Axis(tickCount=4, minExtent=34))
    base = draw.shown_rows("history", panel=heading).encode(x=x)
    line = base.mark_line(strokeWidth=1.2, color=COLOUR)
    interval = base.mark_rule(strokeWidth=1.6, color=COLOUR)
    tips = draw.tooltip(
        date="date", median="text", repetitions="repetitions", GPU="gpu", file="file"
    )
    layers = [
        line.encode(y=value.y("at"), detail=alt.Detail("gpu:N")),
        interval.encode(y=value.y("low"), y2=alt.Y2("high:Q")),
        draw.dots(base, 36, color=COLOUR).encode(y=value.y("at"), tooltip=tips),
    ]
    columns = COLUMNS[layout.name]
    width = (layout.width - 14 * (columns - 1)) // columns - layout.axis
    return draw.panel(layers, width, HEIGHT[layout.name], draw.panel_title(heading, anchor="start"))


def _domain(rows: list[dict[str, Any]]) -> list[float]:
    """Returns the ends of an axis on which noise does not look like a change."""
    middle = sorted(row["at"] for row in rows)[len(rows) // 2]
    low, high = min(row["low"] for row in rows), max(row["high"] for row in rows)
    room = 0.05 * (high - low)
    return [min(low - room, middle * (1 - ROOM)), max(high + room, middle * (1 + ROOM))]
