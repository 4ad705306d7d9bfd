"""Man pages and completions, which the programs write of their own options."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from program import LIMIT_S, USAGE, Program, assert_complains, open_terminal, received_by

COMMANDS = {
    "bench_transfers": ("", "advise", "map", "doctor", "fleet", "export", "import", "compare"),
    "gate_transfers": ("", "pin", "check", "power", "show", "query"),
    "fleet_transfers": ("", "collect", "judge", "show", "history", "simulate"),
}
PROGRAMS = sorted(COMMANDS)
SHELLS = ("bash", "zsh", "fish")


def beside(program: Program, name: str) -> Program:
    return Program(program.path.with_name(name))


def generated(program: Program, name: str, kind: str) -> str:
    completed = beside(program, name).run(f"--generate={kind}")
    assert (completed.code, completed.err) == (0, "")
    return completed.out


def options(program: Program, name: str, command: str) -> set[str]:
    arguments = [command] if command else []
    text = beside(program, name).run(*arguments, "--help").out
    block = text.partition("\nOptions:\n")[2].partition("\n\n")[0]
    names = re.findall(r"^  (-\S+)", block, re.MULTILINE)
    assert names
    return {each for several in names for each in several.split(",")}


def run(shell: str, script: str, *arguments: str) -> str:
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    completed = subprocess.run(
        [shell, *arguments, "-c", script],
        capture_output=True,
        encoding="utf-8",
        timeout=LIMIT_S,
        check=False,
    )
    assert (completed.returncode, completed.stderr) == (0, ""), completed
    return completed.stdout


@pytest.fixture
def scripts(program: Program, tmp_path: Path) -> Path:
    for name in PROGRAMS:
        for shell in SHELLS:
            text = generated(program, name, f"complete-{shell}")
            (tmp_path / f"{name}.{shell}").write_text(text)
    return tmp_path


@pytest.mark.parametrize("kind", ["man", "complete-bash", "complete-zsh", "complete-fish"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_all_options_and_commands_are_there(program: Program, name: str, kind: str):
    text = re.sub(r"\\f[BIR]|\\(?=-)", "", generated(program, name, kind))
    for command in COMMANDS[name]:
        assert command in text
        for option in options(program, name, command):
            word = option
            if kind == "complete-fish":
                word = re.sub("^-(-?)", lambda dashes: "-l " if dashes[1] else "-s ", option)
            assert re.search(rf"(?<![\w-]){word}(?![\w-])", text), (command, option)


@pytest.mark.parametrize("name", PROGRAMS)
def test_other_kinds_are_refused(program: Program, name: str):
    completed = beside(program, name).run("--generate=complete-csh")
    assert completed.code == USAGE
    assert f"{name}: bad --generate 'complete-csh': man, complete-bash, " in completed.unfolded


def test_a_kind_is_needed(program: Program):
    assert_complains(program.run("--generate"), USAGE, "--generate")


@pytest.mark.parametrize("name", PROGRAMS)
def test_man_pages_are_without_warnings(program: Program, name: str, tmp_path: Path):
    if shutil.which("mandoc") is None:
        pytest.skip("no mandoc")
    page = tmp_path / f"{name}.1"
    page.write_text(generated(program, name, "man"))
    lint = ["mandoc", "-T", "lint", "-W", "warning", str(page)]
    completed = subprocess.run(lint, capture_output=True, encoding="utf-8", check=False)
    told = [line for line in completed.stdout.splitlines() if "missing date" not in line]
    assert told == []
    shown = subprocess.run(
        ["mandoc", "-T", "utf8", page], capture_output=True, encoding="utf-8", check=True
    ).stdout
    text = re.sub(".\b", "", shown)
    sections = re.findall(r"^([A-Z]+)$", text, re.MULTILINE)
    assert sections == ["NAME", "SYNOPSIS", "OPTIONS", "NOTES", "COMMANDS"]
    assert re.findall(r"^   (\w+)$", text, re.MULTILINE) == list(COMMANDS[name][1:])


# What the shells offer: words typed after the program's name, and the answers.
OFFERS = {
    ("bench_transfers", "ad"): ["advise"],
    ("bench_transfers", "--prof"): ["--profile="],
    ("bench_transfers", "--cache=w"): ["warm"],
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
def test_bash_offers(scripts: Path, name: str, typed: str):
    (scripts / "first.file").touch()
    words = bash_words(f"{name} {typed}")
    script = f"""
        cd {scripts} && source {name}.bash
        [[ $(complete -p {name}) == 'complete -F _{name} {name}' ]] || exit 1
        COMP_WORDS=({" ".join(words)}) COMP_CWORD={len(words) - 1}
        _{name}
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    assert sorted(run("bash", script).split()) == OFFERS[name, typed]


@pytest.mark.parametrize(("name", "typed"), OFFERS)
def test_fish_offers(scripts: Path, name: str, typed: str):
    (scripts / "first.file").touch()
    script = f"cd {scripts}; source {name}.fish; complete -C '{name} {typed}'"
    offered = {line.split("\t")[0] for line in run("fish", script, "--no-config").splitlines()}
    values = {word.removeprefix(f"{typed.split(' ')[-1].partition('=')[0]}=") for word in offered}
    # fish takes a value after a blank, too, and writes no "=" itself.
    assert sorted(values) == sorted(word.removesuffix("=") for word in OFFERS[name, typed])


@pytest.mark.parametrize(
    ("name", "typed"), [pair for pair, offered in OFFERS.items() if len(offered) == 1]
)
def test_zsh_completes(scripts: Path, name: str, typed: str):
    """In a terminal: zsh has no other way to ask."""
    if shutil.which("zsh") is None:
        pytest.skip("no zsh")
    (scripts / "first.file").touch()
    ours, theirs = open_terminal(200)
    shell = subprocess.Popen(
        ["zsh", "-f", "-i"],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        cwd=scripts,
        env={**os.environ, "TERM": "dumb", "PS1": "> "},
        start_new_session=True,
    )
    os.close(theirs)
    # The widget ends the line after it has completed it, and the function shows what it would run.
    lines = [
        "autoload -U compinit && compinit -D -u",
        f"source {name}.zsh",
        f'{name}() {{ print -r -- "ran:$*" }}',
        "complete-and-run() { zle expand-or-complete; zle accept-line }",
        "zle -N complete-and-run; bindkey '^G' complete-and-run",
        f"{name} {typed}\x07",
        "exit",
    ]
    try:
        os.write(ours, "\n".join(lines).replace("\x07\n", "\x07").encode() + b"\n")
        shown = b"".join(received_by(ours)).decode()
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)
    (offered,) = OFFERS[name, typed]
    begin = re.sub(r"[^ =]*$", "", typed)
    assert re.search(
        rf"^ran:{re.escape(begin + offered.removesuffix('='))}", shown, re.MULTILINE
    ), shown
