"""Compiles a source to assembly: functions named without_calls… must call nothing, those named
with_a_call… must call something.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

LABEL = re.compile(r"^(with\w+):", re.MULTILINE)
END = re.compile(r"^\s*\.cfi_endproc", re.MULTILINE)
# x86-64 and AArch64; a jump to another function is a call, too.
CALL = re.compile(r"^\s*(callq?\b.*|blr?\s.*|(jmp|b)\s+[A-Za-z_].*)$", re.MULTILINE)


def calls_of_functions(assembly: str) -> dict[str, list[str]]:
    calls = {}
    for label in LABEL.finditer(assembly):
        end = END.search(assembly, label.end())
        if end is None:
            raise ValueError(f"the function {label[1]} has no end")
        body = assembly[label.end() : end.start()]
        calls[label[1]] = [found[0].strip() for found in CALL.finditer(body)]
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
    wrong = [
        f"{name} calls {found or 'nothing'}"
        for name, found in calls.items()
        if bool(found) != name.startswith("with_a_call")
    ]
    if not any(name.startswith("without_calls") for name in calls):
        wrong.append("no function without_calls… in the assembly")
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
