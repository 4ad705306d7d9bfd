"""Asks `bench_transfers advise` for its fitted lines and its rankings of a result."""

from __future__ import annotations

import json
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from plots.model import questions
from plots.model.files import ResultError
from plots.model.host_map import HostMap
from plots.model.load import Fields, Result

Interval = tuple[float | None, float | None]  # None: the end is not known
FORMAT = 1  # the newest "format" of advise's files that this package reads
# Keys of rows, as src/advice knows them; a test compares the answers.
READ_BY_ADVISE = ("run_name", "run_type", "error_occurred", "bytes", "median_ns")
NOTHING_TO_ADVISE = "without a GPU there is nothing to advise"
CPU_ROLES = ("cpu_read", "cpu_write")
REUSES = [1, 5, 20, 100, 1_000, 10_000, 1_000_000]  # of all that the map has
BREAK_EVEN_SIZES = [64 * 2**10, 2**20, 16 * 2**20, 256 * 2**20]
CANNOT_TELL = 3  # the exit code where an answer, or all, recommend nothing


@dataclass(frozen=True)
class Fit:
    """Holds the line t0 + bytes / bandwidth that `advise` fitted to one strategy and direction.

    The intervals of 95 % are Student's, from the residuals of the lines.
    """

    name: str
    lines: int
    t0_ns: float
    gb_per_s: float
    half_bytes: float | None
    t0_interval: Interval = (None, None)
    rate_interval: Interval = (None, None)


def fit_name(fields: Fields) -> str:
    """Returns the name that `advise` gives to a strategy in one direction."""
    return f"{fields.strategy}/{fields.direction}"


def unanswered(reason: str) -> dict[str, str]:
    """Gives the same reason for every missing part of an Advice."""
    return dict.fromkeys(("fits", "map", "rankings"), reason)


@dataclass(frozen=True)
class Advice:
    """Holds what `advise` answered; `missing` has the reason for each part that is absent."""

    fits: dict[str, Fit] = field(default_factory=dict)
    map: dict[str, Any] | None = None
    rankings: list[dict[str, Any]] = field(default_factory=list)  # by direction, size and reuse
    missing: dict[str, str] = field(
        default_factory=lambda: unanswered("bench_transfers was not asked")
    )


def ask(program: Path | None, result: Result, on_host: bool) -> Advice:
    """Asks `advise` everything that the report needs."""
    if program is None or not program.is_file():
        return Advice(
            missing=unanswered("bench_transfers, which fits the lines and ranks, is missing")
        )
    with tempfile.TemporaryDirectory(prefix="plots-") as folder:
        source = Path(folder) / "result.json"
        source.write_text(json.dumps(_reduce(result)), "utf-8")
        common = ["--allow-host"] if on_host else []
        sizes = sorted(_sizes_of_transfers(result) | set(BREAK_EVEN_SIZES))
        grid = [
            f"--bytes={','.join(map(str, sizes))}",
            "--direction=h2d,d2h",
            f"--reuse={','.join(map(str, REUSES))}",
        ]
        options_by_name = {
            "fits": ["--check", "--json"],
            "map": ["--map"],
            "rankings": [*grid, "--json"],
        }
        with ThreadPoolExecutor(2) as pool:
            futures = {
                name: pool.submit(_ask_advise, program, source, [*common, *options])
                for name, options in options_by_name.items()
            }
            answers = {name: future.result() for name, future in futures.items()}
    parsed = {name: answer for name, answer in answers.items() if isinstance(answer, dict)}
    missing = {name: answer for name, answer in answers.items() if isinstance(answer, str)}
    table = _select_cells(parsed["map"], result) if "map" in parsed else None
    if table is None:
        missing.setdefault("map", "advise can rank nothing in this file")
    return Advice(_parse_fits(parsed.get("fits")), table, _rankings(parsed), missing)


