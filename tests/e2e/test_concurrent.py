"""Tests copies of several emulated devices at once."""

from __future__ import annotations

from typing import Any

import limits
import pytest
from program import (
    ALL_RAN,
    NOTHING_RAN,
    SOMETHING_FAILED,
    USAGE,
    Program,
    Result,
    assert_complains,
    parse,
    without,
)

MIB = 1 << 20
SHARED = "--device=host:0@a=2GB/s,host:1@a"
OPTIONS = (
    "--strategies=concurrent/pinned",
    "--sizes=1MiB",
    "--cache=warm",
    "--benchmark_min_time=0.02",
    "--benchmark_repetitions=2",
)
NAMES = {f"concurrent/pinned/{direction}/all/1MiB" for direction in ("h2d", "d2h", "both")}
FLOWS = [f"host:{device}:{direction}" for device in (0, 1) for direction in ("h2d", "d2h")]


def middle(result: Result, name: str, counter: str) -> float:
    values = sorted(row[counter] for row in result.by_name()[name])
    return float(values[len(values) // 2])


@pytest.fixture(scope="module")
def shared(program: Program) -> Result:
    return program.run_and_read(SHARED, *OPTIONS)


def test_the_usual_sets_are_measured(shared: Result):
    assert shared.names() == NAMES
    assert shared.failed == {}
    assert shared.transfers["complete"] is True


def test_fields_say_what_takes_part(shared: Result):
    entry = shared.transfers["benchmarks"]["concurrent/pinned/both/all/1MiB"]
    assert entry["devices"] == [0, 1]
    assert entry["flows"] == [
        {"device": device, "direction": direction}
        for device in (0, 1)
        for direction in ("h2d", "d2h")
    ]
    assert (entry["direction"], entry["setting"], entry["role"]) == ("both", "all", "concurrent")
    metrics = shared.transfers["metrics"]
    for name in FLOWS:
        device, direction = int(name[5]), name[7:]
        for prefix, alone in (("gb_per_s", None), ("alone_gb_per_s", True), ("loss_percent", None)):
            metric = metrics[f"{prefix}@{name}"]
            assert metric["flow"] == {"device": device, "direction": direction}
            assert metric.get("alone") is alone


def test_figures_of_a_row_agree(shared: Result):
    for name, rows in shared.by_name().items():
        flows = (
            FLOWS if "/both/" in name else [flow for flow in FLOWS if name.split("/")[2] in flow]
        )
        for row in rows:
            rates = [row[f"gb_per_s@{flow}"] for flow in flows]
            assert row["bytes"] == len(flows) * MIB
            assert row["sum_gb_per_s"] == pytest.approx(sum(rates))
            assert row["gb_per_s"] == pytest.approx(row["bytes"] / row["median_ns"], rel=1e-6)
            for flow, rate in zip(flows, rates, strict=True):
                lost = 100 * (1 - rate / row[f"alone_gb_per_s@{flow}"])
                assert row[f"loss_percent@{flow}"] == pytest.approx(lost, abs=1e-3)


def test_a_shared_link_gives_all_together_what_it_gives_one(shared: Result):
    """On a busy machine less: its threads may not keep the link busy."""
    for direction in ("h2d", "d2h"):
        name = f"concurrent/pinned/{direction}/all/1MiB"
        assert middle(shared, name, "sum_gb_per_s") < 2 * 1.1
        for flow in (f"host:0:{direction}", f"host:1:{direction}"):
            assert middle(shared, name, f"alone_gb_per_s@{flow}") < 2 * 1.1
    # The directions of this link do not share.
    assert middle(shared, "concurrent/pinned/both/all/1MiB", "sum_gb_per_s") < 4 * 1.1


def test_devices_behind_a_switch_share_it(program: Program):
    switched = "--device=host:0@gpu0=2GB/s@switch=3GB/s,host:1@gpu1=2GB/s@switch"
    result = program.run_and_read(switched, *OPTIONS)
    name = "concurrent/pinned/h2d/all/1MiB"
    assert middle(result, name, "sum_gb_per_s") < 3 * 1.1
    for device in (0, 1):
        assert middle(result, name, f"alone_gb_per_s@host:{device}:h2d") < 2 * 1.1
    link = result.transfers["devices"][1]["emulated_link"]
    assert (link["name"], link["h2d_gb_per_s"]) == ("gpu1@switch", 2)
    assert [(part["name"], part["d2h_gb_per_s"]) for part in link["path"]] == [
        ("gpu1", 2),
        ("switch", 3),
    ]


def test_the_summary_shows_sums_and_losses(program: Program):
    completed = program.run(SHARED, *OPTIONS)
    assert "several copies at once, 1MiB each, GB/s" in completed.out
    assert "concurrent/pinned/both/all" in completed.out
    assert "host:1 d2h" in completed.out
    assert max(map(len, completed.out.splitlines())) <= 100


@pytest.mark.parametrize(
    ("request_", "name"),
    [
        ("host:0:h2d+host:1:d2h", "mixed/host:0:h2d+host:1:d2h"),
        ("host:1:both+host:0:both", "both/all"),
    ],
)
def test_a_set_from_the_command_line(program: Program, request_: str, name: str):
    result = program.run_and_read(SHARED, *OPTIONS, f"--concurrent={request_}")
    assert result.names() == {f"concurrent/pinned/{name}/1MiB"}


def test_copies_name_their_memory(program: Program):
    request = "host:0:h2d:pinned+host:1:d2h:pageable"
    result = program.run_and_read(
        SHARED, *OPTIONS, f"--concurrent={request}", "--strategies=concurrent/listed"
    )
    name = f"concurrent/listed/mixed/{request}/1MiB"
    assert result.names() == {name}
    entry = result.transfers["benchmarks"][name]
    assert entry["flows"] == [
        {"device": 0, "direction": "h2d", "memory": "pinned"},
        {"device": 1, "direction": "d2h", "memory": "pageable"},
    ]
    assert entry["set"] == {"kind": "listed", "place": None}
    assert entry["memory"] is None
    for row in result.rows:
        assert row["alone_gb_per_s@host:1:d2h"] < 2 * 1.1


def test_pairs_of_three_devices(program: Program):
    listed = program.run("--device=host:0-2", *OPTIONS, "--benchmark_list_tests").out.splitlines()
    sets = ("all", "host:0+host:1", "host:0+host:2", "host:1+host:2")
    expected = {
        f"concurrent/pinned/{direction}/{name}/1MiB"
        for direction in ("h2d", "d2h", "both")
        for name in sets
    }
    assert set(listed) == expected


def test_memory_that_is_not_here_is_refused_with_what_is(program: Program):
    completed = program.run(SHARED, *OPTIONS, "--concurrent=host:0:h2d:slow+host:1:h2d:pinned")
    assert_complains(completed, USAGE, "no memory 'slow' here, but pageable")


def test_a_single_device_has_no_sets(program: Program):
    program.run("--device=host", *OPTIONS, expected=NOTHING_RAN)
    quiet = program.run("--device=host", "--benchmark_list_tests", "--profile=standard")
    assert "concurrent" not in quiet.out


def with_fault(program: Program, fault: str) -> Result:
    result = program.run_and_read(
        "--device=host:0@a=2GB/s,host:1@a,host:2",
        *without(OPTIONS, "--strategies"),
        "--strategies=copy/pinned,concurrent/pinned/h2d",
        f"--inject={fault}",
        expected=SOMETHING_FAILED,
    )
    assert result.completed.complaints == []
    return result


def set_names(*devices: str) -> set[str]:
    return {f"concurrent/pinned/h2d/{name}/1MiB" for name in devices}


PAIR = "host:0[+]host:1/1MiB"


@pytest.mark.parametrize("flow", ["host:0:h2d", "host:1:h2d"])
def test_wrong_data_of_each_copy_are_found(program: Program, flow: str):
    result = with_fault(program, f"corrupt@{PAIR} {flow}")
    (name,) = set_names("host:0+host:1")
    assert result.failed == {
        name: f"wrong data: {flow}: 1 of {MIB} bytes differ, the first at offset 0"
    }


def test_a_failing_copy_fails_its_set_alone(program: Program):
    result = with_fault(program, f"fail@{PAIR} host:1:h2d")
    (name,) = set_names("host:0+host:1")
    assert result.failed == {name: "host:1:h2d: injected failure"}
    assert result.transfers["complete"] is True


def test_a_device_lost_while_others_copy_costs_what_it_takes_part_in(program: Program):
    result = with_fault(program, f"lose@{PAIR} host:1:h2d")
    (first,) = set_names("host:0+host:1")
    sets = set_names("all", "host:0+host:1", "host:1+host:2")
    alone = {f"copy/pinned/{direction}/1MiB@host:1" for direction in ("h2d", "d2h")}
    failed: dict[str, Any] = result.failed
    assert failed.keys() == sets | alone
    assert failed.pop(first) == "host:1:h2d: injected failure"
    for message in failed.values():
        assert message.startswith(f"not run: the device host:1 was lost in {first}")
    measured = {row["name"] for row in result.measured}
    assert set_names("host:0+host:2") <= measured
    assert {
        f"copy/pinned/{direction}/1MiB@host:{device}"
        for direction in ("h2d", "d2h")
        for device in (0, 2)
    } <= measured
    assert result.transfers["complete"] is False


def test_slow_copies_are_measured(program: Program):
    """What is slower by a known factor loses against itself alone nothing: both are slow."""
    rows = program.run_and_read(
        SHARED,
        *OPTIONS,
        "--inject=slow:2.5@both/all/1MiB host:1:h2d",
    ).by_name()["concurrent/pinned/both/all/1MiB"]
    for row in rows:
        assert row["gb_per_s@host:1:h2d"] < 2 / 2.5 * 1.1


def test_a_fault_of_no_copy_is_wrong_usage(program: Program):
    completed = program.run(SHARED, *OPTIONS, "--inject=fail@all/1MiB host:7:h2d")
    assert_complains(completed, USAGE)


@pytest.mark.parametrize("threads", [3, 5, 6, 7, 20])
def test_threads_that_cannot_be_started_cost_only_the_sets(program: Program, threads: int):
    """A stream of an emulated device is a thread, too."""
    completed = program.run(
        SHARED,
        *OPTIONS,
        "--strategies=copy/pinned,concurrent/pinned",
        "--benchmark_format=json",
        preexec_fn=limits.processes(threads),
    )
    if "libstdc++" in completed.err or "Permission denied" in completed.err:
        pytest.skip("another user cannot start the program")
    assert completed.code == ALL_RAN, completed
    result = parse(completed.out)
    singles = {f"copy/pinned/{way}/1MiB@host:{i}" for way in ("h2d", "d2h") for i in (0, 1)}
    assert singles <= result.names()
    assert result.names() | set(result.skipped) == singles | NAMES
    for reason in result.skipped.values():
        assert reason.startswith("no more threads can be started")
    assert bool(result.skipped) is (threads < 20)
