"""Derives from a result what figures, tables and sentences show: series and roles of benchmarks.

Verdicts, fitted lines and recommendations are not derived here. They come from `gate_transfers` and
`bench_transfers advise`; see gate.py and programs.py.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from plots.model.benchmark import TIME, Benchmark, Sizes
from plots.model.judged import Judged, Spread
from plots.model.load import Fields, Result
from plots.model.programs import Advice
from plots.model.values import is_failed, is_positive, mapping

DIRECTIONS = {"h2d": "host → device", "d2h": "device → host"}
LONGEST_NAME = 200
LONGEST_SET_NAME = 8192  # of a listed set, which names each of its copies
TRANSFER = "copy"  # the role of benchmarks in the figures of transfers
ALLOCATIONS = "allocation"  # the table of roles that allocate or free memory


@dataclass(frozen=True)
class Run:
    """Holds one result file, ready for figures: its benchmarks, and what programs say of it."""

    result: Result
    advice: Advice = field(default_factory=Advice)
    judged: Judged = field(default_factory=Judged)

    @cached_property
    def benchmarks(self) -> list[Benchmark]:
        """Lists the benchmarks that were measured, ordered by name."""
        rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for row in self.result.rows:
            name = str(row.get("name"))
            if self._can_be_shown(name) and not is_failed(row) and is_positive(row.get(TIME)):
                rows[name].append(row)
        measured = (
            _make_benchmark(self.result.benchmarks[name], rows[name], self.judged.spreads.get(name))
            for name in rows
        )
        return sorted(measured, key=_sort_key)

    @cached_property
    def left_out(self) -> int:
        """Counts the benchmarks whose names cannot be shown."""
        names = {str(row.get("name")) for row in self.result.rows}
        return sum(not self._can_be_shown(name) for name in names)

    def _can_be_shown(self, name: str) -> bool:
        """Tells whether the name is printable and not too long."""
        fields = self.result.benchmarks.get(name)
        longest = LONGEST_SET_NAME if fields and fields.flows else LONGEST_NAME
        return name.isprintable() and len(name) <= longest

    @cached_property
    def failed(self) -> list[str]:
        """Lists the names of benchmarks that reported an error."""
        return sorted({str(row.get("name")) for row in self.result.rows if is_failed(row)})

    def as_good(
        self, role: str, direction: str, size: int, of_pageable: bool = False
    ) -> list[Benchmark]:
        """Returns the benchmarks of a job that are as good as the fastest, plainest first."""
        names = self.judged.as_good.get((role, direction, size, of_pageable), [])
        return [self.by_name[name] for name in names if name in self.by_name]

    @cached_property
    def by_name(self) -> dict[str, Benchmark]:
        """Returns the benchmarks by their names."""
        return {benchmark.name: benchmark for benchmark in self.benchmarks}

    @cached_property
    def transfers(self) -> list[Benchmark]:
        """Lists the plain transfers in one direction with warm caches."""
        return [
            benchmark
            for benchmark in self.benchmarks
            if is_transfer(benchmark) and benchmark.bytes and benchmark.warm
        ]

    def with_role(self, *roles: str) -> list[Benchmark]:
        """Lists the benchmarks that have one of these roles."""
        return [benchmark for benchmark in self.benchmarks if benchmark.role in roles]

    def table(self, role: str) -> str:
        """Returns the kind of table that shows a role."""
        return self.result.roles[role].table

    def is_moved(self, benchmark: Benchmark) -> bool:
        """Tells whether the benchmark moves its bytes; an allocation does not."""
        return bool(benchmark.bytes) and self.table(benchmark.role) != ALLOCATIONS

    def strategy(self, name: str) -> Fields | None:
        """Returns the fields of a strategy. Where its benchmarks differ, one of them is taken."""
        return self._strategies.get(name)

    def sizes(self, benchmark: Fields) -> Sizes:
        """Returns the benchmarks with warm caches that differ from this one in their size alone."""
        return self._by_label.get(benchmark.label, {})

    def matching(self, role: str, **fields: Any) -> list[Sizes]:
        """Lists the series of a role with these fields and warm caches, plainest first."""
        series = {
            benchmark.label: self._by_label[benchmark.label]
            for benchmark in self.with_role(role)
            if benchmark.label in self._by_label
            and all(getattr(benchmark, key) == value for key, value in fields.items())
        }
        return sorted(series.values(), key=_plainness_key)

    def plainest(self, role: str, **fields: Any) -> Sizes:
        """Returns the plainest matching series, or an empty one if nothing matches."""
        return next(iter(self.matching(role, **fields)), {})

    def rate(self, strategy: str, direction: str) -> tuple[float, Benchmark] | None:
        """Returns a strategy's GB/s in one of its directions, and its benchmark: the largest."""
        for benchmark in self.benchmarks:
            counter = {direction: "gb_per_s", "both": f"{direction}_gb_per_s"}.get(
                benchmark.direction
            )
            sizes = self.sizes(benchmark) if benchmark.strategy == strategy and counter else {}
            if sizes and counter:
                largest = sizes[max(sizes)]
                is_one_way = benchmark.direction == direction
                rate = largest.gb_per_s if is_one_way else largest.positive_median(counter)
                return (rate, largest) if rate else None
        return None

    @cached_property
    def _strategies(self) -> dict[str, Fields]:
        return {fields.strategy: fields for fields in self.result.benchmarks.values()}

    @cached_property
    def _by_label(self) -> dict[str, Sizes]:
        series: dict[str, Sizes] = defaultdict(dict)
        for benchmark in self.benchmarks:
            if benchmark.warm and (benchmark.bytes or benchmark.size_bytes is None):
                series[benchmark.label][benchmark.size_bytes or 0] = benchmark
        return series

    @property
    def on_host(self) -> bool:
        """Tells whether there was no GPU, so that copies stay within this machine's memory."""
        return mapping(self.result.transfers, "device").get("kind") != "cuda"

    @property
    def link_limit(self) -> float | None:
        """Returns the link's data rate in GB/s after line coding."""
        limit = mapping(self.result.transfers, "link").get("limit_gb_per_s")
        return limit if is_positive(limit) else None

    @property
    def packet_limit(self) -> tuple[float, float] | None:
        """Returns the lowest and the highest rate in GB/s that packet headers leave."""
        limits = mapping(self.result.transfers, "link").get("packet_limit_gb_per_s")
        if isinstance(limits, list) and limits and all(map(is_positive, limits)):
            return min(limits), max(limits)
        return None


