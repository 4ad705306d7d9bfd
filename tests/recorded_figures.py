"""What recorded files say: the words that expressions of claims are made of.

tests/architecture/claims/README.md describes them.
"""

from __future__ import annotations

import collections
import datetime
import functools
import gzip
import json
import re
import statistics
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from plots.model.derive import Run  # noqa: E402
from plots.model.load import read_result  # noqa: E402

NUMBER = r"[-−+]?\d+(?:,\d{3})*(?:\.\d+)?"
Place = tuple[str, str]  # a folder and a device


class Runs:
    """Recorded files, one process each; machines are told apart by their folders."""

    def __init__(self, files: str):
        paths = sorted(ROOT.glob(files))
        assert paths, f"no file is {files}"
        #: Of each metric of a benchmark: by folder and device, each process's repetitions.
        self.rows: dict[tuple[str, str], dict[Place, list[list[float]]]] = collections.defaultdict(
            lambda: collections.defaultdict(list)
        )
        for path in paths:
            for (name, metric, device), values in of_process(path).items():
                self.rows[name, metric][path.parent.name, device].append(values)

    def values(self, name: str, metric: str) -> dict[Place, list[float]]:
        """The medians of processes. A metric may be a sum of metrics ("lock_ns + unlock_ns")."""
        parts = [self.rows.get((name, part), {}) for part in metric.split(" + ")]
        assert all(parts), f"no row of {name} has {metric}"
        return {
            place: [
                statistics.median(map(sum, zip(*processes, strict=True)))
                for processes in zip(*(part[place] for part in parts), strict=True)
            ]
            for place in parts[0]
        }

    def medians(self, name: str, metric: str) -> dict[Place, float]:
        values = self.values(name, metric)
        return {place: statistics.median(processes) for place, processes in values.items()}

    def __call__(self, name: str, metric: str = "real_time", device: str = "") -> float:
        """Of the only device, or of `device`: the median of repetitions, and of processes."""
        medians = self.medians(name, metric)
        (value,) = [value for place, value in medians.items() if not device or place[1] == device]
        return value

    def gb(self, name: str, device: str = "") -> float:
        return self(name, "gb_per_s", device)

    def share(self, name: str, other: str) -> float:
        """Of the other's rate, in percent."""
        return 100 * self.gb(name) / self.gb(other)

    def processes(self, name: str, metric: str = "real_time", device: str = "") -> list[float]:
        """The same of each process, in the order of their files."""
        self(name, metric, device)
        (values,) = [
            values
            for place, values in self.values(name, metric).items()
            if not device or place[1] == device
        ]
        return values

    def worst(self, name: str, metric: str) -> float:
        return min(self.medians(name, metric).values())

    def best(self, name: str, metric: str) -> float:
        return max(self.medians(name, metric).values())

    def beside_worst(self, name: str, metric: str, other: str) -> float:
        """`other` in the process that has the median, of the device that is worst in `metric`."""
        of_metric = self.medians(name, metric)
        place = min(of_metric, key=lambda found: of_metric[found])
        processes = self.values(name, metric)[place]
        return self.values(name, other)[place][processes.index(of_metric[place])]

    def each(self, pattern: str, metric: str = "real_time") -> dict[str, float]:
        """All benchmarks whose name is of the pattern."""
        return {
            name: self(name, metric)
            for name, found in self.rows
            if found == metric and re.fullmatch(pattern, name)
        }


@functools.cache
def of_process(path: Path) -> dict[tuple[str, str, str], list[float]]:
    values = collections.defaultdict(list)
    for row in json.loads(gzip.decompress(path.read_bytes()))["benchmarks"]:
        if row.get("run_type") == "aggregate":
            continue
        name, device = re.split(r"(?:@(?=cuda:\d+$)|$)", row["name"], maxsplit=1)
        for metric, value in row.items():
            if isinstance(value, (int, float)):
                values[name, metric, device].append(value)
    return values


def measured_s(files: str) -> list[float]:
    """How long each run took, from its first process to its last."""
    contexts = [context_of(path) for path in sorted(ROOT.glob(files))]
    runs = [context.get("parts", [context["run"]]) for context in contexts]
    begin, end = "started_utc", "finished_utc"
    return [(moment(run[-1][end]) - moment(run[0][begin])).total_seconds() for run in runs]


