"""The gate takes a run that was resumed for one run, which says its parts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gate_files import pin
from program import ALL_RAN, USAGE, Program, as_undisturbed, assert_complains
from resumed import PACED, TRANSFERS, Edit, cut, edit, resume, set_at


def measured_apart(number: int) -> Edit:
    """The gate refuses files whose parts began in the same second: they may be one run."""

    def change(document: dict[str, Any]) -> None:
        facts = document["context"]["transfers"]
        for minute, part in enumerate((*facts["parts"], facts["run"])):
            time = f"2126-11-22T10:{minute:02}:{number:02}Z"
            part |= {"started_utc": time, "finished_utc": time}

    return change


def test_the_gate_refuses_two_files_that_share_a_part(
    paced: Program, gate: Program, cut_file: Path, tmp_path: Path
):
    wholes = [tmp_path / f"{number}.json" for number in range(2)]
    for number, file in enumerate(wholes):
        resume(paced, cut_file, f"--out={file}", f"--seed={number}", expected=ALL_RAN)
    other = tmp_path / "other.json"
    paced.run(*PACED, f"--out={other}", expected=ALL_RAN)
    for key in ("started_utc", "finished_utc"):
        edit(other, set_at(*TRANSFERS, "run", key, value="2026-11-22T10:00:00Z"))
    for files in (wholes, [cut_file, wholes[0]], [wholes[0], cut_file]):
        pinned = gate.run("pin", *files, other, f"--out={tmp_path / 'baseline.json'}")
        assert_complains(pinned, USAGE, "they are one process")


def test_the_gate_tells_parts_and_an_unfinished_last_one(
    paced: Program, gate: Program, tmp_path: Path
):
    files = [tmp_path / f"{number}.json" for number in range(3)]
    for number, file in enumerate(files):
        paced.run(*PACED, f"--seed={number}", f"--out={file}", expected=ALL_RAN)
    baseline = pin(gate, map(as_undisturbed, files))
    new = [tmp_path / f"new-{number}.json" for number in range(3)]
    for number, file in enumerate(new):
        cut(paced, file)
        resume(paced, file, expected=ALL_RAN)
        edit(file, measured_apart(number))
    checked = gate.run("check", baseline, *new, f"--json={tmp_path / 'check.json'}")
    said = checked.out.replace("\n  ", " ")
    assert "new-0.json was measured in 2 parts" in said
    assert "did not reach its end" not in said
    notes = json.loads((tmp_path / "check.json").read_text())["notes"]
    in_parts = [note["data"] for note in notes if note["code"] == "in_parts"]
    assert [(Path(data["file"]).name, data["parts"]) for data in in_parts] == [
        (f"new-{number}.json", 2) for number in range(3)
    ]

    def end_early(document: dict[str, Any]) -> None:
        """Whatever the file says of the whole: its last part has not ended."""
        document["context"]["transfers"]["parts"][-1]["complete"] = False

    edit(new[0], end_early)
    again = gate.run("check", baseline, *new)
    assert "new-0.json did not reach its end" in again.out.replace("\n  ", " ")
