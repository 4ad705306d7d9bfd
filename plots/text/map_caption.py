"""Writes titles and subtitles of figures of maps of hosts."""

from __future__ import annotations

from plots.model.host_map import HostMap
from plots.model.load import Result
from plots.model.values import member, text
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


def machine(host_map: HostMap) -> str:
    """Says which machine the map is of: its devices, and their UUIDs if the file has them."""
    entries = member(host_map.context, "devices", list) or []
    names = [text(entry, "name", "unknown device") for entry in entries]
    uuids = list(filter(None, (text(entry, "uuid", "") for entry in entries)))
    what = caption.counted_names(names) if uuids else _first(names)
    known = f" ({_first(uuids)})" if uuids else ""
    date = caption.moment(host_map.context.get("date"))
    return f"The map is of the machine with {what or 'unknown devices'}{known}, {date}."


def _first(names: list[str]) -> str:
    """Returns the first two names, and how many follow."""
    more = [f"{len(names) - 2} more"] if len(names) > 2 else []
    return caption.listed([*names[:2], *more]) if names else ""


def another_machine(host_map: HostMap, others: list[tuple[Result, str]]) -> str:
    """Says that runs are of other machines than the map's; empty if none is."""
    if not others:
        return ""
    files = caption.listed([caption.file_name(result) for result, _ in others])
    reasons = caption.listed(list(dict.fromkeys(why for _, why in others)))
    return (
        f"{file_name(host_map)} is of another machine than {files}: {reasons}; "
        "what it says of links does not hold there."
    )


def origin(host_map: HostMap) -> str:
    """Returns when and with what the map was measured."""
    context = host_map.context
    size, memory = context.get("size_bytes"), text(context, "memory", "")
    copies = f"copies of {numbers.size(size)}" if size else "copies of unknown size"
    parts = [
        caption.moment(context.get("date")),
        f"{copies} of {memory} memory" if memory else copies,
        caption.count(host_map.sets, "set") + " measured" if host_map.sets else "",
        _checked(host_map),
    ]
    return "; ".join(filter(None, parts))


def traffic_words(kinds: list[str]) -> str:
    """Returns kinds of traffic in words; several are those that are alike."""
    if len(kinds) == 1:
        return WORDS[kinds[0]]
    short = ["both ways" if kind == "both" else kind for kind in kinds]
    return f"the same in {caption.listed(short)}"


def is_doubtful(host_map: HostMap) -> bool:
    """Tells whether the map says that it does not explain its host."""
    return any(code in ("poor_prediction", "no_link_explains") for code, _ in host_map.findings)


def _checked(host_map: HostMap) -> str:
    if host_map.errors is None:
        return "not compared with sets held out"
    errors = (host_map.errors.median, host_map.errors.p95)
    median, p95 = (f"{100 * error:.1f} %" for error in errors)
    doubt = "beware, " if is_doubtful(host_map) else ""
    return f"{doubt}sets held out differ by {median} (median), {p95} (95th percentile)"


def file_name(host_map: HostMap) -> str:
    """Returns the file's name with its folder, because many are called host_map.json."""
    return caption.short_path(host_map.path)
