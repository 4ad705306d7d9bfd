"""Leaves out repetitions that were disturbed, as src/result_file/disturbed.cpp does."""

from __future__ import annotations

from typing import Any

from plots.model.values import is_failed

SPOILING = {"stopped", "clock_stood_still", "clock_jumped"}
UNDISTURBED, SLOWED, SPOILT = range(3)
FAILURE = {
    "error_occurred": True,
    "error_code": "disturbed",
    "error_message": "every repetition was disturbed: its times are not true",
}


def select_least_disturbed(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the repetitions that count: those of a benchmark that were least disturbed.

    A benchmark whose repetitions are all spoilt has failed.
    """
    least: dict[str, int] = {}
    for row in rows:
        if not is_failed(row):
            name = str(row.get("name"))
            least[name] = min(_degree(row), least.get(name, SPOILT))
    counting = [
        row for row in rows if is_failed(row) or _degree(row) == least[str(row.get("name"))]
    ]
    return [
        row | FAILURE if _degree(row) == SPOILT and not is_failed(row) else row for row in counting
    ]


def _degree(row: dict[str, Any]) -> int:
    """A disturbance of a later version is one that slows."""
    codes = row.get("disturbed")
    if not isinstance(codes, list) or not codes:
        return UNDISTURBED
    return SPOILT if SPOILING & set(codes) else SLOWED
