"""Writes sentences about the machine, and about how far its numbers can be trusted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

from plots.model import values
from plots.model.derive import Benchmark, Run
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
    """Holds a sentence, whether it is a warning, and what it says in a few words.

    `unknown` names the fact that the file lacks, if the sentence says that one is not known.
    """

    text: str
    warning: bool = False
    short: str = ""
    unknown: str = ""


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
    return [sentence for assessed in ASSESSMENTS for sentence in assessed(run)]


def assess_run(run: Run) -> list[Sentence]:
    """Says what is wrong with the run as a whole."""
    return _answers(
        run,
        _check_completeness,
        _check_parts,
        _check_faults,
        _check_failures,
        _check_names,
        _check_program,
    )


def assess_link(run: Run) -> list[Sentence]:
    """Says whether the link ran as it can."""
    return _answers(run, _check_link, _check_replays)


def assess_host(run: Run) -> list[Sentence]:
    """Says whether others may have used the machine."""
    return _answers(run, _check_hypervisor)


def assess_memory(run: Run) -> list[Sentence]:
    """Says whether memory lay near the GPU, and who decides how it is cached."""
    return _answers(run, _check_numa, _check_memory_types)


def assess_gpu_clocks(run: Run) -> list[Sentence]:
    """Says whether the GPU was throttled."""
    return _answers(run, _check_gpu_clocks)


def assess_cpu_clocks(run: Run) -> list[Sentence]:
    """Says whether the CPU was throttled."""
    return _answers(run, _check_cpu_clocks)


def assess_governor(run: Run) -> list[Sentence]:
    """Says whether the CPU's clock could vary."""
    return _answers(run, _check_governor)


def assess_noise(run: Run) -> list[Sentence]:
    """Says how well repetitions agree."""
    return [_check_noise(run)]


ASSESSMENTS = (
    assess_run,
    assess_link,
    assess_host,
    assess_memory,
    assess_gpu_clocks,
    assess_cpu_clocks,
    assess_governor,
    assess_noise,
)


def _answers(run: Run, *checks: Callable[[Run], Sentence | None]) -> list[Sentence]:
    return [sentence for check in checks if (sentence := check(run)) is not None]


def other_warnings(run: Run) -> list[str]:
    """Returns bench_transfers' own warnings whose subject `assess` does not cover."""
    return [warning.text for warning in run.result.warnings if warning.code not in COVERED_WARNINGS]


def _check_completeness(run: Run) -> Sentence | None:
    if run.result.complete:
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


