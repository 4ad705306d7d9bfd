"""Options without an effect in the mode that is chosen are refused: each option with each mode."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from program import NOTHING_RAN, Program

ROOT = Path(__file__).resolve().parents[2]
# Nothing is measured: no benchmark has this name.
NOTHING = ("--device=host", "--benchmark_filter=^nothing$")
VALUES = {
    "--device": "host",
    "--profile": "quick",
    "--sizes": "4KiB",
    "--cold-sizes": "4KiB",
    "--cache": "warm",
    "--strategies": "null",
    "--concurrent": "host:0:h2d+host:0:d2h",
    "--seed": "1",
    "--max-time": "10s",
    "--resume": "none.json",
    "--out": "out.json",
    "--benchmark_out": "out.json",
    "--label": "key=value",
    "--note": "text",
    "--inject": "corrupt@null",
    "--v": "1",
    "--benchmark_filter": "^nothing$",
    "--benchmark_repetitions": "1",
    "--benchmark_min_time": "0.001",
    "--benchmark_min_warmup_time": "0",
    "--benchmark_out_format": "json",
    "--benchmark_format": "json",
    "--benchmark_color": "false",
    "--benchmark_context": "key=value",
    "--benchmark_perf_counters": "",
    "--benchmark_time_unit": "ns",
}
MEASURING = {
    *("--profile", "--sizes", "--cold-sizes", "--cache", "--seed", "--inject"),
    *("--benchmark_filter", "--benchmark_list_tests", "--benchmark_repetitions"),
    *("--benchmark_min_time", "--benchmark_enable_random_interleaving"),
}
PLACES = {"--max-time", "--out", "--label", "--note", "--brief", "--quiet"}
FORMATS = {
    *("--benchmark_out_format", "--benchmark_format"),
    *("--benchmark_report_aggregates_only", "--benchmark_display_aggregates_only"),
}
# What is said of the mode, its command line, and what has no effect in it.
MODES = {
    "--list": (("--list",), MEASURING | PLACES | FORMATS),
    "--benchmark_list_tests": (("--benchmark_list_tests", *NOTHING), PLACES),
    "--cache=warm": (("--cache=warm", *NOTHING), {"--cold-sizes"}),
    "--quiet": (("--quiet", *NOTHING), {"--brief"}),
    "a result on standard output": (("--out=-", *NOTHING), {"--brief"}),
    "": (NOTHING, set()),
}


def options() -> list[str]:
    """All that scripts/bench knows, which other tests compare with the program's."""
    text = (ROOT / "scripts/arguments.sh").read_text("utf-8")
    (known,) = re.findall(r"bench_options=\((.*?)\)", text, re.DOTALL)
    return sorted({word.rstrip(".").rstrip("=") for word in known.split()})


@pytest.mark.parametrize(
    ("words", "option"),
    [
        (words, option)
        for words in MODES
        for option in options()
        # These choose a mode themselves, whose row has the pair.
        if words == "--list" or option not in ("--list", "--benchmark_list_tests")
    ],
)
def test_what_has_no_effect_is_refused(
    program: Program, tmp_path: Path, words: str, option: str
) -> None:
    arguments, without_effect = MODES[words]
    is_flag = option not in VALUES
    given = option if is_flag else f"{option}={VALUES[option]}"
    completed = program.run(*arguments, given, cwd=tmp_path)
    name = "--out" if option == "--benchmark_out" else option
    refusal = f"bench_transfers: {name} has no effect with {words}\n"
    assert (completed.err == refusal) == (name in without_effect), completed
    assert "has no effect" not in completed.err.replace(refusal, "")
    if name in without_effect:
        assert (completed.code, completed.out) == (2, "")
        assert not list(tmp_path.iterdir())


def test_the_table_names_options_that_there_are() -> None:
    for _, without_effect in MODES.values():
        assert without_effect <= {*options()}


def test_variables_are_no_mistake_in_a_list(program: Program) -> None:
    completed = program.run("--list", "--device=host", env={"BENCHMARK_OUT": "x.json"})
    assert (completed.code, completed.err) == (0, "")


def test_a_note_that_looks_like_an_option_leaves_the_site_file(
    program: Program, tmp_path: Path
) -> None:
    site = tmp_path / "site.conf"
    site.write_text("benchmark_repetitions = 4\n", "utf-8")
    for note in ("x", "--resume", "--resume=1"):
        completed = program.run(
            *("--device=host", "--strategies=copy/pageable", "--sizes=4KiB", "--cache=warm"),
            *("--benchmark_min_time=0.0001", "--quiet", "--note", note, "--out=-"),
            env={"TRANSFERS_SITE_FILE": str(site)},
            cwd=tmp_path,
        )
        assert completed.code == 0, completed
        assert completed.out.count('"repetition_index"') == 8  # two directions


NOWHERE = "--quiet: the results would go nowhere"
SHORT = (
    *("--device=host", "--strategies=copy/pageable", "--sizes=4KiB", "--cache=warm", "--quiet"),
    *("--benchmark_repetitions=1", "--benchmark_min_time=0.0001"),
)


@pytest.mark.parametrize("format_", ["csv", "console"])
@pytest.mark.parametrize("by", ["option", "variable"])
def test_results_without_a_place_are_refused(
    program: Program, tmp_path: Path, format_: str, by: str
) -> None:
    option = [f"--benchmark_out_format={format_}"] if by == "option" else []
    variable = {"BENCHMARK_OUT_FORMAT": format_} if by == "variable" else {}
    completed = program.run(*SHORT, *option, env=variable, cwd=tmp_path)
    assert (completed.code, completed.out) == (2, "")
    assert NOWHERE in completed.err
    assert not list(tmp_path.iterdir())
    # Each place suffices.
    assert program.run(*SHORT, *option, "--out=a", env=variable, cwd=tmp_path).code == 0
    assert program.run(*SHORT, *option, "--out=-", env=variable, cwd=tmp_path).code == 0
    assert program.run(*SHORT[:4], *SHORT[5:], *option, env=variable, cwd=tmp_path).code == 0


def test_a_folder_that_takes_no_file_is_no_place(program: Program, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = " ".join(program.command(*SHORT))
    completed = subprocess.run(
        ["sh", "-c", f"cd {gone} && rmdir {gone} && exec {command}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (completed.returncode, completed.stdout) == (2, "")
    assert NOWHERE in completed.stderr


def test_no_benchmark_has_the_name_that_measures_nothing(program: Program) -> None:
    assert program.run(*NOTHING).code == NOTHING_RAN
