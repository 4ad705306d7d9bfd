"""Tests what ends the command early: Ctrl-C, a closed pipe, too little memory."""

import json
import os
import resource
import select
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import made_up_fleet
import pytest
import synthetic
from reporting import files_below

from plots.model.files import ResultError
from plots.page import render

ROOT = Path(__file__).resolve().parents[2]
HANGS_S = 300  # longer than anything takes, even on a busy machine


# What nobody can read


def start(path, **options):
    """Starts a report of a small run, which takes little time."""
    return subprocess.Popen(
        [sys.executable, "-m", "plots", path, "--program", path.parent / "none"],
        cwd=ROOT,
        encoding="utf-8",
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options,
    )


@pytest.fixture
def small(tmp_path):
    return synthetic.write(tmp_path / "run.json", synthetic.document(synthetic.rows()[:4]))


@pytest.fixture
def undrawable(tmp_path):
    """Writes an answer about a fleet without figures: a whole report, at a third of the cost."""
    answer = made_up_fleet.judgement()
    del answer["scores"]
    path = tmp_path / "run.json"
    path.write_text(json.dumps(answer), "utf-8")
    return path


@pytest.mark.parametrize("reader", ["gone", "full"])
def test_an_answer_that_cannot_be_printed_gives_one_line(undrawable, reader):
    if reader == "full":
        out = Path("/dev/full").open("w")  # noqa: SIM115
    else:
        ours, theirs = os.pipe()
        os.close(ours)
        out = os.fdopen(theirs, "w")
    with out, start(undrawable, stdout=out) as process:
        _, err = process.communicate(timeout=HANGS_S)
    assert process.returncode == 2, err
    reason = {"gone": "Broken pipe", "full": "No space left on device"}[reader]
    *_, last = err.splitlines()
    assert last == f"report: the report is written, but not where it is: {reason}"
    assert "Traceback" not in err
    assert "Exception" not in err
    assert (undrawable.parent / "report" / "report.html").exists()


def test_complaints_that_cannot_be_printed_still_have_their_exit_code(tmp_path):
    with (
        Path("/dev/full").open("w") as full,
        start(tmp_path / "missing.json", stderr=full) as process,
    ):
        assert process.wait(HANGS_S) == 2


# Too little memory


def test_an_address_space_too_small_to_draw_gives_one_line(small):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1_500_000_000, 1_500_000_000))

    with start(small, preexec_fn=limit) as process:
        out, err = process.communicate(timeout=HANGS_S)
    if process.returncode == 0:
        pytest.skip("it is enough here")
    assert (process.returncode, out) == (2, "")
    assert all(line.startswith("report: ") for line in err.splitlines()), err
    assert "memory is short" in err
    assert files_below(small.parent) == ["run.json"]


def test_a_drawing_process_that_is_ended_gives_one_line():
    with pytest.raises(ResultError, match="a process that draws has ended early"):
        render.in_processes(1, signal.raise_signal, [(signal.SIGKILL,)])


def list_children(pid):
    lists = (file.read_text().split() for file in Path(f"/proc/{pid}/task").glob("*/children"))
    return [int(child) for children in lists for child in children]


def ignores_interruptions(pid):
    """Tells whether the process ignores SIGINT, as drawing processes do once they are ready."""
    status = Path(f"/proc/{pid}/status").read_text()
    ignored = next(line.split()[1] for line in status.splitlines() if line.startswith("SigIgn"))
    return bool(int(ignored, 16) >> (signal.SIGINT - 1) & 1)


DRIVER = """
import pathlib, sys, time
sys.path.insert(0, ROOT)
from plots.page.render import in_processes
while __name__ == "__mp_main__" and not pathlib.Path(START).exists():
    time.sleep(0.01)
def draw():
    open(NEVER).read()
if __name__ == "__main__":
    in_processes(2, draw, [(), ()])
"""


