"""What a table is, and its formats: CSV with full precision, Markdown and LaTeX for readers."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import Any

from plots.model import values
from plots.text import latex

# A spreadsheet takes a cell that begins so for a formula, the wide forms too.
FORMULAS = tuple("=+-@＝＋－＠")


@dataclass(frozen=True)
class Table:
    """Holds a table: its heading, the head of each column, and rows of texts.

    `raw` has the same rows, with more columns, as numbers for programs. `paper` are the columns for
    LaTeX, which need not be those of the page; None: texts as on the page.
    """

    name: str
    heading: str
    head: list[str]
    rows: list[list[str]]
    raw_head: list[str]
    raw: list[list[str | float | int | None]]
    paper: list[latex.Column] | None = None
    one_column: bool = False  # it fits into a column of a paper
    note: str = ""  # below its heading: how to read it
    of_benchmarks: bool = False  # its rows begin with the names of benchmarks
    paper_note: str = ""  # at the end of its caption
    is_key: bool = False  # a reader looks at it first: it is open on the page, and printed


def format_files(table: Table, prefix: str, measured: str = "") -> dict[str, bytes]:
    """Returns the table in each format: contents by file name.

    `measured` says in the caption of a paper what was measured, and when.
    """
    columns = table.paper or [
        latex.Column(head, [row[i] for row in table.rows]) for i, head in enumerate(table.head)
    ]
    name = f"{prefix}{table.name}"
    heading = ". ".join(filter(None, (table.heading, measured, table.paper_note)))
    tex = latex.format_table(name, heading, columns, table.one_column)
    return {
        f"{name}.csv": format_csv(table.raw_head, table.raw),
        f"{name}.md": markdown(table).encode(),
        **({f"{name}.tex": tex.encode()} if tex else {}),
    }


def text_column(head: str, rows: list[list[str]], index: int) -> latex.Column:
    """Returns a column of texts for a paper."""
    return latex.Column(head, [row[index] for row in rows])


def raw_column(
    head: str, raw: list[list[Any]], index: int, unit: str = "", factor: float = 1
) -> latex.Column:
    """Returns a column of numbers for a paper: those of `raw`, divided by a factor."""
    cells = [None if row[index] is None else row[index] / factor for row in raw]
    return latex.Column(head, cells, unit)


def format_csv(head: list[str], rows: list[list[str | float | int | None]]) -> bytes:
    """Formats rows as CSV, with all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_csv_cell(name) for name in head])
    writer.writerows([_csv_cell(value) for value in row] for row in rows)
    return out.getvalue().encode()


def _csv_cell(value: str | float | int | None) -> str | float | int:
    """Returns a cell that a spreadsheet shows and does not calculate; numbers stay as they are."""
    if not isinstance(value, str):
        return "" if value is None else value
    shown = values.printable(value)
    return f"'{shown}" if shown.startswith(FORMULAS) else shown


def markdown(table: Table) -> str:
    """Formats a table as Markdown, and escapes what would end a cell or become HTML."""
    lines = [table.head, ["---"] * len(table.head), *table.rows]
    return "".join(f"| {' | '.join(map(_markdown_cell, line))} |\n" for line in lines)


def _markdown_cell(text: str) -> str:
    text = values.printable(text)
    for plain, escaped in (
        ("\\", "\\\\"),
        ("&", "&amp;"),
        ("<", "&lt;"),
        *((sign, f"\\{sign}") for sign in "|*[]`!"),
    ):
        text = text.replace(plain, escaped)
    return text
