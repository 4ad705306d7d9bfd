"""Other builds of the library, which take minutes: pytest --variants."""

from __future__ import annotations

from pathlib import Path

import pytest
from cmake_calls import CONSUMERS, ROOT, Cmake, must, run_hello, run_program


@pytest.fixture(autouse=True)
def _asked_for(pytestconfig: pytest.Config) -> None:
    if not pytestconfig.getoption("variants"):
        pytest.skip("builds the library anew; only with --variants")


@pytest.mark.parametrize("shared", ["OFF", "ON"])
@pytest.mark.parametrize("cuda", ["OFF", "ON"])
def test_a_program_is_built_with(cmake: Cmake, tmp_path: Path, shared: str, cuda: str):
    if cuda == "ON" and not cmake.nvcc:
        pytest.skip("no CUDA")
    options = [
        "-DTRANSFERS_PROGRAMS=OFF",
        f"-DBUILD_SHARED_LIBS={shared}",
        f"-DTRANSFERS_CUDA={cuda}",
        f"-DTHRUST_INCLUDE_DIR={cmake.cache['THRUST_INCLUDE_DIR']}",
        "-DCMAKE_CUDA_ARCHITECTURES=75-virtual",
    ]
    prefix = tmp_path / "prefix"
    must(cmake.configure(ROOT, tmp_path / "build", *options))
    must(cmake.run("--build", tmp_path / "build"))
    must(cmake.run("--install", tmp_path / "build", "--prefix", prefix))
    run_hello(cmake, tmp_path / "hello", f"-DCMAKE_PREFIX_PATH={prefix}")
    for name in ("own_kernel", "two_gpus") if cuda == "ON" else ():
        options = [
            f"-DCMAKE_PREFIX_PATH={prefix}",
            "-DCMAKE_CUDA_ARCHITECTURES=75-virtual",
            f"-DCMAKE_CUDA_RUNTIME_LIBRARY={'Shared' if shared == 'ON' else 'Static'}",
        ]
        must(cmake.configure(CONSUMERS / name, tmp_path / name, *options))
        must(cmake.run("--build", tmp_path / name))
        run_program(tmp_path / name / name)
