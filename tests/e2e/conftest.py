"""The programs under test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import resumed
import xmlschema
from advice_files import gpu_file, write
from fleet_ranks import Ranks
from gate_checks import SCHEMA, Gate
from gate_files import Lab, changed
from gate_project import Project, make_project, measure
from program import Program, Result


def _existing(path: Path) -> Program:
    if not path.is_file():
        pytest.fail(
            f"{path} does not exist: build it, or name another one (--binary)", pytrace=False
        )
    return Program(path.resolve())


@pytest.fixture(scope="session")
def program(pytestconfig: pytest.Config) -> Program:
    return _existing(pytestconfig.getoption("binary"))


def _beside_binary(name: str) -> Any:
    """A fixture: another program that was built with it."""

    @pytest.fixture(scope="session")
    def beside(pytestconfig: pytest.Config) -> Program:
        return _existing(pytestconfig.getoption("binary").with_name(name))

    return beside


#: The unit tests, with the additional strategy of `extended`.
extended_tests = _beside_binary("bench_tests_extended")
#: With strategies that take known times on a clock of their own.
paced = _beside_binary("bench_transfers_paced")
#: With a family that has a role and a metric of its own (tests/data).
own_family = _beside_binary("bench_transfers_own_family")
gate = _beside_binary("gate_transfers")
fleet = _beside_binary("fleet_transfers")


@pytest.fixture(scope="session")
def extended(pytestconfig: pytest.Config) -> Program:
    chosen = pytestconfig.getoption("extended_binary")
    beside = pytestconfig.getoption("binary").with_name("bench_transfers_extended")
    return _existing(chosen or beside)


@pytest.fixture(scope="session")
def sample(program: Program) -> Result:
    """The result file of an undisturbed run, with everything that a file can contain."""
    return program.measure_and_read(
        "--strategies=copy/pageable,copy/pinned_wc,copy_async/pageable,null",
        "--sizes=4KiB,64KiB,1MiB",
        "--cache=both",
        "--seed=42",
    )


@pytest.fixture(scope="session")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("advice") / "made_up.json", gpu_file())


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path, seed=10)


@pytest.fixture
def runs(lab: Lab) -> list[Path]:
    return lab.runs(3, day=9)


@pytest.fixture(scope="session")
def pinned(gate: Program, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    """A baseline and its runs."""
    folder = tmp_path_factory.mktemp("pinned")
    runs = Lab(folder, seed=11).sessions(3, 4)
    gate.run("pin", *runs, f"--out={folder / 'baseline'}", expected=0)
    return folder / "baseline", runs


@pytest.fixture
def baseline(pinned: tuple[Path, list[Path]]) -> Path:
    return pinned[0]


@pytest.fixture
def ranks(program: Program, tmp_path: Path) -> Iterator[Ranks]:
    """Processes that are ended with the test, whatever happens."""
    started = Ranks(program, tmp_path / "sweep")
    yield started
    for process in started.started:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def cut_once(paced: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("cut") / "result.json"
    resumed.cut(paced, file)
    return file


@pytest.fixture
def cut_file(cut_once: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(cut_once, tmp_path))


@pytest.fixture(scope="session")
def baseline_of_a_suite(gate: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sessions of the whole suite of gate_files, which the checks compare with."""
    folder = tmp_path_factory.mktemp("baseline")
    out = folder / "baseline.json"
    completed = gate.run("pin", *Lab(folder).sessions(4, 3), f"--out={out}")
    assert (completed.code, completed.err) == (0, ""), completed
    assert "Warning" not in completed.out
    return out


@pytest.fixture(scope="session")
def schema() -> xmlschema.XMLSchema:
    return xmlschema.XMLSchema(SCHEMA)


@pytest.fixture
def checks(
    gate: Program, tmp_path: Path, baseline_of_a_suite: Path, schema: xmlschema.XMLSchema
) -> Gate:
    return Gate(gate, tmp_path, baseline_of_a_suite, schema)


@pytest.fixture(scope="session")
def host_baseline(paced: Program, gate: Program, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("host")
    runs = []
    for number in range(9):
        measured = measure(paced, folder / f"measured-{number}.json", number)

        def date(document: dict[str, Any], number: int = number) -> None:
            minute = f"2026-01-0{1 + number // 3}T00:0{number % 3}"
            run = document["context"]["transfers"]["run"]
            run.update(started_utc=f"{minute}:00Z", finished_utc=f"{minute}:01Z")

        runs.append(changed(measured, folder / f"run-{number}.json", date))
    baseline = folder / "baseline.json"
    completed = gate.run("pin", *runs, f"--out={baseline}", expected=0)
    assert "9 runs of 3 sessions (host device (no GPU))" in completed.out.replace("\n  ", " ")
    return baseline


@pytest.fixture
def project(gate: Program, tmp_path: Path) -> Project:
    return make_project(gate, tmp_path)
