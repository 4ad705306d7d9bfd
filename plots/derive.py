"""What figures, tables and sentences are made from: medians over the repetitions of a result.

What `gate_transfers` and `bench_transfers advise` own (verdicts, fitted lines, who wins) is not
derived here: it comes from their answers, see programs.py.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median, quantiles
from typing import Any, TypeGuard

from plots import numbers, style
from plots.load import Result
from plots.programs import Advice

DIRECTIONS = {
    "h2d": "host → device",
    "read": "host → device",
    "d2h": "device → host",
    "write": "device → host",
}
NOTHING_TO_ADVISE = "without a GPU there is nothing to advise"
SIZE = re.compile(r"^[0-9]{1,12}(B|KiB|MiB|GiB)$")
LONGEST_NAME = 200
LEAST, MOST = 1e-18, 1e18  # beyond these are damaged files, and logarithms that fail


class NoData(Exception):
    """A figure that cannot be drawn from this run; the message says what is missing."""


@dataclass(frozen=True)
class Benchmark:
    """One benchmark: its name in parts, and the rows of its repetitions.

    A name is strategy/variant/size, where strategy may have several parts, and `/cold`. What
    moves no data has no size, and then all of the name is its strategy.
    """

    name: str
    strategy: str
    variant: str
    bytes: int | None
    cold: bool
    rows: list[dict[str, Any]] = field(repr=False)

    @property
    def family(self) -> str:
        """The first part of the name."""
        return self.name.split("/")[0]

    @property
    def direction(self) -> str | None:
        """Which way the data go, for what moves them in one direction."""
        return DIRECTIONS.get(self.variant)

    @property
    def repetitions(self) -> int:
        """How many times it was measured."""
        return len(self.rows)

    def values(self, counter: str) -> list[float]:
        """A counter in each repetition that has it as a number above zero."""
        return [row[counter] for row in self.rows if is_positive(row.get(counter))]

    def get(self, counter: str) -> float | None:
        """The median of a counter over the repetitions."""
        values = self.values(counter)
        return median(values) if values else None

    @property
    def ns(self) -> float:
        """The time of one operation."""
        return median(self.values("median_ns"))

    @property
    def gb_per_s(self) -> float | None:
        """The bandwidth: that of `ns`, so that time and bandwidth of a row always agree."""
        return self.bytes / self.ns if self.bytes else None

    @property
    def middle_half(self) -> float:
        """How far the quartiles of the repetitions lie apart, as a part of the median.

        Unlike the range it does not grow with the number of repetitions.
        """
        lower, middle, upper = quantiles(self.values("median_ns"), n=4, method="inclusive")
        return (upper - lower) / middle

    @property
    def spread(self) -> float:
        """How far the fastest and the slowest repetition lie apart, as a part of the median."""
        times = self.values("median_ns")
        return (max(times) - min(times)) / median(times)


@dataclass(frozen=True)
class Point:
    """One strategy in one direction at one size: medians over the repetitions.

    `low` and `high` are those of the fastest and of the slowest repetition.
    """

    strategy: str
    family: str
    memory: str
    variant: str
    direction: str
    bytes: int
    repetitions: int
    time_us: float
    time_us_low: float
    time_us_high: float
    gb_per_s: float
    gb_per_s_low: float
    gb_per_s_high: float
    size: str
    time: str
    rate: str
    spread: str


@dataclass(frozen=True)
class Run:
    """One result file, ready for figures: its benchmarks, and what `advise` says of it."""

    result: Result
    advice: Advice = field(default_factory=Advice)

    @cached_property
    def benchmarks(self) -> list[Benchmark]:
        """Those that were measured, in the order of their names."""
        rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in self.result.rows:
            name = str(row.get("name"))
            if can_be_shown(name) and not is_failed(row) and is_positive(row.get("median_ns")):
                rows[name].append(row)
        return sorted((_benchmark(*item) for item in rows.items()), key=_name_order)

    @cached_property
    def left_out(self) -> int:
        """How many benchmarks have names that cannot be shown."""
        return len(
            {name for row in self.result.rows if not can_be_shown(name := str(row.get("name")))}
        )

    @cached_property
    def failed(self) -> list[str]:
        """The names of benchmarks that reported an error."""
        return sorted({str(row.get("name")) for row in self.result.rows if is_failed(row)})

    @cached_property
    def transfers(self) -> list[Benchmark]:
        """Plain transfers, family/memory/variant/size, with warm caches."""
        return [one for one in self.benchmarks if is_transfer(one.name) and is_whole(one)]

    def find(self, name: str) -> Benchmark | None:
        """A benchmark by its whole name."""
        return self._by_name.get(name)

    def sizes(self, prefix: str) -> dict[int, Benchmark]:
        """The benchmarks with warm caches called prefix/size, by size."""
        return self._by_prefix.get(prefix, {})

    def largest(self, prefix: str) -> Benchmark | None:
        """The benchmark called prefix/size with the largest size."""
        sizes = self.sizes(prefix)
        return sizes[max(sizes)] if sizes else None

    @cached_property
    def _by_name(self) -> dict[str, Benchmark]:
        return {one.name: one for one in self.benchmarks}

    @cached_property
    def _by_prefix(self) -> dict[str, dict[int, Benchmark]]:
        found: dict[str, dict[int, Benchmark]] = defaultdict(dict)
        for one in self.benchmarks:
            if one.bytes and not one.cold:
                prefix = "/".join(filter(None, (one.strategy, one.variant)))
                found[prefix][named_bytes(one.name)] = one
        return found

    @property
    def on_host(self) -> bool:
        """Whether there was no GPU: copies within this machine's memory."""
        return mapping(self.result.transfers, "device").get("kind") != "cuda"

    @property
    def link_limit(self) -> float | None:
        """The link's data rate in GB/s after line coding."""
        limit = mapping(self.result.transfers, "link").get("limit_gb_per_s")
        return limit if is_positive(limit) else None

    @property
    def packet_limit(self) -> tuple[float, float] | None:
        """What packet headers leave of it, in GB/s: with little and with much luck."""
        limits = mapping(self.result.transfers, "link").get("packet_limit_gb_per_s")
        if isinstance(limits, list) and limits and all(map(is_positive, limits)):
            return min(limits), max(limits)
        return None


