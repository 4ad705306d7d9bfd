"""integrations/dcgm/limits.py: DCGM's limits from a sweep."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml  # type: ignore[import-untyped]
from calls import call
from node import INTEGRATIONS

# As nvvs/diag-skus.yaml.in has them.
SKUS = """
version: "4.1.0"
spec: dcgm-diag-v1
skus:
  - name: Tesla K8
    id: 1194
    pcie:
      is_allowed: true
  - name: Made-up GPU
    id: 0640
    targeted_power:
      is_allowed: true
      target_power: 75.0
    pcie:
      is_allowed: false
      h2d_d2h_single_pinned:
        min_pci_generation: 3.0
        num_ints_per_copy: 10000000.0
"""
BENCHMARKS = [
    *(
        f"copy/pinned/{direction}/{size}"
        for size in ("4KiB", "16MiB", "128MiB")
        for direction in ("h2d", "d2h")
    ),
    "copy/pageable/h2d/16MiB",
]


def gpu(name: str, rate: float, **more: Any) -> dict[str, Any]:
    """One whose copies of 16 MiB from the device have this rate, in GB/s; the others are faster."""
    link = {"generation": 5, "width": 16, "generation_max": 5, "width_max": 16}
    d2h, h2d = 2**24 / rate, 2**24 / rate * 0.99
    times = [[[9.0]], [[9.0]], [[h2d] * 3], [[d2h, d2h, d2h * 5]], [[1e9]], [[1e9]], [[1e7]]]
    facts = {"uuid": name, "node": f"node-of-{name}", "rack": None, "model": "NVIDIA H200"}
    facts["slot"] = "0000:0a:00.0"
    return {**facts, "link": link, "wrong_data": [], "times_ns": times, **more}


def sweep(*gpus: dict[str, Any], problems: tuple[str, ...] = ()) -> dict[str, Any]:
    return {
        "kind": "fleet_sweep",
        "format": 1,
        "benchmarks": [{"name": name} for name in BENCHMARKS],
        "gpus": list(gpus),
        "problems": [{"code": code} for code in problems],
    }


def run(folder: Path, document: Any, *options: str | Path) -> subprocess.CompletedProcess[str]:
    (folder / "sweep.json").write_text(json.dumps(document), "utf-8")
    return call(
        [sys.executable, INTEGRATIONS / "dcgm/limits.py", folder / "sweep.json", *options],
        timeout=60,
    )


def test_the_slowest_direction_of_the_slowest_gpu_is_the_limit(tmp_path: Path) -> None:
    completed = run(tmp_path, sweep(gpu("a", 55), gpu("b", 54)), "--id=2335", "--margin=10")
    assert completed.returncode == 0, completed
    document = yaml.safe_load(completed.stdout)
    assert document["spec"] == "dcgm-diag-v1"
    (sku,) = document["skus"]
    assert sku == {
        "name": "NVIDIA H200",
        "id": "2335",
        "pcie": {
            "is_allowed": True,
            "h2d_d2h_single_pinned": {
                "min_bandwidth": 48.6,
                "min_pci_generation": 5.0,
                "min_pci_width": 16.0,
            },
            "h2d_d2h_single_unpinned": {"min_pci_generation": 5.0, "min_pci_width": 16.0},
        },
    }


def test_named_gpus_set_no_limit(tmp_path: Path) -> None:
    findings = [{"scope": "gpu", "gpu": "b", "node": "x"}, {"scope": "node", "node": "node-of-c"}]
    judgement = {"kind": "fleet_judgement", "format": 1, "findings": findings}
    (tmp_path / "judgement.json").write_text(json.dumps(judgement), "utf-8")
    document = sweep(gpu("a", 55), gpu("b", 20), gpu("c", 10), gpu("d", 1, wrong_data=["x"]))
    completed = run(
        tmp_path, document, "--id=2335", "--margin=0", f"--judgement={tmp_path}/judgement.json"
    )
    (sku,) = yaml.safe_load(completed.stdout)["skus"]
    assert sku["pcie"]["h2d_d2h_single_pinned"]["min_bandwidth"] == pytest.approx(55, abs=0.02)


@pytest.mark.parametrize(
    "finding",
    [
        {"scope": "fleet", "model": "NVIDIA H200"},
        {"scope": "fleet", "model": None},
        {"scope": "slot", "slot": "0000:0a:00.0", "model": None},
    ],
)
def test_a_fleet_that_is_slow_as_a_whole_sets_no_limit(
    tmp_path: Path, finding: dict[str, str | None]
) -> None:
    findings = [{"gpu": None, "node": None} | finding]
    judgement = {"kind": "fleet_judgement", "format": 1, "findings": findings}
    (tmp_path / "judgement.json").write_text(json.dumps(judgement), "utf-8")
    completed = run(
        tmp_path, sweep(gpu("a", 30)), "--id=2335", f"--judgement={tmp_path}/judgement.json"
    )
    assert completed.returncode == 2
    assert "no healthy GPU of 1" in completed.stderr


def test_what_dcgm_has_stays(tmp_path: Path) -> None:
    (tmp_path / "skus.yaml").write_text(SKUS, "utf-8")
    completed = run(
        tmp_path, sweep(gpu("a", 55)), "--id=0640", "--margin=10", f"--into={tmp_path}/skus.yaml"
    )
    assert completed.returncode == 0, completed
    document = yaml.safe_load(completed.stdout)
    before = yaml.safe_load(SKUS)
    assert "id: 0640\n" in completed.stdout
    assert "target_power: 75.0\n" in completed.stdout
    assert document["skus"][0] == before["skus"][0]
    changed = document["skus"][1]
    assert changed["targeted_power"] == before["skus"][1]["targeted_power"]
    assert changed["pcie"]["is_allowed"] is True
    assert changed["pcie"]["h2d_d2h_single_pinned"] == {
        "min_pci_generation": 5.0,
        "num_ints_per_copy": 10000000.0,
        "min_bandwidth": 49.5,
        "min_pci_width": 16.0,
    }


@pytest.mark.parametrize(
    ("document", "options", "words"),
    [
        ({"kind": "check"}, ("--id=2335",), "no fleet_sweep"),
        ({"kind": "fleet_sweep", "format": 9}, ("--id=2335",), "format 9"),
        (sweep(gpu("a", 55)), ("--id=0x2335",), "four hexadecimal digits"),
        (sweep(gpu("a", 55)), ("--id=2335", "--margin=100"), "--margin=100"),
        (sweep(gpu("a", 55)), ("--id=2335", "--into=no/such/file"), "no/such/file"),
        (sweep(gpu("a", 55)), ("--id=2335", "--model=NVIDIA H100"), "no healthy GPU of 0"),
        (sweep(gpu("a", 55), gpu("b", 9, model="X")), ("--id=2335",), "which model?"),
        (sweep(gpu("a", 5), problems=("faults_injected",)), ("--id=2335",), "on purpose"),
        (sweep(gpu("a", 55, times_ns=[[]] * 7)), ("--id=2335",), "a lacks a benchmark"),
    ],
)
def test_bad_input_gets_one_line(
    tmp_path: Path, document: Any, options: tuple[str, ...], words: str
) -> None:
    completed = run(tmp_path, document, *options)
    assert completed.returncode == 2, completed
    assert completed.stdout == ""
    assert completed.stderr.count("\n") == 1
    assert completed.stderr.startswith("limits.py: ")
    assert words in completed.stderr


def damaged(key: str, value: Any) -> dict[str, Any]:
    return sweep(gpu("a", 55, **{key: value}))


@pytest.mark.parametrize(
    "document",
    [
        *({**sweep(gpu("a", 55)), key: None} for key in ("benchmarks", "gpus", "problems")),
        *(damaged(key, None) for key in ("uuid", "node", "model", "wrong_data", "times_ns")),
        *(
            damaged("times_ns", [[[time] * 3]] * 7)
            for time in (-5, 0, "x", None, True, 1e-320, 1e-9)
        ),
        *(damaged("times_ns", [[[float("nan")]]] * 7), damaged("times_ns", [[[1e17]]] * 7)),
        *(damaged("link", link) for link in ([1], {"generation": "x"}, {"width": -16})),
        damaged("link", {"generation": float("nan"), "width": 16}),
        {**sweep(gpu("a", 55)), "problems": [{}]},
        sweep(gpu("a", 55), gpu("a", 55)),
        damaged("kind", "host"),
    ],
)
def test_a_damaged_sweep_gives_no_limit(tmp_path: Path, document: Any) -> None:
    completed = run(tmp_path, document, "--id=2335")
    assert (completed.returncode, completed.stdout) == (2, ""), completed
    assert completed.stderr.count("\n") == 1
    assert completed.stderr.startswith("limits.py: ")
