"""Tests that a new figure is one new file: that of the recipe in HACKING.md."""

import os
import re
import shutil
import sys
from pathlib import Path

from calls import call

from plots.figures import FIGURE_NAMES

TESTS = Path(__file__).resolve().parents[1]
LISTED = """
from plots.figures import FIGURES, FIGURE_NAMES, QUESTIONS
from plots.figures.layout import WIDE
from synthetic import run

print(FIGURES["added"](run(), WIDE).heading, "added" in FIGURE_NAMES)
print([name for name in QUESTIONS if QUESTIONS[name] == QUESTIONS["added"]])
"""


def test_a_new_figure_is_one_new_file(tmp_path):
    shutil.copytree(TESTS.parent / "plots", tmp_path / "plots")
    page = (TESTS.parent / "HACKING.md").read_text("utf-8")
    (path, code), *others = re.findall(r"```python\n# (\S+)\n(.*?)```", page, re.DOTALL)
    (tmp_path / path).write_text(code, "utf-8")
    assert not others
    listed = call(
        [sys.executable, "-c", LISTED],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": f"{tmp_path}:{TESTS / 'plots'}:{TESTS}"},
    )
    expected = "Added figure True\n['samples', 'interference', 'added']\n"
    assert (listed.stdout, listed.stderr) == (expected, "")
    assert "added" not in FIGURE_NAMES
