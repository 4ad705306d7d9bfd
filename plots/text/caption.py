"""Writes titles and subtitles: the subject, the machine, the date, and what is left out."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

from plots.model.derive import Run, is_transfer
from plots.model.load import Result
from plots.model.values import is_failed, mapping, printable, text

HOST_NOTE = "host device: no GPU; copies within this machine's memory"


def title(subject: str, run: Run) -> str:
    """Returns the title of a figure: its subject and the device."""
    return f"{subject} — {device_name(run)}"


def describe_transfers(run: Run, repetitions: list[int]) -> list[str]:
    """Returns the subtitle of figures of all plain transfers: the timing and the omissions."""
    timing = describe_timing(repetitions)
    band = "; band: fastest to slowest repetition" if max(repetitions) > 1 else ""
    return [timing + band, describe_omissions(run.result)]


def device_name(run: Run) -> str:
    """Returns the name of the device, or a note that it is the host device.

    One of several devices is also named as on the command line.
    """
    device = mapping(run.result.transfers, "device")
    name = HOST_NOTE if run.on_host else text(device, "name", "unknown device")
    several = len(entries(run.result, "devices")) > 1
    return f"{text(device, 'id', '')} {name}".lstrip() if several else name


def device_ids(run: Run) -> list[str]:
    """Returns what the command line called each device of the run."""
    return [text(device, "id", str(i)) for i, device in enumerate(entries(run.result, "devices"))]


def all_devices(run: Run) -> str:
    """Returns the names of all devices of the run, or a note that they are host devices."""
    if run.on_host:
        return HOST_NOTE
    names = [text(entry, "name", "unknown device") for entry in entries(run.result, "devices")]
    return counted_names(names)


def counted_names(names: list[str]) -> str:
    """Returns names, each once, with their numbers."""
    counts = {name: names.count(name) for name in names}
    return ", ".join(f"{count} × {name}" if count > 1 else name for name, count in counts.items())


def link_name(link: dict[str, Any]) -> str:
    """Returns the name of the link between host and device, such as PCIe 5.0 x16."""
    if link.get("type") != "pcie":
        return text(link, "type", "link")
    generation, width = link.get("generation"), link.get("width")
    return f"PCIe {generation}.0 x{width}" if generation and width else "PCIe"


def page_title(run: Run) -> str:
    """Returns the device and its link, as the title of a page."""
    link = mapping(run.result.transfers, "link")
    return " · ".join(filter(None, [device_name(run), link_name(link) if link else ""]))


def describe_report(run: Run) -> str:
    """Says what a page is about, and where and when that was measured."""
    result = run.result
    parts = [
        "" if result.complete else "incomplete",
        f"measured in {result.parts} parts" if result.parts > 1 else "",
    ]
    state = ", ".join(filter(None, parts))
    host, cpu = _host_and_cpu(run)
    return (
        f"Report of one run of bench_transfers{f' ({state})' if state else ''}, {date(result)}; "
        f"host name {host}, {cpu}"
    )


def describe_origin(run: Run) -> str:
    """Returns machine, date and profile, and whether the run is incomplete."""
    result = run.result
    host, cpu = _host_and_cpu(run)
    profile = text(mapping(result.transfers, "run"), "profile", "unknown")
    state = "" if result.complete else "incomplete run; "
    if result.parts > 1:
        state += f"measured in {result.parts} parts; "
    return f"{state}{host} ({cpu}), {date(result)}, profile {profile}"


def _host_and_cpu(run: Run) -> tuple[str, str]:
    cpu = mapping(mapping(run.result.transfers, "machine"), "cpu")
    return (
        text(run.result.context, "host_name", "unknown host"),
        text(cpu, "model", "unknown CPU"),
    )


def date(result: Result) -> str:
    """Returns the time at which the run was started."""
    return moment(result.began, text(result.context, "date", "unknown date"))


def moment(written: Any, otherwise: str = "unknown date", zone: str = " UTC") -> str:
    """Returns a date of a file without seconds; what is no date stays as it is."""
    try:
        return f"{datetime.fromisoformat(printable(written)):%Y-%m-%d %H:%M}{zone}"
    except ValueError:
        return printable(written) or otherwise


def entries(result: Result, key: str) -> list[Any]:
    """Returns a list in the context, or an empty one."""
    value = result.transfers.get(key)
    return value if isinstance(value, list) else []


def file_name(result: Result) -> str:
    """Returns the file's name with its folder, because many are called result.json."""
    return short_path(result.path)


def short_path(path: Path) -> str:
    """Returns the name of a file with its folder."""
    return printable("/".join(path.parts[-2:]))


def listed(names: list[str]) -> str:
    """Returns names as a list within a sentence."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def count(number: int, noun: str) -> str:
    """Returns a number with its noun, or nothing for zero."""
    return f"{number} {noun}{'s' if number > 1 else ''}" if number else ""


def describe_timing(counts: list[int]) -> str:
    """Says what is timed, and of how many repetitions a value is the median."""
    fewest, most = min(counts), max(counts)
    timed = "wall time from the call until the data are usable at the destination"
    if most == 1:
        return f"{timed}; one repetition"
    repetitions = f"{most}" if fewest == most else f"{fewest} to {most}"
    return f"{timed}; median of {repetitions} repetitions"


def describe_omissions(result: Result) -> str:
    """Counts what figures of all plain transfers leave out."""
    transfers = {name for name, fields in result.benchmarks.items() if is_transfer(fields)}
    rows = [row for row in result.rows if row.get("name") in transfers]
    measured = {row["name"] for row in rows}
    failed = {row["name"] for row in rows if is_failed(row)}
    usable = [result.benchmarks[name] for name in measured - failed]
    cold = [benchmark for benchmark in usable if benchmark.cold]
    written = [benchmark for benchmark in usable if not (benchmark.cold or benchmark.warm)]
    skipped = [skip for skip in result.skipped if skip.name in transfers]
    counts = [
        count(len(cold), "cold-cache benchmark"),
        count(len(written), "written-memory benchmark"),
        count(len(failed), "failed benchmark"),
        count(len(skipped), "skipped benchmark"),
    ]
    left_out = ", ".join(filter(None, counts))
    warnings = count(len(result.warnings), "warning")
    remarks = [
        f"not shown: {left_out}" if left_out else "",
        f"{warnings} in the result file" if warnings else "",
    ]
    return "; ".join(filter(None, remarks))
