"""The exit codes of the source, of each help and of the pages are the same."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from program import ROOT, Program
from test_completion import COMMANDS, PROGRAMS, beside

# The tables of exit codes, by page, in their order: the commands of each column. That of a script
# has none.
TABLES: dict[str, list[list[list[str]]]] = {
    "docs/METHOD.md": [[["bench_transfers"]]],
    "docs/DOCTOR.md": [[["bench_transfers doctor"]]],
    "docs/FLEET.md": [
        [["fleet_transfers judge"]],
        [["fleet_transfers history"]],
    ],
    "docs/GATE.md": [[["gate_transfers check"]], [["gate_transfers history"]]],
    "docs/SITE.md": [[[]]],
    "docs/YOUR_REPOSITORY.md": [[["gate_transfers check"]]],
}


def codes_of_source() -> set[int]:
    text = (ROOT / "src/common/exit_code.hpp").read_text()
    return {int(code) for code in re.findall(r" = (\d+)", text)}


def codes_of_help(program: Program, line: str) -> set[int]:
    name, *command = line.split()
    text = beside(program, name).run(*command, "--help").out
    sentence = re.search(r"^Exit codes: (.*?)\.$", text, re.DOTALL | re.MULTILINE)
    assert sentence, line
    entries = re.findall(r"([\d/]+) (.*?)(?:, (?=\d)|$)", " ".join(sentence[1].split()))
    assert entries, line
    return {
        int(code)
        for codes, words in entries
        for code in codes.split("/")
        if command in ([], ["check"]) or not words.startswith("(check) ")
    }


def tables_of(page: Path) -> list[list[list[str]]]:
    """Rows of cells, without the titles."""
    tables = re.findall(r"^\| exit code \|.*\n\| ---.*\n((?:\|.*\n)+)", page.read_text(), re.M)
    return [
        [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
        for table in tables
    ]


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_help_has_those_of_the_source(program: Program, name: str):
    for command in COMMANDS[name]:
        codes = codes_of_help(program, f"{name} {command}")
        assert {0, 1, 2} <= codes <= codes_of_source(), command


def test_each_of_the_source_is_in_a_help(program: Program):
    helps = [codes_of_help(program, name) for name in PROGRAMS]
    assert {code for codes in helps for code in codes} == codes_of_source()


def test_every_table_is_known():
    pages = {
        str(page.relative_to(ROOT)): len(tables_of(page))
        for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
        if tables_of(page)
    }
    assert pages == {page: len(tables) for page, tables in TABLES.items()}


@pytest.mark.parametrize("page", TABLES)
def test_tables_have_those_of_the_helps(program: Program, page: str):
    for rows, columns in zip(tables_of(ROOT / page), TABLES[page], strict=True):
        for number, commands in enumerate(columns, 1):
            told = {
                int(code): row[number]
                for row in rows
                if row[number] or len(columns) == 1
                for code in row[0].split(", ")
            }
            for command in commands:
                assert set(told) == codes_of_help(program, command), command
