"""Confirmation: suspects are measured again, with two programs in turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from gate_project import PACED, measure
from gate_project import SLOWED as SLOWED_NAME
from program import Program

PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE = 0, 1, 2, 3
SLOWED = f"--inject=slow:2@^{SLOWED_NAME}"


@pytest.fixture(scope="module")
def slowed(paced: Program, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("slowed")
    return [
        measure(paced, folder / f"run-{number}.json", 300 + number, SLOWED) for number in range(3)
    ]


def command(program: Program, *more: str) -> str:
    return " ".join([str(program.path), *(f"'{argument}'" for argument in (*PACED, *more))])


def test_confirms_a_slower_program(
    paced: Program, gate: Program, host_baseline: Path, slowed: list[Path]
) -> None:
    options = f"--confirm={command(paced)},{command(paced, SLOWED)}"
    completed = gate.run("check", host_baseline, *slowed, options, expected=REGRESSION)
    assert "in turn: +" in completed.out


def test_clears_what_the_programs_do_not_show(
    paced: Program, gate: Program, host_baseline: Path, slowed: list[Path]
) -> None:
    # The runs were slowed, but both programs are the same.
    completed = gate.run(
        "check", host_baseline, *slowed, f"--confirm={command(paced)},{command(paced)}"
    )
    assert completed.code in (PASS, INCONCLUSIVE), completed


def test_tells_which_command_does_not_work(
    gate: Program, host_baseline: Path, slowed: list[Path]
) -> None:
    completed = gate.run(
        "check", host_baseline, *slowed, "--confirm=/no/such/program,true", expected=BAD_INPUT
    )
    assert "'/no/such/program' ended with 127" in completed.unfolded
