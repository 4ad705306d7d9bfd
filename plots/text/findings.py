"""Writes sentences derived from the data: comparisons, findings and recommendations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from plots.model import values
from plots.model.choices import SMALL
from plots.model.derive import Benchmark, Run, Sizes
from plots.model.judged import Sentence
from plots.model.published import Published, read_published
from plots.model.significance import is_slower
from plots.model.values import is_positive, mapping, member
from plots.text import caption, numbers, tables
from plots.text.trust import injected_faults

ALIKE_DIFFERENCE = 0.01
ENQUEUE = "enqueue_ns"  # the time until a call that need not wait returns
ASYNCHRONOUS_SHARE = 0.5  # an asynchronous call returns within this part of the copy's time
MOST_FINDINGS = 5
DIRECTION_PHRASES = {"h2d": "to the device", "d2h": "from the device"}
# Flags of cudaHostAlloc, by the kind of memory that has only this flag.
FLAGS = {"pinned_portable": "PORTABLE", "pinned_mapped": "DEVICEMAP", "pinned_wc": "WRITECOMBINED"}
BLOCKS = {"4KiB_blocks": "4 KiB", "64KiB_blocks": "64 KiB"}  # settings of scattered copies
# Methods in words, for sentences that compare them.
METHOD_PHRASES = {
    "loop": "a loop of copies",
    "batch": "one batch of copies",
    "gather_kernel": "one kernel that gathers them",
    "memcpy": "two copies",
    "mapped_flag": "a running kernel that answers through mapped memory",
}
TERM_PHRASES = {
    "allocation": "allocating and freeing memory once for all its uses",
    "cpu_writes": "filling the memory by the CPU before an upload",
    "cpu_reads": "reading it by the CPU after a download",
}


@dataclass(frozen=True)
class Finding:
    """Holds a sentence, and the factor by which something differs as its weight."""

    text: str
    weight: float


def compare_with_published(run: Run) -> list[Sentence]:
    """Writes a sentence for each strategy and direction published for this GPU or link."""
    if run.on_host or injected_faults(run) or not run.transfers:
        return []
    name = caption.device_name(run)
    link = caption.link_name(mapping(run.result.transfers, "link"))
    figures_by_strategy: dict[tuple[str, str], list[Published]] = {}
    for entry in read_published():
        same_gpu = re.search(rf"{re.escape(entry.gpu)}(?![0-9A-Za-z])", name)
        if same_gpu or (" x" in link and entry.link == link):
            figures_by_strategy.setdefault((entry.strategy, entry.direction), []).append(entry)
    sentences = []
    for (strategy, direction), entries in figures_by_strategy.items():
        measured = run.rate(strategy, direction)
        if measured is not None:
            rate, largest = measured
            size = numbers.size(largest.size_bytes or 0)
            figures_text = "; ".join(map(_describe_published, entries))
            sentences.append(
                Sentence(
                    f"{strategy} {direction}: {numbers.rate(rate)} here ({size}). "
                    f"Published: {figures_text}."
                )
            )
    if figures_by_strategy:
        return sentences
    known = f" or for {link}" if " x" in link else ""
    return [Sentence(f"There are no published figures for {name}{known} to compare with yet.")]


def _describe_published(entry: Published) -> str:
    link = "link not stated" if entry.link == "not stated" else f"link: {entry.link}"
    details = "; ".join(filter(None, (entry.tool, link, entry.note, entry.source)))
    return f"{entry.rate} for {entry.gpu} ({details})"


def rank_findings(run: Run) -> list[Sentence]:
    """Returns the findings that matter most, the largest factor first."""
    if run.on_host or injected_faults(run):
        return []  # copies within one memory, or falsified times, lead to no findings
    finders: list[Callable[[Run], Iterator[Finding]]] = [
        _find_pageable_penalty,
        _find_blocking_calls,
        _find_gathering_gain,
        _find_duplex_rate,
        _find_overlap_gain,
        _find_message_gain,
        _find_fresh_memory_cost,
        _find_allocation_gain,
        _find_write_combined_reads,
        _find_flag_effects,
    ]
    findings = [finding for finder in finders for finding in finder(run)]
    ranked = sorted(findings, key=lambda finding: -finding.weight)
    return [Sentence(finding.text) for finding in ranked[:MOST_FINDINGS]]


def _describe_rate(run: Run, benchmark: Benchmark) -> str:
    rate = benchmark.gb_per_s or 0
    if run.link_limit:
        return f"{numbers.rate(rate)} ({100 * rate / run.link_limit:.0f} % of the link)"
    return numbers.rate(rate)


def _common_pair(first: Sizes, second: Sizes) -> tuple[Benchmark, Benchmark] | None:
    """Returns two benchmarks at the largest size that both series have."""
    common = set(first) & set(second)
    return (first[max(common)], second[max(common)]) if common else None


def _copies(run: Run, direction: str, memory: str, method: str | None = None) -> Sizes:
    """Returns the plainest copies in one direction."""
    return run.plainest("copy", direction=direction, memory=memory, method=method, in_place=False)


def _method_phrase(benchmark: Benchmark) -> str:
    return METHOD_PHRASES.get(benchmark.method or "", benchmark.method or benchmark.label)


def _find_pageable_penalty(run: Run) -> Iterator[Finding]:
    findings = list(_find_pageable_penalties(run))
    if findings:
        yield max(findings, key=lambda finding: finding.weight)


def _find_pageable_penalties(run: Run) -> Iterator[Finding]:
    for direction, phrase in DIRECTION_PHRASES.items():
        pair = _common_pair(_copies(run, direction, "pageable"), _copies(run, direction, "pinned"))
        if pair is None or not is_slower(*pair, 1.1):
            continue
        slow, fast = pair
        factor = (fast.gb_per_s or 0) / (slow.gb_per_s or 1)
        text = (
            f"Copies of pinned memory are {numbers.times(factor)} as fast as those of pageable "
            f"memory: {numbers.size(slow.bytes or 0)} {phrase} at {_describe_rate(run, fast)} "
            f"instead of {_describe_rate(run, slow)}"
        )
        staged = _copies(run, direction, "pageable", "staged").get(slow.bytes or 0)
        if staged and is_slower(slow, staged, 1.1):
            text += (
                f". Staged copies of pageable memory reach {_describe_rate(run, staged)}: use "
                "staged_copier where memory cannot be pinned"
            )
        yield Finding(f"{text}.", factor)


def _find_blocking_calls(run: Run) -> Iterator[Finding]:
    pageable_sizes = _copies_with_enqueue_time(run, "pageable")
    pageable = pageable_sizes[max(pageable_sizes)] if pageable_sizes else None
    enqueued = pageable.get(ENQUEUE) if pageable else None
    if pageable is None or not enqueued or enqueued < ASYNCHRONOUS_SHARE * pageable.ns:
        return
    text = (
        f"cudaMemcpyAsync blocks on pageable memory: for {numbers.size(pageable.bytes or 0)} to "
        f"the device it returns after {numbers.time(enqueued)}, and the data have arrived after "
        f"{numbers.time(pageable.ns)}"
    )
    pinned = _copies_with_enqueue_time(run, "pinned").get(pageable.bytes or 0)
    pinned_enqueued = pinned.get(ENQUEUE) if pinned else None
    if pinned and pinned_enqueued and pinned_enqueued < ASYNCHRONOUS_SHARE * pinned.ns:
        text += (
            f". From pinned memory it returns after {numbers.time(pinned_enqueued)}, and the data "
            f"have arrived after {numbers.time(pinned.ns)}"
        )
    # At most, the copy could have overlapped with as much work: a factor of 2.
    yield Finding(f"{text}.", 2.0)


def _copies_with_enqueue_time(run: Run, memory: str) -> Sizes:
    """Returns the plainest copies to the device whose call and wait are timed apart."""
    candidates = run.matching("copy", direction="h2d", memory=memory, method=None, in_place=False)
    timed_apart = (
        sizes for sizes in candidates if any(benchmark.get(ENQUEUE) for benchmark in sizes.values())
    )
    return next(timed_apart, {})


def _find_gathering_gain(run: Run) -> Iterator[Finding]:
    for setting, size in BLOCKS.items():
        series = run.matching("scattered_copy", direction="h2d", memory="pinned", setting=setting)
        pair = _plainest_and_fastest(series)
        if pair and is_slower(*pair, 1.2):
            slow, fast = pair
            alternatives = [
                benchmark for sizes in series if (benchmark := sizes.get(slow.size_bytes or 0))
            ]
            alternatives_text = "".join(
                f", {numbers.rate(benchmark.gb_per_s or 0)} with {_method_phrase(benchmark)}"
                for benchmark in alternatives
                if benchmark not in pair
            )
            yield Finding(
                f"{numbers.size(slow.bytes or 0)} in blocks of {size}, scattered over pinned "
                f"memory, reach the device at {numbers.rate(fast.gb_per_s or 0)} with "
                f"{_method_phrase(fast)}, {numbers.rate(slow.gb_per_s or 0)} with "
                f"{_method_phrase(slow)}{alternatives_text}.",
                slow.ns / fast.ns,
            )
            return


def _plainest_and_fastest(series: list[Sizes]) -> tuple[Benchmark, Benchmark] | None:
    """Pairs the plainest series with the fastest other at their largest common size."""
    if not series:
        return None
    plainest, *alternatives = series
    pairs = [pair for alternative in alternatives if (pair := _common_pair(plainest, alternative))]
    largest = max((pair[0].size_bytes or 0 for pair in pairs), default=0)
    at_largest = [pair for pair in pairs if (pair[0].size_bytes or 0) == largest]
    return min(at_largest, key=lambda pair: pair[1].ns, default=None)


def _find_duplex_rate(run: Run) -> Iterator[Finding]:
    sizes = run.plainest("duplex", memory="pinned")
    duplex = sizes[max(sizes)] if sizes else None
    if duplex is None or not duplex.gb_per_s:
        return
    rates = [
        (duplex.get(f"{direction}_alone_gb_per_s"), duplex.get(f"{direction}_gb_per_s"))
        for direction in DIRECTION_PHRASES
    ]
    parts, losses = [], []
    for phrase, (alone, busy) in zip(DIRECTION_PHRASES.values(), rates, strict=True):
        if alone and busy:
            parts.append(f"{numbers.rate(busy)} {phrase} ({numbers.rate(alone)} alone)")
            losses.append(alone / busy)
    alone = rates[0][0]
    if not alone or not parts:
        return
    factor = duplex.gb_per_s / alone
    yield Finding(
        f"Both directions at once, {numbers.size(duplex.size_bytes or 0)} of pinned memory each, "
        f"carry {numbers.rate(duplex.gb_per_s)} until both have ended, {numbers.times(factor)} as "
        f"much as {DIRECTION_PHRASES['h2d']} alone. While both run: {', '.join(parts)}.",
        max(factor, *losses),
    )


def _find_overlap_gain(run: Run) -> Iterator[Finding]:
    series = run.matching("overlap", memory="pinned")
    pair = _common_pair(series[0], series[1]) if len(series) > 1 else None
    if pair and is_slower(*pair, 1.1):
        slow, fast = pair
        yield Finding(
            f"Upload, kernel and download of {numbers.size(slow.bytes or 0)} of pinned memory take "
            f"{numbers.time(fast.ns)} when pieces of it overlap, {numbers.time(slow.ns)} one after "
            "the other.",
            slow.ns / fast.ns,
        )


def _find_message_gain(run: Run) -> Iterator[Finding]:
    pair = _plainest_and_fastest(run.matching("latency"))
    if pair and is_slower(*pair, 1.1):
        slow, fast = pair
        yield Finding(
            f"A message to the device and its answer take {numbers.time(fast.ns)} with "
            f"{_method_phrase(fast)}, and {numbers.time(slow.ns)} with {_method_phrase(slow)}.",
            slow.ns / fast.ns,
        )


def _find_fresh_memory_cost(run: Run) -> Iterator[Finding]:
    fresh, touched = (
        run.plainest(
            "array", direction="d2h", memory="pageable", variant="float32", setting=setting
        )
        for setting in ("fresh", "touched")
    )
    pair = _common_pair(fresh, touched)
    if pair and is_slower(*pair, 1.2):
        slow, fast = pair
        yield Finding(
            f"A download of {numbers.size(slow.bytes or 0)} takes {numbers.time(slow.ns)} into "
            f"newly allocated memory, and {numbers.time(fast.ns)} into memory that was used "
            "before: reuse the destination.",
            slow.ns / fast.ns,
        )


def _find_allocation_gain(run: Run) -> Iterator[Finding]:
    allocated, locked = (
        run.plainest("allocation", memory=memory) for memory in ("pinned", "registered_huge")
    )
    pair = _common_pair(allocated, locked)
    if pair and is_slower(*pair, 1.2):
        slow, fast = pair
        yield Finding(
            f"Allocating {numbers.size(slow.bytes or 0)} of pinned memory with cudaHostAlloc takes "
            f"{numbers.time(slow.ns)}; allocating huge pages and page-locking them with "
            f"cudaHostRegister takes {numbers.time(fast.ns)}.",
            slow.ns / fast.ns,
        )


def _find_write_combined_reads(run: Run) -> Iterator[Finding]:
    # The first kind of memory with the flag represents all of them.
    buffers = caption.entries(run.result, "buffers")
    flagged = [entry for entry in buffers if member(entry, "write_combined", bool)]
    buffer = flagged[0] if flagged else {}
    memory_type = values.text(buffer, "memory_type", "")
    combined_rate = mapping(buffer, "cpu_reads").get("plain_gb_per_s")
    ordinary_rate = mapping(buffer, "cpu_reads_of_ordinary_memory").get("plain_gb_per_s")
    if not is_positive(combined_rate) or not is_positive(ordinary_rate):
        return
    rates = f"{numbers.rate(combined_rate)}, and ordinary memory at {numbers.rate(ordinary_rate)}"
    if memory_type in ("write-combined", "uncached"):
        yield Finding(
            f"The CPU reads {memory_type} memory (flag WRITECOMBINED) at {rates}, with cold "
            "caches: only write to it.",
            ordinary_rate / combined_rate,
        )
    elif memory_type == "write-back":
        yield Finding(
            f"The flag WRITECOMBINED had no effect: at the start, the CPU read memory with it at "
            f"{rates}, with cold caches.",
            1.05,
        )


def _find_flag_effects(run: Run) -> Iterator[Finding]:
    differences = []
    for direction, phrase in DIRECTION_PHRASES.items():
        sizes = _copies(run, direction, "pinned")
        if not sizes:
            return
        plain = sizes[max(sizes)]
        flagged = {
            memory: _copies(run, direction, memory).get(plain.bytes or 0) for memory in FLAGS
        }
        benchmarks = [benchmark for benchmark in flagged.values() if benchmark is not None]
        combined = flagged["pinned_wc"]
        if combined and is_slower(combined, plain, 1.1):
            yield Finding(
                f"{numbers.size(plain.bytes or 0)} {phrase}: copies of pinned memory with the flag "
                f"WRITECOMBINED reach {_describe_rate(run, combined)}, without it "
                f"{_describe_rate(run, plain)}.",
                combined.ns / plain.ns,
            )
        largest_difference = max(
            (abs(benchmark.ns / plain.ns - 1) for benchmark in benchmarks), default=1.0
        )
        if len(benchmarks) == len(FLAGS) and largest_difference <= ALIKE_DIFFERENCE:
            differences.append(
                (plain.bytes or 0, f"{numbers.percent(largest_difference)} {phrase}")
            )
    if len(differences) == len(DIRECTION_PHRASES):
        yield Finding(
            f"The flags {_join_texts(list(FLAGS.values()))} make no difference to copies of "
            f"{numbers.size(min(size for size, _ in differences))} of pinned memory: their times "
            f"differ by at most {' and '.join(difference for _, difference in differences)}.",
            1.01,
        )


def explain_recommendations(run: Run) -> list[Sentence]:
    """Explains the table of recommendations: the terms of the sum, and the missing ones."""
    answer = run.advice.map
    if run.on_host or injected_faults(run) or answer is None:
        return []
    winners = [choice.strategy for choice in tables.read_choices(run) if choice.strategy]
    if not winners:
        return []
    measured = answer["measured_terms"]
    terms = [text for term, text in TERM_PHRASES.items() if measured[term]]
    missing = [text for term, text in TERM_PHRASES.items() if not measured[term]]
    predicted = (
        f"the sum of {_join_texts([*terms, 'the transfer'])}" if terms else "the transfer alone"
    )
    pooled = (
        "What the CPU pays is pooled over kinds of memory that are alike in effect. "
        if measured["cpu_writes"] or measured["cpu_reads"]
        else ""
    )
    sentences = [
        Sentence(
            f"Times are predicted from this run by bench_transfers advise: {predicted}. {pooled}"
            "The plainest strategy within 3 % of the fastest is named, or within 10 % if the two "
            f"cannot be told apart. Up to {numbers.size(SMALL)} it is the plain copy, unless the "
            "repetitions of such copies show that another strategy is clearly faster."
        )
    ]
    if any(choice.extrapolated for choice in tables.read_choices(run)):
        sentences.append(
            Sentence(
                "Extrapolated: at that size a part of the sum was not measured, mostly allocating "
                "or the CPU's access, which are measured at fewer sizes than transfers."
            )
        )
    if missing:
        sentences.append(
            Sentence(f"Not measured here, and not included: {_join_texts(missing)}.", True)
        )
    summaries = {
        values.text(strategy, "name", ""): values.text(strategy, "summary", "")
        for strategy in caption.entries(run.result, "strategies")
    }
    for name in dict.fromkeys(winners):
        if summaries.get(name):
            sentences.append(Sentence(f"{name}: {summaries[name]}."))
    return sentences


def _join_texts(parts: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
