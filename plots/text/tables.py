"""Makes the tables of a run."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from plots.model.derive import DIRECTIONS, Benchmark, Run
from plots.model.gate import BenchmarkVerdict, Check
from plots.model.headline import headline_strategies
from plots.model.host_map import TRAFFIC, HostMap, Rate
from plots.model.load import Metric
from plots.model.programs import Fit, fit_name
from plots.text import caption, metric_words, numbers, side_by_side, verdict
from plots.text.table import Cell, Column, Row, Table, make_table

LONGEST_FILE_NAME = 40  # letters of a role's name in a file's name
LOW, HIGH = "low", "high"  # heads of the columns of an interval
MOST_WITH_INTERVALS = 3  # runs that stand side by side
# Counters without a column of their own in the table of all benchmarks.
WITHOUT_COLUMN = {
    *metric_words.WORDS,
    "bytes",
    "operations",
    "batch",
    "device_operations",
    "procedure",
} - {"p999_ns"}
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
    links = [
        (f"shared by {host_map.names(link.devices)}", link.capacities) for link in host_map.links
    ]
    rows = [*links, *((device.name, device.alone) for device in host_map.devices)]
    columns: list[Column[tuple[str, Mapping[str, Rate]]]] = [
        Column("link", lambda row: row[0]),
        *(column for kind in TRAFFIC for column in _traffic_columns(kind)),
    ]
    return make_table("links", "What links and devices give", rows, columns)


def _traffic_columns(kind: str) -> list[Column[tuple[str, Mapping[str, Rate]]]]:
    """Returns the columns of a kind of traffic; a rate that is not positive is not known."""

    def numbers_of(row: tuple[str, Mapping[str, Rate]]) -> list[float]:
        rate = row[1].get(kind)
        known = (rate.value, rate.low, rate.high) if rate and rate.value > 0 else ()
        return [number / 1e9 for number in known]

    def text(row: tuple[str, Mapping[str, Rate]]) -> str:
        return numbers.rate_in_interval(*known) if (known := numbers_of(row)) else "-"

    def number(place: int, row: tuple[str, Mapping[str, Rate]]) -> float | None:
        return known[place] if (known := numbers_of(row)) else None

    return [
        Column(f"{kind} [95 %]", text, None),
        *(
            Column("", key=f"{kind}{end}_gb_per_s", raw=partial(number, place))
            for place, end in enumerate(("", "_low", "_high"))
        ),
    ]


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
        Column("class", lambda one: one.class_name or "-", "", lambda one: one.class_name, "class"),
        Column("verdict", said, "", lambda one: one.verdict, "verdict"),
        Column("before", lambda one: value(one.before), "", lambda one: one.before),
        Column("after", lambda one: value(one.after), "", lambda one: one.after),
        Column("slower by", change, "slowdown", lambda one: one.slowdown, "slower by", "%", 0.01),
        Column("95 % interval", verdict.interval, None, paper="95 % interval"),
        Column("", key="interval_95_low", raw=lambda one: one.interval and one.interval[0]),
        Column("", key="interval_95_high", raw=lambda one: one.interval and one.interval[1]),
        Column("p", verdict.probability, "", lambda one: one.p, "p"),
        Column("threshold", threshold, "", lambda one: one.threshold),
        Column("detectable", detectable, "detectable_80", lambda one: one.detectable, "detectable"),
        Column("", key="advisory", raw=lambda one: int(one.advisory)),
        Column("", key="note", raw=lambda one: one.note.text if one.note else ""),
    ]
    heading = "Each benchmark against the baseline (*: advisory)"
    return make_table("checked", heading, check.benchmarks, columns)


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
    in_files: list[Column[Choice]] = [
        Column("direction", lambda one: one.direction, paper="direction"),
        Column("reuse", lambda one: str(one.reuse or "-"), "", lambda one: one.reuse, "uses"),
        Column("size", lambda one: numbers.size(one.bytes), "bytes", lambda one: one.bytes, "size"),
        Column("", key="strategy", raw=lambda one: one.strategy, paper="strategy"),
        Column("", None, "total_ns", lambda one: one.total_ns, "predicted", "µs", 1e3),
        Column("certainty", lambda one: one.certainty, None, paper="certainty"),
        Column("", key="as_good", raw=lambda one: one.as_good),
        Column("", key="next", raw=lambda one: one.next),
        Column("", key="margin", raw=lambda one: one.margin),
        Column("", key="gain", raw=lambda one: one.gain),
        Column("", key="extrapolated", raw=lambda one: int(one.extrapolated)),
    ]
    heading = "What to use: direction, uses of the same memory and size"
    table = make_table("what_to_use", heading, choices, in_files)
    return [replace(table, head=head, rows=rows)]


def compare_runs(runs: list[tuple[int, Run]]) -> Table | None:
    """Compares the runs' bandwidths with the first run's, at their largest common sizes.

    Copies in both directions at once are compared, too. Returns None if the runs have nothing of
    this in common.
    """
    compared: dict[str, list[Benchmark]] = {}
    first_run = runs[0][1]
    both_ways = {
        benchmark.label: benchmark
        for benchmark in first_run.with_role("duplex")
        if benchmark.gb_per_s and first_run.sizes(benchmark)
    }
    comparison = side_by_side.comparison_of(runs)
    left_out = comparison.left_out if comparison else set()
    for label, benchmark in (_transfer_by_label(first_run) | both_ways).items():
        if benchmark.name in left_out:
            continue
        sizes_by_run = [run.sizes(benchmark) for _, run in runs]
        if common := set.intersection(*map(set, sizes_by_run)):
            compared[label] = [sizes[max(common)] for sizes in sizes_by_run]
    if not compared:
        return None

    def rate(place: int, label: str) -> float | None:
        return compared[label][place].gb_per_s

    def shown(place: int, label: str) -> str:
        value = rate(place, label) or 0
        change = value / (rate(0, label) or 1) - 1
        return f"{numbers.rate(value)}{f' ({numbers.signed_percent(change)})' * bool(place)}"

    names = [f"run {number}" for number, _ in runs]
    counts = _repetitions([one for benchmarks in compared.values() for one in benchmarks])
    first = {label: benchmarks[0] for label, benchmarks in compared.items()}
    columns: list[Column[str]] = [
        Column("strategy", str, paper="strategy"),
        _size_of("size", first, "bytes", "size"),
    ]
    for i, name in enumerate(names):
        head = f"{name} (against {names[0]})" if i else name
        columns.append(Column(head, partial(shown, i), f"gb_per_s of {name}", partial(rate, i)))
        of_run = {label: benchmarks[i] for label, benchmarks in compared.items()}
        in_paper = _rate_columns(name, of_run, counts)
        columns += in_paper if len(runs) <= MOST_WITH_INTERVALS else in_paper[:1]
    heading = f"Bandwidth of {names[0]} and of the others"
    note = _explain_columns(columns, counts)
    return make_table("side_by_side", heading, list(compared), columns, paper_note=note)


def _make_headline_table(run: Run) -> Table:
    """Makes the table of the strategies to look at first: the largest and the smallest sizes."""
    ends: dict[str, dict[str, tuple[Benchmark, Benchmark]]] = {}
    names = headline_strategies(run)
    for benchmark in _transfer_by_label(run).values():
        if benchmark.strategy in names:
            sizes = run.sizes(benchmark)
            pair = sizes[min(sizes)], sizes[max(sizes)]
            ends.setdefault(benchmark.strategy, {}).setdefault(benchmark.direction, pair)
    columns: list[Column[str]] = [Column("strategy", str)]
    for direction in DIRECTIONS:
        both = {name: of[direction] for name, of in ends.items() if direction in of}
        small, large = ({name: pair[end] for name, pair in both.items()} for end in (0, 1))
        columns += [
            _size_of("", large, f"{direction}_largest"),
            _rate_of(f"{direction}, largest", large, f"{direction}_gb_per_s"),
            _size_of("", small, f"{direction}_smallest"),
            _time_of(f"{direction}, smallest", small, f"{direction}_median_ns"),
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
    counts = _repetitions([benchmark for pair in pairs.values() for benchmark in pair])
    in_paper: list[Column[tuple[str, str]]] = [
        Column("", lambda key: key[0] * (first[key[0]] == key[1]), None, paper="strategy"),
        Column("", lambda key: key[1], None, paper=""),
        *_rate_columns("", {key: large for key, (_, large) in pairs.items()}, counts),
        *_time_columns("", {key: small for key, (small, _) in pairs.items()}, counts),
    ]
    paper = make_table("", "", list(pairs), in_paper).paper
    return replace(table, paper=paper, paper_note=_explain_columns(in_paper, counts))


def _repetitions(benchmarks: Sequence[Benchmark]) -> list[int]:
    """Lists the numbers of repetitions that benchmarks have, each once."""
    return sorted({benchmark.repetitions for benchmark in benchmarks})


def _rate_columns(
    head: str, of: Mapping[Row, Benchmark], counts: Sequence[int]
) -> list[Column[Row]]:
    """Returns columns of a paper: bandwidths and their intervals."""
    ends = {row: benchmark.rate_interval for row, benchmark in of.items()}
    rates = {row: benchmark.gb_per_s for row, benchmark in of.items()}
    return _with_interval(
        Column("", None, None, rates.__getitem__, head, "GB/s", 1), of, ends, counts
    )


def _time_columns(
    head: str, of: Mapping[Row, Benchmark], counts: Sequence[int]
) -> list[Column[Row]]:
    """Returns columns of a paper: times and their intervals."""
    ends = {row: benchmark.time_interval for row, benchmark in of.items()}
    times = {row: benchmark.ns for row, benchmark in of.items()}
    return _with_interval(
        Column("", None, None, times.__getitem__, head, "µs", 1e3), of, ends, counts
    )


def _with_interval(
    values: Column[Row],
    of: Mapping[Row, Benchmark],
    ends: Mapping[Row, tuple[float, float] | None],
    counts: Sequence[int],
) -> list[Column[Row]]:
    """Returns the columns of a value: it, its interval if one is known, and n if it differs."""

    def more(head: str, raw: Callable[[Row], Cell], per: float = 1) -> Column[Row]:
        return Column("", None, None, raw, head, per=per)

    columns = [values]
    if any(ends.values()):
        columns.append(more(LOW, lambda row: (ends[row] or (None, None))[0], values.per))
        columns.append(more(HIGH, lambda row: (ends[row] or (None, None))[1], values.per))
    if len(counts) > 1:
        columns.append(more("n", lambda row: of[row].repetitions))
    return columns


def _explain_columns(columns: Sequence[Column[Row]], counts: Sequence[int]) -> str:
    """Says of how many repetitions values are the medians, and what their intervals are."""
    heads = {column.paper for column in columns}
    number = "n" if "n" in heads else " to ".join(map(str, (*counts[:1], *counts[1:][-1:])))
    median = "One repetition" if counts == [1] else f"Medians of {number} repetitions"
    interval = "; low and high: their 95 % interval between processes"
    return median + interval if LOW in heads else median


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
        Column("time", time, "median_ns", lambda one: one.ns),
        Column("", key="fastest_ns", raw=lambda one: min(one.values("median_ns"))),
        Column("", key="slowest_ns", raw=lambda one: max(one.values("median_ns"))),
        Column("range", spread, None),
        Column("bandwidth", lambda one: _rate(rate(one)), "gb_per_s", rate),
        Column("", key="link_percent", raw=partial(link_percent, run)),
        Column("", key="device_gb_per_s", raw=lambda one: one.get("device_gb_per_s")),
        Column("", key="cpu_s_per_gb", raw=lambda one: one.get("cpu_s_per_gb")),
        Column("repetitions", lambda one: str(one.repetitions), "", lambda one: one.repetitions),
        *(
            _quantity_column(run, counter, on_page=metric.headline)
            for counter, metric in _custom_metrics(run).items()
        ),
    ]
    heading = "Everything that was measured"
    return make_table("benchmarks", heading, run.benchmarks, columns, of_benchmarks=True)


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
            name, lambda one: one.text(name), key, lambda one: one.rates[name], name, "GB/s", 1
        )

    columns: list[Column[Share]] = [
        Column("copies at once", lambda one: one.of.name, "benchmark", paper="copies at once"),
        rate("in all", "sum_gb_per_s"),
        Column("copy", lambda one: one.copy, paper="copy"),
        rate("at once", "gb_per_s"),
        rate("alone", "alone_gb_per_s"),
        Column(
            "change",
            lambda one: "-" if one.change is None else numbers.change(one.change),
            "change_percent",
            lambda one: None if one.change is None else 100 * one.change,
            "change",
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
        if benchmark.warm:
            by_label.setdefault(benchmark.label, []).append(benchmark)
    metrics = [
        counter
        for counter, metric in run.result.metrics.items()
        if metric.headline
        and any(benchmark.number(counter) is not None for benchmark in run.with_role(role))
    ]
    ends = {
        label: [pick(sizes, key=lambda each: each.size_bytes or 0) for pick in (min, max)]
        for label, sizes in by_label.items()
    }

    small, large = ({label: both[place] for label, both in ends.items()} for place in (0, 1))
    columns: list[Column[str]] = [
        Column("benchmark", str),
        _size_of("smallest", small),
        _time_of("its time", small, "smallest_ns"),
        _size_of("largest", large),
        _time_of("its time", large, "largest_ns"),
        *(_quantity_column(run, counter, large.__getitem__) for counter in metrics),
    ]
    heading = run.result.roles[role].description or role
    return make_table(role, heading[:1].upper() + heading[1:], list(ends), columns)


def _size_of(
    head: str, of: Mapping[Row, Benchmark], key: str = "", paper: str | None = None
) -> Column[Row]:
    """Returns the column of the sizes of benchmarks; rows without one have none."""

    def size(row: Row) -> int | None:
        return of[row].size_bytes if row in of else None

    def text(row: Row) -> str:
        return "-" if size(row) is None else numbers.size(size(row) or 0)

    return Column(head, text, key, size, paper)


def _time_of(head: str, of: Mapping[Row, Benchmark], key: str) -> Column[Row]:
    """Returns the column of the times of benchmarks."""

    def text(row: Row) -> str:
        return numbers.time(of[row].ns) if row in of else "-"

    return Column(head, text, key, lambda row: of[row].ns if row in of else None)


def _rate_of(head: str, of: Mapping[Row, Benchmark], key: str) -> Column[Row]:
    """Returns the column of the bandwidths of benchmarks."""

    def rate(row: Row) -> float | None:
        return of[row].gb_per_s if row in of else None

    return Column(head, lambda row: _rate(rate(row)), key, rate)


def _quantity_column(
    run: Run, counter: str, of: Callable[[Any], Benchmark] = lambda one: one, on_page: bool = True
) -> Column[Any]:
    """Returns the column of a metric, of a benchmark or of that which `of` names."""
    unit = run.result.metrics[counter].unit

    def text(one: Any) -> str:
        value = of(one).number(counter)
        return "-" if value is None else numbers.quantity(value, unit)

    key = counter if unit in ("", "1") else f"{counter} ({unit})"
    head = counter.replace("_", " ")
    return Column(head, text if on_page else None, key, lambda one: of(one).number(counter))


def _rate(rate: float | None) -> str:
    return numbers.rate(rate) if rate else "-"


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
    small, large = {}, {}
    for label, benchmark in _transfer_by_label(run).items():
        sizes = run.sizes(benchmark)
        small[label], large[label] = sizes[min(sizes)], sizes[max(sizes)]
    counts = _repetitions([*small.values(), *large.values()])

    def share(label: str) -> float | None:
        return link_percent(run, large[label])

    def share_text(label: str) -> str:
        return f"{share(label):.0f} %" if share(label) else "-"

    columns: list[Column[str]] = [
        Column("strategy", str, paper="strategy"),
        _size_of("smallest", small, paper="smallest"),
        _time_of("its time", small, "median_ns"),
        *_time_columns("its time", small, counts),
        _size_of("largest", large, paper="largest"),
        _rate_of("its bandwidth", large, "gb_per_s"),
        *_rate_columns("its bandwidth", large, counts),
        Column("of the link", share_text, "link_percent", share, "of the link", "%", 1),
    ]
    note = _explain_columns(columns, counts) if small else ""
    heading = "Plain transfers, warm caches"
    return make_table("transfers", heading, list(small), columns, paper_note=note, is_key=True)


def _make_fit_table(run: Run) -> Table:
    """Makes the table of lines that `advise` has fitted to transfers."""
    transfer_names = {fit_name(benchmark) for benchmark in run.transfers}
    fits = [fit for fit in run.advice.fits.values() if fit.name in transfer_names]

    def half(fit: Fit) -> str:
        return numbers.size(fit.half_bytes) if fit.half_bytes else "-"

    columns: list[Column[Fit]] = [
        Column("strategy", lambda fit: fit.name, paper="strategy"),
        Column("t0", lambda f: numbers.time(f.t0_ns), "t0_ns", lambda f: f.t0_ns, "t0", "µs", 1e3),
        Column("", None, "t0_ns_low_95", lambda fit: fit.t0_interval[0], LOW, per=1e3),
        Column("", None, "t0_ns_high_95", lambda fit: fit.t0_interval[1], HIGH, per=1e3),
        Column(
            "B",
            lambda f: numbers.rate(f.gb_per_s),
            "gb_per_s",
            lambda f: f.gb_per_s,
            "B",
            "GB/s",
            1,
        ),
        Column("", None, "gb_per_s_low_95", lambda fit: fit.rate_interval[0], LOW, per=1),
        Column("", None, "gb_per_s_high_95", lambda fit: fit.rate_interval[1], HIGH, per=1),
        Column("n½", half, "half_bandwidth_bytes", lambda f: f.half_bytes, "n½", "KiB", 2**10),
        Column("lines", lambda fit: str(fit.lines), "", lambda fit: fit.lines, "lines"),
    ]
    heading = (
        "Time as t0 + n/B, as advise has fitted it (several lines: t0 of the first, B of the last)"
    )
    note = "low and high: the 95 % interval (Student's t, from the residuals of the lines)"
    return make_table("fits", heading, fits, columns, paper_note=note)
