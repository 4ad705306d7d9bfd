"""Git passes over what the orders in README make in a checkout."""

from __future__ import annotations

import re

from calls import call
from rooms import ROOT


def test_outputs_of_the_readme_are_ignored():
    orders = "".join(
        re.findall(r"```sh\n(.*?)```", (ROOT / "README.md").read_text("utf-8"), re.DOTALL)
    )
    outputs = [
        re.sub(r"\$(\([^)]*\)|\w+)", "x", name)
        for name in re.findall(r"--out=(.+?\.json(?:\.gz)?)", orders)
    ]
    assert {"run-x-x.json", "baseline.json"} <= set(outputs)
    ignored = call(["git", "check-ignore", *outputs], cwd=ROOT).stdout.split()
    assert ignored == outputs
