"""The line on a terminal that says how far a run is."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from program import COLUMNS, LIMIT_S, TINY, Program, open_terminal, received_by, wait_for

LONG = "--benchmark_repetitions=1000"
LINE = re.compile(
    r"\r\x1b\[Kround \d+/1000, \d+/\d+  copy/pageable/\S+  "
    r"\([\d.]+ (ns|µs|ms|s) so far, about [\dms ]+ left\)"
)


def lines_of(program: Program, *arguments: str, columns: int, out: Path, until: str) -> str:
    """What a run writes to a terminal until something is there, and when it is interrupted."""
    ours, theirs = open_terminal(columns)
    with program.start(*TINY, LONG, f"--out={out}", *arguments, stderr=theirs) as process:
        os.close(theirs)
        text = ""
        try:
            for piece in received_by(ours):
                text += piece.decode("utf-8", "replace")
                if re.search(until, text):
                    process.terminate()
            process.wait(LIMIT_S)
        finally:
            process.kill()
            os.close(ours)
    return text


def test_it_has_the_estimate_and_the_time_left_and_goes_at_the_end(
    program: Program, tmp_path: Path
):
    out = tmp_path / "result.json"
    text = lines_of(program, columns=COLUMNS, out=out, until=LINE.pattern)
    lines = text.replace("\r\n", "\n").split("\r\x1b[K")
    assert sum("so far" in line for line in lines) > 0
    for line in lines:
        assert "so far" not in line or "\n" not in line, "it is rewritten in its place"
    assert lines[-1] == "" or lines[-1].startswith("Result file"), "it is cleared at the end"


def test_it_fits_a_narrow_terminal(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    text = lines_of(program, columns=70, out=out, until="so far")
    for line in text.split("\r\x1b[K"):
        assert "round" not in line or len(line.partition("\r")[0]) < 70, line


def test_quiet_silences_it(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    ours, theirs = open_terminal(COLUMNS)
    with program.start(*TINY, LONG, "--quiet", f"--out={out}", stderr=theirs) as process:
        os.close(theirs)
        try:
            wait_for(out.exists, "the result file")
            process.terminate()
            text = b"".join(received_by(ours))
            process.wait(LIMIT_S)
        finally:
            process.kill()
            os.close(ours)
    assert text == b""


def test_a_log_has_no_line_that_is_rewritten(program: Program, tmp_path: Path):
    out = tmp_path / "result.json"
    with program.running(*TINY, LONG, f"--out={out}", stderr=subprocess.PIPE) as process:
        wait_for(out.exists, "the result file")
        process.terminate()
        _, err = process.communicate(timeout=LIMIT_S)
    assert "\r" not in err
    assert "\x1b" not in err
