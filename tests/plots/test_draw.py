"""Tests that images are compressed and not changed."""

import struct
import zlib

import vl_convert as vlc

from plots.page import draw

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
