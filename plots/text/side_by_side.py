"""Says what differs between runs of several machines: in a sentence, and question by question."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from plots.model import values
from plots.model.benchmark import Benchmark, Sizes
from plots.model.derive import Run
from plots.model.judged import VERDICTS, Answered, Comparison, Difference, Sentence
from plots.model.no_data import NoData
from plots.model.values import is_positive, mapping
from plots.text import caption, column_of, numbers
from plots.text.table import Table
from plots.text.trust import injected_faults

COST = "cpu_s_per_gb"
UNKNOWN = "not known"
GPU, LINK = "GPU", "link"  # facts that cards show by themselves
MOST_IN_TITLE = 3
COLOURS = "Coloured: significant, with all benchmarks taken together. Grey: not significant."
Numbered = list[tuple[int, Run]]


@dataclass(frozen=True)
class KeyQuestion:
    """Asks for the rate of the largest copies, or for the time of the smallest."""

    text: str
    sizes: Sizes
    is_rate: bool


@dataclass(frozen=True)
class Entry:
    """Holds the answers of runs to a question, and their benchmarks."""

    answered: Answered
    measured: list[Benchmark]

    def show(self, benchmark: Benchmark) -> str:
        """Formats the number of one run."""
        if self.answered.counter == COST:
            return f"{numbers.digits(benchmark.positive_median(COST) or 0)} s/GB"
        rate = benchmark.gb_per_s or 0
        return numbers.rate(rate) if self.answered.is_rate else numbers.time(benchmark.ns)


def describe_differences(runs: Numbered) -> list[Sentence]:
    """Says of each further run what is better or worse than in the first."""
    comparison = comparison_of(runs)
    if comparison is None:
        return []
    problems = [Sentence(f"{text}.", True) for text in comparison.problems]
    if not comparison.sentences:
        return problems
    names = run_names(runs)
    return [
        *(
            Sentence(f"{name} against {names[0]}: {text}.")
            for name, text in zip(names[1:], comparison.sentences, strict=False)
        ),
        *problems,
        Sentence(comparison.explanation),
    ]


def comparison_of(runs: Numbered) -> Comparison | None:
    """Returns what the program says of these runs, or of the first of them."""
    known = [one for count, one in runs[0][1].judged.comparisons.items() if count <= len(runs)]
    return known[-1] if known else None


def comparison_to_draw(runs: Numbered) -> Comparison:
    """Returns the same for figures. Raises NoData if there is nothing to draw."""
    if not are_comparable(runs):
        raise NoData("runs without a GPU, or with injected faults, are not compared")
    if (comparison := comparison_of(runs)) is None:
        raise NoData("bench_transfers, which compares, has no answer")
    return comparison


def compare(runs: Numbered) -> list[Entry]:
    """Compares runs, the first of those with a GPU, at what a reader asks first."""
    comparison = comparison_of(runs)
    entries = []
    for answered in comparison.questions if comparison else []:
        named = zip(answered.benchmarks, runs, strict=False)
        measured = [run.by_name[name] for name, (_, run) in named]
        compared = as_compared(measured, answered.counter, answered.differences)
        entries.append(Entry(answered, compared))
    return entries


def as_compared(
    measured: list[Benchmark], counter: str, differences: Sequence[Difference | None]
) -> list[Benchmark]:
    """Returns benchmarks of runs, the first one's first, with the values that are compared."""
    known = [one for one in differences if one]
    first = known[0].first if known else None
    centres = [first, *(one.second if one else None for one in differences)]
    return [
        benchmark if centre is None else benchmark.as_compared(counter, centre)
        for benchmark, centre in zip_longest(measured, centres)
    ]


def are_comparable(runs: Numbered) -> bool:
    """Tells whether the runs tell of GPUs, and no faults falsified them."""
    return not any(run.on_host or injected_faults(run) for _, run in runs)


def count_significant(differences: list[Difference]) -> str:
    """Says how many of the differences shown are significant, and how many may be."""
    known = [one.known for one in differences]
    significant, unsure = sum(one in VERDICTS for one in known), known.count("needs_runs")
    text = (
        f"{significant or 'None'} of {len(known)} differences {'is' if significant < 2 else 'are'}"
    )
    more = f"; {unsure} may be: more runs would tell" if unsure else ""
    return f"{text} significant{more}."


def run_names(runs: Numbered) -> list[str]:
    """Names runs by what tells them apart: their devices, and otherwise their dates as well."""
    devices = [caption.device_name(run) for _, run in runs]
    dates = [caption.date(run.result) for _, run in runs]
    alike = len(set(devices)) == 1
    both = [
        device if devices.count(device) == 1 else f"{device} of {date}"
        for device, date in zip(devices, dates, strict=True)
    ]
    names = dates if alike else both
    return names if len(set(names)) == len(names) else [f"run {number}" for number, _ in runs]


def title(runs: Numbered) -> str:
    """Returns the title of a page that compares runs; empty if only numbers tell them apart."""
    names = run_names(runs)
    if names == [f"run {number}" for number, _ in runs]:
        return ""
    if len(names) <= MOST_IN_TITLE:
        return caption.listed(names)
    return caption.counted_names([caption.device_name(run) for _, run in runs])


