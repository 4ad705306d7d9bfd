"""Writes sentences about the machine, and about how far its numbers can be trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from plots.model import values
from plots.model.derive import Run
from plots.model.values import is_failed, is_positive, mapping
from plots.text import caption, numbers

NOISY = 0.03  # the distance between the quartiles of large transfers, as a part of the median
LARGE = 2**20  # from this size on, transfers are judged by their bandwidth
FALLEN_CLOCK = 0.9  # of the clock at the start; below it, late numbers differ from early ones
# Codes of warnings that sentences of `assess` cover.
COVERED_WARNINGS = {
    "faults_injected",
    "link_below_maximum",
    "cpu_governor",
    "virtual_machine",
    "numa_far",
    "gpu_throttled",
    "gpu_clock_fell",
    "pcie_replays",
    "cpu_throttled",
}


@dataclass(frozen=True)
class Sentence:
    """Holds a sentence, and whether it is a warning."""

    text: str
    warning: bool = False


def describe_machine(run: Run) -> list[Sentence]:
    """Describes the machine that was measured."""
    info = mapping(run.result.transfers, "machine")
    cpu = mapping(info, "cpu")
    parts = [values.text(cpu, "model", "an unknown processor")]
    if is_positive(cpu.get("logical_cpus_online")):
        parts.append(caption.count(int(cpu["logical_cpus_online"]), "logical CPU"))
    memory = mapping(info, "memory").get("total_bytes")
    if is_positive(memory):
        parts.append(f"{memory / 2**30:.0f} GiB of memory")
    parts.append(values.text(info, "os", ""))
    host = ", ".join(filter(None, parts))
    date = caption.date(run.result)
    device = mapping(run.result.transfers, "device")
    if run.on_host:
        reason = run.result.why_not_gpu
        cause = values.text(reason.data, "reason", reason.text).rstrip(".") if reason else ""
        cause_text = f" ({cause})" if cause else ""
        return [
            Sentence(
                f"No GPU was measured{cause_text}. These are copies within the memory of one "
                "machine: they tell nothing about transfers to a GPU.",
                warning=True,
            ),
            *_describe_emulation(device),
            Sentence(f"The machine: {host}; measured on {date}."),
        ]
    link = mapping(run.result.transfers, "link")
    link_text = f" on {caption.link_name(link)}" if link else ""
    driver = values.text(device, "driver_version", "")
    driver_text = f" with driver {driver}" if driver else ""
    gpu = f"{caption.device_name(run)}{link_text}{driver_text}"
    return [Sentence(f"{gpu}; host: {host}; measured on {date}.")]


def _describe_emulation(device: dict[str, Any]) -> list[Sentence]:
    if not mapping(device, "emulated_link"):
        return []
    name = values.text(device, "name", "the device")
    return [Sentence(f"The link is emulated, and its rates are settings: {name}.", warning=True)]


def assess(run: Run) -> list[Sentence]:
    """Says whether the numbers can be trusted."""
    checks: list[Callable[[Run], Sentence | None]] = [
        _check_completeness,
        _check_faults,
        _check_failures,
        _check_names,
        _check_program,
        _check_link,
        _check_hypervisor,
        _check_numa,
        _check_governor,
        _check_gpu_clocks,
        _check_replays,
        _check_cpu_clocks,
        _check_noise,
    ]
    return [sentence for check in checks if (sentence := check(run)) is not None]


def other_warnings(run: Run) -> list[str]:
    """Returns bench_transfers' own warnings whose subject `assess` does not cover."""
    return [warning.text for warning in run.result.warnings if warning.code not in COVERED_WARNINGS]


def _check_completeness(run: Run) -> Sentence | None:
    if run.result.transfers.get("complete") is True:
        return None
    info = mapping(run.result.transfers, "run")
    signal = values.text(info, "interrupted_by", "")
    signal_text = f" ({signal})" if signal else ""
    counts = [benchmark.repetitions for benchmark in run.transfers or run.benchmarks]
    rounds = info.get("rounds")
    if not counts or not is_positive(rounds) or rounds < max(counts):
        return Sentence(f"The run did not end by itself{signal_text}: part of it is missing.", True)
    fewest, most = min(counts), max(counts)
    repetitions = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    subject = "transfers" if run.transfers else "benchmarks"
    return Sentence(
        f"The run did not end by itself{signal_text}: its {subject} have {repetitions} of {rounds} "
        "repetitions, and some may be missing.",
        True,
    )


