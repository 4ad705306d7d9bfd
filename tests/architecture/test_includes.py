"""Tests that includes point down, as docs/ARCHITECTURE.md says."""

from __future__ import annotations

from graphlib import TopologicalSorter
from pathlib import Path

import rooms


def test_every_folder_with_sources_is_a_room():
    assert {rooms.room_of(path) for path in rooms.sources()} == set(rooms.allowed())


def test_no_include_leaves_the_allowed_rooms():
    allowed = rooms.allowed()
    forbidden = [
        location for room, target, location in rooms.arrows() if target not in allowed.get(room, ())
    ]
    assert forbidden == []


def test_every_allowed_arrow_exists():
    existing = {(room, target) for room, target, _ in rooms.arrows()}
    allowed = {(room, target) for room, targets in rooms.allowed().items() for target in targets}
    assert allowed - existing == set()


def test_arrows_form_no_cycle():
    list(TopologicalSorter(rooms.allowed()).static_order())


def test_a_header_and_its_source_have_the_same_path():
    headers = {Path(path).stem: path for path in rooms.sources() if path.startswith("include/")}
    for source in rooms.sources():
        header = headers.get(Path(source).stem)
        implements_a_device = rooms.room_of(source) in ("transfers/cuda", "transfers/host")
        if source.startswith("src/transfers/") and header and not implements_a_device:
            assert rooms.room_of(source) == rooms.room_of(header)
