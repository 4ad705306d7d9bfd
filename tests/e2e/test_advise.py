"""`bench_transfers advise`: recommendations from a result file."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import advice_files
import pytest
from advice_files import GIB, KIB, MIB, QUESTION, gpu_file, write
from program import ALL_RAN, COLUMNS, NOTHING_RAN, USAGE, Completed, Program, assert_complains

RECORDED = (
    Path(__file__).resolve().parents[2] / "results/nvidia-h200/2026-11-20-standard/result.json.gz"
)


def advise(program: Program, *arguments: str | Path, **options: Any) -> Completed:
    completed = program.run("advise", *arguments, **options)
    assert completed.code == ALL_RAN, completed
    assert completed.err == ""
    return completed


def answer(program: Program, tmp_path: Path, *arguments: str | Path) -> dict[str, Any]:
    out = tmp_path / "answer.json"
    advise(program, *arguments, f"--json={out}")
    return json.loads(out.read_text("utf-8"))


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
@pytest.mark.parametrize(
    "request_of_it",
    [("--bytes=64MiB", "--direction=h2d", "--json"), ("--check", "--json"), ("--map",)],
    ids=" ".join,
)
def test_standard_output_gets_what_a_file_would(
    program: Program, recorded: Path, tmp_path: Path, request_of_it: tuple[str, ...], out: str
):
    *question, option = request_of_it
    file = tmp_path / "answer.json"
    advise(program, f"--from={recorded}", *question, f"{option}={file}")
    printed = advise(program, f"--from={recorded}", *question, f"{option}={out}", cwd=tmp_path)
    assert printed.out == file.read_text("utf-8")
    assert list(tmp_path.iterdir()) == [file]


def by_name(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {strategy["name"]: strategy for strategy in document["strategies"]}


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("recorded") / "result.json"
    path.write_bytes(gzip.decompress(RECORDED.read_bytes()))
    return path


@pytest.fixture(scope="session")
def measured_on_host(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("host") / "host.json"
    program.measure(
        "--strategies=copy,copy_async,zero_copy", "--sizes=4KiB:1MiB:x4", f"--out={path}"
    )
    return path


def test_totals_can_be_worked_out(program: Program, made_up: Path, tmp_path: Path):
    size, reuse = 64 * MIB, 10
    document = answer(
        program,
        tmp_path,
        f"--from={made_up}",
        *QUESTION,
        f"--reuse={reuse}",
        "--cpu-writes=2",
        "--cpu-reads=0.5",
    )
    assert document["format"] == 1
    assert document["question"] == {
        "bytes": size,
        "direction": "h2d",
        "reuse": reuse,
        "cpu_writes": 2,
        "cpu_reads": 0.5,
    }
    strategies = by_name(document)
    assert set(strategies) == {"copy/pageable", "copy/pinned", "zero_copy/pinned_mapped"}
    for name, costs in strategies.items():
        memory = name.partition("/")[2]
        direction = "read" if name.startswith("zero_copy") else "h2d"
        allocation = sum(
            advice_files.ALLOCATION[f"{step}/{memory}"](size) for step in ("allocate", "free")
        )
        terms = {
            "allocation_ns": allocation / reuse,
            "fill_ns": 2 * size * advice_files.NS_PER_BYTE[f"cpu/{memory}/write_memcpy"],
            "transfer_ns": advice_files.TRANSFERS[f"{name}/{direction}"](size),
            "read_back_ns": 0.5 * size * advice_files.NS_PER_BYTE[f"cpu/{memory}/read_memcpy"],
        }
        for term, expected in terms.items():
            assert costs[term]["value"] == pytest.approx(expected, rel=1e-6), (name, term)
            assert costs[term]["low"] <= costs[term]["value"] <= costs[term]["high"]
        assert costs["total_ns"]["value"] == pytest.approx(sum(terms.values()), rel=1e-6)
    totals = [costs["total_ns"]["value"] for costs in document["strategies"]]
    assert totals == sorted(totals)
    assert document["recommended"] == document["strategies"][0]["name"]


def test_the_model_recovers_the_costs_of_the_file(program: Program, made_up: Path, tmp_path: Path):
    document = answer(program, tmp_path, f"--from={made_up}", *QUESTION)
    model = by_name(document)["copy/pinned"]["model"]
    assert model["lines"] == 1
    assert model["t0_ns"]["value"] == pytest.approx(6000)
    assert model["bandwidth_gb_per_s"]["value"] == pytest.approx(50)
    assert model["half_bandwidth_bytes"] == pytest.approx(300_000)


def test_reuse_decides(program: Program, made_up: Path, tmp_path: Path):
    for reuse, recommended in ((1, "copy/pageable"), (1000, "copy/pinned")):
        document = answer(program, tmp_path, f"--from={made_up}", *QUESTION, f"--reuse={reuse}")
        assert document["recommended"] == recommended


def test_break_even_is_where_the_totals_meet(program: Program, made_up: Path, tmp_path: Path):
    def totals(reuse: int) -> dict[str, dict[str, Any]]:
        question = ("--bytes=1000", "--direction=d2h", "--cpu-reads=0")
        return by_name(
            answer(program, tmp_path, f"--from={made_up}", *question, f"--reuse={reuse}")
        )

    count = totals(1)["copy/pinned"]["pays"]["from"]
    assert count > 100
    for reuse, pays in ((count - 1, False), (count, True)):
        costs = totals(reuse)
        less = (
            costs["copy/pinned"]["total_ns"]["value"] <= costs["copy/pageable"]["total_ns"]["value"]
        )
        assert less == pays
    assert totals(1)["zero_copy/pinned_mapped"]["pays"] == "never"
    assert totals(1)["copy/pageable"]["pays"] is None


def test_the_direction_sets_the_default_accesses(program: Program, made_up: Path, tmp_path: Path):
    up = answer(program, tmp_path, f"--from={made_up}", *QUESTION)["question"]
    down = answer(program, tmp_path, f"--from={made_up}", "--bytes=1MiB", "--direction=d2h")
    assert (up["cpu_writes"], up["cpu_reads"]) == (1, 0)
    assert (down["question"]["cpu_writes"], down["question"]["cpu_reads"]) == (0, 1)


GRID = ("--bytes=64KiB,1MiB:64MiB:x64", "--direction=h2d,d2h", "--reuse=1,1000")


def test_several_questions_are_answered_like_each_alone(
    program: Program, made_up: Path, tmp_path: Path
):
    document = answer(program, tmp_path, f"--from={made_up}", *GRID)
    assert document["kind"] == "rankings"
    asked = [one["question"] for one in document["answers"]]
    assert [(one["direction"], one["bytes"], one["reuse"]) for one in asked] == [
        (direction, size, reuse)
        for direction in ("h2d", "d2h")
        for size in (64 * KIB, MIB, 64 * MIB)
        for reuse in (1, 1000)
    ]
    for one in document["answers"]:
        question = one["question"]
        alone = answer(
            program,
            tmp_path,
            f"--from={made_up}",
            *(f"--{name}={question[name]}" for name in ("bytes", "direction", "reuse")),
        )
        assert alone["kind"] == "ranking"
        assert {key: alone[key] for key in one} == one


def test_of_several_questions_one_may_have_no_answer(program: Program, tmp_path: Path):
    content = gpu_file()
    content["benchmarks"] = [
        row
        for row in content["benchmarks"]
        if not row["name"].startswith(("copy/", "zero_copy/")) or "/h2d/" in row["name"]
    ]
    file = write(tmp_path / "result.json", content)
    out = tmp_path / "answer.json"
    completed = program.run("advise", f"--from={file}", *GRID, f"--json={out}")
    assert completed.code == NOTHING_RAN
    assert completed.out.count("Nothing to rank: no transfers d2h in it\n") == 6
    answers = json.loads(out.read_text("utf-8"))["answers"]
    without = [one for one in answers if one["question"]["direction"] == "d2h"]
    assert [(one["recommended"], one["strategies"]) for one in without] == [(None, [])] * 6
    assert all(one["recommended"] for one in answers if one not in without)
    completed = program.run("advise", f"--from={file}", "--bytes=1MiB", "--direction=d2h")
    assert completed.code == NOTHING_RAN


def test_strategies_without_a_term_are_named(program: Program, made_up: Path, tmp_path: Path):
    document = answer(program, tmp_path, f"--from={made_up}", *QUESTION)
    assert document["left_out"] == [
        {
            "name": "copy/pinned_portable_mapped",
            "code": "not_measured",
            "reason": "allocation not measured",
        }
    ]


@pytest.mark.parametrize(
    ("size", "writes", "far"),
    [("2B", 0, False), ("1B", 0, True), ("2GiB", 0, False), ("3GiB", 0, True), ("2B", 1, True)],
)
def test_sizes_far_outside_are_marked(
    program: Program, made_up: Path, tmp_path: Path, size: str, writes: int, far: bool
):
    """Of transfers, and of the CPU's accesses."""
    question = (f"--bytes={size}", "--direction=h2d", f"--cpu-writes={writes}")
    strategies = answer(program, tmp_path, f"--from={made_up}", *question)["strategies"]
    assert {strategy["extrapolated"] for strategy in strategies} == {far}


