"""Cases of `fleet_transfers`, and of the ranks of a sweep."""

from __future__ import annotations

from collections.abc import Iterable

from given import MACHINES, SWEEPS, small_fleet, sweep
from measured import LIVE
from running import Case


def fleet() -> Iterable[Case]:
    collect = "fleet_transfers collect sweep --out=sweep.json.gz --within=48"
    writers = "--json=judge.json --markdown=judge.md --junit=judge.xml --openmetrics=judge.prom"
    healthy, named = sweep(*MACHINES), sweep(*MACHINES, slowed="first")
    yield Case("fleet-collect", ("fleet_transfers collect sweep --out=-",), given=small_fleet())
    yield Case("fleet-collect-many", (collect,), given=healthy, files=False)
    yield Case(
        "fleet-judge-healthy",
        ("fleet_transfers judge sweep.json.gz",),
        given=healthy,
        before=(collect,),
    )
    yield Case(
        "fleet-judge-unknown",
        (
            "fleet_transfers judge sweep.json.gz",
            "fleet_transfers judge sweep.json.gz --decide-by=link,host",
            "fleet_transfers judge two_days.json.gz",
            "fleet_transfers judge one.json.gz",
        ),
        given=(*healthy, ("sweep/fourth/half.json", b'{"context": {')),
        before=(
            collect,
            "fleet_transfers collect sweep --out=two_days.json.gz",
            "fleet_transfers collect sweep/first --out=one.json.gz",
        ),
        files=False,
    )
    yield Case(
        "fleet-judge-named",
        (f"fleet_transfers judge sweep.json.gz {writers}",),
        given=named,
        before=(collect,),
    )
    yield Case(
        "fleet-judge-reference",
        (
            "fleet_transfers judge slow.sweep.gz --reference=sweep-1.sweep.gz "
            "--reference=sweep-2.sweep.gz --history=sweep-3.sweep.gz --decide-by=link,host "
            f"{writers}",
        ),
        given=SWEEPS,
    )
    yield Case("fleet-judge-few", ("fleet_transfers judge sweep-1.sweep.gz",), given=SWEEPS)
    yield Case(
        "fleet-show",
        (
            "fleet_transfers show sweep.json.gz",
            "fleet_transfers show sweep.json.gz --slowest=2",
            "fleet_transfers show slow.sweep.gz --reference=sweep-1.sweep.gz",
        ),
        given=named + SWEEPS,
        before=(collect,),
    )
    earlier = " ".join(f"sweep-{number}.sweep.gz" for number in (1, 2, 3))
    yield Case(
        "fleet-history",
        (
            f"fleet_transfers history {earlier} slow.sweep.gz --json=history.json",
            f"fleet_transfers history {earlier} --reference=slow.sweep.gz --gpu=GPU-8b2c",
        ),
        given=SWEEPS,
    )
    yield Case(
        "fleet-run",
        (f"bench_transfers fleet {LIVE} --strategies=copy/pinned --sizes=4KiB --out=o --sweep=a",),
        live=True,
        files=False,
    )
