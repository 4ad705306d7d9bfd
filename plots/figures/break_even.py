"""Draws how many transfers with the same memory pay for a strategy."""

from __future__ import annotations

from typing import Any

from plots.figures import style
from plots.figures.cells import Cells
from plots.figures.common import DIRECTION_TITLES, Figure, run_figure
from plots.figures.layout import Layout
from plots.figures.points import strategies_in_drawing_order
from plots.figures.registered import Of, Question, figure
from plots.model.derive import Run
from plots.model.headline import Pick, pick_strategies
from plots.model.no_data import NoData
from plots.model.programs import BREAK_EVEN_SIZES, NOTHING_TO_ADVISE
from plots.text import numbers

NEVER = "never"
ROW_HEIGHT = {"wide": 20, "column": 20, "paper": 15}


@figure("break_even", Of.RUN, 2, Question.STRATEGY)
def draw_break_even(run: Run, layout: Layout) -> Figure:
    """Draws the number of transfers from which a strategy beats the plainest copy."""
    if run.on_host:
        raise NoData(NOTHING_TO_ADVISE)
    rankings = [
        ranking
        for ranking in run.advice.rankings
        if ranking["measured_terms"]["allocation"]
        and ranking["question"]["bytes"] in BREAK_EVEN_SIZES
        and ranking["question"]["reuse"] == 1
    ]
    if not rankings:
        missing = run.advice.missing.get("rankings")
        raise NoData(missing or "without the costs of allocation no break-even is known")
    rows = [row for ranking in rankings for row in _make_rows(ranking)]
    plainest = _plainest_copy(run)
    paying = {row["strategy"] for row in rows if row["from"] is not None}
    if not paying:
        raise NoData(f"no strategy pays against {plainest}, or it is not known")
    names = _names_in_drawing_order(run, paying)
    rows = [row for row in rows if row["strategy"] in names]
    cells = Cells(
        data="pays",
        rows=names,
        columns=list(dict.fromkeys(row["column"] for row in rows)),
        row_title=None,
        column_title="size of one transfer",
        layout=layout,
        tips={"strategy": "strategy", "size": "column", "pays_from": "from_text"},
        row_height=ROW_HEIGHT[layout.name],
    )
    directions = dict.fromkeys(row["panel"] for row in rows)
    panels = [cells.panel(name, DIRECTION_TITLES[name]) for name in directions]
    pinned = pick_strategies(run, [Pick("pinned")])
    example = next((row for row in rows if row["strategy"] in pinned), rows[0])
    return run_figure(
        "Transfers with the same memory from which a strategy pays",
        run,
        layout,
        [
            f"against {plainest}, with allocating the memory, the CPU's filling before an "
            "upload and its reading after a download, as bench_transfers advise predicts it; "
            "the darker, the sooner; a–b: from a up to b transfers"
        ],
        cells.arrange(panels),
        heading="Break-even reuse count",
        reading="1 means that a strategy pays at once; never: that it is slower than "
        f"{plainest} however often the memory is used.",
        summary=f"For example {example['strategy']} ({example['direction']}, {example['size']}): "
        f"{example['from_text']}.",
        strategies=[(name, style.strategy_colour(run.strategy(name), name)) for name in names],
        data={"pays": rows},
    )


def _make_rows(ranking: dict[str, Any]) -> list[dict[str, Any]]:
    question = ranking["question"]
    rows = []
    for strategy in ranking["strategies"]:
        pays = strategy["pays"]
        if isinstance(pays, dict):
            start = pays.get("from", 1)
            ends = "up_to" in pays
            short = f"{start}–{pays['up_to']}" if ends else f"{start:,}"
            text = (
                f"{'at once' if start == 1 else f'from {start}'}, up to {pays['up_to']}"
                if ends
                else f"{start} transfer{'s' if start > 1 else ''}"
            )
        elif pays == NEVER:
            start, short, text = None, NEVER, NEVER
        else:
            continue
        size = numbers.size(question["bytes"])
        rows.append(
            {
                "row": strategy["name"],
                "strategy": strategy["name"],
                "panel": question["direction"],
                "direction": question["direction"],
                "column": size,
                "size": size,
                "from": start,
                "from_text": text,
                "text": short,
                "colour": style.reuse_colour(start),
            }
        )
    return rows


def _names_in_drawing_order(run: Run, names: set[str]) -> list[str]:
    """Sorts names in drawing order, those with unknown fields last."""
    known = strategies_in_drawing_order(
        fields for name in sorted(names) if (fields := run.strategy(name))
    )
    return [*known, *sorted(names - set(known))]


def _plainest_copy(run: Run) -> str:
    """Returns the strategy that `advise` compares with."""
    copies = run.plainest("copy", in_place=False)
    return next((benchmark.strategy for benchmark in copies.values()), "the plainest copy")
