"""integrations/node_check, which prologs and health checks ask."""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import re
import shutil
import time
from pathlib import Path

import pytest
from node import BAD, HEALTHY, ROOT, SLOW, SLOWER, UNKNOWN, Node, make_node, write_script


@pytest.fixture(scope="module")
def pinned(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Node:
    return make_node(tmp_path_factory.mktemp("node"), pytestconfig.getoption("binary"))


@pytest.fixture
def node(pinned: Node) -> Node:
    """The pinned node, without runs since."""
    for name in ("runs", "again"):
        shutil.rmtree(pinned.folder / "state" / name, ignore_errors=True)
    (pinned.folder / "state/passed").unlink(missing_ok=True)
    pinned.inject("")
    return pinned


def test_three_passes_make_a_verdict(node: Node) -> None:
    assert node.check() == (UNKNOWN, "too_few_runs runs=1")
    assert node.check() == (UNKNOWN, "too_few_runs runs=2")
    assert node.check() == (HEALTHY, "pass")
    assert node.check() == (HEALTHY, "pass")
    assert len(list((node.folder / "state/runs").iterdir())) == 3


def test_one_bad_pass_is_no_slow_node(node: Node) -> None:
    for fault in ("", "", SLOW, "", ""):
        node.inject(fault)
        code, _ = node.check()
        assert code != SLOWER


def test_a_node_that_was_slow_for_a_while_is_not_confirmed(node: Node) -> None:
    node.inject(SLOW)
    node.check()
    node.check()
    node.inject(SLOW, once=True)
    code, line = node.check()
    assert (code, line.split()[0]) == (UNKNOWN, "unconfirmed")
    assert node.check() == (UNKNOWN, "too_few_runs runs=1")


def test_a_slow_node_is_named_with_its_worst_benchmark(node: Node) -> None:
    node.inject(SLOW)
    node.check()
    node.check()
    code, line = node.check()
    assert code == SLOWER, line
    facts = dict(fact.split("=") for fact in line.split()[1:])
    assert line.startswith("slower ")
    assert facts["worst"].startswith("paced/second/")
    assert float(facts["slowdown"]) == pytest.approx(0.5, abs=0.02)


def test_a_node_that_passed_is_left_alone_for_a_while(node: Node) -> None:
    for _ in range(3):
        node.check()
    node.set("every_s=3600")
    try:
        assert node.check() == (HEALTHY, "recent")
    finally:
        node.set("every_s=0")


def test_a_pass_of_the_future_is_none(node: Node) -> None:
    for _ in range(3):
        node.check()
    later = time.time() + 3600
    os.utime(node.folder / "state/passed", (later, later))
    node.set("every_s=86400")
    try:
        assert node.check() == (HEALTHY, "pass")
    finally:
        node.set("every_s=0")


def test_the_newest_runs_are_judged_whatever_the_clock_said(node: Node) -> None:
    for _ in range(3):
        node.check()
    runs = node.folder / "state/runs"
    for path in runs.iterdir():
        path.touch()
    # The files that are no runs of this script's numbers.
    shutil.copy(next(runs.iterdir()), runs / "2099-01-01T00-00-00.0.json")
    node.inject(SLOW)
    assert node.check()[0] != SLOWER
    assert node.check()[0] != SLOWER
    assert node.check()[0] == SLOWER


def test_a_file_of_before_is_no_new_run(node: Node) -> None:
    (node.folder / "state/measured.json").write_text("{}", "utf-8")
    with node.program("exit 1"):
        code, line = node.check()
    assert (code, line.split()[:2]) == (UNKNOWN, ["not_measured", "exit_code=1"])
    assert not (node.folder / "state/runs").exists()


def test_a_driver_that_hangs_costs_the_limit(node: Node) -> None:
    node.set("limit_s=1")
    with node.program("trap '' TERM; exec sleep 600"):
        code, line = node.check()
    node.set("limit_s=60")
    assert (code, line) == (UNKNOWN, "time_out seconds=1 program=bench_transfers")
    assert not (node.folder / "state/runs").exists()
    # Until the killed process has gone, the next check would be `busy`.
    with (node.folder / "state/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)


def test_failures_are_not_slowness(node: Node) -> None:
    with node.program("exit 3"):
        code, line = node.check()
    assert (code, line.split()[:2]) == (UNKNOWN, ["not_measured", "exit_code=3"])


def test_wrong_settings_and_baselines(node: Node) -> None:
    with node.program("exit 2"):
        code, line = node.check()
    assert (code, line.split()[:2]) == (BAD, ["bad_settings", "exit_code=2"])
    assert node.check("--no-such-option") == (BAD, "bad_settings option=--no-such-option")
    for option in ("--pin=x", "--pin=", "--pin=0", "--pin=00"):
        assert node.check(option) == (BAD, f"bad_settings option={option}")
    away = node.baseline.rename(node.folder / "away")
    try:
        assert node.check() == (BAD, f"bad_baseline file={node.baseline}")
        node.baseline.write_text("{}", "utf-8")
        for _ in range(3):
            code, line = node.check()
        assert (code, line.split()[0]) == (BAD, "bad_baseline")
    finally:
        away.rename(node.baseline)
    node.set("programs=/no/such/folder")
    try:
        assert node.check() == (BAD, "bad_settings programs=/no/such/folder")
    finally:
        node.set(f"programs={node.folder}/programs")


def test_settings_that_are_named_must_be_there(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        (tmp_path / "settings").unlink(missing_ok=True)
        (tmp_path / "settings").symlink_to(path)
        answer = (BAD, f"bad_settings file={tmp_path}/settings")
        assert Node(tmp_path).check() == answer


def test_too_few_runs_make_no_baseline(node: Node, tmp_path: Path) -> None:
    shutil.copy(node.settings, tmp_path / "settings")
    few = Node(tmp_path)
    few.set(f"state={tmp_path}/state")
    assert few.check("--pin=2") == (UNKNOWN, "too_few_runs runs=2")
    assert few.check("--pin=01") == (HEALTHY, "pinned runs=3")
    few.set("check_options=(--decide-by=link)")  # which this node has none of
    assert few.check("--pin=1") == (BAD, f"bad_baseline output={tmp_path}/state/output")
    assert "no benchmarks of the class link" in (tmp_path / "state/output").read_text("utf-8")


def test_after_a_change_of_the_node_it_forgets_and_begins_afresh(node: Node, tmp_path: Path):
    shutil.copy(node.settings, tmp_path / "settings")
    changed = Node(tmp_path)
    changed.set(f"state={tmp_path}/state")
    assert changed.check("--pin=3") == (HEALTHY, "pinned runs=3")
    first = tmp_path / "state/pinned/run-000000001.json"
    document = json.loads(first.read_text("utf-8"))
    document["context"]["transfers"]["machine"]["cpu"]["model"] = "of before"
    first.write_text(json.dumps(document), "utf-8")
    # What it could not add does not stay in the way.
    assert changed.check("--pin=1")[1].startswith("bad_baseline exit_code=2 ")
    assert len(list((tmp_path / "state/pinned").iterdir())) == 3
    assert changed.check("--forget") == (HEALTHY, "forgotten")
    assert changed.check()[1].startswith("bad_baseline file=")
    assert changed.check("--pin=3") == (HEALTHY, "pinned runs=3")


def test_two_are_not_measured_at_once(node: Node) -> None:
    with (node.folder / "state/lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        assert node.check() == (UNKNOWN, "busy")


RECORDED = ROOT / "results/nvidia-h200/2026-11-21-gate"
MEASURED_BY_DEFAULT = re.compile(r"copy/pinned/(h2d|d2h)/(16|64|128)MiB")


def recorded(folder: Path, name: str) -> Path:
    """A recorded run, as if it had measured what node_check measures by default."""
    document = json.loads(gzip.decompress((RECORDED / f"{name}.json.gz").read_bytes()))
    document["benchmarks"] = [
        row for row in document["benchmarks"] if MEASURED_BY_DEFAULT.fullmatch(row["run_name"])
    ]
    path = folder / f"{name}.json"
    path.write_text(json.dumps(document), "utf-8")
    return path


def test_by_default_a_recorded_gpu_passes_and_is_found_slowed(pinned: Node, tmp_path: Path) -> None:
    gate = (pinned.folder / "programs/gate_transfers").resolve()
    (tmp_path / "programs").mkdir()
    (tmp_path / "programs/gate_transfers").symlink_to(gate)
    (tmp_path / "settings").write_text(
        f"programs={tmp_path}/programs\nstate={tmp_path}/state\nevery_s=0\n", "utf-8"
    )
    node = Node(tmp_path)

    def measure_next(*names: str) -> None:
        files = [str(recorded(tmp_path, name)) for name in names]
        (tmp_path / "next").write_text("\n".join(files) + "\n", "utf-8")

    write_script(
        tmp_path / "programs/bench_transfers",
        f"next={tmp_path}/next\n"
        'out="${@: -1}"; cp $(head -n 1 $next) "${out#--out=}"; sed -i 1d $next',
    )
    measure_next(*(f"first-{number}" for number in range(1, 6)), "first-9")
    assert node.check("--pin") == (HEALTHY, "pinned runs=5")
    measure_next("first-6", "first-7", "first-8")
    assert [node.check() for _ in range(3)][2] == (HEALTHY, "pass")
    shutil.rmtree(tmp_path / "state/runs")
    measure_next(*[f"slowed-{number}" for number in (1, 2, 3)] * 2)
    code, line = [node.check() for _ in range(3)][2]
    assert code == SLOWER, line
    assert float(line.split("slowdown=")[1]) == pytest.approx(0.1, abs=0.01)  # as injected
