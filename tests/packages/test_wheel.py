"""The wheel of scripts/package wheel: pytest --wheel FOLDER; as root also in Debian 11."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from email.parser import Parser
from pathlib import Path

import pytest
from commands import MEASURING, PROGRAMS, ROOT, inside, make_debian, run, version

MADE_BY = ROOT / ".cache/package/bin"
MANYLINUX = re.compile(r"manylinux_2_(\d+)_x86_64")


@pytest.fixture(scope="module")
def wheel(pytestconfig: pytest.Config) -> Path:
    folder = pytestconfig.getoption("wheel")
    if not folder:
        pytest.skip("needs what scripts/package wheel makes in half an hour; only with --wheel")
    (found,) = folder.glob(f"bench_transfers-{version()}-*.whl")
    assert isinstance(found, Path)
    return found


@pytest.fixture(scope="module")
def old_debian(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("bullseye")
    make_debian("bullseye", root, "python3-venv")
    shutil.copy(wheel, root / "tmp")
    yield root
    shutil.rmtree(root)


def test_it_is_for_the_systems_that_its_name_says(wheel: Path):
    audit = run(MADE_BY / "auditwheel", "show", wheel)
    (consistent,) = re.findall(r'following platform tag:\s*"manylinux_2_(\d+)_x86_64"', audit)
    named = MANYLINUX.search(wheel.name)
    assert named
    assert int(consistent) <= int(named[1]) <= 28
    assert "-py3-none-" in wheel.name


def test_it_says_what_it_is_and_carries_the_licences(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        fields = Parser().parsestr(archive.read(metadata).decode())
    assert (fields["Name"], fields["Requires-Python"]) == ("bench-transfers", ">=3.8")
    assert fields["Requires-Dist"] == f"bench-transfers-report=={version()}; extra == 'report'"
    licences = {Path(name).parent.name for name in names if ".dist-info/licenses/" in name}
    carried = {"fmt", "nlohmann_json", "cli11", "pugixml", "simdjson", "benchmark", "zlib"}
    assert licences >= carried | {"boost_math", "gcc", "cuda_runtime", "cuda_cccl"}
    assert any(name.endswith("/integrations/node_check") for name in names)


def test_the_same_sources_give_the_same_bytes(wheel: Path, tmp_path: Path):
    made = []
    for number in range(2):
        sources = tmp_path / str(number) / "build-wheel"
        shutil.copytree(wheel.parents[1], sources, ignore=shutil.ignore_patterns("dist"))
        shutil.copy(ROOT / "CMakeLists.txt", sources.parent)
        (sources.parent / "packaging").mkdir()
        shutil.copy(ROOT / "packaging/requirements.toml", sources.parent / "packaging")
        subprocess.run(
            [
                *(MADE_BY / "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
                *(sources, "--wheel-dir", sources / "dist"),
            ],
            env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"},
            check=True,
        )
        made.append((sources / "dist" / wheel.name).read_bytes())
    assert made[0] == made[1]


def test_a_new_environment_has_the_programs(wheel: Path, tmp_path: Path):
    run(sys.executable, "-m", "venv", tmp_path / "new")
    programs = tmp_path / "new/bin"
    run(programs / "python", "-m", "pip", "install", "--quiet", "--no-index", wheel)
    for program in sorted(PROGRAMS):
        assert run(programs / program, "--version").startswith(f"{program} {version()} ")


def test_the_oldest_debian_measures(old_debian: Path, wheel: Path):
    inside(old_debian, "python3", "-m", "venv", "new")
    inside(old_debian, "new/bin/pip", "install", "--quiet", "--no-index", wheel.name)
    printed = inside(old_debian, "new/bin/bench_transfers", *MEASURING, "--brief", "--out=run.json")
    assert printed.startswith("Device: host, no GPU: ")
