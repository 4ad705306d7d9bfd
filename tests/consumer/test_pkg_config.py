"""Programs that find the installed library by pkg-config."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from calls import call
from cmake_calls import CONSUMERS, Cmake, must, run_program


def ask(installed: Path, *command: str | Path) -> str:
    (file,) = installed.rglob("transfers.pc")
    env = os.environ | {"PKG_CONFIG_PATH": str(file.parent)}
    return must(call(command, stderr=subprocess.STDOUT, env=env))


@pytest.fixture
def flags(installed: Path) -> list[str]:
    if not shutil.which("pkg-config"):
        pytest.skip("pkg-config is not installed")
    return ask(installed, "pkg-config", "--cflags", "--libs", "transfers").split()


def test_a_program_is_built_with_it(
    cmake: Cmake, installed: Path, flags: list[str], tmp_path: Path
):
    compiler = cmake.cache["CMAKE_CXX_COMPILER"]
    program = tmp_path / "hello"
    source = CONSUMERS / "hello/main.cpp"
    ask(installed, compiler, "-std=c++20", source, "-o", program, *flags)
    assert run_program(program).endswith(": 2 * 4 = 8\n")


def test_it_is_the_one_that_is_installed(cmake: Cmake, installed: Path, flags: list[str]):
    assert f"-I{installed.resolve()}/include" in {
        flag[:2] + str(Path(flag[2:]).resolve()) for flag in flags if flag.startswith("-I")
    }
    version = ask(installed, "pkg-config", "--modversion", "transfers").strip()
    assert version == cmake.cache["CMAKE_PROJECT_VERSION"]
