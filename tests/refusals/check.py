"""Compiles a source that the library must refuse; the compiler must say the reason.

Every line "// expect: TEXT" of the source names a reason; compilers have different words, so one of
them is enough. A source without such a line must compile.
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
    done = subprocess.run(
        [*arguments.compiler, str(arguments.source)],
        env={**os.environ, "LC_ALL": "C"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if not expected:
        if done.returncode == 0:
            return 0
        print(f"{arguments.source} must compile, but:\n{done.stdout}")
        return 1
    if done.returncode == 0:
        print(f"{arguments.source} compiles, but must be refused with one of {expected}")
        return 1
    if any(text in done.stdout for text in expected):
        return 0
    print(f"{arguments.source} is refused, but with none of {expected}:\n{done.stdout}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
