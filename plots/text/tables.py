"""Makes the tables of a run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from plots.model.derive import DIRECTIONS, Benchmark, Run
from plots.model.gate import Check
from plots.model.headline import headline_strategies
from plots.model.host_map import TRAFFIC, HostMap
from plots.model.load import Metric
from plots.model.programs import fit_name
from plots.model.significance import rate_interval, time_interval
from plots.text import caption, latex, metric_words, numbers, verdict
from plots.text.table import Table, raw_column, text_column

LONGEST_FILE_NAME = 40  # letters of a role's name in a file's name
LOW, HIGH = "low", "high"  # heads of the columns of an interval
MOST_WITH_INTERVALS = 3  # runs that stand side by side
# Counters without a column of their own in the table of all benchmarks.
WITHOUT_COLUMN = {*metric_words.WORDS, "bytes", "operations", "batch", "device_operations"} - {
    "p999_ns"
}
SHOWN_SIZES = [4 * 2**10, 64 * 2**10, 2**20, 16 * 2**20, 256 * 2**20, 2**30]


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


def make_links_table(host_map: HostMap) -> Table:
    """Makes the table of a map's links and devices: what each gives, with 95 % intervals."""
    rows: list[list[str]] = []
    raw: list[list[str | float | int | None]] = []
    links = [
        (f"shared by {host_map.names(link.devices)}", link.capacities) for link in host_map.links
    ]
    for name, rates in [*links, *((device.name, device.alone) for device in host_map.devices)]:
        ends: list[float | None] = []
        cells = [name]
        for kind in TRAFFIC:
            rate = rates.get(kind)
            if rate is None or rate.value <= 0:
                cells.append("-")
                ends += [None] * 3
                continue
            value, low, high = (number / 1e9 for number in (rate.value, rate.low, rate.high))
            cells.append(numbers.rate_in_interval(value, low, high))
            ends += [value, low, high]
        rows.append(cells)
        raw.append([name, *ends])
    head = ["link", *(f"{kind} [95 %]" for kind in TRAFFIC)]
    raw_head = ["link"] + [
        f"{kind}{end}_gb_per_s" for kind in TRAFFIC for end in ("", "_low", "_high")
    ]
    return Table("links", "What links and devices give", head, rows, raw_head, raw)


def make_check_table(check: Check, metrics: dict[str, Metric]) -> Table:
    """Makes the table of all benchmarks in the gate's answer, worst first."""
    metric = metrics.get(check.judged_by)
    rows, raw = [], []
    for benchmark in check.benchmarks:
        times = [
            _format_value(value, metric, check.judged_by)
            for value in (benchmark.before, benchmark.after)
        ]
        detectable = numbers.detectable(benchmark.detectable)
        low, high = benchmark.interval or (None, None)
        rows.append(
            [
                benchmark.name,
                benchmark.class_name or "-",
                f"{check.displayed_verdict(benchmark)} ({benchmark.note.text})"
                if benchmark.note
                else check.displayed_verdict(benchmark),
                *times,
                "-" if benchmark.slowdown is None else numbers.signed_percent(benchmark.slowdown),
                verdict.interval(benchmark),
                verdict.probability(benchmark),
                "-" if benchmark.threshold is None else f"{100 * benchmark.threshold:g} %",
                f"{detectable} *" if benchmark.advisory else detectable,
            ]
        )
        raw.append(
            [
                benchmark.name,
                benchmark.class_name,
                benchmark.verdict,
                benchmark.before,
                benchmark.after,
                benchmark.slowdown,
                low,
                high,
                benchmark.p,
                benchmark.threshold,
                benchmark.detectable,
                int(benchmark.advisory),
                benchmark.note.text if benchmark.note else "",
            ]
        )
    head = [
        "benchmark",
        "class",
        "verdict",
        "before",
        "after",
        "slower by",
        "95 % interval",
        "p",
        "threshold",
        "detectable",
    ]
    raw_head = [
        "benchmark",
        "class",
        "verdict",
        "before",
        "after",
        "slowdown",
        "interval_95_low",
        "interval_95_high",
        "p",
        "threshold",
        "detectable_80",
        "advisory",
        "note",
    ]
    heading = "Each benchmark against the baseline (*: advisory)"
    paper = [
        *(text_column(head[i], rows, i) for i in range(3)),
        raw_column("slower by", raw, 5, "%", 0.01),
        *(text_column(head[i], rows, i) for i in (6, 7, 9)),
    ]
    return Table("checked", heading, head, rows, raw_head, raw, paper)


