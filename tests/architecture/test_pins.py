"""Tests that what is downloaded is pinned, bit by bit."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import rooms

REQUIREMENTS = sorted(
    path
    for folder in ("packaging/bundle", "plots", "scripts", "tests")
    for path in (rooms.ROOT / folder).glob("*requirements.txt")
)
SCRIPTS = sorted(
    path
    for folder in ("packaging/bundle", "scripts")
    for path in (rooms.ROOT / folder).iterdir()
    if not path.suffix
)
PIN = re.compile(r"[a-z0-9-]+==\S+( \\\n    --hash=sha256:[0-9a-f]{64})+")


def name_of(path: Path) -> str:
    return str(path.relative_to(rooms.ROOT))


@pytest.mark.parametrize("path", REQUIREMENTS, ids=name_of)
def test_packages_of_python_have_a_version_and_hashes(path: Path) -> None:
    text = re.sub(r"^ *#.*\n", "", path.read_text("utf-8"), flags=re.MULTILINE)
    packages = [block for block in re.split(r"\n+(?! )", text) if block]
    assert packages[0] == "--only-binary :all:"
    assert len(packages) > 1
    assert [entry for entry in packages[1:] if not PIN.fullmatch(entry)] == []


@pytest.mark.parametrize("path", REQUIREMENTS, ids=name_of)
def test_what_is_used_directly_is_pinned(path: Path) -> None:
    entries = path.with_suffix(".in").read_text("utf-8").splitlines()
    direct = [entry.split("==")[0] for entry in entries if not entry.startswith("-")]
    assert direct
    pinned = set(re.findall(r"^([a-z0-9-]+)==", path.read_text("utf-8"), re.MULTILINE))
    assert set(direct) <= pinned


def test_versions_are_the_same_in_all_requirements_of_one_environment() -> None:
    drawing, tests = (
        dict(re.findall(r"^([a-z0-9-]+)==(\S+)", (rooms.ROOT / path).read_text(), re.MULTILINE))
        for path in ("plots/requirements.txt", "tests/requirements.txt")
    )
    assert drawing.items() <= tests.items()


def test_scripts_install_nothing_else() -> None:
    setup = rooms.ROOT / "scripts" / "setup.sh"
    calls = [
        (path.name, line)
        for path in [*SCRIPTS, setup]
        for line in path.read_text("utf-8").replace("\\\n", "").splitlines()
        if re.search(r"\bpip3? install\b", line)
    ]
    assert len(calls) == 1
    assert calls[0][0] == "setup.sh"
    assert "--require-hashes" in calls[0][1]
    assert "--only-binary :all:" in calls[0][1]


def test_cmake_fetches_commits_and_checksums() -> None:
    text = (rooms.ROOT / "cmake" / "Dependencies.cmake").read_text("utf-8")
    declared = re.findall(r"FetchContent_Declare\(([^)]*)\)", text)
    assert len(declared) > 5
    pin = re.compile(r"GIT_TAG [0-9a-f]{40}\b|URL_HASH SHA256=[0-9a-f]{64}\b")
    assert [entry for entry in declared if not pin.search(entry)] == []