def _check_faults(run: Run) -> Sentence | None:
    names = injected_faults(run)
    if not names:
        return None
    return Sentence(
        f"Faults were injected on purpose ({', '.join(names)}): use no number of this run. "
        "No conclusions are drawn from it here.",
        True,
    )


def injected_faults(run: Run) -> list[str]:
    """Lists the faults that were injected on purpose."""
    faults = mapping(run.result.transfers, "run").get("faults_injected")
    return list(filter(None, map(values.printable, faults if isinstance(faults, list) else [])))


def _check_failures(run: Run) -> Sentence | None:
    if not run.failed:
        return None
    first = run.failed[0]
    row = next(row for row in run.result.rows if is_failed(row) and str(row.get("name")) == first)
    reason = values.text(row, "error_message", "no reason given").rstrip(".")
    number = caption.count(len(run.failed), "benchmark")
    introduction = ", for example" if len(run.failed) > 1 else ":"
    return Sentence(f"{number} failed{introduction} {values.printable(first)} ({reason}).", True)


def _check_names(run: Run) -> Sentence | None:
    if not run.left_out:
        return None
    number = caption.count(run.left_out, "benchmark")
    return Sentence(f"{number} left out: names that are too long or cannot be printed.", True)


def _check_program(run: Run) -> Sentence | None:
    program = mapping(run.result.transfers, "program")
    build = values.text(program, "build_type", "Release")
    if build != "Release":
        return Sentence(f"The program was built as {build}: it is slower than Release.", True)
    commit = values.text(program, "git_commit", "")
    if commit.endswith("-dirty"):
        return Sentence(
            f"The program had changes that are in no commit ({commit}): the run cannot be "
            "repeated exactly."
        )
    return None


def _check_link(run: Run) -> Sentence | None:
    link = mapping(run.result.transfers, "link")
    if run.on_host or link.get("type") != "pcie":
        return None
    current = [x for key in ("generation", "width") if is_positive(x := link.get(key))]
    maximum = [x for key in ("generation_max", "width_max") if is_positive(x := link.get(key))]
    if len(current) + len(maximum) < 4:
        return Sentence("Whether the link ran at its full speed is not known.")
    if all(x >= highest for x, highest in zip(current, maximum, strict=True)):
        return Sentence(
            f"The link ran at its full speed under load: PCIe {current[0]}.0 x{current[1]}."
        )
    return Sentence(
        f"Under load the link ran at PCIe {current[0]}.0 x{current[1]}, but it can run at "
        f"PCIe {maximum[0]}.0 x{maximum[1]}. Look at the slot, its riser and the BIOS.",
        True,
    )


def _check_numa(run: Run) -> Sentence | None:
    if run.on_host:
        return None
    machine_info = mapping(run.result.transfers, "machine")
    device = mapping(run.result.transfers, "device").get("numa_node")
    process = mapping(machine_info, "process").get("numa_node")
    nodes = mapping(machine_info, "cpu").get("numa_nodes")
    if nodes == 1 and _hypervisor_name(run):
        return Sentence(
            "The virtual machine has one NUMA node. Whether its memory is near the GPU in the "
            "physical machine is not known."
        )
    if nodes == 1:
        return Sentence("The host has one NUMA node: no memory is far from the GPU.")
    if not isinstance(device, int) or not isinstance(process, int) or device < 0:
        return Sentence("Whether the memory was near the GPU (NUMA) is not known.")
    if device == process:
        return Sentence(f"The process ran on the GPU's NUMA node, {device}.")
    return Sentence(
        f"The process ran on NUMA node {process}, the GPU is at node {device}: its transfers "
        f"crossed between the two. Repeat with numactl --cpunodebind={device} --membind={device}.",
        True,
    )


def _check_governor(run: Run) -> Sentence | None:
    governor = values.text(mapping(mapping(run.result.transfers, "machine"), "cpu"), "governor", "")
    if governor in ("", "performance"):
        return None
    return Sentence(
        f"The CPU's frequency governor was {governor}: its clock may have varied.", True
    )


