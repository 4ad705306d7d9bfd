"""Tests that no code knows a strategy by its name, or a message by its words."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import rooms
from described import recorded

ROOT = rooms.ROOT
ROLES, _, BENCHMARKS = recorded()
FAMILIES = sorted({fields["family"] for fields in BENCHMARKS.values()}, key=len, reverse=True)
NAME = re.compile(rf"^({'|'.join(FAMILIES)})(/.*)?$")
SENTENCE = r'"[^"\n]*[^"\s] [^"\s]+ [^"\s][^"\n]*"'  # at least three words
COMPARED = re.compile(
    rf"(==|!=|\b(starts_with|ends_with|startswith|endswith|contains|find|removeprefix)\()\s*{SENTENCE}"
)
FAMILY_COMPARED = re.compile(r'family\b\W{0,12}(==|!=|\bin\b)\s*[("]')
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def code() -> list[str]:
    """Lists the files that may not know strategies: all but the strategies' own files and data."""
    return [
        path
        for path in rooms.files("bench", "src", "include", "plots", "scripts")
        if not path.startswith("bench/strategies/") and not path.endswith((".json", ".txt", ".md"))
    ]


def literals(path: str) -> Iterator[str]:
    text = (ROOT / path).read_text()
    if path.endswith(".py"):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                yield node.value
    elif rooms.SOURCE.search(path):
        yield from LITERAL.findall(COMMENT.sub("", text))


def is_strategy_name(text: str) -> bool:
    match = NAME.match(text)
    if not match or text in ROLES or " " in text:
        return False
    # A lone "free" or "cpu" may be a word: only families of several words count without a "/".
    return "/" in text or "_" in text


def test_the_guard_sees_names():
    for name in ("copy/pinned", "duplex/", "gpu_array", "scatter/loop/4KiB_blocks/pinned/h2d"):
        assert is_strategy_name(name), name
    for word in ("copy", "overlap", "copies", "a copy/paste error", "pinned", "free"):
        assert not is_strategy_name(word), word


def test_the_guard_sees_sentences():
    for line in ('if note == "not measured today":', 'one.starts_with("the link runs at")'):
        assert COMPARED.search(line), line
    for line in ('if note == "not_measured":', 'find("copy")', 'text = "the link runs at"'):
        assert not COMPARED.search(line), line


def test_no_strategy_is_named():
    assert [
        (path, text) for path in code() for text in literals(path) if is_strategy_name(text)
    ] == []


def test_no_family_is_compared():
    texts = {path: (ROOT / path).read_text() for path in code()}
    assert [path for path, text in texts.items() if FAMILY_COMPARED.search(text)] == []


def test_no_sentence_is_compared():
    # An importer reads what another program prints.
    ours = [path for path in code() if not path.startswith("src/imports/")]
    lines = [(path, line) for path in ours for line in (ROOT / path).read_text().splitlines()]
    assert [(path, line) for path, line in lines if COMPARED.search(line)] == []
