"""Writes the section of a paper that says how numbers were measured, from the facts in the files.

What every run shares is said once. What the procedure is and no file says is in docs/METHOD.md.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from plots.model import values
from plots.model.derive import Benchmark, Run
from plots.model.values import is_number, is_positive, mapping
from plots.text import caption, latex, numbers, trust

MOST_DESCRIBED = 12  # runs; of more, a text would be a table
NO_METHOD = ("--profile", "--seed", "--out", "--benchmark_out", "--benchmark_repetitions")


@dataclass(frozen=True)
class Fact:
    """Holds a sentence, and the name of what it would say if the file did not lack it."""

    text: str = ""
    unknown: str = ""


EVENTS = "CUDA events time what is called device_ns or device_gb_per_s, and nothing else."
Topic = Callable[[Run], list[Fact]]


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
    facts = [[[*_sentences(topic, run)] for topic in TOPICS] for _, run in shown]
    shared = [
        [text for text in facts[0][i] if all(text in of_run[i] for of_run in facts)]
        for i in range(len(TOPICS))
    ]
    if len(runs) == 1:
        return _paragraphs(shared)
    names = caption.listed([f"run {number} ({caption.device_name(run)})" for number, run in shown])
    omitted = len(runs) - len(shown)
    rest = f" {caption.count(omitted, 'more run')} of this report are not described." * bool(
        omitted
    )
    return [
        f"{len(shown)} runs were measured: {names}.{rest} For all of them:",
        *_paragraphs(shared),
        *(
            f"Run {number} ({caption.device_name(run)}): {' '.join(own)}"
            for (number, run), of_run in zip(shown, facts, strict=True)
            if (
                own := [
                    text
                    for i, topic in enumerate(of_run)
                    for text in topic
                    if text not in shared[i]
                ]
            )
        ),
    ]


def _paragraphs(topics: Iterable[list[str]]) -> list[str]:
    return [" ".join(sentences) for sentences in topics if sentences]


def _sentences(topic: Topic, run: Run) -> list[str]:
    return [fact.text for fact in topic(run) if fact.text]


def _known(value: Any, unknown: str, sentence: Callable[[str], str]) -> Fact:
    """Returns a fact about a text of the file, or what is not known if there is none."""
    text = values.printable(value)
    return Fact(sentence(text)) if text else Fact(unknown=unknown)


def _describe_machine(run: Run) -> list[Fact]:
    """Says what was measured, when, and on which machine."""
    result = run.result
    device = mapping(result.transfers, "device")
    machine = mapping(result.transfers, "machine")
    facts = [Fact(f"The measurement began on {caption.date(result)}.")]
    if run.on_host:
        facts.append(Fact("No GPU was measured: copies are within the memory of the host."))
    else:
        facts += [
            Fact(f"Data were transferred between host memory and one {caption.device_name(run)}."),
            _describe_link(run),
            _known(
                device.get("driver_version"),
                "the driver's version",
                lambda driver: f"The GPU's driver is {driver}{_cuda(device, 'driver')}.",
            ),
            _known(
                device.get("runtime_cuda_version"),
                "the CUDA runtime's version",
                lambda runtime: f"The CUDA runtime is {runtime}.",
            ),
        ]
    if mapping(device, "emulated_link"):
        facts.append(Fact("The link is emulated: its rates are settings."))
    if device.get("mig") is True:
        facts.append(Fact("The device is an instance of a GPU (MIG), whose link others may use."))
    return [
        *facts,
        *_describe_host(machine),
        _describe_virtualisation(machine),
        *(
            Fact(seen.text)
            for seen in run.judged.about("gpu_clocks", "cpu_clocks")
            if not seen.unknown
        ),
        *_describe_governor(machine),
    ]


def _cuda(device: dict[str, Any], part: str) -> str:
    version = values.text(device, f"{part}_cuda_version", "")
    return f", for CUDA up to {version}" if version else ""


def _describe_link(run: Run) -> Fact:
    link = mapping(run.result.transfers, "link")
    if not run.link_limit:
        return Fact(unknown="the link and its rate")
    rates = f"{run.link_limit:.2f} GB/s in each direction after line coding"
    if run.packet_limit:
        low, high = (f"{limit:.2f}" for limit in run.packet_limit)
        rates += f", of which packet headers leave {low}{f' to {high}' if low != high else ''} GB/s"
    return Fact(f"The link under load is {caption.link_name(link)}: {rates}.")


def _describe_host(machine: dict[str, Any]) -> list[Fact]:
    cpu, kernel = mapping(machine, "cpu"), mapping(machine, "kernel")
    memory = mapping(machine, "memory").get("total_bytes")
    count, nodes = cpu.get("logical_cpus_online"), cpu.get("numa_nodes")
    parts = [
        caption.count(int(count), "logical CPU") if is_positive(count) else "",
        caption.count(int(nodes), "NUMA node") if is_positive(nodes) else "",
        f"{memory / 2**30:.0f} GiB of memory" if is_positive(memory) else "",
    ]
    size = caption.listed([part for part in parts if part])
    system = filter(None, (values.text(kernel, key, "") for key in ("system", "release")))
    systems = [name for name in (values.text(machine, "os", ""), " ".join(system)) if name]
    return [
        _known(cpu.get("model"), "the processor", lambda model: f"The host's CPU is {model}."),
        Fact(
            f"The host has {size}." if size else "",
            "" if all(parts) else "the host's CPUs, nodes or memory",
        ),
        _known(" on ".join(systems), "the operating system", lambda name: f"The host runs {name}."),
    ]


def _describe_virtualisation(machine: dict[str, Any]) -> Fact:
    if "virtualisation" not in machine:
        return Fact()  # that it is not known who shares the host says so, too
    hypervisor = values.text(mapping(machine, "virtualisation"), "hypervisor", "")
    container = values.text(mapping(machine, "process"), "container", "")
    inside = f"; the process ran in a container ({container})" if container else ""
    if hypervisor:
        return Fact(f"The host is a virtual machine ({hypervisor}){inside}.")
    return Fact(f"No hypervisor was seen{inside}.")


def _describe_governor(machine: dict[str, Any]) -> list[Fact]:
    governor = values.text(mapping(machine, "cpu"), "governor", "")
    return [Fact(f"The CPU's frequency governor is {governor}.")] if governor else []


def _describe_procedure(run: Run) -> list[Fact]:
    """Says with which program and options it was measured, in which order and how often."""
    transfers = run.result.transfers
    imported = mapping(transfers, "imported")
    if imported:
        return _describe_import(run, imported)
    info, program = mapping(transfers, "run"), mapping(transfers, "program")
    commit = values.text(program, "git_commit", "")
    toolkit = values.text(program, "cuda_toolkit", "")
    built = [
        f"commit {commit}" if commit else "",
        f"built as {values.text(program, 'build_type', '')}" * ("build_type" in program),
        values.text(program, "compiler", ""),
        f"CUDA toolkit {toolkit}" if toolkit else "",
    ]
    version = values.text(program, "version", "of an unknown version")
    profile = values.text(info, "profile", "unknown")
    options = _options(info)
    return [
        Fact(
            f"The program is bench_transfers {version} "
            f"({', '.join(part for part in built if part) or 'commit unknown'}).",
            "" if commit else "the program's commit",
        ),
        Fact(unknown="" if toolkit or run.on_host else "the CUDA toolkit"),
        Fact(
            f"The program ran with the profile {profile}"
            + (f" and the options {options}." * bool(options) or ".")
        ),
        _describe_sizes(info),
        *_describe_rounds(run, info),
        _describe_end(run),
        *_describe_faults(run),
    ]


def _describe_import(run: Run, imported: dict[str, Any]) -> list[Fact]:
    program = values.text(imported, "program", "another program")
    version = values.text(imported, "version", "of an unknown version")
    return [
        Fact(
            f"The values were measured by {program} {version} and imported by bench_transfers. "
            "Its documentation says what is timed, and how.",
            "how data were verified",
        ),
        *_describe_faults(run),
    ]


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


def _describe_sizes(info: dict[str, Any]) -> Fact:
    texts = [
        f"{state} caches, {_sizes(sizes)}"
        for key, state in (("sizes", "warm"), ("cold_sizes", "cold"))
        if (sizes := sorted(filter(is_positive, values.member(info, key, list) or [])))
    ]
    if not texts:
        return Fact(unknown="the sizes that were planned")
    return Fact(f"The sizes are, with {'; with '.join(texts)}. Some strategies have fewer.")


def _sizes(sizes: list[float]) -> str:
    """Returns how many sizes there are, from which to which."""
    if len(sizes) < 4:
        return caption.listed(list(map(numbers.size, sizes)))
    return f"{len(sizes)} from {numbers.size(sizes[0])} to {numbers.size(sizes[-1])}"


def _describe_rounds(run: Run, info: dict[str, Any]) -> list[Fact]:
    seed, least = info.get("seed"), info.get("min_time_ms")
    processes = len(run.result.in_parts)
    process = "One process" if processes == 1 else f"{processes} processes, one after another,"
    shuffled = info.get("random_order") is True
    count = info.get("rounds")
    rounds = f"{count:g} rounds" if is_positive(count) else "rounds"
    time = (
        f", each benchmark for about {least:g} ms and at least three operations"
        if is_positive(least)
        else ""
    )
    return [
        Fact(f"{process} measured in {rounds}{time}."),
        Fact("The order was shuffled anew for each round." * shuffled),
        Fact(_describe_seeds([part.get("seed", seed) for part in run.result.in_parts])),
        Fact(_describe_repetitions(run)),
    ]


def _describe_seeds(of_parts: list[Any]) -> str:
    """Says what repeats the order and the data: all digits, or it repeats nothing."""
    seeds = dict.fromkeys(str(int(seed)) for seed in of_parts if is_number(seed))
    what = "seed of order and data is" if len(seeds) == 1 else "seeds of order and data are"
    return f"The {what} {caption.listed(list(seeds))}." if seeds else ""


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


def _describe_end(run: Run) -> Fact:
    if run.result.complete:
        return Fact()
    return Fact("The run did not end by itself: part of it is missing.")


def _describe_faults(run: Run) -> list[Fact]:
    faults = trust.injected_faults(run)
    failed = caption.count(len(run.failed), "benchmark")
    return [
        Fact(f"Faults were injected on purpose ({', '.join(faults)})." if faults else ""),
        Fact(f"{failed} failed: no value is shown." if failed else ""),
    ]


def _describe_timing(run: Run) -> list[Fact]:
    """Says what the clock times, how caches were prepared, what was verified."""
    if mapping(run.result.transfers, "imported"):
        return []
    clock = mapping(run.result.transfers, "clock")
    name = values.text(clock, "name", "which one is not known")
    read, resolution = (clock.get(key) for key in ("read_ns", "resolution_ns"))
    cold = any(benchmark.cold for benchmark in run.benchmarks)
    written = any(not (benchmark.cold or benchmark.warm) for benchmark in run.benchmarks)
    on_device = any("device_ns" in row for row in run.result.rows)
    return [
        Fact(
            f"Times are wall times of the host's clock ({name}), from the call until the data are "
            "usable at the destination; the wait for the stream is part of them."
        ),
        Fact(f"To read the clock takes {numbers.time(read)}." if is_positive(read) else ""),
        Fact(
            f"The clock's resolution is {numbers.time(resolution)}."
            if is_positive(resolution)
            else ""
        ),
        Fact(EVENTS if on_device else ""),
        Fact(
            "Before each repetition each cache line of the host's side is flushed, and the "
            "operation runs untimed; later operations find caches as the ones before left them "
            "(warm)."
        ),
        Fact(
            "Where caches are cold, the lines are flushed before every operation." if cold else ""
        ),
        Fact(
            "Where threads have written the memory, they load and store each of its lines before "
            "every operation."
            if written
            else ""
        ),
        Fact(
            "Before each repetition the destination is filled with other bytes; after it every "
            "byte is compared with the source's, and a wrong one fails the benchmark."
        ),
    ]


def _describe_statistics(run: Run) -> list[Fact]:
    """Says what a number is, and what its interval."""
    if mapping(run.result.transfers, "imported"):
        return [_describe_unknown(run)]
    return [
        Fact(
            "A time is the median of its repetitions, of which each is the median of its "
            "operations; a bandwidth is the number of bytes divided by that time (1 GB = 10⁹ "
            "bytes)."
        ),
        Fact(
            "A process is the unit of repetition. Intervals of medians hold with 95 % the median "
            "of seven other processes of the machine: Student's t of the logarithms of the medians "
            "of the processes, whose variances are drawn towards that of all benchmarks that the "
            "same part of the machine limits (Smyth). A run of one process has none."
        ),
        Fact(
            "Intervals of ratios of strategies have 95 %, from all pairs of repetitions (Mann and "
            "Whitney). They describe the spread within the run; processes of one machine may "
            "differ by more."
        ),
        Fact(
            "A difference between runs is significant if the intervals that hold for all "
            "benchmarks together with 95 % (Bonferroni) do not contain zero. They are of processes "
            "and sessions. If neither run has three processes, they are of repetitions, and no "
            "difference is called significant."
            if run.judged.comparisons
            else ""
        ),
        _describe_unknown(run),
    ]


def _describe_unknown(run: Run) -> Fact:
    """Names what the file lacks."""
    of_topics = [fact.unknown for topic in FACTUAL for fact in topic(run)]
    names = [*of_topics, *(found.unknown for found in run.judged.findings if found.about != "rate")]
    listed = caption.listed(list(dict.fromkeys(filter(None, names))))
    return Fact(f"Not known: {listed}." if listed else "")


FACTUAL: tuple[Topic, ...] = (_describe_machine, _describe_procedure, _describe_timing)
TOPICS: tuple[Topic, ...] = (*FACTUAL, _describe_statistics)