@pytest.mark.parametrize("ready", [False, True])
def test_drawing_processes_end_with_their_killed_parent(tmp_path, ready):
    """Kills the parent while its workers start, and after they have started.

    They start when there is a file, and then draw without end: whoever looks is not too late.
    """
    may_start, never = tmp_path / "start", tmp_path / "never"
    os.mkfifo(never)
    if ready:
        may_start.touch()
    constants = {"ROOT": ROOT, "START": may_start, "NEVER": never}
    names = "".join(f"{name} = {str(path)!r}\n" for name, path in constants.items())
    (tmp_path / "driver.py").write_text(names + DRIVER)
    killed = subprocess.Popen([sys.executable, tmp_path / "driver.py"])

    def drawing():
        """Returns both drawing processes, each with a descriptor that shows its end."""
        workers = [
            pid
            for pid in list_children(killed.pid)
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
            and ignores_interruptions(pid) is ready
        ]
        return {pid: os.pidfd_open(pid) for pid in workers} if len(workers) > 1 else None

    while (ends := drawing()) is None:
        assert killed.poll() is None
        time.sleep(0.02)
    killed.kill()
    killed.wait()
    may_start.touch()
    for pid, end in ends.items():
        ended, *_ = select.select([end], [], [], HANGS_S)
        os.close(end)
        if not ended:
            os.kill(pid, signal.SIGKILL)
        assert ended


# Ctrl-C and `kill`


def runs_python(pid):
    return b"plots" in Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")


def has_handlers(pid):
    """Tells whether SIGTERM is caught: by the first line of plots."""
    status = Path(f"/proc/{pid}/status").read_text()
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


def imports(pid):
    """Tells whether the process has loaded the library that draws, one of its last modules."""
    return b"vl_convert" in Path(f"/proc/{pid}/maps").read_bytes()


def workers_of(pid):
    return [
        child
        for child in list_children(pid)
        if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]


def starts_to_draw(pid):
    return bool(workers_of(pid))


def worker_imports(pid):
    return any(map(imports, workers_of(pid)))


def draws(pid):
    return any(map(ignores_interruptions, workers_of(pid)))


@pytest.mark.parametrize("group", [True, False])
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    "moment",
    [runs_python, has_handlers, imports, starts_to_draw, worker_imports, draws],
)
def test_an_interruption_gives_one_line_at_most(small, moment, sent, group):
    """Interrupts the report; with its group, as a terminal does, or alone.

    Not before Python: bash goes on where a program that it waits for just ends well, and a trap,
    which would tell, breaks the parser of bash 5.2 within a command substitution.
    """
    with subprocess.Popen(
        [ROOT / "scripts" / "report", small],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        start_new_session=True,
    ) as process:
        while not moment_is_there(moment, process.pid):
            assert process.poll() is None
        (os.killpg if group else os.kill)(process.pid, sent)
        out, err = process.communicate(timeout=HANGS_S)
    assert process.returncode in (128 + sent, -sent), err  # a shell shows both as 128 + sent
    assert (out, err) in (("", ""), ("", "report: interrupted; nothing was written\n"))
    assert files_below(small.parent) == ["run.json"]


def moment_is_there(moment, pid):
    try:
        return moment(pid)
    except (FileNotFoundError, ProcessLookupError):  # a process has just ended
        return False


def test_an_interruption_that_a_finalizer_loses_comes_again():
    code = """
import signal
from plots import interruption
class Final:
    def __del__(self):
        signal.raise_signal(signal.SIGTERM)
interruption.raise_once()
Final()
signal.pause()
"""
    completed = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, timeout=HANGS_S, check=False
    )
    assert (completed.returncode, completed.stderr) == (128 + signal.SIGTERM, b"")


def test_ignored_interruptions_stay_ignored(undrawable):
    ignore = partial(signal.signal, signal.SIGINT, signal.SIG_IGN)
    with start(undrawable, preexec_fn=ignore) as process:
        while not moment_is_there(has_handlers, process.pid):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=HANGS_S)
    assert process.returncode == 0, err
