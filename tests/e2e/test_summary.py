"""The summary table at the end of a run."""

from __future__ import annotations

import re
from pathlib import Path

from program import TINY_NAMES, Program, read


def lines_of(program: Program, *arguments: str) -> list[str]:
    return program.measure(*arguments).out.splitlines()


def test_marks_the_best_of_every_column(program: Program):
    lines = lines_of(program, "--strategies=copy/pageable,copy_async/pageable")
    rows = [line for line in lines if line.startswith("copy")]
    # Handing the copy to another thread takes microseconds more, whatever the machine does.
    assert rows[0].startswith("copy/pageable ")
    assert len(re.findall(r"\d \*", rows[0][:60])) == 2
    assert " *" not in rows[1][:60]
    assert sum(row.count("*") for row in rows) >= 4
    assert any(line.startswith("* best of its column") for line in lines)


def test_brief_leaves_the_file_as_it_is(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    program.measure("--brief", f"--out={out}")
    assert read(out).names() == set(TINY_NAMES)


def test_shows_the_harness_floor(program: Program):
    (floor,) = (line for line in lines_of(program, "--strategies=null") if "floor" in line)
    match = re.fullmatch(
        r"Harness floor: (\S+) ns per operation timed alone, (\S+) ns in a batch\.", floor
    )
    assert match
    assert 0 < float(match[2]) < float(match[1]) < 10_000


def test_says_that_a_link_is_emulated(program: Program):
    completed = program.measure("--device=host:0@a=1GB/s", "--strategies=copy/pageable")
    first = " ".join(completed.out.split())
    assert "emulated" in first.partition("latency")[0]
    assert "not a GPU link" not in first
