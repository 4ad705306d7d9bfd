"""Splits a run of several devices: nothing draws or compares several devices as one."""

from __future__ import annotations

from typing import Any

from plots.model.load import Result, parse_result
from plots.model.values import mapping, member


def split(result: Result) -> list[Result]:
    """Returns a run for each device that was measured; the same run if it has a single one.

    Benchmarks of several devices at once stay with the first device that took part.
    """
    devices = member(result.transfers, "devices", list) or []
    if len(devices) < 2:
        return [result]
    measured = _measured(result)
    return [_alone(result, index) for index in sorted(measured)] or [result]


def why_no_run(result: Result, index: int) -> str:
    """Returns why a device of a run has no run of its own; empty if it has one."""
    if index in _measured(result):
        return ""
    used = {i for row in result.rows for i in result.benchmarks[str(row["name"])].devices}
    return "nothing but copies at once was measured" if index in used else "nothing was measured"


def _measured(result: Result) -> set[int]:
    return {_first(result, str(row["name"])) for row in result.rows}


def _first(result: Result, name: str) -> int:
    return min(result.benchmarks[name].devices, default=0)


def _alone(result: Result, index: int) -> Result:
    """Returns the run as if the device with this index were the first, and without the others'."""
    transfers = result.transfers
    count = len(transfers["devices"])
    order = [index, *(i for i in range(count) if i != index)]
    suffix = f"@{transfers['devices'][index].get('id')}"
    names = {
        name: name.removesuffix(suffix)
        for name in result.benchmarks
        if _first(result, name) == index
    }
    described = _reordered(transfers, order) | {
        "benchmarks": _renamed(transfers["benchmarks"], names, order),
        "skipped": _skipped(result, names),
    }
    rows = [
        row | {"name": names[row["name"]], "run_name": names[row["name"]]}
        for row in result.rows
        if row["name"] in names
    ]
    context = result.context | {"transfers": described}
    return parse_result(result.path, {"context": context, "benchmarks": rows}, result.data)


def _reordered(transfers: dict[str, Any], order: list[int]) -> dict[str, Any]:
    """Returns the facts of the run with the devices in this order."""
    devices = [transfers["devices"][i] for i in order]
    metrics = transfers["metrics"].items()
    return transfers | {
        "device": devices[0],
        "devices": devices,
        "link": devices[0].get("link"),
        "clocks": mapping(transfers, "clocks") | {"gpu": devices[0].get("clocks")},
        "metrics": {name: _renumbered(metric, order) for name, metric in metrics},
    }


def _renamed(
    benchmarks: dict[str, Any], names: dict[str, str], order: list[int]
) -> dict[str, dict[str, Any]]:
    return {
        names[name]: _renumbered(fields, order)
        for name, fields in benchmarks.items()
        if name in names
    }


def _skipped(result: Result, names: dict[str, str]) -> list[dict[str, Any]]:
    """Returns what was skipped on the device, and what is not known to be another's."""
    skipped = member(result.transfers, "skipped", list) or []
    return [
        skip | {"name": names.get(skip["name"], skip["name"])}
        for skip in skipped
        if skip["name"] in names or skip["name"] not in result.benchmarks
    ]


def _renumbered(entry: dict[str, Any], order: list[int]) -> dict[str, Any]:
    """Returns a benchmark or a metric whose devices have their places in the order."""
    changed = dict(entry)
    if "devices" in entry:
        changed["devices"] = [order.index(device) for device in entry["devices"]]
    if "flows" in entry:
        changed["flows"] = [_renumbered_flow(flow, order) for flow in entry["flows"]]
    if "flow" in entry:
        changed["flow"] = _renumbered_flow(entry["flow"], order)
    return changed


def _renumbered_flow(flow: dict[str, Any], order: list[int]) -> dict[str, Any]:
    return flow | {"device": order.index(flow["device"])}
