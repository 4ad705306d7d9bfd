"""Makes results/README.md: a line for each recorded run, from its files and from notes.toml.

.venv/bin/python results/list_runs.py
"""

from __future__ import annotations

import re
import shlex
import sys
import tomllib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from plots.model import gunzip, strict_json  # noqa: E402
from plots.model.files import MOST_BYTES  # noqa: E402

RESULT = ".json.gz"
NOT_SHOWN = re.compile(
    r"--(benchmark_out|benchmark_repetitions|max-time|out|quiet|seed|sweep)\b|\w[^=]*\.json\.gz$"
)
NUMBER = re.compile(r"(?<=-)\d{1,2}(?=\.|$)|^\d(?=-)")
UUID = re.compile(r"GPU-[0-9a-f-]{36}")
PAGE = HERE / "README.md"


@dataclass(frozen=True)
class File:
    """What a file says of its measurement."""

    name: str
    cards: tuple[str, ...] = ()  # how the UUIDs of its GPUs begin
    commit: str = ""
    options: str = ""  # of a result file


def read(path: Path) -> File:
    if not path.name.endswith((".json", ".gz")):
        return File(path.name)
    data = path.read_bytes()
    text = gunzip.unpacked(data, MOST_BYTES) if gunzip.is_packed(data) else data
    context, rows, _ = text.partition(b',\n"benchmarks": [')  # the rows, which are long, follow it
    document = strict_json.parse(context + b"}" if rows else text)
    context = document.get("context", document)
    facts = context.get("transfers", context)
    devices = facts.get("devices", facts.get("gpus", []))
    run = facts.get("run", {})
    words = run.get("command_line", [])[1:]
    words = [word for word in words if not NOT_SHOWN.match(word)]
    options = "`" + shlex.join(words).replace("|", r"\|") + "`" if words else ""
    return File(
        path.name,
        tuple(device["uuid"][4:12] for device in devices if device.get("uuid")),
        re.sub(r"^(\w{7})\w*", r"\1", facts.get("program", facts).get("git_commit", "")),
        options + " (incomplete)" * (facts.get("complete") is False),
    )


def gpus_of(files: list[File]) -> str:
    """Returns how many GPUs there are, and how their UUIDs begin."""
    cards = dict.fromkeys(card for file in files for card in file.cards)
    return " ".join([*[f"{len(cards)} ×"] * (len(cards) > 1), *(f"`{card}`" for card in cards)])


def listed(names: Iterable[str]) -> str:
    """Returns the names; those that differ in a number are one: `copies-N` (3)."""
    counts = Counter(UUID.sub("GPU", NUMBER.sub("N", name.removesuffix(RESULT))) for name in names)
    return ", ".join(f"`{name}`" + f" ({count})" * (count > 1) for name, count in counts.items())


def row_of(folder: Path, note: str) -> str:
    files = [read(path) for path in sorted(folder.iterdir()) if path.is_file()]
    largest = max(files, key=lambda file: len(file.cards))
    one_host = all(set(file.cards) <= set(largest.cards) for file in files)
    one_commit = len({file.commit for file in files} - {""}) <= 1
    of_options: dict[str, dict[str, list[str]]] = {}
    for file in files:
        machine = "" if one_host else f" on {gpus_of([file])}"
        commit = "" if one_commit else f" at `{file.commit}`"
        if file.options:
            places = of_options.setdefault(file.options, {})
            places.setdefault(commit + machine, []).append(file.name)
    lines = []
    for options, places in of_options.items():
        head = "; ".join(listed(names) + place for place, names in places.items())
        lines.append(options if head == "`result`" else f"{head}: {options}")
    name = folder.relative_to(HERE)
    cells = [
        f"[{name}]({name})",
        gpus_of(files) if one_host else "",
        listed({file.commit for file in files if file.commit}) if one_commit else "",
        "<br>".join(lines),
        note,
    ]
    return f"| {' | '.join(cells)} |"


def page() -> str:
    notes = tomllib.loads((HERE / "notes.toml").read_text("utf-8"))
    folders = [path for path in sorted(HERE.glob("*/2*")) if path.is_dir()]
    of_runs = dict(notes["runs"])
    rows = [row_of(path, of_runs.pop(str(path.relative_to(HERE)), "")) for path in folders]
    if of_runs:
        raise SystemExit(f"notes.toml: no folder is {', '.join(of_runs)}")
    return "\n".join([notes["before"] + notes["head"], *rows, notes["after"]])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
