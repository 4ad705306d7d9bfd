"""The report: all files of it, from result files."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path, PurePath
from typing import Any

import jinja2
import markupsafe

from plots.figures import FIGURES, GROUP_FIGURES, style
from plots.figures.common import Figure
from plots.figures.forest import forest
from plots.figures.layout import COLUMN, WIDE, Layout
from plots.model import values
from plots.model.derive import NoData, Run
from plots.model.gate import Check
from plots.model.load import Result, ResultError
from plots.model.programs import ask
from plots.model.published import published
from plots.model.values import mapping
from plots.page import render
from plots.text import caption, findings, tables, trust, verdict

MOST_SECTIONS = 6
WRITTEN = ("--out", "--benchmark_out")
# Of the file: in other parts of the page, or what others of its keys say as well.
SHOWN_ELSEWHERE = (
    "strategies",
    "buffers",
    "skipped",
    "warnings",
    "benchmarks",
    "roles",
    "metrics",
    "devices",
)
MESSAGE = {"code", "data", "text"}
HERE = Path(__file__).resolve().parent


@dataclass(frozen=True)
class Drawn:
    """A figure in the report, in both layouts."""

    name: str  # of its files, and its place in the page
    figure: Figure
    spec: dict[str, Any]
    column: dict[str, Any]


USE = "What to use"


@dataclass
class Section:
    """One run, or several of one kind together: GPUs and the host device never share one."""

    name: str
    heading: str
    on_host: bool
    sentences: dict[str, list[trust.Sentence]] = field(default_factory=dict)
    drawn: list[Drawn] = field(default_factory=list)
    left_out: list[tuple[str, str]] = field(default_factory=list)
    tables_under: dict[str, list[tables.Table]] = field(default_factory=dict)  # by heading
    tables: list[tables.Table] = field(default_factory=list)
    method: list[tuple[str, str]] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


def report(
    results: list[Result], program: Path | None, check: Check | None = None
) -> dict[str, bytes]:
    """Every file of the report: contents by path."""
    with ThreadPoolExecutor(1) as pool:
        pool.submit(render.scripts)  # takes seconds, like what advise is asked meanwhile
        shown = sections(results, program, check)
    files = {"report.html": _page(shown).encode()}
    every = [
        (f"{one.name}{layout.suffix}", spec)
        for section in shown
        for one in section.drawn
        for layout, spec in ((WIDE, one.spec), (COLUMN, one.column))
    ]
    files |= {f"figures/{name}": data for name, data in render.drawings(every).items()}
    for section in shown:
        for table in (*chain(*section.tables_under.values()), *section.tables):
            made = tables.files(table, section.name)
            files |= {f"tables/{name}": data for name, data in made.items()}
    return files


def sections(
    results: list[Result], program: Path | None, check: Check | None = None
) -> list[Section]:
    """What the report says and shows.

    With the gate's answer about the results, its verdict comes first. As they are then runs of one
    machine, only the first has a section of its own: each takes seconds and half a megabyte. For
    the same reason otherwise only the first few have one.
    """
    runs = _runs(results, program, 1 if check else MOST_SECTIONS)
    alone = len(runs) == 1
    numbered = list(enumerate(runs, start=1))
    own = numbered[: 1 if check else MOST_SECTIONS]
    of_runs = [_run_section(run, None if alone else number) for number, run in own]
    judged = [_check_section(check, numbered)] if check else []
    groups = [[one for one in numbered if one[1].on_host is kind] for kind in (False, True)]
    together = [_group_section(group) for group in groups if len(group) > 1]
    return [*judged, *filter(lambda one: one.drawn, together), *of_runs]


def _runs(results: list[Result], program: Path | None, asked: int) -> list[Run]:
    """GPU runs first, then those of the host device; otherwise as given.

    `advise` is asked about so many of them.
    """
    runs = sorted(map(Run, results), key=lambda run: run.on_host)
    for run in runs:
        if not run.benchmarks:
            raise ResultError(f"{run.result.path}: nothing was measured, nothing to report")
    return [
        replace(run, advice=ask(program, run.result, run.on_host)) if i < asked else run
        for i, run in enumerate(runs)
    ]


def _run_section(run: Run, number: int | None) -> Section:
    """Of one run; numbered where there are several."""
    prefix = "" if number is None else f"run-{number}-"
    which = "" if number is None else f"Run {number} ({_file(run)}): "
    section = Section(
        name=prefix,
        heading=f"{which}{caption.device_name(run)}, {caption.where_and_when(run)}",
        on_host=run.on_host,
        sentences={
            "The machine": trust.machine(run),
            "Can these numbers be trusted?": trust.trust(run),
            "Are they normal?": findings.comparison(run),
            "What matters most": findings.findings(run),
            USE: findings.what_to_use(run),
        },
        tables_under={} if trust.injected(run) else {USE: tables.what_to_use(run)},
        tables=tables.tables(run),
        method=_method(run),
        warnings=trust.other_warnings(run),
    )
    for name, make in FIGURES.items():
        try:
            _add(section, f"{prefix}{name}", partial(make, run))
        except NoData as why:
            section.left_out.append((name.replace("_", " "), str(why)))
    return section


def _group_section(runs: list[tuple[int, Run]]) -> Section:
    on_host = runs[0][1].on_host
    where = "without a GPU" if on_host else "with a GPU"
    heading = f"{len(runs)} runs {where} side by side"
    prefix = "host-runs-" if on_host else "runs-"
    table = tables.side_by_side(runs)
    section = Section(
        name=prefix, heading=heading, on_host=on_host, tables=[table] if table else []
    )
    without = [number for number, _ in runs if number > MOST_SECTIONS]
    if without:
        said = f"Runs from {without[0]} on have no sections of their own: make reports of fewer."
        section.sentences = {"What is left out": [trust.Sentence(said, True)]}
    for name, make in GROUP_FIGURES.items():
        try:
            _add(section, f"{prefix}{name}", partial(make, runs))
        except NoData as why:
            section.left_out.append((name.replace("_", " "), str(why)))
    return section


def _check_section(check: Check, runs: list[tuple[int, Run]]) -> Section:
    section = Section(
        name="",
        heading=verdict.heading(check, runs[0][1]),
        on_host=runs[0][1].on_host,
        sentences=verdict.sentences(check, len(runs)),
        tables=[tables.checked(check, runs[0][1].result.metrics)],
    )
    try:
        _add(section, "forest", partial(forest, check, runs))
    except NoData as why:
        section.left_out.append(("against the baseline", str(why)))
    return section


def _add(section: Section, name: str, make: Callable[[Layout], Figure]) -> None:
    figure = make(WIDE)
    column = render.specification(make(COLUMN))
    section.drawn.append(Drawn(name, figure, render.specification(figure), column))


def _file(run: Run) -> str:
    """The file's name with its folder, because many are called result.json."""
    return values.printable("/".join(run.result.path.parts[-2:]))


