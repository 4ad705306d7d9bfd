"""Compiles a source that the library must refuse; the compiler must print the reason.

Each line "// expect: TEXT" of the source is a possible text of the error. One match is enough,
because compilers word errors differently. A source without such a line must compile.

A source may hold several cases, "#if CASE == 1", "#elif CASE == 2", ..., each with its own
"// expect: TEXT" lines. Each is compiled alone, and the text must be in the first line that reports
an error, because that is the line that people read. Without any case, the source must compile.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

EXPECT = "// expect: "
CASE = re.compile(r"#(?:el)?if CASE == (\d+)")


def expected_texts(lines: list[str]) -> dict[int | None, list[str]]:
    """The texts of each case; those outside of cases have the key None."""
    texts: dict[int | None, list[str]] = {None: []}
    case = None
    for line in lines:
        if match := CASE.fullmatch(line):
            case = int(match[1])
            if case in texts:
                raise ValueError(f"there are two cases {case}")
            texts[case] = []
        elif line.startswith("#endif"):
            case = None
        elif line.startswith(EXPECT):
            texts[case].append(line.removeprefix(EXPECT).strip())
    return texts


def compile_source(command: list[str], source: Path) -> tuple[bool, str]:
    result = subprocess.run(
        [*command, str(source)],
        env={**os.environ, "LC_ALL": "C"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return result.returncode == 0, result.stdout


def first_error(output: str) -> str:
    return next((line for line in output.splitlines() if "error:" in line), "")


def complaint(name: str, compiles: bool, output: str, shown: str, expected: list[str]) -> str:
    """Why the outcome is wrong; empty if it is right. One of the texts must be in `shown`."""
    if not expected:
        return "" if compiles else f"{name} must compile, but:\n{output}"
    if compiles:
        return f"{name} compiles, but must be refused with one of {expected}"
    if any(text in shown for text in expected):
        return ""
    return f"{name} is refused, but with none of {expected}:\n{output}"


def check_cases(source: Path, command: list[str], texts: dict[int | None, list[str]]) -> list[str]:
    complaints = []
    for case, expected in [(0, []), *((c, t) for c, t in texts.items() if c is not None)]:
        if case and not expected:
            complaints.append(f"{source}, case {case} expects nothing")
        compiles, output = compile_source([*command, f"-DCASE={case}"], source)
        name = f"{source}, case {case}"
        complaints.append(complaint(name, compiles, output, first_error(output), expected))
    return complaints


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("compiler", nargs="+", help="the compiler and its options")
    arguments = parser.parse_args()

    texts = expected_texts(arguments.source.read_text(encoding="utf-8").splitlines())
    if len(texts) > 1:
        complaints = check_cases(arguments.source, arguments.compiler, texts)
    else:
        compiles, output = compile_source(arguments.compiler, arguments.source)
        complaints = [complaint(str(arguments.source), compiles, output, output, texts[None])]
    for text in filter(None, complaints):
        print(text)
    return 1 if any(complaints) else 0


if __name__ == "__main__":
    sys.exit(main())
