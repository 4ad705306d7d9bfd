"""Command line: python -m plots RUN.json [RUN.json ...] [--out DIR]."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from plots.load import ResultError, read_result
from plots.report import report
from plots.write import write_folder

ROOT = Path(__file__).resolve().parents[1]


def main(arguments: list[str] | None = None) -> int:
    """Makes the report of result files; returns the exit code."""
    options = _parse(arguments)
    out = options.out or options.runs[0].parent / "report"
    try:
        results = [read_result(path) for path in options.runs]
        write_folder(out, report(results, options.program))
    except ResultError as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    print(out / "report.html")
    return 0


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/report",
        description="Makes a report of result files: a page, figures and tables.",
    )
    parser.add_argument(
        "runs", type=Path, nargs="+", metavar="RUN.json", help="result files, may be gzipped"
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="folder of the report (default: report, beside the first result file)",
    )
    parser.add_argument(
        "--program",
        type=Path,
        default=ROOT / "build" / "bench_transfers",
        metavar="FILE",
        help="bench_transfers, which fits lines and ranks (default: build/bench_transfers)",
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
