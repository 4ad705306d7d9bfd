"""Renders figures to image files, from the same specifications that the page uses."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import resource_tracker
from typing import Any, TypeVar

import altair as alt
from altair.utils import schemapi

from plots.figures.common import HIDDEN, Figure
from plots.model import values
from plots.model.load import ResultError
from plots.page.draw import bundle, follow_parent, images

MOST_PROCESSES = 4
Value = TypeVar("Value")


def specification(figure: Figure) -> dict[str, Any]:
    """Returns the Vega-Lite specification, complete with its data.

    The data are added after altair has converted the chart, because altair would spend seconds on
    checking each row. It checks everything else if it is in its debug mode. Texts are made legible,
    because control characters would end vl-convert's process.
    """
    bare = figure.chart.copy(deep=False)
    bare.datasets = alt.Undefined
    spec = bare.to_dict(validate=schemapi.DEBUG_MODE)
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


@functools.cache
def scripts() -> str:
    """Returns Vega, Vega-Lite and vega-embed as one script."""
    return in_processes(1, bundle, [()])[0]


def all_images(specs: list[tuple[str, dict[str, Any], dict[str, Any]]]) -> dict[str, bytes]:
    """Renders figures, each with its name and its specifications of a page and of a paper.

    Returns the contents of the images by file name.
    """
    workers = min(MOST_PROCESSES, os.cpu_count() or 1, len(specs))
    results = in_processes(workers, images, specs) if specs else []
    return {name: data for files in results for name, data in files.items()}


def in_processes(
    workers: int, work: Callable[..., Value], arguments: Sequence[tuple[Any, ...]]
) -> list[Value]:
    """Calls a function of vl-convert for each of the arguments in processes of their own.

    vl-convert draws for one thread at a time. Where it lacks memory it ends its process, which must
    not be this one. Processes are spawned, because vl-convert has threads of its own, which forked
    processes would lack. Throws ResultError if a process ended.
    """
    try:
        # Not in this thread: an interruption must not leave a process half started.
        with ThreadPoolExecutor(1, initializer=_block_interruptions) as thread:
            results = thread.submit(_in_pool, workers, work, arguments)
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
    workers: int, work: Callable[..., Value], arguments: Sequence[tuple[Any, ...]]
) -> list[Value]:
    spawning = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawning, follow_parent) as pool:
        try:
            futures = [pool.submit(work, *each) for each in arguments]
            return [future.result() for future in futures]
        finally:
            pool.shutdown(cancel_futures=True)
