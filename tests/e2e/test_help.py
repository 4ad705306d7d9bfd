"""--help of the three programs: alike, and true."""

from __future__ import annotations

import gzip
import re
import shlex
import shutil
from pathlib import Path

import pytest
from gate_files import Lab
from program import ALL_RAN, COLUMNS, HOST, ROOT, USAGE, Completed, Program, assert_complains
from test_completion import COMMANDS, PROGRAMS, beside

RECORDED = ROOT / "results/nvidia-h200/2026-11-21-report/result.json.gz"
OUTPUTS = {
    "--json": "write the answer for programs; - prints it alone",
    "--markdown": "write it for a comment",
    "--junit": "write it as test cases (JUnit XML)",
    "--openmetrics": "write it for Prometheus",
}


def help_of(program: Program, name: str, command: str = "") -> str:
    completed = beside(program, name).run(*([command] if command else []), "--help")
    assert (completed.code, completed.err) == (0, "")
    return completed.out


def examples_of(text: str) -> list[list[str]]:
    """The command lines at the end, without the program."""
    lines = re.split(r"^Examples?:\n", text, flags=re.MULTILINE)[1].splitlines()
    return [shlex.split(line)[1:] for line in lines]


@pytest.mark.parametrize("name", PROGRAMS)
def test_fits_a_terminal_and_has_the_exit_codes(program: Program, name: str):
    for command in COMMANDS[name]:
        text = help_of(program, name, command)
        assert max(map(len, text.splitlines())) <= COLUMNS, command
        assert re.search(r"^Exit codes: 0 ", text, re.MULTILINE), command
        assert ":INT" not in text, command
        assert ":FLOAT" not in text, command


@pytest.mark.parametrize("name", PROGRAMS)
def test_it_is_short_and_has_a_short_name(program: Program, name: str):
    text = help_of(program, name)
    assert len(text.splitlines()) <= 50
    assert beside(program, name).run("-h").out == text


@pytest.mark.parametrize("name", PROGRAMS)
def test_names_a_page_that_is_there(program: Program, name: str):
    pages = re.findall(r"docs/\w+\.md", help_of(program, name))
    assert pages
    assert all((ROOT / page).is_file() for page in pages), pages


@pytest.mark.parametrize("name", PROGRAMS)
def test_an_unknown_option_is_named_before_what_else_is_wrong(program: Program, name: str):
    for command in COMMANDS[name]:
        for wrong in ((), ("--processes=no",), ("--looks=0",), ("--allow-missing=(",)):
            completed = beside(program, name).run(*filter(None, (command,)), "--helpp=x", *wrong)
            assert_complains(completed, USAGE, "'--helpp=x': did you mean --help?")


@pytest.mark.parametrize("name", PROGRAMS)
def test_outputs_have_the_same_words(program: Program, name: str):
    for command in COMMANDS[name]:
        text = help_of(program, name, command)
        for option, words in OUTPUTS.items():
            for line in re.findall(rf"^  {option}(?=\s).*$", text, re.MULTILINE):
                assert re.fullmatch(rf"  {option} FILE +{re.escape(words)}", line), line


def assert_done(completed: Completed) -> None:
    assert completed.code == ALL_RAN, completed
    assert completed.out


def test_examples_of_bench_transfers_run(program: Program, tmp_path: Path):
    for arguments in examples_of(help_of(program, "bench_transfers")):
        if arguments[0] == "advise":
            (tmp_path / "run.json").write_bytes(gzip.decompress(RECORDED.read_bytes()))
            assert_done(program.run(*arguments, cwd=tmp_path))
        else:
            few = (
                "--benchmark_filter=^copy/pageable/h2d/(4KiB|1MiB)$",
                "--benchmark_repetitions=1",
            )
            assert_done(program.run(*arguments, *few, *HOST, cwd=tmp_path))


def test_examples_of_gate_transfers_run(program: Program, lab: Lab, tmp_path: Path):
    lab.sessions(3, 4)  # run-1.json and so on
    for run in lab.runs(3, day=9):
        run.rename(tmp_path / run.name.replace("run", "new"))
    gate = beside(program, "gate_transfers")
    for arguments in examples_of(help_of(program, "gate_transfers")):
        expanded = [
            name
            for argument in arguments
            for name in (
                sorted(path.name for path in tmp_path.glob(argument))
                if "*" in argument
                else [argument]
            )
        ]
        assert_done(gate.run(*expanded, cwd=tmp_path))


def test_examples_of_fleet_transfers_run(program: Program, tmp_path: Path):
    fleet = beside(program, "fleet_transfers")
    for folder in ("sweep/node1", "sweep/node2"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "sweeps").mkdir()
    for number, node in enumerate(("first", "second"), 1):
        recorded = ROOT / f"results/nvidia-h200/2026-11-21-gate/{node}-1.json.gz"
        shutil.copy(recorded, tmp_path / f"sweep/node{number}/gpu.json.gz")
    accepted = tmp_path / "accepted.json.gz"
    fleet.run("collect", RECORDED, f"--out={accepted}", expected=0)
    shutil.copy(accepted, tmp_path / "sweeps/earlier.json.gz")
    for arguments in examples_of(help_of(program, "fleet_transfers")):
        completed = fleet.run(*arguments, cwd=tmp_path)
        # Two GPUs are too few for a verdict.
        assert completed.code in (0, 3), completed
        assert completed.out
