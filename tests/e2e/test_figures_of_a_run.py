"""From a run to its figures."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from program import LIMIT_S, Result

ROOT = Path(__file__).resolve().parents[2]


def test_a_result_file_becomes_figures(sample: Result, tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "-m", "plots", sample.path, "--out", tmp_path / "figures"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    images = {path.name: path.read_bytes() for path in (tmp_path / "figures").iterdir()}
    assert set(images) == {
        f"{name}.{kind}" for name in ("bandwidth", "latency") for kind in ("png", "svg")
    }
    for name, image in images.items():
        start = b"\x89PNG\r\n" if name.endswith("png") else b"<svg"
        assert image.startswith(start)
        assert len(image) > 5000
