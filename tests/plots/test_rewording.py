"""Texts are for people: whoever rewords all of them changes those texts in the report alone."""

import copy
import dataclasses
import json
from pathlib import Path

import format_2
import gate_answers
import pytest
import synthetic
from format_2 import message

from plots.model import gate
from plots.model.load import parse_result
from plots.page import report

TEXTS = {"text", "error_message", "summary", "description", "sentence"}


def run():
    """A run with all kinds of texts, and of each what is known and what is not."""
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
    """The same without a GPU."""
    made = run()
    transfers = made["context"]["transfers"]
    why = message("no_driver", "the text about a driver")
    device = {"kind": "host", "name": "host", "why_not_gpu": why}
    transfers |= {
        "device": device,
        "devices": [device | {"link": None, "clocks": None}],
        "link": None,
    }
    return made


def answer(verdict):
    """An answer of the gate with messages of all kinds."""
    nested = message("cpu_governor", "the text of a nested warning")
    absent = {"verdict": "missing", "before": None, "after": None}
    return gate_answers.document(
        verdict,
        [
            *(one for one in gate_answers.one_of_each() if one["note"] is None),
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


def reworded(value, words, key=None):
    """The same with other words; `words` gets what stands for what."""
    if isinstance(value, dict):
        return {name: reworded(one, words, name) for name, one in value.items()}
    if isinstance(value, list):
        return [reworded(one, words, key) for one in value]
    if key in TEXTS and isinstance(value, str):
        return words.setdefault(value, f"Wörter {len(words)} anders")
    return value


def model(document, check=None):
    """Everything that the report says, shows and leaves out."""
    result = parse_result(Path("run.json"), document)
    judged = gate.parse(copy.deepcopy(check), [Path("run.json")]) if check else None
    made = [dataclasses.asdict(one) for one in report.sections([result], None, judged)]
    for section in made:
        for drawn in section["drawn"]:
            del drawn["figure"]["chart"]  # which its specifications have
    return json.loads(json.dumps(made, default=list))


def replaced(value, words):
    """A model with words in place of others: descriptions of roles begin with a capital."""
    if isinstance(value, dict):
        return {name: replaced(one, words) for name, one in value.items()}
    if isinstance(value, list):
        return [replaced(one, words) for one in value]
    if isinstance(value, str):
        for text, other in words.items():
            capital = text[:1].upper() + text[1:]
            value = value.replace(text, other).replace(capital, other)
    return value


@pytest.mark.parametrize("make", [run, host_run])
def test_rewording_a_result_file_changes_its_words_alone(make, undrawn):
    words = {}
    other = reworded(make(), words)
    assert len(words) >= 12
    before, after = model(make()), model(other)
    assert before != after
    assert replaced(before, words) == after


@pytest.mark.parametrize("verdict", gate_answers.CODES)
def test_rewording_the_gates_answer_changes_its_words_alone(verdict, undrawn):
    words = {}
    check = answer(verdict)
    other = reworded(check, words)
    assert len(words) >= 7
    before, after = model(run(), check), model(run(), other)
    assert before != after
    assert replaced(before, words) == after
    said = "the reason that it is noisy" in json.dumps(before)
    assert said is (verdict != "INCONCLUSIVE")  # whose sentence has it


def test_the_codes_of_warnings_decide_what_is_not_said_again():
    result = parse_result(Path("run.json"), run())
    (section,) = report.sections([result], None)
    assert section.warnings == ["the text about a load", "the text about who knows what"]
