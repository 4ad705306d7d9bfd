"""Makes the table of several copies at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.text import caption, numbers
from plots.text.table import Column, Table, make_table


@dataclass(frozen=True)
class Share:
    """Holds one of several copies at once: its rates, and their texts."""

    of: Benchmark
    copy: str
    rates: dict[str, float | None]

    @property
    def change(self) -> float | None:
        """Returns by which part its rate changes."""
        at_once, alone = self.rates["at once"], self.rates["alone"]
        return at_once / alone - 1 if at_once is not None and alone else None

    def text(self, rate: str) -> str:
        """Formats a rate with as many digits as the others."""
        known = {name: value for name, value in self.rates.items() if value is not None}
        return dict(zip(known, numbers.rates(*known.values()), strict=True)).get(rate, "-")


def make_concurrent_table(run: Run) -> Table:
    """Shows each of several copies at once, and what it loses, at every size; large sets first."""
    ids = caption.device_ids(run)
    shares = [
        Share(
            benchmark,
            f"{ids[flow.device]} {flow.direction}",
            {"in all": benchmark.gb_per_s}
            | {
                name: benchmark.of_flow(run.result.metrics, flow, "rate", alone=name == "alone")
                for name in ("at once", "alone")
            },
        )
        for benchmark in sorted(run.benchmarks, key=_order_of_set)
        for flow in benchmark.flows
    ]

    def rate(name: str, key: str) -> Column[Share]:
        return Column(
            name,
            lambda one: one.text(name),
            key=key,
            raw=lambda one: one.rates[name],
            paper=name,
            unit="GB/s",
            per=1,
        )

    columns: list[Column[Share]] = [
        Column("copies at once", lambda one: one.of.name, key="benchmark", paper="copies at once"),
        rate("in all", "sum_gb_per_s"),
        Column("copy", lambda one: one.copy, paper="copy"),
        rate("at once", "gb_per_s"),
        rate("alone", "alone_gb_per_s"),
        Column(
            "change",
            lambda one: "-" if one.change is None else numbers.change(one.change),
            key="change_percent",
            raw=lambda one: None if one.change is None else 100 * one.change,
            paper="change",
        ),
    ]
    return make_table("concurrent", "Several copies at once", shares, columns)


def _order_of_set(benchmark: Benchmark) -> tuple[Any, ...]:
    """Orders by the number of devices, so that all of them come first."""
    return (
        -len(benchmark.devices),
        benchmark.strategy,
        benchmark.direction,
        benchmark.devices,
        benchmark.bytes or 0,
        benchmark.name,
    )
