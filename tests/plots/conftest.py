"""Makes the package importable from wherever pytest is started."""

import signal
import sys
from pathlib import Path

import pytest

# Jobs in the background ignore it, which programs would inherit.
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))


@pytest.fixture
def undrawn(monkeypatch):
    """Replaces what takes seconds, images and libraries, in tests that do not look at them."""
    monkeypatch.setattr(
        "plots.page.render.all_images", lambda named: {f"{name}.png": b"image" for name, _ in named}
    )
    monkeypatch.setattr("plots.page.render.scripts", lambda: "/* libraries */")
