"""Cases of the report."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from given import (
    COPIES,
    FILES,
    HOST,
    INTERFERENCE,
    NVBANDWIDTH,
    PIN,
    SWEEPS,
    TWO_GPUS,
    altered,
    base,
    changed,
    mixed,
    numbered,
    two_sizes,
)
from running import Case


def reports() -> Iterable[Case]:
    yield Case(
        "report-run",
        ("report run.json --out=made --figures=bandwidth,latency",),
        given=(("run.json", partial(changed, COPIES[0][1], two_sizes)),),
    )
    yield Case(
        "report-two-runs",
        ("report 1-previous.json 1-result.json --out=made --figures=differences",),
        given=altered("previous", count=1) + altered("result", mixed, count=1),
    )
    yield Case(
        "report-baseline",
        (
            "report 1-result.json 2-result.json 3-result.json --out=made --figures=forest "
            "--baseline=baseline.json",
        ),
        given=base() + altered("result", mixed),
        before=(PIN,),
    )
    yield Case(
        "report-devices",
        ("report result-1.json.gz host_map.json --out=made --figures=at_once,links",),
        given=(*numbered(TWO_GPUS, "result", 1), ("host_map.json", TWO_GPUS / "host_map-1.json")),
    )
    yield Case(
        "report-fleet",
        ("report slow.sweep.gz history.json --out=made --figures=strip",),
        given=SWEEPS,
        before=(
            "fleet_transfers history sweep-1.sweep.gz sweep-2.sweep.gz slow.sweep.gz "
            "--json=history.json",
        ),
    )
    yield Case(
        "report-interference",
        ("report polite.json.gz files.json.gz --out=made --page-only --figures=interference",),
        given=INTERFERENCE + FILES,
    )
    yield Case(
        "report-host", ("report host.json.gz --out=made --page-only --figures=ladder",), given=HOST
    )
    yield Case("report-sentences", ("situations",))
    yield Case("report-drawings", ("drawings",))
    yield Case(
        "report-imported",
        ("report nv.json ours.json --out=made --page-only --figures=ladder",),
        given=NVBANDWIDTH,
        before=("bench_transfers import nv.json --out=ours.json",),
    )
