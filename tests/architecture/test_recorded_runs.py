"""results/README.md is what results/list_runs.py makes of the recorded files."""

from __future__ import annotations

import sys

from rooms import ROOT

sys.path.insert(0, str(ROOT / "results"))
import list_runs


def test_the_page_lists_the_recorded_runs() -> None:
    advice = "run: .venv/bin/python results/list_runs.py"
    assert list_runs.page() == list_runs.PAGE.read_text("utf-8"), advice
