"""The masks hide what is of one machine and day, and nothing else."""

from __future__ import annotations

from datetime import UTC, datetime

import masks
import pytest

BEGUN = datetime(2026, 11, 25, 10, 30, tzinfo=UTC)


def masked(text: str, *, live: bool = False) -> str:
    folders = {"/tmp/a/b": "<folder>", "/tmp/a": "<root>"}
    return masks.Masks(BEGUN, folders, "0123456789ab", live)(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("gate_transfers 1.2.3 (0123456789ab, GNU 12)\n", "gate_transfers <version>\n"),
        ('"git_commit": "0123456789ab",', '"git_commit": "<commit>",'),
        ("see /tmp/a/b/run.json and /tmp/a/c", "see <folder>/run.json and <root>/c"),
        ("at 2026-11-25T10:30:00Z", "at <now>"),
        ("bench_transfers-2026-11-25T10-30-01Z.json", "bench_transfers-<now>.json"),
    ],
)
def test_what_differs_is_hidden(text: str, expected: str):
    assert masked(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "measured 2026-11-25T10:29:59Z by commit 9cecd65ee472",  # earlier: recorded
        "Use copy/pinned: 1.23 ms per transfer (95 %: 1.22 ms to 1.24 ms).\n",
        "Note: this is a virtual machine (KVM): the hypervisor decides\n",
        '{"real_time": 1.5, "host_name": "vm"}',
    ],
)
def test_recorded_figures_stay(text: str):
    assert masked(text) == text


def test_a_live_run_has_no_figures_and_no_notes_of_its_machine():
    table = "copy/pinned/1MiB   0.030 *   0.029   4KiB_blocks  12 of 13\n"
    assert masked(table, live=True) == "copy/pinned/1MiB # #  4KiB_blocks # of 13\n"
    notes = "Note: this is a virtual machine (KVM): the hypervisor\n  decides\nNote: no fault\n"
    assert masked(notes, live=True) == "Note: no fault\n"
    brief = "Not shown: 2 notes and 1 skipped benchmark.\nNot shown: 1 note.\n"
    assert masked(brief, live=True) == "Not shown: 1 skipped benchmark.\n"
    row = '{"benchmarks": [{"name": "a", "iterations": 7}], "cores": 2, "machine": {"cpu": "x"}}'
    assert '"iterations": "#"' in masked(row, live=True)
    assert '"cores": 2' in masked(row, live=True)
    assert '"machine": "<of this machine>"' in masked(row, live=True)
