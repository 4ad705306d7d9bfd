"""Nothing of the current directory is loaded."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from calls import call
from run_paths import is_fixed, open_entries


@pytest.fixture(scope="module")
def build(pytestconfig: pytest.Config) -> Path:
    return pytestconfig.getoption("binary").resolve().parent


def test_no_binary_that_is_built_has_an_empty_or_relative_entry(build: Path):
    assert open_entries(build) == {}


def test_which_entries_are_fixed():
    for entry in ("/usr/lib", "$ORIGIN", "${ORIGIN}", "$ORIGIN/../lib"):
        assert is_fixed(entry), entry
    for entry in ("", ".", "lib", "../lib", "$ORIGINAL", "$LIB", " /usr/lib"):
        assert not is_fixed(entry), entry


@pytest.mark.parametrize("name", ["bench_transfers", "fleet_transfers", "gate_transfers"])
def test_a_program_starts_among_libraries_of_somebody_else(build: Path, tmp_path: Path, name: str):
    program = build / name
    loaded = call(["ldd", program], expected=0).stdout
    libraries = set(re.findall(r"^\s*([^\s/]+\.so\S*)", loaded, re.MULTILINE))
    assert "libz.so.1" in libraries
    for library in libraries | {"libcuda.so.1", "libnvidia-ml.so.1"}:
        # The loader takes the first file of a name, and fails if it is no library.
        (tmp_path / library).write_text("no library")
    completed = call([program, "--version"], cwd=tmp_path)
    assert (completed.returncode, completed.stderr) == (0, "")
