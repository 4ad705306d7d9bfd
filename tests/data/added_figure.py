"""A figure of one file: it is copied beside those of the report."""

from plots.figures.common import Figure, compose_run_chart
from plots.figures.registered import Of, Question, figure


@figure("added", Of.RUN, 9, Question.SPREAD)
def draw_added(run, layout):
    return Figure(
        heading="Added figure",
        reading="",
        summary="Nothing to see.",
        chart=compose_run_chart("Added", run, layout, [], data={}),
    )
