"""Command line: python -m plots FILE.json [FILE.json ...] [--out DIR] [--baseline BASELINE.json].

The files are result files, maps that `bench_transfers map` wrote, sweeps that `fleet_transfers
collect` wrote, and what `fleet_transfers judge` and `history` answer.
"""

from __future__ import annotations

from plots import VERSION, interruption

if __name__ == "__main__":
    interruption.end_at_once()  # the other imports take seconds

import argparse
import difflib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from altair.utils.schemapi import debug_mode

from plots.figures import FIGURE_NAMES
from plots.model import fleet, fleet_history, values
from plots.model.files import ResultError, parse_document, read_text
from plots.model.fleet import Judgement
from plots.model.fleet_history import History
from plots.model.gate import check as check_runs
from plots.model.host_map import HostMap, is_map, parse_map
from plots.model.load import Result, parse_result
from plots.model.questions import absence
from plots.model.same_machine import of_another_machine
from plots.page.progress import Progress
from plots.page.report import make_report
from plots.page.write import check_folder, write_folder
from plots.text.map_caption import another_machine

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: list[str] | None = None) -> int:
    """Makes the report of result files; returns the exit code."""
    options = _parse(arguments)
    out = options.out or options.runs[0].parent / "report"
    try:
        check_folder(out)
        inputs = _check_distinct([_read(path) for path in options.runs])
        results = [entry for entry in inputs if isinstance(entry, Result)]
        maps = [entry for entry in inputs if isinstance(entry, HostMap)]
        fleets = _judged(inputs, options.fleet)
        if (results or maps) and not options.program.is_file():
            _complain(f"{absence(options.program)}: no verdict, no fitted lines, no advice")
        for host_map in maps:
            if warning := another_machine(host_map, of_another_machine(host_map, results)):
                _complain(f"beware: {warning}")
        check = None
        if options.baseline:
            if not results:
                raise ResultError("--baseline judges runs: name one, not maps or sweeps alone")
            paths = [result.path for result in results]
            check = check_runs(options.gate, options.baseline, paths, options.decide_by)
        # altair would check each part of a chart for seconds
        with debug_mode(False), Progress(sys.stderr) as say:
            drawn = options.page_only, options.figures, say
            files = make_report(results, options.program, check, maps, fleets, *drawn)
        write_folder(out, files)
    except KeyboardInterrupt as interrupted:
        _complain("interrupted; nothing was written")
        return interruption.exit_code(interrupted)
    except ResultError as error:
        _complain(str(error))
        return 2
    except Exception as error:  # damaged files fail in more ways than are checked
        _complain(
            f"nothing was written; these files cannot be shown: {type(error).__name__}: {error}"
        )
        return 2
    return _answer(str(out / "report.html"), *([check.sentence] if check else []))


