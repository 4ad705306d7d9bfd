"""What owns memory refuses temporaries where it gives a view: each owner with each accessor. What
takes device memory refuses that of another device: each function template that takes it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from rooms import ROOT

HEADERS = sorted((ROOT / "include/transfers").rglob("*.hpp"))
MEETINGS = (ROOT / "tests/unit/transfers/same_device_test.cpp").read_text("utf-8")
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


# Callers of the first check; the others refuse device memory.
NOT_CHECKED = {"extent_of", "in", "out", "in_out"}
# They copy in the context of their own memory.
OF_A_BUFFER = {"copy_from", "copy_to", "copy_from_async", "copy_to_async"}
CHECKS = re.compile(
    r"check_owner\(|check_accessible\(|owner_of\(|finished_copy<|enqueued_copy<"
    # They pass it on to one of the others.
    r"|copy\(std::forward<D>\(dst\), input_file|copy_async\(std::forward|context_\.copy"
)
TEMPLATE = re.compile(r"^( *)template <")
NAME = re.compile(r"\b(\w+)\(")
# Parameters of these kinds take device memory, as a constraint or as an end of a copy.
TAKES_DEVICE_MEMORY = re.compile(r"template <[^\n]*\bdevice_elements D|class Dst|class Src")


def takers() -> Iterator[tuple[str, str, str]]:
    """Yields header, name and text of function templates that take device memory."""
    for header in HEADERS:
        lines = header.read_text("utf-8").splitlines()
        for first, line in enumerate(lines):
            found = TEMPLATE.match(line)
            if not found or not TAKES_DEVICE_MEMORY.search(line):
                continue
            end = found[1] + "}"
            last = next(n for n in range(first + 1, len(lines)) if lines[n].startswith(end))
            text = "\n".join(lines[first : last + 1])
            declared = next(
                part
                for part in lines[first + 1 :]
                if not re.match(r" *(?:requires|static_assert|&&|std::same_as)|.*detail::is_", part)
            )
            if not re.match(r" *(?:struct|class|concept|inline)\b", declared):
                name = NAME.search(declared)
                assert name, declared
                yield header.name, name[1], text


TAKERS = sorted(set(takers()))


def test_what_takes_device_memory_is_found() -> None:
    assert {name for _, name, _ in TAKERS} >= {
        "argument",
        "calculate",
        "clear",
        "copy",
        "copy_async",
        "copy_by_kernel",
        "copy_file",
        "copy_or_enqueue",
        "copy_politely",
        "copy_promptly",
        "enqueue",
    }


@pytest.mark.parametrize(("header", "name", "text"), TAKERS)
def test_memory_of_another_device_is_refused(header: str, name: str, text: str) -> None:
    if name in NOT_CHECKED:
        return
    assert CHECKS.search(text), f"{header}: {name}() takes device memory of any device"
    assert name in OF_A_BUFFER or re.search(rf"\b{name}\b", MEETINGS)
