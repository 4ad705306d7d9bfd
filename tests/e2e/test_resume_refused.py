"""Files that --resume refuses, and leaves as they are."""

from __future__ import annotations

import stat
from pathlib import Path

import limits
import pytest
from program import (
    ALL_RAN,
    TINY,
    TINY_NAMES,
    USAGE,
    Program,
    assert_complains,
    read,
    wait_for_rows,
)
from resumed import FOREVER, TRANSFERS, Edit, edit, resume, set_at

ODD: dict[str, Edit] = {
    "no benchmarks": set_at("benchmarks", value=5),
    "a row that is none": set_at("benchmarks", 0, value=[]),
    "a row without a name": set_at("benchmarks", 0, value={}),
    "a row with a name alone": lambda document: document["benchmarks"][0].pop("run_name"),
    "a name that is a number": set_at("benchmarks", 0, "run_name", value=3),
    "an index that is a text": set_at("benchmarks", 0, "repetition_index", value="one"),
    "an index that is null": set_at("benchmarks", 0, "repetition_index", value=None),
    "a huge index": set_at("benchmarks", 0, "repetition_index", value=2**40),
    "a negative index": set_at("benchmarks", 0, "repetition_index", value=-1),
    "an aggregate": set_at("benchmarks", 0, "run_type", value="aggregate"),
    "disturbed by a number": set_at("benchmarks", 0, "disturbed", value=[3]),
    "no context": set_at("context", value=None),
    "no transfers": set_at(*TRANSFERS, value=[]),
    "a format that is a text": set_at(*TRANSFERS, "format", value="2"),
    "a newer format": set_at(*TRANSFERS, "format", value=3),
    "complete is a text": set_at(*TRANSFERS, "complete", value="no"),
    "run is a number": set_at(*TRANSFERS, "run", value=3),
    "options are a text": set_at(*TRANSFERS, "run", "options", value="--device=host"),
    "options are not there": set_at(*TRANSFERS, "run", "options", value=None),
    "an option is a number": set_at(*TRANSFERS, "run", "options", value=[1]),
    "an option of another kind": set_at(*TRANSFERS, "run", "options", value=["--out=/tmp/x"]),
    "an option with a bad value": set_at(*TRANSFERS, "run", "options", value=["--sizes=many"]),
    "faults are a number": set_at(*TRANSFERS, "run", "faults_injected", value=1),
    "machine is a list": set_at(*TRANSFERS, "machine", value=[]),
    "program is a text": set_at(*TRANSFERS, "program", value="mine"),
    "strategies are a number": set_at(*TRANSFERS, "strategies", value=1),
    "a strategy is a text": set_at(*TRANSFERS, "strategies", value=["copy"]),
    "buffers are a text": set_at(*TRANSFERS, "buffers", value="many"),
    "warnings are an object": set_at(*TRANSFERS, "warnings", value={}),
    "a warning is a text": set_at(*TRANSFERS, "warnings", value=["beware"]),
    "skipped is a number": set_at(*TRANSFERS, "skipped", value=1),
    "devices are none": set_at(*TRANSFERS, "devices", value=[]),
    "two devices": set_at(*TRANSFERS, "devices", value=[{"id": "a"}, {"id": "b"}]),
    "roles are a list": set_at(*TRANSFERS, "roles", value=[]),
    "benchmarks are a list": set_at(*TRANSFERS, "benchmarks", value=[]),
    "metrics are a text": set_at(*TRANSFERS, "metrics", value="all"),
    "parts are a number": set_at(*TRANSFERS, "parts", value=2),
    "parts are empty": set_at(*TRANSFERS, "parts", value=[]),
    "a part is a text": set_at(*TRANSFERS, "parts", value=["first"]),
    "a part of another number": set_at(
        *TRANSFERS, "parts", value=[{"number": 2, "complete": False}]
    ),
    "a part that does not say whether it is complete": set_at(
        *TRANSFERS, "parts", value=[{"number": 1}]
    ),
    "of a fleet": set_at(*TRANSFERS, "run", "command_line", value=["bench_transfers", "fleet"]),
}


@pytest.mark.parametrize("change", ODD.values(), ids=ODD.keys())
def test_a_file_with_odd_values_is_refused(paced: Program, cut_file: Path, change: Edit):
    edit(cut_file, change)
    before = cut_file.read_bytes()
    completed = resume(paced, cut_file)
    assert_complains(completed, USAGE, cut_file.name)
    assert cut_file.read_bytes() == before


def test_a_member_that_is_there_twice_is_refused(paced: Program, cut_file: Path):
    text = cut_file.read_text()
    twice = text.replace('"roles": {', '"devices": 5, "machine": 6, "run": 7, "roles": {', 1)
    assert twice != text
    cut_file.write_text(twice)
    assert_complains(resume(paced, cut_file), USAGE, "result.json", "it has devices twice")
    assert cut_file.read_text() == twice


def test_a_file_that_is_being_written_is_refused(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    with program.running(*TINY, FOREVER, f"--out={out}"):
        wait_for_rows(out, 3)
        completed = program.run(f"--resume={out}")
        assert_complains(completed, USAGE, "another process writes")
    rows = len(read(out).rows)
    other = tmp_path / "other.json"
    with program.running(f"--resume={out}", f"--out={other}"):
        wait_for_rows(other, rows + 1)
        for file in (out, other):
            for option in (f"--resume={file}", f"--out={file}"):
                completed = program.run(option)
                assert_complains(completed, USAGE, "another process writes")
    program.run(*TINY, "--benchmark_repetitions=1", f"--out={other}", expected=ALL_RAN)
    assert len(read(other).rows) == len(TINY_NAMES)


def test_a_relative_name_is_that_of_its_folder(program: Program, tmp_path: Path):
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    two.mkdir()
    with program.running(*TINY, FOREVER, "--out=result.json", cwd=one):
        out = one / "result.json"
        wait_for_rows(out, 3)
        for options in (["--resume=result.json"], [*TINY, "--out=result.json"]):
            refused = program.run(*options, cwd=one)
            assert_complains(refused, USAGE, "another process writes")
        program.run(
            *TINY, "--benchmark_repetitions=1", "--out=result.json", cwd=two, expected=ALL_RAN
        )
    assert len(read(two / "result.json").rows) == len(TINY_NAMES)


def test_a_file_that_cannot_be_written_is_refused(paced: Program, cut_file: Path):
    cut_file.parent.chmod(stat.S_IRUSR | stat.S_IXUSR)
    try:
        completed = resume(paced, cut_file, preexec_fn=limits.without_override_of_permissions())
    finally:
        cut_file.parent.chmod(stat.S_IRWXU)
    assert completed.code == USAGE, completed
    assert "cannot write" in completed.complaints[-1]
