"""Draws in processes of their own, which import no more than that needs: they start at once."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
from typing import Any
from xml.sax.saxutils import escape

import vl_convert as vlc

PIXELS_PER_INCH = 200
PR_SET_PDEATHSIG = 1  # prctl(2)


def bundle() -> str:
    """Returns Vega, Vega-Lite and vega-embed as one script."""
    return vlc.javascript_bundle()  # type: ignore[call-arg]  # it may be left out


def follow_parent() -> None:
    """Makes this process end when its parent ends, and leaves interruptions to the parent."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is None or os.getppid() != parent.pid:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Where memory is short, V8 prints its stack. The parent says what is the matter.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def images(name: str, spec: dict[str, Any]) -> dict[str, bytes]:
    """Renders a figure as SVG, PDF and PNG, and returns their contents by file name."""
    drawing = svg(spec)
    return {
        f"{name}.svg": drawing.encode(),
        f"{name}.pdf": vlc.svg_to_pdf(drawing),
        f"{name}.png": vlc.svg_to_png(drawing, ppi=PIXELS_PER_INCH),
    }


def svg(spec: dict[str, Any]) -> str:
    """Renders a figure as SVG, and adds title and description, which Vega leaves out of files."""
    root, _, content = vlc.vegalite_to_svg(_without_zoom(spec)).partition(">")
    title, description = escape(" ".join(spec["title"]["text"])), escape(spec["description"])
    return f"{root}><title>{title}</title><desc>{description}</desc>{content}"


def _without_zoom(spec: dict[str, Any]) -> dict[str, Any]:
    """Removes zooming, for which Vega would clip each mark: ten times as slow."""
    parameters = [
        parameter for parameter in spec.get("params", []) if parameter.get("bind") != "scales"
    ]
    return {**spec, "params": parameters}