def is_transfer(fields: Fields) -> bool:
    """Tells whether a benchmark belongs into the figures of transfers."""
    return fields.role == TRANSFER and fields.direction in DIRECTIONS


def order_families(fields: Iterable[Fields]) -> list[str]:
    """Orders the families by the plainness of their plainest benchmark."""
    plainness: dict[str, int] = {}
    for benchmark in fields:
        plainness[benchmark.family] = min(
            benchmark.plainness, plainness.get(benchmark.family, benchmark.plainness)
        )
    return sorted(plainness, key=lambda family: (plainness[family], family))


def _make_benchmark(fields: Fields, rows: list[dict[str, Any]], spread: Spread | None) -> Benchmark:
    sizes = [row["bytes"] for row in rows if is_positive(row.get("bytes"))]
    has_size = fields.size_bytes is not None
    return Benchmark(
        **vars(fields),
        name=str(rows[0].get("name")),
        bytes=int(sizes[0]) if sizes and has_size else None,
        between=spread or Spread(),
        rows=rows,
    )


def _plainness_key(sizes: Sizes) -> tuple[int, str]:
    benchmark = next(iter(sizes.values()))
    return benchmark.plainness, benchmark.label


def _sort_key(benchmark: Benchmark) -> tuple[Any, ...]:
    state = (not benchmark.warm, benchmark.cache)
    return (benchmark.strategy, benchmark.variant or "", benchmark.bytes or 0, *state)
