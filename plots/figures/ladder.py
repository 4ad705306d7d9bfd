"""Draws the efficiency ladder: from the raw link down to each strategy, naming each loss."""

from __future__ import annotations

from collections import Counter
from typing import Any

from plots.figures import style
from plots.figures.bars import Bars
from plots.figures.common import Alike, Figure, from_zero, run_figure
from plots.figures.compose import LayerChart
from plots.figures.layout import Layout
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import directions_of
from plots.model.benchmark import Benchmark
from plots.model.derive import DIRECTIONS, Run
from plots.model.no_data import NoData
from plots.model.plainness import plainness_key
from plots.text import caption, numbers

# The extra work of a strategy, by its method or its kind of memory.
LOSSES = {
    "pageable": "staged by the driver",
    "pageable_huge": "staged by the driver",
    "staged": "staged by several threads",
    "register_once": "page-locked each time",
    "register_once_huge": "page-locked each time",
    "managed_prefetch": "pages migrate",
    "managed_fault": "page by page, on faults",
    "pageable_access": "a kernel reads pageable memory",
}
LOSS_IN_PLACE = "requests of a kernel"
MOST_COMMON_SHARE = 0.75  # of the number of strategies at the size with the most
ALIKE_DIFFERENCE = 0.01  # strategies that differ by less, for the same reason, share a rung


@figure("ladder", Of.RUN, 2, Question.SIZES)
def draw_ladder(run: Run, layout: Layout) -> Figure:
    """Draws the rungs of both directions, at the largest size that most strategies have."""
    limit, packet = run.link_limit, run.packet_limit
    if limit is None:
        raise NoData("the limit of the link is not known")
    if not run.transfers:
        raise NoData("no plain transfers with warm caches were measured")
    size, left_out = _common_size(run)
    rows = [
        row for direction in DIRECTIONS for row in _make_rungs(run, direction, size, limit, packet)
    ]
    panels = [_draw_panel(direction, rows, layout) for direction in directions_of(rows)]
    best = [row for row in rows if row["kind"] == "best"]
    return run_figure(
        f"Efficiency ladder at {numbers.size(size)}",
        run,
        layout,
        [
            "percent of the link's raw rate; then what is lost (headers: of the raw rate; "
            "best: of what they leave at least; strategies: of the best); alike: within "
            f"{100 * ALIKE_DIFFERENCE:g} % of each other, and for the same reason",
            f"not measured at this size: {', '.join(left_out)}" if left_out else "",
        ],
        *panels,
        heading="Efficiency ladder",
        reading="From the raw rate, past what packet headers leave, to what each strategy reaches.",
        summary=" ".join(f"{row['direction']}: best is {row['gb_per_s_text']}." for row in best),
        strategies=[
            (row["strategy"], row["colour"])
            for row in {r["strategy"]: r for r in rows if r["kind"] == "strategy"}.values()
        ],
        alike=[
            Alike(row["row"], row["alike"].split(", "), row["direction"])
            for row in rows
            if row["alike"]
        ],
        data={"rungs": rows},
    )


def _draw_panel(direction: str, rows: list[dict[str, Any]], layout: Layout) -> LayerChart:
    return Bars(
        "rungs",
        [row["row"] for row in rows if row["direction"] == direction],
        "gb_per_s",
        "bandwidth (GB/s)",
        from_zero(max(row["gb_per_s"] for row in rows)),
        layout,
        width=330,
        heading=direction,
        where=f"datum.direction === '{direction}'",
        tips={"rung": "row", "bandwidth": "said", "loss": "note", "alike": "alike"},
    ).chart()


