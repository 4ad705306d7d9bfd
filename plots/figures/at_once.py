"""Draws the rates of several copies at once beside those of each alone."""

from __future__ import annotations

from typing import Any

import altair as alt

from plots.figures import draw, style
from plots.figures.common import Figure, Value, from_zero, make_figure
from plots.figures.compose import LayerChart
from plots.figures.keys import DIRECTION_WORDS, direction_key, direction_key_rows
from plots.figures.layout import LETTER, Layout, shorten
from plots.figures.registered import Of, figure
from plots.figures.rows import BOLD, HEADING_MARK, Rows
from plots.model import values
from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.model.no_data import NoData
from plots.text import caption, numbers
from plots.text.caption import device_ids

WIDTH, TEXT_WIDTH = 400, 190  # pixels, of the wide layout
NAMES_WIDTH = 420
SUMMARY_WIDTH = 700  # of the name of a set in a sentence
MOST_ROWS = {"wide": 36, "column": 24, "paper": 9}  # no higher than a page
DIRECTION_ORDER = ("h2d", "d2h", "both")


@figure("at_once", Of.DEVICES, 1)
def draw_at_once(run: Run, layout: Layout) -> Figure:
    """Draws each copy of each set at its largest size: hollow alone, filled at once."""
    sets = _largest(run)
    if not sets:
        raise NoData("no copies at once were measured")
    groups = [rows for benchmark in sets if (rows := _rows(run, benchmark, layout))]
    if not groups:
        raise NoData("the rates of single copies at once are not in the file")
    data, left_out = _select(groups, MOST_ROWS[layout.name])
    copies = [row for row in data if row["at_once"] is not None]
    codes = list(dict.fromkeys(row["direction"] for row in copies))
    names = [row["row"] for row in data]
    worst = min(copies, key=lambda row: row["part"])
    return make_figure(
        f"Copies at once — {caption.all_devices(run)}",
        layout,
        [
            caption.describe_origin(run),
            "hollow: the copy alone; filled: while the others of its set copy; "
            "medians of the repetitions, at the largest size of each set",
            f"{caption.count(left_out, 'more set')} in the table" if left_out else "",
        ],
        _draw_rows(names, max(max(row["alone"], row["at_once"]) for row in copies), layout),
        direction_key(codes, layout),
        heading="Copies at once",
        reading="The longer a line, the more a copy loses to the others of its set.",
        summary=f"The largest loss: {worst['name']} of {shorten(worst['set'], SUMMARY_WIDTH)} gets "
        f"{worst['rate']} at once and {worst['rate_alone']} alone.",
        data={"copies": data, "key": direction_key_rows(codes)},
    )


def _select(groups: list[list[dict[str, Any]]], most: int) -> tuple[list[dict[str, Any]], int]:
    """Returns the rows of as many groups as there is room for, and how many are left out."""
    shown: list[dict[str, Any]] = []
    left_out = 0
    for rows in groups:
        if shown and len(shown) + len(rows) > most:
            left_out += 1
        else:
            shown += rows[:most]
    return shown, left_out


def _largest(run: Run) -> list[Benchmark]:
    """Returns the largest size of each set with warm caches; pinned memory and large sets first."""
    largest: dict[str, Benchmark] = {}
    for benchmark in run.benchmarks:
        if not benchmark.flows or not benchmark.warm:
            continue
        before = largest.get(benchmark.label)
        if before is None or (benchmark.size_bytes or 0) > (before.size_bytes or 0):
            largest[benchmark.label] = benchmark
    return sorted(
        largest.values(),
        key=lambda benchmark: (
            benchmark.memory != "pinned",
            benchmark.memory or "",
            -len(benchmark.devices),
            DIRECTION_ORDER.index(benchmark.direction)
            if benchmark.direction in DIRECTION_ORDER
            else len(DIRECTION_ORDER),
            benchmark.label,
        ),
    )


