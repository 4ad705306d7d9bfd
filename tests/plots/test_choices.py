"""Tests what the report takes from `advise`: the map of what to use, by size and reuse."""

import json
import subprocess
from pathlib import Path

import pytest
import synthetic
from synthetic import MIB

from plots.model import programs
from plots.model.derive import Run
from plots.model.load import read_result
from plots.model.memory_pages import page_sizes
from plots.page import calculator

RECORDED = Path(__file__).resolve().parents[2] / "results"


@pytest.mark.parametrize(
    "name",
    [
        "nvidia-h200/2026-11-21-report",
        "nvidia-h200/2026-11-21-memory",
        "nvidia-h200/2026-11-20-standard",
        "nvidia-h100/2026-11-21-transfers",
    ],
)
def test_the_report_and_advise_recommend_the_same(name, program, tmp_path):
    path = RECORDED / name / "result.json.gz"
    mapped = tmp_path / "map.json"
    command = [program, "advise", "--from", path, "--map", mapped]
    subprocess.run(command, check=True, capture_output=True)
    advised = json.loads(mapped.read_text("utf-8"))
    shown = programs.ask(program, read_result(path), on_host=False).map
    assert len(shown["sizes"]) >= 14
    assert shown["reuse"] == programs.REUSES
    for direction, tables in shown["directions"].items():
        for key, cells in tables.items():
            expected = advised["directions"][direction][key]
            assert cells == [
                [
                    expected[advised["sizes"].index(size)][advised["reuse"].index(reuse)]
                    for reuse in shown["reuse"]
                ]
                for size in shown["sizes"]
            ]
        assert {"winner", "total_ns", "as_good", "runner_up", "margin", "gain"} <= tables.keys()


def test_the_command_in_the_page_answers_as_the_page(program):
    path = RECORDED / "nvidia-h100/2026-11-21-transfers/result.json.gz"
    result = read_result(path)
    run = Run(result, programs.ask(program, result, on_host=False))
    page = calculator.calculate(run)
    named = {
        (direction, size, reuse): winner
        for direction, tables in run.advice.map["directions"].items()
        for size, row in zip(run.advice.map["sizes"], tables["winner"], strict=True)
        for reuse, winner in zip(run.advice.map["reuse"], row, strict=True)
    }
    for shown in page["answers"][::10]:
        question = [f"--{key}={shown[key]}" for key in ("bytes", "direction", "reuse")]
        command = page["command"].replace("FILE", str(path)).split()
        answered = subprocess.run(
            [program, *command[1:], *question, "--json=-"], check=True, capture_output=True
        )
        recommended = json.loads(answered.stdout)["recommended"]
        assert page["strategies"][shown["recommended"]] == recommended
        assert named[shown["direction"], shown["bytes"], shown["reuse"]] == recommended


def answer(sizes, winner):
    tables = {"cpu_writes": 1, "winner": [[winner] * len(ALL_REUSES) for _ in sizes]}
    empty = {"cpu_writes": 0, "winner": []}
    return {
        "sizes": sizes,
        "reuse": ALL_REUSES,
        "measured_terms": {"allocation": True},
        "directions": {"h2d": tables if winner else empty, "d2h": empty},
    }


ALL_REUSES = sorted({*programs.REUSES, 2, 10, 50})


def test_each_size_is_four_times_the_one_before():
    sizes = [MIB * 2**i for i in range(5)]
    result = synthetic.result(synthetic.rows(("copy/pinned",), tuple(sizes)))
    selected = programs._select_cells(answer(sizes, "copy/pinned"), result)
    assert selected["sizes"] == [MIB, 4 * MIB, 16 * MIB]
    assert selected["directions"] == {"h2d": {"winner": [["copy/pinned"] * 7] * 3}}


def test_odd_sizes_are_shown_as_well():
    sizes = [3 * MIB * 2**i for i in range(3)]
    result = synthetic.result(synthetic.rows(("copy/pinned",), tuple(sizes)))
    selected = programs._select_cells(answer(sizes, "copy/pinned"), result)
    assert selected["sizes"] == [3 * MIB, 12 * MIB]


def test_where_nothing_can_be_ranked_there_is_no_map():
    assert programs._select_cells(answer([MIB], None), synthetic.result()) is None


def test_kinds_of_memory_have_pages_of_a_known_size():
    assert page_sizes()["pinned"] == page_sizes()["pageable"] != page_sizes()["registered_huge"]


def test_only_terms_of_the_sum_are_given_to_advise():
    rows = [
        synthetic.row(f"{name}/1MiB", MIB, 100.0)
        for name in (
            *("copy/pinned/h2d", "allocate/pinned", "free/pinned", "cpu/pinned/read_memcpy"),
            *("cpu/pinned/read_scalar", "message/graph", "duplex/engines/pinned"),
        )
    ]
    rows.append(synthetic.row("copy/pinned/h2d/1MiB/cold", MIB, 100.0))
    kept = programs._reduce(synthetic.result(rows))["benchmarks"]
    assert [row["run_name"].removesuffix("/1MiB") for row in kept] == [
        *("copy/pinned/h2d", "allocate/pinned", "free/pinned", "cpu/pinned/read_memcpy")
    ]
