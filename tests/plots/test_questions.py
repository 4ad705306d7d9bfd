"""Tests what is said where a program gives no answer; test_forest.py has the gate's answers."""

from __future__ import annotations

import pytest
import synthetic

from plots.model import fleet, programs, questions
from plots.model.files import ResultError


def program(folder, name, script):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("exit 9", "^fleet_transfers ended with 9, saying nothing$"),
        ("echo fleet_transfers: no sweep >&2; exit 2", "^no sweep$"),
        ("exit 1", "^fleet_transfers ended with 1, saying nothing$"),
        ("echo { >$4", "^fleet_transfers cannot be asked: Expecting"),
    ],
)
def test_a_sweep_without_a_judgement_is_one_line(tmp_path, script, expected):
    judge = program(tmp_path, "fleet_transfers", script)
    with pytest.raises(ResultError, match=expected):
        fleet.judge(judge, tmp_path / "sweep.json")


def test_a_program_that_hangs_is_one_line(tmp_path, monkeypatch):
    monkeypatch.setattr(questions, "SECONDS", 0.01)
    with pytest.raises(ResultError, match=r"^hangs cannot be asked: .*timed out after"):
        questions.ask(program(tmp_path, "hangs", "exec sleep 60"), [], {0})


def test_advice_names_no_temporary_file(tmp_path):
    refuses = program(
        tmp_path, "bench_transfers", 'echo "bench_transfers: $3: too few" >&2; exit 2'
    )
    advice = programs.ask(refuses, synthetic.result(), on_host=False)
    assert set(advice.missing.values()) == {"the file: too few"}
    assert not advice.rankings
