"""Draws rates by NUMA node and device: from whose memory a device copies best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plots.figures import style
from plots.figures.cells import MOST_CELLS, Cells
from plots.figures.common import DIRECTION_TITLES, Figure, make_figure
from plots.figures.layout import Layout
from plots.figures.registered import Of, figure
from plots.model.benchmark import Benchmark
from plots.model.derive import TRANSFER, Run
from plots.model.host_map import HostMap
from plots.model.no_data import NoData
from plots.text import caption, map_caption, numbers
from plots.text.caption import device_ids

# GB/s by direction, node and device.
Rates = dict[str, dict[tuple[int, str], float]]


@dataclass(frozen=True)
class Subject:
    """Holds the texts that depend on where the rates come from."""

    title: str
    origin: str
    what: str


@figure("nodes", Of.MAP, 3)
def draw_nodes_of_map(host_map: HostMap, layout: Layout) -> Figure:
    """Draws what each device of a map gets from memory on each node."""
    rates: Rates = {direction: {} for direction in DIRECTION_TITLES}
    for node in host_map.nodes:
        for device, measured in zip(host_map.devices, node.rates, strict=True):
            for direction in rates if measured else ():
                assert measured is not None
                rates[direction][node.node, device.name] = measured[direction].value / 1e9
    subject = Subject(
        map_caption.title("Memory of each NUMA node", host_map),
        map_caption.origin(host_map),
        "each device alone",
    )
    return _draw(rates, subject, layout)


@figure("nodes", Of.DEVICES, 2)
def draw_nodes(run: Run, layout: Layout) -> Figure:
    """Draws the copies of a run from and to memory on chosen nodes, at their largest size."""
    on_nodes = [
        benchmark
        for benchmark in run.with_role(TRANSFER)
        if benchmark.node is not None
        and benchmark.gb_per_s
        and benchmark.warm
        and benchmark.direction in DIRECTION_TITLES
        and len(benchmark.devices) == 1
    ]
    if not on_nodes:
        raise NoData("no copies of memory on a chosen NUMA node were measured")
    memory, size = _most_common(on_nodes)
    ids = device_ids(run)
    rates: Rates = {direction: {} for direction in DIRECTION_TITLES}
    for benchmark in on_nodes:
        if (benchmark.memory, benchmark.size_bytes) == (memory, size):
            place = (benchmark.node or 0, ids[benchmark.devices[0]])
            rates[benchmark.direction].setdefault(place, benchmark.gb_per_s or 0.0)
    subject = Subject(
        f"Memory of each NUMA node — {caption.all_devices(run)}",
        caption.describe_origin(run),
        f"{memory} memory, {numbers.size(size or 0)}, each device alone",
    )
    return _draw(rates, subject, layout)


def _most_common(benchmarks: list[Benchmark]) -> tuple[str | None, int | None]:
    """Returns the kind of memory and the size of most benchmarks; of several sizes the largest."""
    kinds = [(benchmark.memory, benchmark.size_bytes) for benchmark in benchmarks]
    return max(dict.fromkeys(kinds), key=lambda kind: (kinds.count(kind), kind[1] or 0))


def _draw(rates: Rates, subject: Subject, layout: Layout) -> Figure:
    nodes = sorted({node for cells in rates.values() for node, _ in cells})
    devices = list(dict.fromkeys(device for cells in rates.values() for _, device in cells))
    if len(nodes) < 2:
        raise NoData("memory of fewer than two NUMA nodes was measured")
    if max(len(nodes), len(devices)) > MOST_CELLS:
        raise NoData(f"a matrix of more than {MOST_CELLS} nodes or devices cannot be read")
    rows = [row for direction, cells in rates.items() for row in _rows(direction, cells)]
    matrix = Cells(
        data="nodes",
        rows=[_node_name(node) for node in nodes],
        columns=devices,
        row_title="host memory",
        column_title="device",
        layout=layout,
        tips={"memory": "row", "device": "column", "gets": "rate", "of_the_best": "percent"},
    )
    shown = [direction for direction, cells in rates.items() if cells]
    panels = [matrix.panel(name, f"{DIRECTION_TITLES[name]}, GB/s") for name in shown]
    worst = min(rows, key=lambda row: row["part"])
    return make_figure(
        subject.title,
        layout,
        [
            subject.origin,
            f"{subject.what}; the darker, the further below the device's best node",
        ],
        matrix.arrange(panels),
        heading="Memory of each NUMA node",
        reading="A device copies fastest from and to memory of the node next to it. Pale cells "
        "of a column are as good as its best one.",
        summary=f"The largest difference: {worst['column']} gets {worst['rate']} with memory of "
        f"{worst['row']} ({worst['panel']}), {worst['percent']} of what its best node gives.",
        data={"nodes": rows},
    )


def _node_name(node: int) -> str:
    return f"node {node}"


def _rows(direction: str, cells: dict[tuple[int, str], float]) -> list[dict[str, Any]]:
    best: dict[str, float] = {}
    for (_, device), rate in cells.items():
        best[device] = max(rate, best.get(device, rate))
    return [
        {
            "panel": direction,
            "strategy": direction,
            "row": _node_name(node),
            "column": device,
            "part": rate / best[device] if best[device] else 1.0,
            "text": numbers.gb(rate) if rate < 99.95 else f"{rate:.0f}",
            "rate": numbers.rate(rate),
            "percent": numbers.percent(rate / best[device] if best[device] else 1.0),
            "colour": style.kept_colour(rate / best[device] if best[device] else 1.0),
        }
        for (node, device), rate in cells.items()
    ]
