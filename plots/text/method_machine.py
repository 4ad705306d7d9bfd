"""Describes the measured machine in the method: GPU, link, host."""

from __future__ import annotations

from typing import Any

from plots.model import values
from plots.model.derive import Run
from plots.model.values import mapping
from plots.text import caption, trust
from plots.text.method_facts import Facts, Unknown, known


def describe_machine(run: Run) -> Facts:
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
        yield known(
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
    yield known(model, "the processor", "The host's CPU is {}.")
    sizes = trust.host_sizes(machine)
    if size := caption.listed([*filter(None, sizes)]):
        yield f"The host has {size}."
    if not all(sizes):
        yield Unknown("the host's CPUs, nodes or memory")
    yield known(" on ".join(systems), "the operating system", "The host runs {}.")


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
