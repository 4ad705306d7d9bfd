"""The program reports each error in one line, with the exit code that the help states."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Callable
from pathlib import Path

import limits
import pytest
from program import (
    LIMIT_S,
    NOTHING_RAN,
    TINY,
    TINY_NAMES,
    USAGE,
    Program,
    assert_complains,
    assert_one_complaint,
    has_gpu,
    read,
    wait_for,
    without,
)

# tests/approval shows the other arguments that are refused.
BAD_ARGUMENTS = {
    f"--benchmark_context=key={value}": ["control characters", "--benchmark_context", shown]
    for value, shown in {"\x1b[2J": r"\x1b[2J", "a\nb": r"a\nb", "\x7f": r"\x7f"}.items()
}


@pytest.mark.parametrize("argument", BAD_ARGUMENTS)
def test_bad_arguments(program: Program, argument: str):
    completed = program.run(*without(TINY, argument), argument)
    assert_complains(completed, USAGE, *BAD_ARGUMENTS[argument])


@pytest.mark.parametrize(
    ("option", "reason"),
    [
        ("--benchmark_filter=", "is too long"),
        ("--inject=fail@", "is too long"),
        ("--strategies=", "unknown strategy 'xxx"),
    ],
)
def test_arguments_far_too_long(program: Program, option: str, reason: str):
    completed = program.run(*without(TINY, option), option + 100_000 * "x")
    assert_complains(completed, USAGE, reason)
    assert len(completed.err) < 1000


BAD_VARIABLES = {
    "BENCHMARK_FORMAT=xml": "bad --benchmark_format 'xml'",
    "BENCHMARK_OUT_FORMAT=xml": "bad --benchmark_out_format 'xml'",
    "BENCHMARK_MIN_WARMUP_TIME=0.001": "--benchmark_min_warmup_time is not supported",
    "BENCHMARK_CONTEXT=key=\x01": r"control characters in 'BENCHMARK_CONTEXT=key=\x01'",
    **{
        setting: f"Google Benchmark rejects one of these settings: {setting}"
        for setting in (
            *("BENCHMARK_TIME_UNIT=foo", "BENCHMARK_COLOR="),
            *("BENCHMARK_FORMAT=", "BENCHMARK_OUT_FORMAT="),
        )
    },
}


@pytest.mark.parametrize("setting", BAD_VARIABLES)
def test_bad_environment_variables(program: Program, tmp_path: Path, setting: str):
    name, _, value = setting.partition("=")
    out = tmp_path / "result"
    completed = program.run(*TINY, f"--out={out}", env={name: value})
    assert_complains(completed, USAGE, BAD_VARIABLES[setting])
    assert not out.exists()


@pytest.mark.parametrize("action", ["--list", "--benchmark_list_tests", None])
def test_a_missing_gpu(program: Program, action: str | None):
    if has_gpu():
        pytest.skip("there is a GPU here")
    completed = program.run("--device=cuda:0", *([action] if action else []))
    assert_complains(completed, USAGE, "device cuda:0: ")


def test_the_last_of_repeated_flags_counts(program: Program, tmp_path: Path):
    program.measure(f"--out={tmp_path / 'a'}", f"--benchmark_out={tmp_path / 'b'}")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_nothing_but_skipped_strategies(program: Program):
    result = program.measure_and_read("--strategies=copy/pinned_wc", expected=NOTHING_RAN)
    assert (result.rows, result.transfers["complete"]) == ([], True)
    assert set(result.skipped) == {name.replace("pageable", "pinned_wc") for name in TINY_NAMES}


def missing_folder(here: Path) -> Path:
    return here / "missing" / "result"


def folder(here: Path) -> Path:
    (here / "result").mkdir()
    return here / "result"


def below_a_file(here: Path) -> Path:
    (here / "file").write_text("precious")
    return here / "file" / "result"


def folder_without_permission(here: Path) -> Path:
    (here / "locked").mkdir(mode=0o500)
    return here / "locked" / "result"


UNWRITABLE: dict[Callable[[Path], Path], str] = {
    missing_folder: "No such file or directory",
    folder: "Is a directory",
    below_a_file: "Not a directory",
    folder_without_permission: "Permission denied",
}


@pytest.mark.parametrize("file_format", ["json", "csv"])
@pytest.mark.parametrize("make", UNWRITABLE)
def test_unwritable_output_is_found_before_measuring(
    program: Program,
    tmp_path: Path,
    make: Callable[[Path], Path],
    file_format: str,
):
    out = make(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    completed = program.measure(
        f"--out={out}",
        f"--benchmark_out_format={file_format}",
        expected=USAGE,
        preexec_fn=limits.without_override_of_permissions(),
    )
    assert completed.out == ""
    assert_one_complaint(completed, f"cannot write {out}", UNWRITABLE[make])
    assert "preparing" not in completed.err
    assert "round" not in completed.err
    assert sorted(tmp_path.rglob("*")) == before  # and nothing is left behind


def test_a_link_is_written_through(program: Program, tmp_path: Path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    link.symlink_to(target)
    program.measure(f"--out={link}")
    assert link.is_symlink()
    assert read(target).transfers["complete"]


def test_special_files_are_not_replaced(program: Program, tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # so that opening it does not block
    try:
        program.run(*TINY, "--benchmark_repetitions=1", f"--out={pipe}")
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("option", ["--strategies=", "--device=", "--out=", "--", ""])
def test_arguments_cannot_steer_a_terminal(program: Program, tmp_path: Path, option: str):
    completed = program.run(*TINY, option + "a/\n\x1b[2J\u202e", cwd=tmp_path)
    assert_complains(completed, USAGE, r"a/\n\x1b[2J\u202e")


def link_to_a_precious_file(name: Path) -> None:
    precious = name.with_name("precious")
    precious.write_text("precious")
    name.symlink_to(precious)


FOREIGN_FILES: dict[str, Callable[[Path], object]] = {
    "file": lambda name: name.write_text("mine"),
    "link": link_to_a_precious_file,
    "pipe": os.mkfifo,
}


@pytest.mark.parametrize("kind", FOREIGN_FILES)
def test_foreign_files_beside_the_output_stay(
    program: Program, gate: Program, made_up: Path, runs: list[Path], tmp_path: Path, kind: str
):
    """Even if its name is that of a temporary file for the new version."""

    def state() -> dict[str, str | int]:
        foreign = [path for path in tmp_path.iterdir() if path not in outputs]
        return {
            str(path): path.read_text() if path.is_file() else path.lstat().st_mode
            for path in foreign
        }

    outputs = [tmp_path / name for name in ("run.json", "advice.json", "baseline.json")]
    run, advice, baseline = outputs
    for out in outputs:
        FOREIGN_FILES[kind](out.with_name(out.name + ".part"))
    before = state()
    program.measure(f"--out={run}")
    arguments = ("--bytes=1MiB", "--direction=h2d", f"--from={made_up}", f"--json={advice}")
    program.run("advise", *arguments, expected=0)
    gate.run("pin", *runs, f"--out={baseline}", expected=0)
    assert all(read(out).document for out in outputs)
    assert state() == before


def test_of_two_programs_with_the_same_output_the_second_is_refused(
    program: Program, tmp_path: Path
):
    """Meanwhile and at the end a reader finds a whole file of the first."""
    out = tmp_path / "result.json"
    arguments = (*TINY, "--benchmark_repetitions=10000", f"--out={out}")
    with program.running(*arguments, "--seed=1") as process:
        wait_for(out.exists, "the result file")
        assert_complains(program.run(*arguments), USAGE, f"another process writes {out}")
        for _ in range(100):
            assert read(out).transfers["run"]["seed"] == 1
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=LIMIT_S)
    assert process.returncode == 128 + signal.SIGINT
    assert read(out).transfers["run"]["finished_utc"] is not None
    assert list(tmp_path.iterdir()) == [out]
