"""Writes the section of a paper that says how numbers were measured, from the facts in the files.

What every run shares is said once. What the procedure is and no file says is in docs/METHOD.md.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from plots.model import values
from plots.model.derive import Benchmark, Run
from plots.model.values import is_number, is_positive, mapping
from plots.text import caption, latex, numbers, trust

MOST_DESCRIBED = 12  # runs; of more, a text would be a table
NO_METHOD = (
    *("--profile", "--seed", "--out", "--benchmark_out", "--benchmark_repetitions"),
    *("--note", "--label", "--quiet"),
)


@dataclass(frozen=True)
class Unknown:
    """Names what the file lacks."""

    name: str


Facts = Iterator[str | Unknown]
Topic = Callable[[Run], Facts]


def format_method(runs: Sequence[tuple[int, Run]]) -> dict[str, bytes]:
    """Returns the text, plain and for LaTeX: contents by file name."""
    paragraphs = describe_method(runs)
    tex = (f"\\begin{{sloppypar}}\n{latex.prose(text)}\n\\end{{sloppypar}}" for text in paragraphs)
    return {
        "method.txt": "\n\n".join(paragraphs).encode() + b"\n",
        "method.tex": "\n\n".join((latex.PACKAGES, *tex)).encode() + b"\n",
    }


def describe_method(runs: Sequence[tuple[int, Run]]) -> list[str]:
    """Returns the paragraphs: those of one run, or what runs share and then what differs."""
    shown = runs[:MOST_DESCRIBED]
    of_runs = [_topics(run) for _, run in shown]
    in_all = set.intersection(*(set(chain(*topics)) for topics in of_runs))
    paragraphs = [
        " ".join(shared)
        for topic in of_runs[0]
        if (shared := [text for text in topic if text in in_all])
    ]
    if len(runs) == 1:
        return paragraphs
    names = caption.listed([f"run {number} ({caption.device_name(run)})" for number, run in shown])
    omitted = caption.count(len(runs) - len(shown), "more run")
    rest = f" {omitted} of this report are not described." if omitted else ""
    return [
        f"{len(shown)} runs were measured: {names}.{rest} For all of them:",
        *paragraphs,
        *(
            f"Run {number} ({caption.device_name(run)}): {' '.join(own)}"
            for (number, run), topics in zip(shown, of_runs, strict=True)
            if (own := [text for text in chain(*topics) if text not in in_all])
        ),
    ]


def _topics(run: Run) -> list[list[str]]:
    """Returns the sentences of each topic; the last has also what is not known."""
    topics = IMPORTED if mapping(run.result.transfers, "imported") else TOPICS
    facts = [[*topic(run)] for topic in topics]
    known = [[fact for fact in topic if isinstance(fact, str)] for topic in facts]
    unknown = [fact.name for fact in chain(*facts) if isinstance(fact, Unknown)]
    unknown += [found.unknown for found in run.judged.findings if found.about != "rate"]
    if listed := caption.listed(list(dict.fromkeys(filter(None, unknown)))):
        known[-1].append(f"Not known: {listed}.")
    return known


def _known(value: Any, unknown: str, sentence: str) -> str | Unknown:
    """Returns a sentence with a text of the file, or what is not known if there is none."""
    text = values.printable(value)
    return sentence.format(text) if text else Unknown(unknown)


def _describe_machine(run: Run) -> Facts:
    """Says what was measured, when, and on which machine."""
    result = run.result
    device = mapping(result.transfers, "device")
    machine = mapping(result.transfers, "machine")
    yield f"The measurement began on {caption.date(result)}."
    if run.on_host:
        yield "No GPU was measured: copies are within the memory of the host."
    else:
        yield f"Data were transferred between host memory and one {caption.device_name(run)}."
        yield _describe_link(run)
        cuda = _cuda(device, "driver")
        driver = values.printable(device.get("driver_version"))
        yield f"The GPU's driver is {driver}{cuda}." if driver else Unknown("the driver's version")
        yield _known(
            device.get("runtime_cuda_version"),
            "the CUDA runtime's version",
            "The CUDA runtime is {}.",
        )
    if mapping(device, "emulated_link"):
        yield "The link is emulated: its rates are settings."
    if device.get("mig") is True:
        yield "The device is an instance of a GPU (MIG), whose link others may use."
    yield from _describe_host(machine)
    yield from _describe_virtualisation(machine)
    for seen in run.judged.about("gpu_clocks", "cpu_clocks"):
        if not seen.unknown:
            yield seen.text
    if governor := values.text(mapping(machine, "cpu"), "governor", ""):
        yield f"The CPU's frequency governor is {governor}."


def _cuda(device: dict[str, Any], part: str) -> str:
    version = values.text(device, f"{part}_cuda_version", "")
    return f", for CUDA up to {version}" if version else ""


def _describe_link(run: Run) -> str | Unknown:
    link = mapping(run.result.transfers, "link")
    if not run.link_limit:
        return Unknown("the link and its rate")
    rates = f"{run.link_limit:.2f} GB/s in each direction after line coding"
    if run.packet_limit:
        low, high = (f"{limit:.2f}" for limit in run.packet_limit)
        rates += f", of which packet headers leave {low}{f' to {high}' if low != high else ''} GB/s"
    return f"The link under load is {caption.link_name(link)}: {rates}."


def _describe_host(machine: dict[str, Any]) -> Facts:
    kernel = mapping(machine, "kernel")
    system = filter(None, (values.text(kernel, key, "") for key in ("system", "release")))
    systems = [name for name in (values.text(machine, "os", ""), " ".join(system)) if name]
    model = mapping(machine, "cpu").get("model")
    yield _known(model, "the processor", "The host's CPU is {}.")
    sizes = trust.host_sizes(machine)
    if size := caption.listed([*filter(None, sizes)]):
        yield f"The host has {size}."
    if not all(sizes):
        yield Unknown("the host's CPUs, nodes or memory")
    yield _known(" on ".join(systems), "the operating system", "The host runs {}.")


def _describe_virtualisation(machine: dict[str, Any]) -> Facts:
    if "virtualisation" not in machine:
        return  # that it is not known who shares the host says so, too
    hypervisor = values.text(mapping(machine, "virtualisation"), "hypervisor", "")
    container = values.text(mapping(machine, "process"), "container", "")
    seen = (
        f"The host is a virtual machine ({hypervisor})" if hypervisor else "No hypervisor was seen"
    )
    inside = f"; the process ran in a container ({container})" if container else ""
    yield f"{seen}{inside}."


def _describe_procedure(run: Run) -> Facts:
    """Says with which program and options it was measured, in which order and how often."""
    info, program = (mapping(run.result.transfers, key) for key in ("run", "program"))
    commit = values.text(program, "git_commit", "")
    toolkit = values.text(program, "cuda_toolkit", "")
    built = [
        f"commit {commit}" if commit else "",
        f"built as {values.text(program, 'build_type', '')}" if "build_type" in program else "",
        values.text(program, "compiler", ""),
        f"CUDA toolkit {toolkit}" if toolkit else "",
    ]
    version = values.text(program, "version", "of an unknown version")
    details = ", ".join(filter(None, built)) or "commit unknown"
    yield f"The program is bench_transfers {version} ({details})."
    if not commit:
        yield Unknown("the program's commit")
    if not (toolkit or run.on_host):
        yield Unknown("the CUDA toolkit")
    profile = values.text(info, "profile", "unknown")
    options = _options(info)
    chosen = f" and the options {options}" if options else ""
    yield f"The program ran with the profile {profile}{chosen}."
    yield _describe_sizes(info)
    yield from _describe_rounds(run, info)
    if not run.result.complete:
        yield "The run did not end by itself: part of it is missing."
    yield from _describe_faults(run)


def _describe_import(run: Run) -> Facts:
    imported = mapping(run.result.transfers, "imported")
    program = values.text(imported, "program", "another program")
    version = values.text(imported, "version", "of an unknown version")
    yield (
        f"The values were measured by {program} {version} and imported by bench_transfers. "
        "Its documentation says what is timed, and how."
    )
    yield Unknown("how data were verified")
    yield from _describe_faults(run)


def _nothing(_: Run) -> Facts:
    yield from ()


def _options(info: dict[str, Any]) -> str:
    """Returns the options that chose what was measured, which older files have as their command."""
    for key in ("options", "command_line"):
        words = info.get(key)
        if isinstance(words, list):
            texts = [values.printable(word) for word in words]
            return shlex.join(_of_method(texts[1:] if key == "command_line" else texts))
    return ""


def _of_method(words: list[str]) -> list[str]:
    """Returns the options without those that say where results go, each in one word or in two."""
    chosen, is_value = [], False
    for word in words:
        option, is_set, _ = word.partition("=")
        if is_value and not word.startswith("-"):
            is_value = False
        elif option in NO_METHOD:
            is_value = not is_set
        else:
            is_value = False
            chosen.append(word)
    return chosen


def _describe_sizes(info: dict[str, Any]) -> str | Unknown:
    texts = [
        f"{state} caches, {_sizes(sizes)}"
        for key, state in (("sizes", "warm"), ("cold_sizes", "cold"))
        if (sizes := sorted(filter(is_positive, values.member(info, key, list) or [])))
    ]
    if not texts:
        return Unknown("the sizes that were planned")
    return f"The sizes are, with {'; with '.join(texts)}. Some strategies have fewer."


def _sizes(sizes: list[float]) -> str:
    """Returns how many sizes there are, from which to which."""
    if len(sizes) < 4:
        return caption.listed(list(map(numbers.size, sizes)))
    return f"{len(sizes)} from {numbers.size(sizes[0])} to {numbers.size(sizes[-1])}"


def _describe_rounds(run: Run, info: dict[str, Any]) -> Facts:
    seed, least, count = (info.get(key) for key in ("seed", "min_time_ms", "rounds"))
    processes = len(run.result.in_parts)
    process = "One process" if processes == 1 else f"{processes} processes, one after another,"
    rounds = caption.count(int(count), "round") if is_positive(count) else "rounds"
    if is_positive(least):
        rounds += f", each benchmark for about {least:g} ms and at least three operations"
    yield f"{process} measured in {rounds}."
    if info.get("random_order") is True:
        yield "The order was shuffled anew for each round."
    yield from _describe_seeds([part.get("seed", seed) for part in run.result.in_parts])
    yield _describe_repetitions(run)


def _describe_seeds(of_parts: list[Any]) -> Facts:
    """Says what repeats the order and the data: all digits, or it repeats nothing."""
    seeds = dict.fromkeys(str(int(seed)) for seed in of_parts if is_number(seed))
    what = "seed of order and data is" if len(seeds) == 1 else "seeds of order and data are"
    if seeds:
        yield f"The {what} {caption.listed(list(seeds))}."


def _describe_repetitions(run: Run) -> str:
    transfers = {benchmark.name for benchmark in run.transfers}
    others = [benchmark for benchmark in run.benchmarks if benchmark.name not in transfers]
    ours, theirs, every = map(_repetitions, (run.transfers, others, run.benchmarks))
    if not (ours and theirs) or ours == theirs:
        return f"Each benchmark has {every}."
    return f"Each transfer has {ours}, each other benchmark {theirs}."


def _repetitions(benchmarks: list[Benchmark]) -> str:
    counts = sorted({benchmark.repetitions for benchmark in benchmarks})
    most = caption.count(counts[-1], "repetition") if counts else ""
    return f"{counts[0]} to {most}" if len(counts) > 1 else most


def _describe_faults(run: Run) -> Facts:
    if faults := trust.injected_faults(run):
        yield f"Faults were injected on purpose ({', '.join(faults)})."
    if run.failed:
        yield f"{caption.count(len(run.failed), 'benchmark')} failed: no value is shown."


def _describe_timing(run: Run) -> Facts:
    """Says what the clock times, how caches were prepared, what was verified."""
    clock = mapping(run.result.transfers, "clock")
    name = values.text(clock, "name", "which one is not known")
    read, resolution = (clock.get(key) for key in ("read_ns", "resolution_ns"))
    yield (
        f"Times are wall times of the host's clock ({name}), from the call until the data are "
        "usable at the destination; the wait for the stream is part of them."
    )
    if is_positive(read):
        yield f"To read the clock takes {numbers.time(read)}."
    if is_positive(resolution):
        yield f"The clock's resolution is {numbers.time(resolution)}."
    if any("device_ns" in row for row in run.result.rows):
        yield "CUDA events time what is called device_ns or device_gb_per_s, and nothing else."
    yield (
        "Before each repetition each cache line of the host's side is flushed, and the "
        "operation runs untimed; later operations find caches as the ones before left them "
        "(warm)."
    )
    if any(benchmark.cold for benchmark in run.benchmarks):
        yield "Where caches are cold, the lines are flushed before every operation."
    if any(not (benchmark.cold or benchmark.warm) for benchmark in run.benchmarks):
        yield (
            "Where threads have written the memory, they load and store each of its lines before "
            "every operation."
        )
    yield (
        "Before each repetition the destination is filled with other bytes; after it every "
        "byte is compared with the source's, and a wrong one fails the benchmark."
    )


def _describe_statistics(run: Run) -> Facts:
    """Says what a number is, and what its interval."""
    yield (
        "A time is the median of its repetitions, of which each is the median of its "
        "operations; a bandwidth is the number of bytes divided by that time (1 GB = 10⁹ "
        "bytes)."
    )
    yield (
        "A process is the unit of repetition. Intervals of medians hold with 95 % the median "
        "of seven other processes of the machine: Student's t of the logarithms of the medians "
        "of the processes, whose variances are drawn towards that of all benchmarks that the "
        "same part of the machine limits (Smyth). A run of one process has none."
    )
    yield (
        "Intervals of ratios of strategies have 95 %, from all pairs of repetitions (Mann and "
        "Whitney). They describe the spread within the run; processes of one machine may "
        "differ by more."
    )
    if run.judged.comparisons:
        yield (
            "A difference between runs is significant if the intervals that hold for all "
            "benchmarks together with 95 % (Bonferroni) do not contain zero. They are of processes "
            "and sessions. If neither run has three processes, they are of repetitions, and no "
            "difference is called significant."
        )


TOPICS: tuple[Topic, ...] = (
    _describe_machine,
    _describe_procedure,
    _describe_timing,
    _describe_statistics,
)
# What is not known is a paragraph of its own.
IMPORTED: tuple[Topic, ...] = (_describe_machine, _describe_import, _nothing)
