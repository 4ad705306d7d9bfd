"""packaging/bundle/cuda12 refuses what it does not know, in one line, and leaves nothing behind."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from calls import call
from commands import ROOT

SCRIPT = ROOT / "packaging/bundle/cuda12"
PACKAGE = "nvidia-cuda-toolkit_12.4.131~12.4.1-2_amd64.deb"


def refused(tmp_path: Path, folder: Path, curl: str) -> str:
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "curl").write_text(f"#!/bin/sh\n{curl}\n")
    (programs / "curl").chmod(0o755)
    completed = call(
        [SCRIPT, folder], env=os.environ | {"PATH": f"{programs}:{os.environ['PATH']}"}
    )
    assert (completed.returncode, completed.stdout) == (2, "")
    return completed.stderr


@pytest.mark.parametrize(
    ("curl", "why"),
    [
        (
            'while [ "$1" != -o ]; do shift; done; echo another >"$2"',
            f"{PACKAGE} is not the file that this script knows: its checksum is another",
        ),
        ("exit 22", f"{PACKAGE} cannot be fetched; curl says above why"),
    ],
    ids=["another file", "no file"],
)
def test_what_is_not_that_package_is_refused(tmp_path: Path, curl: str, why: str):
    folder = tmp_path / "made/toolkit"
    assert refused(tmp_path, folder, curl) == f"cuda12: {why}\n"
    assert list(folder.parent.iterdir()) == []


def test_a_folder_of_others_is_left_alone(tmp_path: Path):
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "letter").touch()
    complaint = refused(tmp_path, folder, "exit 99")
    assert complaint == f"cuda12: {folder} is there already, and not by this script\n"
    assert (folder / "letter").exists()


@pytest.mark.parametrize("arguments", [[], ["--newest", "toolkit"], ["one", "two"], ["--oldest"]])
def test_other_arguments_are_refused(arguments: list[str]):
    completed = call([SCRIPT, *arguments], expected=2)
    assert completed.stderr == "usage: cuda12 [--oldest] FOLDER\n"
