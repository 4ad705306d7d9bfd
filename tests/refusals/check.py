"""Compiles a source that the library must refuse; the compiler must print the reason.

Each line "// expect: TEXT" of the source is a possible text of the error. One match is enough,
because compilers word errors differently. A source without such a line must compile.
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

EXPECT = "// expect: "


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("compiler", nargs="+", help="the compiler and its options")
    arguments = parser.parse_args()

    lines = arguments.source.read_text(encoding="utf-8").splitlines()
    expected = [line.removeprefix(EXPECT).strip() for line in lines if line.startswith(EXPECT)]
    result = subprocess.run(
        [*arguments.compiler, str(arguments.source)],
        env={**os.environ, "LC_ALL": "C"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if not expected:
        if result.returncode == 0:
            return 0
        print(f"{arguments.source} must compile, but:\n{result.stdout}")
        return 1
    if result.returncode == 0:
        print(f"{arguments.source} compiles, but must be refused with one of {expected}")
        return 1
    if any(text in result.stdout for text in expected):
        return 0
    print(f"{arguments.source} is refused, but with none of {expected}:\n{result.stdout}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
