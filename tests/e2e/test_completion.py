"""Completion in bash, which the programs write of their own options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from calls import call
from program import USAGE, Program, assert_complains

COMMANDS = {
    "bench_transfers": ("", "advise", "map", "doctor", "fleet", "export", "import", "compare"),
    "gate_transfers": ("", "check", "history", "pin", "power", "show"),
    "fleet_transfers": ("", "collect", "judge", "show", "history"),
}
PROGRAMS = sorted(COMMANDS)


def beside(program: Program, name: str) -> Program:
    return Program(program.path.with_name(name))


def generated(program: Program, name: str) -> str:
    completed = beside(program, name).run("--generate=complete-bash")
    assert (completed.code, completed.err) == (0, "")
    return completed.out


def options(program: Program, name: str, command: str) -> set[str]:
    arguments = [command] if command else []
    text = beside(program, name).run(*arguments, "--help").out
    block = text.partition("\nOptions:\n")[2].partition("\n\n")[0]
    names = re.findall(r"^  (-\S+)", block, re.MULTILINE)
    assert names
    return {each for several in names for each in several.split(",")}


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_options_and_commands_are_there(program: Program, name: str):
    text = generated(program, name)
    for command in COMMANDS[name]:
        assert command in text
        for option in options(program, name, command):
            assert re.search(rf"(?<![\w-]){option}(?![\w-])", text), (command, option)


@pytest.mark.parametrize("name", PROGRAMS)
def test_other_kinds_are_refused(program: Program, name: str):
    completed = beside(program, name).run("--generate=complete-csh")
    assert_complains(completed, USAGE, f"{name}: bad --generate 'complete-csh': complete-bash")


def test_a_kind_is_needed(program: Program):
    assert_complains(program.run("--generate"), USAGE, "--generate")


# What bash offers: words typed after the program's name, and the answers.
OFFERS = {
    ("bench_transfers", "ad"): ["advise"],
    ("bench_transfers", "--prof"): ["--profile="],
    ("bench_transfers", "--cache=w"): ["warm", "written"],
    ("bench_transfers", "advise --dir"): ["--direction="],
    ("bench_transfers", "advise --direction="): ["both", "d2h", "h2d"],
    ("bench_transfers", "export --format=b"): ["bencher"],
    ("bench_transfers", "fleet --ra"): ["--rack=", "--ranks-per-node="],
    ("bench_transfers", "--rack"): [],
    ("gate_transfers", "check --decide-by=la"): ["latency"],
    ("gate_transfers", "check --al"): ["--all", "--allow-different=", "--allow-missing="],
    ("fleet_transfers", "his"): ["history"],
    ("fleet_transfers", "judge first.fi"): ["first.file"],
    ("fleet_transfers", "judge --json=first.fi"): ["first.file"],
}


def bash_words(line: str) -> list[str]:
    """As bash splits a line, by default also at each "="."""
    return [word for part in line.split(" ") for word in re.split("(=)", part) if word]


@pytest.mark.parametrize(("name", "typed"), OFFERS)
def test_bash_offers(program: Program, tmp_path: Path, name: str, typed: str):
    (tmp_path / "first.file").touch()
    (tmp_path / "completion").write_text(generated(program, name))
    words = bash_words(f"{name} {typed}")
    script = f"""
        source completion
        [[ $(complete -p {name}) == 'complete -F _{name} {name}' ]] || exit 1
        COMP_WORDS=({" ".join(words)}) COMP_CWORD={len(words) - 1}
        _{name}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    completed = call(["bash", "-c", script], cwd=tmp_path)
    assert (completed.returncode, completed.stderr) == (0, ""), completed
    assert sorted(completed.stdout.split()) == OFFERS[name, typed]
