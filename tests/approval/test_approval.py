"""Whole outputs are as approved; tests/approval/approve shows and accepts changes."""

from __future__ import annotations

import re

import approval
import frozen
import pytest
from cases import CASES
from running import Programs, run

ACCEPT = "If that is meant: tests/approval/approve --binary PATH --accept"
# Options that write an answer, in a help: "--json FILE    write the answer for programs".
WRITES = re.compile(
    r"^  (?:--benchmark_out,)?(--\w+) (?:FILE|DIR)(?: \(Env:\w+\))?\s+(?:write |.*- prints it)",
    re.MULTILINE,
)
FORMATS = re.compile(r"^Formats: (.*?)\.$", re.MULTILINE | re.DOTALL)
STYLES = re.compile(r"--benchmark_format=([a-z|]+)")
LISTS = re.compile(r"--list=(\w+)")


@pytest.mark.parametrize("name", CASES)
def test_everything_is_printed_as_approved(programs: Programs, name: str):
    if CASES[name].of_host_build and programs.has_cuda:
        pytest.skip("approved of the build without CUDA")
    assert approval.path_of(name).exists(), f"nothing is approved yet. {ACCEPT} {name}"
    shown = approval.difference(name, approval.approved(name), run(CASES[name], programs))
    if shown:
        pytest.fail(f"{shown}\n{ACCEPT} {name}", pytrace=False)


def test_every_approved_text_has_a_case():
    assert approval.unused() == []


# ---- nothing is left out


def offered(programs: Programs) -> set[tuple[str, str]]:
    """What is typed, and the option or value that must be among the arguments of a case."""
    wanted = set()
    for command, text in frozen.commands(programs).items():
        wanted.add((command, "--help"))
        wanted |= {(command, f"{option}=") for option in WRITES.findall(text)}
        for words in FORMATS.findall(text):
            wanted |= {(command, f"--format={word}") for word in re.split(r",\s+", words)}
        if command == "bench_transfers":
            (styles,) = set(STYLES.findall(text))
            wanted |= {(command, f"--benchmark_format={style}") for style in styles.split("|")}
            wanted |= {(command, f"--list={word}") for word in LISTS.findall(text)}
            wanted |= {(command, "--list"), (command, "--version")}
    return wanted


def given() -> list[list[str]]:
    lines = [line for case in CASES.values() for line in case.commands]
    return [line.replace("bench_transfers_paced", "bench_transfers").split() for line in lines]


def lacking(wanted: set[tuple[str, str]]) -> set[tuple[str, str]]:
    lines = given()

    def is_given(command: str, argument: str) -> bool:
        words = command.split()
        return any(
            line[: len(words)] == words
            and any(
                part == argument or (argument[-1] == "=" and part.startswith(argument))
                for part in line
            )
            for line in lines
        )

    return {entry for entry in wanted if not is_given(*entry)}


def test_every_command_and_format_has_a_case(programs: Programs):
    wanted = offered(programs)
    # What must be among them, whatever a help looks like.
    assert {
        ("bench_transfers export", "--format=openmetrics"),
        ("bench_transfers", "--benchmark_format=csv"),
        ("bench_transfers", "--out="),
        ("bench_transfers compare", "--markdown="),
        ("gate_transfers check", "--junit="),
        ("fleet_transfers judge", "--openmetrics="),
        ("fleet_transfers history", "--help"),
        ("report", "--help"),
    } <= wanted
    assert lacking(wanted) == set()


def test_a_command_or_a_format_without_a_case_is_named():
    new = {("gate_transfers tell", "--help"), ("gate_transfers check", "--yaml=")}
    assert lacking(new | {("gate_transfers check", "--json=")}) == new


# ---- nothing passes


def flipped(text: str, place: int) -> str:
    """The same with another character at a place."""
    return f"{text[:place]}{'x' if text[place] != 'x' else 'y'}{text[place + 1 :]}"


@pytest.mark.parametrize("name", CASES)
def test_a_changed_byte_of_any_approved_text_fails(name: str):
    text = approval.approved(name)
    for place in {0, len(text) // 3, len(text) // 2, text.index("\n"), len(text) - 1}:
        assert approval.difference(name, text, flipped(text, place)), place
        assert approval.difference(name, text, text[:place] + text[place + 1 :]), place
    assert approval.difference(name, text, text) == ""


def test_every_byte_counts():
    name = min(CASES, key=lambda case: len(approval.approved(case)))
    text = approval.approved(name)
    assert all(approval.difference(name, text, flipped(text, place)) for place in range(len(text)))


@pytest.mark.parametrize(
    ("name", "before", "now"),
    [
        ("gate-check-regression", "REGRESSION", "SLOWER"),  # a word
        ("gate-check-regression", '"verdict"', '"answer"'),  # a key
        ("export-csv", "152054335", "152054336"),  # a number
        ("report-run", "NVIDIA H200", "NVIDIA H100"),
    ],
)
def test_a_change_is_shown_and_nothing_else(name: str, before: str, now: str):
    lines = approval.approved(name).splitlines()
    place = next(i for i, line in enumerate(lines) if before in line)
    changed = lines[:place] + [lines[place].replace(before, now)] + lines[place + 1 :]
    shown = approval.difference(name, "\n".join(lines) + "\n", "\n".join(changed) + "\n")
    removed = [line[1:] for line in shown.splitlines() if re.match(r"-(?!--)", line)]
    added = [line[1:] for line in shown.splitlines() if re.match(r"\+(?!\+\+)", line)]
    assert (removed, added) == ([lines[place]], [changed[place]])
