"""Tests the report's readers on what the fuzzers keep, and beside the reader in C++."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from plots.model import fleet, fleet_history, gate

FUZZ = Path(__file__).resolve().parents[1] / "fuzz"
sys.path.append(str(FUZZ))

import compare_readers  # noqa: E402
import report_properties  # noqa: E402


def inputs(*names):
    return sorted(path for name in names for path in (FUZZ / "corpus" / name).iterdir())


@pytest.mark.parametrize("path", inputs("read_run", "read_contents"), ids=lambda path: path.name)
def test_result_files_are_read_or_refused_as_promised(path):
    report_properties.check_result(path.read_bytes())


@pytest.mark.parametrize("path", inputs("read_answer"), ids=lambda path: path.name)
def test_answers_are_read_or_refused_as_promised(path):
    report_properties.check_answer(path.read_bytes())


@pytest.mark.parametrize("path", inputs("read_fleet"), ids=lambda path: path.name)
def test_answers_about_fleets_are_read_or_refused_as_promised(path):
    report_properties.check_fleet(path.read_bytes())


def test_the_good_answer_is_read():
    # Otherwise the fuzzer begins with refusals alone.
    answer = json.loads((FUZZ / "corpus" / "read_answer" / "good.json").read_text("utf-8"))
    assert len(gate.parse(answer, []).classes) == 2


def test_the_good_answers_about_fleets_are_read():
    folder = FUZZ / "corpus" / "read_fleet"
    documents = [
        json.loads((folder / name).read_text("utf-8"))
        for name in ("judgement.json", "history.json")
    ]
    assert len(fleet.parse_judgement(folder, documents[0]).findings) == 4
    assert len(fleet_history.parse_history(folder, documents[1]).gpus) == 3


@pytest.mark.nightly
def test_both_readers_take_the_same_files(program):
    assert list(compare_readers.differences(program, every=23)) == []
