#!/usr/bin/python3
"""Limits for DCGM's diagnostics (`dcgmi diag`) from a sweep of healthy GPUs.

    fleet_transfers collect runs --out=sweep.json.gz
    limits.py sweep.json.gz --id=2335 > limits.yaml
    limits.py sweep.json.gz --id=2335 --into=diag-skus.yaml > site-skus.yaml
    dcgmi diag --run pcie --config site-skus.yaml

DCGM's own min_bandwidth is 0.0: any rate passes. Here it is what the slowest GPU of the sweep
reaches in its slower direction (the median of its repetitions), less --margin percent. A file for
dcgmi replaces DCGM's whole configuration, in which a test that is not named is not allowed. So the
limits belong into a copy of DCGM's diag-skus.yaml: --into reads that one (and needs PyYAML).

The format is that of nvvs/diag-skus.yaml.in in NVIDIA/DCGM (spec dcgm-diag-v1); min_bandwidth is in
10^9 B/s (nvvs/plugin_src/pcie/Pcie.h), and holds for each direction (PcieMain.cpp). The test copies
40 MB at once up to Hopper, so the benchmark of about that size counts. Copies of pageable memory
get no limit: healthy hosts differ too much for one.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

# The bundle has what reads files at the same place.
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from plots.model import gunzip, strict_json
from plots.model.values import is_positive, is_whole, printable

MOST_BYTES = 1 << 30  # as src/fleet/io/sweep_file.cpp
MOST_OF_A_LINK = {"generation": 255, "width": 255}  # as well
MOST_RATE = 10_000  # GB/s; ten times that of any link
BYTES_OF_DCGM = 40_000_000
UNITS = {"B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
PINNED = re.compile(r"copy/pinned/(h2d|d2h)/([0-9]{1,12})(B|KiB|MiB|GiB)")
LEAST_BYTES = 8 << 20  # of copies that show what a link can carry
PINNED_TEST, UNPINNED_TEST = "h2d_d2h_single_pinned", "h2d_d2h_single_unpinned"


class BadInput(Exception):
    """What is wrong with an argument or a file, in one line."""


def read_json(path: Path, kind: str) -> dict[str, Any]:
    try:
        if path.is_fifo():
            raise BadInput(f"{path}: it is a named pipe, not a file")
        with path.open("rb") as file:
            data = file.read(MOST_BYTES + 1)
        if gunzip.is_packed(data):
            data = gunzip.unpacked(data, MOST_BYTES)
        if len(data) > MOST_BYTES:
            raise BadInput(f"{path}: more than {MOST_BYTES >> 20} MiB")
        document = strict_json.parse(data)
    except (OSError, ValueError, zlib.error) as error:
        raise BadInput(f"{path}: {error}") from error
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise BadInput(f"{path}: no {kind} of fleet_transfers")
    if not is_whole(document.get("format")) or document["format"] != 1:
        raise BadInput(f"{path}: format {str(document.get('format'))[:20]} is not known here")
    return document


def member(holder: Any, key: str, *kinds: type) -> Any:
    """The value of a key that must be there, of one of these types."""
    value = holder.get(key, ...) if isinstance(holder, dict) else ...
    if not isinstance(value, kinds):
        raise BadInput(f"{key} is missing, or of another type than fleet_transfers writes")
    return value


def checked_gpu(gpu: Any, benchmarks: int) -> dict[str, Any]:
    """What is used of a GPU, with types and ranges as src/fleet/io/sweep_file.cpp reads them."""
    result = {key: member(gpu, key, str) for key in ("uuid", "node", "model")}
    result["rack"] = member(gpu, "rack", str, type(None))
    result["slot"] = member(gpu, "slot", str, type(None))
    result["wrong_data"] = member(gpu, "wrong_data", list)
    link = member(gpu, "link", dict, type(None)) or {}
    for key, most in MOST_OF_A_LINK.items():
        value = link.get(key)
        if value is not None and not (is_whole(value) and 0 < value <= most):
            raise BadInput(f"link.{key} is no number from 1 to {most}")
        result[key] = value
    if gpu.get("kind") == "host":
        raise BadInput(f"{printable(result['uuid'])} is the host's memory, and no GPU")
    times = result["times_ns"] = member(gpu, "times_ns", list)
    if len(times) != benchmarks:
        raise BadInput("times_ns has not one list for each benchmark")
    for runs in times:
        if not isinstance(runs, list) or not all(isinstance(run, list) for run in runs):
            raise BadInput("times_ns has something else than lists of runs")
        if not all(is_positive(time) for run in runs for time in run):
            raise BadInput("times_ns has something else than numbers above 0")
    return result


def checked_gpus(sweep: dict[str, Any]) -> list[dict[str, Any]]:
    """All GPUs of a sweep that can be used."""
    codes = [member(problem, "code", str) for problem in member(sweep, "problems", list)]
    if "faults_injected" in codes:
        raise BadInput("the sweep has runs that were slowed on purpose")
    benchmarks = len(member(sweep, "benchmarks", list))
    gpus = [checked_gpu(gpu, benchmarks) for gpu in member(sweep, "gpus", list)]
    if len({gpu["uuid"] for gpu in gpus}) < len(gpus):
        raise BadInput("two GPUs have one UUID")
    return gpus


# What a finding of a scope is named by. The scope `fleet` is all GPUs of a model, or of all models.
KEYS_OF_SCOPES = {"gpu": "gpu", "node": "node", "rack": "rack", "slot": "slot", "fleet": "model"}


@dataclass(frozen=True)
class Named:
    """What a finding is about."""

    scope: str
    name: str | None
    model: str | None

    def has(self, gpu: dict[str, Any]) -> bool:
        """Whether a GPU is, or is part of, what is named."""
        if self.model not in (None, gpu["model"]):
            return False
        place = {**gpu, "gpu": gpu["uuid"]}
        is_its_own = self.name is not None and place[KEYS_OF_SCOPES[self.scope]] == self.name
        return self.scope == "fleet" or is_its_own


def named_parts(judgement: dict[str, Any]) -> list[Named]:
    """What the findings of a judgement are about."""
    named = []
    for found in member(judgement, "findings", list):
        scope = member(found, "scope", str)
        if scope not in KEYS_OF_SCOPES:
            raise BadInput(f"a finding has the unknown scope {printable(scope)[:40]}")
        name = member(found, KEYS_OF_SCOPES[scope], str, type(None))
        named.append(Named(scope, name, found.get("model")))
    return named


def healthy_gpus(
    sweep: dict[str, Any], model: str | None, judgement: dict[str, Any] | None
) -> list[dict[str, Any]]:
    """Those of the model that nothing is named about."""
    gpus = checked_gpus(sweep)
    models = sorted({gpu["model"] for gpu in gpus})
    if model is None and len(models) > 1:
        raise BadInput(f"which model? --model={' or --model='.join(map(printable, models))}")
    named = named_parts(judgement) if judgement else []
    chosen = [gpu for gpu in gpus if model in (None, gpu["model"])]
    healthy = [
        gpu for gpu in chosen if not (gpu["wrong_data"] or any(part.has(gpu) for part in named))
    ]
    if not healthy:
        raise BadInput(f"no healthy GPU of {len(chosen)}")
    return healthy


def benchmarks_of_dcgms_size(sweep: dict[str, Any]) -> dict[int, int]:
    """The positions of the two directions, and the bytes of each."""
    by_size: dict[int, dict[str, int]] = {}
    for position, benchmark in enumerate(sweep["benchmarks"]):
        if match := PINNED.fullmatch(member(benchmark, "name", str)):
            direction, count, unit = match.groups()
            by_size.setdefault(int(count) * UNITS[unit], {})[direction] = position
    sizes = [size for size, found in by_size.items() if len(found) == 2 and size >= LEAST_BYTES]
    if not sizes:
        raise BadInput("no copy/pinned of 8 MiB or more in both directions")
    nearest = min(sizes, key=lambda size: abs(math.log(size / BYTES_OF_DCGM)))
    return dict.fromkeys(by_size[nearest].values(), nearest)


def slowest_rate(gpus: list[dict[str, Any]], benchmarks: dict[int, int]) -> float:
    """Of all GPUs and directions, in GB/s."""
    rates = []
    for gpu in gpus:
        for position, size in benchmarks.items():
            times = [time for run in gpu["times_ns"][position] for time in run]
            if not times:
                raise BadInput(
                    f"{printable(gpu['uuid'])} lacks a benchmark; "
                    "--judgement leaves out what is named"
                )
            rates.append(size / statistics.median(times))
    if max(rates) > MOST_RATE:
        raise BadInput(f"no link reaches {max(rates):.3g} GB/s")
    return min(rates)


def limits_of(gpus: list[dict[str, Any]], rate: float, margin_percent: float) -> dict[str, Any]:
    """The values for the test `pcie`."""
    link: dict[str, float] = {}
    for key, name in (("generation", "min_pci_generation"), ("width", "min_pci_width")):
        values = [gpu[key] for gpu in gpus]
        if None not in values:
            link[name] = float(min(values))
    limit = math.floor(rate * (1 - margin_percent / 100) * 100) / 100
    if limit <= 0:
        raise BadInput(f"{rate:.3g} GB/s are too few for a limit")
    pinned = {"min_bandwidth": limit} | link
    return {"is_allowed": True, PINNED_TEST: pinned} | ({UNPINNED_TEST: link} if link else {})


def text_of(limits: dict[str, Any], sku: str, name: str, version: str) -> str:
    lines = [f'version: "{version}"', "spec: dcgm-diag-v1", "skus:"]
    lines += [f"  - name: {json.dumps(name)}", f'    id: "{sku}"', "    pcie:"]
    for key, value in limits.items():
        if isinstance(value, dict):
            lines.append(f"      {key}:")
            lines += [f"        {inner}: {number}" for inner, number in value.items()]
        else:
            lines.append(f"      {key}: {json.dumps(value)}")
    return "\n".join(lines) + "\n"


def merged(path: Path, limits: dict[str, Any], sku: str) -> str:
    """DCGM's configuration with the limits of this SKU."""
    try:
        import yaml
    except ImportError as error:
        raise BadInput("--into needs PyYAML (the package python3-yaml)") from error

    # Numbers stay as they are written: an id such as 0640 is none.
    resolvers = {
        first: [(tag, pattern) for tag, pattern in found if not tag.endswith((":int", ":float"))]
        for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = resolvers

    class Dumper(yaml.SafeDumper):
        yaml_implicit_resolvers = resolvers

    try:
        document = yaml.load(path.read_text("utf-8"), Loader)
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise BadInput(f"{path}: {' '.join(str(error).split())}") from error
    skus = document.get("skus") if isinstance(document, dict) else None
    entries = [
        entry
        for entry in (skus if isinstance(skus, list) else [])
        if isinstance(entry, dict) and str(entry.get("id")).lower() == sku
    ]
    if not entries:
        raise BadInput(f"{path}: no SKU with id {sku}")
    for entry in entries:
        pcie = entry.setdefault("pcie", {})
        if not isinstance(pcie, dict) or not all(
            isinstance(pcie.get(test, {}), dict) for test in (PINNED_TEST, UNPINNED_TEST)
        ):
            raise BadInput(f"{path}: pcie of SKU {sku} is not as DCGM has it")
        for key, value in limits.items():
            if isinstance(value, dict):
                numbers = {name: str(number) for name, number in value.items()}
                pcie[key] = {**pcie.get(key, {}), **numbers}
            else:
                pcie[key] = value
    return str(yaml.dump(document, Dumper=Dumper, sort_keys=False))


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        print(f"limits.py: {message}", file=sys.stderr)
        sys.exit(2)


def main(arguments: list[str]) -> int:
    parser = Parser(
        prog="limits.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sweep", type=Path, help="made by fleet_transfers collect")
    parser.add_argument(
        "--id", required=True, help="nvidia-smi --query-gpu=pci.device_id: 2335 of 0x233510DE"
    )
    parser.add_argument("--model", help="if the sweep has several")
    parser.add_argument("--judgement", type=Path, help="judge --json: who is named is left out")
    parser.add_argument("--margin", type=float, default=3, help="in percent (default: 3)")
    parser.add_argument("--into", type=Path, help="a copy of DCGM's diag-skus.yaml")
    request = parser.parse_args(arguments)
    try:
        sku = request.id.lower()
        if not re.fullmatch("[0-9a-f]{4}", sku):
            raise BadInput(f"--id={request.id}: four hexadecimal digits")
        if not 0 <= request.margin < 100:
            raise BadInput(f"--margin={request.margin}: from 0 to 100")
        sweep = read_json(request.sweep, "fleet_sweep")
        judgement = read_json(request.judgement, "fleet_judgement") if request.judgement else None
        gpus = healthy_gpus(sweep, request.model, judgement)
        rate = slowest_rate(gpus, benchmarks_of_dcgms_size(sweep))
        limits = limits_of(gpus, rate, request.margin)
        if request.into:
            text = merged(request.into, limits, sku)
        else:
            text = text_of(limits, sku, gpus[0]["model"], version="site")
    except BadInput as error:
        print(f"limits.py: {printable(str(error))}", file=sys.stderr)
        return 2
    print(text, end="", flush=True)
    print(f"limits.py: the slowest of {len(gpus)} GPUs reaches {rate:.2f} GB/s", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
