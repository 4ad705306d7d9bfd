"""Draws what to use, and how much faster than a plain copy it is: the picture of the rules."""

from __future__ import annotations

import altair as alt

from plots.figures import answers, draw
from plots.figures.common import Figure, Value, run_figure
from plots.figures.layout import Layout
from plots.figures.registered import Of, Question, figure
from plots.figures.rows import HEADING_MARK, Row, Rows
from plots.model.derive import Run
from plots.model.judged import Rule
from plots.model.no_data import NoData
from plots.model.programs import NOTHING_TO_ADVISE
from plots.text import caption

ROOM = 1.1  # the end of the axis, as a multiple of the largest gain


@figure("gains", Of.RUN, 0, Question.ANSWER)
def draw_gains(run: Run, layout: Layout) -> Figure:
    """Draws a bar for each rule and direction: how many times as fast as a plain copy."""
    if run.on_host:
        raise NoData(NOTHING_TO_ADVISE)
    rows = [row for rule in run.judged.rules for row in _make_rows(run, rule)]
    bars = [row for row in rows if "value" in row]
    if not bars:
        raise NoData("nothing was measured beside a plain copy of pageable memory")
    end = ROOM * max(row["value"] for row in bars)
    rows = [row | answers.place_on_axis(row, 0, end) if "value" in row else row for row in rows]
    width = answers.room_for_bars(layout, rows)
    scale = alt.Scale(domain=[0, end], nice=False, range=[0, width])
    axis = alt.Axis(tickCount=5, format="~f", grid=False, titleAnchor=answers.anchor(layout))
    value = Value("times as fast as cudaMemcpy of pageable memory", scale, axis)
    shown = Rows(draw.shown_rows("gains"), [row["row"] for row in rows], layout, value, tall=True)
    tips = draw.tooltip(use="name", times_as_fast="answer")
    clear = [row for row in bars if row["clear"]]
    return run_figure(
        "What to use",
        run,
        layout,
        [
            caption.describe_timing([run.by_name[row["benchmark"]].repetitions for row in bars]),
            "bar: how many times as fast as plain cudaMemcpy of pageable memory; line: 95 % "
            "interval within the run, from all pairs of repetitions",
        ],
        answers.draw_answers(shown, width, tips),
        heading="What to use, and how much faster it is",
        reading="Coloured: clearly faster than the plain copy, by the interval. Grey: not.",
        summary=f"{len(clear)} of {len(bars)} are clearly faster.",
        data={"gains": rows},
    )


def _make_rows(run: Run, rule: Rule) -> list[Row]:
    """Returns the row of a rule's heading, and those of its strategies."""
    heading = {"row": f"{HEADING_MARK}|{rule.data}", "name": rule.data}
    return [
        heading,
        *(
            {
                "row": f"{rule.code}|{said.subject}",
                "name": said.subject,
                "benchmark": said.benchmark,
                "strategy": run.by_name[said.benchmark].strategy,
                **answers.values_of(said, float),
                "least": 1,  # a plain copy
                "most": 1,
            }
            for said in rule.gains
            if said.benchmark in run.by_name
        ),
    ]
