"""How often the gate errs on recorded runs (docs/GATE.md): it is printed again as recorded."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest
from calls import call
from program import ROOT

RESULTS = ROOT / "results"
PRINTED = sorted((RESULTS / "gate").glob("recorded-looks-*.txt"))


@pytest.mark.nightly
@pytest.mark.parametrize("recorded", PRINTED, ids=lambda path: path.stem)
def test_recorded_checks_are_printed_again(
    recorded: Path, pytestconfig: pytest.Config, tmp_path: Path
):
    built = pytestconfig.getoption("binary").resolve().parent
    (tmp_path / "results").symlink_to(RESULTS)
    pin, *checks = recorded.read_text("utf-8").split("$ gate_recorded ")
    assert checks
    # In the order of this locale, by which checks are drawn.
    environment = {**os.environ, "LC_ALL": "C", "PATH": f"{built}:/usr/bin:/bin"}
    subprocess.run(["bash", "-c", pin], check=True, cwd=tmp_path, env=environment)
    for check in checks:
        options, _, printed = check.partition("\n")
        again = call([built / "gate_recorded", *shlex.split(options)], expected=0, cwd=tmp_path)
        assert again.stdout == printed
