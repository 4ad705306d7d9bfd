"""The forms of the answers of `gate_transfers`: hostile and long names, width, length."""

from __future__ import annotations

import html
import re
from pathlib import Path

from gate_checks import (
    INCONCLUSIVE,
    REGRESSION,
    Gate,
    table,
)
from gate_files import (
    BANDWIDTH,
    PINNED_UPLOAD,
    SUITE,
    Lab,
    pin,
)
from program import COLUMNS, Program


def hostile_names() -> list[str]:
    return [
        "a|b|`c`/<b>*d*</b>/1MiB",
        "[x](http://example.org)/@somebody/#12",
        "copy/\n\x1b[31m\u202e/1MiB",
        "</code></details>&amp;\\|",
        '"quoted"\u00b5\uffff',
        "copy/" + "long" * 40 + "/1MiB",
    ]


def test_hostile_names(checks: Gate, gate: Program, tmp_path: Path):
    lab = Lab(tmp_path, SUITE | dict.fromkeys(hostile_names(), 1e6), seed=6)
    baseline = pin(gate, lab.sessions(3, 4))
    slowed = dict.fromkeys(hostile_names(), 1.1)
    answer = checks.check(
        *lab.runs(3, day=9, slowed=slowed), baseline=baseline, expected=REGRESSION
    )
    assert len(answer.names("slower")) == len(slowed)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\u202e]", answer.completed.out + answer.markdown)
    rows = [line for line in answer.markdown.splitlines() if line.startswith("| <code>")]
    assert {line.count("|") for line in rows} == {7}
    for line in rows:
        inside = re.fullmatch(r"\| <code>(.*)</code>( \|[^|]*){5} \|", line)
        assert inside, line
        text = inside[1].replace("<!-- -->", "")
        assert not re.search(r"[<>`*@\\]|://|^\[|\[\[|\][(\[:]", text), line
    shown = {html.unescape(line.split("</code>")[0]) for line in rows}
    assert any("a|b|`c`/<b>*d*</b>/1MiB" in name for name in shown)


def test_it_fits_a_terminal(checks: Gate, gate: Program, tmp_path: Path):
    names = (
        "gpu_array/round_trip/pageable/expression/float32/128MiB",
        "copy/pinned_portable_mapped_wc/h2d/1MiB/cold",
        "n" * 98,
        "µ" * 98,
    )
    lab = Lab(tmp_path, SUITE | dict.fromkeys(names, 2e6), seed=7)
    baseline = tmp_path / "long"
    pinned = gate.run("pin", *lab.sessions(3, 4), f"--out={baseline}")
    slow = lab.runs(3, day=9, slowed=dict.fromkeys(names, 1.1))
    shortened = lab.runs(
        3, day=9, without=names, facts={"machine.cpu": {"model": "many words " * 30}}
    )
    outputs = [
        pinned.out,
        checks.check(*slow, "--all", baseline=baseline, expected=REGRESSION).completed.out,
        checks.check(*shortened, "--all", baseline=baseline, expected=INCONCLUSIVE).completed.out,
        gate.run("power", baseline).out,
        gate.run("show", *slow).out,
        gate.run("show", *slow, *shortened).out,
        *(
            gate.run(*command, "--help").out
            for command in ((), *([command] for command in COMMANDS))
        ),
    ]
    for out in outputs:
        lines = [line for line in out.splitlines() if str(tmp_path) not in line]
        assert max(map(len, lines)) <= COLUMNS
        assert not [line for line in lines if line != line.rstrip()]


COMMANDS = ("pin", "check", "power", "show")


def test_long_lists_are_cut(checks: Gate, lab: Lab):
    runs = lab.runs(3, day=9, without=BANDWIDTH)
    answer = checks.check(*runs, expected=INCONCLUSIVE)
    assert f"and {len(BANDWIDTH) - 20} more (--all lists them)" in answer.text
    everything = checks.check(*runs, "--all", expected=INCONCLUSIVE)
    assert set(table(everything.completed.out)) == set(SUITE)


def test_a_comment_is_never_too_long(checks: Gate, gate: Program, tmp_path: Path):
    costs = {f"a_family/{'some_memory_' * 10}/{number}/h2d/1MiB": 1e6 for number in range(600)}
    lab = Lab(tmp_path, costs, seed=8)
    baseline = pin(gate, lab.sessions(3, 1))
    runs = lab.runs(3, day=9, without=list(costs)[:300])
    answer = checks.check(*runs, baseline=baseline, expected=INCONCLUSIVE)
    assert re.search(r"… and \d+ more, for which there is no room here", answer.markdown)


def test_show_goes_on_below(gate: Program, lab: Lab):
    runs = lab.runs(7)
    out = gate.run("show", *runs).out
    assert [out.count(f"run {number} ") for number in range(1, 8)] == [1] * 7
    assert out.count(f"\n{PINNED_UPLOAD} ") == len(re.findall(r"^real_time", out, re.MULTILINE)) > 1