def _make_rungs(
    run: Run, direction: str, size: int, limit: float, packet: tuple[float, float] | None
) -> list[dict[str, Any]]:
    benchmarks = [
        benchmark
        for benchmark in run.transfers
        if benchmark.direction == direction and benchmark.bytes == size
    ]
    if not benchmarks:
        return []
    ranked = sorted(benchmarks, key=lambda benchmark: -(benchmark.gb_per_s or 0))
    link = caption.link_name(run.result.transfers["link"])
    words = DIRECTIONS[direction]
    rows = [_make_rung("limit", link, limit, limit, "", words, style.LIMIT["raw"].colour)]
    reference = limit
    if packet:
        reference, highest = packet
        shares = numbers.span(100 * reference / limit, 100 * highest / limit, decimals=0)
        losses = [f"−{100 * (1 - rate / limit):.1f}" for rate in (highest, reference)]
        rung = _make_rung(
            "limit",
            "after packet headers",
            reference,
            limit,
            f"{' to '.join(dict.fromkeys(losses))} % headers",
            words,
            style.LIMIT["packet"].colour,
        )
        rates = numbers.span(reference, highest)
        rows.append(rung | {"gb_per_s_text": f"{rates} GB/s, {shares} %"})
    best = ranked[0].gb_per_s or 0
    change = best / reference - 1
    sign = "−" if change < 0 else "+"
    rows.append(
        _make_rung(
            "best",
            "best measured",
            best,
            limit,
            f"{sign}{numbers.percent(abs(change))}",
            words,
            "#444444",
        )
    )
    for benchmark, twins in _merge_twins(ranked):
        rate = benchmark.gb_per_s or 0
        name, reason = benchmark.strategy, _loss_reason(benchmark)
        lost = 1 - rate / best
        loss = "" if lost < ALIKE_DIFFERENCE else f"−{numbers.percent(lost)} {reason}".rstrip()
        colour = style.strategy_colour(benchmark, name)
        row = _make_rung("strategy", name, rate, limit, loss, words, colour)
        row["row"] = name + (f" and {len(twins)} alike" if twins else "")
        row["alike"] = ", ".join(twins)
        row["benchmark"] = benchmark.name
        rows.append(row)
    return rows


def _common_size(run: Run) -> tuple[int, list[str]]:
    """Returns the largest size that most strategies have, and the strategies without it."""
    count = Counter(benchmark.bytes or 0 for benchmark in run.transfers)
    size = max(size for size in count if count[size] >= MOST_COMMON_SHARE * max(count.values()))
    measured = {benchmark.strategy for benchmark in run.transfers if benchmark.bytes == size}
    strategies = dict.fromkeys(benchmark.strategy for benchmark in run.transfers)
    return size, [name for name in strategies if name not in measured]


def _loss_reason(benchmark: Benchmark) -> str:
    return LOSSES.get(benchmark.kind, LOSS_IN_PLACE if benchmark.in_place else "")


def _make_rung(
    kind: str, name: str, rate: float, limit: float, loss: str, direction: str, colour: str
) -> dict[str, Any]:
    return {
        "kind": kind,
        "row": name,
        "strategy": name if kind == "strategy" else "",
        "gb_per_s": rate,
        "gb_per_s_text": f"{numbers.rate(rate)}, {100 * rate / limit:.0f} %",
        "note": loss,
        "alike": "",
        "direction": direction,
        "colour": colour,
    }


def _merge_twins(ranked: list[Benchmark]) -> list[tuple[Benchmark, list[str]]]:
    """Merges strategies that are as fast for the same reason into one rung.

    Returns the plainest of each rung, with the names of its twins.
    """
    kept: list[tuple[Benchmark, list[str]]] = []
    for benchmark in sorted(ranked, key=plainness_key):
        for rung, twins in kept:
            is_close = abs((benchmark.gb_per_s or 0) / (rung.gb_per_s or 1) - 1) < ALIKE_DIFFERENCE
            if is_close and _loss_reason(benchmark) == _loss_reason(rung):
                twins.append(benchmark.strategy)
                break
        else:
            kept.append((benchmark, []))
    return sorted(kept, key=lambda pair: -(pair[0].gb_per_s or 0))
