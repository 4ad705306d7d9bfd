"""Tests that the check of the library's reference sees a missing comment."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import rooms
from calls import call

COMPOUND = """\
<doxygen><compounddef kind="class" prot="public"><compoundname>transfers::thing</compoundname>
<briefdescription><para>A thing.</para></briefdescription>{members}</compounddef></doxygen>"""
MEMBER = """\
<memberdef kind="{kind}" prot="{access}"><type>{type}</type><name>{name}</name>
<argsstring>{arguments}</argsstring>{parameters}<briefdescription>{comment}</briefdescription>
<location file="transfers/thing.hpp" line="7"/></memberdef>"""


def member(
    name: str,
    arguments: str = "() const",
    *,
    result: str = "void",
    access: str = "public",
    comment: str = "",
    kind: str = "function",
) -> str:
    parameters = arguments[1:].partition(")")[0]
    return MEMBER.format(
        kind=kind,
        name=name,
        type=result.replace("&", "&amp;"),
        access=access,
        comment=f"<para>{comment}</para>" if comment else "",
        arguments=arguments.replace("&", "&amp;"),
        parameters="<param/>" * len(parameters.split(",")) if parameters else "",
    )


def missing(folder: Path, *members: str) -> list[str]:
    """The lines that the check prints of a class with these members."""
    (folder / "thing.xml").write_text(COMPOUND.format(members="".join(members)))
    completed = call([sys.executable, rooms.ROOT / "docs/reference/undocumented.py", folder])
    lines = completed.stdout.splitlines()
    assert (completed.returncode, completed.stderr) == (1 if lines else 0, "")
    return lines


def test_a_member_without_a_comment_is_named(tmp_path: Path):
    assert missing(tmp_path, member("go", "()"), member("come", comment="Comes.")) == [
        "transfers/thing.hpp:7: transfers::thing::go() has no comment"
    ]


@pytest.mark.parametrize(
    "members",
    [
        [member("go", access="private")],
        [member("go", "(int)", comment="Goes."), member("go", "(float)")],
        [member("x0", "", kind="variable", comment="Both."), member("y0", "", kind="variable")],
        [member("size")],
        [member("shape", result="const shape &")],
        [member("operator==", "(const thing &) const =default")],
        [member("thing", "(thing &&other) noexcept")],
    ],
)
def test_what_says_it_all_needs_none(tmp_path: Path, members: list[str]):
    assert missing(tmp_path, *members) == []


def test_no_xml_is_an_error(tmp_path: Path):
    command = [sys.executable, rooms.ROOT / "docs/reference/undocumented.py", tmp_path]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 1
