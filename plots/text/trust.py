"""Writes sentences about the machine and the run that judge nothing."""

from __future__ import annotations

from typing import Any

from plots.model import values
from plots.model.derive import Run
from plots.model.judged import Sentence
from plots.model.values import is_positive, mapping
from plots.text import caption


def describe_machine(run: Run) -> list[Sentence]:
    """Describes the machine that was measured."""
    info = mapping(run.result.transfers, "machine")
    processor = values.text(mapping(info, "cpu"), "model", "an unknown processor")
    cpus, _, memory = host_sizes(info)
    host = ", ".join(filter(None, (processor, cpus, memory, values.text(info, "os", ""))))
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


def host_sizes(machine: dict[str, Any]) -> tuple[str, str, str]:
    """Returns how many CPUs, NUMA nodes and how much memory there are; empty if not known."""
    cpu, memory = mapping(machine, "cpu"), mapping(machine, "memory").get("total_bytes")
    count, nodes = cpu.get("logical_cpus_online"), cpu.get("numa_nodes")
    return (
        caption.count(int(count), "logical CPU") if is_positive(count) else "",
        caption.count(int(nodes), "NUMA node") if is_positive(nodes) else "",
        f"{memory / 2**30:.0f} GiB of memory" if is_positive(memory) else "",
    )


def _describe_emulation(device: dict[str, Any]) -> list[Sentence]:
    if not mapping(device, "emulated_link"):
        return []
    name = values.text(device, "name", "the device")
    return [Sentence(f"The link is emulated, and its rates are settings: {name}.", warning=True)]


def injected_faults(run: Run) -> list[str]:
    """Lists the faults that were injected on purpose."""
    faults = mapping(run.result.transfers, "run").get("faults_injected")
    return list(filter(None, map(values.printable, faults if isinstance(faults, list) else [])))


def left_out(run: Run) -> list[Sentence]:
    """Says how many benchmarks a report leaves out."""
    if not run.left_out:
        return []
    number = caption.count(run.left_out, "benchmark")
    return [Sentence(f"{number} left out: names that are too long or cannot be printed.", True)]