def _format_value(value: float | None, metric: Metric | None, key: str) -> str:
    if value is None:
        return "-"
    return numbers.quantity(value, metric.unit) if metric else numbers.quantity_by_key(value, key)


@dataclass(frozen=True)
class Choice:
    """Holds what `bench_transfers advise` recommends for one direction, reuse and size."""

    direction: str
    reuse: int | None  # None if the costs of allocation are not known
    bytes: int
    strategy: str | None
    total_ns: float | None
    as_good: int  # from how many others it was chosen
    next: str | None  # the fastest strategy that can be told from it
    margin: float | None  # how much longer `next` takes, as a part of one
    gain: float | None  # how many times as fast as the plain copy it is
    extrapolated: bool

    @property
    def text(self) -> str:
        """Returns the strategy, and how clear its lead is."""
        if self.strategy is None:
            return "-"
        return f"{self.strategy} ({self.certainty})" if self.certainty else self.strategy

    @property
    def certainty(self) -> str:
        """Returns how clear the lead of the strategy is; empty if nothing is known of it."""
        remarks = [numbers.times(self.gain)] if self.gain and self.gain > 1 else []
        if self.as_good:
            remarks.append(f"{self.as_good} as good")
        elif self.margin is not None and not self.extrapolated:
            remarks.append(_describe_margin(self.margin))
        if self.extrapolated:
            remarks.append("extrapolated")
        return ", ".join(remarks)


def _describe_margin(margin: float) -> str:
    return f"next: +{100 * margin:.0f} %" if margin < 2 else f"next: {1 + margin:.0f}×"


def read_choices(run: Run) -> list[Choice]:
    """Reads the map of `advise` at a few sizes; empty if there was nothing to choose from."""
    answer = run.advice.map
    if answer is None:
        return []
    sizes = [size for size in answer["sizes"] if size in SHOWN_SIZES or size == answer["sizes"][-1]]
    has_allocation = answer["measured_terms"]["allocation"]
    choices = []
    for direction in ("h2d", "d2h"):
        table = answer["directions"].get(direction) or {}
        for reuse in (1, 100) if has_allocation else (1,):
            if not table.get("winner") or reuse not in answer["reuse"]:
                continue
            column = answer["reuse"].index(reuse)
            for size in sizes:
                row = answer["sizes"].index(size)
                choices.append(
                    Choice(
                        direction,
                        reuse if has_allocation else None,
                        size,
                        table["winner"][row][column],
                        table["total_ns"][row][column],
                        table["as_good"][row][column] or 0,
                        table["runner_up"][row][column],
                        table["margin"][row][column],
                        table["gain"][row][column],
                        bool(table["extrapolated"][row][column]),
                    )
                )
    return choices if any(choice.as_good or choice.next for choice in choices) else []


def make_recommendations(run: Run) -> list[Table]:
    """Makes the table of recommendations by size; empty if there are none."""
    choices = read_choices(run)
    if not choices or run.on_host:
        return []
    columns = list(dict.fromkeys((choice.direction, choice.reuse) for choice in choices))
    cells = {(choice.direction, choice.reuse, choice.bytes): choice.text for choice in choices}
    rows = [
        [numbers.size(size), *(cells[direction, reuse, size] for direction, reuse in columns)]
        for size in dict.fromkeys(choice.bytes for choice in choices)
    ]
    reuse_texts = {None: "", 1: ", memory used once", 100: ", memory used 100 times"}
    head = ["size", *(f"{direction}{reuse_texts[reuse]}" for direction, reuse in columns)]
    raw_head = [
        "direction",
        "reuse",
        "bytes",
        "strategy",
        "total_ns",
        "as_good",
        "next",
        "margin",
        "gain",
        "extrapolated",
    ]
    raw = [
        [
            choice.direction,
            choice.reuse,
            choice.bytes,
            choice.strategy,
            choice.total_ns,
            choice.as_good,
            choice.next,
            choice.margin,
            choice.gain,
            int(choice.extrapolated),
        ]
        for choice in choices
    ]
    paper = [
        latex.Column("direction", [choice.direction for choice in choices]),
        latex.Column(
            "uses", ["-" if choice.reuse is None else str(choice.reuse) for choice in choices]
        ),
        latex.Column("size", [numbers.size(choice.bytes) for choice in choices]),
        latex.Column("strategy", [choice.strategy for choice in choices]),
        raw_column("predicted", raw, 4, "µs", 1e3),
        latex.Column("certainty", [choice.certainty for choice in choices]),
    ]
    heading = "What to use: direction, uses of the same memory and size"
    return [Table("what_to_use", heading, head, rows, raw_head, raw, paper)]


