"""Options without an effect in the mode that is chosen are refused: each option with each mode."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from calls import call
from program import NOTHING_RAN, ROOT, USAGE, Program
from test_completion import COMMANDS, beside
from test_completion import options as options_of

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
    "--benchmark_list_tests": (
        ("--benchmark_list_tests", *NOTHING),
        PLACES | {"--seed", "--inject"},
    ),
    "--cache=warm": (("--cache=warm", *NOTHING), {"--cold-sizes"}),
    "--cache without warm, and --cold-sizes": (
        ("--cache=cold", "--cold-sizes=4KiB", *NOTHING),
        {"--sizes"},
    ),
    "--benchmark_out_format=csv": (
        ("--benchmark_out_format=csv", "--out=out.csv", *NOTHING),
        {"--label", "--note"},
    ),
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
        if option != "--cache" or not words.startswith("--cache without")
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


@pytest.mark.parametrize("variable", ["BENCHMARK_FORMAT=json", "BENCHMARK_OUT=-"])
def test_what_variables_set_chooses_no_mode(
    program: Program, tmp_path: Path, variable: str
) -> None:
    """Whoever gives --brief has typed no such thing."""
    name, value = variable.split("=")
    completed = program.run("--brief", *NOTHING, cwd=tmp_path, env={name: value})
    assert "has no effect" not in completed.err, completed


def test_a_site_chooses_no_cold_sizes_away(program: Program, tmp_path: Path) -> None:
    site = tmp_path / "site.conf"
    site.write_text("cache=warm\n", "utf-8")
    completed = program.run(
        "--cold-sizes=4KiB", *NOTHING, cwd=tmp_path, env={"TRANSFERS_SITE_FILE": str(site)}
    )
    assert (completed.code, completed.err) == (
        USAGE,
        "bench_transfers: --cold-sizes has no effect with --cache=warm\n",
    )


def test_the_table_names_options_that_there_are() -> None:
    for _, without_effect in MODES.values():
        assert without_effect <= {*options()}


# The same of each command: values of its options, and its modes.
NONE = "none.json"  # is not there: nothing is answered
LIMITS = {"--threshold": "2%", "--latency-threshold": "5%", "--false-alarm": "1%"}
METRIC = {"--judge-by": "real_time", "--of-repetitions": "median"}
OUTPUTS = {"--json": "answer.json", "--markdown": "answer.md", "--junit": "answer.xml"}
OF_RANKS = {
    "--sweep": "monday",
    "--rack": "north",
    "--mpi": "none",
    "--wait": "1",
    "--ranks-per-node": "1",
}
COMMAND_VALUES = {
    "--allow-different": "device.name",
    "--allow-missing": "x",
    "--buffer-size": "512",
    "--bytes": "1MiB",
    "--confirm": "a,b",
    "--cpu-reads": "2",
    "--cpu-writes": "2",
    "--decide-by": "link",
    "--devices": "all",
    "--direction": "h2d",
    "--for": "duplex",
    "--from": NONE,
    "--gpu": "GPU-1",
    "--history": NONE,
    "--host-map": NONE,
    "--looks": "2",
    "--map": "map.json",
    "--of-device": "cuda:0",
    "--openmetrics": "answer.prom",
    "--reference": NONE,
    "--replaces": NONE,
    "--reuse": "2",
    "--runs": "3",
    "--size": "4KiB",
    "--slowest": "1",
    "--with": NONE,
    "--within": "1",
    **(VALUES | LIMITS | METRIC | OUTPUTS | OF_RANKS),
}
FORMAT_VALUES = {"export": "csv", "import": "nvbandwidth"}
RANKED = ("--bytes=1MiB", f"--from={NONE}")


def refused(words: str, *options: str) -> dict[str, str]:
    """What is said where these options have no effect in a mode."""
    return {option: f"{option} has no effect with {words}" for option in options}


OF_ROLE = refused("--for=ROLE", "--map", "--check")
MAP_OF_ROLE = {"--for": "--map has no effect with --for=ROLE"}
ALONE = refused("a process that no launcher has started", "--wait", "--ranks-per-node")
OF_CHECK = refused("--check", "--bytes", "--direction", "--reuse")
IN_LIST = MEASURING | (PLACES - {"--out"}) | FORMATS
# Each mode of each command: a command line, and what is said where an option is added to it.
COMMAND_MODES: dict[tuple[str, str], list[tuple[tuple[str, ...], dict[str, str]]]] = {
    ("bench_transfers", "advise"): [
        ((*RANKED, "--direction=h2d"), {"--check": OF_CHECK["--bytes"]}),
        ((*RANKED, "--for=duplex"), OF_ROLE),
        (
            (*RANKED, "--for=interference"),
            OF_ROLE
            | refused(
                "--for=ROLE of a role that has no costs of memory",
                *("--reuse", "--cpu-writes", "--cpu-reads"),
            ),
        ),
        (
            ("--check", f"--from={NONE}"),
            OF_CHECK
            | refused("--check alone", "--cpu-writes", "--cpu-reads")
            | {"--for": "--check has no effect with --for=ROLE"},
        ),
        (("--check", "--map=map.json", f"--from={NONE}"), OF_CHECK | MAP_OF_ROLE),
        (
            ("--map=map.json", f"--from={NONE}"),
            refused("--map alone", "--direction", "--reuse", "--json") | MAP_OF_ROLE,
        ),
        (
            (f"--host-map={NONE}", "--devices=all"),
            refused(
                "--host-map",
                *("--for", "--reuse", "--cpu-writes", "--cpu-reads"),
                *("--from", "--of-device", "--map", "--check"),
            ),
        ),
    ],
    ("bench_transfers", "map"): [(("--device=cuda:99",), {})],
    ("bench_transfers", "doctor"): [(("--device=cuda:99",), {})],
    ("bench_transfers", "fleet"): [
        (("--list",), refused("--list", *IN_LIST, *OF_RANKS)),
        (
            ("--benchmark_list_tests", "--out=sweep", *NOTHING),
            refused(
                "--benchmark_list_tests",
                *("--seed", "--max-time", "--label", "--note", "--brief", "--quiet", "--inject"),
                *OF_RANKS,
            )
            | {"--list": "--benchmark_filter has no effect with --list"},
        ),
        (
            ("--out=sweep", "--quiet", *NOTHING),
            ALONE | refused("--quiet", "--brief") | {"--list": "--quiet has no effect with --list"},
        ),
        (
            ("--out=sweep", "--cache=warm", *NOTHING),
            ALONE
            | refused("--cache=warm", "--cold-sizes")
            | {"--list": "--cache has no effect with --list"},
        ),
    ],
    ("bench_transfers", "export"): [((NONE,), {})],
    ("bench_transfers", "import"): [((NONE,), {})],
    ("bench_transfers", "compare"): [((NONE, NONE), {})],
    ("gate_transfers", "pin"): [
        ((NONE, "--out=-"), refused("--out=- without --replaces", "--new-line")),
        ((NONE, "--out=-", f"--replaces={NONE}"), {}),
        ((NONE, "--out=baseline.json"), {}),
    ],
    ("gate_transfers", "check"): [
        ((NONE, NONE), {}),
        ((NONE, "--dry-run"), {}),
        *(
            ((NONE, NONE, f"{output}=-"), refused("an answer on standard output", "--all"))
            for output in OUTPUTS
        ),
    ],
    ("gate_transfers", "power"): [((NONE,), {})],
    ("gate_transfers", "show"): [((NONE,), {})],
    ("gate_transfers", "history"): [((NONE,), {})],
    ("fleet_transfers", "collect"): [((NONE, "--out=sweep.json"), {})],
    ("fleet_transfers", "judge"): [
        ((NONE,), {}),
        ((NONE, "--openmetrics=-"), {}),
    ],
    ("fleet_transfers", "show"): [((NONE,), {})],
    ("fleet_transfers", "history"): [((NONE,), {})],
}


@pytest.mark.parametrize(("name", "command"), COMMAND_MODES)
def test_what_has_no_effect_in_a_command_is_refused(
    program: Program, tmp_path: Path, name: str, command: str
) -> None:
    known = options_of(program, name, command) - {"-h", "--help", "--version", "--generate"}
    for arguments, refusals in COMMAND_MODES[name, command]:
        given = {argument.partition("=")[0] for argument in arguments}
        for option in known - given:
            value = FORMAT_VALUES[command] if option == "--format" else COMMAND_VALUES.get(option)
            added = option if value is None else f"{option}={value}"
            folder = tmp_path / f"{len([*tmp_path.iterdir()])}"
            folder.mkdir()
            completed = beside(program, name).run(command, *arguments, added, cwd=folder)
            if option in refusals:
                assert completed.err == f"{name}: {refusals[option]}\n", (arguments, added)
                assert (completed.code, completed.out) == (USAGE, "")
                assert not list(folder.iterdir())
            else:
                assert "has no effect" not in completed.err, (arguments, added)
                assert "unknown argument" not in completed.err
                assert "needs a value" not in completed.err


def test_each_command_has_its_modes() -> None:
    commands = {(name, command) for name in COMMANDS for command in COMMANDS[name] if command}
    assert commands == COMMAND_MODES.keys()


def test_each_mode_of_the_programs_is_tried() -> None:
    tried = {*MODES} | {
        refusal.partition(" has no effect with ")[2]
        for modes in COMMAND_MODES.values()
        for _, refusals in modes
        for refusal in refusals.values()
    }
    for folder in ("bench/cli", "bench/commands", "src/gate/cli"):
        source = "".join(file.read_text("utf-8") for file in (ROOT / folder).glob("*.cpp"))
        words = re.findall(r'(?:\{mode::\w+|\{(?:"--[-a-z]+",?\s*)+\}),\s*"([^"]+)"', source)
        assert words
        assert tried >= {*words}, folder


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
            expected=0,
        )
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
    program.run(*SHORT, *option, "--out=a", env=variable, cwd=tmp_path, expected=0)
    program.run(*SHORT, *option, "--out=-", env=variable, cwd=tmp_path, expected=0)
    program.run(*SHORT[:4], *SHORT[5:], *option, env=variable, cwd=tmp_path, expected=0)


def test_a_folder_that_takes_no_file_is_no_place(program: Program, tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = " ".join(program.command(*SHORT))
    completed = call(["sh", "-c", f"cd {gone} && rmdir {gone} && exec {command}"])
    assert (completed.returncode, completed.stdout) == (2, "")
    assert NOWHERE in completed.stderr


def test_no_benchmark_has_the_name_that_measures_nothing(program: Program) -> None:
    program.run(*NOTHING, expected=NOTHING_RAN)