def _rankings(parsed: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the answers to questions about copies, each with the terms that were measured."""
    if "rankings" not in parsed:
        return []
    terms = parsed["rankings"]["measured_terms"]
    return [answer | {"measured_terms": terms} for answer in parsed["rankings"]["answers"]]


def _select_cells(answer: dict[str, Any], result: Result) -> dict[str, Any] | None:
    """Returns the cells of a map that a figure has room for; None if nothing could be ranked."""
    measured = _sizes_of_transfers(result)
    sizes = [size for size in answer["sizes"] if size in measured] or answer["sizes"][::2]
    places = (
        [answer["sizes"].index(size) for size in sizes],
        [answer["reuse"].index(reuse) for reuse in REUSES],
    )
    directions = {
        direction: {
            key: [[cells[i][j] for j in places[1]] for i in places[0]]
            for key, cells in tables.items()
            if isinstance(cells, list)
        }
        for direction, tables in answer["directions"].items()
        if tables["winner"]
    }
    if not directions:
        return None
    terms = answer["measured_terms"]
    return {"sizes": sizes, "reuse": REUSES, "measured_terms": terms, "directions": directions}


def _sizes_of_transfers(result: Result) -> set[int]:
    """Returns the sizes of transfers that are powers of four: each four times the one before."""
    sizes = {
        fields.size_bytes
        for fields in result.benchmarks.values()
        if fields.role == "copy" and fields.size_bytes
    }
    return {size for size in sizes if size.bit_count() == 1 and size.bit_length() % 2 == 1}


def ask_about_map(program: Path | None, host_map: HostMap) -> HostMap:
    """Asks `advise` about copies to all devices of a map at once; returns the map with answers.

    Throws Refused for a map that is not as docs/answers.schema.json says.
    """
    if program is None or not program.is_file():
        return replace(host_map, unanswered="bench_transfers, which predicts rates, is missing")
    with tempfile.TemporaryDirectory(prefix="plots-") as folder:
        source = Path(folder) / "result.json"
        source.write_bytes(host_map.data)
        on_host = ["--allow-host"] if host_map.on_host else []
        options = [*on_host, "--devices=all", "--json"]
        try:
            answer = _advise(program, "--host-map", source, options)
        except questions.Refused as refusal:
            text = str(refusal).replace(str(source), str(host_map.path))
            raise questions.Refused(text) from refusal
        except ResultError as error:
            return replace(host_map, unanswered=str(error).replace(str(source), "the file"))
    return replace(host_map, answers={entry["direction"]: entry for entry in answer["answers"]})


def _reduce(result: Result) -> dict[str, Any]:
    """Keeps only what `advise` reads, because it parses the file again for each question."""
    rows = [
        {key: row[key] for key in READ_BY_ADVISE if key in row}
        for row in result.rows
        if (fields := result.benchmarks.get(str(row.get("name")))) and _is_read_by_advise(fields)
    ]
    return {"context": result.context, "benchmarks": rows}


def _is_read_by_advise(fields: Fields) -> bool:
    """Tells whether a benchmark is a term of the sum; most of a file are other CPU accesses."""
    is_plain = fields.plainness == 0 and fields.setting is None
    return fields.warm and (
        fields.role in ("copy", "allocation", "deallocation")
        or (fields.role in CPU_ROLES and is_plain)
    )


def _ask_advise(program: Path, source: Path, options: list[str]) -> dict[str, Any] | str:
    """Returns the file that `advise` writes, or one line that says why there is none."""
    try:
        return _advise(program, "--from", source, options)
    except ResultError as error:
        return str(error).replace(str(source), "the file")


def _advise(program: Path, about: str, source: Path, options: list[str]) -> dict[str, Any]:
    arguments: list[str | Path] = ["advise", about, source, *options]
    content: Any = questions.ask(program, arguments, {0, CANNOT_TELL}).document
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise ResultError("bench_transfers advise answers in a format that is not known here")
    return content


def _parse_fits(check: dict[str, Any] | None) -> dict[str, Fit]:
    """Returns the fits with a known bandwidth by name, such as copy/pinned/h2d."""
    fits = {}
    for entry in check["checks"] if check else []:
        model = entry["model"]
        t0, rate = model["t0_ns"], model["bandwidth_gb_per_s"] or {}
        if t0 and rate.get("value"):
            fits[entry["name"]] = Fit(
                entry["name"],
                model["lines"],
                t0["value"],
                rate["value"],
                model["half_bandwidth_bytes"],
                (t0["low"], t0["high"]),
                (rate["low"], rate["high"]),
            )
    return fits