def _complain(text: str) -> None:
    """Says one line on stderr; where that is closed or full, the exit code has to do."""
    try:
        print(f"report: {values.printable(text)}", file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        # Python would try again when it ends, and fail with a code of its own.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _answer(*lines: str) -> int:
    """Prints what was made; returns the exit code."""
    try:
        for line in lines:
            print(line if line.isprintable() else values.printable(line), flush=True)
    except OSError as error:
        _complain(f"the report is written, but not where it is: {error.strerror}")
        # What is left in its buffer would be tried again, and fail again, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    return 0


@dataclass(frozen=True)
class Sweep:
    """Names a sweep, which only `fleet_transfers` reads."""

    path: Path
    data: bytes


Input = Result | HostMap | Judgement | History | Sweep


def _read(path: Path) -> Input:
    text = read_text(path)
    kind = fleet.kind_of(text)
    if kind == fleet.SWEEP:
        return Sweep(path, text)
    document = parse_document(path, text)
    if kind == fleet.JUDGEMENT:
        return fleet.parse_judgement(path, document, text)
    if kind == fleet.HISTORY:
        return fleet_history.parse_history(path, document, text)
    if is_map(document):
        return parse_map(path, document, text)
    return parse_result(path, document, text)


def _judged(inputs: list[Input], program: Path) -> list[Judgement | History]:
    """Returns what is said of fleets; asks about a sweep whose judgement is not given."""
    given = [entry for entry in inputs if isinstance(entry, Judgement)]
    histories = [entry for entry in inputs if isinstance(entry, History)]
    sweeps = [entry for entry in inputs if isinstance(entry, Sweep)]
    if len(sweeps) == 1 and len(given) == 1:
        sweeps = []  # the answer about this sweep, perhaps with other options
    return [*(fleet.judge(program, sweep.path) for sweep in sweeps), *given, *histories]


def _check_distinct(inputs: list[Input]) -> list[Input]:
    """Returns what was read. Throws ResultError if a file is given twice."""
    first_paths: dict[bytes, Path] = {}
    for entry in inputs:
        first_path = first_paths.setdefault(entry.data, entry.path)
        if first_path is not entry.path:
            kind = KINDS[type(entry)]
            raise ResultError(f"{entry.path}: the same {kind} as {first_path}: give each once")
    return inputs


KINDS = {Result: "run", HostMap: "map", Sweep: "sweep", Judgement: "answer", History: "answer"}


def _figures(text: str) -> frozenset[str]:
    """Parses a list of names of figures."""
    names = text.split(",")
    for name in names:
        if name not in FIGURE_NAMES:
            close = difflib.get_close_matches(name, FIGURE_NAMES, n=1)
            hint = f"did you mean {close[0]}?" if close else f"there are {', '.join(FIGURE_NAMES)}"
            raise argparse.ArgumentTypeError(f"no figure is called {name!r}: {hint}")
    return frozenset(names)


class _Parser(argparse.ArgumentParser):
    """Complains in one line that a terminal can show."""

    def error(self, message: str) -> NoReturn:
        _complain(f"{message} (see --help)")
        sys.exit(2)


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = _Parser(
        prog="report_transfers",
        description="Makes a report of result files: a page, figures and tables.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {VERSION}")

    def add(name: str, place: str, meaning: str, **more: Any) -> None:
        parser.add_argument(name, metavar=place, help=meaning, **{"type": Path} | more)

    def add_program(option: str, name: str, task: str) -> None:
        built = ROOT / "build" / name
        add(option, "FILE", f"{name}, {task} (default: build/{name})", default=built)

    add(
        "runs",
        "FILE.json",
        "result files, maps of hosts (host_map.json), sweeps of fleets (sweep.json.gz), and "
        "what fleet_transfers judge or history answers (--json); may be gzipped",
        nargs="+",
    )
    add("--out", "DIR", "folder of the report (default: report, beside the first result file)")
    parser.add_argument(
        "--page-only",
        action="store_true",
        help="write report.html without the files of figures and tables, which take longest",
    )
    add(
        "--figures",
        "NAMES",
        f"draw these figures only, separated by commas: {', '.join(FIGURE_NAMES)} (default: all)",
        type=_figures,
    )
    add_program("--program", "bench_transfers", "which judges, fits lines and ranks")
    add(
        "--baseline",
        "FILE",
        "made by gate_transfers pin: says whether the runs, of one machine, got slower",
    )
    add(
        "--decide-by",
        "CLASSES",
        "with --baseline: the classes that decide, as for gate_transfers check (default: all)",
        type=str,
    )
    add_program("--gate", "gate_transfers", "which is asked about the baseline")
    add_program("--fleet", "fleet_transfers", "which is asked about sweeps")
    options = parser.parse_args(arguments)
    if options.decide_by is not None and not options.baseline:
        parser.error("--decide-by is of use with --baseline only")
    return options


if __name__ == "__main__":
    interruption.raise_once()
    code = main()
    interruption.ignore()
    sys.exit(code)
