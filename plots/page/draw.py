"""Draws in processes of their own, which import no more than that needs: they start at once."""

from __future__ import annotations

import ctypes
import json
import multiprocessing
import os
import re
import signal
import struct
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import vl_convert as vlc

PIXELS_PER_INCH = 144  # two for each of the page
COLUMN_INCHES = 3.3  # of a paper with two columns
POINTS_PER_INCH = 72  # of PDF
WIDEST = 400  # pixels, of a column and a little more: what is higher does not fit
NARROWEST = 340  # pixels, of a column
ROOM_AROUND = 60  # pixels: more than the margin and the axis of a key
VIEW_BOX = re.compile(r'<svg [^>]*viewBox="([^"]*)"')
SIZE = re.compile(r'(<svg [^>]*?)width="[^"]*" height="[^"]*"')
SIGNATURE_BYTES = 8  # at the beginning of a PNG
PIXELS = b"IDAT"
TAG = re.compile(r"<[^>]+>")  # Vega escapes > in values
# What Vega writes for groups without a frame, and for each mark, although it changes nothing.
NOTHING = re.compile(r'<path class="(?:background|foreground)"[^>]* d="(?:M0,0h0v0h0Z)?"[^>]*/>')
NEEDLESS = re.compile(r' (?:opacity="1"|pointer-events="none"|aria-hidden="true")')
LONG_NUMBER = re.compile(r"-?\d+\.\d{4,}")
FONT_FAMILY = re.compile(r' font-family="[^"]*"')
# What Liberation Sans, which vl-convert brings, may lack: all but Latin, Greek, Cyrillic and signs.
OTHER_LETTER = re.compile("[^\n -\u024f\u0370-\u045f–—‘’“”…→−≈≤≥]")
NO_FONTS = Path(__file__).with_name("no_fonts.conf")
PHONE = "-phone"  # the end of the name of a form that is only in the page
COMPOSITIONS = ("vconcat", "hconcat", "layer")
PNG_LEVEL = 8  # 9 takes more than twice as long and saves 1 %
PR_SET_PDEATHSIG = 1  # prctl(2)


def bundle() -> str:
    """Returns Vega, Vega-Lite and vega-embed as one script."""
    return vlc.javascript_bundle()  # type: ignore[call-arg]  # it may be left out


def draws_all_letters(specs: Iterable[Any]) -> bool:
    """Tells whether the font that vl-convert brings has all letters of the specifications."""
    return not any(OTHER_LETTER.search(json.dumps(spec, ensure_ascii=False)) for spec in specs)


def begin(own_font: bool) -> None:
    """Prepares this process, before anything is drawn.

    Figures look the same on each machine if no other font is known. Fonts of the system would be
    opened for each letter, too: a fifth of a report's time.
    """
    if own_font:
        os.environ["FONTCONFIG_FILE"] = str(NO_FONTS)
    follow_parent()


def follow_parent() -> None:
    """Makes this process end when its parent ends, and leaves interruptions to the parent."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is None or os.getppid() != parent.pid:
        os._exit(1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Where memory is short, V8 prints its stack. The parent says what is the matter.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def images(
    name: str, wide: dict[str, Any], paper: dict[str, Any], phone: dict[str, Any] | None = None
) -> dict[str, bytes]:
    """Renders a figure for a page and a paper, and returns the contents of their files by name.

    The form for a phone is no file of its own; it is rendered if it is given.
    """
    drawing = picture(wide)
    files = {
        f"{name}.svg": drawing.encode(),
        f"{name}.pdf": vlc.svg_to_pdf(drawing),
        f"{name}.png": compress(vlc.svg_to_png(drawing, ppi=PIXELS_PER_INCH)),
        **column_images(name, paper),
    }
    return files | ({name + PHONE: picture(phone).encode()} if phone else {})


def column_images(name: str, spec: dict[str, Any]) -> dict[str, bytes]:
    """Renders a figure for a column of a paper, without titles: whole or, if too high, in parts.

    A part that is still too high is left out. Papers take PDF or SVG, so there are no PNGs.
    """
    parts = split(spec)
    promising = [part for part in parts if _height(part) <= WIDEST]
    drawings = [_wide_enough(picture(part)) for part in promising]
    if len(drawings) > 1 and promising == parts and _may_fit(spec, drawings):
        whole = _wide_enough(picture(_without_titles(spec)))
        drawings = [whole] if fits(whole) else drawings
    drawings = list(filter(fits, drawings))
    files: dict[str, bytes] = {}
    for i, drawing in enumerate(drawings, start=1):
        part = f"{name}-column" if len(drawings) == 1 else f"{name}-column-{i}"
        in_points = resize(drawing, POINTS_PER_INCH, "")
        files |= {
            f"{part}.svg": resize(drawing, 1, "in").encode(),
            f"{part}.pdf": vlc.svg_to_pdf(in_points),
        }
    return files


def compress(png: bytes) -> bytes:
    """Compresses the pixels of a PNG again: vl-convert is quick, and its files 2.5 times as large.

    Pixels and every other chunk stay as they are.
    """
    chunks = list(_chunks(png))
    packed = b"".join(data for kind, data in chunks if kind == PIXELS)
    pixels = _chunk(PIXELS, zlib.compress(zlib.decompress(packed), PNG_LEVEL))
    first = next(i for i, (kind, _) in enumerate(chunks) if kind == PIXELS)
    before = [_chunk(*chunk) for chunk in chunks[:first]]
    after = [_chunk(kind, data) for kind, data in chunks[first:] if kind != PIXELS]
    return b"".join([png[:SIGNATURE_BYTES], *before, pixels, *after])


def _chunks(png: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yields the kind and the data of each chunk of a PNG."""
    place = SIGNATURE_BYTES
    while place < len(png):
        length, kind = struct.unpack_from(">I4s", png, place)
        yield kind, png[place + 8 : place + 8 + length]
        place += 12 + length  # with its checksum


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I4s", len(data), kind) + data + struct.pack(">I", zlib.crc32(kind + data))


