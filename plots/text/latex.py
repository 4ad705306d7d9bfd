"""Writes texts and tables for LaTeX, with booktabs and siunitx."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from plots.model import values
from plots.text import numbers

PACKAGES = r"% \usepackage[T1]{fontenc} \usepackage{booktabs,graphicx,siunitx,textcomp}"
MOST_ROWS = 44  # that fit on a page of the class article
MOST_PARTS = 10

CHARACTERS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "`": r"\textasciigrave{}",
    "µ": r"\textmu{}",
    "½": r"$\frac12$",
    "×": r"$\times$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "→": r"$\to$",
    "−": "$-$",
    "–": "--",
    "—": "---",
    "·": r"$\cdot$",
    "³": r"$^3$",
    "⁹": r"$^9$",
    "…": r"\dots{}",
    "°": r"$^\circ$",
}
LATIN_END = "\u0100"  # letters with accents up to here are in every font,
LATIN_LETTERS = "ßæøÆØ"  # and these
# What a cell must not begin with: `\\` before it would take it for an argument.
ARGUMENTS = ("[", "*")
LONGEST_WORD = 12  # letters: longer ones may be broken behind these signs
BREAK = re.compile(r"(?<=[,=/_])")


def escape(text: str) -> str:
    """Returns a text that every engine compiles."""
    return "".join(map(_character, values.printable(text)))


def prose(text: str) -> str:
    """Returns a paragraph: names and options of programs may be broken, and keep their hyphens."""
    return " ".join(map(_word, values.printable(text).split())).replace(r" \%", r"~\%")


def _word(word: str) -> str:
    parts = BREAK.split(word) if len(word) > LONGEST_WORD else [word]
    hyphens = ["-{}-".join(map(escape, part.split("--"))) for part in parts]
    text = r"\allowbreak{}".join(hyphens)
    # An option that a shell would need quoted; elsewhere it is an apostrophe.
    return text.replace("'", r"\textquotesingle{}") if word.startswith("'") else text


def cell(text: str) -> str:
    """Returns the text of a cell."""
    guard = "{}" if values.printable(text).startswith(ARGUMENTS) else ""
    return guard + escape(text)


def _character(character: str) -> str:
    """Returns a character, or its number where pdfLaTeX has no glyph for it."""
    if character in CHARACTERS or character in LATIN_LETTERS or character.isascii():
        return CHARACTERS.get(character, character)
    parts = unicodedata.normalize("NFD", character)  # a letter and its accent
    if character < LATIN_END and len(parts) == 2 and parts[0].isascii():
        return character
    return f"(U+{ord(character):04X})"


@dataclass(frozen=True)
class Column:
    """Holds a column of a table: its head, texts or numbers, and the unit of all its numbers."""

    head: str
    cells: Sequence[str | float | None]
    unit: str = ""

    @property
    def is_numeric(self) -> bool:
        """Tells whether the column has numbers and no texts."""
        known = [entry for entry in self.cells if entry is not None]
        return bool(known) and not any(isinstance(entry, str) for entry in known)


def format_table(name: str, caption: str, columns: Sequence[Column], one_column: bool) -> str:
    """Formats a table, which spans both columns of a paper unless it fits into one.

    A table that needs more than a page is split; one that needs many pages is for CSV, so that
    nothing is returned.
    """
    count = len(columns[0].cells)
    parts = -(-count // MOST_ROWS)
    if not 0 < parts <= MOST_PARTS:
        return ""
    texts = [
        _format_part(
            f"{name}-{part + 1}" if parts > 1 else name,
            f"{caption} (part {part + 1} of {parts})" if parts > 1 else caption,
            [
                replace(column, cells=column.cells[part * MOST_ROWS : (part + 1) * MOST_ROWS])
                for column in columns
            ],
            "table" if one_column else "table*",
        )
        for part in range(parts)
    ]
    return f"{PACKAGES}\n" + "\n".join(texts)


def _format_part(name: str, caption: str, columns: list[Column], environment: str) -> str:
    bodies = [_cells(column) for column in columns]
    lines = [f"    {' & '.join(row)} \\\\" for row in zip(*bodies, strict=True)]
    return "\n".join(
        [
            rf"\begin{{{environment}}}",
            r"  \centering",
            rf"  \caption{{{escape(caption)}}}",
            rf"  \label{{tab:{name}}}",
            r"  \footnotesize",
            rf"  \setlength{{\tabcolsep}}{{{4 if '*' in environment else 3}pt}}",
            # Names of strategies may be of any length.
            r"  \resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
            rf"  \begin{{tabular}}{{@{{}}{''.join(map(_alignment, columns))}@{{}}}}",
            r"    \toprule",
            f"    {' & '.join(map(_head, columns))} \\\\",
            r"    \midrule",
            *lines,
            r"    \bottomrule",
            r"  \end{tabular}}",
            rf"\end{{{environment}}}",
            "",
        ]
    )


def _head(column: Column) -> str:
    unit = f" ({escape(column.unit)})" if column.unit and column.head else escape(column.unit)
    head = f"{cell(column.head)}{unit}"
    return f"{{{head}}}" if column.is_numeric else head


def _cells(column: Column) -> list[str]:
    if not column.is_numeric:
        return [cell(str(entry)) if entry is not None else "--" for entry in column.cells]
    return [
        "{--}" if entry is None else number(entry)
        for entry in column.cells
        if not isinstance(entry, str)
    ]


def number(value: float) -> str:
    """Formats a number with the digits that it has elsewhere, and never with an exponent."""
    text = numbers.plain_digits(value) if isinstance(value, float) else str(value)
    return f"{float(text):.12f}".rstrip("0").rstrip(".") if "e" in text else text


def _alignment(column: Column) -> str:
    """Returns the kind of a column: of numbers, siunitx is told how many digits they have."""
    if not column.is_numeric:
        return "l"
    whole, decimals = 1, 0
    for text in _cells(column):
        before, _, after = text.strip("{}-").partition(".")
        whole, decimals = max(whole, len(before)), max(decimals, len(after))
    sign = "-" if any(text.startswith("-") for text in _cells(column)) else ""
    return f"S[table-format={sign}{whole}.{decimals}]"
