"""What `cmake --install` puts where."""

from __future__ import annotations

import re
from pathlib import Path

from calls import call
from cmake_calls import ROOT, Cmake
from run_paths import entries_of, open_entries

PROGRAMS = ("bench_transfers", "fleet_transfers", "gate_transfers")


# To a file, of a page in Markdown.
LINK = re.compile(r"\]\(([^):#]+)[^):]*\)")


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir()}


def version_of(program: Path) -> str:
    # Without LD_LIBRARY_PATH and the like.
    return call([program, "--version"], env={}, expected=0).stdout


def test_the_component_library_is_headers_library_and_package(installed: Path):
    headers = {f"include/{name}" for name in files(ROOT / "include")}
    assert "include/transfers/transfers.hpp" in headers
    others = files(installed) - headers
    assert files(installed) > headers
    package = re.compile(
        r"lib\S*/(libtransfers\.(a|so[.\d]*)|cmake/transfers/transfers(Config|Targets)\S*\.cmake"
        r"|pkgconfig/transfers\.pc)"
    )
    assert [name for name in others if not package.fullmatch(name)] == []
    assert any(name.endswith("/transfersConfig.cmake") for name in others)
    assert any(name.endswith("/pkgconfig/transfers.pc") for name in others)


def test_a_plain_install_adds_the_programs(cmake: Cmake, installed: Path, tmp_path: Path):
    added = files(cmake.install(tmp_path)) - files(installed)
    # One for each MPI of this computer.
    plugin = re.compile(r"lib/bench_transfers/mpi/libbench_transfers_mpi_\w+\.so")
    plugins = {name for name in added if plugin.fullmatch(name)}
    assert added - plugins == {
        f"{folder}/{program}"
        for program in PROGRAMS
        for folder in ("bin", "share/bash-completion/completions")
    }
    assert version_of(tmp_path / "bin/bench_transfers").startswith("bench_transfers ")
    assert open_entries(tmp_path) == {}


def test_the_bundle_is_one_folder_with_what_the_programs_load(cmake: Cmake, tmp_path: Path):
    folder = cmake.install(tmp_path, "bundle")
    names = files(folder)
    apart = {name for name in names if "/" in name and not name.startswith("integrations/")}
    reading = {name for name in apart if name.startswith("plots/")}
    licences = {name for name in apart if name.startswith("licences/")}
    assert apart - reading - licences == {"mpi/plugin.c", "mpi/plugin.h"}
    parts = {name.split("/")[1] for name in licences}
    assert parts >= {"fmt", "nlohmann_json", "cli11", "pugixml", "simdjson", "benchmark", "zlib"}
    # It starts with what comes along.
    told = call(["python3", "-I", folder / "integrations/dcgm/limits.py", "none", "--id=2335"])
    assert (told.returncode, told.stderr) == (
        2,
        "limits.py: none: [Errno 2] No such file or directory: 'none'\n",
    )
    assert names > {*PROGRAMS, "README.md", "LICENSE", "integrations/node_check"}
    for page in names:
        if page.endswith(".md"):
            links = LINK.findall((folder / page).read_text("utf-8"))
            beside = (folder / page).parent
            assert [link for link in links if not (beside / link).exists()] == [], page
    assert any(name.startswith("libstdc++.so") for name in names)
    assert open_entries(folder) == {}
    for program in PROGRAMS:
        loaded = call(["ldd", folder / program], env={}, expected=0).stdout
        # A folder outside the bundle may be anybody's.
        assert set(entries_of(folder / program)) <= {"$ORIGIN"}
        bundled = {name for name in names if name.startswith("lib")}
        for name, place in re.findall(r"^\s*(\S+) => (\S+)", loaded, re.MULTILINE):
            assert name not in bundled or place == str(folder / name), loaded
        assert version_of(folder / program).startswith(program)
