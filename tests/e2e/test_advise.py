"""`bench_transfers advise`: recommendations from a result file."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import advice_files
import pytest
from advice_files import KIB, MIB, QUESTION, gpu_file, write
from program import ALL_RAN, COLUMNS, NOTHING_RAN, ROOT, Completed, Program

RECORDED = ROOT / "results/nvidia-h200/2026-11-20-standard/result.json.gz"


def advise(program: Program, *arguments: str | Path, **options: Any) -> Completed:
    completed = program.run("advise", *arguments, **options, expected=ALL_RAN)
    assert completed.err == ""
    return completed


@pytest.mark.parametrize("out", ["-", "/dev/stdout"])
@pytest.mark.parametrize(
    "request_of_it",
    [("--bytes=64MiB", "--direction=h2d", "--json"), ("--check", "--json"), ("--map",)],
    ids=" ".join,
)
def test_standard_output_gets_what_a_file_would(
    program: Program, tmp_path: Path, request_of_it: tuple[str, ...], out: str
):
    *question, option = request_of_it
    file = tmp_path / "answer.json"
    advise(program, f"--from={RECORDED}", *question, f"{option}={file}")
    printed = advise(program, f"--from={RECORDED}", *question, f"{option}={out}", cwd=tmp_path)
    assert printed.out == file.read_text("utf-8")
    assert list(tmp_path.iterdir()) == [file]


def test_a_time_that_is_hardly_known_is_no_equal_one(program: Program):
    """In this file, ordinary memory is as fast as the others only as far as is known."""
    file = RECORDED.parents[2] / "nvidia-h100/2026-11-26-processes/result-1.json.gz"

    def recommended(size: str) -> str:
        question = ("--direction=h2d", f"--bytes={size}")
        lines = advise(program, f"--from={file}", *question).out.replace("\n  ", " ").splitlines()
        return next(line for line in lines if line.startswith("Use "))

    assert re.search(
        r"cannot be told from it: its time may be wrong by [5-9]\d\.\d %", recommended("4B")
    )
    assert "may be wrong" not in recommended("1MiB")


def test_of_equal_ones_those_that_are_hardly_known_are_counted(program: Program):
    file = RECORDED.parents[1] / "2026-11-23-files/result.json.gz"
    completed = advise(program, f"--from={file}", "--for=file", "--bytes=64MiB")
    answers = completed.out.replace("\n  ", " ").split("Use ")[1:]
    assert answers
    for answer in answers:
        parts = [float(part) for part in re.findall(r"± *(\S+) % \*", answer)[1:]]
        says_so = "may be wrong by 50 % or more" in answer
        assert says_so == any(part >= 50 for part in parts), answer


@pytest.fixture(scope="session")
def measured_on_host(program: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("host") / "host.json"
    program.measure(
        "--strategies=copy,copy_async,zero_copy", "--sizes=4KiB:1MiB:x4", f"--out={path}"
    )
    return path


GRID = ("--bytes=64KiB,1MiB:64MiB:x64", "--direction=h2d,d2h", "--reuse=1,1000")


def test_of_several_questions_one_may_have_no_answer(program: Program, tmp_path: Path):
    content = gpu_file()
    content["benchmarks"] = [
        row
        for row in content["benchmarks"]
        if not row["name"].startswith(("copy/", "zero_copy/")) or "/h2d/" in row["name"]
    ]
    file = write(tmp_path / "result.json", content)
    out = tmp_path / "answer.json"
    completed = program.run(
        "advise", f"--from={file}", *GRID, f"--json={out}", expected=NOTHING_RAN
    )
    assert completed.out.count("nothing to rank: no transfers d2h in the file\n") == 6
    answers = json.loads(out.read_text("utf-8"))["answers"]
    without = [one for one in answers if one["question"]["direction"] == "d2h"]
    assert [(one["recommended"], one["strategies"]) for one in without] == [(None, [])] * 6
    assert all(one["recommended"] for one in answers if one not in without)
    program.run("advise", f"--from={file}", "--bytes=1MiB", "--direction=d2h", expected=NOTHING_RAN)


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


# Without a GPU


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


# The model's accuracy


def test_left_out_sizes_of_the_recorded_run_are_predicted(program: Program, tmp_path: Path):
    out = tmp_path / "check.json"
    advise(program, "--check", f"--from={RECORDED}", f"--json={out}")
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


def test_check_covers_allocation(program: Program, made_up: Path):
    text = advise(program, "--check", f"--from={made_up}").out.replace("\n  ", " ")
    assert "Transfers: 72 sizes left out" in text
    assert "Allocating and freeing: 54 sizes left out" in text
    assert "off:" not in text


LINES = RECORDED.parents[2] / "nvidia-h100/2026-11-27-lines-again"


def test_of_ways_to_fill_no_cost_of_memory_counts(program: Program):
    """The file has the CPU's writes, too, which are in the time of a way to fill already."""
    printed = advise(
        program, "--for=fill", "--bytes=1MiB", f"--from={LINES / 'wc.json.gz'}", "--json=-"
    )
    answers = json.loads(printed.out)["answers"]
    assert {answer["job"] for answer in answers} == {"computed", "copied"}
    for answer in answers:
        assert not any(answer["measured_terms"].values())
        for strategy in answer["strategies"]:
            assert strategy["total_ns"] == strategy["transfer_ns"], strategy


def test_who_reads_the_memory_next_counts(program: Program):
    question = ("--for=fill", "--bytes=1MiB", f"--from={LINES / 'wc.json.gz'}")
    alone, read = (
        json.loads(advise(program, *question, *reads, "--json=-").out)["answers"][0]["strategies"]
        for reads in ((), ("--cpu-reads=10",))
    )
    totals = [
        {entry["name"]: entry["total_ns"]["value"] for entry in ranked} for ranked in (alone, read)
    ]
    assert totals[0].keys() == totals[1].keys()
    added = {name: totals[1][name] - totals[0][name] for name in totals[0]}
    assert added["fill/computed/streaming/pinned"] > 2 * added["fill/computed/plain/pinned"] > 0
    said = advise(program, *question, "--cpu-reads=10").out
    assert "then 10 reads by the threads that filled it" in said.replace("\n", " ")


@pytest.mark.parametrize(
    ("who", "best"),
    [
        ("all-awake", "zero_copy/pinned_mapped"),
        ("written_by_all_awake", "zero_copy/pinned_mapped"),
        ("streamed", "copy/pinned"),
    ],
)
def test_who_wrote_the_memory_decides(program: Program, who: str, best: str):
    question = ("--bytes=4MiB", "--direction=h2d", f"--written-by={who}", "--json=-")
    answer = json.loads(advise(program, *question, f"--from={LINES / 'lines.json.gz'}").out)
    assert answer["recommended"] == best
    assert answer["question"]["cache"] in (who, "written_by_all_awake")
    assert answer["question"]["cpu_writes"] == 0


def test_a_state_that_was_not_measured_has_no_answer(program: Program):
    question = ("--bytes=4MiB", "--direction=h2d", "--written-by=all", f"--from={RECORDED}")
    completed = program.run("advise", *question, expected=NOTHING_RAN)
    assert completed.err.endswith("of memory just written by all threads, asleep since then\n")
