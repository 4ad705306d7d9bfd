"""The bundle of scripts/package starts where the C library is old: pytest --bundle FOLDER."""

from __future__ import annotations

import os
import re
import tomllib
from pathlib import Path

import pytest
from commands import MEASURING, PROGRAMS, ROOT, run, version
from run_paths import entries_of, open_entries

NEEDS = tomllib.loads((ROOT / "packaging/requirements.toml").read_text("utf-8"))
OLDEST = tuple(map(int, NEEDS["bundle"]["glibc"].split(".")))
PLUGINS = {f"libbench_transfers_mpi_{mpi}.so" for mpi in ("mpich", "openmpi")}
# Of the C library, which is never carried along.
SYSTEM = re.compile(r"(lib(c|m|dl|pthread|rt)|ld-linux-x86-64)\.so\.\d")


@pytest.fixture(scope="module")
def archive(pytestconfig: pytest.Config) -> Path:
    folder = pytestconfig.getoption("bundle")
    if not folder:
        pytest.skip("needs what scripts/package bundle makes in half an hour; only with --bundle")
    (found,) = folder.glob(f"bench_transfers-{version()}-*.tar.gz")
    assert isinstance(found, Path)
    return found


@pytest.fixture(scope="module")
def bundle(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    run("tar", "xf", archive, "-C", folder)
    return folder / archive.name.removesuffix(".tar.gz")


def test_the_checksum_is_of_the_archive(archive: Path):
    run("sha256sum", "--check", f"{archive.name}.sha256", cwd=archive.parent)


@pytest.mark.parametrize("file", sorted(PROGRAMS | PLUGINS))
def test_no_symbol_is_newer_than_old_systems(bundle: Path, file: str):
    symbols = run("objdump", "-T", bundle / file)
    versions = {
        tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", symbols)
    }
    assert versions
    assert max(versions) <= OLDEST
    needed = re.findall(r"NEEDED +(\S+)", run("objdump", "-p", bundle / file))
    assert needed
    if file in PROGRAMS:
        assert [name for name in needed if not SYSTEM.fullmatch(name)] == []


def test_it_is_built_with_the_cuda_of_old_drivers(bundle: Path):
    assert f", CUDA {NEEDS['released']['cuda']}." in run(bundle / "bench_transfers", "--version")


def test_nothing_outside_of_it_is_loaded_by_its_path(bundle: Path):
    assert open_entries(bundle) == {}
    for program in sorted(PROGRAMS):
        assert set(entries_of(bundle / program)) <= {"$ORIGIN"}


def test_licences_come_along(bundle: Path):
    assert "Apache-2.0" in (bundle / "copyright").read_text("utf-8")
    carried = {path.parent.name for path in (bundle / "licences").glob("*/*")}
    assert carried >= {"fmt", "pugixml", "simdjson", "benchmark", "zlib"}


def test_it_measures_with_the_old_c_library(bundle: Path, tmp_path: Path):
    sysroot = Path(os.environ.get("TRANSFERS_SYSROOT", ROOT / ".cache/sysroot"))
    loader = sysroot / "lib64/ld-linux-x86-64.so.2"
    if not loader.exists():
        pytest.skip("no sysroot (packaging/bundle/sysroot)")
    old = (loader, "--library-path", sysroot / "lib/x86_64-linux-gnu")
    for program in sorted(PROGRAMS):
        assert run(*old, bundle / program, "--version").startswith(f"{program} {version()} ")
    # It starts further processes from /proc/self/exe, which is the loader here.
    alone = (*MEASURING, "--processes=1", "--out=run.json")
    run(*old, bundle / "bench_transfers", *alone, cwd=tmp_path)
    assert (tmp_path / "run.json").stat().st_size > 0