def test_the_columns_of_a_check_stay_apart(program: Program, tmp_path: Path):
    document = gpu_file()
    for size in advice_files.SIZES[5:]:  # a pool: larger allocations take no longer
        ns = 80 * (1 + 1e-11 * size)
        document["benchmarks"] += advice_files.rows(
            f"allocate/device_pool/{advice_files.size_name(size)}", ns, size
        )
    file = write(tmp_path / "result.json", document)
    lines = advise(program, f"--from={file}", "--check").out.splitlines()
    (pool,) = [line.split() for line in lines if line.startswith("allocate/device_pool ")]
    assert pool[1:6] == ["1", "80.0", "ns", "-", "-"]
    (pinned,) = [line.split() for line in lines if line.startswith("copy/pinned/d2h ")]
    assert pinned[1:6] == ["1", "6.50", "µs", "50.0", "317KiB"]


def test_incomplete_runs_and_failed_rows_are_reported(program: Program, tmp_path: Path):
    document = gpu_file()
    document["context"]["transfers"]["complete"] = False
    document["benchmarks"][0] |= {"error_occurred": True, "error_message": "wrong data"}
    document["benchmarks"][1]["median_ns"] = None
    file = write(tmp_path / "result.json", document)
    completed = advise(program, f"--from={file}", *QUESTION)
    assert "Note: 1 row ignored: no positive time" in completed.out
    document = answer(program, tmp_path, f"--from={file}", *QUESTION)
    assert document["ignored_rows"] == {"failed": 1, "unusable": 1}
    assert document["from"]["complete"] is False


