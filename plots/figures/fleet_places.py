"""Places the GPUs of a sweep side by side: in a panel for each class of which they are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from plots.figures import fleet_scale
from plots.model.fleet import Finding, Gpu, Judgement, Slow
from plots.model.no_data import NoData


@dataclass(frozen=True)
class Place:
    """Holds a GPU, its place in the strip, in what of a class it is slowest, and what names it."""

    gpu: Gpu
    at: int
    slow: Slow
    finding: Finding | None

    @property
    def slower(self) -> float:
        """Returns its slowdown in percent."""
        return self.slow.slower


@dataclass(frozen=True)
class Panel:
    """Holds the GPUs of which a class is known, and the ends of its axis."""

    name: str  # of the class
    places: list[Place]
    ends: fleet_scale.Ends


def panels_of(judgement: Judgement, gpus: Sequence[Gpu]) -> list[Panel]:
    panels = []
    for name in judgement.classes():
        named = judgement.named_gpus(name)
        worst = judgement.slowdowns(name, named)
        known = [(at, gpu, worst[gpu.uuid]) for at, gpu in enumerate(gpus) if gpu.uuid in worst]
        if known:
            places = [Place(gpu, at, slow, named.get(gpu.uuid)) for at, gpu, slow in known]
            small = fleet_scale.small(judgement, name)
            ends = fleet_scale.domain([place.slower for place in places], small)
            panels.append(Panel(name, places, ends))
    if not panels:
        raise NoData("no GPU could be compared with its peers")
    return panels
