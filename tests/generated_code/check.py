"""Compiles a source to assembly and checks its calls.

A function named without_calls… must not call any function; one named with_a_call… must call at
least one.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

LABEL = re.compile(r"^(with\w+):", re.MULTILINE)
END = re.compile(r"^\s*\.cfi_endproc", re.MULTILINE)
# x86-64 and AArch64; a jump to another function counts as a call.
CALL = re.compile(r"^\s*(callq?\b.*|blr?\s.*|(jmp|b)\s+[A-Za-z_].*)$", re.MULTILINE)


def calls_of_functions(assembly: str) -> dict[str, list[str]]:
    calls = {}
    for label in LABEL.finditer(assembly):
        end = END.search(assembly, label.end())
        if end is None:
            raise ValueError(f"the function {label[1]} has no end")
        body = assembly[label.end() : end.start()]
        calls[label[1]] = [call[0].strip() for call in CALL.finditer(body)]
    return calls


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("source", type=Path)
    parser.add_argument("compiler", nargs="+", help="the compiler and its options")
    arguments = parser.parse_args()
    assembly = subprocess.run(
        [*arguments.compiler, "-S", "-o", "-", str(arguments.source)],
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
    ).stdout
    calls = calls_of_functions(assembly)
    failures = [
        f"{name} calls {function_calls or 'nothing'}"
        for name, function_calls in calls.items()
        if bool(function_calls) != name.startswith("with_a_call")
    ]
    if not any(name.startswith("without_calls") for name in calls):
        failures.append("no function without_calls… in the assembly")
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
