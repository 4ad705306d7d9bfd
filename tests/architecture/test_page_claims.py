"""Figures that the pages quote are those of the recorded runs (claims/README.md)."""

from __future__ import annotations

import pytest
from page_claims import (
    CLAIMS,
    NOT_MEASURED,
    ROOT,
    Figure,
    Page,
    block_of,
    blocks_with_figures,
    is_in,
    page_of,
    pages_with_figures,
    quoted_in,
    section_at,
    uncovered,
)
from recorded_figures import text_of

PAGES = pages_with_figures()
ADVICE = """
Of {page}, no line says where these figures come from:

{figures}

Add a claim that computes them to {file}, or, if nothing measures them, a line to
tests/architecture/claims/not_measured.toml. tests/architecture/claims/README.md says how.
"""


@pytest.mark.parametrize("name", PAGES)
def test_a_page_quotes_what_was_recorded(name: str) -> None:
    page = page_of(name)
    wrong = [
        f"{claim.where}: the page says {figure}, and {value:.6g} is computed by {expression}"
        for claim in page.claims
        for figure, expression in zip(claim.figures, claim.expressions, strict=True)
        if not page.is_printed(expression)  # tests/e2e/test_page_answers.py
        if not figure.is_rounded(value := page.value(expression))
    ]
    assert not wrong, "\n".join(["", *wrong])


@pytest.mark.parametrize("name", PAGES)
def test_no_figure_is_without_a_claim(name: str) -> None:
    content = page_of(name).content
    figures = [
        f"  line {content.count(chr(10), 0, figure.begin) + 1}: {figure} "
        f'(in "{section_at(content, figure.begin)}")'
        for figure in uncovered(page_of(name))
    ]
    file = (CLAIMS / name).with_suffix(".toml").relative_to(ROOT)
    assert not figures, ADVICE.format(page=name, figures="\n".join(figures), file=file)


@pytest.mark.parametrize("name", PAGES)
def test_the_output_that_a_page_shows_is_recorded(name: str) -> None:
    page = page_of(name)
    entries = page.lines.get("blocks", [])
    for entry in entries:
        if "file" in entry:
            shown = block_of(page, entry["begins"])
            assert is_in(shown, text_of(entry["file"])), f"{entry['file']} has other lines"
    known = {block_of(page, entry["begins"]) for entry in entries}
    missing = [block for block in blocks_with_figures(page) if block not in known]
    assert not missing, f"{name} shows this, and no [[blocks]] says what prints it:\n{missing[0]}"


def test_claims_are_of_pages() -> None:
    files = {str(file.relative_to(CLAIMS).with_suffix(".md")) for file in CLAIMS.rglob("*.toml")}
    assert files - {"not_measured.md"} <= set(PAGES)


def test_what_is_not_measured_is_still_quoted() -> None:
    """Otherwise the list would grow old, and let figures pass that nobody has looked at."""
    listed = {
        (page, section, figure)
        for pages in NOT_MEASURED.values()
        for page, sections in pages.items()
        for section, figures in sections.items()
        for figure in figures
    }
    quoted = {
        (page, section_at(page_of(page).content, figure.begin), str(figure))
        for page in PAGES
        for figure in quoted_in(page_of(page))
    }
    assert listed <= quoted


def test_a_figure_is_a_rounded_value() -> None:
    assert Figure(0, "8.6", "%").is_rounded(8.649)
    assert not Figure(0, "8.6", "%").is_rounded(8.651)
    assert Figure(0, "4,982", "ms").is_rounded(4982.4e6)
    assert Figure(0, "−0.25", "").is_rounded(-0.25)
    assert not Figure(0, "1", "").is_rounded(float("nan"))


def test_what_has_no_claim_is_found() -> None:
    text = """# Made up

    It has 5 to 7.5 % and 3 µs, `4 µs`, CUDA 13.0, a ratio of 0.62 and [9 s](5%20s.md), in 2 steps.

    | size | rate | words |
    | --- | ---: | --- |
    | 1 MiB | 20 | 5 of them |
    | 4 MiB | 30 (40) | in 6 ms |
    """.replace("\n    ", "\n")
    lines = {"tables": [{"head": "| size |", "columns": ["=size", "20", ""]}]}
    figures = [str(figure) for figure in uncovered(Page("docs/MADE_UP.md", text, {}))]
    assert figures == ["5 %", "7.5 %", "3 µs", "0.62", "9 s", "20", "30", "40", "6 ms"]
    page = Page("docs/MADE_UP.md", text.replace("30 (40)", "30"), lines)
    assert [str(figure) for figure in uncovered(page)][-1] == "6 ms"
    assert [claim.figures[0].is_rounded(20) for claim in page.claims] == [True, False]
