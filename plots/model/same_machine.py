"""Tells whether a map of a host and a run are of one machine, as far as their files say it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from plots.model.host_map import HostMap
from plots.model.load import Result
from plots.model.values import member, text


def how_they_differ(host_map: HostMap, result: Result) -> str:
    """Returns why the map is of another machine than the run; empty if nothing says so.

    The UUIDs of GPUs decide where both files have them, otherwise the names of devices.
    """
    of_map, of_run = _devices(host_map.context), _devices(result.transfers)
    ours, theirs = _all(of_map, "uuid"), _all(of_run, "uuid")
    if ours and theirs:
        return "" if ours & theirs else "their GPUs have other UUIDs"
    ours, theirs = _all(of_map, "name"), _all(of_run, "name")
    if not ours or not theirs or ours <= theirs or theirs <= ours:
        return ""
    return "their devices have other names"


def of_another_machine(host_map: HostMap, results: Sequence[Result]) -> list[tuple[Result, str]]:
    """Lists the runs of other machines than the map's, each with what says so."""
    differences = ((result, how_they_differ(host_map, result)) for result in results)
    return [(result, why) for result, why in differences if why]


def _devices(context: dict[str, Any]) -> list[Any]:
    """Returns the devices of a file; older ones have a single one."""
    several = member(context, "devices", list)
    return several if several is not None else [context.get("device")]


def _all(devices: list[Any], key: str) -> set[str]:
    return {text(device, key, "") for device in devices} - {""}
