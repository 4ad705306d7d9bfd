"""Titles and subtitles: what was measured, where, when, and what is left out."""

from __future__ import annotations

import textwrap
from datetime import datetime
from typing import Any

from plots.load import Result
from plots.points import Point, is_cold, is_failed, is_transfer

HOST_NOTE = "host device: no GPU; copies within this machine's memory"
TITLE_WIDTH = 90  # characters
SUBTITLE_WIDTH = 150  # characters


def title(what: str, result: Result) -> list[str]:
    """The title of a figure: its subject and the device."""
    device = _mapping(result.transfers, "device")
    name = HOST_NOTE if device.get("kind") == "host" else _text(device, "name", "unknown device")
    return textwrap.wrap(f"{what} — {name}", TITLE_WIDTH)


def subtitle(result: Result, points: list[Point]) -> list[str]:
    """The lines below the title."""
    paragraphs = [_where_and_when(result), _what_was_timed(points), _remarks(result)]
    return [line for text in paragraphs for line in textwrap.wrap(text, SUBTITLE_WIDTH)]


def link_name(link: dict[str, Any]) -> str:
    """The link between host and device, such as PCIe 5.0 x16."""
    if link.get("type") != "pcie":
        return _text(link, "type", "link")
    generation, width = link.get("generation"), link.get("width")
    return f"PCIe {generation}.0 x{width}" if generation and width else "PCIe"


def _where_and_when(result: Result) -> str:
    run, machine = _mapping(result.transfers, "run"), _mapping(result.transfers, "machine")
    host = _text(result.context, "host_name", "unknown host")
    cpu = _text(_mapping(machine, "cpu"), "model", "unknown CPU")
    profile = _text(run, "profile", "unknown")
    complete = result.transfers.get("complete") is True
    state = "" if complete else "incomplete run; "
    return f"{state}{host} ({cpu}), {_date(result)}, profile {profile}"


def _date(result: Result) -> str:
    started = _text(_mapping(result.transfers, "run"), "started_utc", "")
    try:
        return f"{datetime.fromisoformat(started):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return started or _text(result.context, "date", "unknown date")


def _what_was_timed(points: list[Point]) -> str:
    fewest = min(point.repetitions for point in points)
    most = max(point.repetitions for point in points)
    timed = "wall time from the call until the data are usable at the destination"
    if most == 1:
        return f"{timed}; one repetition"
    count = f"{most}" if fewest == most else f"{fewest} to {most}"
    return f"{timed}; median of {count} repetitions; band: fastest to slowest repetition"


def _remarks(result: Result) -> str:
    rows = [row for row in result.rows if is_transfer(_text(row, "name", ""))]
    failed = {row["name"] for row in rows if is_failed(row)}
    cold = {row["name"] for row in rows if is_cold(row["name"])} - failed
    skipped = [entry for entry in _list(result, "skipped") if is_transfer(_text(entry, "name", ""))]
    counts = [
        _count(len(cold), "cold-cache benchmark"),
        _count(len(failed), "failed benchmark"),
        _count(len(skipped), "skipped benchmark"),
    ]
    left_out = ", ".join(filter(None, counts))
    warnings = _count(len(_list(result, "warnings")), "warning")
    remarks = [
        f"not shown: {left_out}" if left_out else "",
        f"{warnings} in the result file" if warnings else "",
    ]
    return "; ".join(filter(None, remarks))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' if number > 1 else ''}" if number else ""


def _list(result: Result, key: str) -> list[Any]:
    value = result.transfers.get(key)
    return value if isinstance(value, list) else []


def _mapping(mapping: dict[str, Any], key: str) -> dict[str, Any]:
    value = mapping.get(key)
    return value if isinstance(value, dict) else {}


def _text(mapping: Any, key: str, default: str) -> str:
    """A string from the result file on one line, without characters that cannot be drawn."""
    value = mapping.get(key) if isinstance(mapping, dict) else None
    text = value if isinstance(value, str) else ""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split()) or default
