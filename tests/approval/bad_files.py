"""Files that programs refuse: each is a good one with one change. Its name says which."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import partial
from typing import Any

from running import ROOT

GONE = object()  # the key is taken away
Change = tuple[str, Any]
H200 = ROOT / "results/nvidia-h200"
ABSURD = 1e300
ROW, ENTRY = "benchmarks/0", "context/transfers/benchmarks/0"
FACTS = "context/transfers"

# By the name of the file: where something is changed, and to what. 0 is the first of an object,
# too.
RUNS: dict[str, Change] = {
    # rows
    "row-is-a-number": (ROW, 7),
    "row-without-name": (f"{ROW}/run_name", GONE),
    "row-with-empty-name": (f"{ROW}/run_name", ""),
    "row-with-name-as-number": (f"{ROW}/run_name", 5),
    "row-of-unknown-type": (f"{ROW}/run_type", "guess"),
    "time-zero": (f"{ROW}/real_time", 0),
    "time-negative": (f"{ROW}/real_time", -5),
    "time-absurd": (f"{ROW}/real_time", ABSURD),
    "time-null": (f"{ROW}/real_time", None),
    "time-as-text": (f"{ROW}/real_time", "5"),
    "time-as-list": (f"{ROW}/real_time", [1]),
    "time-true": (f"{ROW}/real_time", True),
    "time-gone": (f"{ROW}/real_time", GONE),
    "unit-unknown": (f"{ROW}/time_unit", "hours"),
    "unit-as-number": (f"{ROW}/time_unit", 3),
    "unit-gone": (f"{ROW}/time_unit", GONE),
    "error-as-text": (f"{ROW}/error_occurred", "true"),
    "error-as-number": (f"{ROW}/error_occurred", 1),
    "error-message-as-number": (f"{ROW}/error_message", 7),
    "skipped-as-text": (f"{ROW}/skipped", "true"),
    "repetition-negative": (f"{ROW}/repetition_index", -1),
    "repetition-fraction": (f"{ROW}/repetition_index", 0.5),
    "repetition-as-text": (f"{ROW}/repetition_index", "0"),
    "repetition-null": (f"{ROW}/repetition_index", None),
    "repetition-twice": (f"{ROW}/repetition_index", 1),
    "rate-that-contradicts": (f"{ROW}/gb_per_s", 1e-3),
    "no-rows": ("benchmarks", []),
    "rows-no-list": ("benchmarks", {}),
    "rows-null": ("benchmarks", None),
    # what benchmarks are
    "entry-gone": (ENTRY, GONE),
    "entries-null": (f"{FACTS}/benchmarks", None),
    "entries-empty": (f"{FACTS}/benchmarks", {}),
    "direction-unknown": (f"{ENTRY}/direction", "up"),
    "direction-null": (f"{ENTRY}/direction", None),
    "cache-as-number": (f"{ENTRY}/cache", 7),
    "family-null": (f"{ENTRY}/family", None),
    "memory-as-list": (f"{ENTRY}/memory", []),
    "size-negative": (f"{ENTRY}/size_bytes", -1),
    "size-fraction": (f"{ENTRY}/size_bytes", 0.5),
    "size-of-other-bytes": (f"{ENTRY}/size_bytes", 10),
    "node-as-text": (f"{ENTRY}/node", "0"),
    "node-negative": (f"{ENTRY}/node", -1),
    "node-too-large": (f"{ENTRY}/node", 1 << 32),
    "plainness-as-text": (f"{ENTRY}/plainness", "plain"),
    "plainness-null": (f"{ENTRY}/plainness", None),
    "plainness-too-large": (f"{ENTRY}/plainness", 1 << 32),
    "devices-no-list": (f"{ENTRY}/devices", 0),
    "devices-of-text": (f"{ENTRY}/devices", ["GPU"]),
    "devices-unknown": (f"{ENTRY}/devices", [0, 1]),
    "flows-no-list": (f"{ENTRY}/flows", 0),
    "flow-no-object": (f"{ENTRY}/flows", [0]),
    "flow-of-unknown-device": (f"{ENTRY}/flows", [{"device": 1, "direction": "h2d"}]),
    "flow-with-node-as-text": (f"{ENTRY}/flows", [{"device": 0, "direction": "h2d", "node": "1"}]),
    "set-no-object": (f"{ENTRY}/set", "all"),
    "role-unknown": (f"{ENTRY}/role", "guess"),
    "emulation-as-number": (f"{ENTRY}/emulation", 1),
    "roles-no-object": (f"{FACTS}/roles", []),
    "role-no-object": (f"{FACTS}/roles", {"copy": 7}),
    "metrics-null": (f"{FACTS}/metrics", None),
    "metric-no-object": (f"{FACTS}/metrics/gb_per_s", "no metric"),
    "metric-without-kind": (f"{FACTS}/metrics/gb_per_s/kind", GONE),
    "metric-of-unknown-kind": (f"{FACTS}/metrics/gb_per_s/kind", "colour"),
    "metric-of-unknown-direction": (f"{FACTS}/metrics/gb_per_s/better", "maybe"),
    "metric-flow-of-unknown-device": (
        f"{FACTS}/metrics/gb_per_s/flow",
        {"device": 1, "direction": "h2d"},
    ),
    "metric-flow-without-device": (f"{FACTS}/metrics/gb_per_s/flow", {"direction": "h2d"}),
    # the run
    "format-next": (f"{FACTS}/format", 3),
    "format-zero": (f"{FACTS}/format", 0),
    "format-null": (f"{FACTS}/format", None),
    "format-as-text": (f"{FACTS}/format", "two"),
    "format-fraction": (f"{FACTS}/format", 2.5),
    "format-gone": (f"{FACTS}/format", GONE),
    "schema-next": ("context/json_schema_version", 2),
    "schema-as-text": ("context/json_schema_version", "1"),
    "complete-as-text": (f"{FACTS}/complete", "true"),
    "faults-as-text": (f"{FACTS}/run/faults_injected", "slow"),
    "warnings-no-list": (f"{FACTS}/warnings", 7),
    "warning-no-object": (f"{FACTS}/warnings", ["slow"]),
    "skip-without-reason": (f"{FACTS}/skipped", [{"name": "a", "reason": "no"}]),
    "device-null": (f"{FACTS}/device", None),
    "device-of-no-kind": (f"{FACTS}/device/kind", ""),
    "why-no-gpu-as-text": (f"{FACTS}/device/why_not_gpu", "no driver"),
    "devices-null": (f"{FACTS}/devices", None),
    "no-devices": (f"{FACTS}/devices", []),
    "parts-no-list": (f"{FACTS}/parts", 2),
    "part-with-another-number": (f"{FACTS}/parts", [{"number": 2}]),
    "part-without-end": (f"{FACTS}/parts", [{"number": 1}]),
}
SWEEPS: dict[str, Change] = {
    "sweep-of-another-kind": ("kind", "other"),
    "sweep-format-next": ("format", 2),
    "sweep-without-gpus": ("gpus", GONE),
    "sweep-gpu-twice": ("gpus/1/uuid", "GPU-f5739083-fb4f-6164-425e-5a1ae50a99a1"),
    "sweep-parts-zero": ("gpus/1/parts", 0),
    "sweep-times-too-few": ("gpus/1/times_ns/0", GONE),
    "sweep-time-negative": ("gpus/1/times_ns/0/0/0", -1),
    "sweep-time-as-text": ("gpus/1/times_ns/0/0/0", "fast"),
    "sweep-times-empty": ("gpus/1/times_ns/0/0", []),
    "sweep-times-no-list": ("gpus/1/times_ns/0/0", 1),
    "sweep-class-unknown": ("benchmarks/0/class", "fast"),
    "sweep-begin-no-time": ("begin", "today"),
    "sweep-world-size-negative": ("world_size", -1),
    "sweep-node-as-number": ("gpus/0/node", 7),
}
DRIFT = {"device": 1, "traffic": "d2h", "rates": [5e10, 4.6e10]}
MAPS: dict[str, Change] = {
    "map-of-another-kind": ("kind", "other"),
    "map-format-next": ("format", 2),
    "map-without-devices": ("devices", GONE),
    "map-device-no-object": ("devices/0", 7),
    "map-device-without-name": ("devices/0/name", GONE),
    "map-rate-negative": ("devices/0/alone/h2d/value", -1),
    "map-rate-as-text": ("devices/0/alone/h2d/value", "fast"),
    "map-sets-no-list": ("sets", {}),
    "map-set-of-unknown-device": ("sets/0/h2d", [9]),
    "map-format-as-text": ("format", "1"),
    "map-without-links": ("links", GONE),
    "map-devices-no-list": ("devices", 3),
    "map-device-twice": ("devices/1/name", "cuda:0"),
    "map-value-outside-of-its-interval": ("devices/0/alone/h2d/high", 1),
    "map-visible-as-number": ("pci/visible", 1),
    "map-guest-as-number": ("pci/guest", 1),
    "map-copies-of-thrice-the-rate-alone": ("sets/0/measured/0", 1.5e11),
    "map-link-of-unknown-device": ("links/0/devices", [0, 3]),
    "map-link-of-a-device-twice": ("links/0/devices", [1, 1]),
    "map-set-without-copies": ("sets/0/h2d", []),
    "map-set-without-rates": ("sets/0/measured", []),
    "map-errors-null": ("held_out_errors/p95", None),
    "map-seconds-negative": ("seconds", -1),
    "map-of-no-bytes": ("context/size_bytes", 0),
    "map-without-gpu-as-number": ("context/without_gpu", 1),
    "map-shares-of-no-whole": ("links/0/capacities/both/shares", {"h2d": 0.4, "d2h": 0.4}),
    "map-link-without-capacity": (
        "links/0/capacities",
        {"h2d": None, "d2h": None, "both": None},
    ),
    "map-link-of-no-device": ("links", [{"devices": [], "capacities": {}}]),
    "map-link-of-one-device": ("links/0/devices", [1]),
    "map-link-of-a-negative-device": ("links/0/devices", [-1, 1]),
    "map-share-of-nothing": ("links/0/capacities/both/shares", {"h2d": 0, "d2h": 1}),
    "map-share-of-one-direction": ("links/0/capacities/both/shares", {"h2d": 0.4}),
    "map-shares-as-number": ("links/0/capacities/both/shares", 0.5),
    "map-of-no-devices": ("devices", []),
    "map-of-65-devices": ("devices", [{"name": f"cuda:{device}"} for device in range(65)]),
    "map-of-one-path": ("pci/paths/0", GONE),
    "map-width-absurd": ("pci/paths/0/hops/0/link/width", 1e9),
    "map-node-negative": ("nodes", [{"node": -1, "rates": [None, None]}]),
    "map-node-of-one-rate": ("nodes", [{"node": 0, "rates": [None]}]),
    "map-node-twice": ("nodes", [{"node": 0, "rates": [None, None]}] * 2),
    "map-drift-of-one-rate": ("drifts", [DRIFT | {"rates": [5e10]}]),
    "map-drift-to-no-rate": ("drifts", [DRIFT | {"rates": [0, 5e10]}]),
    "map-drift-of-unknown-device": ("drifts", [DRIFT | {"device": 3}]),
    "map-drift-of-unknown-traffic": ("drifts", [DRIFT | {"traffic": "up"}]),
    "map-discarded-negative": ("sets/0/discarded", -1),
    "map-without-skipped": ("skipped", GONE),
}
HISTORY = "benchmarks/0"
FIGURES = f"{HISTORY}/figures"
BASELINES: dict[str, Change] = {
    "baseline-of-another-kind": ("kind", "other"),
    "baseline-format-next": ("format", 4),
    "baseline-format-zero": ("format", 0),
    "baseline-format-1": ("format", 1),
    "baseline-format-2": ("format", 2),
    "baseline-without-digest": ("digest", GONE),
    "baseline-of-too-few-figures": (FIGURES, [1, 2]),
    "baseline-figure-negative": (f"{FIGURES}/3", -1),
    "baseline-figure-absurd": (f"{FIGURES}/3", 1e18),
    "baseline-figure-edited": (f"{FIGURES}/3", 1.5),
    "baseline-of-fastest": ("of_repetitions", "fastest"),
    "baseline-of-another-machine": ("machine", {"link.width": "16"}),
    "baseline-of-no-machine": ("machine", {}),
    "baseline-of-another-field": ("judged_by", "gb_per_s"),
    "baseline-of-another-program": ("ours", False),
    "baseline-turned-around": ("better", "more"),
    "baseline-line-lost": (HISTORY, GONE),
    "baseline-class-edited": (f"{HISTORY}/limited_by", "other"),
    "baseline-class-unknown": (f"{HISTORY}/limited_by", "cpu"),
    "baseline-class-null": (f"{HISTORY}/limited_by", None),
    "baseline-class-gone": (f"{HISTORY}/limited_by", GONE),
    "baseline-reference-edited": (f"{HISTORY}/reference", 100),
    "baseline-reference-negative": (f"{HISTORY}/reference", -1),
    "baseline-reference-absurd": (f"{HISTORY}/reference", ABSURD),
    "baseline-reference-gone": (f"{HISTORY}/reference", GONE),
    "baseline-without-runs": ("runs", GONE),
    "baseline-without-benchmarks": ("benchmarks", {}),
}
TEXTS: dict[str, bytes | Callable[[], bytes]] = {
    "empty": b"",
    "blank": b" \n ",
    "words": b"Device: NVIDIA H200, PCIe 5.0 x16",
    "table": b"name,real_time\ncopy,5\n",
    "number": b"7",
    "word": b"true",
    "list": b"[1, 2]",
    "object": b"{}",
    "other-keys": b'{"a": 1}',
    "not-a-number": b'{"benchmarks": [{"name": "a", "real_time": NaN}]}',
    "infinity": b'{"benchmarks": [{"name": "a", "real_time": -Infinity}]}',
    "number-too-large": b'{"a": 1e999}',
    "nested-too-deep": b"[" * 100_000 + b"]" * 100_000,
    "open-forever": b"[" * 100_000,
    "byte-order-mark": b"\xef\xbb\xbf{}",
    "utf16": b"\xff\xfe{}",
    "hexadecimal": b'{"a": 0x10}',
    "leading-zero": b'{"a": 01}',
    "comma-too-many": b'{"a": 1,,}',
    "value-twice": b'{"benchmarks": [{"name": "a", "real_time": 5, "real_time": 50}]}',
    "no-utf8": b'{"a": "\xff"}',
    "line-in-text": b'{"a": "x\ny"}',
    "zero-byte": b"{}\0",
    "two-documents": b"{}\n{}",
    "key-twice": b'{"benchmarks": [], "benchmarks": []}',
    "aggregates-only": json.dumps(
        {"benchmarks": [{"name": "a_mean", "run_name": "a", "run_type": "aggregate"}]}
    ).encode(),
    "gzip-cut-off": gzip.compress(b"{}")[:-3],
    "gzip-and-more": gzip.compress(b"{}") + b"{}",
    "gzip-of-nothing": gzip.compress(b""),
    "gzip-too-large": lambda: gzip.compress(b" " * (200 << 20), 1),
    "binary": bytes(range(256)),
}


def good_run() -> dict[str, Any]:
    """A short run of two benchmarks."""
    path = H200 / "2026-11-24-staging-pairs/1-result.json.gz"
    document: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    described = document["context"]["transfers"]["benchmarks"]
    names = sorted(described)[:2]
    document["context"]["transfers"]["benchmarks"] = {name: described[name] for name in names}
    document["benchmarks"] = [row for row in document["benchmarks"] if row["run_name"] in names]
    return document


def good_sweep() -> dict[str, Any]:
    path = H200 / "2026-11-23-fleet/sweep-1.sweep.gz"
    document: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return document


def good_baseline() -> dict[str, Any]:
    path = H200 / "2026-11-21-gate/baseline-median.json"
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def good_map() -> dict[str, Any]:
    path = H200 / "2026-11-23-two-gpus/host_map-1.json"
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def changed(good: Callable[[], dict[str, Any]], change: Change) -> bytes:
    document: Any = good()
    place, value = change
    *outer, last = place.split("/")
    inside = document
    for key in outer:
        inside = inside[_key(inside, key)]
    if value is GONE:
        del inside[_key(inside, last)]
    else:
        inside[_key(inside, last)] = value
    return json.dumps(document).encode()


def _key(inside: Any, key: str) -> Any:
    if isinstance(inside, list):
        return int(key)
    return sorted(inside)[int(key)] if key.isdigit() else key


def names(*tables: dict[str, Any]) -> list[str]:
    return [f"{name}.json" for table in tables for name in table]


def given() -> tuple[tuple[str, Callable[[], bytes]], ...]:
    """All of them, as files of a case."""
    goods = (
        *((RUNS, good_run), (BASELINES, good_baseline)),
        *((SWEEPS, good_sweep), (MAPS, good_map)),
    )
    made = [
        (f"{name}.json", partial(changed, good, change))
        for table, good in goods
        for name, change in table.items()
    ]
    texts = [
        (f"{name}.json", content if callable(content) else partial(bytes, content))
        for name, content in TEXTS.items()
    ]
    return (*made, *texts)
