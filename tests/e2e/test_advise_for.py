"""`bench_transfers advise --for`: which of the ways of another transfer than a copy."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from advice_files import MIB
from program import ALL_RAN, NOTHING_RAN, ROOT, USAGE, Program, assert_complains


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