def transfer_points(run: Run) -> list[Point]:
    """The points in drawing order; failed and cold-cache rows are left out."""
    points = [_point(one) for one in run.transfers]
    if not points:
        raise NoData("no plain transfers with warm caches were measured")
    return sorted(points, key=_drawing_order)


def is_transfer(name: str) -> bool:
    """Whether a benchmark, family/memory/variant/..., belongs into the figures of transfers."""
    parts = name.split("/")
    known = len(parts) >= 3 and parts[2] in DIRECTIONS
    return known and name.isprintable()


def is_cold(name: str) -> bool:
    """Whether a benchmark runs with a cold cache: family/memory/variant/size/cold."""
    return "cold" in name.split("/")[4:]


def can_be_shown(name: str) -> bool:
    """Whether the name of a benchmark is one that a program means."""
    return name.isprintable() and len(name) <= LONGEST_NAME


def is_whole(one: Benchmark) -> bool:
    """Whether it has all that the figures of transfers show, with warm caches."""
    return bool(one.bytes and not one.cold)


def is_failed(row: dict[str, Any]) -> bool:
    """Whether the benchmark reported an error instead of times, as `gate_transfers` reads it."""
    flags = (row.get("error_occurred"), row.get("skipped"))
    texts = (row.get("error_message"), row.get("skip_message"))
    return any(flag is True for flag in flags) or any(texts)


def is_positive(value: Any) -> TypeGuard[float]:
    """Whether a value from a result file is a number above zero, of a size that can be meant."""
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and LEAST < value < MOST


def mapping(value: Any, key: str) -> dict[str, Any]:
    """A member of a JSON object that is an object itself, otherwise an empty one."""
    member = value.get(key) if isinstance(value, dict) else None
    return member if isinstance(member, dict) else {}


def named_bytes(name: str) -> int:
    """The size in the name of a benchmark: for `duplex`, that of one direction."""
    token = next(part for part in reversed(name.split("/")) if SIZE.match(part))
    number, unit = re.match(r"(\d+)(.*)", token).groups()  # type: ignore[union-attr]
    return int(number) * {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}[unit]


def _benchmark(name: str, rows: list[dict[str, Any]]) -> Benchmark:
    parts = name.split("/")
    cold = len(parts) > 1 and parts[-1] == "cold"
    if cold:
        parts.pop()
    if len(parts) < 2 or not SIZE.match(parts[-1]):
        return Benchmark(name, name, "", None, cold, rows)
    sizes = [row["bytes"] for row in rows if is_positive(row.get("bytes"))]
    strategy, variant = parts[:-1], ""
    if len(strategy) > 2 or (len(strategy) == 2 and strategy[-1] in DIRECTIONS):
        variant = strategy.pop()
    return Benchmark(
        name, "/".join(strategy), variant, int(sizes[0]) if sizes else None, cold, rows
    )


def _name_order(one: Benchmark) -> tuple[Any, ...]:
    return (one.strategy, one.variant, one.bytes or 0, one.cold)


def _point(one: Benchmark) -> Point:
    family, memory, variant = one.name.split("/")[:3]
    times = one.values("median_ns")
    assert one.bytes
    assert one.gb_per_s
    return Point(
        strategy=f"{family}/{memory}",
        family=family,
        memory=memory,
        variant=variant,
        direction=DIRECTIONS[variant],
        bytes=one.bytes,
        repetitions=len(times),
        time_us=one.ns / 1000,
        time_us_low=min(times) / 1000,
        time_us_high=max(times) / 1000,
        gb_per_s=one.gb_per_s,
        gb_per_s_low=one.bytes / max(times),
        gb_per_s_high=one.bytes / min(times),
        size=numbers.size(one.bytes),
        time=numbers.time(one.ns),
        rate=numbers.rate(one.gb_per_s),
        spread=numbers.percent(one.spread) if len(times) > 1 else "one repetition",
    )


def _drawing_order(point: Point) -> tuple[Any, ...]:
    return (
        style.family_order(point.family),
        style.memory_order(point.memory),
        point.variant,
        point.bytes,
    )
