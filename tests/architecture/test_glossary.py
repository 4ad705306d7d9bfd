"""Tests that docs/GLOSSARY.md explains the codes of the programs, and none that does not exist."""

from __future__ import annotations

import re
from functools import cache

import pytest
import rooms

ROW = re.compile(
    r"^\| (?P<word>[a-z][\w ]*) \| (?P<meaning>.+) \| (?P<codes>`.+`) \|$", re.MULTILINE
)
# "to_string(verdict)" and the tables of words, from which result_file::to_string takes its own.
FUNCTION = re.compile(
    r"\b(?:to_string|code_of)\((?:const )?([\w:]+)&? \w+\)(?: const)? \{\n(.*?)\n\}", re.DOTALL
)
TABLE = re.compile(r"\bconstexpr words<(\w+), \d+> \w+\{(.*?)\};", re.DOTALL)
CODE = re.compile(r'"([A-Za-z]\w+)"')
# Each of these has a row of its own in a page.
IN_PAGES = {"advice": "FLEET.md", "pattern": "FLEET.md", "doubt": "FLEET.md"}
# Terms of the kernel and of PCI, and plain English.
NOT_OURS = {"memory_policy::mode", "place_kind", "memory_type"}
PLAIN = {"findings", "measured", "predicted", "pci"}


def read(path: str) -> str:
    return (rooms.ROOT / path).read_text("utf-8")


@cache
def entries() -> dict[str, tuple[str, list[str]]]:
    """The meaning and the codes of each word."""
    return {
        row["word"]: (row["meaning"], re.findall(r"`([^`]+)`", row["codes"]))
        for row in ROW.finditer(read("docs/GLOSSARY.md"))
    }


@cache
def names_in_code() -> set[str]:
    """Words in quotation marks, options, types, and functions of the library."""
    text = "\n".join(read(path) for path in rooms.sources())
    declared = re.findall(r"^ *(?:class|struct|enum class) (\w+)", text, re.MULTILINE)
    library = "\n".join(read(path) for path in rooms.files("include"))
    declared += re.findall(r"\b(\w+)\(", library)
    return {*re.findall(r'"([\w-]+)"', text), *re.findall(r"--([a-z-]+)", text), *declared}


def codes() -> set[tuple[str, str]]:
    """Each word that a program prints for a value of an enumeration, with its type."""
    return {
        (match[1], word)
        for path in rooms.files("src")
        if rooms.SOURCE.search(path) and not path.startswith("src/transfers/")
        for pattern in (FUNCTION, TABLE)
        for match in pattern.finditer(read(path))
        for word in CODE.findall(match[2])
    }


def documented(page: str) -> set[str]:
    cells = re.findall(r"^\| (`[^|]*) \|", read(f"docs/{page}"), re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`(\w+)`", cell)}


def test_the_codes_of_the_programs_are_seen():
    assert {
        ("benchmark_class", "latency"),
        ("verdict", "not_known"),
        ("disturbance", "stopped"),
    } <= codes()


def test_every_code_has_an_entry_or_a_row_of_its_page():
    explained = {name for _, names in entries().values() for name in names} | PLAIN
    assert [
        (kind, name)
        for kind, name in sorted(codes())
        if kind not in NOT_OURS
        and name not in explained | (documented(IN_PAGES[kind]) if kind in IN_PAGES else set())
    ] == []


def test_every_finding_of_a_map_has_a_row_of_its_page():
    found = re.compile(r'(?:push_back\(|return |\? )\s*\{"(\w+)",')
    told = {
        code for path in rooms.files("src/topology/findings") for code in found.findall(read(path))
    }
    table = read("docs/MAP.md").partition("The codes of findings")[2]
    assert told == set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))


@pytest.mark.parametrize("word", entries())
def test_an_entry_is_one_sentence_about_names_that_exist(word: str):
    meaning, names = entries()[word]
    assert ". " not in meaning
    assert not meaning.endswith(".")
    assert [name for name in names if name not in names_in_code()] == []


def test_entries_are_in_the_order_of_the_alphabet():
    rows = [line for line in read("docs/GLOSSARY.md").splitlines() if line.startswith("| ")]
    assert len(rows) == len(entries()) + 2
    assert list(entries()) == sorted(entries())
