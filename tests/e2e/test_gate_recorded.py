"""The gate on the recorded runs of three H200 machines, as docs/GATE.md describes."""

from __future__ import annotations

from pathlib import Path

import pytest
from program import Program

PASS, REGRESSION, INCONCLUSIVE = 0, 1, 3
RESULTS = Path(__file__).resolve().parents[2] / "results"
FOLDER = RESULTS / "nvidia-h200/2026-11-21-gate"
FIRST = [f"first-{number}.json.gz" for number in (9, 10, 11)]
SECOND = [f"second-{number}.json.gz" for number in (6, 7, 8)]
THIRD = [f"third-{number}.json.gz" for number in (1, 2, 3)]
SLOWED = [f"slowed-{number}.json.gz" for number in (1, 2, 3)]
# The note about baselines of the first format, which is newer than the recorded output.
OF_OLD_BASELINES = """\
Note: the baseline has format 1, whose digest does not cover its settings and its machine: changes
  to them go unnoticed; pin a new one.
"""


@pytest.mark.parametrize(
    ("runs", "expected", "recorded"),
    [
        (FIRST, PASS, FOLDER / "check-first.txt"),
        (SECOND, INCONCLUSIVE, FOLDER / "check-second.txt"),
        (FIRST + SECOND, INCONCLUSIVE, FOLDER / "check-all.txt"),
        (THIRD, INCONCLUSIVE, RESULTS / "gate/check-third.txt"),
        (SLOWED, REGRESSION, FOLDER / "check-slowed.txt"),
    ],
)
def test_prints_the_recorded_outputs(
    gate: Program, runs: list[str], expected: int, recorded: Path
) -> None:
    completed = gate.run("check", "baseline-median.json", *runs, cwd=FOLDER)
    assert completed.code == expected, completed
    assert completed.out.count(OF_OLD_BASELINES) == 1
    assert completed.out.replace(OF_OLD_BASELINES, "") == recorded.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("runs", "expected"),
    [(FIRST, PASS), (SECOND, PASS), (THIRD, INCONCLUSIVE), (SLOWED, REGRESSION)],
)
def test_decides_also_by_the_fastest_repetition(
    gate: Program, runs: list[str], expected: int
) -> None:
    completed = gate.run("check", "baseline-fastest.json", *runs, cwd=FOLDER)
    assert completed.code == expected, completed


@pytest.mark.parametrize("which", ["median", "fastest"])
def test_makes_the_recorded_baselines_again(gate: Program, which: str, tmp_path: Path) -> None:
    """Except for the digest, which covered less in their format."""
    runs = [FOLDER / f"first-{number}.json.gz" for number in range(1, 9)]
    runs += [FOLDER / f"second-{number}.json.gz" for number in range(1, 6)]
    pinned = tmp_path / "baseline.json"
    completed = gate.run("pin", *runs, f"--of-repetitions={which}", f"--out={pinned}")
    assert completed.code == PASS, completed
    recorded = FOLDER / f"baseline-{which}.json"
    differing = [
        (new.split(":")[0], old.split(":")[0])
        for new, old in zip(lines(pinned), lines(recorded), strict=True)
        if new != old
    ]
    assert differing == [('"format"', '"format"'), ('"digest"', '"digest"')]
    for checked in (FIRST, SECOND, THIRD, SLOWED):
        again, before = (
            gate.run("check", baseline, *checked, cwd=FOLDER) for baseline in (pinned, recorded)
        )
        assert again.code == before.code
        assert again.out == before.out.replace(OF_OLD_BASELINES, "")


def lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("key", ["real_time", "gb_per_s", "cpu_s_per_gb:less"])
def test_shows_recorded_runs_by_any_counter(gate: Program, key: str) -> None:
    completed = gate.run(
        "show", "first-1.json.gz", "second-1.json.gz", f"--judge-by={key}", cwd=FOLDER
    )
    assert completed.code == PASS, completed
    assert "copy/pinned/h2d/128MiB" in completed.out
    assert (
        max(map(len, completed.out.splitlines())) <= 101
    )  # a figure that is too wide moves its line
