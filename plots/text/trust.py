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
