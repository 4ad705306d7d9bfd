"""Tests that images become smaller and do not change, and with which fonts they are drawn."""

import os
import re
import struct
import zlib
from xml.etree import ElementTree

import pytest
import synthetic
import vl_convert as vlc

from plots.figures import FIGURES, style
from plots.figures.layout import WIDE
from plots.model.derive import Run
from plots.page import draw, render

DRAWING = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 200" width="300" height="200">'
    '<rect width="300" height="200" fill="#ffffff"/>'
    + "".join(f'<circle cx="{x}" cy="{x % 190}" r="9" fill="#0072b2"/>' for x in range(0, 300, 7))
    + "</svg>"
)


def pixels(png):
    return zlib.decompress(b"".join(data for kind, data in draw._chunks(png) if kind == b"IDAT"))


def others(png):
    return [chunk for chunk in draw._chunks(png) if chunk[0] != b"IDAT"]


def test_a_compressed_image_has_the_same_pixels_and_is_smaller():
    png = vlc.svg_to_png(DRAWING, ppi=144)
    packed = draw.compress(png)
    assert len(packed) < 0.8 * len(png)
    assert packed[:8] == png[:8] == b"\x89PNG\r\n\x1a\n"
    assert pixels(packed) == pixels(png)
    assert others(packed) == others(png)
    assert others(packed)[-1] == (b"IEND", b"")


def test_every_chunk_has_its_checksum():
    packed, place = draw.compress(vlc.svg_to_png(DRAWING)), 8
    while place < len(packed):
        length, kind = struct.unpack_from(">I4s", packed, place)
        data = packed[place + 8 : place + 8 + length]
        (checksum,) = struct.unpack_from(">I", packed, place + 8 + length)
        assert checksum == zlib.crc32(kind + data)
        place += 12 + length


def test_several_chunks_of_pixels_become_one():
    png = vlc.svg_to_png(DRAWING)
    (packed,) = [data for kind, data in draw._chunks(png) if kind == b"IDAT"][:1]
    chunks = list(draw._chunks(png))
    split = png[:8]
    for kind, data in chunks:
        parts = [data[:100], data[100:]] if data is packed or data == packed else [data]
        split += b"".join(draw._chunk(kind, part) for part in parts)
    assert pixels(draw.compress(split)) == pixels(png)
    assert sum(kind == b"IDAT" for kind, _ in draw._chunks(draw.compress(split))) == 1


@pytest.fixture(scope="module")
def drawings():
    """Returns a figure as Vega draws it, and as a file holds it."""
    spec = render.specification(FIGURES["bandwidth"](Run(synthetic.result()), WIDE))
    quiet = {**spec, "config": {**spec["config"], "aria": False}}
    return vlc.vegalite_to_svg(draw._without_zoom(quiet)), draw.picture(spec)


def test_a_drawing_loses_what_changes_nothing(drawings):
    whole, lean = drawings
    description = lean.index("</desc>")
    assert len(lean) - description < 0.8 * len(whole)
    assert not re.search(r"\.\d{4}", lean[description:])
    assert lean.count("font-family") == 1
    texts = [
        ["".join(text.itertext()) for text in ElementTree.fromstring(drawing).findall(".//{*}text")]
        for drawing in drawings
    ]
    assert texts[0] == texts[1] != []


def test_a_lean_drawing_has_the_same_pixels(drawings):
    # Rounding may change how a thousandth of a pixel shines through.
    whole, lean = (pixels(vlc.svg_to_png(drawing)) for drawing in drawings)
    assert len(whole) == len(lean)
    assert sum(a != b for a, b in zip(whole, lean, strict=True)) < len(whole) / 1000


def test_texts_of_a_drawing_stay_as_they_are():
    text = '<text opacity="1">opacity="1" 0.123456 font-family="x"</text>'
    assert draw._without_needless(text, ' font-family="x"') == text.replace(' opacity="1"', "", 1)


def test_what_is_higher_than_a_column_is_not_drawn(monkeypatch):
    monkeypatch.setattr(draw, "picture", lambda spec: pytest.fail("drawn in vain"))
    high = {"hconcat": [{"height": 150}, {"height": draw.WIDEST + 1}], "title": "part"}
    key = {"height": 60, "view": {"stroke": None}}
    low = {"height": draw.WIDEST - 50, "title": "part"}  # too high with the key
    for rows in ([high], [high, high], [low, key]):
        assert draw.column_images("high", {"vconcat": rows}) == {}


def test_a_narrow_drawing_is_not_enlarged_in_a_column():
    narrow = DRAWING.replace('viewBox="0 0 300 200"', 'viewBox="0 0 120 90"').replace(
        '<rect width="300"', '<rect width="120"'
    )
    wide = draw._wide_enough(narrow)
    assert f'viewBox="0 0 {draw.NARROWEST} 90"' in wide
    assert f'<rect width="{draw.NARROWEST}"' in wide  # the paper, not only its left
    in_inches = draw.resize(wide, 1, "in")
    assert 'width="3.3in"' in in_inches
    as_wide_as_a_column = DRAWING.replace("300 200", "360 200")
    assert draw._wide_enough(as_wide_as_a_column) == as_wide_as_a_column


FONTS = "FONTCONFIG_FILE"


def test_processes_that_draw_know_no_font_but_their_own():
    (fonts,) = render.in_processes(1, os.getenv, [(FONTS, "µ → ½ × − “Söhne” Ж")])
    assert fonts == str(draw.NO_FONTS)
    assert draw.NO_FONTS.is_file()


@pytest.mark.parametrize("text", ["大", "⚠", "✓", "\U0001f600"])
def test_letters_that_this_font_lacks_come_from_the_system(text):
    assert not draw.draws_all_letters([{"title": text}])
    (fonts,) = render.in_processes(1, os.getenv, [(FONTS, text)])
    assert fonts in (os.environ.get(FONTS), text)


def test_their_own_font_has_letters_and_signs():
    def drawing(text):
        mark = f'<text x="9" y="99" font-family="{style.FONT}">{text}</text></svg>'
        return DRAWING.replace("</svg>", mark)

    texts = ["\u0378", "M", "é", "µ", "→", "½", "−", "…", "“", "Ж", "≤"]  # the first is no letter
    assert draw.draws_all_letters(texts)
    box, *letters = render.in_processes(1, vlc.svg_to_png, [(drawing(text),) for text in texts])
    assert len({box, vlc.svg_to_png(DRAWING), *letters}) == len(texts) + 1
