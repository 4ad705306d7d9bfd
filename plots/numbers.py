"""Numbers as text, with the digits that `gate_transfers show` prints.

The rules are those of src/gate/wording.cpp; a test compares both.
"""

from __future__ import annotations


def digits(value: float) -> str:
    """Four significant digits, without an exponent as long as that stays short."""
    size = abs(value)
    if size >= 1e6 or size < 1e-3:
        return f"{value:.3e}"
    for least, decimals in ((999.95, 0), (99.995, 1), (9.9995, 2)):
        if size >= least:
            return f"{value:.{decimals}f}"
    return f"{value:.3f}"


def time(nanoseconds: float) -> str:
    """A time with its unit."""
    for limit, factor, unit in ((999.95, 1.0, "ns"), (999.95e3, 1e3, "µs"), (999.95e6, 1e6, "ms")):
        if nanoseconds < limit:
            return f"{digits(nanoseconds / factor)} {unit}"
    return f"{digits(nanoseconds / 1e9)} s"


def rate(gb_per_s: float) -> str:
    """A bandwidth with its unit."""
    return f"{digits(gb_per_s)} GB/s"


def percent(part: float) -> str:
    """A part of 1 as three digits of a percentage."""
    value = 100 * part
    if not value < 9999.5:
        return "> 9999 %"
    decimals = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return f"{value:.{decimals}f} %"


def size(count: float) -> str:
    """A size in the largest unit that leaves a whole number, otherwise with three digits."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= factor:
            value = count / factor
            return f"{value:.0f} {unit}" if value == int(value) else f"{value:.3g} {unit}"
    return f"{count:.0f} B"


def times(factor: float) -> str:
    """How many times as much, with two or three digits."""
    return f"{factor:.2f}×" if factor < 9.95 else f"{factor:.0f}×"
