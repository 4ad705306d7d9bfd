"""The version stands in CMakeLists.txt; other files follow it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def version() -> str:
    text = (ROOT / "CMakeLists.txt").read_text("utf-8")
    found = re.search(r"^project\(bench_transfers VERSION (\d+\.\d+\.\d+)", text, re.MULTILINE)
    assert found
    return found[1]


def test_the_citation_has_the_version():
    text = (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.findall(r"^version: (.*)$", text, re.MULTILINE) == [version()]


def test_the_newest_changes_are_of_the_version():
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    newest = re.search(r"^## (\S+)", text, re.MULTILINE)
    assert newest
    assert newest[1] == version()
