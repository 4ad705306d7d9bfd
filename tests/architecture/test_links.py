"""Links between the pages of the repository lead to files and headings that exist."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

import pytest
from rooms import ROOT, files

CODE = re.compile(r"^( *)```.*?^\1```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(\s*<?([^\s)>]+)")
HEADING = re.compile(r"^#{1,6} +(.+?) *#*$", re.MULTILINE)


def anchors(text: str) -> set[str]:
    """As GitHub makes them from headings: a second one of a name ends in -1."""
    seen: Counter[str] = Counter()
    found = set()
    fences = re.sub(r"^( *)```.*?^\1```", "", text, flags=re.MULTILINE | re.DOTALL)
    for heading in HEADING.findall(fences):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        found.add(f"{slug}-{seen[slug]}" if seen[slug] else slug)
        seen[slug] += 1
    return found


def links(text: str) -> Iterator[str]:
    without_code = CODE.sub("", text)
    yield from (link for link in LINK.findall(without_code) if not re.match(r"[a-z]+:", link))


def complaint(page: Path, link: str) -> str | None:
    name, _, anchor = unquote(link).partition("#")
    target = page.parent / name if name else page
    if not target.exists():
        return "no such file"
    if not anchor or target.suffix != ".md" or anchor in anchors(target.read_text("utf-8")):
        return None
    return "no such heading"


def broken(page: Path) -> list[str]:
    found = [(link, complaint(page, link)) for link in links(page.read_text("utf-8"))]
    return [f"{link}: {why}" for link, why in found if why]


@pytest.mark.parametrize("page", [name for name in files() if name.endswith(".md")])
def test_links_lead_somewhere(page: str):
    assert broken(ROOT / page) == []


def test_broken_links_are_found(tmp_path: Path):
    page = tmp_path / "page.md"
    (tmp_path / "other.md").write_text(
        "# Who `is` slow?\n\n## Who is slow?\n\n```sh\n# no heading\n```\n"
    )
    text = """# A page
    [1](other.md#who-is-slow) [2](other.md#who-is-slow-1) [3](#a-page) [4](https://nowhere.invalid/)
    [5](missing.md) [6](#missing) [an ![image](missing.svg)](other.md#no-heading) `[7](code.md)`
    """
    page.write_text(text)
    assert broken(page) == [
        "missing.md: no such file",
        "#missing: no such heading",
        "missing.svg: no such file",
        "other.md#no-heading: no such heading",
    ]
