"""What the report's readers promise of any input: a result, or a refusal in one line."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from plots.model import fleet, fleet_history, gate, host_map, load, strict_json
from plots.model.files import ResultError
from plots.text import fleet_caption, fleet_tables

MOST_CPU_S = 5  # for 64 KiB of input; it takes milliseconds
LONGEST_LINE = 2000
NAMED = Path("some.json")


def check_result(data: bytes) -> None:
    """Checks the reader of result files."""
    _check(load.result_in, NAMED, data)


def check_answer(data: bytes) -> None:
    """Checks the reader of what `gate_transfers check --json` answers."""
    try:
        document = strict_json.parse(data)
    except ValueError as error:
        _require_line(str(error))
        return
    _check(gate.parse, document, [NAMED])


def check_map(data: bytes) -> None:
    """Checks the reader of maps of hosts."""
    try:
        document = strict_json.parse(data)
    except ValueError as error:
        _require_line(str(error))
        return
    _check(host_map.parse_map, NAMED, document, data)


def check_fleet(data: bytes) -> None:
    """Checks the readers of what `fleet_transfers judge` and `history` answer."""
    try:
        document = strict_json.parse(data)
    except ValueError as error:
        _require_line(str(error))
        return
    _check(_say_history if fleet.kind_of(data) == fleet.HISTORY else _say_judgement, document)


def _say_judgement(document: Any) -> None:
    """Reads a judgement; whatever is read has words and tables."""
    judgement = fleet.parse_judgement(NAMED, document)
    for sentences in fleet_caption.sentences(judgement).values():
        for sentence in sentences:
            _require_printable(sentence.text)
    fleet_tables.make_fleet_tables(judgement)


def _say_history(document: Any) -> None:
    history = fleet_history.parse_history(NAMED, document)
    for sentence in fleet_caption.history_sentences(history):
        _require_printable(sentence.text)
    fleet_tables.make_history_tables(history)


def _check(read: Callable[..., Any], *arguments: Any) -> None:
    before = time.process_time()
    try:
        read(*arguments)
    except ResultError as refusal:
        _require_line(str(refusal))
    if time.process_time() - before > MOST_CPU_S:
        raise AssertionError("it takes too long")


def _require_printable(text: str) -> None:
    if not text.isprintable():
        raise AssertionError(f"a sentence is not printable: {text!r}")


def _require_line(text: str) -> None:
    if not text or not text.isprintable() or len(text) > LONGEST_LINE:
        raise AssertionError(f"a refusal is not one line: {text!r}")
