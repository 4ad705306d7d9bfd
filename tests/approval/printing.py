"""Writes as lines of text what figures, tables and sections of a report have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from plots.figures.common import Figure
from plots.model.judged import Sentence
from plots.page import render
from plots.page.section import Section
from plots.text.table import Table

CHANNELS = ("x", "y", "color", "shape", "strokeDash")
# How expressions for labels begin that only shorten a name, or write a size with its unit.
USUAL = ("split(", "datum.value >= 1073741824")


def sentences(part: str, given: Iterable[Sentence]) -> Iterator[str]:
    for sentence in given:
        yield f"{part}{' (warning)' if sentence.warning else ''}: {sentence.text}"


def texts(figure: Figure) -> list[str]:
    """The texts of a figure: its title, what stands below it, and what it says to readers."""
    title = figure.chart.title
    said = (*title.text, *title.subtitle, figure.explanation, figure.summary)
    return [text for text in said if text]


def drawing(figure: Figure, before: set[str]) -> Iterator[str]:
    """The marks and axes of each panel, and its data; what is as before is only named."""
    spec = render.specification(figure)
    for node in _panels(spec["vconcat"]):
        yield f"panel {_title(node.get('title'))}"
        layers = list(_layers(node))
        yield _once("\n".join(map(_mark, layers)), "  marks as before", before)
        axes = dict.fromkeys(line for layer in layers for line in _axes(layer.get("encoding", {})))
        yield from (line for line in axes if _once(line, "", before))
    for name, rows in spec["datasets"].items():
        first, *others = _rows(name, rows)
        yield _once("\n".join([first, *others]), f"{first} as before", before)


def _once(text: str, otherwise: str, before: set[str]) -> str:
    is_new = text not in before
    before.add(text)
    return text if is_new else otherwise


def table(given: Table, raw: bool = False) -> Iterator[str]:
    """As readers see it; `raw` as programs read it, too."""
    yield f"table {given.name}: {given.heading}{f' ({given.note})' if given.note else ''}"
    yield from (_line(row) for row in (given.head, *given.rows))
    if raw:
        yield from (_line(row) for row in (given.raw_head, *given.raw))


def section(given: Section) -> Iterator[str]:
    """Its texts and tables, and why figures are left out."""
    yield f"section {given.name}: {given.heading}; {given.title}{'; no GPU' * given.on_host}"
    for card in given.cards:
        yield f"card {card.name}: {[mark.verdict for mark in card.marks]}"
        yield from (f"  {about}: {said}" for about, said in card.lines)
    yield from (f"card: {note}" for note in [given.cards_note] if note)
    for mark in given.marks if given.summary is None else ():  # a run says its own
        yield f"mark ({mark.state}): {mark.subject}: {mark.verdict}; {mark.details}"
        yield from sentences(f"evidence of {mark.subject}", mark.evidence)
    for heading, said in given.sentences.items():
        yield from sentences(heading, said)
    yield from sentences("alert", given.alerts)
    yield from (f"left out: {name}: {why}" for name, why in given.left_out)
    for under in (given.tables, *given.tables_under.values()):
        for each in under:
            yield from table(each)


def _line(cells: Any) -> str:
    return "  " + " | ".join(map(_value, cells))


def _value(value: Any) -> str:
    """Five digits: the last ones may be others elsewhere."""
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, dict):
        return ", ".join(f"{key}={_value(part)}" for key, part in value.items())
    return f"{value:.5g}" if isinstance(value, float) else "-" if value is None else str(value)


def _rows(name: str, rows: list[dict[str, Any]]) -> Iterator[str]:
    """As a table; what is the same in each row stands above it."""
    keys = list(dict.fromkeys(key for row in rows for key in row))
    written = {key: [_value(row.get(key)) for row in rows] for key in keys}
    same = [key for key in keys if len(rows) > 1 and len(set(written[key])) == 1]
    differ = [key for key in keys if key not in same]
    each = ", ".join(f"{key}={written[key][0]}" for key in same)
    yield f"data {name}: {len(rows)} rows{f' with {each}' if each else ''}"
    if differ and rows:
        yield _line(differ)
        yield from map(_line, zip(*(written[key] for key in differ), strict=True))


def _panels(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, list):
        for part in node:
            yield from _panels(part)
    elif "layer" in node:
        yield node
    else:
        for key in ("vconcat", "hconcat"):
            yield from _panels(node.get(key, []))


def _mark(layer: dict[str, Any]) -> str:
    """Its kind, what it shows, and of which data."""
    fields = {
        channel: given["field"]
        for channel, given in layer.get("encoding", {}).items()
        if isinstance(given, dict) and "field" in given
    }
    tooltip = [each["title"] for each in layer.get("encoding", {}).get("tooltip", ())]
    kept = [step["filter"] for step in layer.get("transform", ()) if "filter" in step]
    parts = {"data": layer.get("data", {}).get("name"), **fields, "tooltip": tooltip, "if": kept}
    return (
        f"  {layer['mark']['type']}: {_value({key: part for key, part in parts.items() if part})}"
    )


def _layers(node: Any) -> Iterator[dict[str, Any]]:
    for layer in node["layer"]:
        yield from _layers(layer) if "layer" in layer else [layer]


def _title(given: Any) -> str:
    if isinstance(given, dict):
        return ", ".join(_title(given[key]) for key in ("text", "subtitle", "expr") if key in given)
    return _value(given)


def _axes(encoding: dict[str, Any]) -> Iterator[str]:
    for channel in CHANNELS:
        given = encoding.get(channel, {})
        scale, axis = given.get("scale") or {}, given.get("axis") or {}
        if "domain" in scale:
            labels = str(axis.get("labelExpr", ""))
            parts = {
                "from": scale["domain"],
                "to": scale.get("range"),
                "as": scale.get("type"),
                "ticks": axis.get("values"),
                "labels": None if labels.startswith(USUAL) else labels or None,
                "legend": given.get("legend"),
            }
            said = "; ".join(f"{key} {_value(part)}" for key, part in parts.items() if part)
            yield f"  {channel}: {given.get('title')}: {said}"
