"""`bench_transfers advise --for`: which of the ways of another transfer than a copy."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from advice_files import MIB
from program import ALL_RAN, COLUMNS, NOTHING_RAN, USAGE, Program, assert_complains

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "results/nvidia-h200"
FILES = RESULTS / "2026-11-23-files/result.json.gz"
REPORT = RESULTS / "2026-11-21-report/result.json.gz"
WAITING = RESULTS / "2026-11-23-waiting/result.json.gz"
PROMPT = RESULTS / "2026-11-23-prompt-copies/result.json.gz"


def answers(
    program: Program, tmp_path: Path, file: Path, *arguments: str
) -> dict[tuple[str | None, str], dict[str, Any]]:
    """Returns the answers by job and direction; each printed line fits into a terminal."""
    out = tmp_path / "answer.json"
    completed = program.run("advise", f"--from={file}", *arguments, f"--json={out}")
    assert completed.code == ALL_RAN, completed
    assert completed.err == ""
    assert all(len(line) <= COLUMNS for line in completed.out.splitlines()), completed.out
    assert all(line == line.rstrip() for line in completed.out.splitlines())
    document = json.loads(out.read_text("utf-8"))
    assert document["kind"] == "alternatives"
    assert document["format"] == 1
    for answer in document["answers"]:
        alone = len(answer["strategies"]) == 1
        choice = "Only {} can be ranked:" if alone else "Use {}:"
        assert choice.format(answer["recommended"]) in completed.out.replace("\n  ", " ")
    return {(a["job"], a["question"]["direction"]): a for a in document["answers"]}


def names(answer: dict[str, Any]) -> list[str]:
    return [strategy["name"] for strategy in answer["strategies"]]


def test_files_are_ranked_apart_by_the_page_cache(program: Program, tmp_path: Path):
    by_job = answers(program, tmp_path, FILES, "--for=file", "--bytes=1GiB")
    assert set(by_job) == {("warm", "h2d"), ("cold", "h2d"), (None, "h2d")}
    warm = by_job["warm", "h2d"]
    assert all(name.endswith("/warm") for name in names(warm))
    assert warm["recommended"] == "file/pread/warm"
    assert warm["strategies"][0]["prices"]["cores"] > 1
    # The memory that they use is their own.
    assert warm["strategies"][0]["allocation_ns"]["value"] == 0


def test_round_trips_pay_for_their_memory(program: Program, tmp_path: Path):
    once, often = (
        answers(program, tmp_path, REPORT, "--for=overlap", "--bytes=64MiB", f"--reuse={n}")[
            None, "both"
        ]
        for n in (1, 1000)
    )
    assert once["measured_terms"]["allocation"]
    assert once["question"]["cpu_writes"] == once["question"]["cpu_reads"] == 1
    pinned = next(s for s in once["strategies"] if s["name"] == "overlap/pinned/chosen")
    again = next(s for s in often["strategies"] if s["name"] == "overlap/pinned/chosen")
    assert pinned["allocation_ns"]["value"] == pytest.approx(1000 * again["allocation_ns"]["value"])
    assert pinned["pays"]["from"] >= 1


def test_both_directions_and_scattered_blocks(program: Program, tmp_path: Path):
    both = answers(program, tmp_path, REPORT, "--for=duplex", "--bytes=64MiB", "--reuse=1000")
    assert {"duplex/engines/pinned", "duplex/kernels/pinned_mapped"} <= set(
        names(both[None, "both"])
    )
    scattered = answers(
        program, tmp_path, REPORT, "--for=scattered_copy", "--bytes=16MiB", "--direction=d2h"
    )
    assert {direction for _, direction in scattered} == {"d2h"}
    assert "4KiB_blocks" in {job for job, _ in scattered}
    for (job, _), answer in scattered.items():
        assert all(f"/{job}/" in name for name in names(answer))


def test_small_data_against_what_was_timed_in_turn(program: Program, tmp_path: Path):
    asked = ("--for=parameters", "--direction=h2d")
    small = answers(program, tmp_path, WAITING, *asked, "--bytes=1KiB")[None, "h2d"]
    assert set(names(small)) == {"launch/parameters", "copy_and_launch"}
    assert small["recommended"] == "launch/parameters"
    large = answers(program, tmp_path, WAITING, *asked, "--bytes=32736B")[None, "h2d"]
    assert large["recommended"] == "copy_and_launch"


def test_ways_to_wait_name_the_cores_that_they_keep_busy(program: Program, tmp_path: Path):
    answer = answers(program, tmp_path, WAITING, "--for=wait", "--bytes=16MiB", "--direction=h2d")[
        None, "h2d"
    ]
    cores = {s["name"]: s["prices"].get("cores") for s in answer["strategies"]}
    assert cores["wait/blocking_sync"] < cores["wait/spin"]
    assert cores["synchronize"] is None


def test_small_copies_beside_a_bulk_copy_are_ranked_by_their_tail(program: Program, tmp_path: Path):
    by_job = answers(program, tmp_path, PROMPT, "--for=interference", "--bytes=1GiB")
    answer = by_job["h2d/50KiB_h2d", "h2d"]
    assert answer["ranked_by"] == "p99_ns"
    assert {"interference/engine/prompt", "interference/polite/memcpy"} <= set(names(answer))
    prices = {s["name"]: s["prices"] for s in answer["strategies"]}
    assert all("bulk_loss_percent" in p for p in prices.values())
    # Polite copies let others in at the cost of their own rate, of which the loss is a part.
    polite, engine = prices["interference/polite/memcpy"], prices["interference/engine/prompt"]
    assert polite["bulk_alone_gb_per_s"] < engine["bulk_alone_gb_per_s"] / 2
    assert polite["bulk_multiprocessors"] > 0
    assert "bulk_multiprocessors" not in engine
    assert answer["strategies"][0]["model"] is None  # of a single size


def test_the_roles_of_a_file_are_named(program: Program, tmp_path: Path):
    asked = ("--bytes=1MiB", f"--from={REPORT}")
    completed = program.run("advise", *asked, "--direction=h2d")
    assert completed.out.endswith(
        "Other transfers in this file: --for=duplex, overlap, scattered_copy.\n"
    )
    for role in ("copy_of_nothing", "array", "cpu_read"):
        assert_complains(
            program.run("advise", *asked, f"--for={role}"),
            NOTHING_RAN,
            f"no benchmarks of the role {role}",
            "duplex, overlap, scattered_copy",
        )
    assert_complains(
        program.run("advise", f"--from={FILES}", "--for=file", "--bytes=1GiB", "--direction=d2h"),
        NOTHING_RAN,
    )


def test_jobs_that_cannot_be_ranked_are_named(program: Program):
    asked = ("advise", f"--from={FILES}", "--for=file")
    assert_complains(
        program.run("advise", f"--from={PROMPT}", "--for=interference", "--bytes=64MiB"),
        NOTHING_RAN,
        "interference, ",
    )
    assert "Left out: file" not in program.run(*asked, "--bytes=1GiB").out


def changed_files(tmp_path: Path, change: Callable[[list[dict[str, Any]]], None]) -> Path:
    """The recorded copies from files, with other rows."""
    content = json.loads(gzip.decompress(FILES.read_bytes()))
    change(content["benchmarks"])
    file = tmp_path / "changed.json"
    file.write_text(json.dumps(content), "utf-8")
    return file


def test_jobs_left_out_are_listed_beside_the_answers(program: Program, tmp_path: Path):
    def keep_one_size_of_cold_files(rows: list[dict[str, Any]]) -> None:
        names = [row["run_name"] for row in rows]
        kept = ["/cold/" not in name or name.endswith("/1GiB") for name in names]
        rows[:] = [row for row, is_kept in zip(rows, kept, strict=True) if is_kept]

    file, out = changed_files(tmp_path, keep_one_size_of_cold_files), tmp_path / "answer.json"
    asked = ("advise", f"--from={file}", "--for=file", "--bytes=256MiB", f"--json={out}")
    completed = program.run(*asked)
    assert completed.code == ALL_RAN, completed
    assert (
        "Left out: file, cold, h2d (transfer measured at one size only; sizes: 1GiB).\n"
        in completed.out
    )
    document = json.loads(out.read_text("utf-8"))
    assert "cold" not in {answer["job"] for answer in document["answers"]}
    assert document["left_out"] == [
        {
            "job": "cold",
            "direction": "h2d",
            "code": "one_size",
            "reason": "transfer measured at one size only",
            "sizes": [1024 * MIB],
        }
    ]


def test_ignored_rows_of_every_job_are_counted(program: Program, tmp_path: Path):
    failed = 0

    def fail(rows: list[dict[str, Any]]) -> None:
        nonlocal failed
        for row in rows:
            if row["run_name"].startswith("file/either/warm/") and row["run_type"] == "iteration":
                row["error_occurred"] = True
                failed += 1

    file, out = changed_files(tmp_path, fail), tmp_path / "answer.json"
    completed = program.run(
        "advise", f"--from={file}", "--for=file", "--bytes=1GiB", f"--json={out}"
    )
    assert failed > 0
    assert f"Note: {failed} rows ignored: the benchmark failed.\n" in completed.out
    document = json.loads(out.read_text("utf-8"))
    assert document["ignored_rows"] == {"failed": failed, "unusable": 0}


def test_the_documented_answer_is_that_of_the_program(program: Program):
    """Of the page's first command with --for, the part that it shows."""
    page = (ROOT / "docs/ADVISE.md").read_text("utf-8")
    command = re.search(r"^build/bench_transfers (advise --for=.*)$", page, re.MULTILINE)
    shown = re.search(r"The first of these commands prints.*?\n```\n(.*?)```", page, re.DOTALL)
    assert command and shown
    completed = program.run(*shlex.split(command[1]), cwd=ROOT)
    assert shown[1] in completed.out


