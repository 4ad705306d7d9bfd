"""How often the gate errs on recorded runs (docs/GATE.md): it is printed again as recorded."""

import shlex
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PRINTED = ROOT / "results/gate/recorded-processes-2026-11-26.txt"


@pytest.mark.nightly
def test_recorded_checks_are_printed_again(pytestconfig: pytest.Config, tmp_path: Path):
    built = pytestconfig.getoption("binary").resolve().parent
    machines = (f"results/nvidia-h100/2026-11-26-processes{more}" for more in ("", "-again", "-3"))
    # In this order, by which checks are drawn.
    runs = [file for machine in machines for file in sorted((ROOT / machine).glob("result-*.gz"))]
    baseline = tmp_path / "base3.json"
    subprocess.run([built / "gate_transfers", "pin", *runs, f"--out={baseline}"], check=True)
    _, *checks = PRINTED.read_text("utf-8").split("$ gate_recorded base3.json ")
    assert len(checks) > 1
    for check in checks:
        options, _, printed = check.partition("\n")
        again = subprocess.run(
            [built / "gate_recorded", baseline, *shlex.split(options)],
            check=True,
            capture_output=True,
            text=True,
        )
        assert again.stdout == printed
