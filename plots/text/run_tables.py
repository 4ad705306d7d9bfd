"""Makes the tables of a run."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from functools import partial

from plots.model.benchmark import TIME, Benchmark
from plots.model.derive import DIRECTIONS, Run
from plots.model.headline import headline_strategies
from plots.model.load import Metric
from plots.model.programs import Fit, fit_name
from plots.text import caption, column_of, metric_words, numbers
from plots.text.concurrent_table import make_concurrent_table
from plots.text.table import Column, Table, make_table

LONGEST_FILE_NAME = 40  # letters of a role's name in a file's name
# Roles that need no table here: figures, or the tables of all runs, show them.
OWN_ROLES = {
    *("copy", "scattered_copy", "strided_copy", "container_copy", "kernel_access", "array"),
    *("conversion", "arguments", "overlap", "duplex", "concurrent", "allocation", "deallocation"),
    *("cpu_read", "cpu_write", "cpu_read_write", "first_call", "launch", "latency", "floor"),
}
# Counters without a column of their own in the table of all benchmarks.
WITHOUT_COLUMN = {*metric_words.WORDS, *metric_words.NOT_SHOWN} - {"p999_ns"}


def make_tables(run: Run) -> list[Table]:
    """Returns the tables of a run that have rows."""
    candidates = (
        _make_benchmark_table(run),
        _make_headline_table(run),
        _make_transfer_table(run),
        _make_fit_table(run),
        # What several devices do at once is one table of the whole file.
        *([] if len(caption.device_ids(run)) > 1 else [make_concurrent_table(run)]),
        *_make_custom_role_tables(run),
    )
    return [table for table in candidates if table.raw]


def _make_benchmark_table(run: Run) -> Table:
    """Makes the table of all benchmarks."""

    def spread(one: Benchmark) -> str:
        return numbers.percent(one.spread) if one.repetitions > 1 else "-"

    def time(one: Benchmark) -> str:
        return " or ".join(map(numbers.time, one.between.modes or [one.ns]))

    def rate(one: Benchmark) -> float | None:
        return one.gb_per_s if run.is_moved(one) else None

    columns: list[Column[Benchmark]] = [
        Column("benchmark", lambda one: one.name),
        Column("", key="bytes", raw=lambda one: one.bytes),
        Column("time", time, key=TIME, raw=lambda one: one.ns),
        Column("", key="fastest_ns", raw=lambda one: min(one.values(TIME))),
        Column("", key="slowest_ns", raw=lambda one: max(one.values(TIME))),
        Column("range", spread, key=None),
        Column("bandwidth", lambda one: column_of.rate_text(rate(one)), key="gb_per_s", raw=rate),
        Column("", key="link_percent", raw=partial(column_of.link_percent, run)),
        Column("", key="device_gb_per_s", raw=lambda one: one.positive_median("device_gb_per_s")),
        Column("", key="cpu_s_per_gb", raw=lambda one: one.positive_median("cpu_s_per_gb")),
        Column("repetitions", lambda one: str(one.repetitions), raw=lambda one: one.repetitions),
        *(
            column_of.quantity(run, counter, on_page=metric.headline)
            for counter, metric in _custom_metrics(run).items()
        ),
    ]
    heading = "Everything that was measured"
    return make_table("benchmarks", heading, run.benchmarks, columns, of_benchmarks=True)


def _custom_metrics(run: Run) -> dict[str, Metric]:
    """Returns the metrics in the run's rows that have a column of their own.

    Those of one of several copies at once have a table of their own.
    """
    counters = {counter for row in run.result.rows for counter in row}
    return {
        name: metric
        for name, metric in run.result.metrics.items()
        if name in counters and name not in WITHOUT_COLUMN and metric.flow is None
    }


def _make_headline_table(run: Run) -> Table:
    """Makes the table of the strategies to look at first: the largest and the smallest sizes."""
    ends: dict[str, dict[str, tuple[Benchmark, Benchmark]]] = {}
    names = headline_strategies(run)
    for benchmark in {one.label: one for one in run.transfers}.values():
        if benchmark.strategy in names:
            sizes = run.sizes(benchmark)
            pair = sizes[min(sizes)], sizes[max(sizes)]
            ends.setdefault(benchmark.strategy, {}).setdefault(benchmark.direction, pair)
    columns: list[Column[str]] = [Column("strategy", str)]
    for direction in DIRECTIONS:
        both = {name: of[direction] for name, of in ends.items() if direction in of}
        small, large = ({name: pair[end] for name, pair in both.items()} for end in (0, 1))
        columns += [
            column_of.size("", large, f"{direction}_largest"),
            column_of.rate(f"{direction}, largest", large, f"{direction}_gb_per_s"),
            column_of.size("", small, f"{direction}_smallest"),
            column_of.time(f"{direction}, smallest", small, f"{direction}_median_ns"),
        ]
    heading = "At a glance: bandwidth of the largest transfers, time of the smallest"
    table = make_table("headline", heading, names, columns, one_column=True, is_key=True)
    pairs = {
        (name, direction): ends[name][direction]
        for name in names
        for direction in DIRECTIONS
        if direction in ends[name]
    }
    first = dict(reversed(pairs))  # the first direction of each strategy
    counts = column_of.repetitions([benchmark for pair in pairs.values() for benchmark in pair])
    in_paper: list[Column[tuple[str, str]]] = [
        Column("", lambda key: key[0] * (first[key[0]] == key[1]), key=None, paper="strategy"),
        Column("", lambda key: key[1], key=None, paper=""),
        *column_of.rates_in_paper("", {key: large for key, (_, large) in pairs.items()}, counts),
        *column_of.times_in_paper("", {key: small for key, (small, _) in pairs.items()}, counts),
    ]
    paper = make_table("", "", list(pairs), in_paper).paper
    return replace(table, paper=paper, paper_note=column_of.explain(in_paper, counts))


def _make_transfer_table(run: Run) -> Table:
    """Makes the table of plain transfers at their smallest and their largest size."""
    small, large = {}, {}
    for label, benchmark in {one.label: one for one in run.transfers}.items():
        sizes = run.sizes(benchmark)
        small[label], large[label] = sizes[min(sizes)], sizes[max(sizes)]
    counts = column_of.repetitions([*small.values(), *large.values()])

    def share(label: str) -> float | None:
        return column_of.link_percent(run, large[label])

    def share_text(label: str) -> str:
        return f"{share(label):.0f} %" if share(label) else "-"

    columns: list[Column[str]] = [
        Column("strategy", str, paper="strategy"),
        column_of.size("smallest", small, paper="smallest"),
        column_of.time("its time", small, "median_ns"),
        *column_of.times_in_paper("its time", small, counts),
        column_of.size("largest", large, paper="largest"),
        column_of.rate("its bandwidth", large, "gb_per_s"),
        *column_of.rates_in_paper("its bandwidth", large, counts),
        Column(
            "of the link",
            share_text,
            key="link_percent",
            raw=share,
            paper="of the link",
            unit="%",
            per=1,
        ),
    ]
    note = column_of.explain(columns, counts) if small else ""
    heading = "Plain transfers, warm caches"
    return make_table("transfers", heading, list(small), columns, paper_note=note, is_key=True)


def _make_fit_table(run: Run) -> Table:
    """Makes the table of lines that `advise` has fitted to transfers."""
    transfer_names = {fit_name(benchmark) for benchmark in run.transfers}
    fits = [fit for fit in run.advice.fits.values() if fit.name in transfer_names]

    def half(fit: Fit) -> str:
        return numbers.size(fit.half_bytes) if fit.half_bytes else "-"

    def end(key: str, head: str, raw: Callable[[Fit], float | None], per: float) -> Column[Fit]:
        return Column("", key=key, raw=raw, paper=head, per=per)

    low, high = column_of.LOW, column_of.HIGH
    columns: list[Column[Fit]] = [
        Column("strategy", lambda fit: fit.name, paper="strategy"),
        Column(
            "t0",
            lambda fit: numbers.time(fit.t0_ns),
            key="t0_ns",
            raw=lambda fit: fit.t0_ns,
            paper="t0",
            unit="µs",
            per=1e3,
        ),
        end("t0_ns_low_95", low, lambda fit: fit.t0_interval[0], 1e3),
        end("t0_ns_high_95", high, lambda fit: fit.t0_interval[1], 1e3),
        Column(
            "B",
            lambda fit: numbers.rate(fit.gb_per_s),
            key="gb_per_s",
            raw=lambda fit: fit.gb_per_s,
            paper="B",
            unit="GB/s",
            per=1,
        ),
        end("gb_per_s_low_95", low, lambda fit: fit.rate_interval[0], 1),
        end("gb_per_s_high_95", high, lambda fit: fit.rate_interval[1], 1),
        Column(
            "n½",
            half,
            key="half_bandwidth_bytes",
            raw=lambda fit: fit.half_bytes,
            paper="n½",
            unit="KiB",
            per=2**10,
        ),
        Column("lines", lambda fit: str(fit.lines), raw=lambda fit: fit.lines, paper="lines"),
    ]
    heading = (
        "Time as t0 + n/B, as advise has fitted it (several lines: t0 of the first, B of the last)"
    )
    note = "low and high: the 95 % interval (Student's t, from the residuals of the lines)"
    return make_table("fits", heading, fits, columns, paper_note=note)


def _make_custom_role_tables(run: Run) -> list[Table]:
    """Makes a table for each role that is not among this project's own."""
    roles = sorted({one.role for one in run.benchmarks if not one.flows} - OWN_ROLES)
    role_tables = [_make_role_table(run, role) for role in roles]
    names = [re.sub(r"[^A-Za-z0-9_-]", "_", role)[:LONGEST_FILE_NAME] for role in roles]
    unique = [name if names.count(name) == 1 else f"{name}_{i}" for i, name in enumerate(names)]
    return [
        replace(table, name=f"role_{name}") for table, name in zip(role_tables, unique, strict=True)
    ]


def _make_role_table(run: Run, role: str) -> Table:
    """Shows the role's benchmarks with warm caches at their smallest and their largest size."""
    by_label: dict[str, list[Benchmark]] = {}
    for benchmark in run.with_role(role):
        if benchmark.warm:
            by_label.setdefault(benchmark.label, []).append(benchmark)
    metrics = [
        counter
        for counter, metric in run.result.metrics.items()
        if metric.headline
        and any(benchmark.any_median(counter) is not None for benchmark in run.with_role(role))
    ]
    ends = {
        label: [pick(sizes, key=lambda each: each.size_bytes or 0) for pick in (min, max)]
        for label, sizes in by_label.items()
    }

    small, large = ({label: both[place] for label, both in ends.items()} for place in (0, 1))
    columns: list[Column[str]] = [
        Column("benchmark", str),
        column_of.size("smallest", small),
        column_of.time("its time", small, "smallest_ns"),
        column_of.size("largest", large),
        column_of.time("its time", large, "largest_ns"),
        *(column_of.quantity(run, counter, large.__getitem__) for counter in metrics),
    ]
    heading = run.result.roles[role].description or role
    return make_table(role, heading[:1].upper() + heading[1:], list(ends), columns)
