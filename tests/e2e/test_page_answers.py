"""Figures and output that the pages quote from the programs are what these print."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import pytest
from calls import call
from page_claims import block_of, is_in, page_of, pages_with_figures
from program import LIMIT_S, Program, environment
from recorded_figures import ROOT, numbers


class Printer:
    """Runs commands with the programs in $BUILD, in the folder of the repository."""

    def __init__(self, programs: Path, out: Path):
        self.variables = {"BUILD": str(programs), "OUT": str(out)}
        self.text = functools.cache(self._text)

    def _text(self, command: str) -> str:
        completed = call(
            ["bash", "-c", command], cwd=ROOT, env=environment(self.variables), timeout=LIMIT_S
        )
        return completed.stdout

    def __call__(self, command: str, pattern: str) -> list[float]:
        """The numbers in the groups of each match; lines that were folded are joined."""
        found = re.finditer(pattern, " ".join(self.text(command).split()))
        values = [value for match in found for value in numbers(" ".join(match.groups()))]
        assert values, f"{command} prints nothing like {pattern}"
        return values


@pytest.fixture(scope="module")
def printed(
    program: Program, gate: Program, fleet: Program, tmp_path_factory: pytest.TempPathFactory
) -> Printer:
    assert gate.path.parent == fleet.path.parent == program.path.parent
    return Printer(program.path.parent, tmp_path_factory.mktemp("printed"))


@pytest.mark.parametrize("name", pages_with_figures())
def test_a_page_quotes_what_is_printed(name: str, printed: Printer) -> None:
    page = page_of(name)
    wrong = [
        f"{claim.where}: the page says {figure}, and {value:.6g} is printed: {expression}"
        for claim in page.claims
        for figure, expression in zip(claim.figures, claim.expressions, strict=True)
        if page.is_printed(expression)
        if not figure.is_rounded(value := page.value(expression, printed))
    ]
    assert not wrong, "\n".join(["", *wrong])


@pytest.mark.parametrize("name", pages_with_figures())
def test_a_page_shows_what_is_printed(name: str, printed: Printer) -> None:
    for entry in page_of(name).lines.get("blocks", []):
        if "command" in entry:
            shown = block_of(page_of(name), entry["begins"])
            assert is_in(shown, printed.text(entry["command"])), f"not printed: {shown}"
