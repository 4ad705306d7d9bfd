"""Fuzzes a reader of the report, with libFuzzer's options: fuzz_report.py READER [OPTION...]."""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

sys.path[:0] = [str(Path(__file__).resolve().parents[2])]
with atheris.instrument_imports(include=["plots"]):
    from tests.fuzz import report_properties

READERS = {
    "read_result": report_properties.check_result,
    "read_answer": report_properties.check_answer,
    "read_host_map": report_properties.check_map,
    "read_fleet": report_properties.check_fleet,
}


if __name__ == "__main__":
    atheris.Setup([sys.argv[0], *sys.argv[2:]], READERS[sys.argv[1]])
    atheris.Fuzz()