def compare_runs(runs: list[tuple[int, Run]]) -> Table | None:
    """Compares the runs' bandwidths with the first run's, at their largest common sizes.

    Copies in both directions at once are compared, too. Returns None if the runs have nothing of
    this in common.
    """
    rows, raw = [], []
    compared: list[list[Benchmark]] = []
    first_run = runs[0][1]
    both_ways = {
        benchmark.label: benchmark
        for benchmark in first_run.with_role("duplex")
        if benchmark.gb_per_s and first_run.sizes(benchmark)
    }
    for label, benchmark in (_transfer_by_label(first_run) | both_ways).items():
        sizes_by_run = [run.sizes(benchmark) for _, run in runs]
        common = set.intersection(*(set(sizes) for sizes in sizes_by_run))
        if not common:
            continue
        size = max(common)
        first = sizes_by_run[0][size]
        cells = [numbers.rate(first.gb_per_s or 0)]
        for sizes in sizes_by_run[1:]:
            change = (sizes[size].gb_per_s or 0) / (first.gb_per_s or 1) - 1
            cells.append(
                f"{numbers.rate(sizes[size].gb_per_s or 0)} ({numbers.signed_percent(change)})"
            )
        rows.append([label, numbers.size(size), *cells])
        compared.append([sizes[size] for sizes in sizes_by_run])
        raw.append([label, size, *(benchmark.gb_per_s for benchmark in compared[-1])])
    if not rows:
        return None
    names = [f"run {number}" for number, _ in runs]
    heading = f"Bandwidth of {names[0]} and of the others"
    raw_head = ["strategy", "bytes", *(f"gb_per_s of {name}" for name in names)]
    head = ["strategy", "size", names[0], *(f"{name} (against {names[0]})" for name in names[1:])]
    paper = [
        text_column("strategy", rows, 0),
        text_column("size", rows, 1),
    ]
    counts = _repetitions([benchmark for benchmarks in compared for benchmark in benchmarks])
    for i, name in enumerate(names):
        columns = _rate_columns(name, [benchmarks[i] for benchmarks in compared], counts)
        paper += columns if len(runs) <= MOST_WITH_INTERVALS else columns[:1]
    note = _explain_columns(paper, counts)
    return Table("side_by_side", heading, head, rows, raw_head, raw, paper, paper_note=note)


def _make_headline_table(run: Run) -> Table:
    """Makes the table of the strategies to look at first: the largest and the smallest sizes."""
    ends: dict[str, dict[str, tuple[Benchmark, Benchmark]]] = {}
    names = headline_strategies(run)
    for benchmark in _transfer_by_label(run).values():
        if benchmark.strategy in names:
            sizes = run.sizes(benchmark)
            pair = sizes[min(sizes)], sizes[max(sizes)]
            ends.setdefault(benchmark.strategy, {}).setdefault(benchmark.direction, pair)
    rows: list[list[str]] = []
    raw: list[list[str | float | int | None]] = []
    for name in names:
        texts: list[str] = [name]
        figures: list[float | int | None] = []
        for direction in DIRECTIONS:
            small, large = ends[name].get(direction, (None, None))
            rate = large.gb_per_s if large else None
            texts += [
                numbers.rate(rate) if rate else "-",
                numbers.time(small.ns) if small else "-",
            ]
            figures += [
                large.bytes if large else None,
                rate,
                small.bytes if small else None,
                small.ns if small else None,
            ]
        rows.append(texts)
        raw.append([name, *figures])
    head = ["strategy"]
    raw_head = ["strategy"]
    for direction in DIRECTIONS:
        head += [f"{direction}, largest", f"{direction}, smallest"]
        raw_head += [
            f"{direction}_{name}" for name in ("largest", "gb_per_s", "smallest", "median_ns")
        ]
    both = [
        (name, direction) for name in names for direction in DIRECTIONS if direction in ends[name]
    ]
    pairs = [ends[name][direction] for name, direction in both]
    counts = _repetitions([benchmark for pair in pairs for benchmark in pair])
    paper = [
        latex.Column(
            "strategy",
            ["" if i and name == both[i - 1][0] else name for i, (name, _) in enumerate(both)],
        ),
        latex.Column("", [direction for _, direction in both]),
        *_rate_columns("", [large for _, large in pairs], counts),
        *_time_columns("", [small for small, _ in pairs], counts),
    ]
    heading = "At a glance: bandwidth of the largest transfers, time of the smallest"
    return Table(
        "headline",
        heading,
        head,
        rows,
        raw_head,
        raw,
        paper,
        one_column=True,
        paper_note=_explain_columns(paper, counts),
        is_key=True,
    )


