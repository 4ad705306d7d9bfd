"""Tests that one writer aligns columns (src/exports), and that others fill its tables."""

from __future__ import annotations

import re

import rooms
from rooms import ROOT

# "{:<20}", "{:>{}}", "{:^9}"
ALIGNED = re.compile(r"\{\w*:[^{}]?[<>^](?:\d|\{)")
OTHERS = {"bench/record/listing.cpp"}  # descriptions beside names, of several lines each


def test_no_other_source_aligns():
    aligning = {path for path in rooms.sources() if ALIGNED.search((ROOT / path).read_text())}
    assert aligning == OTHERS


def test_aligned_text_is_found():
    assert all(map(ALIGNED.search, ('"{:<20}"', '"{:>{}}"', '"{0:^9}"', '"{:->{}}"')))
    assert not any(map(ALIGNED.search, ('"{}"', '"{:.1f}"', '"{:+.0f}%"', '"{:016x}"')))
