"""Writes titles and subtitles of figures of maps of hosts."""

from __future__ import annotations

from datetime import datetime

from plots.model.host_map import HostMap
from plots.model.values import member, printable, text
from plots.text import caption, numbers

WORDS = {"h2d": "host → device", "d2h": "device → host", "both": "both ways at once"}


def title(subject: str, host_map: HostMap) -> str:
    """Returns the title of a figure: its subject and the devices."""
    return f"{subject} — {devices(host_map)}"


def devices(host_map: HostMap) -> str:
    """Returns what the devices are, or a note that there was no GPU."""
    if host_map.on_host:
        return caption.HOST_NOTE
    entries = member(host_map.context, "devices", list) or []
    names = [text(entry, "name", "unknown device") for entry in entries]
    return caption.counted_names(names) or caption.count(len(host_map.devices), "device")


def origin(host_map: HostMap) -> str:
    """Returns when and with what the map was measured."""
    context = host_map.context
    size, memory = context.get("size_bytes"), text(context, "memory", "")
    copies = f"copies of {numbers.size(size)}" if size else "copies of unknown size"
    parts = [
        _date(printable(context.get("date"))),
        f"{copies} of {memory} memory" if memory else copies,
        caption.count(host_map.sets, "set") + " measured" if host_map.sets else "",
        _checked(host_map),
    ]
    return "; ".join(filter(None, parts))


def traffic_words(kinds: list[str]) -> str:
    """Returns kinds of traffic in words."""
    return "; ".join(WORDS[kind] for kind in kinds)


def is_doubtful(host_map: HostMap) -> bool:
    """Tells whether the map says that it does not explain its host."""
    return any(code == "poor_prediction" for code, _ in host_map.findings)


def _checked(host_map: HostMap) -> str:
    if host_map.errors is None:
        return "not compared with sets held out"
    median, p95 = (f"{100 * error:.1f} %" for error in host_map.errors)
    doubt = "beware, " if is_doubtful(host_map) else ""
    return f"{doubt}sets held out differ by {median} (median), {p95} (95th percentile)"


def _date(written: str) -> str:
    try:
        return f"{datetime.fromisoformat(written):%Y-%m-%d %H:%M} UTC"
    except ValueError:
        return written or "unknown date"


def file_name(host_map: HostMap) -> str:
    """Returns the file's name with its folder, because many are called host_map.json."""
    return printable("/".join(host_map.path.parts[-2:]))
