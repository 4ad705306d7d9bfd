"""The library, installed from the build under test."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cmake_calls import Cmake


@pytest.fixture(scope="session")
def cmake(pytestconfig: pytest.Config) -> Cmake:
    build = pytestconfig.getoption("binary").resolve().parent
    entries = re.findall(
        r"^([^#/\s:][^:\n]*):\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE
    )
    return Cmake(build, dict(entries))


@pytest.fixture(scope="session")
def installed(cmake: Cmake, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the library alone."""
    return cmake.install(tmp_path_factory.mktemp("installed") / "prefix", "library")
