"""From a run to its report."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
from pathlib import Path

from calls import call
from program import LIMIT_S, ROOT, Program, Result


def test_a_result_file_becomes_a_report(sample: Result, program: Program, tmp_path: Path):
    out = tmp_path / "report"
    completed = call(
        [ROOT / "scripts" / "report", sample.path, "--out", out],
        cwd=tmp_path,
        env={**os.environ, "TRANSFERS_BIN": str(program.path.parent)},
        timeout=LIMIT_S,
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


def test_what_two_procedures_have_measured_does_not_stand_side_by_side(
    program: Program, tmp_path: Path
):
    runs = [
        ROOT / "results" / run
        for run in (
            "nvidia-h200/2026-11-21-report/result.json.gz",
            "nvidia-h100/2026-11-26-processes-3/result-1.json.gz",
        )
    ]
    out = tmp_path / "report"
    command = [f"{ROOT}/scripts/report", *map(str, runs), "--figures=machines", f"--out={out}"]
    environment = {**os.environ, "TRANSFERS_BIN": str(program.path.parent)}
    subprocess.run(command, env=environment, capture_output=True, timeout=LIMIT_S, check=True)
    contexts = [json.loads(gzip.decompress(run.read_bytes()))["context"] for run in runs]
    table = (out / "tables" / "runs-side_by_side.md").read_text("utf-8")
    assert "| copy/pageable/h2d |" in table
    assert "| copy/pinned/h2d |" not in table, "procedure 2 makes other calls"
    drawn = (out / "figures" / "runs-machines.svg").read_text("utf-8")
    assert ">copy_async/pinned<" in drawn
    assert ">copy/pinned<" not in drawn
    for context in contexts:
        for part in context["transfers"].get("parts", [context["transfers"]["run"]]):
            assert str(part["seed"]) in (out / "tables" / "method.txt").read_text("utf-8")
