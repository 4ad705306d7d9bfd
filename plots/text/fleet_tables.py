"""Makes the tables of fleets: what is named, the scores of all GPUs, and GPUs over sweeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from plots.model.fleet import Finding, Judgement
from plots.model.fleet_history import History, Trace
from plots.text import caption, fleet_caption
from plots.text.table import Cell, Column, Table, make_table

MOST_ON_PAGE = 40  # rows of a table of all GPUs; the files have all
MOST_FACTS = 4


def make_fleet_tables(judgement: Judgement) -> list[Table]:
    """Returns the tables of a sweep that have rows."""
    tables = [_make_finding_table(judgement), _make_score_table(judgement)]
    return [table for table in tables if table.raw]


def _make_finding_table(judgement: Judgement) -> Table:
    def end(place: int) -> Callable[[Finding], float | None]:
        return lambda one: one.interval[place] if one.interval else None

    columns: list[Column[Finding]] = [
        Column("part", _part, key="scope", raw=lambda one: one.scope),
        Column("GPU", lambda one: one.gpu or "-", key="gpu", raw=lambda one: one.gpu),
        Column("", key="slot", raw=lambda one: one.slot),
        Column("", key="node", raw=lambda one: one.node),
        Column("rack", lambda one: one.rack or "-", raw=lambda one: one.rack),
        Column("code", lambda one: one.code),
        Column("class", lambda one: one.class_name or "-", raw=lambda one: one.class_name),
        Column("slower [95 %]", _slower, key="slower_percent", raw=lambda one: one.slower),
        Column("", key="low_percent", raw=end(0)),
        Column("", key="high_percent", raw=end(1)),
        Column(
            "beside",
            lambda one: one.reference or "-",
            key="reference",
            raw=lambda one: one.reference,
        ),
        Column("confidence", _confidence, raw=lambda one: one.confidence),
        Column(
            "since", lambda one: fleet_caption.date(one.since) or "-", raw=lambda one: one.since
        ),
        Column("evidence", _first_evidence, raw=lambda one: "; ".join(_evidence(one))),
        Column("what to do", _advice, key="advice", raw=lambda one: " ".join(one.advice)),
    ]
    note = "plus is slower, in percent of time"
    heading = "What is reported"
    table = make_table("findings", heading, judgement.findings, columns, paper_note=note)
    return replace(table, rows=table.rows[: 5 * MOST_ON_PAGE])


def _part(finding: Finding) -> str:
    return f"{fleet_caption.SCOPE_NOUNS[finding.scope]} {fleet_caption.part_name(finding)}"


def _slower(finding: Finding) -> str:
    if finding.slower is None:
        return "-"
    return fleet_caption.percent_in_interval(finding.slower, finding.interval)


def _confidence(finding: Finding) -> str:
    sure = finding.confidence
    return "-" if sure is None else f"{100 * sure:.4g} %" if sure < 0.9999 else ">99.99 %"


def _advice(finding: Finding) -> str:
    return ", ".join(code.replace("_", " ") for code in finding.advice) or "-"


def _first_evidence(finding: Finding) -> str:
    evidence = _evidence(finding)
    more = [f"{len(evidence) - MOST_FACTS} more"] if len(evidence) > MOST_FACTS else []
    return "; ".join(evidence[:MOST_FACTS] + more) or "-"


def _evidence(finding: Finding) -> list[str]:
    slow = [
        f"{fleet_caption.slow_words(entry)} {fleet_caption.percent(entry.slower)}"
        for entry in finding.slow
    ]
    link = [f"link {finding.link}"] if finding.link else []
    return [*slow, *link, *finding.facts]


def _make_score_table(judgement: Judgement) -> Table:
    """Makes the table of all GPUs; the page has the slowest ones."""
    codes = [aspect.code for aspect in judgement.aspects]
    slowest = sorted(
        judgement.gpus, key=lambda gpu: -max((s for s in gpu.slower if s is not None), default=-1e9)
    )
    rows = [
        [
            fleet_caption.gpu_name(gpu),
            gpu.rack or "-",
            gpu.model,
            *("-" if s is None else fleet_caption.percent(s) for s in gpu.slower),
        ]
        for gpu in slowest[:MOST_ON_PAGE]
    ]
    raw: list[list[Cell]] = [
        [gpu.uuid, gpu.node, gpu.slot, gpu.rack, gpu.model, *gpu.slower] for gpu in judgement.gpus
    ]
    more = len(raw) - len(rows)
    heading = f"The {len(rows)} slowest of {len(raw):,} GPUs" if more > 0 else "All GPUs"
    return Table(
        "scores",
        f"{heading}: slower than the median of the model",
        ["GPU", "rack", "model", *codes],
        rows,
        ["gpu", "node", "slot", "rack", "model", *(f"{code}_percent" for code in codes)],
        raw,
        paper_note="plus is slower, in percent of time",
    )


def make_history_tables(history: History) -> list[Table]:
    """Returns the table of troubled GPUs, if there are any."""

    def since(trace: Trace) -> str | None:
        return None if trace.since is None else fleet_caption.sweep_name(history, trace.since)

    columns: list[Column[Trace]] = [
        Column("GPU", fleet_caption.gpu_name, key=None),
        Column("UUID", lambda one: one.uuid, key="gpu"),
        Column("", key="node", raw=lambda one: one.node),
        Column("", key="slot", raw=lambda one: one.slot),
        Column("rack", lambda one: one.rack or "-", raw=lambda one: one.rack),
        Column("", key="model", raw=lambda one: one.model),
        Column("aspect", lambda one: one.aspect or "-", raw=lambda one: one.aspect),
        Column("since", lambda one: fleet_caption.since_words(history, one) or "-", raw=since),
        Column(
            "named in",
            lambda one: caption.count(len(one.named), "sweep") or "-",
            key="named",
            raw=lambda one: len(one.named),
        ),
    ]
    table = make_table("troubled", "GPUs that were named", history.troubled, columns)
    return [replace(table, rows=table.rows[:200])] if table.raw else []
