"""What a table is, and its formats: CSV with full precision, Markdown and LaTeX for readers."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Generic, TypeVar

from plots.model import values
from plots.text import latex

Row = TypeVar("Row")
Cell = str | float | int | None
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
    raw: list[list[Cell]]
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


@dataclass(frozen=True)
class Column(Generic[Row]):
    """Holds what a table says of each row: on the page, in its CSV file, and in a paper.

    The file has the text if it is given nothing else. A column of a paper has the texts, or numbers
    of the file if `per` says of how many of them one is.
    """

    head: str  # on the page
    text: Callable[[Row], str] | None = None  # None: it is not on the page
    _: KW_ONLY
    key: str | None = ""  # the head in the file; empty: that of the page, None: it is not there
    raw: Callable[[Row], Cell] | None = None
    paper: str | None = None  # the head in a paper; None: it is not there
    unit: str = ""
    per: float = 0

    def in_file(self, row: Row) -> Cell:
        """Returns what the file says of a row."""
        say = self.raw or self.text
        return say(row) if say else None

    def in_paper(self, row: Row) -> str | float | None:
        """Returns what a paper says of a row."""
        if not self.per:
            return self.text(row) if self.text else str(self.in_file(row))
        number = self.in_file(row)
        if not isinstance(number, int | float):
            return None
        return number if self.per == 1 else number / self.per  # counts have no decimals


def make_table(
    name: str, heading: str, rows: Sequence[Row], columns: Sequence[Column[Row]], **more: Any
) -> Table:
    """Makes a table of columns; those for LaTeX are texts as on the page if none is for a paper."""
    on_page = [(column.head, column.text) for column in columns if column.text and column.head]
    in_file = [column for column in columns if column.key is not None]
    in_paper = [column for column in columns if column.paper is not None]
    paper = [
        latex.Column(column.paper or "", list(map(column.in_paper, rows)), column.unit)
        for column in in_paper
    ]
    return Table(
        name,
        heading,
        [head for head, _ in on_page],
        [[text(row) for _, text in on_page] for row in rows],
        [column.key or column.head for column in in_file],
        [[column.in_file(row) for column in in_file] for row in rows],
        paper or None,
        **more,
    )


def format_csv(head: list[str], rows: list[list[Cell]]) -> bytes:
    """Formats rows as CSV, with all digits."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([_csv_cell(name) for name in head])
    writer.writerows([_csv_cell(value) for value in row] for row in rows)
    return out.getvalue().encode()


def _csv_cell(value: Cell) -> str | float | int:
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
