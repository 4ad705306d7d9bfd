"""Calls of CMake, and the program that the documentation shows."""

from __future__ import annotations

import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from calls import call

ROOT = Path(__file__).resolve().parents[2]
CONSUMERS = Path(__file__).resolve().parent
LIMIT_S = 900  # only for hangs: on a busy machine everything takes ten times as long


@dataclass(frozen=True)
class Cmake:
    """Calls of CMake with the tools that the build under test has."""

    build: Path
    cache: dict[str, str]

    def run(self, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        """Both outputs are in stdout; warnings of CMake are folded to its width there."""
        env = os.environ | {"CUDACXX": self.nvcc or "nvcc"}
        command = ["cmake", *map(str, arguments)]
        return call(command, stderr=subprocess.STDOUT, env=env, timeout=LIMIT_S)

    def configure(
        self, source: Path, binary: Path, *options: str | Path
    ) -> subprocess.CompletedProcess[str]:
        names = ("CMAKE_GENERATOR", "CMAKE_CXX_COMPILER", "CMAKE_CXX_FLAGS")
        tools = [f"-D{name}={self.cache[name]}" for name in names if self.cache.get(name)]
        return self.run("-S", source, "-B", binary, *tools, *options)

    def install(self, prefix: Path, *components: str) -> Path:
        """Installs these components, or everything."""
        for component in components or ("",):
            chosen = ["--component", component] if component else []
            must(self.run("--install", self.build, "--prefix", prefix, *chosen))
        return prefix

    @property
    def nvcc(self) -> str | None:
        """The CUDA compiler, if the library under test has CUDA."""
        package = (self.build / "transfersConfig.cmake").read_text()
        without = 'set(transfers_CUDA_VERSION "")' in package
        return None if without else self.cache["CMAKE_CUDA_COMPILER"]


def run_program(program: Path) -> str:
    """Runs a program of a consumer, which says that there is no GPU where it needs one."""
    return must(call([program], stderr=subprocess.STDOUT, timeout=LIMIT_S))


def must(completed: subprocess.CompletedProcess[str]) -> str:
    assert completed.returncode == 0, completed.stdout
    return completed.stdout


def unfolded(output: str) -> str:
    """Messages of CMake in one line each."""
    return " ".join(output.split())


def run_hello(cmake: Cmake, binary: Path, *options: str | Path) -> None:
    """Builds the program that the documentation shows, and runs it."""
    must(cmake.configure(CONSUMERS / "hello", binary, *options))
    must(cmake.run("--build", binary))
    completed = call([binary / "hello"], expected=0)
    assert re.fullmatch(r"transfers \d+\.\d+\.\d+, .+: 2 \* 4 = 8\n", completed.stdout)
