"""Makes all files of a report from result files."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import jinja2
import markupsafe

from plots.figures import (
    CHECK_FIGURES,
    DEVICES_FIGURES,
    FIGURES,
    GROUP_FIGURES,
    MAP_FIGURES,
    style,
)
from plots.model import values
from plots.model.by_device import split, why_no_run
from plots.model.derive import Run
from plots.model.fleet import History, Judgement
from plots.model.gate import Check
from plots.model.host_map import HostMap
from plots.model.judged import Sentence, judge
from plots.model.load import Result, ResultError
from plots.model.programs import ask, ask_about_map
from plots.model.published import read_published
from plots.model.same_machine import of_another_machine
from plots.model.values import member
from plots.page import calculator, draw, packing, panels, paper, render
from plots.page.fleet import make_fleet_section, make_history_section
from plots.page.section import Drawer, Drawn, Section, flatten
from plots.text import (
    caption,
    cards,
    findings,
    glance,
    macros,
    map_caption,
    method,
    numbers,
    side_by_side,
    tables,
    tidy,
    trust,
    verdict,
)
from plots.text.bibliography import format_bibliography
from plots.text.table import format_files

MOST_SECTIONS = 6
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
HERE = Path(__file__).resolve().parent


EVERYTHING = Drawer()
DIFFERENCES_HEADING = "What differs"
RECOMMENDATIONS_HEADING = "What to use, by size and reuse"


def make_report(
    results: list[Result],
    program: Path | None,
    check: Check | None = None,
    maps: Sequence[HostMap] = (),
    fleets: Sequence[Judgement | History] = (),
    page_only: bool = False,
    figures: frozenset[str] | None = None,
) -> dict[str, bytes]:
    """Returns every file of the report, or the page alone: contents by path.

    `figures` are the names of those to draw; None draws all.
    """
    drawer = Drawer(figures, for_papers=not page_only)
    with ThreadPoolExecutor(1) as pool:
        pool.submit(render.scripts)  # may take seconds, in which advise answers
        runs = _prepare_runs(results, program, 1 if check else MOST_SECTIONS)
        all_sections = _sections_of(runs, results, program, check, maps, fleets, drawer)
    all_drawn = [drawn for section in all_sections for drawn in section.drawn]
    if page_only:
        stills = _draw_first(all_drawn)
        return {"report.html": _render_page(all_sections, stills, with_files=False).encode()}
    images = render.all_images(
        [
            (drawn.name, drawn.spec, drawn.paper, drawn.column if i == 0 else None)
            for i, drawn in enumerate(all_drawn)
        ]
    )
    stills = _take_first(all_drawn, images)
    files = {"report.html": _render_page(all_sections, stills, with_files=True).encode()}
    files |= {f"figures/{name}": data for name, data in images.items()}
    if runs:
        of_runs = tidy.format_tidy(runs) | method.format_method(list(enumerate(runs, start=1)))
        files |= {f"tables/{name}": data for name, data in of_runs.items()}
    if _has_rates(all_sections):
        files["tables/published.bib"] = format_bibliography(read_published()).encode()
    for section in all_sections:
        if section.macros:
            files[f"tables/{section.name}numbers.tex"] = section.macros.encode()
        for drawn in section.drawn:
            captions = paper.format_captions(drawn, images)
            files |= {f"figures/{name}": data for name, data in captions.items()}
        for table in (*chain(*section.tables_under.values()), *section.tables):
            contents = format_files(table, section.name, section.measured)
            files |= {f"tables/{name}": data for name, data in contents.items()}
    return files


def make_sections(
    results: list[Result],
    program: Path | None,
    check: Check | None = None,
    maps: Sequence[HostMap] = (),
    fleets: Sequence[Judgement | History] = (),
    drawer: Drawer = EVERYTHING,
) -> list[Section]:
    """Returns the sections of the report.

    If the results were checked against a baseline, the verdict comes first. They are then runs of
    one machine, and only the first has a section of its own, because each section takes seconds and
    half a megabyte. For the same reason, only the first few of many runs have one.
    """
    runs = _prepare_runs(results, program, 1 if check else MOST_SECTIONS)
    return _sections_of(runs, results, program, check, maps, fleets, drawer)


def _sections_of(
    runs: list[Run],
    results: list[Result],
    program: Path | None,
    check: Check | None,
    maps: Sequence[HostMap],
    fleets: Sequence[Judgement | History],
    drawer: Drawer,
) -> list[Section]:
    alone = len(runs) == 1
    numbered = list(enumerate(runs, start=1))
    most = 1 if check else MOST_SECTIONS
    shown = numbered[:most]
    run_sections = [
        _make_run_section(drawer, run, None if alone else number) for number, run in shown
    ]
    # The gate numbers files, not devices.
    files = list(enumerate(sorted(map(Run, results), key=_with_gpu_first), start=1))
    check_sections = [_make_check_section(drawer, check, files)] if check else []
    compared = [] if check and len(files) < len(runs) else numbered
    groups = [
        [entry for entry in compared if entry[1].on_host is on_host] for on_host in (False, True)
    ]
    group_sections = [_make_group_section(drawer, group) for group in groups if len(group) > 1]
    parts = [run for _, run in shown]
    together = [
        _make_devices_section(drawer, file, files, parts) for file in files[: 1 if check else None]
    ]
    map_sections = [
        _make_map_section(
            drawer, ask_about_map(program, host_map), number if len(maps) > 1 else None, results
        )
        for number, host_map in enumerate(maps, start=1)
    ]
    several = [section for section in (*group_sections, *together) if _has_content(section)]
    fleet_sections = _make_fleet_sections(drawer, fleets)
    return [*check_sections, *fleet_sections, *several, *map_sections, *run_sections]


def _make_fleet_sections(drawer: Drawer, fleets: Sequence[Judgement | History]) -> list[Section]:
    """Makes the sections of sweeps, and then those of GPUs over sweeps."""
    sweeps = [fleet for fleet in fleets if isinstance(fleet, Judgement)]
    histories = [fleet for fleet in fleets if isinstance(fleet, History)]
    return [
        *(
            make_fleet_section(drawer, sweep, i if len(sweeps) > 1 else None)
            for i, sweep in enumerate(sweeps, start=1)
        ),
        *(
            make_history_section(drawer, history, i if len(histories) > 1 else None)
            for i, history in enumerate(histories, start=1)
        ),
    ]


def _has_content(section: Section) -> bool:
    return bool(section.drawn or section.tables or any(section.sentences.values()))


def _with_gpu_first(run: Run) -> bool:
    return run.on_host


def _prepare_runs(results: list[Result], program: Path | None, most_advised: int) -> list[Run]:
    """Returns a run for each device, those with a GPU first, and asks programs about them.

    `advise` is asked about the first ones.
    """
    by_device = [part for result in results for part in split(result)]
    runs = sorted(map(Run, by_device), key=_with_gpu_first)
    judged = judge(program, [run.result for run in runs])
    for run in runs:
        if not run.benchmarks:
            why = "none of its benchmarks has a time and a name that can be shown"
            raise ResultError(f"cannot use {run.result.path}: {why}")
    runs = [replace(run, judged=given) for run, given in zip(runs, judged, strict=True)]
    return [
        replace(run, advice=ask(program, run.result, run.on_host)) if i < most_advised else run
        for i, run in enumerate(runs)
    ]


def _make_run_section(drawer: Drawer, run: Run, number: int | None) -> Section:
    """Makes the section of one run, which is numbered if there are several."""
    prefix = "" if number is None else f"run-{number}-"
    label = "" if number is None else f"Run {number} ({caption.file_name(run.result)}): "
    section = Section(
        name=prefix,
        heading=f"{label}{caption.device_name(run)}, {caption.describe_origin(run)}",
        on_host=run.on_host,
        measured=f"{caption.device_name(run)}, {caption.date(run.result)}",
        has_measurements=True,
        title=caption.page_title(run) if number is None else "",
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
        else {RECOMMENDATIONS_HEADING: tables.make_recommendations(run)},
        tables=tables.make_tables(run),
        macros="" if trust.injected_faults(run) else macros.format_macros(run, number),
        calculator={} if trust.injected_faults(run) else calculator.calculate(run),
        panels=panels.describe_benchmarks(run),
        run_number=number or 1,
        method=_list_method(run),
        warnings=run.judged.warnings,
    )
    drawer.add_figures(section, FIGURES, run)
    return section


def _make_group_section(drawer: Drawer, runs: list[tuple[int, Run]]) -> Section:
    on_host = runs[0][1].on_host
    kind = "without a GPU" if on_host else "with a GPU"
    heading = f"{len(runs)} runs {kind} side by side"
    prefix = "host-runs-" if on_host else "runs-"
    compared = runs[:MOST_SECTIONS]
    bandwidths = tables.compare_runs(runs)
    questions = side_by_side.make_question_table(compared)
    facts = side_by_side.make_fact_table(runs)
    section = Section(
        name=prefix,
        heading=heading,
        on_host=on_host,
        has_measurements=True,
        title=side_by_side.title(runs),
        verdict=DIFFERENCES_HEADING,
        cards=cards.make_cards(compared),
        cards_note=facts.note,
        sentences={DIFFERENCES_HEADING: side_by_side.describe_differences(compared)},
        tables_under={DIFFERENCES_HEADING: [questions] if questions.rows else []},
        tables=[table for table in (facts, bandwidths) if table and table.rows],
    )
    left_out = [number for number, _ in runs if number > MOST_SECTIONS]
    if left_out:
        sentence = (
            f"Runs from {left_out[0]} on are in figures and tables only: make reports of fewer."
        )
        section.sentences["What is left out"] = [Sentence(sentence, True)]
    drawer.add_figures(section, GROUP_FIGURES, runs)
    return section


def _make_devices_section(
    drawer: Drawer, numbered: tuple[int, Run], files: list[tuple[int, Run]], shown: list[Run]
) -> Section:
    """Makes the section of all devices of a run together; it is empty if there is one.

    `shown` are the runs of single devices, of any file, that have sections.
    """
    number, run = numbered
    file = caption.file_name(run.result)
    section = Section(
        name="devices-" if len(files) == 1 else f"devices-{number}-",
        heading=f"All devices of {file} together: {caption.all_devices(run)}",
        on_host=run.on_host,
    )
    if len(caption.device_ids(run)) > 1:
        table = tables.make_concurrent_table(run)
        section.tables = [table] if table.rows else []
        sentences = _name_devices_without_section(run, shown)
        section.sentences = {"Devices without a section": sentences} if sentences else {}
        drawer.add_figures(section, DEVICES_FIGURES, run)
    return section


def _name_devices_without_section(run: Run, shown: list[Run]) -> list[Sentence]:
    """Says which devices of a file have no section, and why."""
    of_file = [part for part in shown if part.result.data == run.result.data]
    with_section = {caption.device_ids(part)[0] for part in of_file}
    no_room = f"there is room for {caption.count(len(shown), 'such section')} in this report"
    by_reason: dict[str, list[str]] = {}
    for i, name in enumerate(caption.device_ids(run)):
        if name not in with_section:
            by_reason.setdefault(why_no_run(run.result, i) or no_room, []).append(name)
    return [
        Sentence(
            f"{caption.listed(names)} {'have' if len(names) > 1 else 'has'} no section: {reason}.",
            True,
        )
        for reason, names in by_reason.items()
    ]


def _make_map_section(
    drawer: Drawer, host_map: HostMap, number: int | None, results: Sequence[Result] = ()
) -> Section:
    """Makes the section of a map of a host, which is numbered if there are several."""
    doubts = ("poor_prediction", "no_link_explains", "not_measured")
    file = map_caption.file_name(host_map)
    another = map_caption.another_machine(host_map, of_another_machine(host_map, results))
    section = Section(
        name="map-" if number is None else f"map-{number}-",
        heading=f"Links of the host ({file}): {map_caption.devices(host_map)}",
        on_host=host_map.on_host,
        sentences={
            "What the map says": [
                Sentence(map_caption.machine(host_map)),
                *([Sentence(another, True)] if another else []),
                *(Sentence(text, code in doubts) for code, text in host_map.findings),
            ]
        },
        tables=[tables.make_links_table(host_map)],
        method=[
            ("file", file),
            ("sha256 of its content", hashlib.sha256(host_map.data).hexdigest()),
        ],
    )
    flatten("", host_map.context, section.method)
    drawer.add_figures(section, MAP_FIGURES, host_map)
    return section


def _make_check_section(drawer: Drawer, check: Check, runs: list[tuple[int, Run]]) -> Section:
    section = Section(
        name="",
        heading=verdict.heading(check, runs[0][1]),
        on_host=runs[0][1].on_host,
        sentences=verdict.sentences(check, len(runs)),
        tables=[tables.make_check_table(check, runs[0][1].result.metrics)],
    )
    drawer.add_figures(section, CHECK_FIGURES, check, runs, subject="against the baseline")
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


def _render_page(sections: list[Section], stills: dict[str, str], with_files: bool) -> str:
    """Renders the page with everything inside; the template escapes names from files."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        finalize=_typeset,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["exact"] = Exact
    drawn = [figure for section in sections for figure in section.drawn]
    rows: list[Any] = []
    data = {
        "wide": {figure.name: _with_shared_rows(figure.spec, rows) for figure in drawn},
        "column": {figure.name: _with_shared_rows(figure.column, rows) for figure in drawn},
        "rows": rows,
        "dark": style.dark_colours(),
    }
    return environment.get_template("report.html").render(
        title=f"Transfers: {sections[0].heading}" if sections else "Transfers",
        title_of_page=_title(sections),
        sections=sections,
        with_files=with_files,
        first={name: markupsafe.Markup(svg) for name, svg in stills.items()},
        first_name=drawn[0].name if drawn else "",
        published=read_published() if _has_rates(sections) else [],
        styles=markupsafe.Markup((HERE / "report.css").read_text("utf-8")),
        library=packing.pack(render.scripts()),
        packed=_packed,
        # Only code of this project stays unescaped.
        script=markupsafe.Markup(render.page_script()),
        data=_packed(data),
    )


