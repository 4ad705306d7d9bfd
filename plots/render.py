"""Figures as image files, all from the same specification as the page's."""

from __future__ import annotations

import functools
from typing import Any

import altair as alt
import vl_convert as vlc

from plots import style
from plots.figures.common import HIDDEN, Figure


def specification(figure: Figure) -> dict[str, Any]:
    """The Vega-Lite specification, complete with its data.

    The data are added behind altair's back, which would check each row for seconds.
    """
    bare = figure.chart.copy(deep=False)
    bare.datasets = alt.Undefined
    spec = bare.to_dict()
    parameters = [{"name": HIDDEN, "value": []}, *spec.get("params", [])]
    return {**spec, "params": parameters, "datasets": figure.chart.datasets}


@functools.cache
def scripts() -> str:
    """Vega-Lite, Vega and vega-embed as one script."""
    return vlc.javascript_bundle()  # type: ignore[call-arg]  # it may be left out


def images(name: str, spec: dict[str, Any]) -> dict[str, bytes]:
    """The figure as SVG, PDF and PNG: their contents by file name."""
    drawing = svg(spec)
    return {
        f"{name}.svg": drawing.encode(),
        f"{name}.pdf": vlc.svg_to_pdf(drawing),
        f"{name}.png": vlc.svg_to_png(drawing, ppi=style.PIXELS_PER_INCH),
    }


def svg(spec: dict[str, Any]) -> str:
    """The figure as SVG."""
    return vlc.vegalite_to_svg(_still(spec))


def _still(spec: dict[str, Any]) -> dict[str, Any]:
    """Without zooming, for which each mark would be clipped on its own: ten times as slow."""
    parameters = [one for one in spec.get("params", []) if one.get("bind") != "scales"]
    return {**spec, "params": parameters}