def test_texts_of_a_file_cannot_steer_a_terminal(program: Program, tmp_path: Path):
    hostile = "\x1b]0;title\x07\x1b[2J\u202e\n"
    document = gpu_file()
    facts = document["context"]["transfers"]
    facts["device"]["name"] = facts["machine"]["cpu"]["model"] = hostile
    facts["run"]["started_utc"] = facts["program"]["git_commit"] = hostile
    facts["strategies"] = [{"name": "copy/pinned", "memory": hostile}]
    for row in document["benchmarks"]:
        row["run_name"] = row["run_name"].replace("pinned_mapped", f"pinned{hostile}")
    file = write(tmp_path / f"result{hostile}.json", document)
    map_file = tmp_path / f"map{hostile}.json"
    for question in (QUESTION, ("--check",), (f"--map={map_file}",)):
        completed = advise(program, f"--from={file}", *question)
        assert not set(completed.out) & set("\x1b\x07\u202e"), completed
        assert r"\x1b]0;title\x07\x1b[2J\u202e\n" in completed.out.replace("\n  ", "").replace(
            "\n", ""
        )


def test_the_newest_local_result_is_used(program: Program, tmp_path: Path):
    for age, name in ((30, "older"), (10, "newest"), (20, "old")):
        folder = tmp_path / "results/local" / name / "time"
        folder.mkdir(parents=True)
        document = gpu_file()
        document["context"]["transfers"]["device"]["name"] = f"The {name} GPU"
        file = write(folder / "result.json", document)
        when = file.stat().st_mtime - age
        os.utime(file, (when, when))
    assert "The newest GPU" in advise(program, *QUESTION, cwd=tmp_path).out


def test_without_any_local_result_it_says_how_to_make_one(program: Program, tmp_path: Path):
    completed = program.run("advise", *QUESTION, cwd=tmp_path)
    assert_complains(completed, USAGE, "results/local", "scripts/bench", "--from")


# Without a GPU


def test_a_file_without_a_gpu_is_refused(program: Program, measured_on_host: Path):
    completed = program.run("advise", f"--from={measured_on_host}", *QUESTION)
    assert_complains(completed, USAGE, str(measured_on_host), "--allow-host")


def test_a_file_without_a_gpu_is_labelled(program: Program, measured_on_host: Path):
    for question in ((*QUESTION,), ("--check",)):
        completed = program.run("advise", f"--from={measured_on_host}", "--allow-host", *question)
        # What a busy machine measures in a moment may tell nothing.
        assert completed.code in (ALL_RAN, NOTHING_RAN), completed
        lines = [line for line in completed.out.splitlines() if line]
        assert len(lines) > 5
        assert [line for line in lines if not line.startswith("(host, no GPU) ")] == []
        lines = [line for line in lines if str(measured_on_host) not in line]
        assert max(map(len, lines)) <= COLUMNS


