"""Makes all files of a report from result files."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from pathlib import Path

from plots.model.by_device import split
from plots.model.derive import Run
from plots.model.files import ResultError
from plots.model.fleet import Judgement
from plots.model.fleet_history import History
from plots.model.gate import Check
from plots.model.host_map import HostMap
from plots.model.judge import judge
from plots.model.load import Result
from plots.model.programs import ask, ask_about_map
from plots.model.published import read_published
from plots.page import draw, html, paper, render
from plots.page.check import make_check_section
from plots.page.devices import make_devices_section
from plots.page.fleet import make_fleet_section, make_history_section
from plots.page.host_map import make_map_section
from plots.page.progress import NO_PROGRESS, Progress
from plots.page.run import make_run_section
from plots.page.section import MOST_SECTIONS, Drawer, Drawn, Section
from plots.page.side_by_side import make_group_section
from plots.text import method, tidy
from plots.text.bibliography import format_bibliography
from plots.text.table import format_files

EVERYTHING = Drawer()


def make_report(
    results: list[Result],
    program: Path | None,
    check: Check | None = None,
    maps: Sequence[HostMap] = (),
    fleets: Sequence[Judgement | History] = (),
    page_only: bool = False,
    figures: frozenset[str] | None = None,
    say: Progress = NO_PROGRESS,
) -> dict[str, bytes]:
    """Returns every file of the report, or the page alone: contents by path.

    `figures` are the names of those to draw; None draws all.
    """
    drawer = Drawer(figures, not page_only, say)
    say("asking the programs")
    with ThreadPoolExecutor(1) as pool:
        pool.submit(render.scripts)  # may take seconds, in which advise answers
        runs = _prepare_runs(results, program, 1 if check else MOST_SECTIONS)
        all_sections = _sections_of(runs, results, program, check, maps, fleets, drawer)
    all_drawn = [drawn for section in all_sections for drawn in section.drawn]
    if page_only:
        stills = _draw_first(all_drawn)
        return {"report.html": html.render_page(all_sections, stills, with_files=False).encode()}
    images = render.all_images(
        [
            (drawn.name, drawn.spec, drawn.paper, drawn.column if i == 0 else None)
            for i, drawn in enumerate(all_drawn)
        ],
        say,
    )
    say("writing")
    stills = _take_first(all_drawn, images)
    files = {"report.html": html.render_page(all_sections, stills, with_files=True).encode()}
    files |= {f"figures/{name}": data for name, data in images.items()}
    if runs:
        of_runs = tidy.format_tidy(runs) | method.format_method(list(enumerate(runs, start=1)))
        files |= {f"tables/{name}": data for name, data in of_runs.items()}
    if html.has_rates(all_sections):
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
        make_run_section(drawer, run, None if alone else number) for number, run in shown
    ]
    # The gate numbers files, not devices.
    files = list(enumerate(sorted(map(Run, results), key=_with_gpu_first), start=1))
    check_sections = [make_check_section(drawer, check, files)] if check else []
    compared = [] if check and len(files) < len(runs) else numbered
    groups = [
        [entry for entry in compared if entry[1].on_host is on_host] for on_host in (False, True)
    ]
    group_sections = [make_group_section(drawer, group) for group in groups if len(group) > 1]
    parts = [run for _, run in shown]
    together = [
        make_devices_section(drawer, file, files, parts) for file in files[: 1 if check else None]
    ]
    map_sections = [
        make_map_section(
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
