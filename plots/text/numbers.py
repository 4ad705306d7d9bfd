"""Formats numbers with the digits that `gate_transfers show` prints.

The rules are those of src/gate/report/figures.cpp; a test compares both. Negative numbers have a
true minus here. Formats for programs have their own (`plain_digits`).
"""

from __future__ import annotations

import math
import re

TIME_UNITS = ("ns", "µs", "ms", "s")
BYTE_RATES = ("B/s", "kB/s", "MB/s", "GB/s")
MINUS, NO_BREAK = "\N{MINUS SIGN}", "\N{NO-BREAK SPACE}"
UNIT = r"(?:%|[kMG]?B/s|[KMG]iB|[kMG]?B|s/GB|[nµm]?s|[kMG]?Hz|GT/s|°C|W)(?![\w/])"
# The blanks at which a line must not end: before a unit, and before and within an interval.
BOUND = re.compile(rf" (?:(?<=[\d⁹] )(?={UNIT})|(?=\[[+{MINUS}]?\d)|(?=[+{MINUS}]?[\d.]+×?\]))")


def bind(text: str) -> str:
    """Returns a text for a page, whose lines do not end between a number and its unit."""
    return BOUND.sub(NO_BREAK, text)


def digits(value: float) -> str:
    """Formats with four significant digits, and with an exponent only for extreme values."""
    return with_minus(plain_digits(value))


def with_minus(text: str) -> str:
    """Returns a number with a true minus instead of a hyphen."""
    return MINUS + text[1:] if text.startswith("-") else text


def plain_digits(value: float) -> str:
    """Formats like `digits`, for programs: a minus is a hyphen."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e6 or size < 1e-3:
        return f"{value:.3e}"
    for least, decimals in ((999.95, 0), (99.995, 1), (9.9995, 2)):
        if size >= least:
            return f"{value:.{decimals}f}"
    return f"{value:.3f}"


def time(nanoseconds: float) -> str:
    """Formats a time with its unit."""
    return _in_unit(nanoseconds, TIME_UNITS)


def short_time(nanoseconds: float) -> str:
    """Formats a time with three digits, for labels in figures."""
    unit, factor = _unit(nanoseconds, TIME_UNITS)
    return f"{_three_digits(nanoseconds / factor)} {unit}"


def rate(gb_per_s: float) -> str:
    """Formats a bandwidth with its unit."""
    return _in_unit(gb_per_s * 1e9, BYTE_RATES)


def gb(gb_per_s: float) -> str:
    """Formats a bandwidth in GB/s, where the unit stands elsewhere."""
    return f"{gb_per_s:.1f}" if abs(gb_per_s) >= 0.9995 else _three_digits(gb_per_s)


def rates(*gb_per_s: float) -> list[str]:
    """Formats bandwidths that stand in one line: all with the unit of the largest."""
    unit, factor = _unit(max(gb_per_s) * 1e9, BYTE_RATES)
    return [f"{_at_least_three_digits(value * 1e9 / factor)} {unit}" for value in gb_per_s]


def rate_in_interval(gb_per_s: float, low: float, high: float) -> str:
    """Formats a bandwidth and its interval, which has the same unit."""
    unit, factor = _unit(gb_per_s * 1e9, BYTE_RATES)
    ends = [
        gb(end) if unit == BYTE_RATES[-1] else _three_digits(end * 1e9 / factor)
        for end in (low, high)
    ]
    return f"{rate(gb_per_s)} [{', '.join(ends)}]"


def change(part: float) -> str:
    """Formats what two medians differ by, as a part of the second one, in whole percent."""
    if not 100 * part < 9999.5:
        return _percent(part, "+")
    text = f"{100 * part:+.0f} %"
    return "0 %" if text[1:] == "0 %" else with_minus(text)


def percent(part: float) -> str:
    """Formats a part of one as a percentage with three digits."""
    return _percent(part, "")


def detectable(part: float | None) -> str:
    """Formats a slowdown that the gate would find, as the gate does."""
    if part is None:
        return "-"
    return percent(part) if part <= 1 else "> 100 %"


def signed_percent(part: float) -> str:
    """Formats a part of one as a percentage with three digits and a sign."""
    return _percent(part, "+")


def probability(p: float) -> str:
    """Formats a p-value."""
    if p < 1e-4:
        return "<0.0001"
    return f"{p:.2g}" if p < 0.0995 else f"{p:.2f}"


def quantity(value: float, unit: str) -> str:
    """Formats a value of a metric with its unit."""
    if unit == "ns":
        return time(value)
    if unit == "GB/s":
        return rate(value)
    if unit == "B":
        return size(value)
    return digits(value) if unit in ("", "1") else f"{digits(value)} {unit}"


def quantity_by_key(value: float, key: str) -> str:
    """Formats a value that is no metric, with the unit that the key's ending implies."""
    if key in ("real_time", "cpu_time") or key.endswith("_ns"):
        return time(value)
    if key.endswith("gb_per_s"):
        return rate(value)
    if key == "bytes_per_second":
        return _in_unit(value, BYTE_RATES)
    if key.endswith(("_per_second", "_per_s")):
        return _in_unit(value, ("/s", "k/s", "M/s", "G/s"))
    return f"{digits(value)} %" if key.endswith("_percent") else digits(value)


def size(count: float) -> str:
    """Formats a size in the largest binary unit that it reaches."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if count >= factor:
            value = count / factor
            return f"{value:.0f} {unit}" if value == int(value) else f"{value:.3g} {unit}"
    return f"{count:.0f} B"


def times(factor: float) -> str:
    """Formats a factor with two or three digits."""
    return f"{factor:.2f}×" if factor < 9.95 else f"{factor:.0f}×"


def _in_unit(value: float, units: tuple[str, ...]) -> str:
    """Uses the first unit that leaves less than a thousand; each is 1000 times the one before."""
    unit, factor = _unit(value, units)
    return f"{digits(value / factor)} {unit}"


def _unit(value: float, units: tuple[str, ...]) -> tuple[str, int]:
    for i, unit in enumerate(units[:-1]):
        if abs(value) < 999.95 * 1000**i:
            return unit, 1000**i
    return units[-1], 1000 ** (len(units) - 1)


def _three_digits(value: float) -> str:
    """Formats with three significant digits, and never with an exponent."""
    if value == 0:
        return "0"
    before = math.floor(math.log10(abs(value)))
    return f"{value:.{min(max(0, 2 - before), 12)}f}"


def span(low: float, high: float, decimals: int = 1) -> str:
    """Returns a range with a dash, or one number if both ends look the same."""
    return "–".join(dict.fromkeys(f"{end:.{decimals}f}" for end in (low, high)))


def _at_least_three_digits(value: float) -> str:
    return digits(value) if abs(value) >= 0.9995 else _three_digits(value)


def _percent(part: float, sign: str) -> str:
    value = 100 * part
    if not value < 9999.5:
        return ("×" if sign else "a factor of ") + digits(1 + part)
    if abs(value) < 0.005:
        value = 0.0  # it is shown as zero, which has no minus
    decimals = 2 if abs(value) < 9.995 else 1 if abs(value) < 99.95 else 0
    return with_minus(f"{value:{sign}.{decimals}f} %")
