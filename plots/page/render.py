"""Renders figures to image files, from the same specifications that the page uses."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import tempfile
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from hashlib import sha256
from importlib import metadata
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any, TypeVar

from altair.utils import schemapi

from plots.figures.common import Figure
from plots.figures.draw import HIDDEN
from plots.model import values
from plots.model.files import ResultError
from plots.model.trusted import why_untrusted
from plots.page import draw
from plots.page.draw import begin, bundle, draws_all_letters, images
from plots.page.progress import NO_PROGRESS, Progress

SCRIPT = Path(__file__).with_name("script")
START = "page.js"  # calls what the other files define, so it stands last
MOST_PROCESSES = 4
FIGURES_PER_PROCESS = 12  # a process takes as long to start as to draw some figures
Value = TypeVar("Value")


def specification(figure: Figure) -> dict[str, Any]:
    """Returns the Vega-Lite specification, complete with its data.

    The data are added after altair has converted the chart, because altair would spend seconds on
    checking each row. It checks everything else if it is in its debug mode. Texts are made legible,
    because control characters would end vl-convert's process.
    """
    spec = figure.chart.specification(validate=schemapi.DEBUG_MODE)
    parameters = [{"name": HIDDEN, "value": []}, *spec.get("params", [])]
    complete: dict[str, Any] = values.legible(
        {
            **spec,
            "description": figure.description,
            "params": parameters,
            "datasets": figure.chart.datasets,
        }
    )
    return complete


def page_script() -> str:
    """Returns the page's own script, which is written in one file for each of its parts."""
    files = sorted(SCRIPT.glob("*.js"), key=lambda file: (file.name == START, file.name))
    return "\n".join(file.read_text("utf-8") for file in files)


@functools.cache
def scripts() -> str:
    """Returns Vega, Vega-Lite and vega-embed as one script.

    To bundle them takes seconds, so the script is kept for later reports. Where it cannot be kept,
    or could be another user's, it is bundled each time.
    """
    with suppress(OSError, RuntimeError, UnicodeDecodeError):  # RuntimeError: there is no home
        return _read_kept(_kept_scripts())
    made = in_processes(1, bundle, [()])[0]
    with suppress(OSError, RuntimeError):
        _keep(_kept_scripts(), made.encode())
    return made


def _kept_scripts() -> Path:
    """Returns where this version's script is kept."""
    # A relative folder is none: the XDG specification says so.
    folder = Path(os.environ.get("XDG_CACHE_HOME") or "")
    if not folder.is_absolute():
        folder = Path.home() / ".cache"
    if not folder.is_absolute():
        raise RuntimeError("the home is a relative folder")
    return folder / "bench_transfers" / f"vega-{metadata.version('vl-convert-python')}.js"


def _read_kept(kept: Path) -> str:
    """Returns what was kept. Raises OSError unless it is whole, and nobody else's."""
    for path in (kept, _hash_beside(kept)):
        if why := why_untrusted(path):
            raise OSError(why)
    data = kept.read_bytes()
    if _hash_beside(kept).read_text("ascii") != sha256(data).hexdigest():
        raise OSError(f"{kept} is not what was kept")
    return data.decode()


def _keep(kept: Path, data: bytes) -> None:
    """Keeps it where nobody else can change it. Raises OSError if there is no such place."""
    folder = kept.parent
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.lstat().st_uid == os.geteuid() and not folder.is_symlink():
        folder.chmod(0o700)
    if why := why_untrusted(folder):
        raise OSError(why)
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        # The hash comes last: what was cut off has none, or that of another.
        for path, content in (
            (kept, data),
            (_hash_beside(kept), sha256(data).hexdigest().encode()),
        ):
            complete = Path(scratch) / path.name
            complete.write_bytes(content)
            complete.chmod(0o600)
            complete.replace(path)


def _hash_beside(kept: Path) -> Path:
    return kept.with_name(f"{kept.name}.sha256")


def pictures(specs: list[dict[str, Any]]) -> list[str]:
    """Renders specifications as SVG."""
    return in_processes(1, draw.picture, [(spec,) for spec in specs])


def all_images(figures: Sequence[tuple[Any, ...]], say: Progress = NO_PROGRESS) -> dict[str, bytes]:
    """Renders figures, each from the arguments of draw.images.

    Returns the contents of the images by file name.
    """
    useful = -(-len(figures) // FIGURES_PER_PROCESS)
    workers = min(MOST_PROCESSES, os.cpu_count() or 1, useful)
    results = in_processes(workers, images, figures, say) if figures else []
    return {name: data for files in results for name, data in files.items()}


def in_processes(
    workers: int,
    work: Callable[..., Value],
    arguments: Sequence[tuple[Any, ...]],
    say: Progress = NO_PROGRESS,
) -> list[Value]:
    """Calls a function of vl-convert for each of the arguments in processes of their own.

    vl-convert draws for one thread at a time. Where it lacks memory it ends its process, which must
    not be this one. Processes are spawned, because vl-convert has threads of its own, which forked
    processes would lack. Throws ResultError if a process ended.
    """
    try:
        # Not in this thread: an interruption must not leave a process half started.
        with ThreadPoolExecutor(1, initializer=_block_interruptions) as thread:
            results = thread.submit(_in_pool, workers, work, arguments, say)
            try:
                return results.result()
            except KeyboardInterrupt:
                for process in multiprocessing.active_children():
                    process.kill()
                raise
    except BrokenProcessPool as error:
        raise ResultError(
            "nothing was written; a process that draws has ended early: memory is short "
            "(ulimit -v, a limit of the container?), or somebody has ended it"
        ) from error


def _block_interruptions() -> None:
    """Blocks SIGINT in this thread and the processes that it starts.

    Those have no handler yet while they import modules.
    """
    resource_tracker.ensure_running()  # when it starts, it unblocks the signal
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])


def _in_pool(
    workers: int, work: Callable[..., Value], arguments: Sequence[tuple[Any, ...]], say: Progress
) -> list[Value]:
    spawning = multiprocessing.get_context("spawn")
    own_font = draws_all_letters(arguments)
    with ProcessPoolExecutor(workers, spawning, begin, (own_font,)) as pool:
        try:
            futures = [pool.submit(work, *each) for each in arguments]
            for done in range(len(futures)):
                say(f"drawing figure {done + 1} of {len(futures)}")
                futures[done].result()
            return [future.result() for future in futures]
        finally:
            pool.shutdown(cancel_futures=True)