def _rows(run: Run, benchmark: Benchmark, layout: Layout) -> list[dict[str, Any]]:
    """Returns a heading and a row for each copy that has both rates."""
    ids = device_ids(run)
    copies = []
    for flow in benchmark.flows:
        metrics = run.result.metrics
        at_once = benchmark.of_flow(metrics, flow, "rate", alone=False)
        alone = benchmark.of_flow(metrics, flow, "rate", alone=True)
        if not at_once or not alone or at_once < 0 or alone < 0:
            continue
        name = " ".join(filter(None, (ids[flow.device], flow.direction, flow.memory)))
        rate, rate_alone = numbers.rates(at_once, alone)
        change = numbers.change(at_once / alone - 1)
        text = f"{numbers.gb(at_once)} of {numbers.gb(alone)} ({change})"
        label = shorten(name, _room(text, layout))
        copies.append(
            {
                "row": f"{benchmark.name}|{label}",
                "name": name,
                "label": label,
                "set": benchmark.name,
                "alone": alone,
                "at_once": at_once,
                "part": at_once / alone,
                "rate": rate,
                "rate_alone": rate_alone,
                "text": text,
                "change": change,
                "colour": style.DIRECTION[flow.direction].colour
                if flow.direction in style.DIRECTION
                else style.PUBLISHED_COLOUR,
                "direction": flow.direction,
            }
        )
    if not copies:
        return []
    text = f"{numbers.gb(benchmark.gb_per_s or 0)} in all"
    before, devices, after = _heading(run, benchmark)
    room = _room(text, layout) - LETTER * len(before + after)
    label = f"{before}{shorten(devices, room)}{after}"
    heading = {
        "row": f"{HEADING_MARK}{benchmark.name}|{label}",
        "name": f"{before}{devices}{after}",
        "label": label,
        "alone": None,
        "at_once": None,
        "text": text,
        "colour": style.INK,
    }
    return [heading, *copies]


def _room(text: str, layout: Layout) -> float:
    """Returns the pixels of a name: on the left, or above the marks before the text."""
    return NAMES_WIDTH if layout.beside else layout.width - LETTER * (len(text) + 2)


def _heading(run: Run, benchmark: Benchmark) -> tuple[str, str, str]:
    """Returns the name of a set in parts; the devices in the middle may be many."""
    direction = DIRECTION_WORDS.get(benchmark.direction, "mixed")
    memory = benchmark.memory or "mixed"
    if benchmark.node is not None:
        memory += f"@node{benchmark.node}"
    size = numbers.size(benchmark.size_bytes or 0)
    return f"{memory}, {direction}, ", _devices(run, benchmark), f", {size}"


def _devices(run: Run, benchmark: Benchmark) -> str:
    """Returns what the devices have in common, or their names."""
    ids = device_ids(run)
    if len(benchmark.devices) == len(ids):
        return "all"
    if benchmark.set is not None and benchmark.set.place is not None:
        words = {"node": "next to node", "port": "below"}.get(benchmark.set.kind, "")
        return f"{words} {values.printable(benchmark.set.place)}".lstrip()
    return "+".join(ids[i] for i in benchmark.devices)


def _draw_rows(names: list[str], top: float, layout: Layout) -> LayerChart:
    width = WIDTH if layout.beside else layout.width
    axis = alt.Axis(tickCount=6, format="~f", grid=layout.beside)
    value = Value("GB/s", from_zero(1.05 * top), axis)
    rows = Rows(alt.Chart(alt.NamedData("copies")), names, layout, value, tall=True)
    copies = rows.only("isValid(datum.alone)").coloured()
    tips = draw.tooltip(
        copy="name", set="set", at_once="rate", alone="rate_alone", changes_by="change"
    )
    right = width + TEXT_WIDTH * layout.beside
    return rows.panel(
        [
            # The line ends at the hollow mark, which hides it.
            copies.lines("alone", "at_once", strokeWidth=2),
            copies.points("alone", 45, filled=False),
            copies.points("at_once", 45, tooltip=tips),
            rows.only("isValid(datum.alone) === true").texts(right),
            rows.only("isValid(datum.alone) === false").texts(right, **BOLD),
            *rows.names_above("label"),
        ],
        width,
    )
