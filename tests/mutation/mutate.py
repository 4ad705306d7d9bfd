"""Changes a source file in many small ways, and counts the changes that no unit test notices."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import resource
import shlex
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# The programs of unit tests that look at the sources below a folder, the nearest first.
PROGRAMS = {
    "src/statistics": ["statistics_tests", "gate_tests"],
    "src/gate": ["gate_tests"],
    "src/fleet": ["fleet_tests"],
}
CHEAP_SHARE = 0.1  # of all tests' time: these run first, because they find most
LEAST_CPU_S, LEAST_WALL_S = 10, 300
FACTOR = 5  # a mutant that takes this many times the CPU time of all tests does not end
MOST_BYTES = 4 << 30  # nor may it take all memory
KILLED, TIMED_OUT, SURVIVED = "killed", "timed out", "survived"
NOT_COMPILED, SAME_CODE = "not compiled", "the same code"


@dataclass(frozen=True)
class Mutant:
    """A file with one change."""

    path: Path
    line: int
    before: str
    after: str


@dataclass(frozen=True)
class Outcome:
    """What became of a mutant; `test` is the first that failed."""

    line: int
    before: str
    after: str
    result: str
    test: str = ""


@dataclass(frozen=True)
class TestProgram:
    """Unit tests as they were built, with the command that links them."""

    name: str
    link: list[str]
    cheap: str  # the filter for tests that take little time
    others: str
    cpu_s: float

    def linked_with(self, compiled: Path, program: Path) -> list[str]:
        """Returns the command. What is defined in `compiled` is not taken from the library."""
        command = list(self.link)
        output = command.index("-o") + 1
        command[output] = str(program)
        return [*command[: output + 1], str(compiled), *command[output + 1 :]]


def main() -> int:
    options = parse()
    source = options.file.resolve().relative_to(ROOT)
    build = (ROOT / "build-mutation").resolve()
    names = options.programs or programs_for(source)
    call(["cmake", "--preset", "mutation"], cwd=ROOT)
    call(["cmake", "--build", build, "--target", *names], cwd=ROOT)
    compile_command = find_compile_command(build, source)
    programs = [inspect(build, name) for name in names]
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        mutants = make_mutants(source, Path(folder) / "mutants", options)
        print(f"{source}: {len(mutants)} mutants", file=sys.stderr)
        compiler = Compiler(build, compile_command, ROOT / source, Path(folder))
        with ThreadPoolExecutor(options.jobs) as pool:
            if options.sample:
                random.Random(options.seed).shuffle(mutants)
            outcomes: list[Outcome] = []
            candidates: list[tuple[Mutant, Path]] = []
            known = {digest(compiler.original)}
            for some in batched(mutants, 4 * options.jobs):
                compiled = pool.map(compiler.compile, some)
                sort_out(some, list(compiled), known, outcomes, candidates)
                if options.sample and len(candidates) >= options.sample:
                    del candidates[options.sample :]
                    break
            linker = Linker(build, programs, Path(folder))
            for number, outcome in enumerate(pool.map(linker.judge, candidates), 1):
                outcomes.append(outcome)
                print(f"{number}/{len(candidates)} {outcome.result}", file=sys.stderr)
    outcomes.sort(key=lambda outcome: (outcome.line, outcome.after))
    return report(source, outcomes, options)


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="the source file to change")
    parser.add_argument("--lines", metavar="A-B", help="only changes of these lines")
    parser.add_argument("--sample", type=int, metavar="N", help="only N that compile, by chance")
    parser.add_argument("--seed", type=int, default=1, help="of that chance (default: 1)")
    parser.add_argument(
        "--again", type=Path, metavar="FILE", help="only those that survived in FILE, of --json"
    )
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="at once (default: 2)")
    parser.add_argument("--programs", nargs="+", metavar="NAME", help="the tests, by their target")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write every outcome to FILE")
    parser.add_argument(
        "--least",
        type=float,
        default=0,
        metavar="PERCENT",
        help="exit code 1 if fewer are killed of those that compile to other code",
    )
    return parser.parse_args()


def programs_for(source: Path) -> list[str]:
    for folder, names in PROGRAMS.items():
        if source.is_relative_to(folder):
            return names
    raise SystemExit(f"{source}: name the programs that test it (--programs)")


def call(command: list[str | Path], **options: object) -> str:
    """Returns what the command prints; ends the program with all of it if it fails."""
    completed = subprocess.run(
        list(map(str, command)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,  # type: ignore[call-overload]
    )
    if completed.returncode != 0:
        raise SystemExit(f"{shlex.join(map(str, command))}:\n{completed.stdout}")
    return str(completed.stdout)


def find_compile_command(build: Path, source: Path) -> list[str]:
    """Returns the command without its input and its output."""
    for entry in json.loads((build / "compile_commands.json").read_text()):
        if Path(entry["file"]) == ROOT / source:
            words = without_launcher(shlex.split(entry["command"]))
            for option in ("-o", "-c"):
                place = words.index(option)
                del words[place : place + 2]
            return words
    raise SystemExit(f"{source}: not compiled by the preset mutation")


def without_launcher(words: list[str]) -> list[str]:
    """A cache would keep every mutant."""
    return words[1:] if Path(words[0]).name == "ccache" else words


def inspect(build: Path, name: str) -> TestProgram:
    """Finds how a program is linked, and runs it once to see what its tests take."""
    commands = call(["ninja", "-C", build, "-t", "commands", name]).splitlines()
    parts = [part for line in commands for part in line.split(" && ")]
    (link,) = [
        words
        for words in map(shlex.split, parts)
        if "-o" in words and Path(words[words.index("-o") + 1]).name == name
    ]
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "tests.json"
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        program = build / link[link.index("-o") + 1]
        call([program, f"--gtest_output=json:{out}"], cwd=build)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        suites = json.loads(out.read_text())["testsuites"]
    times = sorted(
        (float(test["time"].removesuffix("s")), f"{suite['name']}.{test['name']}")
        for suite in suites
        for test in suite["testsuite"]
    )
    total, spent, cheap = sum(time for time, _ in times), 0.0, []
    for time, test in times:
        spent += time
        if spent > CHEAP_SHARE * total:
            break
        cheap.append(test)
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return TestProgram(name, without_launcher(link), ":".join(cheap), "*-" + ":".join(cheap), cpu_s)


def make_mutants(source: Path, folder: Path, options: argparse.Namespace) -> list[Mutant]:
    folder.mkdir()
    mutate = Path(sys.executable).with_name("mutate")
    call([mutate, source, "cpp", "--noCheck", "--mutantDir", folder], cwd=ROOT)
    original = (ROOT / source).read_text("utf-8").splitlines()
    mutants = [describe(path, original) for path in sorted(folder.iterdir())]
    if options.lines:
        first, _, last = options.lines.partition("-")
        mutants = [mutant for mutant in mutants if int(first) <= mutant.line <= int(last or first)]
    if options.again:
        outcomes = json.loads(options.again.read_text("utf-8"))["outcomes"]
        survivors = {
            (outcome["line"], outcome["before"], outcome["after"])
            for outcome in outcomes
            if outcome["result"] == SURVIVED
        }
        mutants = [
            mutant for mutant in mutants if (mutant.line, mutant.before, mutant.after) in survivors
        ]
    return sorted(mutants, key=lambda mutant: (mutant.line, mutant.after))


def describe(path: Path, original: list[str]) -> Mutant:
    lines = path.read_text("utf-8").splitlines()
    changes = SequenceMatcher(None, original, lines, autojunk=False).get_opcodes()
    _, begin, end, new_begin, new_end = next(change for change in changes if change[0] != "equal")
    before, after = " ".join(original[begin:end]), " ".join(lines[new_begin:new_end])
    return Mutant(path, begin + 1, before.strip(), after.strip())


class Compiler:
    """Compiles mutants; several threads may share one. Throws SystemExit if the original fails."""

    def __init__(self, build: Path, command: list[str], source: Path, folder: Path) -> None:
        self._build, self._source, self._folder = build, source, folder
        # A mutant that reads an empty optional or beyond an array crashes, whatever is there.
        self._command = [*command, "-w", "-D_GLIBCXX_ASSERTIONS"]
        # What the file includes is read once. Most of a mutant's time is that.
        preamble = folder / "preamble.hpp"
        lines = source.read_text("utf-8").splitlines(keepends=True)
        preamble.write_text("".join(line for line in lines if line.startswith("#include")))
        self._call("-x", "c++-header", "-c", preamble, "-o", f"{preamble}.gch")
        self._command += ["-include", str(preamble)]
        self.original = self.compile(Mutant(source, 0, "", ""))
        if self.original is None:
            raise SystemExit(f"{source} does not compile")

    def compile(self, mutant: Mutant) -> Path | None:
        """Returns the object file, or nothing if there is none."""
        # Under its own name, which may be part of the code.
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        copy, compiled = folder / self._source.name, folder / "mutant.o"
        copy.write_bytes(mutant.path.read_bytes())
        return compiled if self._call("-c", copy, "-o", compiled) else None

    def _call(self, *options: str | Path) -> bool:
        command = [*self._command, *map(str, options)]
        completed = subprocess.run(command, cwd=self._build, capture_output=True, check=False)
        return completed.returncode == 0


def batched(mutants: list[Mutant], size: int) -> Iterator[list[Mutant]]:
    for begin in range(0, len(mutants), size):
        yield mutants[begin : begin + size]


def sort_out(
    mutants: list[Mutant],
    compiled: list[Path | None],
    known: set[bytes],
    outcomes: list[Outcome],
    candidates: list[tuple[Mutant, Path]],
) -> None:
    """Adds what is known without tests to the outcomes, and new code to the candidates."""
    for mutant, path in zip(mutants, compiled, strict=True):
        if path and digest(path) not in known:
            known.add(digest(path))
            candidates.append((mutant, path))
        else:
            outcomes.append(outcome_of(mutant, SAME_CODE if path else NOT_COMPILED))


def digest(path: Path | None) -> bytes:
    return hashlib.sha256(path.read_bytes()).digest() if path else b""


def outcome_of(mutant: Mutant, result: str, test: str = "") -> Outcome:
    return Outcome(mutant.line, mutant.before, mutant.after, result, test)


@dataclass(frozen=True)
class Linker:
    """Links mutants and runs the tests; several threads may share one."""

    build: Path
    programs: list[TestProgram]
    folder: Path

    def judge(self, candidate: tuple[Mutant, Path]) -> Outcome:
        mutant, compiled = candidate
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            return outcome_of(mutant, *self._try(compiled, Path(folder)))

    def _try(self, compiled: Path, folder: Path) -> tuple[str, str]:
        for program in self.programs:
            linked = folder / program.name
            command = program.linked_with(compiled, linked)
            if subprocess.run(command, cwd=self.build, capture_output=True, check=False).returncode:
                return NOT_COMPILED, ""
            for tests in (program.cheap, program.others):
                result, test = self._run(linked, tests, program.cpu_s)
                if result != SURVIVED:
                    return result, test
        return SURVIVED, ""

    def _run(self, program: Path, tests: str, cpu_s: float) -> tuple[str, str]:
        most_cpu_s = int(LEAST_CPU_S + FACTOR * cpu_s)
        try:
            completed = subprocess.run(
                [program, "--gtest_brief=1", "--gtest_fail_fast"],
                cwd=self.build,
                env=os.environ | {"GTEST_FILTER": tests},
                capture_output=True,
                preexec_fn=limit_to(most_cpu_s),
                timeout=LEAST_WALL_S + 10 * most_cpu_s,  # for those that sleep
                check=False,
            )
        except subprocess.TimeoutExpired:
            return TIMED_OUT, ""
        if completed.returncode == 0:
            return SURVIVED, ""
        if completed.returncode == -signal.SIGXCPU:
            return TIMED_OUT, ""
        lines = completed.stdout.decode("utf-8", "replace").splitlines()
        failed = [line for line in lines if line.startswith("[  FAILED  ] ")]
        return KILLED, failed[0].split()[3].rstrip(",") if failed else ""


def limit_to(cpu_s: int) -> Callable[[], None]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 5))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, MOST_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return limit


def report(source: Path, outcomes: list[Outcome], options: argparse.Namespace) -> int:
    """Prints the counts and the survivors; returns the exit code."""
    counts = Counter(outcome.result for outcome in outcomes)
    for result in (KILLED, TIMED_OUT, SURVIVED, SAME_CODE, NOT_COMPILED):
        print(f"{result:14}{counts[result]:6}")
    killed = counts[KILLED] + counts[TIMED_OUT]
    tried = killed + counts[SURVIVED]
    percent = 100 * killed / tried if tried else 100.0
    print(f"{percent:.1f} % of {tried} killed")
    for outcome in outcomes:
        if outcome.result == SURVIVED:
            print(f"\n{source}:{outcome.line}\n  - {outcome.before}\n  + {outcome.after}")
    if options.json:
        document = {"file": str(source), "outcomes": [asdict(outcome) for outcome in outcomes]}
        options.json.write_text(json.dumps(document, indent=1) + "\n", "utf-8")
    return int(percent < options.least)


if __name__ == "__main__":
    sys.exit(main())
