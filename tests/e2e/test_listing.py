"""Help and listings, without measuring."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from program import ALL_RAN, COLUMNS, ROOT, USAGE, Completed, Program, listed


def text_of(completed: Completed) -> str:
    assert (completed.code, completed.err) == (ALL_RAN, "")
    return completed.out


def test_list_explains_every_strategy(program: Program):
    text = text_of(program.run("--list=all", "--device=host"))
    assert max(len(line) for line in text.splitlines()) <= COLUMNS
    strategies = list(listed(text))
    names = [name for name, _, _ in strategies]
    assert names == sorted(set(names))
    assert {name.partition("/")[0] for name in names} >= {"copy", "copy_async", "zero_copy", "null"}
    for name, summary, where in strategies:
        assert len(summary) > 10, name
        assert re.fullmatch(
            r"([\w/@]+(, [\w/@]+)*; )?"
            r"(runs on this device( if --strategies names it)?|not on this device: .{20,})",
            where,
        ), where


def test_lists_know_which_strategies_need_several_devices(program: Program):
    def entries(devices: str) -> dict[str, Any]:
        answer = text_of(program.run("--list=json", devices, "--strategies=copy"))
        return {entry["name"]: entry for entry in json.loads(answer)["strategies"]}

    alone = entries("--device=host")["copy/multipath/pinned"]
    assert alone["runs_on"] == []
    assert alone["not_on"]["host"]["code"] == "needs_several_devices"
    both = entries("--device=host:0,host:1")["copy/multipath/pinned"]
    assert both["runs_on"] == ["host:0", "host:1"]


def test_the_method_of_every_family_is_described(program: Program):
    entries = json.loads(text_of(program.run("--list=json", "--device=host")))["strategies"]
    page = (ROOT / "docs/METHOD.md").read_text("utf-8")
    cells = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")]
    described = {family for cell in cells for family in re.findall(r"`(\w+)[/`]", cell)}
    assert {entry["family"] for entry in entries} - described == set()


def test_a_short_list_names_every_family_once(program: Program):
    text = text_of(program.run("--list", "--device=host"))
    assert len(text.splitlines()) <= 150
    assert max(len(line) for line in text.splitlines()) <= COLUMNS
    families = re.findall(r"^([a-z]\w*)", text, flags=re.MULTILINE)
    in_full = text_of(program.run("--list=all", "--device=host"))
    names = [name for name, _, _ in listed(in_full)]
    expected = list(dict.fromkeys(name.partition("/")[0] for name in names))
    assert families[: len(expected)] == expected
    for name in names:
        assert "@" in name or name.partition("/")[2] in text


def test_standard_profile_covers_all_sizes_both_ways(program: Program):
    names = text_of(program.run("--device=host", "--benchmark_list_tests")).splitlines()
    assert len(names) == len(set(names))
    sizes = [
        *("4B", "16B", "64B", "256B", "1KiB", "4KiB", "16KiB", "64KiB", "256KiB"),
        *("1MiB", "4MiB", "16MiB", "64MiB", "256MiB", "1GiB"),
    ]
    copies = [
        name
        for name, _, where in listed(program.run("--list=all", "--device=host").out)
        if name.startswith("copy/") and where.endswith("runs on this device")
    ]
    assert "copy/pageable" in copies
    assert {
        f"{name}/{direction}/{size}"
        for name in copies
        for direction in ("h2d", "d2h")
        for size in sizes
    } < {*names}
    assert {"copy/pageable/h2d/1MiB/cold", "copy/pageable/d2h/1MiB/cold"} < {*names}


def test_memory_on_a_node_is_measured_if_it_is_asked_for_by_name(program: Program):
    listing = listed(program.run("--list=all", "--device=host").out)
    on_node = {name: where for name, _, where in listing if name.startswith("copy/pinned@node")}
    assert on_node
    node, where = min(on_node.items())
    if "not on this device" in where:
        pytest.skip(where)
    names = text_of(
        program.run(
            "--device=host", f"--strategies={node}/h2d", "--sizes=4KiB", "--benchmark_list_tests"
        )
    )
    assert names.splitlines() == [f"{node}/h2d/4KiB"]
    if len(on_node) == 1:
        names = text_of(program.run("--device=host", "--benchmark_list_tests"))
        assert "@node" not in names


def test_a_node_that_is_not_there_is_a_usage_error(program: Program):
    completed = program.run("--device=host", "--strategies=copy/pinned@node987", expected=USAGE)
    assert "unknown strategy 'copy/pinned@node987': did you mean" in completed.err


@pytest.mark.parametrize(("smaller", "larger"), [("quick", "standard"), ("standard", "full")])
def test_larger_profiles_have_more_benchmarks(program: Program, smaller: str, larger: str):
    smaller_list, larger_list = (
        text_of(program.run("--device=host", "--benchmark_list_tests", f"--profile={name}"))
        for name in (smaller, larger)
    )
    assert 0 < smaller_list.count("\n") < larger_list.count("\n")
