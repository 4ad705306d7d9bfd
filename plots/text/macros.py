"""Writes the numbers of a run as LaTeX macros, so that papers cite them without copying."""

from __future__ import annotations

import re

from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.text import caption, latex, numbers

DIGITS = ("Zero", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")
ENDS, COUNT = ("", "Low", "High"), "N"  # of the names of macros
NOTE = (
    "% Low and High: 95 % interval between processes, where several have measured; N: number of "
    "repetitions."
)
DIRECTION_NAMES = {"h2d": "HtoD", "d2h": "DtoH"}


def format_macros(run: Run, number: int | None) -> str:
    """Returns a macro for each number: without units, which comments name.

    Macros of a run that is numbered have its number in their names.
    """
    of_run = "" if number is None else f"Run{_letters(str(number))}"
    lines = [
        NOTE,
        _macro(f"transfers{of_run}Device", latex.escape(caption.device_name(run)), ""),
        _macro(f"transfers{of_run}Date", latex.escape(caption.date(run.result)), ""),
    ]
    if run.link_limit:
        lines.append(_macro(f"linkLimit{of_run}", latex.number(run.link_limit), "GB/s, raw"))
    series = {benchmark.label: benchmark for benchmark in run.transfers}
    defined: set[str] = set()
    for benchmark in series.values():
        name = of_run + _letters(benchmark.strategy) + DIRECTION_NAMES[benchmark.direction]
        if name in defined:  # another variant in the same direction
            name += _letters(benchmark.variant or "")
        if name not in defined:
            defined |= {name + end for end in (*ENDS, COUNT)}
            lines += _of_series(name, list(run.sizes(benchmark).values()))
    both_ways = run.plainest("duplex", memory="pinned")
    largest = both_ways[max(both_ways)] if both_ways else None
    if largest and largest.gb_per_s:
        size = f"{numbers.size(largest.size_bytes or 0)} of pinned memory each"
        lines += _of_rate(f"bandwidth{of_run}BothWays", largest, f"GB/s, {size}")
    return "".join(f"{line}\n" for line in lines)


def _of_series(name: str, benchmarks: list[Benchmark]) -> list[str]:
    """Returns the bandwidth at the largest size, and the time at the smallest one."""
    small, *_, large = sorted([*benchmarks, *benchmarks], key=lambda each: each.bytes or 0)
    times = [small.ns, *(small.time_interval or ())]
    return [
        *_of_rate(f"bandwidth{name}", large, f"GB/s at {numbers.size(large.bytes or 0)}"),
        *_of_benchmark(
            f"latency{name}",
            [ns / 1000 for ns in times],
            small,
            f"microseconds at {numbers.size(small.bytes or 0)}",
        ),
    ]


def _of_rate(name: str, benchmark: Benchmark, meaning: str) -> list[str]:
    rates = [benchmark.gb_per_s or 0.0, *(benchmark.rate_interval or ())]
    return _of_benchmark(name, rates, benchmark, meaning)


def _of_benchmark(name: str, values: list[float], benchmark: Benchmark, meaning: str) -> list[str]:
    """Returns macros of a value, of the ends of its interval if they follow it, and of n."""
    return [
        *(
            _macro(f"{name}{end}", latex.number(value), meaning)
            for end, value in zip(ENDS, values, strict=False)
        ),
        _macro(f"{name}{COUNT}", str(benchmark.repetitions), "repetitions"),
    ]


def _macro(name: str, value: str, meaning: str) -> str:
    return rf"\newcommand{{\{name}}}{{{value}}}" + (f" % {meaning}" if meaning else "")


def _letters(name: str) -> str:
    """Returns a name as a part of a macro's, which has letters only."""
    words = re.findall(r"[A-Za-z]+|[0-9]", name)
    return "".join(DIGITS[int(w)] if w.isdigit() else w[:1].upper() + w[1:] for w in words)
