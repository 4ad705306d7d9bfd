"""The function for LBNL's Node Health Check, sourced as nhc does."""

from __future__ import annotations

from pathlib import Path

import pytest
from calls import call
from node import INTEGRATIONS, write_script

# What nhc defines before it sources the scripts of its folder; it goes on after a failed check.
NHC = """
shopt -s extglob
function die() { IFS=$' \\t\\n'; local code=$1; shift; echo "die $code $*"; }
function log() { echo "log $*"; }
function dbg() { echo "dbg $*"; }
. "$1"
TRANSFERS_NODE_CHECK=$2
check_transfers
echo "returned $?"
"""


@pytest.mark.parametrize(
    ("code", "line", "said", "returned"),
    [
        (0, "pass", "dbg check_transfers:  node_check: pass", 0),
        (1, "slower worst=x", "die 1 check_transfers:  node_check: slower worst=x", 1),
        (
            2,
            "bad_baseline",
            "log check_transfers:  not known, exit code 2:  node_check: bad_baseline",
            0,
        ),
        (1, "x", "log check_transfers:  not known, exit code 1:  node_check: x", 0),
        (3, "time_out", "log check_transfers:  not known, exit code 3:  node_check: time_out", 0),
    ],
)
def test_only_slow_nodes_are_marked(
    tmp_path: Path, code: int, line: str, said: str, returned: int
) -> None:
    node_check = write_script(tmp_path / "node_check", f"echo 'node_check: {line}'; exit {code}")
    completed = call(
        ["bash", "-c", NHC, "nhc", INTEGRATIONS / "nhc/transfers.nhc", node_check],
        timeout=60,
        expected=0,
    )
    assert completed.stdout.splitlines() == [said, f"returned {returned}"]
    assert completed.stderr == ""


def test_a_missing_program_marks_nothing(tmp_path: Path) -> None:
    completed = call(
        ["bash", "-c", NHC, "nhc", INTEGRATIONS / "nhc/transfers.nhc", tmp_path / "no_such_file"],
        timeout=60,
        expected=0,
    )
    assert "log check_transfers:  not known, exit code 127" in completed.stdout
    assert completed.stdout.endswith("returned 0\n")
