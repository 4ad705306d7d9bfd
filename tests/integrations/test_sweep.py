"""integrations/node_sweep and judge_sweep: a sweep without srun and mpirun."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from calls import call
from node import INTEGRATIONS, ON_THE_HOST, programs_of_a_site, write_script

ANSWERS = {"healthy": 0, "named": 1, "unknown": 3}


def run(script: str, *arguments: str | Path, **variables: str) -> subprocess.CompletedProcess[str]:
    return call(
        [INTEGRATIONS / script, *arguments],
        env={**os.environ, **variables},
        stdin=subprocess.DEVNULL,
        timeout=300,
    )


@pytest.fixture
def programs(pytestconfig: pytest.Config, tmp_path: Path) -> Path:
    return programs_of_a_site(tmp_path / "programs", pytestconfig.getoption("binary"))


def test_two_nodes_are_measured_and_judged(programs: Path, tmp_path: Path) -> None:
    runs, textfiles = tmp_path / "sweep/runs", tmp_path / "textfiles"
    textfiles.mkdir()
    variables = {"TRANSFERS_PROGRAMS": str(programs), "TRANSFERS_SWEEP": "monday"}
    for node in ("0", "1"):
        completed = run(
            "node_sweep",
            runs,
            *ON_THE_HOST,
            TRANSFERS_NODES="2",
            TRANSFERS_GPUS="2",
            JOB_COMPLETION_INDEX=node,
            NODE_NAME=f"n{node}",
            **variables,
        )
        assert completed.returncode == 0, completed
    completed = run(
        "judge_sweep", tmp_path / "sweep", TRANSFERS_TEXTFILE_FOLDER=str(textfiles), **variables
    )
    judgement = json.loads((tmp_path / "sweep/judgement.json").read_text("utf-8"))
    assert completed.returncode == ANSWERS[judgement["verdict"]], completed
    assert judgement["gpus"] == 4
    assert f"in {tmp_path}/sweep/sweep.json.gz" in completed.stdout
    assert sorted(path.name for path in runs.iterdir()) == ["n0", "n1"]
    assert [path.name for path in textfiles.iterdir()] == ["transfers.prom"]


def test_a_node_that_never_came_is_missing(programs: Path, tmp_path: Path) -> None:
    variables = {"TRANSFERS_PROGRAMS": str(programs), "NODE_NAME": "n0"}
    variables |= {"TRANSFERS_NODES": "2", "TRANSFERS_GPUS": "2"}
    run("node_sweep", tmp_path / "runs", *ON_THE_HOST, **variables)
    completed = run("judge_sweep", tmp_path, **variables)
    assert completed.returncode == 1, completed
    judgement = json.loads((tmp_path / "judgement.json").read_text("utf-8"))
    assert [found["code"] for found in judgement["findings"]].count("missing") == 2


def test_a_node_that_is_declared_absent_is_no_doubt(programs: Path, tmp_path: Path) -> None:
    variables = {"TRANSFERS_PROGRAMS": str(programs), "TRANSFERS_GPUS": "1"}
    for day, nodes in (("first", ("n0", "n1")), ("second", ("n0",))):
        for index, node in enumerate(nodes):
            variables |= {"TRANSFERS_NODES": str(len(nodes)), "TRANSFERS_NODE_INDEX": str(index)}
            run("node_sweep", tmp_path / day / "runs", *ON_THE_HOST, NODE_NAME=node, **variables)
    run("judge_sweep", tmp_path / "first", **variables)
    variables["TRANSFERS_REFERENCE"] = str(tmp_path / "first/sweep.json.gz")

    def judged() -> tuple[bool, list[str]]:
        run("judge_sweep", tmp_path / "second", **variables)
        judgement = json.loads((tmp_path / "second/judgement.json").read_text("utf-8"))
        codes = {doubt["code"] for doubt in judgement["doubts"]}
        return "nodes_not_measured" in codes, judgement["absent_nodes"]

    assert judged() == (True, [])
    (tmp_path / "second/absent").write_text("n1\nn7\n", "utf-8")
    assert judged() == (False, ["n1"])


def test_the_newest_earlier_sweeps_are_read(tmp_path: Path) -> None:
    said = 'printf "%s\\n" "$@"; out="${@: -1}"; echo 1 >"${out#*=}"'
    write_script(tmp_path / "fleet_transfers", said)
    (tmp_path / "sweeps/tonight/runs").mkdir(parents=True)
    os.utime(tmp_path / "sweeps/tonight/runs", (time.time() - 3600,) * 2)
    hours = {"first one": -72, "second": -48, "third": -24, "tomorrow's": 0}
    for name, hour in hours.items():
        sweep = tmp_path / "sweeps" / name / "sweep.json.gz"
        sweep.parent.mkdir()
        sweep.touch()
        os.utime(sweep, (time.time() + hour * 3600,) * 2)

    def read(**more: str) -> list[str]:
        completed = run(
            "judge_sweep", tmp_path / "sweeps/tonight", TRANSFERS_PROGRAMS=str(tmp_path), **more
        )
        assert completed.stderr == "", completed
        options = [line for line in completed.stdout.splitlines() if "history" in line]
        return [Path(option.removeprefix("--history=")).parent.name for option in options]

    assert read() == ["first one", "second", "third"]
    assert read(TRANSFERS_HISTORY="2") == ["second", "third"]
    assert read(TRANSFERS_HISTORY="0") == []
    completed = run("judge_sweep", tmp_path / "sweeps/tonight", TRANSFERS_HISTORY="all")
    assert completed.stderr == (
        "judge_sweep: TRANSFERS_HISTORY is no whole number below 1000000000\n"
    )


def test_each_process_gets_a_gpu_of_its_own(tmp_path: Path) -> None:
    names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "NODE_NAME")
    said = " ".join(f"${name}" for name in names)
    write_script(tmp_path / "bench_transfers", f'echo "{said} $*"; [ $LOCAL_RANK != 1 ]')
    completed = run(
        "node_sweep",
        "out",
        "--profile=sweep",
        TRANSFERS_PROGRAMS=str(tmp_path),
        TRANSFERS_NODES="3",
        TRANSFERS_NODE_INDEX="2",
        TRANSFERS_GPUS="2",
        NODE_NAME="n7",
    )
    assert completed.returncode == 1  # that of one of them
    assert sorted(completed.stdout.splitlines()) == [
        "4 0 6 2 n7 fleet --out=out --profile=sweep",
        "5 1 6 2 n7 fleet --out=out --profile=sweep",
    ]


def test_numbers_are_decimal(tmp_path: Path) -> None:
    write_script(tmp_path / "bench_transfers", 'echo "$RANK of $WORLD_SIZE"')
    variables = {"TRANSFERS_PROGRAMS": str(tmp_path), "TRANSFERS_GPUS": "01"}
    for index, said in (("08", "8 of 20"), ("010", "10 of 20")):
        completed = run(
            "node_sweep",
            "out",
            TRANSFERS_NODES="020",
            TRANSFERS_NODE_INDEX=index,
            **variables,
        )
        assert (completed.returncode, completed.stdout) == (0, f"{said}\n"), completed


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"TRANSFERS_GPUS": "0"}, "no GPU"),
        ({"TRANSFERS_GPUS": "eight"}, "'eight' is no whole number"),
        ({"TRANSFERS_GPUS": "99999999999999999999"}, "'99999999999999999999' is no whole number"),
        ({"TRANSFERS_GPUS": "1", "TRANSFERS_NODES": "08", "TRANSFERS_NODE_INDEX": "09"}, "node 9"),
        ({"TRANSFERS_GPUS": "1", "TRANSFERS_NODE_INDEX": "1"}, "node 1 of 1"),
        ({"TRANSFERS_GPUS": "1", "TRANSFERS_PROGRAMS": "/none"}, "there is no program /none/"),
    ],
)
def test_wrong_variables_get_one_line(variables: dict[str, str], words: str) -> None:
    completed = run("node_sweep", "out", **variables)
    assert completed.returncode == 2
    assert completed.stderr == f"node_sweep: {words}" + completed.stderr.split(words, 1)[1]
    assert completed.stderr.count("\n") == 1


def test_an_answer_that_did_not_come_replaces_nothing(tmp_path: Path) -> None:
    write_script(tmp_path / "fleet_transfers", "exit 2")
    (tmp_path / "sweep/runs").mkdir(parents=True)
    (tmp_path / "transfers.prom").write_text("old")
    variables = {"TRANSFERS_PROGRAMS": str(tmp_path), "TRANSFERS_TEXTFILE_FOLDER": str(tmp_path)}
    assert run("judge_sweep", tmp_path / "sweep", **variables).returncode == 2
    assert (tmp_path / "transfers.prom").read_text() == "old"


ANSWER = ("judgement.json", "judgement.md", "transfers.prom")
FILES = ("sweep.json.gz", *ANSWER)


def make_judged(folder: Path) -> None:
    """A sweep with an answer that is younger than its runs."""
    (folder / "runs").mkdir(parents=True)
    os.utime(folder / "runs", (time.time() - 60,) * 2)
    for name in FILES:
        (folder / name).write_text("old")


def left(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"runs"}


def test_yesterdays_answer_does_not_stay(programs: Path, tmp_path: Path) -> None:
    sweep = tmp_path / "sweep"
    make_judged(sweep)
    assert run("judge_sweep", sweep, TRANSFERS_PROGRAMS=str(programs)).returncode == 2
    assert left(sweep) == {"sweep.json.gz"}


def test_what_makes_no_answer_removes_none(tmp_path: Path) -> None:
    sweep = tmp_path / "sweep"
    make_judged(sweep)
    completed = run("judge_sweep", sweep, TRANSFERS_PROGRAMS="/no/such/folder")
    assert completed.returncode == 2
    assert completed.stderr == (
        "judge_sweep: there is no program /no/such/folder/fleet_transfers; see TRANSFERS_PROGRAMS\n"
    )
    assert left(sweep) == set(FILES)
    write_script(
        tmp_path / "fleet_transfers", '[ $1 = collect ] || exit 2; echo new >"${3#--out=}"'
    )
    variables = {"TRANSFERS_PROGRAMS": str(tmp_path)}
    assert run("judge_sweep", sweep, "--mistyped", **variables).returncode == 2
    assert {name: (sweep / name).read_text() for name in left(sweep)} == dict.fromkeys(FILES, "old")
    (sweep / "runs/n0").mkdir()
    assert run("judge_sweep", sweep, "--mistyped", **variables).returncode == 2
    assert left(sweep) == {"sweep.json.gz"}  # the answer was not that of these runs
    make_judged(tmp_path / "other")
    (tmp_path / "other/runs").rmdir()
    completed = run("judge_sweep", tmp_path / "other", **variables)
    assert completed.returncode == 2
    assert completed.stderr == f"judge_sweep: there is no folder '{tmp_path}/other/runs'\n"
    assert left(tmp_path / "other") == set(FILES)


@pytest.mark.parametrize("script", ["judge_sweep", "node_check", "node_sweep"])
def test_help_is_the_head_of_the_file(script: str, tmp_path: Path) -> None:
    head = (INTEGRATIONS / script).read_text("utf-8").splitlines()[1].removeprefix("# ")
    for option in ("-h", "--help"):
        completed = run(script, option, TRANSFERS_SETTINGS=str(tmp_path / "none"))
        assert (completed.returncode, completed.stderr) == (0, "")
        assert completed.stdout.startswith(f"{head}\n")
        assert f"\n  {script} " in completed.stdout
        assert "set -uo" not in completed.stdout


@pytest.mark.parametrize("script", ["judge_sweep", "node_sweep"])
def test_an_unknown_option_is_no_folder(script: str) -> None:
    completed = run(script, "--newst", TRANSFERS_GPUS="1")
    assert completed.returncode == 2
    assert completed.stderr == f"{script}: unknown option '--newst'\n"


def test_the_newest_sweep_is_judged(tmp_path: Path) -> None:
    write_script(tmp_path / "fleet_transfers", 'echo "$1 $2"')
    hours = {"of the future": 30, "second": -2, "first": -3, "yesterday's": -25}
    for name, hour in hours.items():
        runs = tmp_path / "sweeps" / name / "runs"
        runs.mkdir(parents=True)
        os.utime(runs, (time.time() + hour * 3600,) * 2)
    variables = {"TRANSFERS_PROGRAMS": str(tmp_path)}
    completed = run("judge_sweep", "--newest", tmp_path / "sweeps", **variables)
    assert completed.stdout.startswith(f"collect {tmp_path}/sweeps/second/runs\n"), completed
    for name in ("second", "first"):
        shutil.rmtree(tmp_path / "sweeps" / name)
    completed = run("judge_sweep", "--newest", tmp_path / "sweeps", **variables)
    assert completed.returncode == 2
    assert completed.stderr == (
        f"judge_sweep: no sweep began in {tmp_path}/sweeps since yesterday\n"
    )


def test_a_minus_is_stdout_and_no_file(programs: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    variables = {"TRANSFERS_PROGRAMS": str(programs), "TRANSFERS_GPUS": "1", "NODE_NAME": "n0"}
    assert run("node_sweep", runs, *ON_THE_HOST, **variables).returncode == 0
    sweep = tmp_path / "sweep.json"
    (file,) = runs.glob("*/*.json")
    folder = tmp_path / "empty"
    folder.mkdir()
    for program, *arguments in (
        ("fleet_transfers", "collect", runs, f"--out={sweep}"),
        *(
            ("fleet_transfers", "judge", sweep, f"--{output}=-")
            for output in ("json", "markdown", "junit", "openmetrics")
        ),
        ("fleet_transfers", "history", sweep, "--json=-"),
        ("fleet_transfers", "collect", runs, "--out=-"),
        ("gate_transfers", "check", file, file, "--json=-"),
        ("gate_transfers", "pin", file, "--out=-"),
        ("bench_transfers", *ON_THE_HOST, "--out=-"),
        ("bench_transfers", "fleet", *ON_THE_HOST, "--mpi=none", "--out=-"),
        ("bench_transfers", "advise", f"--from={file}", "--json=-"),
        ("bench_transfers", "map", "--device=host", "--out=-"),
    ):
        completed = call([programs / program, *arguments], cwd=folder, timeout=60)
        assert list(folder.iterdir()) == [], completed


def test_the_line_of_the_docs_gives_metrics_to_the_exporter(tmp_path: Path) -> None:
    text = (INTEGRATIONS.parent / "docs/SITE.md").read_text("utf-8")
    (command,) = re.findall(r"^[\d *]+ root (.*judge_sweep --newest.*)$", text, re.MULTILINE)
    for folder in ("/shared", "/var/lib"):
        assert folder in command
        command = command.replace(folder, str(tmp_path))
    (tmp_path / "sweeps/tonight/runs").mkdir(parents=True)
    (tmp_path / "prometheus/node-exporter").mkdir(parents=True)
    # `judge` writes the metrics.
    write_script(
        tmp_path / "transfers/fleet_transfers",
        'case $1 in judge) out="${@: -1}"; echo 1 >"${out#--openmetrics=}" ;; esac',
    )
    (tmp_path / "transfers/integrations").symlink_to(INTEGRATIONS)
    subprocess.run(["sh", "-c", command], check=True, timeout=60)
    assert (tmp_path / "prometheus/node-exporter/transfers.prom").read_text() == "1\n"
