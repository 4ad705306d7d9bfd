"""Lists public classes and members without a comment, from Doxygen's XML.

    python3 docs/reference/undocumented.py build/reference/xml

A member needs none if an overload of the same name has one, if a variable of the same declaration
has one (`T a, b;`), if its name is one of the standard containers' or that of its type
(`shape shape()`), or if it is a constructor, operator or destructor that the compiler knows anyway.
Prints one line each, as compilers do. Exit code: 1 if there is one.
"""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path

PUBLIC = {"public", "package"}
NEEDS_DOCUMENTATION = {"function", "variable", "typedef", "enum", "define"}
SAYS_IT_ALL = {
    *("begin", "bytes", "data", "empty", "end", "operator[]", "rank", "size"),
    *("element_type", "iterator", "value_type", "x", "y", "z"),
}


def has_comment(element: ET.Element) -> bool:
    texts = (element.find(kind) for kind in ("briefdescription", "detaileddescription"))
    return any("".join(text.itertext()).strip() for text in texts if text is not None)


def text_of(element: ET.Element, kind: str) -> str:
    return element.findtext(kind) or ""


def is_known_anyway(member: ET.Element, class_name: str) -> bool:
    name, arguments = text_of(member, "name"), text_of(member, "argsstring")
    if name in SAYS_IT_ALL or name.startswith("~"):
        return True
    if arguments.endswith(("=default", "=delete", "= default", "= delete")):
        return True
    type_element = member.find("type")
    type_name = "" if type_element is None else "".join(type_element.itertext())
    if re.fullmatch(rf"(const )?([\w ]*::)?{re.escape(name)}( ?[&*])?", type_name):
        return True
    of_itself = name in (class_name.rpartition("::")[2], "operator=")
    return of_itself and len(member.findall("param")) == 1 and "&&" in arguments


def place(element: ET.Element) -> str:
    location = element.find("location")
    assert location is not None
    return f"{location.get('file')}:{location.get('line')}"


def is_documented_variable(member: ET.Element) -> bool:
    return member.get("kind") == "variable" and has_comment(member)


def undocumented(compound: ET.Element) -> Iterator[str]:
    name = text_of(compound, "compoundname")
    if compound.get("prot", "public") not in PUBLIC:
        return
    if compound.get("kind") in ("class", "struct", "union") and not has_comment(compound):
        yield f"{place(compound)}: {name}"
    members = [
        member
        for member in compound.iter("memberdef")
        if member.get("prot") in PUBLIC and member.get("kind") in NEEDS_DOCUMENTATION
    ]
    documented = {text_of(member, "name") for member in members if has_comment(member)}
    declarations = {place(member) for member in members if is_documented_variable(member)}
    for member in members:
        member_name = text_of(member, "name")
        if member_name in documented or place(member) in declarations:
            continue
        if not is_known_anyway(member, name):
            yield f"{place(member)}: {name}::{member_name}{text_of(member, 'argsstring')}"


def main(folder: Path) -> int:
    lines: set[str] = set()
    paths = list(folder.glob("*.xml"))
    if not paths:
        sys.exit(f"{folder} has no XML")
    for path in paths:
        for compound in ET.parse(path).getroot().iter("compounddef"):
            if compound.get("kind") in ("class", "struct", "union", "namespace", "file"):
                lines.update(undocumented(compound))
    for line in sorted(lines):
        print(f"{line} has no comment")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
