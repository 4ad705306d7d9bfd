"""From a run to its report."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from program import LIMIT_S, Program, Result

ROOT = Path(__file__).resolve().parents[2]


def test_a_result_file_becomes_a_report(sample: Result, program: Program, tmp_path: Path):
    out = tmp_path / "report"
    completed = subprocess.run(
        [ROOT / "scripts" / "report", sample.path, "--out", out],
        cwd=tmp_path,
        env={**os.environ, "TRANSFERS_BIN": str(program.path.parent)},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert (completed.returncode, completed.stdout) == (0, f"{out / 'report.html'}\n"), (
        completed.stderr
    )
    starts = {".pdf": b"%PDF", ".png": b"\x89PNG\r\n", ".svg": b"<svg"}
    files = {path.name: path.read_bytes() for path in (out / "figures").iterdir()}
    images = {name: data for name, data in files.items() if Path(name).suffix in starts}
    captions = {name for name in files if name.endswith((".caption.tex", ".caption.txt"))}
    assert files.keys() == images.keys() | captions
    assert {f"{name}{kind}" for name in ("bandwidth", "latency") for kind in starts} <= set(images)
    for name, image in images.items():
        assert image.startswith(starts[Path(name).suffix])
        assert len(image) > 5000
    page = (out / "report.html").read_text("utf-8")
    assert "No GPU was measured" in page
    assert "as advise has fitted it" in page