def _check_parts(run: Run) -> Sentence | None:
    if run.result.parts == 1:
        return None
    return Sentence(
        f"It was measured in {run.result.parts} parts, one after another: a figure may be of "
        "several.",
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
    if run.on_host:
        return None
    current = [x for key in ("generation", "width") if is_positive(x := link.get(key))]
    maximum = [x for key in ("generation_max", "width_max") if is_positive(x := link.get(key))]
    if link.get("type") != "pcie" or len(current) + len(maximum) < 4:
        return Sentence(
            "Whether the link ran at its full speed is not known.", unknown="the link's full speed"
        )
    if all(x >= highest for x, highest in zip(current, maximum, strict=True)):
        return Sentence(
            f"The link ran at its full speed under load: PCIe {current[0]}.0 x{current[1]}.",
            short=f"PCIe {current[0]}.0 x{current[1]}",
        )
    return Sentence(
        f"Under load the link ran at PCIe {current[0]}.0 x{current[1]}, but it can run at "
        f"PCIe {maximum[0]}.0 x{maximum[1]}. Look at the slot, its riser and the BIOS.",
        True,
        short=f"PCIe {current[0]}.0 x{current[1]} instead of {maximum[0]}.0 x{maximum[1]}",
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
            "physical machine is not known.",
            unknown="NUMA distance",
        )
    if nodes == 1:
        return Sentence(
            "The host has one NUMA node: no memory is far from the GPU.", short="memory near"
        )
    if not isinstance(device, int) or not isinstance(process, int) or device < 0:
        return Sentence(
            "Whether the memory was near the GPU (NUMA) is not known.", unknown="NUMA distance"
        )
    if device == process:
        return Sentence(f"The process ran on the GPU's NUMA node, {device}.", short="memory near")
    return Sentence(
        f"The process ran on NUMA node {process}, the GPU is at node {device}: its transfers "
        f"crossed between the two. Repeat with numactl --cpunodebind={device} --membind={device}.",
        True,
        short="memory far from the GPU",
    )


def _check_memory_types(run: Run) -> Sentence | None:
    if not _hypervisor_name(run):
        return None
    return Sentence("The hypervisor sets the memory types of the virtual machine.")


def _check_governor(run: Run) -> Sentence | None:
    governor = values.text(mapping(mapping(run.result.transfers, "machine"), "cpu"), "governor", "")
    if not governor:
        return Sentence(
            "The CPU's frequency governor is not known: its clock may have varied.",
            unknown="governor of the CPU",
        )
    if governor == "performance":
        return None
    return Sentence(
        f"The CPU's frequency governor was {governor}: its clock may have varied.",
        True,
        short=f"governor {governor} of the CPU",
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
        observations[0] += f" (maximum {highest:.0f} MHz)"
    if temperatures:
        observations.append(_start_and_end_text(temperatures, "°C"))
    clock_text = f": its SM clock was {', its temperature '.join(observations)}" if clocks else ""
    if isinstance(reasons, list) and reasons:
        names = ", ".join(filter(None, map(values.printable, reasons))) or "reasons unreadable"
        return Sentence(
            f"The GPU was throttled during the run ({names}){clock_text}.",
            True,
            short=f"GPU: {names}",
        )
    if len(clocks) == 2 and clocks[1] < FALLEN_CLOCK * clocks[0]:
        return Sentence(
            f"The GPU's clock fell during the run{clock_text}. Do not compare its early with its "
            "late measurements.",
            True,
            short="the GPU's clock fell",
        )
    if not isinstance(reasons, list):
        return Sentence(
            f"Whether the GPU was throttled is not known{clock_text}.", unknown="GPU throttling"
        )
    if run.result.transfers.get("complete") is not True:
        return Sentence(
            f"No throttling of the GPU was seen at the start{clock_text}; what came later may not "
            "be in the file.",
            unknown="GPU throttling until the end",
        )
    least = f" {min(clocks):.0f}" if clocks and is_positive(highest) else ""
    short = f"GPU{least} of {highest:.0f} MHz" if least else "GPU"
    return Sentence(f"No throttling of the GPU was seen{clock_text}.", short=short)


def _start_and_end_values(holder: dict[str, Any], key: str) -> list[float]:
    """Returns the values at the start and at the end of a run, only the first, or none."""
    values = holder.get(key)
    known = [value for value in values if is_positive(value)] if isinstance(values, list) else []
    return known if isinstance(values, list) and known == values[: len(known)] else []


def _start_and_end_text(values: list[float], unit: str) -> str:
    if len(values) == 1:
        return f"{values[0]:.0f} {unit} at the start"
    if values[0] == values[1]:
        return f"{values[0]:.0f} {unit} at the start and at the end"
    return f"{values[0]:.0f} {unit} at the start and {values[1]:.0f} {unit} at the end"


def _check_replays(run: Run) -> Sentence | None:
    replays = mapping(mapping(run.result.transfers, "clocks"), "gpu").get("pcie_replays")
    if not is_positive(replays):
        return None
    packets = caption.count(int(replays), "repeated packet")
    return Sentence(
        f"The GPU counted {packets} on the link: look at the slot, its riser and the cable.",
        True,
        short=packets,
    )


def _check_cpu_clocks(run: Run) -> Sentence | None:
    events = mapping(mapping(run.result.transfers, "clocks"), "cpu").get("throttle_events")
    if is_positive(events):
        return Sentence(
            "The CPU was throttled for being too hot: its logical CPUs counted "
            f"{caption.count(int(events), 'event')}.",
            True,
            short="CPU too hot",
        )
    if events == 0 and not isinstance(events, bool):
        return Sentence("The CPU was not throttled for being too hot.", short="CPU")
    return Sentence("Whether the CPU was throttled is not known.", unknown="CPU throttling")


def _hypervisor_name(run: Run) -> str:
    """Returns the hypervisor's name, or nothing on a physical machine."""
    machine_info = mapping(run.result.transfers, "machine")
    return values.text(mapping(machine_info, "virtualisation"), "hypervisor", "")


def _check_hypervisor(run: Run) -> Sentence | None:
    shared = "memory and processors" if run.on_host else "host and link"
    if "virtualisation" not in mapping(run.result.transfers, "machine"):
        return Sentence(
            f"Whether other machines may use the same {shared} is not known.",
            unknown=f"who shares {shared}",
        )
    name = _hypervisor_name(run)
    if not name:
        return None
    return Sentence(
        f"Measured in a virtual machine ({name}): others may use the same {shared}.",
        True,
        short=f"in {name}",
        unknown=f"who shares {shared}",
    )


def middle_half(run: Run) -> float | None:
    """Returns within which part of the median the middle half of repetitions usually lies."""
    repeated = _repeated(run)
    return median(benchmark.middle_half for benchmark in repeated) if repeated else None


def _large(run: Run) -> list[Benchmark]:
    return [benchmark for benchmark in run.transfers if (benchmark.bytes or 0) >= LARGE]


def _repeated(run: Run) -> list[Benchmark]:
    return [benchmark for benchmark in _large(run) or run.benchmarks if benchmark.repetitions > 1]


def steady_half(run: Run) -> str:
    """Says of what `middle_half` is the median, as the beginning of a sentence on it."""
    repeated = _repeated(run)
    if len(repeated) == 1:
        return f"{repeated[0].name} repeats"
    subject = f"transfers of {numbers.size(LARGE)} and more" if _large(run) else "benchmarks"
    return f"half of the {len(repeated)} {subject} repeat"


def _describe_noise(run: Run, repeated: list[Benchmark]) -> str:
    """Says what stands within the range of the steadier half, and how wide that of all is."""
    half = "middle half of the repetitions"
    if len(repeated) == 1:
        return half
    most = max(benchmark.middle_half for benchmark in repeated)
    return f"{steady_half(run)} within this, all within {numbers.percent(most)} ({half})"


def _check_noise(run: Run) -> Sentence:
    large, repeated, middle = _large(run), _repeated(run), middle_half(run)
    subject = f"warm transfers of {numbers.size(LARGE)} and more" if large else "benchmarks"
    if middle is None:
        return Sentence(
            f"How noisy the machine was is not known: {subject} have one repetition.",
            True,
            short="one repetition",
            unknown="noise",
        )
    worst = max(repeated, key=lambda benchmark: benchmark.spread)
    times = worst.values("median_ns")
    extremes = (
        f" The least steady is {worst.name}: {numbers.time(min(times))} to "
        f"{numbers.time(max(times))}."
        if len(repeated) > 1
        else ""
    )
    basis = f"the median of {len(repeated)} benchmarks" if len(repeated) > 1 else repeated[0].name
    statement = (
        f"The middle half of the repetitions of {subject} lies within {numbers.percent(middle)} "
        f"({basis}).{extremes}"
    )
    if large and middle > NOISY:
        return Sentence(
            f"The machine was noisy. {statement} Judge differences by several runs.",
            True,
            short=f"repetitions typically differ by {numbers.percent(middle)}",
        )
    if max(benchmark.repetitions for benchmark in repeated) < 3:
        return Sentence(
            f"{statement} Two repetitions say little about that.", True, short="two repetitions"
        )
    if middle > NOISY:  # as small transfers may be
        return Sentence(statement, unknown="noise of large transfers")
    return Sentence(statement, short=_describe_noise(run, repeated))
