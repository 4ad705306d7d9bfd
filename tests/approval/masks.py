"""What an approved text does not keep, because it differs between machines, days and builds.

This is the only place that hides something. What is not named here is kept byte for byte.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

VERSION = re.compile(r"\b((?:bench|gate|fleet)_transfers) \d+\.\d+\.\d+ \(.*\)")
VERSION_KEY = re.compile(r'("version"): "\d+\.\d+\.\d+"')
NO_COMMIT = re.compile(r'("git_commit"): null')
# "2026-11-25T10:30:00Z"; in names of files without colons or any sign; in JUnit without a zone.
UTC_TIME = re.compile(
    r"\b(\d{4})-?(\d\d)-?(\d\d)T(\d\d)[:-]?(\d\d)[:-]?(\d\d)(?:\.\d+)?(?:Z|\+00:00)?(?![\d:+])"
)
MEMORY = re.compile(r"(this machine's memory) \(\d+\.\d \w+\)")

# A live run measures this machine. Its figures have a fraction, a unit or a column of their own.
# Their width and stars differ, too.
NUMBER = r"<?[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
FIGURE = re.compile(
    rf" *(?<![\w./:+-])(?:{NUMBER} (?:ns|µs|ms|s|[GM]B/s)\b"
    r"|<?[-+]?\d+\.\d+(?:e[-+]?\d+)?(?![\w/.])|(?<=  )-?\d+(?=\s))(?: \*)?"
)
# Of Google Benchmark's tables: "name,49,20448" and "bytes=4.096k".
CELL = re.compile(rf"(?<=,){NUMBER}(?=[,\n])|(?<==) *{NUMBER}[afpnumkMGTPE]?%?")
MEMORY_TYPE = re.compile(r"\b(?:write-back|write-combined|uncached|unclear)\b(?=\n)")
DURATION = re.compile(r"\b\d+(?:min|h|ms|s)\b(?: \d+(?:min|s)\b)?")
PROGRESS = re.compile(
    r"^(?:allocating|preparing|prepared|measuring|round) .*\n|\r[^\r\n]*", re.MULTILINE
)
MACHINE_NOTE = re.compile(
    r"^(?:Note|Warning): (?:'?[\w.-]+'?: )?(?:this is a virtual machine|another load"
    r"|the CPU governor|the memlock limit|the process runs on NUMA"
    r"|\d+ of \d+ repetitions were disturbed"
    r"|\d+ of \d+ rounds were slower"
    r"|the CPU was throttled).*\n(?:  .*\n)*",
    re.MULTILINE,
)
NOTES_NOT_SHOWN = re.compile(r"^Not shown: \d+ notes?(?:\.\n| and )", re.MULTILINE)
MACHINE_WARNINGS = {
    *("virtual_machine", "other_load", "cpu_governor", "memlock_limit", "numa_far"),
    *("repetitions_disturbed", "rounds_slowed", "cpu_throttled"),
}
MACHINE_KEYS = {
    *("host_name", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "caches", "load_avg"),
    *("library_build_type", "library_version", "program", "clocks", "machine", "clock", "guest"),
    *("cpu_reads", "cpu_reads_of_ordinary_memory", "cpu_stores", "memory_type"),
    *("cpu_model", "boot_id", "why_not_gpu", "samples", "discarded", "drifts", "shares"),
    "sentinels",
}
# doctor and map examine the machine: of their findings only these are the same everywhere.
FOUND_EVERYWHERE = {"no_gpu", "not_visible"}
DOCTOR_BLOCK = re.compile(r"^(?=\S|  \w+$)", re.MULTILINE)


@dataclass(frozen=True)
class Masks:
    """Hides what is of one run: its time, folders and build; of a live run its figures, too."""

    begun: datetime
    names: dict[str, str]  # of folders and of the machine
    commit: str
    live: bool

    def __call__(self, text: str) -> str:
        # The longest first: one may lie in another.
        for name, hidden in sorted(self.names.items(), key=lambda entry: -len(entry[0])):
            text = text.replace(name, hidden)
        text = VERSION.sub(r"\1 <version>", text)
        text = VERSION_KEY.sub(r'\1: "<version>"', text)
        text = NO_COMMIT.sub(r'\1: "<commit>"', text.replace(self.commit, "<commit>"))
        text = MEMORY.sub(r"\1 (<size>)", UTC_TIME.sub(self._time, text))
        if not self.live:
            return text
        document = _json_object(text)
        if document is None:
            return _live_text(text)
        return json.dumps(_live_json(document), indent=1, ensure_ascii=False) + "\n"

    def _time(self, found: re.Match[str]) -> str:
        """Recorded times are data; those from the beginning of the case on are of today."""
        try:
            year, month, day, hour, minute, second = map(int, found.groups())
            time = datetime(year, month, day, hour, minute, second, tzinfo=UTC)
        except ValueError:  # no time
            return found[0]
        return "<now>" if time >= self.begun.replace(microsecond=0) else found[0]


def _json_object(text: str) -> dict[str, Any] | None:
    try:
        document = json.loads(text)
    except ValueError:
        return None
    return document if isinstance(document, dict) else None


def _live_text(text: str) -> str:
    text = MACHINE_NOTE.sub("", PROGRESS.sub("", text))
    text = NOTES_NOT_SHOWN.sub(lambda found: "Not shown: " if found[0][-1] == " " else "", text)
    if text.startswith("Whether transfers are slow "):  # by doctor
        kept = [block for block in DOCTOR_BLOCK.split(text) if _is_of_every_machine(block)]
        text = re.sub(r"; \d+ findings?\.", "; <findings>.", "".join(kept))
    text = MEMORY_TYPE.sub("<type>", DURATION.sub("<time>", text))
    return "".join(_without_figures_in(line) for line in text.splitlines(keepends=True))


def _without_figures_in(line: str) -> str:
    hidden = FIGURE.sub(" #", CELL.sub("#", line))
    return re.sub(r"(?<=\S)  +(?=\S)", "  ", hidden) if hidden != line else line


def _is_of_every_machine(block: str) -> bool:
    code = re.match(r"  (\w+)\n", block)
    return code[1] in FOUND_EVERYWHERE if code else not block.endswith("low transfers:\n")


def _live_json(document: dict[str, Any]) -> dict[str, Any]:
    for key in ("findings", "cannot_be_known"):
        if key in document:
            document[key] = [one for one in document[key] if one["code"] in FOUND_EVERYWHERE]
    return _without_figures(document, in_row=False)


def _without_figures(value: Any, in_row: bool) -> Any:
    if isinstance(value, dict):
        return {
            key: _hidden(key, part, in_row)
            for key, part in value.items()
            if key != "disturbed"  # only of a repetition that was
        }
    if isinstance(value, list):
        return [_without_figures(part, in_row) for part in value]
    is_count = isinstance(value, int) and not isinstance(value, bool)
    return "#" if isinstance(value, float) or (in_row and is_count) else value


def _hidden(key: str, part: Any, in_row: bool) -> Any:
    if key in MACHINE_KEYS:
        return "<of this machine>"
    if key == "warnings":
        return [message for message in part if message["code"] not in MACHINE_WARNINGS]
    return _without_figures(part, in_row or (key == "benchmarks" and isinstance(part, list)))
