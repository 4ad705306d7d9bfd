"""Figures of pages, and what computes them (tests/architecture/claims/README.md)."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from recorded_figures import NUMBER, ROOT, VOCABULARY, Runs, number

CLAIMS = ROOT / "tests/architecture/claims"
NOT_MEASURED = tomllib.loads((CLAIMS / "not_measured.toml").read_text())
NS = {"ns": 1.0, "µs": 1e3, "ms": 1e6, "s": 1e9}


@dataclass(frozen=True)
class Figure:
    """A number that a page quotes."""

    begin: int
    text: str
    unit: str

    def __str__(self) -> str:
        """As claims and lines of what is not measured name it."""
        return f"{self.text} {self.unit}".strip()

    def is_rounded(self, value: float) -> bool:
        """Whether the value, with as many digits as are quoted, is this figure."""
        digits = len(self.text.partition(".")[2])
        scaled = value / NS.get(self.unit, 1)
        return abs(scaled - number(self.text)) <= 0.5 * 10.0**-digits * (1 + 1e-9) + 1e-9


@dataclass
class Claim:
    """Figures of a page, each with the expression that it is the value of."""

    where: str
    expressions: list[str] = field(default_factory=list)
    figures: list[Figure] = field(default_factory=list)
    keys: list[tuple[int, int]] = field(default_factory=list)


AND = r"(?: to | and | or | against |, |–|-| / )"
LIST = rf"{NUMBER}(?:{AND}{NUMBER})*"
UNIT = r"(?:[KMGT]B/s|[KMG]iB/s|GT/s|ns|µs|ms|s|min|%|times)(?![\w/])"
UNIT_BEHIND = re.compile(rf"(?:{AND}{NUMBER})*\s({UNIT})".replace(" ", r"\s+"))


def figure_at(text: str, begin: int, end: int) -> Figure:
    """The unit of a list stands behind its last number."""
    unit = UNIT_BEHIND.match(text, end)
    return Figure(begin, text[begin:end], unit[1] if unit else "")


def pattern_of(text: str) -> tuple[str, list[str]]:
    """Of a text with {expressions}: what finds it in a page, and the expressions."""
    parts = re.split(r"\{([^{}]+)\}", text.strip())
    words = [r"\s+".join(re.escape(word) for word in re.split(r"\s+", part)) for part in parts[::2]]
    return f"({NUMBER})".join(words), parts[1::2]


def of_text(content: str, text: str) -> Claim:
    pattern, expressions = pattern_of(text)
    matches = list(re.finditer(pattern, content))
    assert len(matches) == 1, f"the page says {len(matches)} times, and not once: {text}"
    spans = [matches[0].span(group) for group in range(1, len(expressions) + 1)]
    figures = [figure_at(content, *span) for span in spans]
    return Claim(" ".join(text.split())[:60], expressions, figures)


@dataclass(frozen=True)
class Row:
    """A line of a table: where it and its cells begin."""

    begin: int
    cells: list[tuple[int, str]]


def rows_of(content: str, head: str, below: str = "") -> list[Row]:
    """The line that begins with `head`, the first below the text `below`, and its table."""
    start = content.index(below)
    places = [match.start() for match in re.finditer("^" + re.escape(head), content[start:], re.M)]
    assert places and (below or len(places) == 1), f"not one table begins with {head}"
    rows, begin = [], start + places[0]
    for line in content[begin:].splitlines(keepends=True):
        if not line.startswith("|"):
            break
        cells, place = [], begin + 1
        for cell in line.rstrip()[1:-1].split("|"):
            cells.append((place, cell))
            place += len(cell) + 1
        rows.append(Row(begin, cells))
        begin += len(line)
    return [rows[0], *rows[2:]]


def meaning(cell: str, words: dict[str, Any]) -> Any:
    """What the table's words say of the cell; otherwise it is part of a benchmark's name."""
    plain = cell.strip().strip("`*–- ")
    return words.get(plain, re.sub(r"(\d) (?=[KMG]?i?B\b)", r"\1", plain))


def filled(text: str, known: dict[str, str]) -> str:
    """Values may name others."""
    for _ in range(3):
        for key, value in known.items():
            text = text.replace("{" + key + "}", value)
    return text


def of_table(content: str, table: dict[str, Any]) -> Iterator[Claim]:
    """Columns that are keys ("=size") name the row; the others are expressions, one a number.

    The last column stands for all that follow it.
    """
    words = table.get("words", {})
    known: dict[str, str] = dict(table.get("let", {}))
    heads, *rows = rows_of(content, table["head"], table.get("below", ""))
    columns = table["columns"]
    columns = columns + columns[-1:] * (len(heads.cells) - len(columns))
    for row in rows:
        claim = Claim(content[row.begin :].split("\n")[0][:60])
        for (begin, cell), (_, head), column in zip(row.cells, heads.cells, columns, strict=True):
            if isinstance(column, str) and column.startswith("="):
                claim.keys.append((begin, begin + len(cell)))
                if cell.strip():
                    word = meaning(cell, words)
                    known |= word if isinstance(word, dict) else {column[1:]: word}
                continue
            places = [] if column == "" else list(re.finditer(NUMBER, cell))
            if not places:
                continue
            word = meaning(head, words)
            known |= word if isinstance(word, dict) else {"head": word}
            expressions = [column] if isinstance(column, str) else column
            if len(places) > len(expressions) == 1:
                expressions = [f"({column})[{index}]" for index in range(len(places))]
            assert len(places) == len(expressions), f"{claim.where}: {cell} has other figures"
            claim.expressions += [filled(expression, known) for expression in expressions]
            claim.figures += [
                figure_at(content, begin + place.start(), begin + place.end()) for place in places
            ]
        yield claim


@dataclass
class Page:
    """A page and its file of claims."""

    name: str
    content: str
    lines: dict[str, Any]

    @functools.cached_property
    def claims(self) -> list[Claim]:
        claims = []
        for text in self.lines.get("claims", []):
            claims.append(of_text(self.content, text))
        for table in self.lines.get("tables", []):
            claims += of_table(self.content, table)
        return claims

    def value(self, expression: str, printed: Callable[..., Any] | None = None) -> float:
        """`printed` runs a program: only what `is_printed` needs it."""
        self.known["printed"] = printed
        return float(eval(expression, self.known))

    def is_printed(self, expression: str) -> bool:
        return bool(self.printing.search(expression))

    @functools.cached_property
    def printing(self) -> re.Pattern[str]:
        """What names `printed`, or a value that does."""
        names = ["printed"]
        for name in names:
            names += [
                other
                for other, text in self.values.items()
                if other not in names and re.search(rf"\b{name}\b", text)
            ]
        return re.compile(rf"\b({'|'.join(names)})\b")

    @functools.cached_property
    def values(self) -> dict[str, str]:
        return self.lines.get("values", {})

    @functools.cached_property
    def known(self) -> Known:
        return Known(self.lines.get("runs", {}), self.values)


class Known(dict[str, Any]):
    """What an expression may name; runs are read, and values told, when they are first named."""

    def __init__(self, runs: dict[str, str], values: dict[str, str]):
        super().__init__(VOCABULARY, __builtins__={})
        self.runs, self.values_of = runs, values

    def __missing__(self, name: str) -> Any:
        self[name] = (
            eval(self.values_of[name], self) if name in self.values_of else Runs(self.runs[name])
        )
        return self[name]


def pages_with_figures() -> list[str]:
    files = [ROOT / "README.md", ROOT / "results/README.md", *(ROOT / "docs").rglob("*.md")]
    return sorted(str(file.relative_to(ROOT)) for file in files)


@functools.cache
def page_of(name: str) -> Page:
    file = (CLAIMS / name).with_suffix(".toml")
    lines = tomllib.loads(file.read_text()) if file.exists() else {}
    return Page(name, (ROOT / name).read_text(), lines)


# Which figures a page has

#: Decimals are figures without a unit, too, but for versions.
VERSIONED = ("CUDA", "PCIe", "Python", "CMake", "glibc", "arXiv", "Ubuntu", "Linux")
MEASURED = re.compile(
    rf"(?<![\w.:/-])(?:{LIST}\s{UNIT}".replace(" ", r"\s+")
    + "|"
    + "".join(f"(?<!{program} )" for program in VERSIONED)
    + r"\d+\.\d+(?![\w.]*\d|\w))"
)
CELL = re.compile(rf"[\s*]*{NUMBER}(?:[\s,/()*%]|to|[nµm]?s\b|GB/s|{NUMBER})*")
HIDDEN = re.compile(r"^ *```.*?^ *```$|<!--.*?-->|`[^`\n]*`|\]\([^)]*\)|https?://\S+", re.M | re.S)


def without_code(content: str) -> str:
    """Of the same length, without code, links and comments."""
    return HIDDEN.sub(lambda hidden: re.sub(r"[^\n]", "~", hidden[0]), content)


def quoted_in(page: Page) -> list[Figure]:
    """With a unit or a decimal point; in cells of tables, below their heads, all numbers."""
    content = without_code(page.content)
    spans = [match.span() for match in MEASURED.finditer(content)]
    for table in re.finditer(r"(?<=\n\n)\|.*\n\|[-: |]*\n((?:\|.*\n)+)", content):
        if not table[0].startswith(("| exit code |", "| code |")):
            cells = re.finditer(r"[^|\n]+", table[1])
            spans += [
                (table.start(1) + cell.start(), table.start(1) + cell.end())
                for cell in cells
                if CELL.fullmatch(cell[0])
            ]
    places = {
        (begin + match.start(), begin + match.end())
        for begin, end in spans
        for match in re.finditer(NUMBER, content[begin:end])
    }
    return [figure_at(content, *place) for place in sorted(places)]


@functools.cache
def headings(content: str) -> list[tuple[int, str]]:
    found = re.finditer(r"^#+ (.*)$", without_code(content), re.M)
    return [(match.start(), content[match.start(1) : match.end()]) for match in found]


def section_at(content: str, place: int) -> str:
    return [heading for begin, heading in headings(content) if begin <= place][-1]


def uncovered(page: Page) -> list[Figure]:
    """Figures of a page that no claim computes and that not_measured.toml does not have."""
    computed = {figure.begin for claim in page.claims for figure in claim.figures}
    keys = [key for claim in page.claims for key in claim.keys]
    return [
        figure
        for figure in quoted_in(page)
        if figure.begin not in computed
        and not any(begin <= figure.begin < end for begin, end in keys)
        and str(figure) not in not_measured(page.name, section_at(page.content, figure.begin))
    ]


def not_measured(page: str, section: str) -> list[str]:
    return [
        figure for pages in NOT_MEASURED.values() for figure in pages.get(page, {}).get(section, [])
    ]


# Output that a page shows

BLOCK = re.compile(r"^```(?P<language>\S*)\n(?P<text>.*?)^```$", re.M | re.S)
OUTPUT = ("", "json", "console")
LEFT_OUT = "…"


def blocks_with_figures(page: Page) -> list[str]:
    return [
        block["text"]
        for block in BLOCK.finditer(page.content)
        if block["language"] in OUTPUT and re.search(r"\d\.\d", block["text"])
    ]


def block_of(page: Page, begins: str) -> str:
    blocks = [block for block in blocks_with_figures(page) if f"\n{begins}" in f"\n{block}"]
    assert len(blocks) == 1, f"{page.name}: in {len(blocks)} blocks a line begins with {begins}"
    return blocks[0]


def is_in(block: str, text: str) -> bool:
    """Whether the text has all lines of the block; a block may leave some out."""
    known = {line.rstrip() for line in text.splitlines()}
    return all(line.rstrip() in known for line in block.splitlines() if LEFT_OUT not in line)
