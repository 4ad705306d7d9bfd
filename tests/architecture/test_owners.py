"""What owns memory refuses temporaries where it gives a view: each owner with each accessor."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEADERS = sorted((ROOT / "include/transfers").rglob("*.hpp"))
TEST = (ROOT / "tests/unit/transfers/owners_test.cpp").read_text("utf-8")
# They refer to memory that others own, or are no class of callers.
NO_OWNERS = {"device_view", "strided_view", "prepared_argument"}
LENT = r"(?:device_view<[^>]*>|std::span<[^>]*>|(?:const )?(?:T|std::byte|pointer|auto)\*?)"
ACCESSOR = re.compile(
    rf"^  \[\[nodiscard\]\] {LENT} (view|elements|bytes|on_device|data|begin|end)\(\)(.*)"
)
CONVERSION = re.compile(r"^  operator device_view<[^>]*>\(\)(.*)")
CLASS = re.compile(r"^class (\w+)\b[^;]*\{")


def members() -> Iterator[tuple[str, str, str]]:
    """Yields class, accessor, and what follows its brackets."""
    for header in HEADERS:
        owner = ""
        for line in header.read_text("utf-8").splitlines():
            if found := CLASS.match(line):
                owner = found[1]
            elif line.startswith("};"):
                owner = ""
            elif owner and owner not in NO_OWNERS:
                if found := ACCESSOR.match(line):
                    yield owner, found[1], found[2]
                elif found := CONVERSION.match(line):
                    yield owner, "conversion", found[1]


MEMBERS = sorted(set(members()))


def test_the_owners_are_found() -> None:
    owners = {owner for owner, _, _ in MEMBERS}
    assert owners == {
        "device_buffer",
        "device_memory",
        "gpu_array",
        "host_array",
        "host_buffer",
        "host_memory",
        "managed_memory",
        "page_lock",
    }


@pytest.mark.parametrize(("owner", "accessor", "qualifiers"), MEMBERS)
def test_a_temporary_gives_no_view(owner: str, accessor: str, qualifiers: str) -> None:
    if accessor in {"data", "begin", "end", "conversion"}:
        assert "TRANSFERS_LIFETIMEBOUND" in qualifiers
    else:
        assert re.match(r" (?:const)?&", qualifiers), "it binds to temporaries"
        assert re.search(rf"LENDS\({owner}(?:<float>)?, {accessor}(?:_of)?\)", TEST)
