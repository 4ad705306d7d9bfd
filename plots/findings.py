"""Sentences with numbers, each derived from the data of a run, or not said at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

from plots import caption, numbers
from plots.derive import Benchmark, Run, is_positive, mapping
from plots.published import published

NOISY = 0.05  # median spread of the repetitions of large transfers
LARGE = 2**20  # bytes from which on a transfer's bandwidth counts
ALIKE = 0.01
ASYNCHRONOUS = 0.5  # part of its time after which a call that did not wait has returned
MOST_FINDINGS = 5


@dataclass(frozen=True)
class Sentence:
    """A sentence, and whether a reader should beware."""

    text: str
    warning: bool = False


@dataclass(frozen=True)
class Finding:
    """A sentence, and how much it matters: by what factor something differs."""

    text: str
    weight: float


def machine(run: Run) -> list[Sentence]:
    """What was measured."""
    info = mapping(run.result.transfers, "machine")
    cpu = mapping(info, "cpu")
    parts = [caption.text(cpu, "model", "an unknown processor")]
    if is_positive(cpu.get("logical_cpus_online")):
        parts.append(f"{cpu['logical_cpus_online']} logical CPUs")
    memory = mapping(info, "memory").get("total_bytes")
    if is_positive(memory):
        parts.append(f"{memory / 2**30:.0f} GiB of memory")
    parts.append(caption.text(info, "os", ""))
    where = ", ".join(filter(None, parts))
    when = caption.date(run.result)
    if run.on_host:
        why = caption.text(mapping(run.result.transfers, "device"), "why_not_gpu", "")
        because = f" ({why})" if why else ""
        said = f"No GPU was measured{because}: these are copies within the memory of this machine"
        return [Sentence(f"{said}, {where}, on {when}.", warning=True)]
    link = mapping(run.result.transfers, "link")
    over = f" on {caption.link_name(link)}" if link else ""
    return [Sentence(f"{caption.device_name(run)}{over}; host: {where}; measured on {when}.")]


def trust(run: Run) -> list[Sentence]:
    """Whether the numbers can be trusted."""
    checks: list[Callable[[Run], Sentence | None]] = [
        _complete,
        _faults,
        _failures,
        _link,
        _numa,
        _governor,
        _hypervisor,
        _noise,
    ]
    return [sentence for check in checks if (sentence := check(run)) is not None]


def _complete(run: Run) -> Sentence | None:
    if run.result.transfers.get("complete") is True:
        return None
    return Sentence("The run was interrupted: only part of its repetitions is there.", True)


def _faults(run: Run) -> Sentence | None:
    faults = mapping(run.result.transfers, "run").get("faults_injected")
    if not isinstance(faults, list) or not faults:
        return None
    names = ", ".join(filter(None, map(caption.printable, faults)))
    return Sentence(f"Faults were injected on purpose ({names}): use no number of this run.", True)


def _failures(run: Run) -> Sentence | None:
    if not run.failed:
        return None
    number = caption.count(len(run.failed), "benchmark")
    return Sentence(f"{number} failed, {caption.printable(run.failed[0])} first.", True)


def _link(run: Run) -> Sentence | None:
    link = mapping(run.result.transfers, "link")
    if run.on_host or link.get("type") != "pcie":
        return None
    now = (link.get("generation"), link.get("width"))
    most = (link.get("generation_max"), link.get("width_max"))
    if not all(map(is_positive, (*now, *most))):
        return Sentence("Whether the link ran at its full speed is not known.")
    if now == most:
        return Sentence(f"The link ran at its full speed under load: PCIe {now[0]}.0 x{now[1]}.")
    return Sentence(
        f"The link ran below its speed, also under load: PCIe {now[0]}.0 x{now[1]} instead of "
        f"{most[0]}.0 x{most[1]}. Look at the slot, its riser and the BIOS.",
        True,
    )


def _numa(run: Run) -> Sentence | None:
    if run.on_host:
        return None
    machine_info = mapping(run.result.transfers, "machine")
    device = mapping(run.result.transfers, "device").get("numa_node")
    process = mapping(machine_info, "process").get("numa_node")
    nodes = mapping(machine_info, "cpu").get("numa_nodes")
    if nodes == 1:
        return Sentence("The host has one NUMA node: no memory is far from the GPU.")
    if not isinstance(device, int) or not isinstance(process, int) or device < 0:
        return Sentence("Whether the memory was near the GPU (NUMA) is not known.")
    if device == process:
        return Sentence(f"The process ran on the GPU's NUMA node, {device}.")
    return Sentence(
        f"The process ran on NUMA node {process}, the GPU is at node {device}: every transfer "
        f"crossed between them. Repeat with numactl --cpunodebind={device} --membind={device}.",
        True,
    )


def _governor(run: Run) -> Sentence | None:
    governor = caption.text(
        mapping(mapping(run.result.transfers, "machine"), "cpu"), "governor", ""
    )
    if governor in ("", "performance"):
        return None
    return Sentence(
        f"The CPU's frequency governor was {governor}: its clock may have varied.", True
    )


def _hypervisor(run: Run) -> Sentence | None:
    name = caption.text(
        mapping(mapping(run.result.transfers, "machine"), "virtualisation"), "hypervisor", ""
    )
    if not name:
        return None
    return Sentence(
        f"It is a virtual machine ({name}): the hypervisor decides memory types and may share "
        "host and link with others.",
        True,
    )


def _noise(run: Run) -> Sentence | None:
    several = [one for one in run.transfers if one.repetitions > 1 and (one.bytes or 0) >= LARGE]
    if not several:
        return Sentence("How much repetitions differ is not known: there is one of each.", True)
    middle = median(one.spread for one in several)
    worst = max(several, key=lambda one: one.spread)
    said = (
        f"Repetitions of transfers from {numbers.size(LARGE)} on lie within "
        f"{numbers.percent(middle)} of each other (median), those of {worst.name} within "
        f"{numbers.percent(worst.spread)}."
    )
    if middle > NOISY:
        return Sentence(f"The machine was noisy. {said} Compare with several runs only.", True)
    return Sentence(said)


def comparison(run: Run) -> list[Sentence]:
    """How it compares with the physical limit and with published figures."""
    sentences = []
    limit = run.link_limit
    for direction in ("host → device", "device → host"):
        found = [one for one in run.transfers if one.direction == direction and one.gb_per_s]
        if not limit or not found:
            continue
        best = max(found, key=lambda one: one.gb_per_s or 0)
        sentences.append(_against_limit(run, direction, best, limit))
    return sentences + list(_against_others(run))


def _against_limit(run: Run, direction: str, best: Benchmark, limit: float) -> Sentence:
    rate = best.gb_per_s or 0
    said = f"{direction}: at best {numbers.rate(rate)} ({best.name})"
    if rate > limit:
        return Sentence(
            f"{said}, more than the {numbers.rate(limit)} that the link can carry: the link's "
            "generation or width was misread, or the measurement is wrong.",
            True,
        )
    said += f", {100 * rate / limit:.0f} % of the link's {numbers.rate(limit)}"
    if run.packet_limit:
        low, high = run.packet_limit
        parts = dict.fromkeys(f"{100 * rate / one:.0f}" for one in (high, low))
        said += f" and {' to '.join(parts)} % of what packet headers leave"
        if rate < 0.85 * low:
            return Sentence(f"{said}. A healthy link reaches more.", True)
    return Sentence(f"{said}.")


def _against_others(run: Run) -> Iterator[Sentence]:
    """At most one sentence for each strategy and direction that others measured on this GPU."""
    if run.on_host:
        return
    name = caption.device_name(run)
    for other in published():
        if other.gpu not in name and not name.startswith(other.gpu):
            continue
        variants = ("h2d", "read") if other.direction == "h2d" else ("d2h", "write")
        ours = next(
            (
                one
                for variant in variants
                if (one := run.largest(f"{other.strategy}/{variant}")) is not None
            ),
            None,
        )
        if ours is not None and ours.gb_per_s:
            yield Sentence(
                f"{other.strategy} {other.direction}: {numbers.rate(ours.gb_per_s)} here; others "
                f"have published {other.rate} for {other.gpu} ({other.tool}, {other.source})."
            )


def findings(run: Run) -> list[Sentence]:
    """What matters most, the largest factor first."""
    makers: list[Callable[[Run], Iterator[Finding]]] = [
        _pageable,
        _asynchronous,
        _scattered,
        _both_ways,
        _overlap,
        _messages,
        _fresh_memory,
        _write_combined,
        _flags,
    ]
    found = [finding for maker in makers for finding in maker(run)]
    ranked = sorted(found, key=lambda one: -one.weight)
    return [Sentence(one.text) for one in ranked[:MOST_FINDINGS]]


def _share(run: Run, one: Benchmark) -> str:
    rate = one.gb_per_s or 0
    if run.link_limit:
        return f"{numbers.rate(rate)}, {100 * rate / run.link_limit:.0f} % of the link"
    return numbers.rate(rate)


def _pair(run: Run, first: str, second: str) -> tuple[Benchmark, Benchmark] | None:
    """Two benchmarks at the largest size that both have."""
    a, b = run.sizes(first), run.sizes(second)
    common = set(a) & set(b)
    return (a[max(common)], b[max(common)]) if common else None


def _pageable(run: Run) -> Iterator[Finding]:
    found = list(_pageable_ways(run))
    if found:
        yield max(found, key=lambda one: one.weight)


def _pageable_ways(run: Run) -> Iterator[Finding]:
    for way in ("h2d", "d2h"):
        pair = _pair(run, f"copy/pageable/{way}", f"copy/pinned/{way}")
        if pair is None:
            continue
        slow, fast = pair
        factor = slow.ns / fast.ns
        if factor < 1.1:
            continue
        text = (
            f"Copies of ordinary memory reach {_share(run, slow)} ({way}, "
            f"{numbers.size(slow.bytes or 0)}), of pinned memory {numbers.times(factor)} as much "
            f"({_share(run, fast)})"
        )
        staged = run.sizes(f"copy/staged/{way}").get(slow.bytes or 0)
        if staged and staged.ns < slow.ns / 1.1:
            text += (
                f"; staged copies of ordinary memory reach {_share(run, staged)}: use "
                "staged_copier where memory cannot be pinned"
            )
        yield Finding(f"{text}.", factor)


def _asynchronous(run: Run) -> Iterator[Finding]:
    one = run.largest("copy_async/pageable/h2d")
    pinned = run.largest("copy_async/pinned/h2d")
    returned = one.get("enqueue_ns") if one else None
    if one is None or not returned or returned < ASYNCHRONOUS * one.ns:
        return
    text = (
        f"cudaMemcpyAsync of ordinary memory is not asynchronous: at {numbers.size(one.bytes or 0)}"
        f" it returned after {numbers.time(returned)} of {numbers.time(one.ns)}"
    )
    soon = pinned.get("enqueue_ns") if pinned else None
    if soon:
        text += f"; from pinned memory after {numbers.time(soon)}"
    yield Finding(f"{text}.", 3.0)


def _scattered(run: Run) -> Iterator[Finding]:
    for block in ("4KiB", "64KiB"):
        names = [f"scatter/{way}/{block}_blocks/pinned/h2d" for way in ("loop", "gather_kernel")]
        pair = _pair(run, *names)
        if pair and pair[0].ns > 1.2 * pair[1].ns:
            slow, fast = pair
            yield Finding(
                f"Scattered blocks of {block}, {numbers.size(slow.bytes or 0)} in all: one kernel "
                f"gathers them at {numbers.rate(fast.gb_per_s or 0)}, a loop of copies sends them "
                f"at {numbers.rate(slow.gb_per_s or 0)}.",
                slow.ns / fast.ns,
            )
            return


def _both_ways(run: Run) -> Iterator[Finding]:
    both = run.largest("duplex/engines/pinned")
    alone = both.get("h2d_alone_gb_per_s") if both else None
    if both is None or not alone or not both.gb_per_s:
        return
    factor = both.gb_per_s / alone
    text = (
        f"Both directions at once carry {numbers.rate(both.gb_per_s)} in all, "
        f"{numbers.times(factor)} as much as one"
    )
    lost = []
    for way in ("h2d", "d2h"):
        own, busy = both.get(f"{way}_alone_gb_per_s"), both.get(f"{way}_gb_per_s")
        if own and busy:
            lost.append(f"{way} loses {numbers.percent(max(0.0, 1 - busy / own))}")
    yield Finding(f"{text}{' (' + ', '.join(lost) + ')' if lost else ''}.", factor)


def _overlap(run: Run) -> Iterator[Finding]:
    pair = _pair(run, "overlap/pinned/serial", "overlap/pinned/chosen")
    if pair and pair[0].ns > 1.1 * pair[1].ns:
        slow, fast = pair
        yield Finding(
            f"Up, work and down of {numbers.size(slow.bytes or 0)} take {numbers.time(fast.ns)} "
            f"when they overlap in pieces, {numbers.time(slow.ns)} one after the other.",
            slow.ns / fast.ns,
        )


def _messages(run: Run) -> Iterator[Finding]:
    plain, flag = run.find("message/memcpy"), run.find("message/mapped_flag")
    if plain and flag and plain.ns > 1.1 * flag.ns:
        yield Finding(
            f"A message to a running kernel and its answer take {numbers.time(flag.ns)} through "
            f"mapped memory, {numbers.time(plain.ns)} by copies.",
            plain.ns / flag.ns,
        )


def _fresh_memory(run: Run) -> Iterator[Finding]:
    names = [f"gpu_array/get/pageable/{way}/float32" for way in ("fresh", "touched")]
    pair = _pair(run, *names)
    if pair and pair[0].ns > 1.2 * pair[1].ns:
        slow, fast = pair
        yield Finding(
            f"A download of {numbers.size(slow.bytes or 0)} into memory that was just got takes "
            f"{numbers.time(slow.ns)}, into memory used before {numbers.time(fast.ns)}: keep the "
            "destination.",
            slow.ns / fast.ns,
        )


def _write_combined(run: Run) -> Iterator[Finding]:
    buffers = [one for one in caption.entries(run.result, "buffers") if isinstance(one, dict)]
    for one in buffers:
        if caption.text(one, "memory", "") != "pinned_wc":
            continue
        kind = caption.text(one, "memory_type", "")
        rate = mapping(one, "cpu_reads").get("plain_gb_per_s")
        plain = mapping(one, "cpu_reads_of_ordinary_memory").get("plain_gb_per_s")
        if not is_positive(rate) or not is_positive(plain):
            return
        rates = f"{numbers.rate(rate)} against {numbers.rate(plain)} of ordinary memory"
        if kind == "write-combined":
            yield Finding(
                f"Write-combined memory is slow to read for the CPU: {rates}, caches cold. Only "
                "write to it.",
                plain / rate,
            )
        elif kind == "write-back":
            yield Finding(
                f"The flag WRITECOMBINED had no effect on how the CPU reads: {rates}, caches cold.",
                1.05,
            )


def _flags(run: Run) -> Iterator[Finding]:
    plain = run.largest("copy/pinned/h2d")
    if plain is None or not plain.gb_per_s:
        return
    others = {}
    for flags in ("portable", "mapped", "wc"):
        one = run.sizes(f"copy/pinned_{flags}/h2d").get(plain.bytes or 0)
        if one and one.gb_per_s:
            others[flags] = one.gb_per_s / plain.gb_per_s - 1
    if len(others) == 3 and all(abs(change) <= ALIKE for change in others.values()):
        most = max(abs(change) for change in others.values())
        yield Finding(
            "The flags PORTABLE, DEVICEMAP and WRITECOMBINED make no difference to copies of "
            f"{numbers.size(plain.bytes or 0)} h2d: {numbers.percent(most)} at most.",
            1.01,
        )


def what_to_use(run: Run) -> list[Sentence]:
    """By size and reuse, from the map of `bench_transfers advise`."""
    answer = run.advice.map
    if answer is None:
        return []
    known = answer["measured_terms"]["allocation"]
    sentences = []
    for way in ("h2d", "d2h"):
        winners = answer["directions"].get(way, {}).get("winner") or []
        for reuse in (1, 100) if known else (1,):
            if not winners or reuse not in answer["reuse"]:
                continue
            column = answer["reuse"].index(reuse)
            spans = _spans(answer["sizes"], [row[column] for row in winners])
            used = f", memory used {'once' if reuse == 1 else f'{reuse} times'}" if known else ""
            sentences.append(Sentence(f"Use {way}{used}: {'; '.join(spans)}."))
    return sentences


def _spans(sizes: list[int], winners: list[Any]) -> list[str]:
    """ "up to 16 KiB copy/pageable", "above copy/pinned" """
    spans: list[tuple[str, int]] = []
    for size, winner in zip(sizes, winners, strict=True):
        if winner is None:
            continue
        if spans and spans[-1][0] == winner:
            spans[-1] = (winner, size)
        else:
            spans.append((winner, size))
    words = [f"up to {numbers.size(size)} {winner}" for winner, size in spans[:-1]]
    last = [f"{'above' if words else 'at every size'} {winner}" for winner, _ in spans[-1:]]
    return words + last
