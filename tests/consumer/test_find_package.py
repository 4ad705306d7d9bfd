"""Projects that find the installed library."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from calls import call
from cmake_calls import CONSUMERS, Cmake, must, run_hello, unfolded

ASKS = """\
cmake_minimum_required(VERSION 3.25)
project(asks LANGUAGES NONE)
find_package(transfers @VERSION@ CONFIG QUIET)
message(STATUS "CONSIDERED=${transfers_CONSIDERED_VERSIONS} FOUND=${transfers_FOUND}")
"""

OTHER_TOOLKIT = """\
set(CUDAToolkit_FOUND TRUE)
set(CUDAToolkit_VERSION @VERSION@)
string(REGEX MATCH "^[0-9]+" CUDAToolkit_VERSION_MAJOR @VERSION@)
set(CUDAToolkit_BIN_DIR /opt/other/bin)
if(NOT TARGET CUDA::cudart_static)
  add_library(CUDA::cudart_static INTERFACE IMPORTED)
endif()
"""


def test_a_program_is_built_with_it(cmake: Cmake, installed: Path, tmp_path: Path):
    run_hello(cmake, tmp_path, f"-DCMAKE_PREFIX_PATH={installed}")
    loaded = call(["ldd", tmp_path / "hello"], expected=0).stdout
    assert "libstdc++" in loaded
    assert "libgomp" not in loaded  # the library has threads of its own


@pytest.mark.nightly
def test_a_program_with_a_kernel_of_its_own(cmake: Cmake, installed: Path, tmp_path: Path):
    if not cmake.nvcc:
        pytest.skip("built without CUDA")
    options = [f"-DCMAKE_PREFIX_PATH={installed}", "-DCMAKE_CUDA_ARCHITECTURES=75-virtual"]
    must(cmake.configure(CONSUMERS / "own_kernel", tmp_path, *options))
    must(cmake.run("--build", tmp_path))
    completed = subprocess.run([tmp_path / "own_kernel"], capture_output=True, check=False)
    assert completed.returncode == 0, completed
    assert completed.stdout in (b"8\n", b"no GPU\n")


@pytest.mark.parametrize("version", ["0.0", "0.2", "0.1.999", "1.0"])
def test_other_versions_are_refused(cmake: Cmake, installed: Path, tmp_path: Path, version: str):
    (tmp_path / "CMakeLists.txt").write_text(ASKS.replace("@VERSION@", version))
    output = must(cmake.run("-S", tmp_path, "-B", tmp_path, f"-DCMAKE_PREFIX_PATH={installed}"))
    assert "CONSIDERED=0.1." in output
    assert "FOUND=0" in output


def static_with_cuda(cmake: Cmake, installed: Path) -> None:
    if not cmake.nvcc or not list(installed.glob("lib*/libtransfers.a")):
        pytest.skip("needs no CUDA toolkit to be linked")


def test_a_missing_toolkit_is_named(cmake: Cmake, installed: Path, tmp_path: Path):
    static_with_cuda(cmake, installed)
    completed = cmake.configure(
        CONSUMERS / "hello",
        tmp_path,
        f"-DCMAKE_PREFIX_PATH={installed}",
        "-DCMAKE_DISABLE_FIND_PACKAGE_CUDAToolkit=ON",
    )
    assert completed.returncode == 1
    message = unfolded(completed.stdout)
    assert "no CUDA toolkit was found. This static library was built with CUDA " in message
    assert "set CUDAToolkit_ROOT to its folder" in message


@pytest.mark.parametrize(("version", "fits"), [("12.9", False), ("13.9", True), ("14.0", False)])
def test_the_toolkit_must_have_the_same_major_version(
    cmake: Cmake, installed: Path, tmp_path: Path, version: str, fits: bool
):
    static_with_cuda(cmake, installed)
    module = tmp_path / "modules" / "FindCUDAToolkit.cmake"
    module.parent.mkdir()
    module.write_text(OTHER_TOOLKIT.replace("@VERSION@", version))
    completed = cmake.configure(
        CONSUMERS / "hello",
        tmp_path / "build",
        f"-DCMAKE_PREFIX_PATH={installed}",
        f"-DCMAKE_MODULE_PATH={module.parent}",
    )
    complaint = f"CUDA {version} in /opt/other/bin does not fit"
    assert (completed.returncode == 0) == fits, completed.stdout
    assert (complaint in unfolded(completed.stdout)) != fits
