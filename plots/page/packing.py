"""Packs data for the page, which would be too large to be sent otherwise."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

DIGITS = 4  # of the numbers that the page shows


def as_json(data: Any) -> str:
    """Writes data without blanks."""
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def pack(text: str) -> str:
    """Compresses a text as letters and digits, which end no script element."""
    return base64.b64encode(gzip.compress(text.encode(), mtime=0)).decode()


def rounded(value: float, digits: int = DIGITS) -> float | int:
    """Keeps as many digits as are shown."""
    short = float(f"{value:.{digits}g}")
    return int(short) if short.is_integer() else short
