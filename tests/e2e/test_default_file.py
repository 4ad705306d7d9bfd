"""A run without --out keeps its result, and standard output can take it."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest
from program import ALL_RAN, TINY_NAMES, USAGE, Program, parse, read

NAME = r"bench_transfers-\d{8}T\d{6}Z(-\d+)?\.json"


def test_a_result_file_is_kept_and_named_at_the_end(program: Program, tmp_path: Path):
    first = program.measure(cwd=tmp_path)
    second = program.measure(cwd=tmp_path)
    kept = sorted(path.name for path in tmp_path.iterdir())
    assert len(kept) == 2
    assert all(re.fullmatch(NAME, name) for name in kept)
    assert {run.err.splitlines()[-1] for run in (first, second)} == {
        f"Result file: {name}" for name in kept
    }
    for name in kept:
        assert read(tmp_path / name).names() == set(TINY_NAMES)


@pytest.mark.parametrize(
    "arguments", [("--benchmark_list_tests",), ("--list",), ("--benchmark_format=csv",)]
)
def test_what_is_printed_needs_no_file(program: Program, tmp_path: Path, arguments: tuple[str]):
    if "--list" in arguments:  # of nothing that is measured
        program.run("--device=host", *arguments, cwd=tmp_path, expected=ALL_RAN)
    else:
        program.measure(*arguments, cwd=tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_cannot_be_written_keeps_the_run(program: Program, tmp_path: Path):
    gone = tmp_path / "gone"
    gone.mkdir()
    completed = program.run(
        "--device=host",
        "--strategies=copy/pageable",
        "--sizes=4KiB",
        "--benchmark_min_time=0.001",
        cwd=gone,
        preexec_fn=gone.rmdir,
        expected=ALL_RAN,
    )
    assert "no result file is kept: cannot write " in completed.unfolded
    assert "--out=FILE" in completed.unfolded
    assert "Result file" not in completed.err


@pytest.mark.parametrize("name", ["-", "/dev/stdout"])
def test_standard_output_takes_the_result_alone(program: Program, tmp_path: Path, name: str):
    completed = program.measure(f"--out={name}", cwd=tmp_path)
    assert parse(completed.out).names() == set(TINY_NAMES)
    assert "Result file" not in completed.err
    assert not list(tmp_path.iterdir())


def test_a_name_that_ends_in_gz_is_packed(program: Program, tmp_path: Path):
    out = tmp_path / "result.json.gz"
    program.measure(f"--out={out}")
    assert parse(gzip.decompress(out.read_bytes()).decode()).names() == set(TINY_NAMES)


def test_a_log_is_not_replaced(program: Program, tmp_path: Path):
    log = tmp_path / "log"
    log.write_text("before\n")
    with log.open("a") as err:
        completed = program.run("--device=host", "--out=/dev/stderr", stderr=err)
    assert completed.code == USAGE
    assert log.read_text().startswith("before\n")
    assert "open stream" in log.read_text()


def test_advise_reads_what_was_kept(program: Program, tmp_path: Path):
    program.measure(cwd=tmp_path)
    completed = program.run(
        "advise", "--bytes=64KiB", "--direction=h2d", "--allow-host", cwd=tmp_path, expected=ALL_RAN
    )
    assert "copy/pageable" in completed.out


def test_labels_and_a_note_are_kept(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    completed = program.measure(
        f"--out={out}", "--label=rack=r1", "--note=after a repair", "--quiet"
    )
    assert (completed.out, completed.err) == ("", "")
    run = read(out).transfers["run"]
    assert (run["labels"], run["note"]) == ({"rack": "r1"}, "after a repair")


def test_quiet_prints_a_result_that_is_asked_for(program: Program):
    completed = program.measure("--quiet", "--out=-")
    assert parse(completed.out).names() == set(TINY_NAMES)
    assert completed.err == ""
