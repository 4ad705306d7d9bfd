"""Makes the table of the gate's answer."""

from __future__ import annotations

from plots.model.gate import BenchmarkVerdict, Check
from plots.model.load import Metric
from plots.text import numbers, verdict
from plots.text.table import Column, Table, make_table


def make_check_table(check: Check, metrics: dict[str, Metric]) -> Table:
    """Makes the table of all benchmarks in the gate's answer, worst first."""
    metric = metrics.get(check.judged_by)

    def value(number: float | None) -> str:
        return _format_value(number, metric, check.judged_by)

    def said(one: BenchmarkVerdict) -> str:
        shown = check.displayed_verdict(one)
        return f"{shown} ({one.note.text})" if one.note else shown

    def change(one: BenchmarkVerdict) -> str:
        return "-" if one.slowdown is None else numbers.signed_percent(one.slowdown)

    def detectable(one: BenchmarkVerdict) -> str:
        return f"{numbers.detectable(one.detectable)}{' *' * one.advisory}"

    def threshold(one: BenchmarkVerdict) -> str:
        return "-" if one.threshold is None else f"{100 * one.threshold:g} %"

    columns: list[Column[BenchmarkVerdict]] = [
        Column("benchmark", lambda one: one.name, paper="benchmark"),
        Column(
            "class",
            lambda one: one.class_name or "-",
            raw=lambda one: one.class_name,
            paper="class",
        ),
        Column("verdict", said, raw=lambda one: one.verdict, paper="verdict"),
        Column("before", lambda one: value(one.before), raw=lambda one: one.before),
        Column("after", lambda one: value(one.after), raw=lambda one: one.after),
        Column(
            "slower by",
            change,
            key="slowdown",
            raw=lambda one: one.slowdown,
            paper="slower by",
            unit="%",
            per=0.01,
        ),
        Column("95 % interval", verdict.interval, key=None, paper="95 % interval"),
        Column("", key="interval_95_low", raw=lambda one: one.interval and one.interval[0]),
        Column("", key="interval_95_high", raw=lambda one: one.interval and one.interval[1]),
        Column("p", verdict.probability, raw=lambda one: one.p, paper="p"),
        Column("threshold", threshold, raw=lambda one: one.threshold),
        Column(
            "detectable",
            detectable,
            key="detectable_80",
            raw=lambda one: one.detectable,
            paper="detectable",
        ),
        Column("", key="advisory", raw=lambda one: int(one.advisory)),
        Column("", key="note", raw=lambda one: one.note.text if one.note else ""),
    ]
    heading = "Each benchmark against the baseline (*: advisory)"
    note = f"{verdict.describe_counts(check)}; plus is slower, minus is faster than the baseline"
    return make_table("checked", heading, check.benchmarks, columns, paper_note=note)


def _format_value(value: float | None, metric: Metric | None, key: str) -> str:
    if value is None:
        return "-"
    return numbers.quantity(value, metric.unit) if metric else numbers.quantity_by_key(value, key)
