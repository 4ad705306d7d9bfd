"""A figure of one file: it is copied beside those of the report."""

from plots.figures.common import run_figure
from plots.figures.registered import Of, Question, figure


@figure("added", Of.RUN, 9, Question.SPREAD)
def draw_added(run, layout):
    texts = {"heading": "Added figure", "reading": "", "summary": "Nothing to see."}
    return run_figure("Added", run, layout, [], data={}, **texts)
