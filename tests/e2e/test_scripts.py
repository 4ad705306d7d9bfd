"""Answers of the scripts on a machine where nothing is installed or built yet."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from calls import call
from gate_files import Lab
from program import NOTHING_RAN, ROOT, Program, assert_complains, environment, has_gpu
from test_modes import VALUES as OF_RUNS

SCRIPTS = ("bench", "gate", "lint", "package", "pin", "reference", "report", "test")
# Programs that install or build.
TRAPS = ("apt-get", "sudo", "dpkg-query", "cmake", "doxygen", "ninja", "pip", "python3", "nvcc")


@dataclass(frozen=True)
class Clone:
    """A copy of the files that scripts use, and a PATH full of traps."""

    root: Path
    traps: Path

    def run(self, script: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return call(
            [self.root / "scripts" / script, *arguments],
            env=environment({"PATH": f"{self.traps}:/usr/bin:/bin"}),
            cwd=self.root,
        )

    @property
    def trapped(self) -> bool:
        return (self.traps / "sprung").exists()

    @property
    def files(self) -> set[Path]:
        return set(self.root.rglob("*"))


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    root, traps = tmp_path / "clone", tmp_path / "traps"
    shutil.copytree(ROOT / "scripts", root / "scripts")
    for name in (
        "CMakeLists.txt",
        "packaging/requirements.toml",
        "plots/requirements.txt",
        "tests/requirements.txt",
    ):
        (root / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    traps.mkdir()
    for name in TRAPS:
        trap = traps / name
        trap.write_text(f"#!/bin/sh\necho '{name}' \"$@\" | tee -a '{traps}/sprung' >&2\nexit 99\n")
        trap.chmod(0o755)
    return Clone(root, traps)


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.parametrize("question", ["--help", "-h", "--version"])
def test_a_question_is_answered_at_once(clone: Clone, script: str, question: str):
    before = clone.files
    completed = clone.run(script, question)
    assert (completed.returncode, completed.stderr, clone.trapped) == (0, "", False)
    if question == "--version":
        assert re.match(r"bench_transfers \d+\.\d+\.\d+ \(.+\)\n$", completed.stdout)
    else:
        assert re.search(rf"^  scripts/{script}\b", completed.stdout, re.MULTILINE)
    assert clone.files == before


@pytest.mark.parametrize(
    ("script", "arguments", "complaint"),
    [
        *((script, ("--profil=quick",), "--profil=quick") for script in SCRIPTS),
        *((script, ("a", "--frobnicate"), "--frobnicate") for script in ("gate", "report")),
        ("bench", ("--strategies", "copy", "null", "--size=1MiB"), "--size=1MiB"),
        ("bench", ("--device", "host", "quick"), "quick"),
        ("bench", ("--benchmark_fliter=x",), "--benchmark_fliter=x"),
        ("bench", ("advise", "--bytes=1MiB"), "advise"),
        ("gate", ("baseline.json", "--treshold=2%"), "--treshold=2%"),
        ("gate", ("baseline.json", "--", "--strategie=copy"), "--strategie=copy"),
        ("bench", ("--sizes=4KiB", "--profile"), "--profile needs a value"),
        ("bench", ("--strategies",), "--strategies needs a value"),
        ("bench", ("--profile=fast",), "unknown profile fast"),
        ("bench", ("--hlep\x1b[2J",), r"--hlep\E[2J"),
        ("lint", ("src",), "src"),
        ("package", (), "deb, bundle, wheel or report?"),
        ("package", ("rpm",), "rpm is neither deb nor bundle nor wheel nor report"),
        ("reference", ("include",), "include"),
        ("report", (), "which result files?"),
        ("report", ("missing.json", "--out=x"), "missing.json: No such file"),
        *((script, ("empty.json",), "empty.json: it is empty") for script in ("gate", "report")),
        ("gate", ("scripts",), "scripts: it is a folder"),
        ("test", ("unit",), "unit"),
        ("test", ("src/missing",), "src/missing"),
    ],
)
def test_a_typo_is_found_at_once(
    clone: Clone, script: str, arguments: tuple[str, ...], complaint: str
):
    (clone.root / "empty.json").touch()
    before = clone.files
    completed = clone.run(script, *arguments)
    assert (completed.returncode, completed.stdout, clone.trapped) == (2, "", False), (
        completed.stderr
    )
    assert completed.stderr.startswith(f"{script}: ")
    assert complaint in completed.stderr
    assert completed.stderr.count("\n") == 1
    assert clone.files == before


# Unusual forms: values that begin with a dash or follow a blank, and several values.
RIGHT_FOR_BENCH = (
    *("--device", "host", "--strategies", "copy", "null", "--seed=1", "--v", "3"),
    *("--benchmark_filter", "-.", "--strategies=copy/pageable/h2d", "copy/pageable/d2h"),
    *("--inject", "corrupt@copy", "fail@null"),
)


def test_bench_transfers_takes_what_scripts_bench_takes(program: Program, tmp_path: Path):
    completed = program.run(*RIGHT_FOR_BENCH, cwd=tmp_path)
    assert_complains(completed, NOTHING_RAN, "nothing to run")


def test_valid_arguments_start_the_installation(clone: Clone, tmp_path: Path):
    """And so trigger a trap: otherwise the tests above would show nothing."""
    Lab(tmp_path, seed=1).runs(1)
    (baseline := clone.root / "baseline.json").write_text("{}")
    for script, arguments in {
        "bench": RIGHT_FOR_BENCH,
        "gate": (baseline.name, "--threshold=2%", "--all", "--", "--profile=quick"),
        "lint": ("--tidy",),
        "reference": (),
        "report": (baseline.name, "--out", "x", f"--baseline={baseline.name}"),
        "test": ("--nightly", "--sanitize", "--slurm", "--integrations", "--packages"),
    }.items():
        completed = clone.run(script, *arguments)
        assert completed.returncode != 0
        assert clone.trapped, (script, completed.stderr)
        (clone.traps / "sprung").unlink()


@pytest.mark.nightly
def test_each_room_has_tests(clone: Clone):
    """Or so scripts/test thinks, which then begins to install."""
    shutil.copytree(ROOT / "tests/unit", clone.root / "tests/unit")
    text = (ROOT / "docs/ARCHITECTURE.md").read_text("utf-8")
    rooms = re.findall(r"^\| `([a-z_/]+)` \| ", text, re.MULTILINE)
    assert rooms
    for room in rooms:
        source = room if (ROOT / room).is_dir() else f"src/{room}"
        (clone.root / source).mkdir(parents=True, exist_ok=True)
        completed = clone.run("test", room)
        assert clone.trapped, completed.stderr
        (clone.traps / "sprung").unlink()


@pytest.mark.parametrize("out", [("--out=-",), ("--out", "/dev/stdout")])
def test_a_result_that_is_printed_is_not_drawn(
    clone: Clone, program: Program, tmp_path: Path, out: tuple[str, ...]
):
    completed = call(
        [clone.root / "scripts/bench", "--strategies=null", "--device=host", "--quiet", *out],
        env=environment(
            {"PATH": f"{clone.traps}:/usr/bin:/bin", "TRANSFERS_BIN": str(program.path.parent)}
        ),
        cwd=tmp_path,
    )
    assert (completed.returncode, completed.stderr) == (0, "")
    context = json.loads(completed.stdout)["context"]["transfers"]
    assert context["run"]["profile"] == "quick"
    assert not clone.trapped
    assert not list(clone.root.rglob("*.json"))


def test_a_program_that_is_built_answers_itself(clone: Clone, program: Program):
    (clone.root / "build").mkdir()
    (clone.root / "build/bench_transfers").symlink_to(program.path)
    assert clone.run("bench", "--version").stdout == program.run("--version").out
    text = clone.run("bench", "--help").stdout
    assert text.endswith(program.run("--help").out)
    assert not clone.trapped


# A folder of downloads, from which the command is given


def fill_with_decoys(folder: Path, ran: Path) -> None:
    """Everything in the folder that could be run by mistake leaves a trace."""
    folder.mkdir()
    programs = {path.name for place in ("/bin", "/usr/bin") for path in Path(place).glob("[a-z]*")}
    for name in sorted({*programs, *TRAPS, "bench_transfers", "gate_transfers", "clang-format"}):
        (folder / name).write_text(f"#!/bin/sh\necho '{name}' >>'{ran}'\nexit 98\n")
        (folder / name).chmod(0o755)
    for name in ("build", "scripts", ".venv/bin"):
        (folder / name).mkdir(parents=True)
        for program in ("bench_transfers", "gate_transfers", "report", "python"):
            shutil.copy(folder / "bench_transfers", folder / name / program)
    for name in (*(path.name for path in (ROOT / "scripts").glob("*.sh")), ".bashrc", ".profile"):
        (folder / name).write_text(f"echo '{name}' >>'{ran}'\n")
    for name in ("venv", "pip", "altair", "random", "json", "sitecustomize", "usercustomize"):
        (folder / f"{name}.py").write_text(f"open({str(ran)!r}, 'a').write('{name}.py\\n')\n")
    command = f"execute_process(COMMAND touch {ran})"
    (folder / "CMakeLists.txt").write_text(command)
    preset = {"name": "programs", "toolchainFile": "CMakeLists.txt", "binaryDir": "build"}
    for name in ("CMakePresets.json", "CMakeUserPresets.json"):
        document = {"version": 3, "configurePresets": [preset]}
        (folder / name).write_text(json.dumps(document))


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        ("bench", ("--sizes=4KiB",)),
        ("gate", ("baseline.json",)),
        ("lint", ()),
        ("package", ("deb",)),
        ("reference", ()),
        ("report", ("baseline.json",)),
        ("test", ()),
    ],
)
def test_nothing_of_the_current_directory_runs(
    clone: Clone, tmp_path: Path, script: str, arguments: tuple[str, ...]
):
    downloads, ran = tmp_path / "downloads", tmp_path / "ran"
    fill_with_decoys(downloads, ran)
    (downloads / "baseline.json").write_text("{}")
    completed = call(
        [clone.root / "scripts" / script, *arguments],
        env=environment(
            {
                "PATH": f"{clone.traps}:/usr/bin:/bin:.::build:",
                "CDPATH": ".:build",
                "PYTHONPATH": ".",
                "PYTHONSTARTUP": "json.py",
            }
        ),
        cwd=downloads,
    )
    assert not ran.exists(), ran.read_text()
    assert clone.trapped, completed.stderr  # it got as far as installing or building


@pytest.mark.parametrize("name", ["PATH", "CDPATH", "PYTHONPATH", "PYTHONOPTIMIZE", "PYTHONHOME"])
def test_the_environment_changes_nothing_that_runs(name: str, tmp_path: Path):
    command = f'. {ROOT}/scripts/setup.sh; printf "%s\\n" "${{{name}-unset}}"'
    value = "/usr/bin:.:/bin::relative" if name == "PATH" else str(tmp_path)
    completed = call(
        ["/bin/bash", "-c", command], env={"PATH": "/usr/bin:/bin", name: value}, expected=0
    )
    assert completed.stdout == ("/usr/bin:/bin\n" if name == "PATH" else "unset\n")


ESCAPES = "\x1b[2J\x07\n"


@pytest.mark.parametrize(
    ("script", "arguments"),
    [
        *((script, (f"--{ESCAPES}",)) for script in SCRIPTS),
        ("bench", (f"--profile={ESCAPES}",)),
        ("gate", (ESCAPES,)),
        ("gate", ("a", ESCAPES)),
        ("gate", ("a", f"--runs={ESCAPES}")),
        ("gate", ("baseline.json", "--", f"--out={ESCAPES}")),
        ("gate", ("baseline.json",)),
        ("report", (ESCAPES,)),
        ("report", ("baseline.json",)),
    ],
)
def test_complaints_control_no_terminal(
    clone: Clone, monkeypatch: pytest.MonkeyPatch, script: str, arguments: tuple[str, ...]
):
    monkeypatch.setenv("TRANSFERS_BIN", f"missing{ESCAPES}")
    (clone.root / "baseline.json").write_text("{}")
    completed = clone.run(script, *arguments)
    assert (completed.returncode, completed.stdout, clone.trapped) == (2, "", False)
    assert completed.stderr.removesuffix("\n").isprintable(), completed.stderr


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
@pytest.mark.parametrize("hidden", ["\u202e", "\u200b", "\xad", "\u2028", "\ufeff", "\U000e0041"])
@pytest.mark.parametrize("script", SCRIPTS)
def test_complaints_hide_nothing(
    clone: Clone, monkeypatch: pytest.MonkeyPatch, script: str, hidden: str, locale: str
):
    monkeypatch.setenv("LC_ALL", locale)
    completed = clone.run(script, f"--no{hidden}such")
    assert (completed.returncode, completed.stdout) == (2, "")
    assert completed.stderr.removesuffix("\n").isprintable(), completed.stderr


def test_complaints_show_letters_as_they_are(clone: Clone, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert "unknown argument --größe " in clone.run("bench", "--größe").stderr


# The scripts know the options of the programs.


def known(name: str) -> set[str]:
    """A list of scripts/arguments.sh."""
    command = f'. {ROOT}/scripts/setup.sh; printf "%s\\n" "${{{name}[@]}}"'
    completed = call(["bash", "-c", command], expected=0)
    return set(completed.stdout.split())


def in_help(text: str) -> set[str]:
    """The options in a program's help, in the form of scripts/arguments.sh."""
    block = text.partition("\nOptions:\n")[2].partition("\n\n")[0]
    options = re.findall(r"^  (-\S+)((?: [A-Z]\S*)?(?: \.\.\.)?)", block, re.MULTILINE)
    assert options
    takes = {"": "", "...": "=..."}
    return {
        name + takes.get(value.split()[-1] if value else "", "=")
        for names, value in options
        for name in names.split(",")
        if name not in ("-h", "--help", "--version", "--generate")
    }