def _repetitions(benchmarks: Sequence[Benchmark]) -> list[int]:
    """Lists the numbers of repetitions that benchmarks have, each once."""
    return sorted({benchmark.repetitions for benchmark in benchmarks})


def _rate_columns(
    head: str, benchmarks: Sequence[Benchmark], counts: Sequence[int]
) -> list[latex.Column]:
    """Returns columns of bandwidths and their intervals."""
    rates = [benchmark.gb_per_s for benchmark in benchmarks]
    return _with_interval(
        latex.Column(head, rates, "GB/s"), list(map(rate_interval, benchmarks)), benchmarks, counts
    )


def _time_columns(
    head: str, benchmarks: Sequence[Benchmark], counts: Sequence[int]
) -> list[latex.Column]:
    """Returns columns of times and their intervals."""
    times = [benchmark.ns / 1000 for benchmark in benchmarks]
    intervals = [
        (interval[0] / 1000, interval[1] / 1000) if (interval := time_interval(each)) else None
        for each in benchmarks
    ]
    return _with_interval(latex.Column(head, times, "µs"), intervals, benchmarks, counts)


def _with_interval(
    values: latex.Column,
    intervals: Sequence[tuple[float, float] | None],
    benchmarks: Sequence[Benchmark],
    counts: Sequence[int],
) -> list[latex.Column]:
    """Returns the columns of a value: it, its interval if one is known, and n if it differs."""
    columns = [values]
    if any(intervals):
        ends = [interval or (None, None) for interval in intervals]
        columns += [
            latex.Column(LOW, [low for low, _ in ends]),
            latex.Column(HIGH, [high for _, high in ends]),
        ]
    if len(counts) > 1:
        columns.append(latex.Column("n", [benchmark.repetitions for benchmark in benchmarks]))
    return columns


def _explain_columns(columns: Sequence[latex.Column], counts: Sequence[int]) -> str:
    """Says of how many repetitions values are the medians, and what their intervals are."""
    heads = {column.head for column in columns}
    number = "n" if "n" in heads else " to ".join(map(str, (*counts[:1], *counts[1:][-1:])))
    median = "One repetition" if counts == [1] else f"Medians of {number} repetitions"
    interval = "; low and high: their 95 % interval (order statistics)"
    return median + interval if LOW in heads else median


def _make_benchmark_table(run: Run) -> Table:
    """Makes the table of all benchmarks."""
    custom_metrics = _custom_metrics(run)
    shown = [counter for counter, metric in custom_metrics.items() if metric.headline]
    rows: list[list[str]] = []
    raw: list[list[str | float | int | None]] = []
    for benchmark in run.benchmarks:
        times = benchmark.values("median_ns")
        spread = numbers.percent(benchmark.spread) if benchmark.repetitions > 1 else "-"
        rate = benchmark.gb_per_s if run.is_moved(benchmark) else None
        rows.append(
            [
                benchmark.name,
                numbers.time(benchmark.ns),
                spread,
                numbers.rate(rate) if rate else "-",
                str(benchmark.repetitions),
                *(_quantity(run, benchmark, counter) for counter in shown),
            ]
        )
        raw.append(
            [
                benchmark.name,
                benchmark.bytes,
                benchmark.ns,
                min(times),
                max(times),
                rate,
                link_percent(run, benchmark),
                benchmark.get("device_gb_per_s"),
                benchmark.get("cpu_s_per_gb"),
                benchmark.repetitions,
                *map(benchmark.number, custom_metrics),
            ]
        )
    head = ["benchmark", "time", "range", "bandwidth", "repetitions", *map(_spaced, shown)]
    raw_head = [
        "benchmark",
        "bytes",
        "median_ns",
        "fastest_ns",
        "slowest_ns",
        "gb_per_s",
        "link_percent",
        "device_gb_per_s",
        "cpu_s_per_gb",
        "repetitions",
        *(_with_unit(run, counter) for counter in custom_metrics),
    ]
    return Table(
        "benchmarks",
        "Everything that was measured",
        head,
        rows,
        raw_head,
        raw,
        of_benchmarks=True,
    )


