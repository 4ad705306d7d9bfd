"""Draws reports of what bench_transfers has measured; pip installs it as `report_transfers`."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

PROGRAMS = {
    "--program": "bench_transfers",
    "--gate": "gate_transfers",
    "--fleet": "fleet_transfers",
}


def main() -> int:
    """Runs plots with the programs beside this one, or on the PATH; returns the exit code."""
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from plots import interruption  # it is beside this file

    interruption.end_at_once()  # the other imports take seconds
    from plots.__main__ import main as draw

    places = os.pathsep.join((sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)))
    found = [
        f"{option}={shutil.which(name, path=places) or name}" for option, name in PROGRAMS.items()
    ]
    return draw([*found, *sys.argv[1:]])
