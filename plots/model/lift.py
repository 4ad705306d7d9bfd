"""Lifts files of format 1 to format 2, by what src/result_file/format_1.json says of them.

Only here a name is taken apart and a sentence is recognised by its beginning.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from plots.model.strict_json import parse
from plots.model.values import mapping, text

FORMAT_1 = Path(__file__).resolve().parents[2] / "src" / "result_file" / "format_1.json"
SIZE = re.compile(r"(?!0+[A-Z])([0-9]{1,12})(B|KiB|MiB|GiB)")
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
COLD = "cold"
NO_GPU = "No GPU: "
OTHER = "other"
OF_VARIANT = ("role", "direction", "method", "setting", "plainness")  # over the strategy's


@functools.cache
def format_1() -> dict[str, Any]:
    """What is known of files of format 1."""
    known: dict[str, Any] = parse(FORMAT_1.read_bytes())
    return known


def lift_transfers(transfers: dict[str, Any], rows: list[Any]) -> dict[str, Any]:
    """The member `transfers` of a context of format 1 with what format 2 adds to it."""
    skipped = _lift_each(transfers.get("skipped"), _lift_skip)
    skips = skipped if isinstance(skipped, list) else []
    names = dict.fromkeys(
        str(holder.get("name")) for holder in (*rows, *skips) if isinstance(holder, dict)
    )
    memory = _memory_of_strategies(transfers)
    benchmarks = {name: describe(name, memory) for name in names}
    return transfers | {
        "format": 2,
        "benchmarks": benchmarks,
        "roles": _roles(fields["role"] for fields in benchmarks.values()),
        "metrics": dict(format_1()["metrics"]),
        "devices": [_device(transfers)],
        "device": _lift_device(transfers.get("device")),
        "buffers": [_lift_buffer(buffer) for buffer in _list(transfers, "buffers")],
        "skipped": skipped,
        "warnings": _lift_each(_without_blanks(transfers.get("warnings")), _lift_warning),
    }


def lift_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row of format 1: what failed has an error's code."""
    return row | {"error_code": OTHER} if row.get("error_occurred") is True else row


def message(text: str, kind: str = "", code: str = OTHER) -> dict[str, Any]:
    """A text of format 1 as a message; `code` where its beginning is not known."""
    begins = format_1().get(kind, [])
    codes = (known["code"] for known in begins if text.startswith(known["begins"]))
    return {"code": next(codes, code), "data": {}, "text": text}


def describe(name: str, memory: Mapping[str, str] = MappingProxyType({})) -> dict[str, Any]:
    """Describes a benchmark by its name; `memory`: what the file says of unknown strategies."""
    parts = name.split("/")
    cold = len(parts) > 1 and parts[-1] == COLD
    if cold:
        parts.pop()
    size = SIZE.fullmatch(parts[-1]) if len(parts) > 1 else None
    if size:
        parts.pop()
    return {
        "family": parts[0],
        "strategy": "/".join(parts),
        "method": None,
        "setting": None,
        "memory": None,
        "variant": None,
        "direction": "none",
        "size_bytes": int(size[1]) * UNITS[size[2]] if size else None,
        "cache": "cold" if cold else "warm",
        "devices": [0],
        "plainness": 0,
        **(_known(parts) or _unknown(parts, memory)),
    }


def _known(parts: list[str]) -> dict[str, Any] | None:
    """The fields of a strategy that is in format_1.json."""
    family = format_1()["families"].get(parts[0], {})
    strategies = family.get("strategies", {})
    starts = ("/".join(parts[:length]) for length in range(len(parts), 0, -1))
    strategy = next((start for start in starts if start in strategies), None)
    if strategy is None:
        return None
    variant = "/".join(parts)[len(strategy) + 1 :] or None
    of_variant = family.get("variants", {}).get(variant, {})
    defaults = {key: family[key] for key in family if key not in ("variants", "strategies")}
    fields: dict[str, Any] = defaults | of_variant | strategies[strategy]
    fields |= {key: of_variant[key] for key in OF_VARIANT if key in of_variant}
    return {"role": OTHER} | fields | {"strategy": strategy, "variant": variant}


def _unknown(parts: list[str], memory: Mapping[str, str]) -> dict[str, Any]:
    """Describes a strategy that is not in format_1.json. Its variant is a direction, if any."""
    direction = format_1()["directions"].get(parts[-1], {}) if len(parts) > 1 else {}
    strategy = parts[:-1] if direction else parts
    return {
        "strategy": "/".join(strategy),
        "memory": memory.get("/".join(strategy)),
        "method": "/".join(strategy[1:]) or None,
        "variant": parts[-1] if direction else None,
        "direction": "none",
        "role": "copy" if direction else OTHER,
        "plainness": 1 + "/".join(strategy).count("_"),
        **direction,
    }


def _roles(present: Any) -> dict[str, Any]:
    known: dict[str, Any] = dict(format_1()["roles"])
    others = {role for role in present if role not in known}
    return known | {role: {"description": "other benchmarks", "table": "times"} for role in others}


def _device(transfers: dict[str, Any]) -> dict[str, Any]:
    """The entry in `devices` of a run's only one."""
    device = _lift_device(transfers.get("device"))
    clocks = mapping(transfers, "clocks").get("gpu")
    link = transfers.get("link")
    return (device if isinstance(device, dict) else {}) | {"link": link, "clocks": clocks}


def _lift_device(device: Any) -> Any:
    """Makes a message of why there is no GPU. The first sentence gives the reason."""
    why = device.get("why_not_gpu") if isinstance(device, dict) else None
    if not isinstance(why, str):
        return device
    if not why:
        return device | {"why_not_gpu": None}
    reason = why.removeprefix(NO_GPU).split(". ")[0].removesuffix(".")
    return device | {"why_not_gpu": message(why, code="no_gpu") | {"data": {"reason": reason}}}


def _lift_buffer(buffer: Any) -> Any:
    """Adds whether memory has the flag WRITECOMBINED, which only its name tells in format 1."""
    if not isinstance(buffer, dict):
        return buffer
    return buffer | {"write_combined": text(buffer, "memory", "").endswith("_wc")}


def _memory_of_strategies(transfers: dict[str, Any]) -> dict[str, str]:
    """Returns the memory that each strategy uses, by its name, where the file says it."""
    strategies = [entry for entry in _list(transfers, "strategies") if isinstance(entry, dict)]
    memory = {text(entry, "name", ""): text(entry, "memory", "") for entry in strategies}
    return {name: kind for name, kind in memory.items() if kind}


def _lift_each(entries: Any, lift: Callable[[Any], Any]) -> Any:
    """Lifts the entries of a list. What is none is left as it is, to be refused."""
    if not isinstance(entries, list):
        return entries
    return list(map(lift, entries))


def _without_blanks(texts: Any) -> Any:
    return [text for text in texts if text != ""] if isinstance(texts, list) else texts


def _lift_warning(warning: Any) -> Any:
    return message(warning, "warnings", OTHER) if isinstance(warning, str) else warning


def _lift_skip(skip: Any) -> Any:
    reason = skip.get("reason") if isinstance(skip, dict) else None
    if not isinstance(reason, str):
        return skip
    return skip | {"reason": message(reason or "no reason given", "reasons", "unsupported")}


def _list(holder: dict[str, Any], key: str) -> list[Any]:
    value = holder.get(key)
    return value if isinstance(value, list) else []
