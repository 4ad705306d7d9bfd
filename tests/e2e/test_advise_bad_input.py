"""Input that `bench_transfers advise` refuses."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import advice_files
import pytest
from advice_files import MIB, QUESTION, gpu_file, write
from program import NOTHING_RAN, USAGE, Program, assert_complains

BAD_ARGUMENTS: dict[tuple[str, ...], list[str]] = {
    (): ["--bytes", "--map", "--check"],
    ("--bytes=64MiB",): ["--direction"],
    ("--direction=h2d",): ["--bytes"],
    ("--bytes=0", "--direction=h2d"): ["bad size '0'", "zero"],
    ("--bytes=-1", "--direction=h2d"): ["bad size '-1'", "negative"],
    ("--bytes=many", "--direction=h2d"): ["bad size 'many'", "not a number"],
    ("--bytes=4KiB,,8KiB", "--direction=h2d"): ["bad size ''", "it is empty"],
    ("--direction=h2d", "--bytes="): ["--bytes needs a value"],
    ("--bytes=", "--direction=h2d"): ["--bytes needs a value"],
    ("--bytes=1MiB", "--direction=up"): ["bad --direction 'up'", "h2d", "d2h"],
    ("--bytes=1MiB", "--direction="): ["--direction"],
    (*QUESTION, "--reuse=0"): ["--reuse", "0"],
    (*QUESTION, "--reuse=-1"): ["--reuse", "-1"],
    (*QUESTION, "--reuse=1.5"): ["--reuse", "1.5"],
    (*QUESTION, "--reuse=often"): ["--reuse", "often"],
    (*QUESTION, "--reuse=1e3"): ["bad --reuse '1e3'", "a whole number from 1 to"],
    (*QUESTION, "--reuse="): ["--reuse needs a value"],
    (*QUESTION, "--reuse=99999999999999999999"): ["--reuse", "99999999999999999999"],
    (*QUESTION, "--cpu-reads=-1"): ["--cpu-reads", "-1"],
    (*QUESTION, "--cpu-reads=nan"): ["--cpu-reads", "nan"],
    (*QUESTION, "--cpu-reads=1e308"): ["--cpu-reads", "1e308"],
    (*QUESTION, "--cpu-writes=1000001"): ["--cpu-writes", "1000001"],
    (*QUESTION, "--cpu-writes=inf"): ["--cpu-writes", "inf"],
    (*QUESTION, "--cpu-writes=x"): ["bad --cpu-writes 'x'", "a number from 0 to 1000000"],
    (*QUESTION, "--check"): ["--check", "--bytes"],
    ("--check", "--reuse=2"): ["--reuse", "--bytes"],
    ("--check", "--cpu-reads=2"): ["--cpu-reads", "--check"],
    ("--map=map.json", "--json=answer.json"): ["--json", "--bytes"],
    (*QUESTION, "--map=same.json", "--json=same.json"): ["--json", "--map", "same"],
    (*QUESTION, "--from="): ["--from"],
    (*QUESTION, "--json="): ["--json"],
    (*QUESTION, "--map="): ["--map"],
    (*QUESTION, "--device=host"): ["--device"],
    (*QUESTION, "--nope"): ["--nope"],
    (*QUESTION, "nope"): ["nope"],
    ("64MiB",): ["unknown argument '64MiB': did you mean --bytes=64MiB? (see advise --help)"],
    ("64MiB", "h2d"): ["did you mean --bytes=64MiB --direction=h2d?"],
    (*QUESTION, "d2h"): ["unknown argument 'd2h': did you mean --direction=d2h?"],
    (*QUESTION, "run"): ["unknown argument 'run' (see advise --help)"],
    (*QUESTION, "--map=-", "--json=/dev/stdout"): ["same file"],
}


@pytest.mark.parametrize("arguments", BAD_ARGUMENTS, ids=" ".join)
def test_bad_arguments(program: Program, made_up: Path, tmp_path: Path, arguments: tuple[str, ...]):
    source = (
        ()
        if any(argument.startswith("--from") for argument in arguments)
        else (f"--from={made_up}",)
    )
    completed = program.run("advise", *source, *arguments, cwd=tmp_path)
    assert_complains(completed, USAGE, *BAD_ARGUMENTS[arguments])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--bytes=64MiB",),
        ("--reuse=10",),
        ("--allow-host",),
        ("--device=host", "advise", *QUESTION),
    ],
    ids=" ".join,
)
def test_advice_must_be_asked_for(program: Program, arguments: tuple[str, ...]):
    assert_complains(program.run(*arguments), USAGE, "--help")


def plain_benchmark_file() -> str:
    return json.dumps({"context": {"date": "today", "json_schema_version": 1}, "benchmarks": []})


def of_format(number: int) -> str:
    document = gpu_file()
    document["context"]["transfers"]["format"] = number
    return json.dumps(document)


def failed_as(value: Any) -> str:
    document = gpu_file()
    document["benchmarks"][0]["error_occurred"] = value
    return json.dumps(document)


def complete_as(value: Any) -> str:
    document = gpu_file()
    document["context"]["transfers"]["complete"] = value
    return json.dumps(document)


BAD_FILES: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "it is empty"),
    "truncated": (json.dumps(gpu_file())[:100_000], "only the beginning"),
    "text": ("Device: NVIDIA H200, PCIe 5.0 x16", "not JSON"),
    "a number": ("7", "no result file"),
    "another program's": (plain_benchmark_file(), "no result file of bench_transfers"),
    "newer": (of_format(3), "its format is 3, this program reads 2"),
    "older": (of_format(1), "its format is 1, this program reads 2"),
    "compressed": (gzip.compress(b"{}"), "no result file"),
    "compressed and cut off": (gzip.compress(b"{}")[:-3], "cut off"),
    "binary": (bytes(range(256)), "not JSON"),
    "error as text": (failed_as("true"), "error_occurred is neither true nor false"),
    "error as number": (failed_as(1), "error_occurred is neither true nor false"),
    "complete as text": (complete_as("false"), "complete is neither true nor false"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_bad_files(program: Program, tmp_path: Path, case: str):
    content, complaint = BAD_FILES[case]
    file = tmp_path / "result.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    for question in ((*QUESTION,), ("--check",), (f"--map={tmp_path / 'map.json'}",)):
        assert_complains(
            program.run("advise", f"--from={file}", *question), USAGE, str(file), complaint
        )
    assert list(tmp_path.iterdir()) == [file]


def test_a_missing_file(program: Program, tmp_path: Path):
    missing = tmp_path / "missing.json"
    completed = program.run("advise", f"--from={missing}", *QUESTION)
    assert_complains(completed, USAGE, str(missing), "No such file or directory")
    completed = program.run("advise", f"--from={tmp_path}", *QUESTION)
    assert_complains(completed, USAGE, str(tmp_path), "folder")


def test_a_named_pipe_is_not_waited_for(program: Program, tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    completed = program.run("advise", f"--from={pipe}", *QUESTION)
    assert_complains(completed, USAGE, str(pipe), "a named pipe")


NOTHING: dict[str, tuple[list[dict[str, Any]], str]] = {
    "no rows": ([], "no transfers"),
    "one size": (advice_files.rows("copy/pinned/h2d/1MiB", 1e6, MIB), "two sizes"),
    "other families": (
        advice_files.rows("null/single", 30, 1) + advice_files.rows("launch/plain/1MiB", 5, MIB),
        "no transfers",
    ),
    "the other direction": (
        advice_files.rows("copy/pinned/d2h/1MiB", 1e6, MIB)
        + advice_files.rows("copy/pinned/d2h/2MiB", 2e6, 2 * MIB),
        "no transfers h2d",
    ),
}


@pytest.mark.parametrize("case", NOTHING)
def test_nothing_to_rank(program: Program, tmp_path: Path, case: str):
    benchmarks, complaint = NOTHING[case]
    file = write(tmp_path / "result.json", gpu_file() | {"benchmarks": benchmarks})
    completed = program.run("advise", f"--from={file}", *QUESTION)
    assert_complains(completed, NOTHING_RAN, str(file), "nothing to rank", complaint)


@pytest.mark.parametrize("option", ["--json", "--map"])
def test_unwritable_output(program: Program, made_up: Path, tmp_path: Path, option: str):
    out = tmp_path / "missing" / "out.json"
    completed = program.run("advise", f"--from={made_up}", *QUESTION, f"{option}={out}")
    assert_complains(completed, USAGE, f"cannot write {out}", "No such file or directory")


@pytest.mark.parametrize("option", ["--json", "--map"])
def test_the_result_file_is_not_overwritten(
    program: Program, made_up: Path, tmp_path: Path, option: str
):
    before = made_up.read_bytes()
    other_name = tmp_path / "link.json"
    other_name.symlink_to(made_up)
    completed = program.run("advise", f"--from={made_up}", f"{option}={other_name}", *QUESTION)
    assert completed.code == 2
    assert "would be overwritten" in completed.err
    assert made_up.read_bytes() == before
