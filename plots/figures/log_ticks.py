"""Chooses the ticks of logarithmic axes."""

from __future__ import annotations

import math

from plots.text import numbers

SIZE_STEPS = (1, 2, 3, 4, 5, 10, 20)  # between exponents of two
LEAST_TICKS, MOST_TICKS = 2, 8  # of an axis that can be read
LETTER, TICK_GAP = 5.4, 6  # pixels: of a letter of a tick's label, and between two labels
SIZE_LABEL = (
    "datum.value >= 1073741824 ? datum.value / 1073741824 + ' GiB'"
    " : datum.value >= 1048576 ? datum.value / 1048576 + ' MiB'"
    " : datum.value >= 1024 ? datum.value / 1024 + ' KiB'"
    " : datum.value + ' B'"
)


def size_ticks(low: float, high: float, width: float = math.inf) -> list[int]:
    """Returns powers of two in [low, high], evenly spaced on a logarithmic axis of so many pixels.

    They are as many as have room. They are round: with nearly all steps 1 MiB is among them.
    """
    first, last = math.ceil(math.log2(low)), math.floor(math.log2(high))
    for step in SIZE_STEPS:
        exponents = range(-(-first // step) * step, last + 1, step)
        longest = max((len(numbers.size(2**exponent)) for exponent in exponents), default=0)
        room = width * step / math.log2(high / low)
        if len(exponents) <= MOST_TICKS and LETTER * longest + TICK_GAP <= room:
            break
    if len(exponents) < LEAST_TICKS:
        exponents = range(first, last + 1, max(1, last - first))
    return [2**exponent for exponent in exponents]


def decades(low: float, high: float) -> tuple[list[float], list[float]]:
    """Returns the domain of a logarithmic axis around [low, high], and its powers of ten."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    powers = [10.0**exponent for exponent in range(first, max(last, first + 1) + 1)]
    domain = [low / 1.5, high * 1.5]
    inside = [power for power in powers if domain[0] <= power <= domain[1]]
    return (domain, inside) if len(inside) > 1 else ([powers[0], powers[-1]], powers)


def one_two_five(low: float, high: float) -> list[float]:
    """Returns the ticks 1, 2, 5, 10, ... of a logarithmic axis from low to high."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [float(f"{digit}e{exponent}") for exponent in exponents for digit in (1, 2, 5)]
    return [tick for tick in ticks if low <= tick <= high]
