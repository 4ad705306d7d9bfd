"""Holds what was measured of one benchmark: medians over its repetitions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median
from typing import Any

from plots.model.judged import Spread
from plots.model.load import Fields, Flow, Metric
from plots.model.values import is_number, is_positive

TIME = "median_ns"  # the counter of the time of one operation


@dataclass(frozen=True)
class Benchmark(Fields):
    """Holds the fields of a benchmark that was measured, and the rows of its repetitions."""

    name: str
    bytes: int | None  # moved by one operation; None without a size
    between: Spread = field(repr=False)  # its processes and repetitions
    rows: list[dict[str, Any]] = field(repr=False)
    # By counter, in a comparison: the centre of processes, instead of the median of repetitions.
    compared: dict[str, float] = field(default_factory=dict, repr=False)
    # What values() has found: figures and tables ask for the same ones many times.
    _values: dict[str, list[float]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def as_compared(self, counter: str, centre: float) -> Benchmark:
        """Returns the same benchmark with the value that is compared."""
        return replace(self, compared={counter: centre})

    @property
    def repetitions(self) -> int:
        """Counts the repetitions."""
        return len(self.rows)

    @property
    def procedure(self) -> int:
        """Returns the number of the procedure that has measured it."""
        number = self.rows[0].get("procedure", 1)
        return int(number) if is_number(number) else 1

    @cached_property
    def in_order(self) -> list[dict[str, Any]]:
        """Returns the rows in the order of their repetitions; without one they keep their own."""

        def index(row: dict[str, Any]) -> float:
            place = row.get("repetition_index")
            return place if is_number(place) else 0

        return sorted(self.rows, key=index)

    def of_flow(
        self, metrics: dict[str, Metric], flow: Flow, kind: str, alone: bool
    ) -> float | None:
        """Returns the median of what a kind of metric says of one of several copies at once."""
        for name, metric in metrics.items():
            if (metric.flow, metric.kind, metric.alone) == (flow, kind, alone):
                return self.any_median(name)
        return None

    def values(self, counter: str) -> list[float]:
        """Returns a counter's value in each repetition that has a positive number there."""
        if counter not in self._values:
            self._values[counter] = [
                row[counter] for row in self.rows if is_positive(row.get(counter))
            ]
        return self._values[counter]

    def positive_median(self, counter: str) -> float | None:
        """Returns what is compared of a counter, or else the median of its positive values."""
        values = self.values(counter)
        return self.compared.get(counter, median(values)) if values else None

    def any_median(self, counter: str) -> float | None:
        """Returns the median of a counter that may be zero or negative."""
        numbers = [value for row in self.rows if is_number(value := row.get(counter))]
        return median(numbers) if numbers else None

    @cached_property
    def ns(self) -> float:
        """Returns the time of one operation."""
        return self.compared.get(TIME, median(self.values(TIME)))

    @property
    def gb_per_s(self) -> float | None:
        """Returns the bandwidth, computed from `ns` so that both agree in every row."""
        return self.bytes / self.ns if self.bytes else None

    @property
    def time_interval(self) -> tuple[float, float] | None:
        """Returns where the time of one operation lies in other processes, with 95 %."""
        return self.between.interval

    @property
    def rate_interval(self) -> tuple[float, float] | None:
        """Returns the interval of the bandwidth in GB/s; None without a size."""
        if not self.bytes or not self.between.interval:
            return None
        low, high = self.between.interval
        return self.bytes / high, self.bytes / low

    @property
    def spread(self) -> float:
        """Returns the slowest minus the fastest repetition, as a part of the median."""
        times = self.values(TIME)
        return (max(times) - min(times)) / median(times)


Sizes = dict[int, Benchmark]  # benchmarks that differ in their size alone, by size
