"""Options of all tests."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "nightly: takes long, and runs with scripts/test --nightly")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()) or item.path.parent.name == "packages":
            item.add_marker(pytest.mark.nightly)


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("bench_transfers")
    group.addoption(
        "--binary",
        type=Path,
        default=ROOT / "build" / "bench_transfers",
        metavar="PATH",
        help="the program that tests/e2e runs (default: build/bench_transfers)",
    )
    group.addoption(
        "--extended-binary",
        type=Path,
        default=None,
        metavar="PATH",
        help="the same with a strategy more (default: bench_transfers_extended beside it)",
    )
    group.addoption(
        "--variants",
        action="store_true",
        help="also build the library static and shared, with and without CUDA (tests/consumer)",
    )
    group.addoption(
        "--packages",
        type=Path,
        default=None,
        metavar="FOLDER",
        help="also install the Debian packages in it, in a bare Debian (tests/packages)",
    )
    group.addoption(
        "--bundle",
        type=Path,
        default=None,
        metavar="FOLDER",
        help="also try the bundle in it, as scripts/package bundle left it (tests/packages)",
    )
    group.addoption(
        "--wheel",
        type=Path,
        default=None,
        metavar="FOLDER",
        help="also install the wheel in it, as scripts/package wheel left it (tests/packages)",
    )
    group.addoption(
        "--report",
        type=Path,
        default=None,
        metavar="FOLDER",
        help="also install the wheel in it, as scripts/package report left it (tests/packages)",
    )