def _has_rates(sections: list[Section]) -> bool:
    """Tells whether there are rates of a GPU, beside which published ones are shown."""
    return any(not (section.on_host or section.is_fleet) for section in sections)


def _draw_first(drawn: list[Drawn]) -> dict[str, str]:
    """Returns pictures of the first figure, which are there before it is drawn, and in any case.

    One is for a page, the other for a phone, on which the first would be too small to be read.
    """
    if not drawn:
        return {}
    return dict(
        zip(("wide", "column"), render.pictures([drawn[0].spec, drawn[0].column]), strict=True)
    )


def _take_first(drawn: list[Drawn], images: dict[str, bytes]) -> dict[str, str]:
    """Takes the same pictures from the images, among which they were drawn with the others."""
    name = drawn[0].name if drawn else ""
    phone = images.pop(name + draw.PHONE, None)
    if phone is None:
        return _draw_first(drawn)
    return {"wide": images[f"{name}.svg"].decode(), "column": phone.decode()}


def _title(sections: list[Section]) -> str:
    """Returns the first heading: what the first section is about, if it is about all."""
    return (sections[0].title if sections else "") or "Host-device transfers"


def _packed(data: Any) -> str:
    """Packs data in which names of the files stand."""
    return packing.pack(packing.as_json(values.legible(data)))


class Exact(str):
    """Holds a text that must stay as it is: a command, or a name by which the script finds data."""


def _typeset(value: Any) -> Any:
    """Returns what the template writes; code of this project stays as it is."""
    if isinstance(value, markupsafe.Markup) or not isinstance(value, str):
        return value
    return (
        values.legible(value) if isinstance(value, Exact) else numbers.bind(values.legible(value))
    )


def _with_shared_rows(spec: dict[str, Any], rows: list[Any]) -> dict[str, Any]:
    """Replaces a specification's data by indexes into `rows`; most data are used twice."""
    indexes = {}
    for name, data in spec["datasets"].items():
        if data not in rows:
            rows.append(data)
        indexes[name] = rows.index(data)
    return {**spec, "datasets": indexes}
