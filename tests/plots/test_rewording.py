"""Tests that texts are only for people: rewording them changes only these texts in the report."""

import copy
import dataclasses
import json
from pathlib import Path

import format_2
import gate_answers
import pytest
import synthetic
from format_2 import message

from plots.figures import FIGURES
from plots.model import gate
from plots.model.load import parse_result
from plots.page import report

TEXTS = {"text", "error_message", "summary", "description", "sentence"}


def run():
    """Returns a run with all kinds of texts, with known and with unknown codes."""
    failed = synthetic.failed_row("ring/barrier") | {
        "error_code": "device_error",
        "error_message": "the text of an error",
    }
    measured = [row for row in format_2.rows() if row["name"] != "ring/barrier"]
    return format_2.document(
        [*measured, failed],
        warnings=[
            message("virtual_machine", "the text about a hypervisor"),
            message("link_below_maximum", "the text about a link", generation=3),
            message("other_load", "the text about a load", load=5.5),
            message("unheard_of", "the text about who knows what"),
        ],
        skipped=[
            {"name": "copy/managed/h2d/1MiB", "reason": message("unsupported", "first reason")},
            {"name": "copy/managed/d2h/1MiB", "reason": message("unsupported", "first reason")},
            {"name": "copy/more/h2d/1MiB", "reason": message("memory_refused", "second reason")},
        ],
        strategies=[
            {"name": f"copy/{memory}", "summary": f"the summary of {memory} copies"}
            for memory in ("pageable", "pinned")
        ],
        machine={"virtualisation": {"hypervisor": "KVM"}, "cpu": {"model": "Synthetic CPU"}},
    )


def host_run():
    """Returns the run without a GPU."""
    document = run()
    transfers = document["context"]["transfers"]
    why = message("no_driver", "the text about a driver")
    device = {"kind": "host", "name": "host", "why_not_gpu": why}
    transfers |= {
        "device": device,
        "devices": [device | {"link": None, "clocks": None}],
        "link": None,
    }
    return document


def gate_answer(verdict):
    """Returns an answer of the gate with messages of all kinds."""
    nested = message("cpu_governor", "the text of a nested warning")
    absent = {"verdict": "missing", "before": None, "after": None}
    return gate_answers.document(
        verdict,
        [
            *(benchmark for benchmark in gate_answers.each_verdict() if benchmark["note"] is None),
            absent | {"name": "copy/a/h2d/4B", "note": message("not_measured", "never measured")},
            absent | {"name": "copy/b/h2d/4B", "note": message("failed", "each failed", failed=3)},
        ],
        reasons=[
            message("too_noisy", "the reason that it is noisy"),
            message("unheard_of", "a reason of tomorrow"),
        ],
        notes=[
            message("one_session", "the note on sessions"),
            message("run_warning", "the note on a warning", file="run.json", warning=nested),
        ],
    )


def reword(value, words, key=None):
    """Replaces every text by other words, and records the replacements in `words`."""
    if isinstance(value, dict):
        return {name: reword(member, words, name) for name, member in value.items()}
    if isinstance(value, list):
        return [reword(member, words, key) for member in value]
    if key in TEXTS and isinstance(value, str):
        return words.setdefault(value, f"Wörter {len(words)} anders")
    return value


def report_model(document, check=None):
    """Returns all sections of the report as JSON."""
    result = parse_result(Path("run.json"), document)
    answer = gate.parse(copy.deepcopy(check), [Path("run.json")]) if check else None
    sections = [
        dataclasses.asdict(section) for section in report.make_sections([result], None, answer)
    ]
    for section in sections:
        for drawn in section["drawn"]:
            del drawn["figure"]["chart"]  # the specifications contain it
    return json.loads(json.dumps(sections, default=list))


def replace_words(value, words):
    """Replaces words in a model; descriptions of roles begin with a capital there."""
    if isinstance(value, dict):
        return {name: replace_words(member, words) for name, member in value.items()}
    if isinstance(value, list):
        return [replace_words(member, words) for member in value]
    if isinstance(value, str):
        for text, replacement in words.items():
            capital = text[:1].upper() + text[1:]
            value = value.replace(text, replacement).replace(capital, replacement)
    return value


@pytest.mark.parametrize("make", [run, host_run])
def test_rewording_a_result_file_changes_its_words_alone(make, undrawn):
    words = {}
    changed = reword(make(), words)
    assert len(words) >= 12
    before, after = report_model(make()), report_model(changed)
    assert before != after
    assert replace_words(before, words) == after


@pytest.mark.parametrize("verdict", gate_answers.CODES)
def test_rewording_the_gates_answer_changes_its_words_alone(verdict, undrawn, monkeypatch):
    if verdict != "PASS":  # the figures of the run are the same for each answer
        monkeypatch.setattr("plots.page.run.FIGURES", {"latency": FIGURES["latency"]})
    words = {}
    check = gate_answer(verdict)
    changed = reword(check, words)
    assert len(words) >= 7
    before, after = report_model(run(), check), report_model(run(), changed)
    assert before != after
    assert replace_words(before, words) == after
    is_shown = "the reason that it is noisy" in json.dumps(before)
    assert is_shown is (verdict == "REGRESSION")  # the sentences of others have the reason


def test_the_codes_of_warnings_decide_which_are_repeated(program):
    result = parse_result(Path("run.json"), run())
    (section,) = report.make_sections([result], program)
    assert section.warnings == ["the text about a load", "the text about who knows what"]