def describe_runs(runs: Numbered) -> str:
    """Says which machine each run is of, and when it was measured, for captions of tables."""
    return "; ".join(
        f"{'run' if i else 'Run'} {number}: {caption.device_name(run)}, "
        f"{caption.describe_origin(run)}"
        for i, (number, run) in enumerate(runs)
    )


def key_questions(run: Run) -> Iterator[KeyQuestion]:
    """Yields what a reader follows over time, where the run has an answer."""
    for asked in run.judged.questions:
        measured = [run.by_name[name] for name in asked.benchmarks]
        sizes = {benchmark.size_bytes or 0: benchmark for benchmark in measured}
        yield KeyQuestion(asked.question, sizes, asked.is_rate)


def make_question_table(runs: Numbered) -> Table:
    """Makes the table of questions by machine; it has no rows if nothing can be compared."""
    comparisons, names = compare(runs), run_names(runs)
    rows: list[list[str]] = []
    raw: list[list[str | float | int | None]] = []
    for entry in comparisons:
        answered, differences = entry.answered, entry.answered.differences[: len(names) - 1]
        shown = [entry.show(benchmark) for benchmark in entry.measured]
        rows.append([answered.subject, *shown, *(one.text + one.doubt for one in differences)])
        counters = [benchmark.positive_median(answered.counter) for benchmark in entry.measured]
        figures = [
            value for one in differences for value in (one.value, one.low, one.high, one.known)
        ]
        asked = (answered.question, answered.size_bytes, answered.counter)
        raw.append([*asked, *counters, *figures])
    against = [f"{name} against {names[0]}" for name in names[1:]]
    shown_against = against if len(names) > 2 else ["difference"]
    interval = comparison.interval if (comparison := comparison_of(runs)) else ""
    head = ["question", *names, *(f"{text} [{interval}]" for text in shown_against)]
    raw_head = ["question", "bytes", "counter", *(f"counter of {name}" for name in names)]
    raw_head += [
        f"{key} of {text}" for text in against for key in ("longer", "low", "high", "known")
    ]
    heading = "Question by question"
    counts = column_of.repetitions([one for entry in comparisons for one in entry.measured])
    note = (
        f"{column_of.explain([], counts)}{by_process(runs)}. Plus is worse than {names[0]}: "
        f"more time, less bandwidth, more work of the CPU. In brackets: {interval}"
    )
    return Table("questions", heading, head, rows, raw_head, raw, note=f"{note}.", paper_note=note)


def by_process(runs: Numbered) -> str:
    """Says what is compared of a run of several processes, if there is one."""
    counts = {mapping(run.result.transfers, "run").get("processes", 1) for _, run in runs}
    return "" if counts == {1} else "; of several processes, the centre of their medians"


def make_fact_table(runs: Numbered) -> Table:
    """Makes the table of the facts that differ between the runs."""
    facts = [_facts(run) for _, run in runs]
    rows = [
        [name, *(entry[name] for entry in facts)]
        for name in facts[0]
        if len({entry[name] for entry in facts}) > 1
    ]
    head = ["fact", *run_names(runs)]
    raw: list[list[str | float | int | None]] = [[*row] for row in rows]
    same = caption.listed(
        [
            name
            for name, value in facts[0].items()
            if value != UNKNOWN and all(entry[name] == value for entry in facts)
        ]
    )
    note = f"What differs between the runs. The same in all: {same or 'nothing'}."
    return Table("facts", "What differs between the machines", head, rows, head, raw, note=note)


def _facts(run: Run) -> dict[str, str]:
    """Returns what describes a run; UNKNOWN where the file lacks it."""
    transfers = run.result.transfers
    device, link, machine, program, about, gpu = (
        mapping(transfers, "device"),
        mapping(transfers, "link"),
        mapping(transfers, "machine"),
        mapping(transfers, "program"),
        mapping(transfers, "run"),
        mapping(mapping(transfers, "clocks"), "gpu"),
    )
    cpu, kernel = mapping(machine, "cpu"), mapping(machine, "kernel")
    unknown = UNKNOWN

    def number(value: object, unit: str) -> str:
        return f"{value:g}{unit}" if is_positive(value) else unknown

    memory = mapping(machine, "memory").get("total_bytes")
    return {
        GPU: caption.device_name(run),
        "driver": values.text(device, "driver_version", unknown),
        LINK: caption.link_name(link) if link else unknown,
        "highest memory clock": number(gpu.get("memory_max_mhz"), " MHz"),
        "processor": values.text(cpu, "model", unknown),
        "logical CPUs": number(cpu.get("logical_cpus_online"), ""),
        "memory of the host": numbers.size(memory) if is_positive(memory) else unknown,
        "kernel": values.text(kernel, "release", unknown),
        "date": caption.date(run.result),
        "profile": values.text(about, "profile", unknown),
        "rounds": number(about.get("rounds"), ""),
        "commit": values.text(program, "git_commit", unknown),
    }
