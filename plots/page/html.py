"""Renders the page with everything inside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import markupsafe

from plots.figures import dark_page
from plots.model import values
from plots.model.published import read_published
from plots.page import packing, render
from plots.page.section import Section
from plots.text import numbers

HERE = Path(__file__).resolve().parent


def render_page(sections: list[Section], stills: dict[str, str], with_files: bool) -> str:
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
        "dark": dark_page.dark_colours(),
    }
    return environment.get_template("report.html").render(
        title=f"Transfers: {sections[0].heading}" if sections else "Transfers",
        title_of_page=_title(sections),
        sections=sections,
        with_files=with_files,
        first={name: markupsafe.Markup(svg) for name, svg in stills.items()},
        first_name=drawn[0].name if drawn else "",
        published=read_published() if has_rates(sections) else [],
        styles=markupsafe.Markup((HERE / "report.css").read_text("utf-8")),
        library=packing.pack(render.scripts()),
        packed=_packed,
        # Only code of this project stays unescaped.
        script=markupsafe.Markup(render.page_script()),
        data=_packed(data),
    )


def has_rates(sections: list[Section]) -> bool:
    """Tells whether there are rates of a GPU, beside which published ones are shown."""
    return any(not (section.on_host or section.is_fleet) for section in sections)


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