def test_help_names_the_documented_roles_and_directions(program: Program):
    page = (ROOT / "docs/ADVISE.md").read_text("utf-8")
    table = page.split("| you have | `--for` |")[1].split("\n\n")[0]
    roles = re.findall(r"^\| [^|]+ \| `(\w+)` \|", table, re.MULTILINE)
    text = " ".join(program.run("advise", "--help").out.split())
    footer = text.split("With --for:")[1].split("With --host-map")[0]
    assert len(roles) >= 8
    assert set(roles) <= set(re.findall(r"\w+", footer))
    assert text.count("and both, 0 otherwise") == 2


def test_copies_are_the_default(program: Program, tmp_path: Path):
    asked = ("--bytes=1MiB", "--direction=h2d", f"--from={REPORT}")
    assert program.run("advise", *asked, "--for=copy").out == program.run("advise", *asked).out


@pytest.mark.parametrize(
    ("arguments", "complaints"),
    [
        (("--for=file",), ["--for=file needs --bytes"]),
        (("--for=file", "--bytes=x"), ["bad size 'x'"]),
        (("--for=file", "--bytes=1MiB", "--direction=up"), ["bad --direction 'up'", "none"]),
        (("--for=file", "--bytes=1MiB", "--map=m.json"), ["--map has no effect with --for=ROLE"]),
        (("--for=file", "--check"), ["--check has no effect with --for=ROLE"]),
        (("--for=", "--bytes=1MiB"), ["--for needs a value"]),
        (("--host-map=m", "--devices=all", "--for=file"), ["--for has no effect with --host-map"]),
    ],
)
def test_bad_arguments(
    program: Program, tmp_path: Path, arguments: tuple[str, ...], complaints: list[str]
):
    source = () if "--host-map=m" in arguments else (f"--from={FILES}",)
    completed = program.run("advise", *source, *arguments, cwd=tmp_path)
    assert_complains(completed, USAGE, *complaints)
    assert list(tmp_path.iterdir()) == []


def test_what_was_measured_without_a_gpu_is_labelled(program: Program, tmp_path: Path):
    file = tmp_path / "host.json"
    program.measure(
        "--strategies=overlap,launch/parameters,scatter/loop/4KiB_blocks",
        "--sizes=4KiB,1MiB,4MiB",
        f"--out={file}",
    )
    asked = ("advise", f"--from={file}", "--for=overlap", "--bytes=4MiB")
    assert_complains(program.run(*asked), USAGE, "--allow-host")
    completed = program.run(*asked, "--allow-host")
    assert completed.code in (ALL_RAN, NOTHING_RAN)  # it may not be able to tell
    lines = [line for line in completed.out.splitlines() if line]
    assert all(line.startswith("(host, no GPU) ") for line in lines)
    assert any("overlap/pageable/serial" in line for line in lines)
    parameters = program.run(
        "advise",
        f"--from={file}",
        "--for=parameters",
        f"--bytes={4 * MIB // 1024}B",
        "--allow-host",
    )
    assert "copy_and_launch" in parameters.out
