"""Orders strategies by how plain they are."""

from __future__ import annotations

from plots.model.load import Fields

# Of equally plain kinds of memory, the one that takes fewer calls.
FIRST_KINDS = ["pageable", "pinned"]


def plainness_key(fields: Fields) -> tuple[int, bool, int]:
    """Returns a sort key: of equally plain strategies, those without a method come first."""
    kind = fields.kind
    place = FIRST_KINDS.index(kind) if kind in FIRST_KINDS else len(FIRST_KINDS)
    return fields.plainness, fields.method is not None, place
