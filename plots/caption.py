"""Titles and subtitles: what was measured, where, when, and what is left out."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from plots.derive import Point, Run, is_cold, is_failed, is_transfer, mapping
from plots.load import Result

HOST_NOTE = "host device: no GPU; copies within this machine's memory"


def title(what: str, run: Run) -> str:
    """The title of a figure: its subject and the device."""
    return f"{what} — {device_name(run)}"


def transfers_remarks(run: Run, points: list[Point]) -> list[str]:
    """What figures of all plain transfers say below the title: how, and what they leave out."""
    return [_what_was_timed(points), _remarks(run.result)]


def device_name(run: Run) -> str:
    """The name of the device; the host device says what it is."""
    device = mapping(run.result.transfers, "device")
    return HOST_NOTE if run.on_host else text(device, "name", "unknown device")


def link_name(link: dict[str, Any]) -> str:
    """The link between host and device, such as PCIe 5.0 x16."""
    if link.get("type") != "pcie":
        return text(link, "type", "link")
    generation, width = link.get("generation"), link.get("width")
    return f"PCIe {generation}.0 x{width}" if generation and width else "PCIe"


def where_and_when(run: Run) -> str:
    """Machine, date and profile; whether the run was interrupted."""
    result = run.result
    host = text(result.context, "host_name", "unknown host")
    cpu = text(mapping(mapping(result.transfers, "machine"), "cpu"), "model", "unknown CPU")
    profile = text(mapping(result.transfers, "run"), "profile", "unknown")
    complete = result.transfers.get("complete") is True
    state = "" if complete else "incomplete run; "
    return f"{state}{host} ({cpu}), {date(result)}, profile {profile}"


def date(result: Result) -> str:
    """When the run was started."""
    started = text(mapping(result.transfers, "run"), "started_utc", "")
    try:
        return f"{datetime.fromisoformat(started):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return started or text(result.context, "date", "unknown date")


def entries(result: Result, key: str) -> list[Any]:
    """A list in the context, or an empty one."""
    value = result.transfers.get(key)
    return value if isinstance(value, list) else []


def text(holder: Any, key: str, default: str) -> str:
    """A string from the result file on one line, without characters that cannot be drawn."""
    value = holder.get(key) if isinstance(holder, dict) else None
    return printable(value) or default


def printable(value: Any) -> str:
    """A string on one line, without characters that cannot be drawn; empty if it is none."""
    characters = value if isinstance(value, str) else ""
    if characters.isprintable():
        return " ".join(characters.split())
    return " ".join("".join(c if c.isprintable() else " " for c in characters).split())


def count(number: int, noun: str) -> str:
    """So many of something; nothing at all for none."""
    return f"{number} {noun}{'s' if number > 1 else ''}" if number else ""


def _what_was_timed(points: list[Point]) -> str:
    fewest = min(point.repetitions for point in points)
    most = max(point.repetitions for point in points)
    timed = "wall time from the call until the data are usable at the destination"
    if most == 1:
        return f"{timed}; one repetition"
    repetitions = f"{most}" if fewest == most else f"{fewest} to {most}"
    return f"{timed}; median of {repetitions} repetitions; band: fastest to slowest repetition"


def _remarks(result: Result) -> str:
    rows = [row for row in result.rows if is_transfer(text(row, "name", ""))]
    failed = {row["name"] for row in rows if is_failed(row)}
    cold = {row["name"] for row in rows if is_cold(row["name"])} - failed
    skipped = [one for one in entries(result, "skipped") if is_transfer(text(one, "name", ""))]
    counts = [
        count(len(cold), "cold-cache benchmark"),
        count(len(failed), "failed benchmark"),
        count(len(skipped), "skipped benchmark"),
    ]
    left_out = ", ".join(filter(None, counts))
    warnings = count(len(entries(result, "warnings")), "warning")
    remarks = [
        f"not shown: {left_out}" if left_out else "",
        f"{warnings} in the result file" if warnings else "",
    ]
    return "; ".join(filter(None, remarks))
