"""Defaults of a site (TRANSFERS_SITE_FILE): the command line and variables count more."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from program import ALL_RAN, USAGE, Program, Result, assert_complains, read

SITE = """\
# for all runs here
device = "host"
sizes = 64KiB,1MiB
cache = warm
benchmark_repetitions = 3
benchmark_min_time = 0.001
"""
STRATEGIES = "--strategies=paced/first,paced/second"


def site(tmp_path: Path, text: str = SITE) -> dict[str, str]:
    file = tmp_path / "site.conf"
    file.write_text(text)
    return {"TRANSFERS_SITE_FILE": str(file)}


def site_defaults(result: Result) -> Any:
    return result.transfers["run"]["site_defaults"]


def test_a_run_takes_the_defaults_and_records_them(paced: Program, tmp_path: Path):
    result = paced.run_and_read(STRATEGIES, env=site(tmp_path))
    assert len(result.names()) == 8
    assert len(result.rows) == 24
    options = [
        "--device=host",
        "--sizes=64KiB,1MiB",
        "--cache=warm",
        "--benchmark_repetitions=3",
        "--benchmark_min_time=0.001",
    ]
    assert site_defaults(result) == {"file": "site.conf", "options": options}
    assert "--device=host" in result.transfers["run"]["options"]
    assert "--sizes=64KiB,1MiB" in result.transfers["run"]["options"]


def test_the_command_line_counts_more(paced: Program, tmp_path: Path):
    result = paced.run_and_read(STRATEGIES, "--sizes=4KiB", env=site(tmp_path))
    assert {row["run_name"].rpartition("/")[2] for row in result.rows} == {"4KiB"}
    assert len(result.rows) == 12
    assert [option.partition("=")[0] for option in site_defaults(result)["options"]] == [
        "--device",
        "--cache",
        "--benchmark_repetitions",
        "--benchmark_min_time",
    ]


def test_a_variable_counts_more(paced: Program, tmp_path: Path):
    env = site(tmp_path) | {"BENCHMARK_REPETITIONS": "2"}
    result = paced.run_and_read(STRATEGIES, env=env)
    assert len(result.rows) == 16
    assert "--benchmark_repetitions=3" not in site_defaults(result)["options"]


def test_an_empty_variable_is_no_site_file(paced: Program):
    arguments = ("--device=host", "--sizes=4KiB", "--cache=warm")
    result = paced.run_and_read(STRATEGIES, *arguments, env={"TRANSFERS_SITE_FILE": ""})
    assert site_defaults(result) is None


def test_a_resumed_run_has_the_options_of_its_file(paced: Program, tmp_path: Path):
    env = site(tmp_path, SITE + "max-time = 5ms\n")
    first = paced.run_and_read(STRATEGIES, env=env)
    assert first.transfers["complete"] is False
    assert first.transfers["run"]["max_time_s"] == 0.005
    other = site(tmp_path, "sizes = 4KiB\n")
    paced.run(f"--resume={first.path}", env=other, expected=ALL_RAN)
    whole = read(first.path)
    assert whole.transfers["complete"] is True
    assert len(whole.rows) == 24
    assert whole.transfers["run"]["options"] == first.transfers["run"]["options"]
    assert site_defaults(whole) == site_defaults(first) is not None


BAD = {
    "out = here.json": "'out' is not among what it may set: device, profile",
    "resume = here.json": "'resume' is not among",
    "seed = 5": "'seed' is not among",
    "strategies = copy": "'strategies' is not among",
    "no-such-option = 5": "'no-such-option' is not among",
    "sweep = monday": "'sweep' is not among",
    "sizes = many": "bad size 'many'",
    "profile = slow": "unknown profile 'slow'",
    "cache = lukewarm": "bad --cache 'lukewarm'",
    "benchmark_repetitions = -1": "bad --benchmark_repetitions",
    "benchmark_repetitions = three": "benchmark_repetitions",
    "max-time = soon": "bad --max-time 'soon'",
    "device = nothing": "bad device 'nothing'",
    "device = 0": "did you mean cuda:0?",
    "device = host,cuda:0": "cannot be measured together",
    "profile =": "--profile needs a value",
    "sizes = ,": "--sizes needs a value",
    "[run]\nprofile = quick": "line 1: '[run]' is not among",
    "profile = quick\n[run]\n": "line 2: '[run]' is not among",
    "run.profile = quick": "'run.profile' is not among",
    "profile = quick\ncache = warm\nprofile = full": "line 3: 'profile' is there twice",
    "profile = quick\nprofile = full": "line 2: 'profile' is there twice",
    "\x00\x01\x02\x03": "is not among",
    "profile": "line 1: unknown profile 'true'",
    "profile quick": "line 1: 'profile quick' is not among",
    '"profile" = slow': "line 1: ",
    "# all\n\ncache = warm\ndevice = nothing\nprofile = full\n": "line 4: bad device 'nothing'",
    "cache = warm\nsizes = 4KiB\nsweep = 1": "line 3: 'sweep' is not among",
}


@pytest.mark.parametrize(("text", "complaint"), BAD.items(), ids=[repr(text) for text in BAD])
def test_what_it_may_not_say_is_a_usage_error(
    paced: Program, tmp_path: Path, text: str, complaint: str
):
    """Also if the command line has the option."""
    for arguments in (("--device=host", "--strategies=paced"), ("--sizes=4KiB",)):
        completed = paced.run(*arguments, env=site(tmp_path, text))
        assert_complains(completed, USAGE, "site.conf", complaint)


@pytest.mark.parametrize(
    "text",
    [
        "sizes=4KiB,64KiB",
        "  sizes = 4KiB, 64KiB  # small ones\r\n; nothing else\n\n",
        'sizes = "4KiB,64KiB"',
        "sizes = [4KiB, 64KiB]",
        'sizes = "4KiB", "64KiB"',
    ],
)
def test_blanks_quotes_and_comments_do_not_count(paced: Program, tmp_path: Path, text: str):
    env = site(tmp_path, text)
    arguments = ("--device=host", "--cache=warm", "--benchmark_repetitions=2")
    result = paced.run_and_read(STRATEGIES, *arguments, env=env)
    assert site_defaults(result)["options"] == ["--sizes=4KiB,64KiB"]


def test_a_list_of_devices_of_the_site_is_taken(paced: Program, tmp_path: Path):
    env = site(tmp_path, "device = host:0,host:1\nsizes = 4KiB\ncache = warm\n")
    result = paced.run_and_read(STRATEGIES, env=env)
    assert [device["id"] for device in result.transfers["devices"]] == ["host:0", "host:1"]


def test_a_file_that_cannot_be_read_is_a_usage_error(paced: Program, tmp_path: Path):
    for name, why in ((tmp_path / "none.conf", "No such file"), (tmp_path, "it is a folder")):
        completed = paced.run("--device=host", env={"TRANSFERS_SITE_FILE": str(name)})
        assert_complains(completed, USAGE, str(name), why)


@pytest.mark.parametrize(
    "arguments",
    [("--help",), ("--version",), ("--list",), ("--list=all",), ("--generate=complete-bash",),
     ("fleet", "--help"), ("fleet", "--list"), ("advise", "--help"), ("compare", "--help")],
)  # fmt: skip
@pytest.mark.parametrize("text", ["sizes = many", "out = here.json", "device = nothing"])
def test_a_bad_file_keeps_nobody_from_asking(
    paced: Program, tmp_path: Path, arguments: tuple[str, ...], text: str
):
    with_it = paced.run(*arguments, env=site(tmp_path, text))
    without = paced.run(*arguments, env={"TRANSFERS_SITE_FILE": ""})
    assert with_it.code == ALL_RAN, with_it
    assert with_it.out == without.out


def test_commands_do_not_take_the_defaults_of_runs(paced: Program, tmp_path: Path):
    """Neither `export`, which has no sizes, nor the ranks of a fleet."""
    env = site(tmp_path)
    result = paced.run_and_read(STRATEGIES, env=env)
    paced.run("export", result.path, "--format=csv", env=env, expected=ALL_RAN)
    folder = tmp_path / "sweep"
    arguments = ("--device=host", "--strategies=paced/first", "--sizes=4KiB", "--cache=warm")
    paced.run("fleet", *arguments, f"--out={folder}", env=env, expected=ALL_RAN)
    (file,) = folder.rglob("*.json")
    assert {row["run_name"] for row in read(file).rows} == {
        "paced/first/h2d/4KiB",
        "paced/first/d2h/4KiB",
    }
    assert read(file).transfers["run"]["site_defaults"] is None


def test_a_file_that_others_could_have_written_is_refused(paced: Program, tmp_path: Path):
    env = site(tmp_path, "sizes = 4KiB\n")
    file = Path(env["TRANSFERS_SITE_FILE"])
    for path in (file, tmp_path):
        before = path.stat().st_mode
        for writable in (0o020, 0o002):
            path.chmod(before | writable)
            completed = paced.run("--device=host", env=env)
            assert_complains(completed, USAGE, str(file), f"others may write to {path} (mode")
        path.chmod(before)
