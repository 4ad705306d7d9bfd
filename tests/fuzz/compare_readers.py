"""Compares what the readers in C++ and in Python take: compare_readers.py PROGRAM [EVERY].

Both read the kept inputs of the fuzzers, and result files with one change each: a member that is
missing, renamed or has another value, for every member and many values. With EVERY, only each
so-manieth change is tried. PROGRAM is bench_transfers. Exit code: 0, or 1 where they differ.
"""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT)]

from plots.model import judge, load  # noqa: E402
from plots.model.files import ResultError  # noqa: E402

CORPUS = ROOT / "tests" / "fuzz" / "corpus"
BASES = (
    "read_contents/own.json",
    "read_contents/failed.json",
    "read_run/own_least.json",
)
MARK = "@value@"
VALUES = (
    *("null", "true", "false", "0", "-1", "1.5", "1.0", "1e0", "-0", "2", "1e400", "1e-400", "NaN"),
    *("4294967296", "9223372036854775808", "18446744073709551615", "18446744073709551616"),
    *("01", "1.", ".5", '""', '"x"', '" "', '"\\u0001"', '"\\ud800"', '"\\ufeff"', '"a\\u0000b"'),
    *('"\\/"', '"\t"', '"a\nb"', '"iteration"', '"h2d "', "[]", "[0]", "[-0]", "[0.0]", '["x"]'),
    *("[null]", "[{}]", "{}", '{"x":{}}', '{"code":"a","text":"b"}', '[{"code":"a","text":"b"}]'),
    '{"code":"a","text":"b","data":3}',
)
KEYS = ("", "\x01", "zz", "\ud800")


def places(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Lists the places of all members and entries."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, entry in entries:
        yield (*place, key)
        if isinstance(entry, dict | list):
            yield from places(entry, (*place, key))


def holder_of(document: Any, place: tuple[Any, ...]) -> Any:
    for key in place[:-1]:
        document = document[key]
    return document


def changes(document: Any) -> Iterator[bytes]:
    """Makes files with one change each."""
    for place in places(document):
        changed = copy.deepcopy(document)
        holder_of(changed, place)[place[-1]] = MARK
        text = json.dumps(changed)
        for value in VALUES:
            yield text.replace(f'"{MARK}"', value).encode()
        del holder_of(changed, place)[place[-1]]
        yield json.dumps(changed).encode()
        for key in KEYS if isinstance(place[-1], str) else ():
            renamed = copy.deepcopy(document)
            holder = holder_of(renamed, place)
            holder[key] = holder.pop(place[-1])
            yield json.dumps(renamed).encode()


def refusal_in_cpp(program: Path, path: Path) -> str:
    completed = subprocess.run(
        [program, "advise", f"--from={path}", "--check", "--allow-host"],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    if completed.returncode not in (0, 2, 3):  # 3: nothing in it can be ranked
        raise AssertionError(f"{program} ended with {completed.returncode}: {completed.stderr}")
    return " ".join(completed.stderr.split()) if completed.returncode == 2 else ""


def refusal_in_python(path: Path, program: Path | None) -> str:
    """With a program, that of the report, which asks the program about contradictions."""
    try:
        result = load.read_result(path)
        if program:
            judge.judge(program, [result])
    except ResultError as refusal:
        return str(refusal)
    return ""


def differences(program: Path, every: int = 1) -> Iterator[str]:
    """Yields a text for each file that only one of the readers takes."""
    kept = [
        p.read_bytes() for name in ("read_run", "read_contents") for p in (CORPUS / name).iterdir()
    ]
    changed = [data for base in BASES for data in changes(json.loads((CORPUS / base).read_text()))]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "some.json"
        for data in [*kept, *changed[::every]]:
            path.write_bytes(data)
            in_cpp = refusal_in_cpp(program, path)
            in_python = refusal_in_python(path, program if in_cpp else None)
            if bool(in_cpp) != bool(in_python):
                yield f"C++: {in_cpp or 'taken'}; Python: {in_python or 'taken'}; {data[:2000]!r}"


if __name__ == "__main__":
    different = list(differences(Path(sys.argv[1]), int((*sys.argv, 1)[2])))
    print(*different, f"{len(different)} differences", sep="\n")
    sys.exit(bool(different))
