"""Injected faults are detected (hidden option --inject)."""

from __future__ import annotations

import statistics

import pytest
from program import SOMETHING_FAILED, TINY_NAMES, Program, Result


def run(program: Program, *faults: str) -> Result:
    injected = [f"--inject={fault}" for fault in faults]
    return program.measure_and_read(*injected, expected=SOMETHING_FAILED)


def assert_failed(faulty: Result, names: list[str], message: str) -> None:
    """Only these benchmarks fail, in the file and on the screen."""
    assert set(faulty.failed) == set(names)
    printed = faulty.completed.out.replace("\n  ", " ")
    for row in faulty.rows:
        if row["name"] not in names:
            assert row["median_ns"] > 0
            continue
        assert row["error_occurred"] is True
        assert message in row["error_message"]
        assert f"FAILED {row['name']}: {row['error_message']}" in printed
        assert "median_ns" not in row
        assert "gb_per_s" not in row
    unaffected = [name for name in TINY_NAMES if name not in names]
    assert sorted(row["name"] for row in faulty.measured) == sorted(2 * unaffected)
    assert faulty.completed.out.count("FAILED") == len(names)


def assert_says_that_faults_were_injected(faulty: Result, fault: str) -> None:
    assert faulty.transfers["run"]["faults_injected"] == [fault]
    assert faulty.transfers["warnings"][0]["code"] == "faults_injected"


@pytest.mark.parametrize(
    ("fault", "message"),
    [("corrupt", "wrong data: 1 of "), ("fail", "injected failure")],
)
@pytest.mark.parametrize(
    ("pattern", "names"),
    [("copy/pageable/h2d", TINY_NAMES[:2]), ("copy/pageable/d2h/4KiB", TINY_NAMES[2:3])],
)
def test_only_the_benchmark_with_the_fault_fails(
    program: Program, fault: str, message: str, pattern: str, names: list[str]
):
    faulty = run(program, f"{fault}@{pattern}")
    assert_failed(faulty, names, message)
    assert_says_that_faults_were_injected(faulty, f"{fault}@{pattern}")
    assert faulty.transfers["complete"] is True
    assert faulty.completed.complaints == []


def test_corruption_of_cold_and_asynchronous_copies_is_found(program: Program):
    result = program.measure_and_read(
        "--strategies=copy_async/pinned,zero_copy/registered",
        "--sizes=64KiB",
        "--cache=both",
        "--inject=corrupt@.",
        expected=SOMETHING_FAILED,
    )
    assert result.measured == []
    assert len(result.failed) == 8
    assert all(message.startswith("wrong data: 1 of") for message in result.failed.values())


def test_wrong_answers_to_messages_are_found(program: Program):
    result = program.measure_and_read(
        "--strategies=message",
        "--inject=corrupt@message",
        expected=SOMETHING_FAILED,
    )
    assert result.measured == []
    assert set(result.failed) == {f"message/{name}" for name in ("graph", "mapped_flag", "memcpy")}
    assert all("differ from their messages" in message for message in result.failed.values())


def test_a_fault_may_concern_a_benchmark_that_is_skipped(program: Program):
    program.measure(
        "--strategies=copy/pageable,copy/pinned_wc",
        "--inject=fail@pinned_wc",
    )


def test_an_operation_that_fails_before_its_memory_is_made_fails_alone(program: Program):
    """The operation itself allocates its destination."""
    result = program.measure_and_read(
        "--strategies=first_call,copy/pageable",
        "--sizes=64KiB",
        "--inject=fail@first_call/new_context",
        expected=SOMETHING_FAILED,
    )
    failed = {name for name in result.names() if name.startswith("first_call/new_context/")}
    assert failed
    assert result.failed == dict.fromkeys(failed, "injected failure")
    assert {row["name"] for row in result.measured} == result.names() - failed
    assert {f"copy/pageable/{direction}/64KiB" for direction in ("h2d", "d2h")} <= result.names()
    assert result.transfers["complete"] is True


def test_everything_failed_is_a_failure_too(program: Program):
    faulty = run(program, "corrupt@.")
    assert_failed(faulty, TINY_NAMES, "wrong data")


def test_after_the_loss_of_the_device_nothing_else_runs(program: Program):
    lost = TINY_NAMES[0]
    faulty = run(program, f"lose@{lost}")
    assert_failed(faulty, TINY_NAMES, "injected failure")
    for name, message in faulty.failed.items():
        first = "injected failure" if name == lost else f"not run: the device was lost in {lost}"
        assert message.startswith(first)
    assert faulty.transfers["complete"] is False
    assert_says_that_faults_were_injected(faulty, f"lose@{lost}")


def test_injected_slowness_is_measured(paced: Program):
    """With the same seed, so that the same operations take the same times."""
    slow = "paced/first/h2d/64KiB"
    options = ("--strategies=paced/first", "--seed=1")
    faulty = paced.measure_and_read(*options, f"--inject=slow:3@{slow}")
    before = paced.measure_and_read(*options).by_name()
    for name, rows in faulty.by_name().items():
        expected = before[name][0]["median_ns"] * (3 if name == slow else 1)
        assert [row["median_ns"] for row in rows] == pytest.approx([expected] * 2, rel=1e-3)
    assert_says_that_faults_were_injected(faulty, f"slow:3@{slow}")
    assert faulty.failed == {}


def test_several_faults_at_once(program: Program):
    first, second = TINY_NAMES[0], TINY_NAMES[3]
    faulty = run(program, f"corrupt@{first}", f"fail@{second}")
    injected = [f"corrupt@{first}", f"fail@{second}"]
    assert faulty.transfers["run"]["faults_injected"] == injected
    assert faulty.failed.keys() == {first, second}
    assert statistics.median(row["median_ns"] for row in faulty.measured) > 0
