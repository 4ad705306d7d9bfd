"""Makes the table of several runs side by side."""

from __future__ import annotations

from functools import partial

from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.text import column_of, numbers, side_by_side
from plots.text.table import Column, Table, make_table

MOST_WITH_INTERVALS = 3  # runs that stand side by side


def compare_runs(runs: list[tuple[int, Run]]) -> Table | None:
    """Compares the runs' bandwidths with the first run's, at their largest common sizes.

    Copies in both directions at once are compared, too. Returns None if the runs have nothing of
    this in common.
    """
    compared: dict[str, list[Benchmark]] = {}
    told: dict[str, list[bool]] = {}  # whether a run's difference is known
    first_run = runs[0][1]
    both_ways = {
        benchmark.label: benchmark
        for benchmark in first_run.with_role("duplex")
        if benchmark.gb_per_s and first_run.sizes(benchmark)
    }
    comparison = side_by_side.comparison_of(runs)
    left_out = comparison.left_out if comparison else set()
    for label, benchmark in ({one.label: one for one in first_run.transfers} | both_ways).items():
        sizes_by_run = [run.sizes(benchmark) for _, run in runs]
        if not left_out.isdisjoint(one.name for one in sizes_by_run[0].values()):
            continue
        if common := set.intersection(*map(set, sizes_by_run)):
            measured = [sizes[max(common)] for sizes in sizes_by_run]
            known = comparison.transfers.get(measured[0].name, []) if comparison else []
            compared[label] = side_by_side.as_compared(measured, "median_ns", known)
            told[label] = [True, *map(bool, known)] if known else [True] * len(runs)
    if not compared:
        return None

    def rate(place: int, label: str) -> float | None:
        return compared[label][place].gb_per_s

    def shown(place: int, label: str) -> str:
        value = rate(place, label) or 0
        change = (rate(0, label) or 1) / (value or 1) - 1
        is_told = place > 0 and any(told[label][place : place + 1])
        return f"{numbers.rate(value)}{f' ({numbers.signed_percent(change)})' * is_told}"

    names = [f"run {number}" for number, _ in runs]
    counts = column_of.repetitions([one for benchmarks in compared.values() for one in benchmarks])
    first = {label: benchmarks[0] for label, benchmarks in compared.items()}
    columns: list[Column[str]] = [
        Column("strategy", str, paper="strategy"),
        column_of.size("size", first, "bytes", "size"),
    ]
    for i, name in enumerate(names):
        head = f"{name} (time against {names[0]})" if i else name
        columns.append(
            Column(head, partial(shown, i), key=f"gb_per_s of {name}", raw=partial(rate, i))
        )
        of_run = {label: benchmarks[i] for label, benchmarks in compared.items()}
        in_paper = column_of.rates_in_paper(name, of_run, counts)
        columns += in_paper if len(runs) <= MOST_WITH_INTERVALS else in_paper[:1]
    heading = f"Bandwidth of {names[0]} and of the others"
    note = f"{column_of.explain(columns, counts)}{side_by_side.by_process(runs)}"
    return make_table("side_by_side", heading, list(compared), columns, paper_note=note)
