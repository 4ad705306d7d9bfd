"""Copies the pages of the site, and what they link to, to a folder, where they lie as in the
repository. Of a folder that is linked to, a page lists the files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Links(HTMLParser):
    """The targets of a page's links and images."""

    def __init__(self) -> None:
        super().__init__()
        self.targets: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.targets += [value for name, value in attrs if name in ("href", "src") and value]


def tracked() -> list[str]:
    """Lists the files of the repository, and new files that it does not ignore."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def targets_of(page: str, text: str) -> dict[str, str]:
    """Returns what a page links to in the repository, as the page has it and from its root."""
    links = Links()
    links.feed(MarkdownIt("gfm-like", {"linkify": False}).render(text))
    found: dict[str, str] = {}
    for target in links.targets:
        url = urlsplit(target)
        if not url.scheme and not url.netloc and url.path:
            found[target] = os.path.normpath(Path(page).parent / unquote(url.path))
    return found


def listing(folder: str, files: list[str]) -> str:
    """Returns a page with links to the files that lie directly in a folder."""
    names = [Path(name).name for name in files]
    return "\n".join([f"# {folder}", "", *(f"- [{name}]({name})" for name in names), ""])


def stage(into: Path) -> None:
    """Fills the folder anew."""
    shutil.rmtree(into, ignore_errors=True)
    files = tracked()
    texts = {
        name: (ROOT / name).read_text("utf-8")
        for name in files
        if name.endswith(".md") and not (ROOT / name).is_relative_to(HERE)
    }
    wanted: set[str] = set()
    for page, text in list(texts.items()):
        for target, name in targets_of(page, text).items():
            inside = [file for file in files if Path(file).parent == Path(name)]
            if (ROOT / name).is_dir():
                texts[page] = texts[page].replace(f"]({target})", f"]({target}/index.md)")
                texts[f"{name}/index.md"] = listing(name, inside)
                wanted.update(inside)
            else:
                wanted.add(name)
    for name in wanted - texts.keys():
        if name in files:  # others are links that lead nowhere, of which Sphinx tells
            (into / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, into / name)
    for name, text in texts.items():
        (into / name).parent.mkdir(parents=True, exist_ok=True)
        (into / name).write_text(text, "utf-8")
    for name in ("conf.py", "index.md"):
        shutil.copyfile(HERE / name, into / name)


if __name__ == "__main__":
    stage(Path(sys.argv[1]))
