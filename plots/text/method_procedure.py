"""Describes in the method how values came about: the program, its options, sizes and rounds."""

from __future__ import annotations

import shlex
from typing import Any

from plots.model import values
from plots.model.benchmark import Benchmark
from plots.model.derive import Run
from plots.model.values import is_number, is_positive, mapping
from plots.text import caption, numbers, trust
from plots.text.method_facts import Facts, Unknown

# Options of bench_transfers that say where results go, or that other sentences state.
NO_METHOD = (
    *("--profile", "--seed", "--out", "--benchmark_out", "--benchmark_repetitions"),
    *("--note", "--label", "--quiet"),
)


def describe_procedure(run: Run) -> Facts:
    """Says with which program and options it was measured, in which order and how often."""
    info = mapping(run.result.transfers, "run")
    yield from _describe_program(run)
    profile = values.text(info, "profile", "unknown")
    options = _options(info)
    chosen = f" and the options {options}" if options else ""
    yield f"The program ran with the profile {profile}{chosen}."
    yield _describe_sizes(info)
    yield from _describe_rounds(run, info)
    if not run.result.complete:
        yield "The run did not end by itself: part of it is missing."
    yield from _describe_faults(run)


def _describe_program(run: Run) -> Facts:
    program = mapping(run.result.transfers, "program")
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


def describe_import(run: Run) -> Facts:
    """Says which program measured what was imported, in place of the procedure."""
    imported = mapping(run.result.transfers, "imported")
    program = values.text(imported, "program", "another program")
    version = values.text(imported, "version", "of an unknown version")
    yield (
        f"The values were measured by {program} {version} and imported by bench_transfers. "
        "Its documentation says what is timed, and how."
    )
    yield Unknown("how data were verified")
    yield from _describe_faults(run)


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
