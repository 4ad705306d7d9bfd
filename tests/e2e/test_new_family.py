"""A family with its own role and metric is one file, and appears everywhere."""

from __future__ import annotations

import csv
import json
import re
import sys
from pathlib import Path

import pytest
from calls import call
from gate_files import pin
from program import ROOT, Program, as_undisturbed, listed, read

SELECTION = ("--strategies=neighbours", "--sizes=4KiB,1MiB")


def measure(own_family: Program, out: Path, seed: int = 1) -> str:
    return own_family.measure(*SELECTION, f"--seed={seed}", f"--out={out}").out


@pytest.fixture
def files(own_family: Program, tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"run-{number}.json" for number in range(6)]
    for number, path in enumerate(paths):
        measure(own_family, path, seed=number)
        # Each is a day later: two runs of the same second with the same leaps would count as one
        # run given twice.
        times = rf'"\1_utc": "2026-11-0{number + 1}T12:00:00Z"'
        path.write_text(re.sub(r'"(started|finished)_utc": "[^"]*"', times, path.read_text()))
        as_undisturbed(path)
    return paths


@pytest.mark.parametrize("folder", ["bench", "src", "plots", "scripts"])
def test_nothing_else_knows_it(folder: str):
    for path in (ROOT / folder).rglob("*"):
        if path.suffix in (".cpp", ".hpp", ".cu", ".py", ".json", ".html", ".js"):
            assert not re.search(r"neighbours/|\bleaps\b", path.read_text()), path


def test_it_is_listed(own_family: Program):
    completed = own_family.run("--list=all", "--device=host")
    assert list(listed(completed.out)) == [
        (
            "neighbours/pass",
            "passes a message to the next device",
            "ring, torus; runs on this device",
        )
    ]


def test_its_fields_are_in_the_result_file(own_family: Program, tmp_path: Path):
    measure(own_family, tmp_path / "result.json")
    facts = read(tmp_path / "result.json").transfers
    described = facts["benchmarks"]["neighbours/pass/ring/1MiB"]
    assert (described["family"], described["method"], described["variant"]) == (
        "neighbours",
        "pass",
        "ring",
    )
    assert (described["role"], described["direction"], described["size_bytes"]) == (
        "exchange",
        "none",
        1 << 20,
    )
    assert facts["roles"] == {
        "exchange": {"description": "exchanges between neighbours", "table": "times"}
    }
    assert facts["metrics"]["leaps"] == {
        "unit": "1",
        "better": "less",
        "kind": "count",
        "description": "devices that a message passes",
        "headline": True,
    }


def test_the_summary_has_its_time_and_its_metric(own_family: Program, tmp_path: Path):
    out = measure(own_family, tmp_path / "result.json")
    lines = [line for line in out.splitlines() if line.startswith("neighbours/pass")]
    assert len(lines) == 2
    assert all("4KiB, 20.41 µs" in line and "1MiB, 124.86 µs" in line for line in lines)
    assert re.findall(r"1MiB: leaps (\S+)", out) == ["3.00", "2.00"]


def test_the_gate_reads_from_the_file_that_fewer_hops_are_better(
    gate: Program, files: list[Path], tmp_path: Path
):
    worse = tmp_path / "worse"
    worse.mkdir()
    for path in files[3:]:
        text = path.read_text()
        (worse / path.name).write_text(re.sub(r'"leaps":\s*\d', '"leaps": 9', text))
    baseline = pin(gate, files[:3], "--judge-by=leaps")
    content = json.loads(baseline.read_text())
    assert (content["judged_by"], content["better"]) == ("leaps", "less")
    completed = gate.run("check", baseline, *sorted(worse.iterdir()), expected=1)
    assert "neighbours/pass/torus" in completed.out


def test_the_report_has_a_table_of_its_role_and_a_column_of_its_metric(
    own_family: Program, tmp_path: Path
):
    measure(own_family, tmp_path / "result.json")
    call(
        [
            sys.executable,
            "-m",
            "plots",
            str(tmp_path / "result.json"),
            "--out",
            str(tmp_path / "report"),
            "--program",
            str(own_family.path),
        ],
        cwd=ROOT,
        expected=0,
    )
    with (tmp_path / "report/tables/role_exchange.csv").open() as table:
        rows = list(csv.DictReader(table))
    assert [float(row["leaps"]) for row in rows] == [3, 2]
    assert "Exchanges between neighbours" in (tmp_path / "report/report.html").read_text()


def test_advise_ranks_it(own_family: Program, tmp_path: Path):
    measure(own_family, tmp_path / "result.json")
    answer = tmp_path / "answer.json"
    own_family.run(
        "advise",
        f"--from={tmp_path / 'result.json'}",
        "--for=exchange",
        "--bytes=1MiB",
        "--allow-host",
        f"--json={answer}",
        expected=0,
    )
    (job,) = json.loads(answer.read_text("utf-8"))["answers"]
    assert job["question"]["direction"] == "none"
    assert {strategy["name"] for strategy in job["strategies"]} == {
        "neighbours/pass/ring",
        "neighbours/pass/torus",
    }
    assert job["recommended"].startswith("neighbours/pass/")
