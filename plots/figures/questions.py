"""Draws what differs between runs, question by question: the picture of a comparison."""

from __future__ import annotations

import altair as alt

from plots.figures import answers, draw
from plots.figures.common import Figure, Value, make_figure
from plots.figures.differences import MOST_OTHERS, SIGNED, choose_half, percent
from plots.figures.layout import Layout
from plots.figures.registered import Of, figure
from plots.figures.rows import Row, Rows
from plots.model.derive import Run
from plots.model.no_data import NoData
from plots.text import caption, side_by_side

# Questions: of one further run, and of several.
MOST = {"wide": 16, "column": 16, "paper": 11}
MOST_OF_SEVERAL = {"wide": 16, "column": 8, "paper": 8}


@figure("questions", Of.RUNS, 0)
def draw_questions(runs: list[tuple[int, Run]], layout: Layout) -> Figure:
    """Draws a bar for each question and further run: how much more time it takes, or less."""
    comparison = side_by_side.comparison_to_draw(runs)
    names = side_by_side.run_names(runs)[: 1 + MOST_OTHERS]
    others = names[1:]
    most = (MOST if len(others) == 1 else MOST_OF_SEVERAL)[layout.name]
    answered = [
        (asked, name, said)
        for asked in comparison.questions[:most]
        for name, said in zip(others, asked.differences, strict=False)
    ]
    rows: list[Row] = [
        {"row": asked.subject, "name": asked.subject, "run": name}
        | answers.values_of(said, percent)
        | {"doubt": f"{said.text}{said.doubt}", "least": 0, "most": 0}
        for asked, name, said in answered
    ]
    if not rows:
        raise NoData((comparison.problems or ["these runs have no question in common"])[0])
    half = choose_half(rows)
    rows = [row | answers.place_on_axis(row, -half, half) for row in rows]
    width = answers.room_for_bars(layout, rows, len(others))
    scale = alt.Scale(domain=[-half, half], nice=False, range=[0, width])
    anchor = answers.anchor(layout)
    axis = alt.Axis(tickCount=5, labelExpr=SIGNED, grid=False, titleAnchor=anchor)
    value = Value("takes longer by (%)", scale, axis)
    subjects = list(dict.fromkeys(row["row"] for row in rows))
    tips = draw.tooltip(run="run", question="name", difference="doubt")
    panels = [
        answers.draw_answers(
            Rows(
                draw.shown_rows("questions", run=name), subjects, layout, value, i == 0, tall=True
            ),
            width,
            tips,
            draw.panel_title(name) if len(others) > 1 else alt.Undefined,
            len(others) == 1,
        )
        for i, name in enumerate(others)
    ]
    measured = [one for entry in side_by_side.compare(runs) for one in entry.measured]
    left_out = (
        caption.count(len(runs) - len(names), "more run"),
        caption.count(len(comparison.questions) - len(subjects), "more question"),
    )
    other = f"{others[0]} " if len(others) == 1 else ""
    return make_figure(
        f"What differs — {other}against {names[0]}",
        layout,
        [
            *(
                f"{name}: {caption.describe_origin(run)}"
                for name, (_, run) in zip(names, runs, strict=False)
            ),
            caption.describe_timing([one.repetitions for one in measured]),
            f"line: {comparison.interval}; arrow: beyond the axis",
            f"{caption.listed(list(filter(None, left_out)))} not shown here"
            if any(left_out)
            else "",
        ],
        layout.row(*panels),
        heading="What differs, question by question",
        reading=f"Right of zero is worse than {names[0]}: more time, less bandwidth, more work of "
        f"the CPU. {side_by_side.COLOURS}",
        summary=side_by_side.count_significant([said for _, _, said in answered]),
        data={"questions": rows},
    )
