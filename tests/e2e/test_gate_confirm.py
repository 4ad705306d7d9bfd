"""Suspects measured again, with two programs in turn."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import Program
from test_gate_runs import PACED, host_baseline, measure  # noqa: F401  (a fixture)
from test_gate_runs import SLOWED as SLOWED_ONE

PASS, REGRESSION, BAD_INPUT, INCONCLUSIVE = 0, 1, 2, 3
SLOWED = f"--inject=slow:2@^{SLOWED_ONE}"


@pytest.fixture(scope="module")
def slowed(paced: Program, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    folder = tmp_path_factory.mktemp("slowed")
    return [
        measure(paced, folder / f"run-{number}.json", 300 + number, SLOWED) for number in range(3)
    ]


def command(program: Program, *more: str) -> str:
    return " ".join([str(program.path), *(f"'{one}'" for one in (*PACED, *more))])


def test_confirms_a_slower_program(
    paced: Program,
    gate: Program,
    host_baseline: Path,  # noqa: F811
    slowed: list[Path],
) -> None:
    both = f"--confirm={command(paced)},{command(paced, SLOWED)}"
    done = gate.run("check", host_baseline, *slowed, both)
    assert done.code == REGRESSION, done
    assert "in turn: +" in done.out
    assert "8 runs of each program in turn" in done.out.replace("\n  ", " ")


def test_clears_what_the_programs_do_not_show(
    paced: Program,
    gate: Program,
    host_baseline: Path,  # noqa: F811
    slowed: list[Path],
) -> None:
    # The runs were slowed, the programs are the same one.
    done = gate.run("check", host_baseline, *slowed, f"--confirm={command(paced)},{command(paced)}")
    assert done.code in (PASS, INCONCLUSIVE), done
    assert "in turn: " in done.out


def test_tells_which_command_does_not_work(
    gate: Program,
    host_baseline: Path,  # noqa: F811
    slowed: list[Path],
) -> None:
    done = gate.run("check", host_baseline, *slowed, "--confirm=/no/such/program,true")
    assert done.code == BAD_INPUT, done
    assert "'/no/such/program' ended with 127" in done.unfolded