def _method(run: Run) -> list[tuple[str, str]]:
    """Everything that the file says of how it came about, key by key."""
    rows: list[tuple[str, str]] = [("file", _file(run))]
    rows.append(("sha256 of its content", hashlib.sha256(run.result.data).hexdigest()))
    written = mapping(run.result.original, "transfers")
    _flatten("", {key: written[key] for key in written if key not in SHOWN_ELSEWHERE}, rows)
    devices = caption.entries(run.result, "devices")
    if len(devices) > 1:
        _flatten("devices", {str(i): device for i, device in enumerate(devices)}, rows)
    for buffer in caption.entries(run.result, "buffers"):
        if isinstance(buffer, dict):
            memory = values.text(buffer, "memory", "unknown")
            facts = {key: buffer[key] for key in buffer if key != "memory"}
            _flatten(f"buffers.{memory}", facts, rows)
    reasons: dict[tuple[str, str], list[str]] = {}
    for skip in run.result.skipped:
        reasons.setdefault((skip.reason.code, skip.reason.text), []).append(skip.name)
    for (_, reason), names in reasons.items():
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        rows.append((f"skipped {names[0]}{more}", reason))
    rows += [("failed", values.printable(name)) for name in run.failed]
    return rows


def _without_folders(words: list[Any]) -> list[str]:
    """A command line of an older file, too, as newer ones have it: where things were is private."""
    shown = [str(word) for word in words]
    for i, word in enumerate(shown):
        option, is_set, value = word.partition("=")
        if i == 0 or shown[i - 1] in WRITTEN:
            shown[i] = PurePath(word).name
        elif is_set and option in WRITTEN:
            shown[i] = f"{option}={PurePath(value).name}"
    return shown


def _flatten(key: str, value: Any, rows: list[tuple[str, str]]) -> None:
    if isinstance(value, dict) and value.keys() == MESSAGE:
        rows.append((key, values.text(value, "text", "")))
    elif isinstance(value, dict):
        for name, member in value.items():
            below = values.printable(str(name))
            _flatten(f"{key}.{below}" if key else below, member, rows)
    elif isinstance(value, str):
        rows.append((key, values.printable(value)))
    elif key == "run.command_line" and isinstance(value, list):
        rows.append((key, values.printable(shlex.join(_without_folders(value)))))
    else:
        rows.append((key, values.printable(json.dumps(value, ensure_ascii=False))))


def _page(sections: list[Section]) -> str:
    """The page with everything inside; names from files are escaped by the template."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(HERE),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    drawn = [one for section in sections for one in section.drawn]
    rows: list[Any] = []
    data = {
        "wide": {one.name: _with_shared_rows(one.spec, rows) for one in drawn},
        "column": {one.name: _with_shared_rows(one.column, rows) for one in drawn},
        "rows": rows,
        "dark": style.dark_colours(),
    }
    return environment.get_template("report.html").render(
        title=f"Transfers: {sections[0].heading}" if sections else "Transfers",
        sections=sections,
        published=[] if all(section.on_host for section in sections) else published(),
        styles=markupsafe.Markup((HERE / "report.css").read_text("utf-8")),
        # Only this project's own and the pinned libraries' code is not escaped.
        library=markupsafe.Markup(_script(render.scripts())),
        script=markupsafe.Markup((HERE / "report.js").read_text("utf-8")),
        data=markupsafe.Markup(_json_in_html(data)),
    )


def _with_shared_rows(spec: dict[str, Any], rows: list[Any]) -> dict[str, Any]:
    """The specification with indexes into `rows` for its data, of which most are used twice."""
    places = {}
    for name, data in spec["datasets"].items():
        if data not in rows:
            rows.append(data)
        places[name] = rows.index(data)
    return {**spec, "datasets": places}


def _json_in_html(data: Any) -> str:
    """JSON that nothing in it can end: within a script element `<` would."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _script(code: str) -> str:
    """Code that may stand in a script element."""
    return re.sub(r"</(script)", r"<\\/\1", code, flags=re.IGNORECASE)