moment = datetime.datetime.fromisoformat


@functools.cache
def context_of(file: Path | str) -> Any:
    return json.loads(text_of(file))["context"]["transfers"]


def repetitions(file: str, name: str, metric: str = "real_time") -> list[float]:
    """Of the benchmarks of a name or pattern, in the order of the file, which is that of rounds."""
    return [
        value
        for (known, kind, _), values in of_process(ROOT / file).items()
        if kind == metric and re.fullmatch(name, known)
        for value in values
    ]


def middle_halves(file: str) -> list[float]:
    """In percent of the median, as the report has them: of transfers of 1 MiB and more."""
    return [
        100 * (upper - lower) / middle
        for benchmark in benchmarks_of(file).transfers
        if (benchmark.bytes or 0) >= 1 << 20
        for lower, middle, upper in [
            statistics.quantiles(benchmark.values("median_ns"), n=4, method="inclusive")
        ]
    ]


@functools.cache
def benchmarks_of(file: str) -> Run:
    return Run(read_result(ROOT / file))


def scatter(file: str, pattern: str) -> float:
    """In percent of the median, from the fastest to the slowest repetition, in the median."""
    times = [
        values
        for (name, metric, _), values in of_process(ROOT / file).items()
        if metric == "real_time" and re.fullmatch(pattern, name)
    ]
    return statistics.median(100 * (max(t) - min(t)) / statistics.median(t) for t in times)


class Map:
    """A recorded map of a host."""

    def __init__(self, file: str):
        self.sets = json.loads((ROOT / file).read_text())["sets"]

    def rates(self, h2d: list[int], d2h: list[int]) -> list[float]:
        """In GB/s, those of the copies of a set, in the mean of the sets that are this one."""
        sets = [known for known in self.sets if known["h2d"] == h2d and known["d2h"] == d2h]
        of_copies = zip(*(known["measured"] for known in sets), strict=True)
        return [statistics.mean(rates) / 1e9 for rates in of_copies]

    def to_device(self, device: int, d2h: list[int]) -> float:
        """What copies to the device get beside copies to the host. A file has devices in turn."""
        return self.rates([device], d2h)[sum(other < device for other in d2h)]


@functools.cache
def text_of(file: Path | str) -> str:
    content = (ROOT / file).read_bytes()
    return (gzip.decompress(content) if str(file).endswith(".gz") else content).decode()


def numbers(text: str) -> list[float]:
    """Also what is left out: - is no number."""
    return [number(known) for known in re.findall(rf"{NUMBER}|(?<=\s)-(?=\s)", text)]


def number(text: str) -> float:
    return float("nan") if text == "-" else float(text.replace(",", "").replace("−", "-"))


def found(file: str, pattern: str) -> list[float]:
    return found_in(text_of(file), pattern)


def found_all(file: str, pattern: str) -> list[list[float]]:
    """The numbers behind the pattern, of each line that has it."""
    return [numbers(rest) for rest in re.findall(pattern + "(.*)", text_of(file))]


def found_in(text: str, pattern: str) -> list[float]:
    """The numbers of the pattern's groups, or of the rest of the line if it has none."""
    matches = list(re.finditer(pattern + ("" if "(" in pattern else r"(.*)"), text, re.M))
    assert matches, f"nothing is like {pattern} in {text[:200]}…"
    answers = [numbers(" ".join(match.groups(""))) for match in matches]
    assert all(str(answer) == str(answers[0]) for answer in answers), f"several are like {pattern}"
    return answers[0]


VOCABULARY: dict[str, Any] = {
    "abs": abs,
    "context_of": context_of,
    "found": found,
    "found_all": found_all,
    "int": int,
    "len": len,
    "map": Map,
    "max": max,
    "measured_s": measured_s,
    "median": statistics.median,
    "middle_halves": middle_halves,
    "min": min,
    "repetitions": repetitions,
    "round": round,
    "scatter": scatter,
    "sorted": sorted,
    "sum": sum,
    "zip": zip,
}
