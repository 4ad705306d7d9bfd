"""The summary table at the end of a run."""

from __future__ import annotations

import re
from pathlib import Path

from program import ALL_RAN, COLUMNS, TINY, TINY_NAMES, Program, read, without


def lines_of(program: Program, *arguments: str) -> list[str]:
    return program.measure(*arguments).out.splitlines()


def test_has_latency_and_bandwidth_of_every_strategy_both_ways(program: Program):
    lines = lines_of(program, "--strategies=copy/pageable,copy_async/pageable")
    assert any("4KiB latency" in line and "64KiB, GB/s" in line for line in lines)
    for name in ("copy/pageable", "copy_async/pageable"):
        row, price = (line for line in lines if line.startswith(f"{name} "))
        figures = [float(word) for word in row.split()[1:] if re.fullmatch(r"\d+\.\d+", word)]
        assert len(figures) == 4
        assert min(figures) > 0
        assert row.split()[-2:] == ["-", "-"]  # no link to relate them to
        seconds, _, cores, *_ = (float(word) for word in price.split()[1:5])
        assert seconds > 0
        assert cores > 0


def test_marks_the_best_of_every_column(program: Program):
    lines = lines_of(program, "--strategies=copy/pageable,copy_async/pageable")
    rows = [line for line in lines if line.startswith("copy")]
    # Handing the copy to another thread takes microseconds more, whatever the machine does.
    assert rows[0].startswith("copy/pageable ")
    assert len(re.findall(r"\d \*", rows[0][:60])) == 2
    assert " *" not in rows[1][:60]
    assert sum(row.count("*") for row in rows) >= 4
    assert any(line.startswith("* best of its column") for line in lines)


def test_brief_is_one_table_and_the_name_of_the_file(program: Program, tmp_path: Path):
    copies = "--strategies=copy/pageable,copy/pinned,copy/pinned_mapped,null"
    completed = program.run(*without(TINY, copies), copies, "--brief", cwd=tmp_path)
    assert completed.code == ALL_RAN, completed
    assert "Harness floor" not in completed.out
    (heads,) = (line for line in completed.out.splitlines() if line.startswith("strategy"))
    table = completed.out[completed.out.index(heads) :].splitlines()[1:]
    rows = [line for line in table if line.startswith("copy")]
    alike = [int(number) for row in rows for number in re.findall(r"\(\+(\d+)\)", row)]
    assert len(rows) + sum(alike) == 3
    last = completed.err.splitlines()[-1]
    assert re.search(r"Result file: bench_transfers-.*\.json$", last)


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


def test_fits_a_terminal(program: Program):
    lines = lines_of(program, "--strategies=copy,copy_async,zero_copy,null")
    table = [line for line in lines if not re.match(r"Device|Note|Skipped|FAILED", line)]
    assert len(table) >= 10
    assert max(len(line) for line in table) <= COLUMNS


def test_its_sentences_fit_a_terminal_too(program: Program):
    lines = lines_of(program, "--strategies=copy/pageable,copy/pinned_wc")
    assert [line for line in lines if len(line) > COLUMNS] == []


def test_says_what_was_skipped_and_why(program: Program):
    lines = lines_of(program, "--strategies=copy/pageable,copy/pinned_wc,copy/pinned_mapped_wc")
    text = " ".join(lines)
    assert re.search(r"Skipped copy/pinned_\w+/h2d/4KiB and 7 more: write-combined ", text)


def test_says_that_a_link_is_emulated(program: Program):
    completed = program.measure("--device=host:0@a=1GB/s", "--strategies=copy/pageable")
    first = " ".join(completed.out.split())
    assert "emulated" in first.partition("latency")[0]
    assert "not a GPU link" not in first
