"""Collects the nodes of a fleet, and the letters of the worst that is known of each."""

from __future__ import annotations

from dataclasses import dataclass, field

from plots.model import values
from plots.model.fleet import MISSING, Finding, Gpu, Judgement

LOST, UNKNOWN = "×", "?"
# Letters of the worst that is known of a cell, and what they mean.
KEY = {
    LOST: "ranks left no results",
    "R": "its rack is named",
    "S": "a slot of it is named",
    "F": "the fleet is named",
    "N": "the node is named",
    "G": "a GPU of it is named",
    UNKNOWN: "could not be tested, or not clearly",
}
# By scope of a finding; a later letter replaces an earlier one.
LETTERS = {"fleet": "F", "slot": "S", "gpu": "G", "node": "N", "rack": "R"}


@dataclass
class Node:
    """Holds a node: its GPUs and what is said of it."""

    name: str
    rack: str
    gpus: list[Gpu] = field(default_factory=list)
    letters: dict[str, str] = field(default_factory=dict)  # by class; "" is for all of them


def nodes_of(judgement: Judgement) -> list[Node]:
    """Lists the nodes with GPUs or findings by rack and name, those without a rack last."""
    nodes: dict[str, Node] = {}
    for gpu in judgement.sorted_gpus():
        nodes.setdefault(gpu.node, Node(gpu.node, gpu.rack)).gpus.append(gpu)
    for name in {entry.node for entry in judgement.findings if entry.node} - nodes.keys():
        nodes[name] = Node(name, "")
    _add_letters(judgement, nodes)
    key = values.natural
    return sorted(nodes.values(), key=lambda node: (not node.rack, key(node.rack), key(node.name)))


def _add_letters(judgement: Judgement, nodes: dict[str, Node]) -> None:
    """Gives each node the letter of the worst that is known of it."""
    racks: dict[str, list[Node]] = {}
    for node in nodes.values():
        racks.setdefault(node.rack, []).append(node)
    of_gpu = {gpu.uuid: nodes[gpu.node] for gpu in judgement.gpus}
    for uuid in judgement.unknown:
        if uuid in of_gpu:
            of_gpu[uuid].letters[""] = UNKNOWN
    for scope, letter in LETTERS.items():
        for entry in judgement.findings:
            if entry.scope != scope or entry.code == MISSING:
                continue
            for node in _nodes_in(entry, nodes, racks):
                node.letters[entry.class_name] = letter
    for entry in judgement.findings:
        if entry.code == MISSING:
            for node in _known(nodes, entry.node):
                node.letters = {"": LOST}


def _nodes_in(entry: Finding, nodes: dict[str, Node], racks: dict[str, list[Node]]) -> list[Node]:
    if entry.scope == "rack":
        return racks.get(entry.rack, [])
    if entry.scope in ("slot", "fleet"):
        return [node for node in nodes.values() if any(map(entry.has, node.gpus))]
    return _known(nodes, entry.node)


def _known(nodes: dict[str, Node], name: str) -> list[Node]:
    return [nodes[name]] if name in nodes else []
