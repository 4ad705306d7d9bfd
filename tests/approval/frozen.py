"""Lists what other programs rely on: frozen.json, in which each item is one line.

Names, roles, options, keys, codes and exit codes, of the programs, of their sources and of the
approved texts. Where something is declared does not matter: a move changes nothing here.
"""

from __future__ import annotations

import functools
import json
import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from running import APPROVED, ROOT, Programs, environment

FROZEN = Path(__file__).resolve().parent / "frozen.json"
BUILDS = {True: "benchmarks of the CUDA build", False: "benchmarks of the host build"}
SIZE = re.compile(r"/\d+[KMG]?i?B(?=/|@|$)")
NODE = re.compile(r"@node\d+")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
TEXT = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
WORD = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
# Where a code is written down: a message with its data, a finding, a row that is not measured, a
# word of an enumeration, in a switch or a table. The patterns find keys that look alike; "words"
# has what they miss.
CODE = re.compile(
    r"(?:\bmessage\{|\.code = |_code = |\bskip\(|_refused\(|error_message\(|\bwarned\(|reason\{"
    r"|return \{|\breturn |\{\w+::\w+, |\basked\.\w+\()"
    r'"([a-z][a-z0-9]*(?:_[a-z0-9]+)*)"[,;)}]'
)
CODE_AND_DATA = re.compile(r'\{\s*"([a-z][a-z0-9]*(?:_[a-z0-9]+)*)",\s*(?:\{\{"|\{\}|json::object)')
ROLE = re.compile(r'\brole\b\s*(?:\w+)?\s*(?:=\s*)?\{"(\w+)"')
VARIABLE = re.compile(r'"((?:TRANSFERS|BENCHMARK)_[A-Z_]+)"')

Sections = dict[str, list[str]]


def frozen(programs: Programs) -> Sections:
    """All sections that this build can tell of."""
    sources = dict(_sources())
    found = {
        BUILDS[programs.has_cuda]: _benchmarks(programs),
        "options": _options(programs),
        "hidden options": _hidden_options(),
        "exit codes": _exit_codes(programs),
        "variables": _found(VARIABLE, sources.values()),
        "roles": _found(ROLE, sources.values()),
        "codes": _found(CODE, sources.values())
        | _found(CODE_AND_DATA, sources.values())
        | _codes_of_answers(),
        "words": {
            text
            for source in sources.values()
            for text in TEXT.findall(source)
            if WORD.fullmatch(text)
        },
        "JSON keys of answers": _keys_of_answers(),
        "JSON keys of result files": _keys_of_schema(),
    }
    return {section: sorted(items) for section, items in found.items()}


def approved() -> Sections:
    return json.loads(FROZEN.read_text("utf-8")) if FROZEN.exists() else {}


def differences(before: Sections, now: Sections) -> list[str]:
    """Of the sections that are known now: what was added and what was removed."""
    lines = []
    for section in now:
        old, new = set(before.get(section, ())), set(now[section])
        lines += [f"- {section}: {item}" for item in sorted(old - new)]
        lines += [f"+ {section}: {item}" for item in sorted(new - old)]
    return lines


def accept(now: Sections) -> None:
    """Sections of the other build stay as they are."""
    text = json.dumps(dict(sorted((approved() | now).items())), indent=1, ensure_ascii=False)
    FROZEN.write_text(text + "\n", "utf-8")


# ---- of the programs


