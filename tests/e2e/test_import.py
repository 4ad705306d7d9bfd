"""Tests `bench_transfers import`: results of nvbandwidth stand beside ours."""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from calls import call
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]
from program import ALL_RAN, ROOT, Program

RECORDED = ROOT / "results/nvidia-h200/2026-11-21-report/result.json.gz"
SCHEMA = json.loads((ROOT / "docs/result_file.schema.json").read_text("utf-8"))
# The rates are made up; the form is that of release 0.8.
SAMPLE = ROOT / "tests/e2e/nvbandwidth.json"


def copied(folder: Path) -> Path:
    return Path(shutil.copy(SAMPLE, folder / "nv.json"))


@pytest.fixture
def imported(program: Program, tmp_path: Path) -> Path:
    """Returns the result file of nvbandwidth's copies of 1 GiB, a size that is recorded of ours."""
    out = tmp_path / "result.json.gz"
    completed = program.run(
        "import", copied(tmp_path), "--buffer-size=1GiB", f"--out={out}", expected=ALL_RAN
    )
    assert completed.out == ""
    return out


def test_the_result_file_fits_the_schema(imported: Path):
    document = json.loads(gzip.decompress(imported.read_bytes()))
    Draft202012Validator(SCHEMA).validate(document)
    assert [row["name"] for row in document["benchmarks"]] == ["copy/pinned/h2d/1GiB"]


def test_standard_output_is_the_default(program: Program, tmp_path: Path):
    completed = program.run("import", copied(tmp_path), expected=ALL_RAN)
    assert json.loads(completed.out)["benchmarks"][0]["gb_per_s"] == 50.5


@pytest.mark.parametrize(
    ("given", "size"),
    [("512", "512MiB"), ("64", "64MiB"), ("1024", "1GiB"), ("64MiB", "64MiB"), ("4096B", "4KiB")],
)
def test_a_buffer_size_counts_as_that_of_nvbandwidth(
    program: Program, tmp_path: Path, given: str, size: str
):
    completed = program.run("import", copied(tmp_path), f"--buffer-size={given}", expected=ALL_RAN)
    assert json.loads(completed.out)["benchmarks"][0]["name"] == f"copy/pinned/h2d/{size}"


def test_the_report_takes_it_beside_a_run_of_another_gpu(imported: Path, tmp_path: Path):
    """Nothing that is known of both is the same."""
    document = json.loads(gzip.decompress(imported.read_bytes()))
    for device in (document["context"]["transfers"]["device"], *devices_of(document)):
        device["name"] = "NVIDIA H100"
    other = tmp_path / "other.json"
    other.write_text(json.dumps(document), "utf-8")
    out = tmp_path / "report"
    call(
        [sys.executable, "-m", "plots", other, RECORDED, "--page-only", f"--out={out}"],
        cwd=ROOT,
        expected=0,
    )


def devices_of(document: dict[str, Any]) -> list[dict[str, Any]]:
    devices: list[dict[str, Any]] = document["context"]["transfers"]["devices"]
    return devices
