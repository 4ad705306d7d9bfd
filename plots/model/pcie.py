"""Knows what PCI Express links can carry, as src/machine/pcie.cpp does; a test compares both."""

from __future__ import annotations

from plots.model.host_map import PciLink

# GB/s of a lane for packets, after line coding; from generation 6 on FLITs take their part.
LANE = {
    1: 0.25,
    2: 0.5,
    3: 1.0 * 128 / 130,
    4: 2.0 * 128 / 130,
    5: 4.0 * 128 / 130,
    6: 8.0 * 236 / 256,
}
PAYLOAD = 256
HEADERS = (16, 12)  # bytes of each packet, at most and at least
BESIDE_HEADER = 8  # checksum and framing, which FLITs do not need


def packet_limit(link: PciLink) -> tuple[float, float] | None:
    """Returns what packet headers leave of a link in one direction, in GB/s, from low to high."""
    lane = LANE.get(link.generation)
    if lane is None or not 1 <= link.width <= 32:
        return None
    beside = BESIDE_HEADER if link.generation < 6 else 0
    low, high = (lane * link.width * PAYLOAD / (PAYLOAD + size + beside) for size in HEADERS)
    return low, high
