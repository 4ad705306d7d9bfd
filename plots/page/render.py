"""Figures as image files, all from the same specification as the page's."""

from __future__ import annotations

import ctypes
import functools
import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from itertools import starmap
from typing import Any
from xml.sax.saxutils import escape

import altair as alt
import vl_convert as vlc
from altair.utils import schemapi

from plots.figures import style
from plots.figures.common import HIDDEN, Figure

MOST_PROCESSES = 4
PR_SET_PDEATHSIG = 1  # prctl(2)


def specification(figure: Figure) -> dict[str, Any]:
    """The Vega-Lite specification, complete with its data.

    The data are added behind altair's back, which would check each row for seconds; the rest is
    checked where altair is in its debug mode.
    """
    bare = figure.chart.copy(deep=False)
    bare.datasets = alt.Undefined
    spec = bare.to_dict(validate=schemapi.DEBUG_MODE)
    parameters = [{"name": HIDDEN, "value": []}, *spec.get("params", [])]
    return {
        **spec,
        "description": figure.description,
        "params": parameters,
        "datasets": figure.chart.datasets,
    }


@functools.cache
def scripts() -> str:
    """Vega-Lite, Vega and vega-embed as one script."""
    return vlc.javascript_bundle()  # type: ignore[call-arg]  # it may be left out


def all_images(specs: list[tuple[str, dict[str, Any]]]) -> dict[str, bytes]:
    """All images of specifications with names: contents by file name."""
    # Processes, because vl-convert draws for one thread at a time; new ones, because it has threads
    # of its own, which copies of this process would lack.
    spawning = multiprocessing.get_context("spawn")
    workers = min(MOST_PROCESSES, os.cpu_count() or 1, len(specs))
    if workers < 2:
        results = list(starmap(images, specs))
    else:
        with ProcessPoolExecutor(workers, spawning, _follow_parent) as pool:
            results = list(pool.map(images, *zip(*specs, strict=True)))
    return {name: data for files in results for name, data in files.items()}


def _follow_parent() -> None:
    """Ends with the parent, however that ends, also when it already has."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is None or os.getppid() != parent.pid:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def images(name: str, spec: dict[str, Any]) -> dict[str, bytes]:
    """The figure as SVG, PDF and PNG: their contents by file name."""
    drawing = svg(spec)
    return {
        f"{name}.svg": drawing.encode(),
        f"{name}.pdf": vlc.svg_to_pdf(drawing),
        f"{name}.png": vlc.svg_to_png(drawing, ppi=style.PIXELS_PER_INCH),
    }


def svg(spec: dict[str, Any]) -> str:
    """The figure as SVG, which says in words what it shows: Vega leaves that out of files."""
    root, _, content = vlc.vegalite_to_svg(_without_zoom(spec)).partition(">")
    title, description = escape(" ".join(spec["title"]["text"])), escape(spec["description"])
    return f"{root}><title>{title}</title><desc>{description}</desc>{content}"


def _without_zoom(spec: dict[str, Any]) -> dict[str, Any]:
    """Without zooming, for which each mark would be clipped on its own: ten times as slow."""
    parameters = [
        parameter for parameter in spec.get("params", []) if parameter.get("bind") != "scales"
    ]
    return {**spec, "params": parameters}
