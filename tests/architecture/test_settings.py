"""Tests that the settings of linters and builds say what they mean."""

from __future__ import annotations

import json
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


def test_all_cuda_sources_are_also_compiled_one_by_one() -> None:
    presets = json.loads((rooms.ROOT / "CMakePresets.json").read_text())["buildPresets"]
    alone = next(preset["targets"] for preset in presets if preset["name"] == "alone")
    rooms_of_code = (rooms.ROOT / "bench", rooms.ROOT / "src")
    lists = [path.read_text() for room in rooms_of_code for path in room.rglob("CMakeLists.txt")]
    batched = re.findall(r"bench_transfers_add_cuda\((\w+)", "\n".join(lists))
    assert batched
    assert sorted(alone) == sorted(batched)
