"""A bare Debian, where nothing but the packages is installed: pytest --packages FOLDER, as root."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from calls import call
from commands import MEASURING, PROGRAMS, inside, make_debian, version


@pytest.fixture(scope="module")
def packages(pytestconfig: pytest.Config) -> Path:
    folder = pytestconfig.getoption("packages")
    if not folder:
        pytest.skip("installs packages for minutes; only with --packages")
    return Path(folder)


@pytest.fixture(scope="module")
def bare(packages: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The root of a Debian with the programs and the report."""
    root = tmp_path_factory.mktemp("bare")
    parts = ("bench-transfers_", "bench-transfers-report_")
    files = [path for part in parts for path in packages.glob(f"{part}*.deb")]
    assert len(files) == len(parts)
    make_debian("bookworm", root, *(str(path.resolve()) for path in files))
    yield root
    shutil.rmtree(root)


def test_it_measures_and_draws(bare: Path):
    for program in sorted(PROGRAMS):
        assert inside(bare, program, "--version").startswith(f"{program} {version()} ")
    printed = inside(bare, "bench_transfers", *MEASURING, "--out=run.json")
    assert printed.startswith("Device: host, no GPU: ")
    assert inside(bare, "report_transfers", "run.json") == "report/report.html\n"
    assert (bare / "tmp/report/figures").is_dir()


def test_the_licences_of_its_parts_come_along(bare: Path):
    licences = {path.name for path in (bare / "usr/share/doc/bench-transfers/licences").iterdir()}
    headers = {"nlohmann_json", "cli11", "boost_math"}
    assert licences == headers | {"cuda_runtime", "cuda_cccl"}


def test_lintian_finds_only_what_is_known(packages: Path):
    if not shutil.which("lintian"):
        pytest.skip("lintian is not installed")
    known = [
        "initial-upload-closes-no-bugs",  # it is not uploaded to Debian
        "no-manual-page",  # of report_transfers
        "script-not-executable",  # sbatch reads it
    ]
    completed = call(
        [
            *("lintian", "--allow-root", "--tag-display-limit=0"),
            *("--suppress-tags", ",".join(known)),
            *packages.glob("*.deb"),
        ]
    )
    assert (completed.returncode, completed.stdout) == (0, "")
