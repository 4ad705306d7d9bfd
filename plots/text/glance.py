"""Says how fast the link is, in the lines that a reader of a run sees first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from plots.model.benchmark import Benchmark, Sizes
from plots.model.derive import Run
from plots.text import caption, numbers
from plots.text.trust import injected_faults

LABELS = {"h2d": "Host → device", "d2h": "Device → host"}
PHRASES = {"h2d": "to the device", "d2h": "to the host"}


@dataclass(frozen=True)
class Gauge:
    """Holds a rate beside the limits of the link; shares are percent of the link's raw rate."""

    label: str
    rate: str
    text: str  # what is to be said of the rate
    reached: str  # the rate and its part of the link, within a sentence
    share: float
    packet_share: float | None  # what packet headers leave at most
    plain_share: float | None  # what plain cudaMemcpy of pageable memory reaches


@dataclass(frozen=True)
class Glance:
    """Holds the first lines: rates, a sentence about the smallest transfers, and how to read."""

    gauges: list[Gauge]
    small: str
    reading: str


def describe(run: Run) -> Glance | None:
    """Returns the first lines of a run, or None if there is no link to speak of."""
    if run.on_host or injected_faults(run) or not run.link_limit:
        return None
    gauges = [*_one_way(run, run.link_limit), *_both_ways(run, run.link_limit)]
    return Glance(gauges, _describe_small(run), _explain(gauges)) if gauges else None


def _explain(gauges: list[Gauge]) -> str:
    parts = [
        "Frame: the link's raw rate. Bar: pinned memory.",
        "Tick: pageable memory." if any(gauge.plain_share is not None for gauge in gauges) else "",
        "Grey: lost to packet headers, at least."
        if any(gauge.packet_share is not None for gauge in gauges)
        else "",
    ]
    return " ".join(filter(None, parts))


def _copies(run: Run, direction: str, memory: str) -> Sizes:
    return run.plainest("copy", direction=direction, memory=memory, method=None, in_place=False)


def _one_way(run: Run, limit: float) -> Iterator[Gauge]:
    for direction, label in LABELS.items():
        pinned, pageable = (_copies(run, direction, memory) for memory in ("pinned", "pageable"))
        common = set(pinned) & set(pageable) or set(pinned)
        if not common:
            continue
        size = max(common)
        plain = pageable.get(size)
        rates = [_rate(pinned[size]), *([_rate(plain)] if plain else [])]
        texts = numbers.rates(*rates)
        against = f"; {texts[1]} with pageable memory" if plain else ""
        yield Gauge(
            label,
            texts[0],
            f"with pinned memory, {100 * rates[0] / limit:.0f} % of the raw "
            f"{numbers.gb(limit)} GB/s{against} ({numbers.size(size)})",
            f"{texts[0]} {PHRASES[direction]} ({100 * rates[0] / limit:.0f} %)",
            _share(rates[0], limit),
            _share(run.packet_limit[1], limit) if run.packet_limit else None,
            _share(rates[1], limit) if plain else None,
        )


def _both_ways(run: Run, limit: float) -> Iterator[Gauge]:
    sizes = run.plainest("duplex", memory="pinned")
    if not sizes or not (rate := _rate(sizes[max(sizes)])):
        return
    yield Gauge(
        "Both at once",
        numbers.rate(rate),
        f"in total with pinned memory, {50 * rate / limit:.0f} % of the raw "
        f"{numbers.gb(2 * limit)} GB/s both ways ({numbers.size(max(sizes))} each)",
        f"{numbers.rate(rate)} both ways at once ({50 * rate / limit:.0f} %)",
        _share(rate, 2 * limit),
        None,
        None,
    )


def _describe_small(run: Run) -> str:
    parts, names = [], []
    for direction in PHRASES:
        sizes = _copies(run, direction, "pinned")
        if sizes:
            smallest = sizes[min(sizes)]
            size = numbers.size(smallest.bytes or 0)
            parts.append(f"{numbers.time(smallest.ns)} {PHRASES[direction]} ({size})")
            names.append(smallest.strategy)
    if not parts:
        return ""
    strategies = caption.listed([*dict.fromkeys(names)])
    return f"The smallest copies of pinned memory ({strategies}) take {' and '.join(parts)}."


def _rate(benchmark: Benchmark) -> float:
    return benchmark.gb_per_s or 0


def _share(rate: float, limit: float) -> float:
    return round(min(100 * rate / limit, 100), 2)