def test_a_map_without_a_gpu_is_labelled(program: Program, measured_on_host: Path, tmp_path: Path):
    out = tmp_path / "map.json"
    completed = advise(program, f"--from={measured_on_host}", "--allow-host", f"--map={out}")
    assert completed.out.startswith("(host, no GPU) ")
    assert json.loads(out.read_text("utf-8"))["from"]["gpu"] is False


# The map


def test_the_map(program: Program, made_up: Path, tmp_path: Path):
    out = tmp_path / "map.json"
    completed = advise(program, f"--from={made_up}", f"--map={out}")
    assert str(out) in completed.out
    map_ = json.loads(out.read_text("utf-8"))
    assert (map_["format"], map_["kind"]) == (1, "map")
    assert map_["sizes"] == [4 * 2**step for step in range(29)]
    assert map_["sizes"][-1] == GIB
    assert map_["reuse"][:5] == [1, 2, 5, 10, 20]
    assert map_["reuse"][-1] == 10**6
    assert set(map_["directions"]) == {"h2d", "d2h"}
    for direction in map_["directions"].values():
        for key in ("winner", "total_ns", "as_good", "runner_up", "margin", "extrapolated"):
            assert len(direction[key]) == len(map_["sizes"])
            assert {len(row) for row in direction[key]} == {len(map_["reuse"])}
    winners = map_["directions"]["h2d"]["winner"]
    assert {row[0] for row in winners[14:]} == {"copy/pageable"}
    assert {row[-1] for row in winners[14:]} == {"copy/pinned"}


def test_a_cell_of_the_map_is_the_answer(program: Program, made_up: Path, tmp_path: Path):
    out = tmp_path / "map.json"
    document = answer(
        program, tmp_path, f"--from={made_up}", *QUESTION, "--reuse=5", f"--map={out}"
    )
    map_ = json.loads(out.read_text("utf-8"))
    row, column = map_["sizes"].index(64 * MIB), map_["reuse"].index(5)
    cell = {
        key: rows[row][column]
        for key, rows in map_["directions"]["h2d"].items()
        if key[:3] != "cpu"
    }
    best = by_name(document)[cell["winner"]]
    assert cell["winner"] == document["recommended"]
    assert cell["total_ns"] == best["total_ns"]["value"]
    second = by_name(document)[cell["runner_up"]]
    assert cell["margin"] == pytest.approx(
        second["total_ns"]["value"] / best["total_ns"]["value"] - 1
    )


# The model's accuracy


def test_left_out_sizes_of_the_recorded_run_are_predicted(
    program: Program, recorded: Path, tmp_path: Path
):
    out = tmp_path / "check.json"
    advise(program, "--check", f"--from={recorded}", f"--json={out}")
    errors = {
        (check["name"], size["bytes"]): abs(size["predicted_ns"]["value"] / size["measured_ns"] - 1)
        for check in json.loads(out.read_text("utf-8"))["checks"]
        for size in check["left_out"]
    }
    assert len(errors) == 32 * 9  # 32 names, 4 KiB to 256 MiB
    assert sorted(errors.values())[len(errors) // 2] <= 0.04
    over = {key for key, error in errors.items() if error > 0.1}
    # Pageable copies change their method between two of these sizes, a factor of four apart.
    # Without one of the two sizes the gap is a factor of 16, and the point of change unknown.
    # Pinned copies to the device change their method near 16 KiB.
    pageable = {(name, size) for name, size in over if name.split("/")[1].startswith("pageable")}
    assert {size for _, size in pageable} <= {64 * KIB, 256 * KIB, 64 * MIB}
    assert {size for _, size in over - pageable} <= {16 * KIB}
    assert max(errors.values()) < 0.16


def test_a_compressed_file_gives_the_same_answer(program: Program, recorded: Path, tmp_path: Path):
    plain = answer(program, tmp_path, f"--from={recorded}", *QUESTION)
    compressed = answer(program, tmp_path, f"--from={RECORDED}", *QUESTION)
    assert plain["from"].pop("file") == str(recorded)
    assert compressed["from"].pop("file") == str(RECORDED)
    assert compressed == plain


def test_check_covers_allocation(program: Program, made_up: Path):
    text = advise(program, "--check", f"--from={made_up}").out.replace("\n  ", " ")
    assert "Transfers: 72 sizes left out" in text
    assert "Allocating and freeing: 54 sizes left out" in text
    assert "off:" not in text
