"""Figures that the pages quote are those of the recorded runs (claims.toml)."""

import collections
import gzip
import json
import pathlib
import re
import statistics
import tomllib

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLAIMS = tomllib.loads((ROOT / "tests/architecture/claims.toml").read_text())


class Runs:
    """Recorded files, one process each; machines are told apart by their folders."""

    def __init__(self, files: str):
        self.values = collections.defaultdict(lambda: collections.defaultdict(list))
        paths = sorted(ROOT.glob(files))
        assert paths, f"no file is {files}"
        for path in paths:
            of_process = collections.defaultdict(list)
            for row in json.loads(gzip.decompress(path.read_bytes()))["benchmarks"]:
                if row.get("run_type") == "aggregate":
                    continue
                name, _, device = row["name"].partition("@")
                for metric, value in row.items():
                    if isinstance(value, (int, float)):
                        of_process[name, metric, device].append(value)
            for (name, metric, device), values in of_process.items():
                place = (path.parent.name, device)
                self.values[name, metric][place].append(statistics.median(values))

    def medians(self, name: str, metric: str) -> dict[tuple[str, str], float]:
        found = self.values.get((name, metric))
        assert found, f"no row of {name} has {metric}"
        return {place: statistics.median(values) for place, values in found.items()}

    def worst(self, name: str, metric: str) -> float:
        return min(self.medians(name, metric).values())

    def best(self, name: str, metric: str) -> float:
        return max(self.medians(name, metric).values())

    def beside_worst(self, name: str, metric: str, other: str) -> float:
        """`other` in the process that has the median, of the device that is worst in `metric`."""
        of_metric = self.medians(name, metric)
        place = min(of_metric, key=of_metric.get)
        processes = self.values[name, metric][place]
        return self.values[name, other][place][processes.index(of_metric[place])]


class Map:
    """A recorded map of a host."""

    def __init__(self, file: str):
        self.sets = json.loads((ROOT / file).read_text())["sets"]

    def to_device(self, device: int, d2h: list[int]) -> float:
        """In GB/s, what copies to the device get beside copies to the host, in the mean of sets."""
        place = sum(other < device for other in d2h)
        rates = [
            known["measured"][place] / 1e9
            for known in self.sets
            if known["h2d"] == [device] and known["d2h"] == d2h
        ]
        return statistics.mean(rates)


CASES = [
    (row["page"], row["text"], row["names"], values)
    for row in CLAIMS["rows"]
    for values in row["each"]
]


@pytest.fixture(scope="module")
def runs() -> dict[str, Runs]:
    return {entry["name"]: Runs(entry["files"]) for entry in CLAIMS["runs"]}


def computed(text: str, known: dict) -> str:
    def figure(found: re.Match) -> str:
        expression, _, form = found[1].partition(":")
        return format(eval(expression, {"__builtins__": {}}, known), form)

    return re.sub(r"\{([^{}]+)\}", figure, text)


@pytest.mark.parametrize(("page", "text", "names", "values"), CASES)
def test_a_page_quotes_what_was_recorded(page, text, names, values, runs):
    known = {**runs, **values, **{key: name.format(**values) for key, name in names.items()}}
    if "map" in values:
        known["map"] = Map(values["map"])
    assert computed(text, known) in (ROOT / page).read_text()
