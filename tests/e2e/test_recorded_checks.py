"""How often the gate errs (docs/GATE.md): it is printed again as recorded."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest
from calls import call
from program import ROOT

RESULTS = ROOT / "results"
PRINTED = [
    *sorted((RESULTS / "gate").glob("recorded-looks-*.txt")),
    RESULTS / "gate/simulation-2026-11-29.txt",
]


@pytest.mark.nightly
@pytest.mark.parametrize("recorded", PRINTED, ids=lambda path: path.stem)
def test_recorded_checks_are_printed_again(
    recorded: Path, pytestconfig: pytest.Config, tmp_path: Path
):
    built = pytestconfig.getoption("binary").resolve().parent
    (tmp_path / "results").symlink_to(RESULTS)
    pin, *parts = re.split(r"^\$ (gate_\w+) ", recorded.read_text("utf-8"), flags=re.MULTILINE)
    assert parts
    # In the order of this locale, by which checks are drawn.
    environment = {**os.environ, "LC_ALL": "C", "PATH": f"{built}:/usr/bin:/bin"}
    subprocess.run(["bash", "-c", pin], check=True, cwd=tmp_path, env=environment)
    for program, check in zip(parts[::2], parts[1::2], strict=True):
        options, _, printed = check.partition("\n")
        again = call([built / program, *shlex.split(options)], expected=0, cwd=tmp_path)
        assert again.stdout == printed
