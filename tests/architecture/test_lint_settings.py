"""Tests that the settings of the linters say what they mean."""

from __future__ import annotations

import re

import rooms


def test_no_check_of_clang_tidy_is_both_on_and_off() -> None:
    text = (rooms.ROOT / ".clang-tidy").read_text()
    block = re.search(r"^Checks: >\n((?:  .*\n)+)", text, re.MULTILINE)
    assert block
    checks = re.sub(r"\s", "", block[1]).split(",")
    off = {check.removeprefix("-") for check in checks if check.startswith("-")} - {"*"}
    assert off
    assert off.isdisjoint(checks)
