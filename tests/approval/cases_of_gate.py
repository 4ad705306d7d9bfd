"""Cases of `gate_transfers`."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from given import (
    FOREIGN,
    GATE,
    PIN,
    Document,
    altered,
    base,
    doubtful,
    environment,
    injected,
    mixed,
    next_day,
    numbered,
    odd,
    one_slow_run,
    other_machine,
    short,
    without_gpu,
)
from measured import PACED, paced
from running import Case

SLOWER = "--inject=slow:1.2@first/h2d/1MiB"
UNSEEDED = PACED.replace("--seed=1", "--quiet")  # runs alike would be one run


def gate() -> Iterable[Case]:
    new = " ".join(f"{number}-result.json" for number in (1, 2, 3))
    check = f"gate_transfers check baseline.json {new}"
    writers = "--json=check.json --markdown=check.md --junit=check.xml"
    loose = "--threshold=30% --latency-threshold=40% --false-alarm=5% --looks=4"
    yield Case("gate-pin", (PIN,), given=base())
    yield Case(
        "gate-pin-replaces",
        (
            f"gate_transfers pin {new} --out=baseline.json",
            f"gate_transfers pin {new} --out=second.json --replaces=baseline.json --new-line "
            "--allow-noisy",
            f"gate_transfers pin {new} --judge-by=gb_per_s --of-repetitions=fastest --out=b.json "
            "--allow-noisy",
        ),
        given=base() + altered("result", mixed),
        before=(PIN,),
        files=False,
    )
    yield Case(
        "gate-pin-doubtful",
        (
            f"gate_transfers pin {new} --out=baseline.json",
            f"gate_transfers pin {new} --out=baseline.json --allow-disturbed --allow-noisy",
        ),
        given=altered("result", doubtful),
        files=False,
    )

    def checked(name: str, *options: str, change: Callable[[Document], None] = short) -> Case:
        lines = tuple(f"{check} {given}" for given in options)
        given = base() + altered("result", change)
        return Case(f"gate-check-{name}", lines, given=given, before=(PIN,))

    yield checked("pass", f"--threshold=15% --decide-by=link {writers}", "--threshold=15% --all")
    yield checked("noise", "--all")
    yield checked("regression", writers, "--decide-by=link --all", change=mixed)
    yield checked("allowed", f"{loose} --allow-missing=staged", change=mixed)
    yield checked("faults", writers, change=injected)
    yield checked("environment", "--threshold=3% --all", change=environment)
    yield checked("odd", "--threshold=15% --json=check.json", "--allow-missing=.", change=odd)
    yield checked("ambiguous", "--threshold=3%", change=one_slow_run)
    yield Case(
        "gate-check-crept",
        (
            f"gate_transfers pin {new} --out=second.json --replaces=baseline.json --allow-noisy",
            "gate_transfers check second.json later-1-result.json later-2-result.json "
            "later-3-result.json --threshold=15%",
            "gate_transfers check second.json later-1-result.json later-2-result.json "
            "later-3-result.json --threshold=15% --allow-different=run.started_utc",
        ),
        given=base() + altered("result", environment),
        before=(PIN,),
        files=False,
    )
    yield checked("doubtful", f"--decide-by=link,host --threshold=8% {writers}", change=doubtful)
    yield checked(
        "other-machine",
        writers,
        "--allow-different=device.driver_version,kernel.release --decide-by=link",
        change=other_machine,
    )
    yield Case(
        "gate-check-one-run",
        ("gate_transfers check baseline.json 1-result.json --json=-",),
        given=base() + altered("result", count=1),
        before=(PIN,),
    )
    slowed = " ".join(f"slowed-{number}.json.gz" for number in (1, 2, 3))
    yield Case(
        "gate-check-recorded",
        (
            f"gate_transfers check baseline.json {slowed} --decide-by=link",
            f"gate_transfers check fastest.json {slowed} --markdown=-",
        ),
        given=(
            *numbered(GATE, "slowed", 3),
            ("baseline.json", GATE / "baseline-median.json"),
            ("fastest.json", GATE / "baseline-fastest.json"),
        ),
    )
    yield Case(
        "gate-check-confirm",
        (
            "gate_transfers check baseline.json slow-1.json slow-2.json slow-3.json "
            f"'--confirm={UNSEEDED},{UNSEEDED} {SLOWER}'",
            "gate_transfers check baseline.json slow-1.json slow-2.json slow-3.json "
            f"'--confirm={UNSEEDED},{UNSEEDED}'",
        ),
        before=(
            *(f"{paced(number)} --out=run-{number}.json" for number in range(1, 6)),
            *(f"{paced(number + 50)} {SLOWER} --out=slow-{number}.json" for number in (1, 2, 3)),
            "gate_transfers pin run-1.json run-2.json run-3.json run-4.json run-5.json "
            "--out=baseline.json",
        ),
        live=True,
        files=False,
    )
    yield Case(
        "gate-check-dry",
        ("gate_transfers check baseline.json --dry-run", "gate_transfers check none --dry-run"),
        given=base(),
        before=(PIN,),
    )
    yield Case(
        "gate-history",
        (
            f"gate_transfers history baseline.json {new} next-1-result.json --json=history.json",
            f"gate_transfers history baseline.json {new} next-1-result.json --threshold=500%",
            f"gate_transfers history baseline.json {new}",
        ),
        given=(
            *base(),
            *altered("result", environment),
            *((f"next-{name}", text) for name, text in altered("result", next_day, count=1)),
        ),
        before=(PIN,),
    )
    yield Case(
        "gate-power",
        tuple(
            f"gate_transfers power baseline.json {option}".strip()
            for option in ("", "--runs=1", "--threshold=0.1%", "--threshold=500%")
        ),
        given=base(),
        before=(PIN,),
    )
    yield Case(
        "gate-show",
        (
            "gate_transfers show 1-result.json 2-result.json 3-result.json",
            "gate_transfers show 1-result.json --judge-by=gb_per_s --of-repetitions=fastest",
            "gate_transfers show 1-result.json 1-previous.json 2-previous.json foreign.json",
        ),
        given=(
            *altered("result"),
            *altered("previous", other_machine, count=1),
            *altered("previous", without_gpu, count=2)[1:],
            ("foreign.json", FOREIGN),
        ),
    )
