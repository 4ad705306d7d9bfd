"""Fast paths against the plain way, and what they take of the CPU."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt

from plots import numbers
from plots.derive import Benchmark, NoData, Run
from plots.figures.bars import HEADS, Bars, colour_of, from_zero
from plots.figures.common import Figure, page
from plots.layout import Layout


@dataclass(frozen=True)
class Question:
    """Something to do, the plain way to do it, and faster ones; names without their size."""

    title: str
    plain: str
    fast: tuple[str, ...]


ROUND_TRIPS = ("overlap/", "gpu_array/round_trip/")
QUESTIONS = [
    *(
        Question(
            f"ordinary memory, {way}",
            f"copy/pageable/{way}",
            tuple(
                f"copy/{name}/{way}" for name in ("staged", "register_once", "register_once_huge")
            ),
        )
        for way in ("h2d", "d2h")
    ),
    *(
        Question(
            f"blocks of {block.replace('K', ' K')}, {way}",
            f"scatter/loop/{block}_blocks/pinned/{way}",
            tuple(
                f"scatter/{name}/{block}_blocks/pinned/{way}"
                for name in ("batch", "gather_kernel", "pack")
            ),
        )
        for way in ("h2d", "d2h")
        for block in ("4KiB", "64KiB")
    ),
    Question(
        "up, work, down (pinned)",
        "overlap/pinned/serial",
        ("overlap/pinned/chosen", "overlap/pinned/pieces_32"),
    ),
    Question(
        "up, work, down (ordinary)",
        "overlap/pageable/serial",
        ("overlap/pageable/chosen",),
    ),
    Question(
        "(2 * to_gpu(a)).get()",
        "gpu_array/round_trip/pageable/expression/float32",
        ("gpu_array/round_trip/pageable/staged/float32",),
    ),
    Question(
        "a message and its answer", "message/memcpy", ("message/graph", "message/mapped_flag")
    ),
]


def fast_paths(run: Run, layout: Layout) -> Figure:
    """How many times as fast as the plain way, at the largest size that both have."""
    groups = [group for question in QUESTIONS if (group := _answers(run, question))]
    if not groups:
        raise NoData("no fast path was measured beside the plain way to do the same")
    rows = [row for group in groups for row in group]
    names = [row["row"] for row in rows]
    speedups = [row["speedup"] for row in rows]
    scale = alt.Scale(type="log", domain=[min(speedups) / 1.05, max(speedups)], nice=False)
    title = "times as fast as the plain way"
    panels = [Bars("ways", names, "speedup", title, scale, layout, width=260, start=1).chart()]
    taken = [row["cpu"] for row in rows if row["cpu"]]
    # In a column what they take stands with the rates.
    if taken and layout.beside:
        price = Bars(
            "ways",
            names,
            "cpu",
            "CPU seconds per GB",
            from_zero(max(taken)),
            layout,
            width=170,
            labels=False,
            where="isValid(datum.cpu)",
        )
        panels.append(price.chart())
    if not layout.beside:
        rows = [_with_price(row) for row in rows]
    chart = page(
        "Fast paths against the plain way",
        run,
        layout,
        [
            "at the largest size that both were measured at; bars on a logarithmic scale; CPU "
            "seconds per GB of all threads, waiting in a loop included"
        ],
        layout.row(*panels, spacing=90),
    )
    chart.datasets = {"ways": rows}
    best = max(rows, key=lambda row: row["speedup"])
    return Figure(
        heading="Fast paths and their price",
        reading="In bold is what is to be done and the plain way to do it, 1×. A faster way that "
        "takes more CPU time pays only where the CPU has nothing better to do.",
        summary=f"The largest gain is {best['way']}, {best['speedup_text']}.",
        chart=chart,
        strategies=[],
    )


def _answers(run: Run, question: Question) -> list[dict[str, Any]]:
    fast = [name for name in question.fast if _sizes(run, name)]
    sizes = set(_sizes(run, question.plain))
    for name in fast:
        sizes &= set(_sizes(run, name))
    if not fast or not sizes:
        return []
    size = max(sizes)
    plain = _sizes(run, question.plain)[size]
    title = question.title + (f", {numbers.size(size)}" if size else "")
    return [_row(title, name, _sizes(run, name)[size], plain) for name in (question.plain, *fast)]


def _with_price(row: dict[str, Any]) -> dict[str, Any]:
    """The row in a column; the plain way, which has no bar, says everything in the bar's place."""
    said = row["speedup_text"] + (f", {row['cpu_text']} s/GB" if row["cpu"] else "")
    is_plain = row["row"].startswith(HEADS)
    return row | {"speedup_text": "" if is_plain else said, "note": said if is_plain else ""}


def _sizes(run: Run, name: str) -> dict[int, Benchmark]:
    single = run.find(name)
    return {0: single} if single else run.sizes(name)


def _row(title: str, name: str, one: Benchmark, plain: Benchmark) -> dict[str, Any]:
    speedup = plain.ns / one.ns
    rate, cpu = one.gb_per_s if one.bytes else None, one.get("cpu_s_per_gb")
    if name.startswith(ROUND_TRIPS):
        rate = None  # twice as many bytes move: a rate would not compare with others
    way = _way(name)
    value = numbers.rate(rate) if rate else numbers.time(one.ns)
    is_plain = one is plain
    return {
        "row": f"{HEADS}|{title}" if is_plain else f"{title}|{way}",
        "way": f"{title}: {way}",
        "strategy": name,
        "speedup": speedup,
        "speedup_text": f"{way}: {value}" if is_plain else f"{numbers.times(speedup)}, {value}",
        "cpu": cpu,
        "cpu_text": numbers.digits(cpu) if cpu else "",
        "colour": colour_of(name),
    }


def _way(name: str) -> str:
    parts = name.split("/")
    if parts[0] == "gpu_array":
        return parts[3]
    return parts[2] if parts[0] == "overlap" else parts[1]