VALUES = OF_RUNS | {
    "--processes": "3",
    "--benchmark_perf_counters": "CYCLES",
    "--list": "all",
    "--concurrent": "cuda:0:both" if has_gpu() else "host:both",
    "--inject": "fail@null",
}  # other options: true


def google_flags(program: Program) -> set[str]:
    """The flags in the usage text of Google Benchmark, in the program or its library."""
    libraries = call(["ldd", program.path])
    files = [program.path, *map(Path, re.findall(r"(/\S*benchmark\S*)", libraries.stdout))]
    flags = {name for file in files for name in re.findall(rb"\[(--\w+)=", file.read_bytes())}
    return {name.decode() for name in flags}


def test_the_options_of_bench_transfers_are_known(program: Program):
    ours = {option for option in known("bench_options") if not option.startswith("--benchmark_")}
    not_in_help = {"--inject=...", "--v="}
    assert ours - not_in_help == in_help(program.run("--help").out) - {"--benchmark_out="}
    assert not_in_help < ours
    google = google_flags(program)
    assert "--benchmark_filter" in google
    assert google <= {option.partition("=")[0] for option in known("bench_options")}


@pytest.mark.parametrize(
    # A run that is resumed has the options of its file, and lists nothing.
    "option",
    sorted(known("bench_options") - {"--resume="}),
)
def test_bench_transfers_takes_each_option_that_is_known(
    program: Program, tmp_path: Path, option: str
):
    name, value, repeatable = option.partition("=")
    argument = VALUES.get(name, "true")
    forms = (
        [(f"{name}={argument}",)]
        + [(name, argument)] * bool(value)
        + [(name, argument, argument)] * bool(repeatable)
    )
    for form in forms:
        completed = program.run("--list", *form, cwd=tmp_path)
        shown = "--out" if name == "--benchmark_out" else name
        no_effect = f"bench_transfers: {shown} has no effect with --list\n"
        assert (completed.code, completed.err) in [(0, ""), (2, no_effect)], form


def test_the_options_of_gate_transfers_are_known(gate: Program):
    assert known("gate_options") == in_help(gate.run("check", "--help").out)


def test_the_options_of_reports_are_known():
    (line,) = re.findall(
        r"^check_options (.*) FILE -- ", (ROOT / "scripts/report").read_text("utf-8"), re.MULTILINE
    )
    completed = call([sys.executable, "-m", "plots", "--help"], cwd=ROOT, expected=0)
    options = set(re.findall(r"^  (--[\w-]+) ", completed.stdout, re.MULTILINE))
    # The script itself sets these, and answers the last.
    assert options - {"--program", "--gate", "--fleet", "--version"} == {
        option.rstrip("=") for option in line.split()
    }
