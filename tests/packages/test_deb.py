"""The Debian package of the programs, made from the build under test."""

from __future__ import annotations

import gzip
import re
import shutil
from pathlib import Path

import pytest
from commands import MEASURING, PROGRAMS, ROOT, run, version
from run_paths import open_entries


@pytest.fixture(scope="module")
def package(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package of the programs alone."""
    config = pytestconfig.getoption("binary").resolve().parent / "CPackConfig.cmake"
    for program, of_package in (("dpkg-shlibdeps", "dpkg-dev"), ("help2man", "help2man")):
        if not shutil.which(program):
            pytest.skip(f"{of_package} is not installed, which scripts/package installs")
    folder = tmp_path_factory.mktemp("deb")
    settings = ["CPACK_COMPONENTS_ALL=programs;programs_doc", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"]
    options = [part for setting in settings for part in ("-D", setting)]
    run("cpack", "--config", config, "-B", folder, *options)
    (made,) = folder.glob("*.deb")
    return made


@pytest.fixture(scope="module")
def unpacked(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked")
    run("dpkg-deb", "-x", package, folder)
    return folder


@pytest.fixture
def report_prefix(pytestconfig: pytest.Config, tmp_path: Path) -> Path:
    """The component of the report, with the Python packages of this environment."""
    build = pytestconfig.getoption("binary").resolve().parent
    prefix = tmp_path / "report_prefix"
    run("cmake", "--install", build, "--component", "report", "--prefix", prefix)
    (prefix / "lib/bench_transfers").mkdir(parents=True)
    (python,) = (ROOT / ".venv/lib").glob("python3.*")
    (prefix / "lib/bench_transfers/python").symlink_to(python / "site-packages")
    return prefix


def test_the_package_has_programs_their_manual_and_what_each_package_has(unpacked: Path):
    names = {str(path.relative_to(unpacked)) for path in unpacked.rglob("*") if path.is_file()}
    expected = {
        f"usr/share/doc/bench-transfers/{name}"
        for name in ("changelog.Debian.gz", "changelog.gz", "copyright")
    }
    for program in PROGRAMS:
        expected |= {
            f"usr/bin/{program}",
            f"usr/share/man/man1/{program}.1.gz",
            f"usr/share/bash-completion/completions/{program}",
        }
    others = {name for name in names if re.search("/(integrations|licences)/", name)}
    assert names - others == expected
    assert "usr/share/bench_transfers/integrations/node_check" in others
    page = gzip.decompress((unpacked / "usr/share/man/man1/gate_transfers.1.gz").read_bytes())
    assert b"gate_transfers \\- Tells whether transfers got slower\n" in page
    assert b"Compare new runs with a baseline." in page
    assert open_entries(unpacked) == {}


def test_the_package_has_the_version_and_its_libraries(package: Path):
    fields = dict(
        line.split(": ", 1) for line in run("dpkg-deb", "-f", package).splitlines() if ": " in line
    )
    assert fields["Package"] == "bench-transfers"
    assert fields["Version"] == f"{version()}-1"
    names = {entry.split()[0] for entry in fields["Depends"].split(", ")}
    assert names > {"libc6", "libstdc++6"}
    # Each MPI has a package of its own; the driver comes with the GPU.
    assert not [name for name in names if re.search("mpi|cuda|nvidia", name)]


@pytest.mark.parametrize("program", ["fleet_transfers", "gate_transfers"])
def test_what_reads_files_of_others_is_bound_at_its_start(unpacked: Path, program: str):
    assert "BIND_NOW" in run("readelf", "--dynamic", unpacked / "usr/bin" / program)


def test_what_is_unpacked_measures_and_draws(report_prefix: Path, unpacked: Path, tmp_path: Path):
    usr = tmp_path / "usr"
    shutil.copytree(unpacked / "usr", usr)
    shutil.copytree(report_prefix, usr, symlinks=True, dirs_exist_ok=True)
    programs = usr / "bin"
    for program in PROGRAMS:
        assert run(programs / program, "--version").startswith(f"{program} {version()} ")
    run(programs / "bench_transfers", *MEASURING, "--out=run.json", cwd=tmp_path)
    answer = run(programs / "report_transfers", "run.json", cwd=tmp_path)
    assert answer == "report/report.html\n"
    page = (tmp_path / "report/report.html").read_text("utf-8")
    assert "copy/pinned" in page
