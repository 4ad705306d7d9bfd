"""How the library is configured, alone and within another project."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from cmake_calls import CONSUMERS, ROOT, Cmake, must, unfolded
from run_paths import is_fixed

# What only the programs and the tests need.
NOT_FOR_THE_LIBRARY = re.compile(
    r"nvml|Python3|Git_|GTest|CLI11|nlohmann_json|simdjson|pugixml|ZLIB|benchmark_DIR|BOOST", re.I
)


@pytest.mark.nightly
def test_another_project_gets_only_the_library(cmake: Cmake, tmp_path: Path):
    output = must(
        cmake.configure(
            CONSUMERS / "contains",
            tmp_path,
            f"-DSOURCES={ROOT}",
            f"-DTHRUST_INCLUDE_DIR={cmake.cache['THRUST_INCLUDE_DIR']}",
            f"-DTRANSFERS_CUDA={'ON' if cmake.nvcc else 'OFF'}",
            "-DCMAKE_CUDA_ARCHITECTURES=80",
        )
    )
    assert not NOT_FOR_THE_LIBRARY.search(output)
    cache = (tmp_path / "CMakeCache.txt").read_text()
    # Other than what CMake's own modules look for.
    entries = [line for line in cache.splitlines() if re.match(r"(?!CMAKE_|CUDA_)\w+:", line)]
    assert [line for line in entries if NOT_FOR_THE_LIBRARY.search(line.partition("=")[0])] == []
    targets = {
        name: architectures
        for name, kind, architectures in re.findall(r"TARGET=(\S+) (\S+) (\S+)", output)
        if kind != "INTERFACE_LIBRARY"
    }
    expected = {"transfers", "bench_transfers_cuda"} if cmake.nvcc else {"transfers"}
    assert targets.keys() == expected
    if cmake.nvcc:
        assert targets["bench_transfers_cuda"] == "80"


@pytest.fixture
def old_nvcc(tmp_path: Path) -> Path:
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\necho 'Cuda compilation tools, release 12.3, V12.3.107'\n")
    nvcc.chmod(0o755)
    return nvcc


def configure_with(
    cmake: Cmake, nvcc: Path, cuda: str, binary: Path
) -> subprocess.CompletedProcess[str]:
    return cmake.configure(
        ROOT,
        binary,
        f"-DCMAKE_CUDA_COMPILER={nvcc}",
        f"-DTRANSFERS_CUDA={cuda}",
        f"-DTHRUST_INCLUDE_DIR={cmake.cache['THRUST_INCLUDE_DIR']}",
        "-DTRANSFERS_PROGRAMS=OFF",
    )


WHY = "nvcc is of CUDA 12.3, and 12.4 is the oldest that will do"


def test_cuda_that_is_too_old_is_left_out(cmake: Cmake, old_nvcc: Path, tmp_path: Path):
    output = must(configure_with(cmake, old_nvcc, "AUTO", tmp_path / "build"))
    assert f"-- Only the device 'host' is built: {WHY}\n" in output
    # The library says it, too (find_cuda).
    assert WHY in (tmp_path / "build/compile_commands.json").read_text()


def test_cuda_that_is_too_old_is_refused_where_cuda_must_be(
    cmake: Cmake, old_nvcc: Path, tmp_path: Path
):
    completed = configure_with(cmake, old_nvcc, "ON", tmp_path / "build")
    assert completed.returncode == 1
    assert f"TRANSFERS_CUDA is ON, but {WHY}: put another nvcc" in unfolded(completed.stdout)


@pytest.mark.parametrize("shared", ["OFF", "ON"])
def test_a_longer_run_path_of_what_is_installed_pads_none(
    cmake: Cmake, tmp_path: Path, shared: str
):
    options = [
        f"-DBUILD_SHARED_LIBS={shared}",
        f"-DCMAKE_INSTALL_RPATH=/opt/{'long' * 50}",
        "-DTRANSFERS_CUDA=OFF",
        "-DTRANSFERS_TESTS=OFF",
        f"-DTHRUST_INCLUDE_DIR={cmake.cache['THRUST_INCLUDE_DIR']}",
    ]
    must(cmake.configure(ROOT, tmp_path, *options))
    written = "".join(
        path.read_text("utf-8")
        for pattern in ("build.ninja", "**/link.txt")
        for path in tmp_path.glob(pattern)
    )
    # $ is doubled for Ninja and quoted for the shell.
    found = [paths.replace("\\$$", "$") for paths in re.findall(r'-Wl,-rpath,"?([^"\s]*)', written)]
    assert any("$ORIGIN" in paths for paths in found)
    assert [paths for paths in found if not all(map(is_fixed, paths.split(":")))] == []
    assert not re.search(r"RPATH_CHANGE", (tmp_path / "cmake_install.cmake").read_text("utf-8"))
