"""Makes the package importable from wherever pytest is started."""

import shutil
import signal
import sys
from pathlib import Path

import pytest
from altair.utils.schemapi import debug_mode
from browsing import HANGS_MS

# Jobs in the background ignore it, which programs would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS.parent), str(TESTS / "approval")]


# They look at what whole reports say and how charts look. Others check every chart's schema.
UNCHECKED = {
    "test_browser",
    "test_command",
    "test_custom_family",
    "test_interrupted",
    "test_layout",
    "test_pointing",
    "test_report",
    "test_report_folder",
    "test_rewording",
}


@pytest.fixture(autouse=True, scope="module")
def schemas(request):
    """Switches off altair's checks of each part of a chart, a third of the time, as reports do."""
    with debug_mode(request.module.__name__ not in UNCHECKED):
        yield


def _beside_binary(name):
    """A fixture: a program that was built with the one that is given."""

    @pytest.fixture(scope="session")
    def beside(pytestconfig):
        program = pytestconfig.getoption("binary").resolve().with_name(name)
        assert program.is_file(), f"{name} is not built"
        return program

    return beside


program = _beside_binary("bench_transfers")
gate_program = _beside_binary("gate_transfers")


@pytest.fixture(scope="module")
def browser():
    """Starts a browser."""
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no chromium (scripts/test --nightly installs it)")
    with pytest.importorskip("playwright.sync_api").sync_playwright() as playwright:
        started = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox"], timeout=HANGS_MS
        )
        yield started
        started.close()


@pytest.fixture
def undrawn(monkeypatch):
    """Replaces what takes seconds in tests that do not look at it: images, libraries, schemas."""
    monkeypatch.setattr(
        "plots.page.render.all_images",
        lambda named, *_: {f"{name}.png": b"image" for name, *_ in named},
    )
    monkeypatch.setattr(
        "plots.page.render.pictures", lambda specs: ["<svg><path/></svg>" for _ in specs]
    )
    monkeypatch.setattr("plots.page.render.scripts", lambda: "/* libraries */")
    with debug_mode(False):
        yield


@pytest.fixture
def quick_images(monkeypatch, undrawn):
    """Replaces the slow drawing in tests of the writing of its output."""
    from plots.figures import FIGURES

    monkeypatch.setattr("plots.page.run.FIGURES", {"latency": FIGURES["latency"]})
