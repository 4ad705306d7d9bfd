"""The table of cases: which commands are given, and what lies in the folder where they are.

Inputs are recorded runs: their figures are in the approved texts. What is measured on this machine
is `live`: its figures are hidden. The paced program measures where it may, because only its
strategies advance its clock.
"""

from __future__ import annotations

from collections.abc import Iterable

from cases_of_answers import answers
from cases_of_bench import bench
from cases_of_fleet import fleet
from cases_of_gate import gate
from cases_of_reports import reports
from errors import errors
from given import SUMMARISED
from running import Case

COMMANDS = {
    "bench_transfers": ("advise", "map", "doctor", "fleet", "export", "import", "compare"),
    "gate_transfers": ("pin", "check", "power", "show", "history"),
    "fleet_transfers": ("collect", "judge", "show", "history"),
}
SCRIPTS = ("bench", "gate", "report")


def helps() -> Iterable[Case]:
    for program, commands in COMMANDS.items():
        for command in ("", *commands):
            name = f"{program.partition('_')[0]}{f'-{command}' if command else ''}-help"
            line = " ".join(part for part in (program, command, "--help") if part)
            yield Case(name, (line,))
        yield Case(f"{program.partition('_')[0]}-version", (f"{program} --version",))
    yield Case("report-help", ("report --help",))
    for script in SCRIPTS:
        yield Case(f"scripts-{script}-help", (f"scripts/{script} --help",))


def printed() -> Iterable[Case]:
    """What nobody has recorded: of made-up answers and runs."""
    yield Case("printed-gate", ("printed_answers gate",))
    yield Case("printed-fleet", ("printed_answers fleet",))
    yield Case("printed-doctor", ("printed_answers doctor",))
    yield Case(
        "printed-summaries",
        (
            *(f"printed_answers summary {file}" for file, _ in SUMMARISED),
            *(f"printed_answers brief {file}" for file, _ in SUMMARISED),
        ),
        given=SUMMARISED,
    )


CASES: dict[str, Case] = {
    case.name: case
    for part in (helps, bench, answers, gate, fleet, printed, reports, errors)
    for case in part()
}
