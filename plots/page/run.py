"""Makes the section of one run."""

from __future__ import annotations

import hashlib

from plots.figures import FIGURES
from plots.model import values
from plots.model.derive import Run
from plots.model.values import member
from plots.page import calculator, panels
from plots.page.section import Drawer, Section, flatten
from plots.text import caption, choices, findings, glance, macros, run_tables, trust

# Keys of the file that the page shows elsewhere, or whose facts other keys repeat.
KEYS_SHOWN_ELSEWHERE = (
    "strategies",
    "buffers",
    "skipped",
    "warnings",
    "benchmarks",
    "roles",
    "metrics",
    "devices",
)
RECOMMENDATIONS_HEADING = "What to use, by size and reuse"


def make_run_section(drawer: Drawer, run: Run, number: int | None) -> Section:
    """Makes the section of one run, which is numbered if there are several."""
    prefix = "" if number is None else f"run-{number}-"
    origin = caption.describe_origin(run)
    alone = number is None
    section = Section(
        name=prefix,
        heading=f"{caption.device_name(run)}, {origin}"
        if alone
        else f"Run {number}: {caption.device_name(run)}",
        origin="" if alone else f"{caption.file_name(run.result)}: {origin}",
        on_host=run.on_host,
        measured=f"{caption.device_name(run)}, {caption.date(run.result)}",
        has_measurements=True,
        title=caption.page_title(run) if alone else "",
        subtitle=caption.describe_report(run),
        summary=run.judged.verdict,
        alerts=[*run.judged.alerts, *trust.left_out(run)],
        marks=run.judged.marks,
        glance=glance.describe(run),
        rules=run.judged.rules,
        sentences={
            "The machine": trust.describe_machine(run),
            "What matters most": run.judged.matters,
            "Beside published figures": findings.compare_with_published(run),
            RECOMMENDATIONS_HEADING: findings.explain_recommendations(run),
        },
        tables_under={}
        if trust.injected_faults(run)
        else {RECOMMENDATIONS_HEADING: choices.make_recommendations(run)},
        tables=run_tables.make_tables(run),
        macros="" if trust.injected_faults(run) else macros.format_macros(run, number),
        calculator={} if trust.injected_faults(run) else calculator.calculate(run),
        panels=panels.describe_benchmarks(run),
        run_number=number or 1,
        method=_list_method(run),
        warnings=run.judged.warnings,
    )
    drawer.add_figures(section, FIGURES, run)
    return section


def _list_method(run: Run) -> list[tuple[str, str]]:
    """Lists key by key what the file says of how it was made."""
    rows: list[tuple[str, str]] = [("file", caption.file_name(run.result))]
    rows.append(("sha256 of its content", hashlib.sha256(run.result.data).hexdigest()))
    transfers = run.result.transfers
    flatten("", {key: transfers[key] for key in transfers if key not in KEYS_SHOWN_ELSEWHERE}, rows)
    devices = caption.entries(run.result, "devices")
    if len(devices) > 1:
        flatten("devices", {str(i): device for i, device in enumerate(devices)}, rows)
    buffers = member(transfers, "buffers", list) or []
    for buffer in buffers:
        if isinstance(buffer, dict):
            memory = values.text(buffer, "memory", "unknown")
            facts = {key: buffer[key] for key in buffer if key != "memory"}
            flatten(f"buffers.{memory}", facts, rows)
    reasons: dict[tuple[str, str], list[str]] = {}
    for skip in run.result.skipped:
        reasons.setdefault((skip.reason.code, skip.reason.text), []).append(skip.name)
    for (_, reason), names in reasons.items():
        others = f" and {len(names) - 1} more" if len(names) > 1 else ""
        rows.append((f"skipped {names[0]}{others}", reason))
    rows += [("failed", values.printable(name)) for name in run.failed]
    return rows