def _ask(programs: Programs, line: str) -> str:
    return subprocess.run(
        programs.command(line),
        env=environment(programs.binary),
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout


def _benchmarks(programs: Programs) -> set[str]:
    """Strategies with their variants, as every build lists them, and patterns of whole names.

    The host device has not all of them; --list knows those of a GPU without one.
    """
    answer = json.loads(_ask(programs, "bench_transfers --device=host,host:1 --list=json"))
    entries = answer["strategies"]
    families = ",".join(sorted({entry["family"] for entry in entries}))
    listed = _ask(
        programs,
        f"bench_transfers --device=host:0,host:1 --strategies={families} --benchmark_list_tests "
        "--sizes=4B,4KiB,1MiB --cache=both",
    )
    # Not every machine has huge pages.
    names = {_pattern(name) for name in listed.splitlines() if "_huge" not in name}
    return names | {
        f"{_pattern(entry['name'])}: {' '.join(entry['variants']) or '-'}"
        f"{', on request' if entry['on_request'] else ''}"
        for entry in entries
    }


def _pattern(name: str) -> str:
    return re.sub(r"@host:\d+$", "", NODE.sub("@node{N}", SIZE.sub("/{size}", name)))


@functools.cache
def commands(programs: Programs) -> dict[str, str]:
    """The help of each program and of each of its subcommands, by what is typed."""
    helps: dict[str, str] = {}
    for program in ("bench_transfers", "gate_transfers", "fleet_transfers"):
        helps[program] = text = _ask(programs, f"{program} --help")
        block = text.partition("ubcommands:\n")[2].partition("\n\n")[0]
        for command in re.findall(r"^  (\w+)", block, re.MULTILINE):
            helps[f"{program} {command}"] = _ask(programs, f"{program} {command} --help")
    helps["report"] = _ask(programs, "report --help")
    return helps


def options(text: str) -> set[str]:
    """The names in a help: "--json FILE", "-h,--help"."""
    block = re.split(r"\n[Oo]ptions:\n", text, maxsplit=1)[-1].partition("\n\n")[0]
    names = re.findall(r"^  (-\S+(?:, --?\S+)*)(?: ([A-Z][A-Z=,|.a-z]*))?", block, re.MULTILINE)
    return {f"{name} {value}".strip() for name, value in names}


def _options(programs: Programs) -> Iterator[str]:
    for command, text in commands(programs).items():
        for option in options(text):
            yield f"{command} {option}"


def _hidden_options() -> set[str]:
    """scripts/arguments.sh has them, too: a test holds it against the program."""
    text = (ROOT / "scripts/arguments.sh").read_text("utf-8")
    block = text.partition("bench_options=(")[2].partition(")")[0]
    return {f"bench_transfers {option}" for option in re.findall(r"--[a-z_-]+", block)}


def _exit_codes(programs: Programs) -> Iterator[str]:
    for command, text in commands(programs).items():
        sentence = re.search(r"Exit codes?: (.*?)\.\n", text + "\n", re.DOTALL)
        for code in re.findall(r"\b\d+\b", sentence[1]) if sentence else ():
            yield f"{command}: {code}"


# ---- of the sources


def _sources() -> Iterator[tuple[str, str]]:
    """C++ of the programs, without comments; the library has no codes and writes no files."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "src", "bench"],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=True,
    ).stdout.split()
    for path in listed:
        is_code = re.search(r"\.(cpp|hpp|cu|cuh)$", path) and not path.startswith("src/transfers")
        if is_code and (ROOT / path).is_file():
            yield path, COMMENT.sub("", (ROOT / path).read_text("utf-8"))


def _found(pattern: re.Pattern[str], sources: Iterable[str]) -> set[str]:
    return {match for source in sources for match in pattern.findall(source)}


# ---- of JSON


def keys(value: Any, path: str = "") -> Iterator[str]:
    """Paths of all keys: "classes[].exit_code". A key that is no word is one of many: "*"."""
    if isinstance(value, dict):
        for key, part in value.items():
            inner = f"{path}.{key if WORD.fullmatch(key) else '*'}".removeprefix(".")
            yield inner
            yield from keys(part, inner)
    elif isinstance(value, list):
        for part in value:
            yield from keys(part, f"{path}[]")


def documents(text: str) -> Iterator[dict[str, Any]]:
    """The JSON objects of an approved text: each is a whole output."""
    for part in re.split(r"^(?:=====|\$) .*\n(?:exit code .*\n)?", text, flags=re.MULTILINE):
        if part.startswith("{"):
            yield json.loads(part)


def kind_of(document: dict[str, Any]) -> str:
    if "context" in document and "transfers" in document["context"]:
        return "result file"
    return str(document.get("kind", "export"))


def _keys_of_answers() -> set[str]:
    return {
        f"{kind_of(document)}: {key}"
        for path in APPROVED.glob("*.txt")
        for document in documents(path.read_text("utf-8"))
        for key in keys(document)
    }


def _keys_of_schema() -> Iterator[str]:
    schema = json.loads((ROOT / "docs/result_file.schema.json").read_text("utf-8"))

    def walk(part: Any, path: str) -> Iterator[str]:
        if not isinstance(part, dict):
            return
        if reference := part.get("$ref"):
            yield f"{path}: {reference.rpartition('/')[2]}"
        for key, inner in part.get("properties", {}).items():
            yield f"{path}.{key}"
            yield from walk(inner, f"{path}.{key}")
        for key in ("items", "additionalProperties"):
            yield from walk(part.get(key), f"{path}[]")
        for inner in (*part.get("allOf", ()), *part.get("anyOf", ()), *part.get("oneOf", ())):
            yield from walk(inner, path)

    yield from walk(schema, "file")
    for name, part in schema["$defs"].items():
        yield from walk(part, name)


def _codes_of_answers() -> set[str]:
    """The codes in approved JSON, without those that are put together ("link/h2d")."""

    def walk(value: Any) -> Iterator[str]:
        if isinstance(value, dict):
            if isinstance(value.get("code"), str):
                yield value["code"]
            value = list(value.values())
        if isinstance(value, list):
            for part in value:
                yield from walk(part)

    return {
        code
        for path in APPROVED.glob("*.txt")
        for document in documents(path.read_text("utf-8"))
        for code in walk(document)
        if WORD.fullmatch(code)
    }
