"""packaging/requirements.toml has what sources and packages need; builds and pages follow it."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
import rooms

NEEDS = tomllib.loads((rooms.ROOT / "packaging/requirements.toml").read_text("utf-8"))
CUDA = f"CUDA {NEEDS['sources']['cuda']} or later"
DRIVERS = [f"driver {oldest} or later" for oldest in NEEDS["driver"].values()]
RELEASED_DRIVER = f"driver {NEEDS['driver'][NEEDS['released']['cuda']]} or later"
RELEASED = [RELEASED_DRIVER, f"compute capability {NEEDS['released']['gpu']} or later"]
GLIBC = f"glibc {NEEDS['bundle']['glibc']} or later"
PYTHON = f"Python {NEEDS['report']['python']} or later"
WHEEL_PYTHON = f"Python {NEEDS['wheel']['python']} or later"
PAGES = {
    "README.md": [CUDA, *DRIVERS],
    "docs/BUILD.md": [CUDA, *DRIVERS, GLIBC, PYTHON],
    "docs/INSTALL.md": [CUDA, *RELEASED, GLIBC, PYTHON, WHEEL_PYTHON],
    "docs/SITE.md": [*RELEASED, GLIBC],
    "docs/library/INSTALL.md": [CUDA, *DRIVERS],
    "packaging/README.md": [CUDA, *DRIVERS],
    "packaging/bundle/README.md": [*RELEASED, GLIBC],
    "packaging/wheel/README.md": [PYTHON],
    "packaging/wheel-programs/README.md": [*RELEASED, GLIBC, PYTHON, WHEEL_PYTHON],
    "cmake/Package.cmake": RELEASED,
}


def text_of(path: str) -> str:
    return (rooms.ROOT / path).read_text("utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_pages_state_what_is_needed(page: str) -> None:
    text = " ".join(text_of(page).split())
    assert [phrase for phrase in PAGES[page] if phrase not in text] == []


@pytest.mark.parametrize("page", PAGES)
def test_pages_state_nothing_else(page: str) -> None:
    stated = re.findall(
        r"(?:CUDA|driver|compute capability|glibc|Python) [\d.]*\d or later",
        " ".join(text_of(page).split()),
    )
    known = {CUDA, *DRIVERS, *RELEASED, GLIBC, PYTHON, WHEEL_PYTHON}
    # What single calls need.
    assert set(stated) - known <= {"CUDA 12.8 or later"}


def test_sources_build_from_there_on() -> None:
    oldest = NEEDS["sources"]["cuda"]
    assert f"set(TRANSFERS_MINIMUM_CUDA {oldest})\n" in text_of("cmake/Cuda.cmake")
    # Of which CI compiles them.
    pins = text_of("packaging/bundle/cuda12-oldest-requirements.in")
    assert f"nvidia-cuda-runtime-cu12=={oldest}." in pins


@pytest.mark.parametrize("preset", ["bundle", "deb"])
def test_released_programs_are_built_with_it_for_these_gpus(preset: str) -> None:
    presets = json.loads(text_of("CMakePresets.json"))["configurePresets"]
    (found,) = (entry for entry in presets if entry["name"] == preset)
    toolchain = text_of(found["toolchainFile"].removeprefix("${sourceDir}/"))
    assert "Cuda12.cmake" in toolchain or "TRANSFERS_CUDA12" in toolchain
    kinds = [
        kind.split("-") for kind in found["cacheVariables"]["CMAKE_CUDA_ARCHITECTURES"].split(";")
    ]
    real = sorted(int(number) for number, kind in kinds if kind == "real")
    assert f"{real[0] // 10}.{real[0] % 10}" == NEEDS["released"]["gpu"]
    # Later GPUs compile it; earlier drivers than nvcc's cannot.
    assert [int(number) for number, kind in kinds if kind == "virtual"] == [real[-1]]


def test_the_toolkit_of_released_programs_is_of_that_cuda() -> None:
    pins = text_of("packaging/bundle/cuda12-requirements.in")
    assert f"nvidia-cuda-runtime-cu12=={NEEDS['released']['cuda']}." in pins


def test_the_sysroot_has_that_c_library() -> None:
    assert f"/libc6_{NEEDS['bundle']['glibc']}-" in text_of("packaging/bundle/sysroot")


@pytest.mark.parametrize(("folder", "section"), [("wheel", "report"), ("wheel-programs", "wheel")])
def test_the_wheels_ask_for_that_python(folder: str, section: str) -> None:
    wheel = tomllib.loads(text_of(f"packaging/{folder}/pyproject.toml"))
    assert wheel["project"]["requires-python"] == f">={NEEDS[section]['python']}"
