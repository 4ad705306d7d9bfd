"""docs/FIVE_LINES.md has the calls of each strategy that `advise` recommends, and they compile."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from calls import call
from program import ROOT, Program

PAGE = ROOT / "docs/FIVE_LINES.md"
MOST_LINES = 5
INCLUDES = """
#include <sys/mman.h>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <vector>
#include <span>
#include <cuda.h>
#include <cuda_runtime.h>
#if __has_include(<cufile.h>)
#include <cufile.h>
#endif
#include "transfers/transfers.hpp"
"""


def blocks() -> tuple[str, list[str]]:
    """The declarations, and the other blocks of code."""
    declarations, *others = re.findall(r"```cpp\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    return declarations, [block.rstrip("\n") for block in others]


@pytest.fixture(scope="module")
def strategies(program: Program) -> list[dict[str, Any]]:
    listing: list[dict[str, Any]] = json.loads(program.run("--list=json").out)["strategies"]
    return listing


@pytest.fixture(scope="module")
def calls(strategies: list[dict[str, Any]]) -> dict[str, str]:
    """By the names of strategies, and of variants that have calls of their own."""
    return {
        name: text
        for strategy in strategies
        for name, text in [
            (strategy["name"], strategy["calls"]),
            *strategy.get("calls_of", {}).items(),
        ]
        if text
    }


def test_no_strategy_takes_more(calls: dict[str, str]) -> None:
    assert calls
    assert {name: text for name, text in calls.items() if len(text.splitlines()) > MOST_LINES} == {}


def test_all_strategies_of_a_family_have_calls(strategies: list[dict[str, Any]]) -> None:
    """Those of single NUMA nodes are like the others; most launches are not advised."""
    families = {strategy["family"] for strategy in strategies if strategy["calls"]}
    assert families >= {"copy", "copy_async", "zero_copy", "file", "overlap", "duplex", "wait"}
    silent = {
        strategy["name"]
        for strategy in strategies
        if strategy["family"] in families - {"launch"}
        and not strategy["calls"]
        and "@" not in strategy["name"]
    }
    assert silent == set()


def test_the_page_has_all_calls_and_no_others(calls: dict[str, str]) -> None:
    memory, *methods = blocks()[1]
    lines = {line for text in calls.values() for line in text.splitlines()}
    assert {line for block in [memory, *methods] for line in block.splitlines()} == lines
    assert [block for block in methods if not any(block in text for text in calls.values())] == []


@pytest.mark.nightly
def test_they_compile(calls: dict[str, str], pytestconfig: pytest.Config, tmp_path: Path) -> None:
    build = pytestconfig.getoption("binary").resolve().parent
    cache = (build / "CMakeCache.txt").read_text("utf-8")
    nvcc = re.search(r"^CMAKE_CUDA_COMPILER:\w+=(/.*)$", cache, re.MULTILINE)
    if not nvcc:
        pytest.skip("a build without CUDA")
    functions = [
        f"#if {int('cuFile' not in text)} || __has_include(<cufile.h>)\n"
        f"void calls_{number}() {{ // {name}\n{text}\n}}\n#endif\n"
        for number, (name, text) in enumerate(calls.items())
    ]
    source = tmp_path / "calls.cu"
    source.write_text(INCLUDES + blocks()[0] + "".join(functions), "utf-8")
    call(
        [nvcc[1], "-std=c++20", "-I", ROOT / "include", "-arch=compute_90", "-code=compute_90"]
        + ["-c", source, "-o", tmp_path / "calls.o"],
        expected=0,
    )