def _check_gpu_clocks(run: Run) -> Sentence | None:
    if run.on_host:
        return None
    gpu = mapping(mapping(run.result.transfers, "clocks"), "gpu")
    reasons = gpu.get("throttle_reasons")
    clocks = _start_and_end_values(gpu, "sm_mhz")
    temperatures = _start_and_end_values(gpu, "temperature_c")
    observations = [f"{_start_and_end_text(clocks, 'MHz')}"] if clocks else []
    highest = gpu.get("sm_max_mhz")
    if clocks and is_positive(highest):
        observations[0] += f" (at most {highest:.0f} MHz)"
    if temperatures:
        observations.append(_start_and_end_text(temperatures, "°C"))
    clock_text = (
        f": its multiprocessors' clock was {', its temperature '.join(observations)}"
        if clocks
        else ""
    )
    if isinstance(reasons, list) and reasons:
        names = ", ".join(filter(None, map(values.printable, reasons))) or "reasons unreadable"
        return Sentence(f"The GPU was throttled during the run ({names}){clock_text}.", True)
    if len(clocks) == 2 and clocks[1] < FALLEN_CLOCK * clocks[0]:
        return Sentence(
            f"The GPU's clock fell during the run{clock_text}. Do not compare its early with its "
            "late measurements.",
            True,
        )
    if not isinstance(reasons, list):
        return Sentence(f"Whether the GPU was throttled is not known{clock_text}.")
    if run.result.transfers.get("complete") is not True:
        return Sentence(
            f"No throttling of the GPU was seen at the start{clock_text}; what came later may not "
            "be in the file."
        )
    return Sentence(f"No throttling of the GPU was seen{clock_text}.")


def _start_and_end_values(holder: dict[str, Any], key: str) -> list[float]:
    """Returns the values at the start and at the end of a run, only the first, or none."""
    values = holder.get(key)
    known = [value for value in values if is_positive(value)] if isinstance(values, list) else []
    return known if isinstance(values, list) and known == values[: len(known)] else []


def _start_and_end_text(values: list[float], unit: str) -> str:
    if len(values) == 1:
        return f"{values[0]:.0f} {unit} at the start"
    return f"{values[0]:.0f} {unit} at the start and {values[1]:.0f} {unit} at the end"


def _check_replays(run: Run) -> Sentence | None:
    replays = mapping(mapping(run.result.transfers, "clocks"), "gpu").get("pcie_replays")
    if not is_positive(replays):
        return None
    packets = caption.count(int(replays), "repeated packet")
    return Sentence(
        f"The GPU counted {packets} on the link: look at the slot, its riser and the cable.", True
    )


def _check_cpu_clocks(run: Run) -> Sentence | None:
    events = mapping(mapping(run.result.transfers, "clocks"), "cpu").get("throttle_events")
    if is_positive(events):
        return Sentence(
            "The CPU was throttled for being too hot: its logical CPUs counted "
            f"{caption.count(int(events), 'event')}.",
            True,
        )
    if events == 0 and not isinstance(events, bool):
        return Sentence("The CPU was not throttled for being too hot.")
    return Sentence("Whether the CPU was throttled is not known.")


def _hypervisor_name(run: Run) -> str:
    """Returns the hypervisor's name, or nothing on a physical machine."""
    machine_info = mapping(run.result.transfers, "machine")
    return values.text(mapping(machine_info, "virtualisation"), "hypervisor", "")


def _check_hypervisor(run: Run) -> Sentence | None:
    name = _hypervisor_name(run)
    if not name:
        return None
    shared = "memory and processors" if run.on_host else "host and link"
    return Sentence(
        f"This is a virtual machine ({name}): the hypervisor decides memory types, and other "
        f"machines may use the same {shared}.",
        True,
    )


def _check_noise(run: Run) -> Sentence:
    large = [benchmark for benchmark in run.transfers if (benchmark.bytes or 0) >= LARGE]
    subject = f"warm transfers of {numbers.size(LARGE)} and more" if large else "benchmarks"
    repeated = [benchmark for benchmark in large or run.benchmarks if benchmark.repetitions > 1]
    if not repeated:
        return Sentence(
            f"How noisy the machine was is not known: {subject} have one repetition.", True
        )
    middle = median(benchmark.middle_half for benchmark in repeated)
    worst = max(repeated, key=lambda benchmark: benchmark.spread)
    times = worst.values("median_ns")
    extremes = (
        f"; from fastest to slowest, {worst.name} differs most: {numbers.time(min(times))} to "
        f"{numbers.time(max(times))}"
        if len(repeated) > 1
        else ""
    )
    basis = f"the median of {len(repeated)}" if len(repeated) > 1 else repeated[0].name
    statement = (
        f"The middle half of the repetitions of {subject} lies within {numbers.percent(middle)} "
        f"({basis}){extremes}."
    )
    if large and middle > NOISY:
        return Sentence(
            f"The machine was noisy. {statement} Judge differences by several runs.", True
        )
    if max(benchmark.repetitions for benchmark in repeated) < 3:
        return Sentence(f"{statement} Two repetitions say little about that.", True)
    return Sentence(statement)
