"""Finds the runs that are of one machine, so that they can be put in the order of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from plots.model.derive import Run
from plots.model.values import mapping, text


@dataclass(frozen=True)
class Dated:
    """Holds a run with the time at which it was started, and the UUID of its GPU if known."""

    run: Run
    started: datetime
    uuid: str


def longest_history(runs: Sequence[Run]) -> list[Dated]:
    """Returns the runs of the machine that has most of them, in the order of time.

    Runs are of one machine if their GPUs have the same UUID, or the same name in hosts of the same
    name. Runs that do not say when they were started are left out.
    """
    histories: list[list[Dated]] = []
    for run in runs:
        started = _started(run)
        if started is None:
            continue
        dated = Dated(run, started, text(mapping(run.result.transfers, "device"), "uuid", ""))
        own = [one for one in histories if any(_is_same(dated, other) for other in one)]
        histories = [one for one in histories if one not in own]
        histories.append([dated, *(other for one in own for other in one)])
    longest = max(histories, key=len, default=[])
    return sorted(longest, key=lambda dated: dated.started)


def _is_same(first: Dated, second: Dated) -> bool:
    if first.uuid and first.uuid == second.uuid:
        return True
    names = _names(first.run)
    return all(names) and names == _names(second.run)


def _names(run: Run) -> tuple[str, str]:
    """Returns the names of GPU and host."""
    device = mapping(run.result.transfers, "device")
    return text(device, "name", ""), text(run.result.context, "host_name", "")


def _started(run: Run) -> datetime | None:
    """Returns the time at which the run was started; UTC where the file has no zone."""
    try:
        started = datetime.fromisoformat(str(run.result.began))
    except ValueError:
        return None
    return started if started.tzinfo else started.replace(tzinfo=UTC)
