"""Makes up runs of several devices, and of copies of several at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import format_2
import made_up_map
import synthetic
from synthetic import MIB

from plots.model.load import Result, parse_result

RATES = (50.0, 20.0)
AT_ONCE = "concurrent/pinned/h2d/all/64MiB"


def two_devices() -> dict[str, Any]:
    """A run of two devices, the second slower, and of both at once."""
    link = synthetic.LINK
    devices = [
        {"id": f"cuda:{i}", "kind": "cuda", "name": f"GPU {i}", "clocks": None}
        | {"link": link | {"limit_gb_per_s": limit}}
        for i, limit in enumerate((63.0, 31.5))
    ]
    benchmarks, rows = {}, []
    for index, rate in enumerate(RATES):
        for name, fields in format_2.copies().items():
            benchmarks[f"{name}@cuda:{index}"] = fields | {"devices": [index]}
            size = fields["size_bytes"]
            rows += [synthetic.row(f"{name}@cuda:{index}", size, size / rate)] * 3
    benchmarks[AT_ONCE] = format_2.fields(
        "concurrent/pinned",
        "concurrent",
        memory="pinned",
        variant="h2d/all",
        direction="h2d",
        size_bytes=64 * MIB,
        devices=[0, 1],
        flows=[{"device": i, "direction": "h2d"} for i in (0, 1)],
    )
    counters = {
        f"{prefix}@cuda:{i}:h2d": value
        for i, (at_once, alone) in enumerate(((42.0, 50.0), (18.0, 20.0)))
        for prefix, value in {
            "gb_per_s": at_once,
            "alone_gb_per_s": alone,
            "loss_percent": 100 * (1 - at_once / alone),
        }.items()
    }
    rows += [synthetic.row(AT_ONCE, 128 * MIB, 128 * MIB / 60, **counters)] * 3
    kinds: dict[str, dict[str, Any]] = {
        "gb_per_s": {"kind": "rate"},
        "alone_gb_per_s": {"kind": "rate", "alone": True},
        "loss_percent": {"kind": "share", "unit": "%"},
    }
    metric: Any = format_2.METRICS["gb_per_s"]
    metrics = {
        name: (metric | kinds[name.split("@")[0]])
        | {"flow": {"device": int(name.split(":")[1]), "direction": "h2d"}}
        for name in counters
    }
    return format_2.document(
        rows,
        device=devices[0],
        devices=devices,
        link=devices[0]["link"],
        benchmarks=benchmarks,
        roles=format_2.ROLES | {"concurrent": {"description": "several", "table": "concurrent"}},
        metrics=format_2.METRICS | metrics,
    )


def eight_devices() -> dict[str, Any]:
    """A run of eight devices with three sets; all but the last were also measured alone."""
    made_up = two_devices()
    transfers = made_up["context"]["transfers"]
    described, device = transfers["benchmarks"], transfers["devices"][0]
    transfers["devices"] = [device | {"id": f"cuda:{i}", "name": f"GPU {i}"} for i in range(8)]
    for i in range(2, 7):
        name = f"copy/pinned/h2d/1MiB@cuda:{i}"
        described[name] = described["copy/pinned/h2d/1MiB@cuda:0"] | {"devices": [i]}
        made_up["benchmarks"] += [synthetic.row(name, MIB, MIB / 50)] * 3
    for size in (2, 8):
        devices = list(range(8 - size, 8))
        words = "all" if size == 8 else "+".join(f"cuda:{i}" for i in devices)
        name = f"concurrent/pinned/h2d/{words}/1MiB"
        described[name] = described[AT_ONCE] | {
            "variant": f"h2d/{words}",
            "size_bytes": MIB,
            "devices": devices,
            "flows": [{"device": i, "direction": "h2d"} for i in devices],
        }
        made_up["benchmarks"] += [synthetic.row(name, size * MIB, size * MIB / 60)] * 3
    return made_up


def another_machine() -> tuple[dict[str, Any], Result]:
    """A map and a run, of GPUs with other UUIDs."""
    first, second = (
        [{"name": "H200", "uuid": f"GPU-{letter}", "kind": "cuda"} for letter in letters]
        for letters in ("ab", "cd")
    )
    document = two_devices()
    devices = document["context"]["transfers"]["devices"]
    document["context"]["transfers"]["devices"] = [
        device | named for device, named in zip(devices, second, strict=True)
    ]
    host_map = made_up_map.document(2, context={"devices": first})
    return host_map, parse_result(Path("night/run.json"), document, b"run")
