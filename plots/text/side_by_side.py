"""Says what differs between runs of several machines: in a sentence, and question by question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from plots.model import values
from plots.model.derive import Benchmark, Run, Sizes
from plots.model.judged import Sentence
from plots.model.ranks import ONE_PROCESS
from plots.model.significance import TIME, Ratio, is_clearly_larger, ratio, why_not_known
from plots.model.values import is_positive, mapping
from plots.text import caption, numbers
from plots.text.table import Table
from plots.text.trust import injected_faults

COST = "cpu_s_per_gb"
UNKNOWN = "not known"
GPU, LINK = "GPU", "link"  # facts that cards show by themselves
SMALL = 64 * 2**10
MOST_IN_TITLE = 3
DIRECTIONS = (("h2d", "to the device"), ("d2h", "to the host"))
Numbered = list[tuple[int, Run]]


@dataclass(frozen=True)
class KeyQuestion:
    """Asks for the rate of the largest copies, or for the time of the smallest."""

    text: str
    sizes: Sizes
    is_rate: bool = True


@dataclass(frozen=True)
class Question:
    """Asks for one number of a run: its benchmarks by size, and the counter that decides.

    Less of the counter is better: less time, or less work of the CPU.
    """

    text: str
    sizes: Sizes
    counter: str = TIME
    place: int | None = None  # a size; None: the largest
    is_rate: bool = True  # shown as a rate, not as a time

    def show(self, benchmark: Benchmark) -> str:
        """Formats the number of one run."""
        if self.counter == COST:
            return f"{numbers.digits(benchmark.get(COST) or 0)} s/GB"
        return numbers.rate(benchmark.gb_per_s or 0) if self.is_rate else numbers.time(benchmark.ns)


@dataclass(frozen=True)
class Comparison:
    """Holds the answers of all runs to a question, and the advantage of each over the first."""

    question: Question
    size: int
    measured: list[Benchmark]

    def gain(self, place: int) -> Ratio:
        """Returns how many times as good as the first run another is."""
        return ratio(self.measured[0], self.measured[place], self.question.counter)

    def clearly(self, place: int) -> int:
        """Returns 1 if it is clearly better than the first run, -1 if clearly worse, else 0.

        Too few repetitions show nothing clearly.
        """
        return clear_sign(self.measured[0], self.measured[place], self.question.counter)

    def why_not_known(self, place: int) -> str:
        """Says why it is not known if the difference to the first run is chance, or nothing."""
        return why_not_known(self.measured[0], self.measured[place], self.question.counter)

    @property
    def subject(self) -> str:
        """Returns the question with its size."""
        named = self.question.place is not None
        return self.question.text if named else f"{self.question.text}, {numbers.size(self.size)}"


def clear_sign(first: Benchmark, other: Benchmark, counter: str = TIME) -> int:
    """Returns 1 if the other has clearly less of a counter, -1 if clearly more, else 0."""
    if is_clearly_larger(first, other, ONE_PROCESS, counter):
        return 1
    return -1 if is_clearly_larger(other, first, ONE_PROCESS, counter) else 0


def describe_differences(runs: Numbered) -> list[Sentence]:
    """Says of each further run what is clearly better or worse than in the first."""
    comparisons = compare(runs)
    if not comparisons:
        return []
    names = run_names(runs)
    return [
        *(_describe(comparisons, place, names) for place in range(1, len(runs))),
        Sentence(
            "A difference is clear if it is 2 % or more, since two processes of one machine may "
            "differ by less, and if 95 % of all pairs of repetitions agree. Each run is one "
            "process: a difference may be that of the hosts, and of what else ran there."
        ),
    ]


def compare(runs: Numbered) -> list[Comparison]:
    """Compares runs at what a reader asks first, where all of them have an answer."""
    if not are_comparable(runs):
        return []
    asked = [{question.text: question for question in _questions(run)} for _, run in runs]
    comparisons = []
    for text, question in asked[0].items():
        if not all(text in questions for questions in asked):
            continue
        series = [_with_counter(questions[text]) for questions in asked]
        common = set.intersection(*map(set, series))
        size = max(common, default=0) if question.place is None else question.place
        if size in common:
            comparisons.append(Comparison(question, size, [sizes[size] for sizes in series]))
    return comparisons


def are_comparable(runs: Numbered) -> bool:
    """Tells whether the runs tell of GPUs, and no faults falsified them."""
    return not any(run.on_host or injected_faults(run) for _, run in runs)


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


def _with_counter(question: Question) -> Sizes:
    return {
        size: benchmark
        for size, benchmark in question.sizes.items()
        if benchmark.get(question.counter)
    }


def key_questions(run: Run) -> Iterator[KeyQuestion]:
    """Yields what a reader follows over time, where the run has an answer."""
    asked = [
        *_large_copies(run),
        *(
            KeyQuestion(f"small pinned copy {phrase}", _small(run, direction), is_rate=False)
            for direction, phrase in DIRECTIONS
        ),
    ]
    return (question for question in asked if question.sizes)


def _large_copies(run: Run) -> Iterator[KeyQuestion]:
    for memory in ("pinned", "pageable"):
        for direction, phrase in DIRECTIONS:
            yield KeyQuestion(f"{memory} memory {phrase}", _copies(run, direction, memory))
    yield KeyQuestion("pinned memory both ways at once", run.plainest("duplex", memory="pinned"))


def _small(run: Run, direction: str) -> Sizes:
    sizes = _copies(run, direction, "pinned")
    return {size: benchmark for size, benchmark in sizes.items() if size <= SMALL}


def _copies(run: Run, direction: str, memory: str, method: str | None = None) -> Sizes:
    return run.plainest("copy", direction=direction, memory=memory, method=method, in_place=False)


def _questions(run: Run) -> Iterator[Question]:
    for key in _large_copies(run):
        yield Question(key.text, key.sizes)
    for direction, phrase in DIRECTIONS:
        text = f"pageable memory {phrase}, staged"
        yield Question(text, _copies(run, direction, "pageable", "staged"))
    for direction, phrase in DIRECTIONS:
        sizes = _copies(run, direction, "pinned")
        for size in [SMALL, *([min(sizes)] if sizes and min(sizes) < SMALL else [])]:
            text = f"time of a small copy {phrase}, pinned memory, {numbers.size(size)}"
            yield Question(text, sizes, place=size, is_rate=False)
    for memory in ("pinned", "pageable"):
        yield Question(
            f"work of the CPU, {memory} memory to the device", _copies(run, "h2d", memory), COST
        )


def _describe(comparisons: list[Comparison], place: int, names: list[str]) -> Sentence:
    better, worse = (
        [
            f"{entry.subject} ({describe_gain(entry.gain(place))})"
            for entry in comparisons
            if entry.clearly(place) == sign
        ]
        for sign in (1, -1)
    )
    unknown = Counter(filter(None, (entry.why_not_known(place) for entry in comparisons)))
    alike = len(comparisons) - len(better) - len(worse) - unknown.total()
    of_all = f"of {len(comparisons)} questions"
    parts = [
        f"clearly better at {caption.listed(better)}" if better else "",
        f"clearly worse at {caption.listed(worse)}" if worse else "",
        f"not clearly different at {alike} {of_all}" if alike else "",
        *(f"{why} at {count} {of_all}: no interval" for why, count in unknown.items()),
    ]
    return Sentence(f"{names[place]} against {names[0]}: {'; '.join(filter(None, parts))}.")


def _describe_doubt(entry: Comparison, place: int) -> str:
    """Says that a difference is not clear, and why, if that is not seen from its interval."""
    gain = entry.gain(place)
    if gain.interval is None:
        return f", {entry.why_not_known(place)}: no interval"
    if gain.interval[0] <= 1 <= gain.interval[1]:
        return ", not clear"
    is_large = max(gain.value, 1 / gain.value) >= ONE_PROCESS
    return f", not clear: {'repetitions overlap' if is_large else 'less than 2 %'}"


def describe_gain(gain: Ratio) -> str:
    """Formats by how much better or worse it is, with the interval."""
    text = numbers.signed_percent(gain.value - 1)
    if gain.interval is None:
        return text
    low, high = (numbers.signed_percent(end - 1).removesuffix(" %") for end in gain.interval)
    return f"{text} [{low}, {high}]"


def make_question_table(runs: Numbered) -> Table:
    """Makes the table of questions by machine; it has no rows if nothing can be compared."""
    comparisons, names = compare(runs), run_names(runs)
    rows: list[list[str]] = []
    raw: list[list[str | float | int | None]] = []
    for entry in comparisons:
        shown = [entry.question.show(benchmark) for benchmark in entry.measured]
        cells, figures = [], []
        for place in range(1, len(names)):
            gain, clear = entry.gain(place), entry.clearly(place)
            cells.append(f"{describe_gain(gain)}{'' if clear else _describe_doubt(entry, place)}")
            figures += [gain.value, *(gain.interval or (None, None)), clear]
        rows.append([entry.subject, *shown, *cells])
        counters = [benchmark.get(entry.question.counter) for benchmark in entry.measured]
        raw.append([entry.question.text, entry.size, entry.question.counter, *counters, *figures])
    against = [f"{name} against {names[0]}" for name in names[1:]]
    shown_against = against if len(names) > 2 else ["difference"]
    head = ["question", *names, *(f"{text} [95 % within the runs]" for text in shown_against)]
    raw_head = ["question", "bytes", "counter", *(f"counter of {name}" for name in names)]
    raw_head += [
        f"{key} of {text}" for text in against for key in ("gain", "gain_low", "gain_high", "clear")
    ]
    heading = "Question by question"
    note = (
        "Plus is better: more bandwidth, less time, less work of the CPU. In brackets: the 95 % "
        "interval within the runs, from all pairs of repetitions. Processes differ by more."
    )
    return Table("questions", heading, head, rows, raw_head, raw, note=note)


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
