"""Unpacks gzip as the programs do (src/common/gzip.cpp), with nothing else behind it."""

from __future__ import annotations

import zlib

MAGIC = b"\x1f\x8b"
GZIP_ONLY = 16 + zlib.MAX_WBITS
CHUNK_BYTES = 4096  # small: what a member leaves of its last one is copied


def is_packed(data: bytes) -> bool:
    """Tells whether these bytes begin like a gzip file."""
    return data.startswith(MAGIC)


def unpacked(data: bytes, most_bytes: int) -> bytes:
    """Unpacks all members; stops beyond `most_bytes`. Raises zlib.error, also if it is cut off."""
    text = bytearray()
    position = 0
    while position < len(data) and len(text) <= most_bytes:
        if not data.startswith(MAGIC, position):
            raise zlib.error("something else follows the compressed text")
        position = _unpack_member(data, position, text, most_bytes)
    return bytes(text)


def _unpack_member(data: bytes, position: int, text: bytearray, most_bytes: int) -> int:
    """Adds the text of the member that begins at `position`, and returns where it ends."""
    stream = zlib.decompressobj(GZIP_ONLY)
    rest = b""
    while not stream.eof and len(text) <= most_bytes:
        if not rest:
            rest = data[position : position + CHUNK_BYTES]
            position += len(rest)
        if not rest:
            raise zlib.error("it is cut off")
        text += stream.decompress(rest, most_bytes + 1 - len(text))
        rest = stream.unconsumed_tail
    return position - len(stream.unused_data)
