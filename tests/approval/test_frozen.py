"""What other programs rely on is as frozen.json lists it; approve accepts changes."""

from __future__ import annotations

import frozen
import pytest
from running import Programs


@pytest.fixture(scope="module")
def now(programs: Programs) -> frozen.Sections:
    return frozen.frozen(programs)


def test_nothing_was_renamed_added_or_removed(now: frozen.Sections):
    changes = frozen.differences(frozen.approved(), now)
    if changes:
        accept = "If that is meant: tests/approval/approve --binary PATH --accept frozen"
        pytest.fail("\n".join([*changes, accept]), pytrace=False)


@pytest.mark.parametrize("has_cuda", [False, True])
def test_both_builds_are_listed(has_cuda: bool):
    listed = frozen.approved()[frozen.BUILDS[has_cuda]]
    assert len(listed) > 300
    assert "copy/pinned: h2d d2h" in listed


def test_the_benchmarks_of_the_cuda_build(programs: Programs):
    if not programs.has_cuda:
        pytest.skip("this build has no CUDA: its own benchmarks are compared")
    assert frozen.BUILDS[True] in frozen.frozen(programs)


@pytest.mark.parametrize(
    ("section", "item"),
    [
        ("benchmarks of the host build", "copy/pinned/h2d/{size}/cold"),
        ("options", "gate_transfers check --junit FILE"),
        ("hidden options", "bench_transfers --inject"),
        ("exit codes", "fleet_transfers judge: 3"),
        ("variables", "TRANSFERS_SITE_FILE"),
        ("roles", "cpu_read_write"),
        ("codes", "too_few_can_show"),  # of the gate
        ("codes", "acs_redirect"),  # of the doctor
        ("codes", "all_at_once"),  # of a map
        ("codes", "memory_refused"),  # of what is skipped
        ("words", "begin"),
        ("JSON keys of answers", "comparison: groups[].benchmarks[].cache"),
        ("JSON keys of result files", "transfers.skipped[].reason"),
    ],
)
def test_each_kind_is_listed(section: str, item: str):
    assert item in frozen.approved()[section]


def test_a_renamed_key_is_one_line_less_and_one_more(now: frozen.Sections):
    section = "JSON keys of answers"
    renamed = [key.replace("comparison: basis", "comparison: base") for key in now[section]]
    assert frozen.differences(now, now | {section: renamed}) == [
        f"- {section}: comparison: basis",
        f"+ {section}: comparison: base",
    ]
