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
from plots.model.load import MOST_BYTES  # noqa: E402

RESULT = ".json.gz"
NOT_SHOWN = re.compile(r"--(benchmark_out|out|quiet|sweep)\b|\w[^=]*\.json\.gz$")
NUMBER = re.compile(r"(?<=-)\d{1,2}(?=\.|$)|^\d(?=-)")
UUID = re.compile(r"GPU-[0-9a-f-]{36}")
PAGE = HERE / "README.md"


@dataclass(frozen=True)
class File:
    """What a file says of its measurement."""

    name: str
    models: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()  # how the UUIDs of its GPUs begin
    cpus: int | None = None
    commit: str = ""
    began: str = ""  # the time of day in UTC
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
    began = run.get("started_utc") or facts.get("begin") or facts.get("date", "")
    words = run.get("command_line", [])[1:]
    words = [word for word in words if not NOT_SHOWN.match(word)]
    if NUMBER.search(path.name.removesuffix(RESULT)):  # the seed counts these files, too
        words = [re.sub(r"^(--seed=\d*)\d$", r"\1N", word) for word in words]
    options = "`" + shlex.join(words).replace("|", r"\|") + "`" if words else ""
    return File(
        path.name,
        tuple(device.get("name", device.get("model")) for device in devices),
        tuple(device["uuid"][4:12] for device in devices if device.get("uuid")),
        facts.get("machine", {}).get("cpu", {}).get("logical_cpus_online"),
        re.sub(r"^(\w{7})\w*", r"\1", facts.get("program", facts).get("git_commit", "")),
        began[11:16],
        options + " (incomplete)" * (facts.get("complete") is False),
    )


def machine_of(files: list[File]) -> str:
    """Returns the GPUs, how their UUIDs begin, and the CPUs of the host."""
    largest = max(files, key=lambda file: len(file.models))
    cards = dict.fromkeys(card for file in [largest, *files] for card in file.cards)
    cpus = next((f"{file.cpus} CPUs" for file in files if file.cpus), "")
    if not largest.models:
        return ""
    model = largest.models[0].removeprefix("NVIDIA ").removesuffix(" 80GB HBM3")
    count = f"{len(cards)} × " if len(cards) > 1 else ""
    gpus = " ".join([count + model, *(f"`{card}`" for card in cards)])
    return f"{gpus}, {cpus}" if cpus else gpus


def listed(names: Iterable[str]) -> str:
    """Returns the names; those that differ in a number are one: `copies-N` (3)."""
    counts = Counter(UUID.sub("GPU", NUMBER.sub("N", name.removesuffix(RESULT))) for name in names)
    return ", ".join(f"`{name}`" + f" ({count})" * (count > 1) for name, count in counts.items())


def row_of(folder: Path, note: str) -> str:
    files = [read(path) for path in sorted(folder.iterdir()) if path.is_file()]
    largest = max(files, key=lambda file: len(file.cards))
    one_host = all(set(file.cards) <= set(largest.cards) for file in files)
    one_commit = len({file.commit for file in files} - {""}) <= 1
    of_commands: dict[tuple[str, str, str], list[str]] = {}
    for file in files:
        machine = "" if one_host else f" on {machine_of([file])}"
        commit = "" if one_commit else f" at `{file.commit}`"
        if file.options:
            of_commands.setdefault((commit, machine, file.options), []).append(file.name)
    lines = []
    for (commit, machine, options), names in of_commands.items():
        head = f"{listed(names)}{commit}{machine}: "
        lines.append(options if head == "`result`: " else head + options)
    others = [file.name for file in files if not file.options and file.name != "summary.txt"]
    lines += [f"also {listed(others)}"] * bool(others)
    name = folder.relative_to(HERE)
    cells = [
        f"[{name}]({name})",
        min((file.began for file in files if file.began), default=""),
        machine_of(files) if one_host else "",
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