def split(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Splits a figure into its rows of panels, each with the key if there is one."""
    rows = _rows(spec)
    key = rows[-1:] if len(rows) > 1 and _is_key(rows[-1]) else []
    return [
        {**_without_titles(spec), "vconcat": [row, *key]} for row in rows[: len(rows) - len(key)]
    ]


def _rows(spec: dict[str, Any]) -> list[dict[str, Any]]:
    """Returns what stands below each other."""
    if "vconcat" not in spec:
        return [spec]
    return [row for part in spec["vconcat"] for row in _rows(part)]


def _is_key(part: dict[str, Any]) -> bool:
    """Tells whether it is a key: it has neither title nor frame."""
    return "title" not in part and part.get("view", {"stroke": ""}).get("stroke", "") is None


def _without_titles(spec: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in spec.items() if key != "title"}


def fits(drawing: str) -> bool:
    """Tells whether a drawing, as wide as a column, is no higher than wide."""
    _, _, width, height = _view_box(drawing)
    return height <= width


def _may_fit(spec: dict[str, Any], parts: list[str]) -> bool:
    """Tells whether the whole may be no higher than wide, so that drawing it may be worth while.

    The whole has one key where each part has its own.
    """
    sizes = [_view_box(part)[2:] for part in parts]
    *_, last = _rows(spec)
    key = (_height(last) if _is_key(last) else 0) + ROOM_AROUND
    height = sum(high for _, high in sizes) - key * (len(parts) - 1)
    return height <= max(wide for wide, _ in sizes)


def _height(part: dict[str, Any]) -> float:
    """Returns the height that panels need at least."""
    beside = [_height(panel) for panel in part.get("hconcat", [])]
    below = sum(_height(row) for row in part.get("vconcat", []))
    return max(float(part.get("height", 0)), *beside, below)


def _wide_enough(drawing: str) -> str:
    """Leaves a narrow drawing room on its right: in a column its texts would become too large."""
    x, y, width, height = _view_box(drawing)
    if width >= NARROWEST:
        return drawing
    paper = drawing.replace(f'<rect width="{width:g}"', f'<rect width="{NARROWEST}"', 1)
    return VIEW_BOX.sub(
        lambda found: found[0].replace(found[1], f"{x:g} {y:g} {NARROWEST} {height:g}"), paper, 1
    )


def resize(drawing: str, per_inch: float, unit: str) -> str:
    """Sets the size of a drawing to the width of a column."""
    _, _, width, height = _view_box(drawing)
    inches = COLUMN_INCHES, COLUMN_INCHES * height / width
    wide, high = (f"{number * per_inch:.6g}{unit}" for number in inches)
    return SIZE.sub(rf'\g<1>width="{wide}" height="{high}"', drawing, count=1)


def _view_box(drawing: str) -> tuple[float, ...]:
    found = VIEW_BOX.search(drawing)
    assert found
    return tuple(map(float, found[1].split()))


def svg(spec: dict[str, Any]) -> str:
    """Renders a figure as SVG, and adds title and description, which Vega leaves out of files."""
    root, _, content = vlc.vegalite_to_svg(_without_zoom(spec)).partition(">")
    heading, _, _ = spec["description"].partition(". ")
    title = " ".join(spec["title"]["text"]) if "title" in spec else heading
    description = escape(spec["description"])
    family = FONT_FAMILY.search(content)
    root += family[0] if family else ""
    lean = _without_needless(content, family[0] if family else "")
    return f"{root}><title>{escape(title)}</title><desc>{description}</desc>{lean}"


def _without_needless(content: str, family: str) -> str:
    """Removes a third of a drawing: what changes nothing, and digits that nobody can see."""

    def shorten(tag: re.Match[str]) -> str:
        short = NEEDLESS.sub("", tag[0])
        short = short.replace(family, "") if family else short
        return LONG_NUMBER.sub(lambda number: f"{float(number[0]):.3f}", short)

    return TAG.sub(shorten, NOTHING.sub("", content))


def picture(spec: dict[str, Any]) -> str:
    """Renders a figure as SVG without texts for each mark, which would be half of it."""
    return svg({**spec, "config": {**spec.get("config", {}), "aria": False}})


def _without_zoom(spec: dict[str, Any]) -> dict[str, Any]:
    """Removes zooming, for which Vega would clip each mark: ten times as slow."""
    kept = {
        key: [_without_zoom(part) for part in value] if key in COMPOSITIONS else value
        for key, value in spec.items()
    }
    if "params" in spec:
        kept["params"] = [one for one in spec["params"] if one.get("bind") != "scales"]
    return kept
