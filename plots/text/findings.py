"""How a run compares, what matters most and what to use: sentences, each derived from the data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from plots.model import values
from plots.model.derive import DIRECTIONS, Benchmark, Run, Sizes
from plots.model.published import Published, published
from plots.model.values import is_positive, mapping
from plots.text import caption, numbers, tables
from plots.text.trust import Sentence, injected

FULL = 16 * 2**20  # bytes from which on a copy of page-locked memory fills a healthy link
HEALTHY = 0.85  # of what packet headers leave: what such a copy reaches at least
ALIKE = 0.01
ENQUEUE = "enqueue_ns"  # until a call that need not wait has returned
ASYNCHRONOUS = 0.5  # part of its time after which a call that did not wait has returned
CLEAR = 0.95  # part of all pairs of repetitions in which the slower one must be slower
MOST_FINDINGS = 5
WAYS = {"h2d": "to the device", "d2h": "from the device"}
PAGE_LOCKED = {
    "registered",
    "registered_huge",
    "pinned",
    "pinned_portable",
    "pinned_mapped",
    "pinned_portable_mapped",
    "pinned_wc",
    "pinned_portable_wc",
    "pinned_mapped_wc",
    "pinned_portable_mapped_wc",
}
# Flags of cudaHostAlloc, by the kind of memory that has each alone.
FLAGS = {"pinned_portable": "PORTABLE", "pinned_mapped": "DEVICEMAP", "pinned_wc": "WRITECOMBINED"}
BLOCKS = {"4KiB_blocks": "4 KiB", "64KiB_blocks": "64 KiB"}  # settings of scattered copies
# What methods are in words, for sentences that compare them.
IN_WORDS = {
    "loop": "a loop of copies",
    "batch": "one batch of copies",
    "gather_kernel": "one kernel that gathers them",
    "memcpy": "two copies",
    "mapped_flag": "a running kernel that answers through mapped memory",
}
TERMS = {
    "allocation": "allocating and freeing memory once for all its uses",
    "cpu_writes": "filling the memory by the CPU before an upload",
    "cpu_reads": "reading it by the CPU after a download",
}


@dataclass(frozen=True)
class Finding:
    """A sentence, and how much it matters: by what factor something differs."""

    text: str
    weight: float


def comparison(run: Run) -> list[Sentence]:
    """How it compares with the physical limit and with published figures."""
    if run.on_host or injected(run) or not run.transfers:
        return []
    sentences = []
    limit = run.link_limit
    if not limit:
        sentences.append(
            Sentence("What the link can carry is not known: nothing here is related to it.")
        )
    for direction in DIRECTIONS:
        found = [benchmark for benchmark in run.transfers if benchmark.direction == direction]
        if limit and found:
            best = max(found, key=lambda benchmark: benchmark.gb_per_s or 0)
            sentences.append(_against_limit(run, direction, best, limit))
    return sentences + _against_others(run)


def _against_limit(run: Run, direction: str, best: Benchmark, limit: float) -> Sentence:
    rate = best.gb_per_s or 0
    said = f"{DIRECTIONS[direction]}: at best {numbers.rate(rate)} ({best.name})"
    if rate > limit:
        return Sentence(
            f"{said}, more than the {numbers.rate(limit)} that the link can carry: the link's "
            "generation or width was misread, or the measurement is wrong.",
            True,
        )
    said += f", {100 * rate / limit:.0f} % of the link's {numbers.rate(limit)}"
    if not run.packet_limit:
        return Sentence(f"{said}.")
    low, high = run.packet_limit
    parts = dict.fromkeys(f"{100 * rate / left:.0f}" for left in (high, low))
    said += f" and {' to '.join(parts)} % of what packet headers leave"
    if rate >= HEALTHY * low:
        return Sentence(f"{said}, as on a healthy link.")
    if any(
        benchmark.direction == direction and _fills_the_link(benchmark)
        for benchmark in run.transfers
    ):
        return Sentence(f"{said}. A healthy link reaches more.", True)
    return Sentence(
        f"{said}. That says nothing about the link: copies of {numbers.size(FULL)} and more of "
        "page-locked memory were not measured."
    )


def _fills_the_link(benchmark: Benchmark) -> bool:
    """Whether it is a large copy of page-locked memory and nothing else."""
    is_plain = benchmark.method is None and not benchmark.in_place
    return is_plain and benchmark.memory in PAGE_LOCKED and (benchmark.bytes or 0) >= FULL


def _against_others(run: Run) -> list[Sentence]:
    """One sentence for each strategy and direction that others measured on this GPU or link."""
    name = caption.device_name(run)
    link = caption.link_name(mapping(run.result.transfers, "link"))
    theirs: dict[tuple[str, str], list[Published]] = {}
    for other in published():
        same_gpu = re.search(rf"{re.escape(other.gpu)}(?![0-9A-Za-z])", name)
        if same_gpu or (" x" in link and other.link == link):
            theirs.setdefault((other.strategy, other.direction), []).append(other)
    sentences = []
    for (strategy, direction), others in theirs.items():
        ours = run.rate(strategy, direction)
        if ours is not None:
            said = "; ".join(map(_published, others))
            sentences.append(
                Sentence(
                    f"{strategy} {direction}: {numbers.rate(ours[0])} here ({numbers.size(ours[1])}"
                    f"). Published: {said}."
                )
            )
    if theirs:
        return sentences
    known = f" or for {link}" if " x" in link else ""
    return [Sentence(f"No published figure for {name}{known} is known to this project.")]


def _published(other: Published) -> str:
    link = "link not stated" if other.link == "not stated" else f"link: {other.link}"
    how = "; ".join(filter(None, (other.tool, link, other.note, other.source)))
    return f"{other.rate} for {other.gpu} ({how})"


def findings(run: Run) -> list[Sentence]:
    """What matters most, the largest factor first."""
    if run.on_host or injected(run):
        return []  # they would be about copies within one memory, or not true
    makers: list[Callable[[Run], Iterator[Finding]]] = [
        _pageable,
        _asynchronous,
        _scattered,
        _both_ways,
        _overlap,
        _messages,
        _fresh_memory,
        _allocation,
        _write_combined,
        _flags,
    ]
    found = [finding for maker in makers for finding in maker(run)]
    ranked = sorted(found, key=lambda finding: -finding.weight)
    return [Sentence(finding.text) for finding in ranked[:MOST_FINDINGS]]


def _share(run: Run, benchmark: Benchmark) -> str:
    rate = benchmark.gb_per_s or 0
    if run.link_limit:
        return f"{numbers.rate(rate)}, {100 * rate / run.link_limit:.0f} % of the link"
    return numbers.rate(rate)


def _pair(first: Sizes, second: Sizes) -> tuple[Benchmark, Benchmark] | None:
    """Two benchmarks at the largest size that both have."""
    common = set(first) & set(second)
    return (first[max(common)], second[max(common)]) if common else None


def _copies(run: Run, direction: str, memory: str, method: str | None = None) -> Sizes:
    """The plainest copies in one direction."""
    return run.plainest("copy", direction=direction, memory=memory, method=method, in_place=False)


def _in_words(benchmark: Benchmark) -> str:
    return IN_WORDS.get(benchmark.method or "", benchmark.method or benchmark.label)


def _is_slower(slow: Benchmark, fast: Benchmark, factor: float) -> bool:
    """Whether it takes so many times as long, and nearly every repetition says so."""
    pairs = [a > b for a in slow.values("median_ns") for b in fast.values("median_ns")]
    return slow.ns >= factor * fast.ns and sum(pairs) >= CLEAR * len(pairs)


def _pageable(run: Run) -> Iterator[Finding]:
    found = list(_pageable_ways(run))
    if found:
        yield max(found, key=lambda finding: finding.weight)


def _pageable_ways(run: Run) -> Iterator[Finding]:
    for way, where in WAYS.items():
        pair = _pair(_copies(run, way, "pageable"), _copies(run, way, "pinned"))
        if pair is None or not _is_slower(*pair, 1.1):
            continue
        slow, fast = pair
        factor = (fast.gb_per_s or 0) / (slow.gb_per_s or 1)
        text = (
            f"{numbers.size(slow.bytes or 0)} {where}: copies of ordinary (pageable) memory reach "
            f"{_share(run, slow)}, of pinned memory {_share(run, fast)}, {numbers.times(factor)} "
            "as much"
        )
        staged = _copies(run, way, "pageable", "staged").get(slow.bytes or 0)
        if staged and _is_slower(slow, staged, 1.1):
            text += (
                f". Staged copies of ordinary memory reach {_share(run, staged)}: use "
                "staged_copier where memory cannot be pinned"
            )
        yield Finding(f"{text}.", factor)


def _asynchronous(run: Run) -> Iterator[Finding]:
    called = _enqueued(run, "pageable")
    pageable = called[max(called)] if called else None
    returned = pageable.get(ENQUEUE) if pageable else None
    if pageable is None or not returned or returned < ASYNCHRONOUS * pageable.ns:
        return
    text = (
        f"cudaMemcpyAsync from ordinary (pageable) memory is not asynchronous: called for "
        f"{numbers.size(pageable.bytes or 0)} to the device, it returns after "
        f"{numbers.time(returned)}, and the data are there after {numbers.time(pageable.ns)}"
    )
    pinned = _enqueued(run, "pinned").get(pageable.bytes or 0)
    soon = pinned.get(ENQUEUE) if pinned else None
    if pinned and soon and soon < ASYNCHRONOUS * pinned.ns:
        text += f". From pinned memory these are {numbers.time(soon)} and {numbers.time(pinned.ns)}"
    # What is lost is at most that the copy and as much work could have overlapped.
    yield Finding(f"{text}.", 2.0)


def _enqueued(run: Run, memory: str) -> Sizes:
    """The plainest copies to the device whose call and wait are timed apart."""
    found = run.alike("copy", direction="h2d", memory=memory, method=None, in_place=False)
    apart = (
        sizes for sizes in found if any(benchmark.get(ENQUEUE) for benchmark in sizes.values())
    )
    return next(apart, {})


def _scattered(run: Run) -> Iterator[Finding]:
    for setting, size in BLOCKS.items():
        ways = run.alike("scattered_copy", direction="h2d", memory="pinned", setting=setting)
        pair = _plainest_and_fastest(ways)
        if pair and _is_slower(*pair, 1.2):
            slow, fast = pair
            rest = [at for way in ways if (at := way.get(slow.size_bytes or 0))]
            others = "".join(
                f", {_in_words(benchmark)} {numbers.rate(benchmark.gb_per_s or 0)}"
                for benchmark in rest
                if benchmark not in pair
            )
            yield Finding(
                f"{numbers.size(slow.bytes or 0)} to the device, scattered over pinned memory in "
                f"blocks of {size}: {_in_words(fast)} reaches {numbers.rate(fast.gb_per_s or 0)}, "
                f"{_in_words(slow)} {numbers.rate(slow.gb_per_s or 0)}{others}.",
                slow.ns / fast.ns,
            )
            return


def _plainest_and_fastest(ways: list[Sizes]) -> tuple[Benchmark, Benchmark] | None:
    """At the largest size that the plainest of these and others have."""
    if not ways:
        return None
    plainest, *others = ways
    pairs = [pair for other in others if (pair := _pair(plainest, other))]
    largest = max((pair[0].size_bytes or 0 for pair in pairs), default=0)
    there = [pair for pair in pairs if (pair[0].size_bytes or 0) == largest]
    return min(there, key=lambda pair: pair[1].ns, default=None)


def _both_ways(run: Run) -> Iterator[Finding]:
    sizes = run.plainest("duplex", memory="pinned")
    both = sizes[max(sizes)] if sizes else None
    if both is None or not both.gb_per_s:
        return
    rates = [(both.get(f"{way}_alone_gb_per_s"), both.get(f"{way}_gb_per_s")) for way in WAYS]
    parts, losses = [], []
    for where, (alone, busy) in zip(WAYS.values(), rates, strict=True):
        if alone and busy:
            parts.append(f"{numbers.rate(busy)} {where} ({numbers.rate(alone)} alone)")
            losses.append(alone / busy)
    alone = rates[0][0]
    if not alone or not parts:
        return
    factor = both.gb_per_s / alone
    yield Finding(
        f"Both directions at once, {numbers.size(both.size_bytes or 0)} of pinned memory each, "
        f"carry {numbers.rate(both.gb_per_s)} until both have ended, {numbers.times(factor)} as "
        f"much as {WAYS['h2d']} alone. While both run: {', '.join(parts)}.",
        max(factor, *losses),
    )


def _overlap(run: Run) -> Iterator[Finding]:
    ways = run.alike("overlap", memory="pinned")
    pair = _pair(ways[0], ways[1]) if len(ways) > 1 else None
    if pair and _is_slower(*pair, 1.1):
        slow, fast = pair
        yield Finding(
            f"Upload, kernel and download of {numbers.size(slow.bytes or 0)} of pinned memory take "
            f"{numbers.time(fast.ns)} when pieces of it overlap, {numbers.time(slow.ns)} one after "
            "the other.",
            slow.ns / fast.ns,
        )


def _messages(run: Run) -> Iterator[Finding]:
    pair = _plainest_and_fastest(run.alike("latency"))
    if pair and _is_slower(*pair, 1.1):
        slow, fast = pair
        yield Finding(
            f"A message to the device and its answer take {numbers.time(fast.ns)} with "
            f"{_in_words(fast)}, {numbers.time(slow.ns)} with {_in_words(slow)}.",
            slow.ns / fast.ns,
        )


def _fresh_memory(run: Run) -> Iterator[Finding]:
    fresh, touched = (
        run.plainest(
            "array", direction="d2h", memory="pageable", variant="float32", setting=setting
        )
        for setting in ("fresh", "touched")
    )
    pair = _pair(fresh, touched)
    if pair and _is_slower(*pair, 1.2):
        slow, fast = pair
        yield Finding(
            f"A download of {numbers.size(slow.bytes or 0)} into newly allocated memory takes "
            f"{numbers.time(slow.ns)}, into memory that was used before {numbers.time(fast.ns)}: "
            "keep the destination and use it again.",
            slow.ns / fast.ns,
        )


def _allocation(run: Run) -> Iterator[Finding]:
    allocated, locked = (
        run.plainest("allocation", memory=memory) for memory in ("pinned", "registered_huge")
    )
    pair = _pair(allocated, locked)
    if pair and _is_slower(*pair, 1.2):
        slow, fast = pair
        yield Finding(
            f"To allocate {numbers.size(slow.bytes or 0)} of pinned memory with cudaHostAlloc "
            f"takes {numbers.time(slow.ns)}; to allocate huge pages and page-lock them with "
            f"cudaHostRegister takes {numbers.time(fast.ns)}.",
            slow.ns / fast.ns,
        )


def _write_combined(run: Run) -> Iterator[Finding]:
    buffers = [
        buffer for buffer in caption.entries(run.result, "buffers") if isinstance(buffer, dict)
    ]
    for buffer in buffers:
        if values.text(buffer, "memory", "") != "pinned_wc":
            continue
        kind = values.text(buffer, "memory_type", "")
        rate = mapping(buffer, "cpu_reads").get("plain_gb_per_s")
        plain = mapping(buffer, "cpu_reads_of_ordinary_memory").get("plain_gb_per_s")
        if not is_positive(rate) or not is_positive(plain):
            return
        rates = f"{numbers.rate(rate)}, and {numbers.rate(plain)} from ordinary memory"
        if kind in ("write-combined", "uncached"):
            yield Finding(
                f"The CPU reads {kind} memory (flag WRITECOMBINED) at {rates}, with cold caches: "
                "only write to it.",
                plain / rate,
            )
        elif kind == "write-back":
            yield Finding(
                f"The flag WRITECOMBINED had no effect on how the CPU reads: {rates}, with cold "
                "caches.",
                1.05,
            )


def _flags(run: Run) -> Iterator[Finding]:
    alike = []
    for way, where in WAYS.items():
        sizes = _copies(run, way, "pinned")
        if not sizes:
            return
        plain = sizes[max(sizes)]
        flagged = {memory: _copies(run, way, memory).get(plain.bytes or 0) for memory in FLAGS}
        found = [benchmark for benchmark in flagged.values() if benchmark is not None]
        combined = flagged["pinned_wc"]
        if combined and _is_slower(combined, plain, 1.1):
            yield Finding(
                f"{numbers.size(plain.bytes or 0)} {where}: copies of pinned memory with the flag "
                f"WRITECOMBINED reach {_share(run, combined)}, without it {_share(run, plain)}.",
                combined.ns / plain.ns,
            )
        most = max((abs(benchmark.ns / plain.ns - 1) for benchmark in found), default=1.0)
        if len(found) == len(FLAGS) and most <= ALIKE:
            alike.append((plain.bytes or 0, f"{numbers.percent(most)} {where}"))
    if len(alike) == len(WAYS):
        yield Finding(
            f"The flags {_joined(list(FLAGS.values()))} make no difference to copies of "
            f"{numbers.size(min(size for size, _ in alike))} of pinned memory: their times differ "
            f"by at most {' and '.join(said for _, said in alike)}.",
            1.01,
        )


def what_to_use(run: Run) -> list[Sentence]:
    """What the table of tables.py says by size and reuse, and what is not in it."""
    answer = run.advice.map
    if run.on_host or injected(run) or answer is None:
        return []
    winners = [choice.strategy for choice in tables.choices(run) if choice.strategy]
    if not winners:
        return []
    known = answer["measured_terms"]
    terms = [text for term, text in TERMS.items() if known[term]]
    missing = [text for term, text in TERMS.items() if not known[term]]
    what = f"the sum of {_joined([*terms, 'the transfer'])}" if terms else "the transfer alone"
    sentences = [Sentence(f"Times are predicted from this run by bench_transfers advise: {what}.")]
    if any(choice.extrapolated for choice in tables.choices(run)):
        sentences.append(
            Sentence(
                "Extrapolated: at that size a part of the sum was not measured, mostly allocating "
                "or the CPU's access, which are measured at fewer sizes than transfers."
            )
        )
    if missing:
        sentences.append(
            Sentence(f"What {_joined(missing)} would take was not measured here.", True)
        )
    summaries = {
        values.text(strategy, "name", ""): values.text(strategy, "summary", "")
        for strategy in caption.entries(run.result, "strategies")
    }
    for name in dict.fromkeys(winners):
        if summaries.get(name):
            sentences.append(Sentence(f"{name}: {summaries[name]}."))
    return sentences


def _joined(parts: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))
