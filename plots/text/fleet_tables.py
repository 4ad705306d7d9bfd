"""Makes the tables of fleets: what is named, the scores of all GPUs, and GPUs over sweeps."""

from __future__ import annotations

from plots.model.fleet import Finding, History, Judgement
from plots.text import caption, fleet_caption
from plots.text.table import Table

MOST_ON_PAGE = 40  # rows of a table of all GPUs; the files have all
MOST_FACTS = 4
Raw = list[str | float | int | None]


def make_fleet_tables(judgement: Judgement) -> list[Table]:
    """Returns the tables of a sweep that have rows."""
    tables = [_make_finding_table(judgement), _make_score_table(judgement)]
    return [table for table in tables if table.raw]


def _make_finding_table(judgement: Judgement) -> Table:
    head = [
        "part",
        "GPU",
        "rack",
        "code",
        "class",
        "slower [95 %]",
        "beside",
        "confidence",
        "since",
    ]
    head += ["evidence", "what to do"]
    raw_head = ["scope", "gpu", "slot", "node", "rack", "code", "class", "slower_percent"]
    raw_head += [
        "low_percent",
        "high_percent",
        "reference",
        "confidence",
        "since",
        "evidence",
        "advice",
    ]
    rows = [_finding_cells(finding) for finding in judgement.findings]
    raw = [_raw_finding(finding) for finding in judgement.findings]
    return Table("findings", "What is named", head, rows[: 5 * MOST_ON_PAGE], raw_head, raw)


def _evidence(finding: Finding) -> list[str]:
    slow = [
        f"{fleet_caption.slow_words(entry)} {fleet_caption.percent(entry.slower)}"
        for entry in finding.slow
    ]
    link = [f"link {finding.link}"] if finding.link else []
    return [*slow, *link, *finding.facts]


def _finding_cells(finding: Finding) -> list[str]:
    evidence = _evidence(finding)
    more = [f"{len(evidence) - MOST_FACTS} more"] if len(evidence) > MOST_FACTS else []
    sure = finding.confidence
    return [
        f"{fleet_caption.SCOPE_NOUNS[finding.scope]} {fleet_caption.part_name(finding)}",
        finding.gpu or "-",
        finding.rack or "-",
        finding.code,
        finding.class_name or "-",
        "-"
        if finding.slower is None
        else fleet_caption.percent_in_interval(finding.slower, finding.interval),
        finding.reference or "-",
        "-" if sure is None else f"{100 * sure:.4g} %" if sure < 0.9999 else ">99.99 %",
        fleet_caption.date(finding.since) or "-",
        "; ".join(evidence[:MOST_FACTS] + more) or "-",
        ", ".join(code.replace("_", " ") for code in finding.advice) or "-",
    ]


def _raw_finding(finding: Finding) -> Raw:
    low, high = finding.interval or (None, None)
    return [
        finding.scope,
        finding.gpu,
        finding.slot,
        finding.node,
        finding.rack,
        finding.code,
        finding.class_name,
        finding.slower,
        low,
        high,
        finding.reference,
        finding.confidence,
        finding.since,
        "; ".join(_evidence(finding)),
        " ".join(finding.advice),
    ]


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
    raw: list[Raw] = [
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
    )


def make_history_tables(history: History) -> list[Table]:
    """Returns the table of troubled GPUs, if there are any."""
    troubled = history.troubled
    rows = [
        [
            fleet_caption.gpu_name(trace),
            trace.uuid,
            trace.rack or "-",
            trace.aspect or "-",
            fleet_caption.since_words(history, trace) or "-",
            caption.count(len(trace.named), "sweep") or "-",
        ]
        for trace in troubled
    ]
    raw: list[Raw] = [
        [
            trace.uuid,
            trace.node,
            trace.slot,
            trace.rack,
            trace.model,
            trace.aspect,
            None if trace.since is None else fleet_caption.sweep_name(history, trace.since),
            len(trace.named),
        ]
        for trace in troubled
    ]
    head = ["GPU", "UUID", "rack", "aspect", "since", "named in"]
    raw_head = ["gpu", "node", "slot", "rack", "model", "aspect", "since", "named"]
    table = Table("troubled", "GPUs that were named", head, rows[:200], raw_head, raw)
    return [table] if raw else []