def make_concurrent_table(run: Run) -> Table:
    """Shows each of several copies at once, and what it loses, at every size; large sets first."""
    ids = caption.device_ids(run)
    metrics = run.result.metrics
    rows: list[list[str]] = []
    raw: list[list[str | float | int | None]] = []
    for benchmark in sorted(run.benchmarks, key=_order_of_set):
        for flow in benchmark.flows:
            copy = f"{ids[flow.device]} {flow.direction}"
            in_all = benchmark.gb_per_s
            at_once = benchmark.of_flow(metrics, flow, "rate", alone=False)
            alone = benchmark.of_flow(metrics, flow, "rate", alone=True)
            change = at_once / alone - 1 if at_once is not None and alone else None
            known = [rate for rate in (in_all, at_once, alone) if rate is not None]
            texts = dict(zip(known, numbers.rates(*known), strict=True)) if known else {}
            rows.append(
                [
                    benchmark.name,
                    _text_of(texts, in_all),
                    copy,
                    _text_of(texts, at_once),
                    _text_of(texts, alone),
                    "-" if change is None else numbers.change(change),
                ]
            )
            percent = None if change is None else 100 * change
            raw.append([benchmark.name, in_all, copy, at_once, alone, percent])
    head = ["copies at once", "in all", "copy", "at once", "alone", "change"]
    raw_head = ["benchmark", "sum_gb_per_s", "copy", "gb_per_s", "alone_gb_per_s", "change_percent"]
    paper = [
        text_column("copies at once", rows, 0),
        raw_column("in all", raw, 1, "GB/s"),
        text_column("copy", rows, 2),
        raw_column("at once", raw, 3, "GB/s"),
        raw_column("alone", raw, 4, "GB/s"),
        text_column("change", rows, 5),
    ]
    return Table("concurrent", "Several copies at once", head, rows, raw_head, raw, paper)


def _text_of(texts: dict[float, str], rate: float | None) -> str:
    return "-" if rate is None else texts[rate]


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


def _make_custom_role_tables(run: Run) -> list[Table]:
    """Makes a table for each role that is not among this project's own."""
    role_tables = [_make_role_table(run, role) for role in run.custom_roles]
    names = [re.sub(r"[^A-Za-z0-9_-]", "_", role)[:LONGEST_FILE_NAME] for role in run.custom_roles]
    unique = [name if names.count(name) == 1 else f"{name}_{i}" for i, name in enumerate(names)]
    return [
        replace(table, name=f"role_{name}") for table, name in zip(role_tables, unique, strict=True)
    ]


def _make_role_table(run: Run, role: str) -> Table:
    """Shows the role's benchmarks with warm caches at their smallest and their largest size."""
    by_label: dict[str, list[Benchmark]] = {}
    for benchmark in run.with_role(role):
        if not benchmark.cold:
            by_label.setdefault(benchmark.label, []).append(benchmark)
    metrics = [
        counter
        for counter, metric in run.result.metrics.items()
        if metric.headline
        and any(benchmark.number(counter) is not None for benchmark in run.with_role(role))
    ]
    rows: list[list[str]] = []
    raw: list[list[str | float | int | None]] = []
    for label, sizes in by_label.items():
        ends = [pick(sizes, key=lambda benchmark: benchmark.size_bytes or 0) for pick in (min, max)]
        large = ends[-1]
        texts = [
            text for benchmark in ends for text in (_size(benchmark), numbers.time(benchmark.ns))
        ]
        rows.append([label, *texts, *(_quantity(run, large, counter) for counter in metrics)])
        figures = [figure for benchmark in ends for figure in (benchmark.size_bytes, benchmark.ns)]
        raw.append([label, *figures, *map(large.number, metrics)])
    head = ["benchmark", "smallest", "its time", "largest", "its time", *map(_spaced, metrics)]
    raw_head = ["benchmark", "smallest", "smallest_ns", "largest", "largest_ns"]
    raw_head += [_with_unit(run, counter) for counter in metrics]
    heading = run.result.roles[role].description or role
    return Table(role, heading[:1].upper() + heading[1:], head, rows, raw_head, raw)


def _size(benchmark: Benchmark) -> str:
    return "-" if benchmark.size_bytes is None else numbers.size(benchmark.size_bytes)


def _quantity(run: Run, benchmark: Benchmark, counter: str) -> str:
    value = benchmark.number(counter)
    return "-" if value is None else numbers.quantity(value, run.result.metrics[counter].unit)


def _with_unit(run: Run, counter: str) -> str:
    unit = run.result.metrics[counter].unit
    return counter if unit in ("", "1") else f"{counter} ({unit})"


def _spaced(counter: str) -> str:
    return counter.replace("_", " ")


def link_percent(run: Run, benchmark: Benchmark) -> float | None:
    """Returns the share of the link that a benchmark in one direction reaches.

    Only benchmarks in one direction have the counter `link_percent`.
    """
    if not benchmark.get("link_percent") or not benchmark.gb_per_s or not run.link_limit:
        return None
    return 100 * benchmark.gb_per_s / run.link_limit


def _transfer_by_label(run: Run) -> dict[str, Benchmark]:
    """Returns a benchmark of each plain transfer, at any of its sizes."""
    return {benchmark.label: benchmark for benchmark in run.transfers}


def _make_transfer_table(run: Run) -> Table:
    """Makes the table of plain transfers at their smallest and their largest size."""
    rows, raw = [], []
    ends = []
    for label, benchmark in _transfer_by_label(run).items():
        sizes = run.sizes(benchmark)
        small, large = sizes[min(sizes)], sizes[max(sizes)]
        ends.append((small, large))
        rate, share = large.gb_per_s, link_percent(run, large)
        rows.append(
            [
                label,
                numbers.size(small.bytes or 0),
                numbers.time(small.ns),
                numbers.size(large.bytes or 0),
                numbers.rate(rate) if rate else "-",
                f"{share:.0f} %" if share else "-",
            ]
        )
        raw.append([label, small.bytes, small.ns, large.bytes, rate, share])
    head = ["strategy", "smallest", "its time", "largest", "its bandwidth", "of the link"]
    raw_head = [
        "strategy",
        "smallest",
        "median_ns",
        "largest",
        "gb_per_s",
        "link_percent",
    ]
    counts = _repetitions([benchmark for pair in ends for benchmark in pair])
    paper = [
        text_column("strategy", rows, 0),
        text_column("smallest", rows, 1),
        *_time_columns("its time", [small for small, _ in ends], counts),
        text_column("largest", rows, 3),
        *_rate_columns("its bandwidth", [large for _, large in ends], counts),
        raw_column("of the link", raw, 5, "%"),
    ]
    heading = "Plain transfers, warm caches"
    return Table(
        "transfers",
        heading,
        head,
        rows,
        raw_head,
        raw,
        paper,
        paper_note=_explain_columns(paper, counts) if ends else "",
        is_key=True,
    )


def _make_fit_table(run: Run) -> Table:
    """Makes the table of lines that `advise` has fitted to transfers."""
    transfer_names = {fit_name(benchmark) for benchmark in run.transfers}
    fits = [fit for fit in run.advice.fits.values() if fit.name in transfer_names]
    rows = [
        [
            fit.name,
            numbers.time(fit.t0_ns),
            numbers.rate(fit.gb_per_s),
            numbers.size(fit.half_bytes) if fit.half_bytes else "-",
            str(fit.lines),
        ]
        for fit in fits
    ]
    raw: list[list[str | float | int | None]] = [
        [
            fit.name,
            fit.t0_ns,
            *fit.t0_interval,
            fit.gb_per_s,
            *fit.rate_interval,
            fit.half_bytes,
            fit.lines,
        ]
        for fit in fits
    ]
    head = ["strategy", "t0", "B", "n½", "lines"]
    raw_head = [
        "strategy",
        *("t0_ns", "t0_ns_low_95", "t0_ns_high_95"),
        *("gb_per_s", "gb_per_s_low_95", "gb_per_s_high_95"),
        "half_bandwidth_bytes",
        "lines",
    ]
    heading = (
        "Time as t0 + n/B, as advise has fitted it (several lines: t0 of the first, B of the last)"
    )
    paper = [
        text_column("strategy", rows, 0),
        raw_column("t0", raw, 1, "µs", 1e3),
        raw_column(LOW, raw, 2, factor=1e3),
        raw_column(HIGH, raw, 3, factor=1e3),
        raw_column("B", raw, 4, "GB/s"),
        raw_column(LOW, raw, 5),
        raw_column(HIGH, raw, 6),
        raw_column("n½", raw, 7, "KiB", 2**10),
        text_column("lines", rows, 4),
    ]
    note = "low and high: the 95 % interval (Student's t, from the residuals of the lines)"
    return Table("fits", heading, head, rows, raw_head, raw, paper, paper_note=note)
