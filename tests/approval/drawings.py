"""Prints what figures draw of made-up runs, maps, fleets and answers: each has something special.

Recorded runs have too much to be looked at. Here a title says what there is to see.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import format_2
import gate_answers
import made_up_fleet
import made_up_map
import printing
import synthetic
from altair.utils.schemapi import debug_mode
from gate_answers import compared, latency
from healthy import timed
from made_up_map import link
from several_devices import AT_ONCE, two_devices
from synthetic import KIB, MIB, run

from plots.figures import (
    DEVICES_FIGURES,
    FIGURES,
    FLEET_FIGURES,
    GROUP_FIGURES,
    HISTORY_FIGURES,
    MAP_FIGURES,
)
from plots.figures.common import Figure
from plots.figures.forest import draw_forest
from plots.figures.layout import COLUMN, PAPER, WIDE, Layout
from plots.model.derive import NoData, Run
from plots.model.judged import judge
from plots.model.load import parse_result, read_result
from plots.model.programs import Advice, Fit, ask_about_map

PROGRAM = Path(os.environ["TRANSFERS_BIN"]) / "bench_transfers"
RESULTS = Path(__file__).resolve().parents[2] / "results"
LARGE = 64 * MIB
UNEVEN = (0.95, 1.0, 1.1)
EIGHT = (0.9, 0.95, 0.98, 1.0, 1.0, 1.02, 1.05, 1.3)
EVEN = (0.99, 0.995, 1.0, 1.0, 1.005, 1.01)
HOST: dict[str, Any] = {"device": {"kind": "host", "name": "host"}, "link": None}
Rows = list[dict[str, Any]]
Drawing = tuple[str, Callable[[Layout], Figure], Layout]


def judged(runs: list[Run]) -> list[Run]:
    answers = judge(PROGRAM, [run.result for run in runs])
    return [replace(run, judged=answer) for run, answer in zip(runs, answers, strict=True)]


def of(figure: str, subject: Any, layout: Layout = WIDE) -> Drawing:
    """A figure of a run, of several runs, or of what else there are figures of."""
    figures: dict[str, Any] = FIGURES if isinstance(subject, Run) else GROUP_FIGURES
    if isinstance(subject, list):
        subject = list(enumerate(judged(subject), 1))
    else:
        (subject,) = judged([subject])
    return figure, lambda chosen: figures[figure](subject, chosen), layout


# ---- of a run


def uneven(name: str, size: int, rate: float, **more: Any) -> Rows:
    return timed(name, size, rate, UNEVEN, **more)


def repeated(name: str, size: int, ns: float, factors: Any = EIGHT, **more: Any) -> Rows:
    full_name = f"{name}/{synthetic.size_name(size)}"
    return [synthetic.row(full_name, size, ns * factor, **more) for factor in factors]


def small(**factors: float) -> Run:
    """Copies of 4 B by memory, so many times as long as 6 µs."""
    return run(
        [
            row
            for memory, factor in factors.items()
            for row in repeated(f"copy/{memory}/h2d", 4, 6000.0 * factor)
        ]
    )


def odd_small_sizes() -> Run:
    rows = repeated("copy/pinned/h2d", 4, 6e3)
    for memory in ("pinned", "staged"):
        rows += repeated(f"copy/{memory}/h2d", KIB, 7e3) + repeated(f"copy/{memory}/h2d", MIB, 9e4)
    return run(rows)


def in_order(*factors: float, indexes: Any = None) -> Run:
    """One benchmark, with its repetitions in this order."""
    rows = repeated("copy/pinned/h2d", MIB, 6000.0, factors)
    for row, index in zip(rows, indexes or range(len(rows)), strict=True):
        row["repetition_index"] = index
    return run(rows)


def priced(**facts: tuple[float, float]) -> Run:
    """Copies by memory, each with its rate in GB/s and its CPU seconds per GB."""
    return run(
        [
            row
            for memory, (rate, cpu) in facts.items()
            for row in repeated(
                f"copy/{memory}/h2d", LARGE, LARGE / rate, (1.0, 1.0), cpu_s_per_gb=cpu
            )
        ]
    )


def calls() -> Run:
    rows = repeated("copy_async/pinned/h2d", MIB, 2e6, (0.9, 1.0, 1.2), enqueue_ns=4000.0)
    rows += repeated("copy_async/pageable/h2d", MIB, 8e6, (1.0, 1.0), enqueue_ns=6e6)
    return run(rows + repeated("copy/pinned/h2d", MIB, 2e6))  # its call is not timed by itself


def rungs() -> Run:
    rows = uneven("copy/pinned/h2d", LARGE, 56.0) + uneven("copy/pinned_portable/h2d", LARGE, 55.9)
    return run(
        rows + uneven("copy/pageable/h2d", LARGE, 14.0) + uneven("copy/staged/h2d", LARGE, 50.4)
    )


def rungs_for_other_reasons() -> Run:
    rows = uneven("copy/pinned/h2d", MIB, 50.0) + uneven("zero_copy/pinned_mapped/read", MIB, 49.9)
    return run(
        rows + uneven("copy_async/pinned/h2d", MIB, 50.1) + uneven("copy/registered/h2d", MIB, 49.0)
    )


def rungs_of_a_usual_size() -> Run:
    names = ("copy/pinned", "copy/pageable", "copy/staged", "copy/graph")
    rows = synthetic.rows(names, (MIB,)) + uneven("copy/pinned/h2d", LARGE, 70.0)
    return run(rows + uneven("copy/late/h2d", LARGE, 9.0))


READS = {"pageable": 10.0, "registered": 9.7, "pinned": 10.2, "pinned_wc": 9.9}
READS["pageable_huge"] = 14.0


def reads(rates: dict[str, float], factors: Any = (1.0,), **types: str) -> Run:
    """The CPU reads memory at these rates, which is of these types or ordinary."""
    rows = [
        row
        for memory, rate in rates.items()
        for factor in factors
        for row in uneven(f"cpu/{memory}/read_vector", MIB, rate * factor)
    ]
    buffers = [
        {
            "memory": memory,
            "memory_type": types.get(memory, "write-back"),
            "write_combined": memory.endswith("_wc"),
        }
        for memory in rates
    ]
    return run(rows, buffers=buffers)


def accesses() -> Run:
    rows = uneven("cpu/pinned_wc/read_scalar", MIB, 0.2) + uneven(
        "cpu/pageable/read_scalar", MIB, 9.0
    )
    rows += uneven("cpu/pageable/read_scalar", KIB, 40.0)  # a smaller size, which caches hold
    rows += uneven("cpu/pageable/read_random", MIB, 1.0, ns_per_access=190.0)
    rows += uneven("cpu/pageable/write_fill", MIB, 13.0)
    kinds = {"pinned_wc": "write-combined", "pageable": "write-back"}
    buffers = [{"memory": memory, "memory_type": kind} for memory, kind in kinds.items()]
    return run(rows, buffers=buffers)


def allocations() -> Run:
    rows = uneven("allocate/pinned", MIB, 2.0) + uneven("free/pinned", MIB, 8.0)
    return run(rows + uneven("allocate/device_pool", MIB, 9000.0))


def break_even() -> Run:
    pays: dict[str, Any] = {"copy__pinned": {"from": 9}, "copy__pageable_huge": {"up_to": 32}}
    pays |= {"copy__staged": "never", "copy__pageable": None}
    answers = [
        synthetic.ranking(MIB, "h2d", **pays),
        synthetic.ranking(16 * MIB, "h2d", copy__pinned={"from": 1}, copy__staged={"from": 1}),
    ]
    return run(advice=synthetic.advice(rankings=answers))


def without_allocation() -> Run:
    answer = synthetic.ranking(MIB, "h2d", copy__pinned={"from": 9})
    answer["measured_terms"]["allocation"] = False
    return run(advice=synthetic.advice(rankings=[answer]))


def winners() -> Run:
    plain, pinned = "copy/pageable", "copy/pinned"
    names: list[list[str | None]] = [[plain, pinned], [None, pinned], [pinned, pinned]]
    answer = synthetic.advice(winners={"h2d": names})
    assert answer.map
    h2d = answer.map["directions"]["h2d"]
    h2d["gain"][0], h2d["extrapolated"][2][0] = [1.0, 3.84], True
    return run(advice=answer)


def overlap(*names: str, **steps: float) -> Rows:
    ns = {"serial": 100e3, "pieces_16": 60e3, "pieces_2": 80e3, "chosen": 55e3}
    return [
        synthetic.row(
            f"overlap/pinned/{name}/{synthetic.size_name(size)}",
            size,
            ns[name] * size / MIB,
            **steps,
        )
        for name in names
        for size in (MIB, LARGE)
    ]


STEPS = {"upload_ns": 40e3, "compute_ns": 10e3, "download_ns": 50e3}
PIECES = overlap("pieces_16", "pieces_2", "chosen")


def round_trips() -> Run:
    steps = {"upload_ns": 2e6, "compute_ns": 1e6, "download_ns": 2e6}
    rows = timed("gpu_array/round_trip/pinned/reused/float32", MIB, MIB / 5.5e6, **steps)
    return run(
        rows + timed("gpu_array/round_trip/pageable/fresh/float32", MIB, MIB / 8e6, free_ns=1e6)
    )


def fast_paths() -> Run:
    rows = uneven("copy/pageable/h2d", MIB, 10.0, cpu_s_per_gb=0.1)
    rows += uneven("copy/pageable/h2d", LARGE, 10.0, cpu_s_per_gb=0.1)
    rows += uneven("copy/staged/h2d", LARGE, 50.0, cpu_s_per_gb=0.25)
    rows += uneven("copy/staged/h2d", 256 * MIB, 55.0, cpu_s_per_gb=0.2)
    return run(
        rows + uneven("message/memcpy", 0, 8000.0) + uneven("message/mapped_flag", 0, 2000.0)
    )


def cold(sizes: Any, rate: float, factors: Any = UNEVEN) -> Rows:
    """Copies with warm caches at 10 GB/s, and with cold ones."""
    rows = [row for size in sizes for row in timed("copy/pinned/d2h", size, rate, factors)]
    for row in rows:
        row |= {key: f"{row[key]}/cold" for key in ("name", "run_name")}
    return rows + [
        row for size in sizes for row in timed("copy/pinned/d2h", size, 10.0, (1.0, 1.0, 1.25))
    ]


def fitted(lines: int = 1, half: float | None = 1e5) -> Run:
    fit = Fit("copy/pinned/h2d", lines, 2000.0, 50.0, half)
    missing = {"map": "nothing to rank", "rankings": "nothing to rank"}
    return run(synthetic.rows(("copy/pinned",)), Advice({fit.name: fit}, missing=missing))


SIZES = (64 * KIB, LARGE)
ALIKE = synthetic.rows(("copy/pinned",), SIZES)
ALIKE += synthetic.rows(("copy/pinned_wc",), SIZES, (0.9, 1.0, 1.5))
OTHERS = synthetic.rows(("copy/pinned",), SIZES, (50.0, 60.0), "/cold") + synthetic.others()
MANY = tuple(f"copy/kind_{i:02}" for i in range(20))
ODD_NAMES: dict[str, Any] = {
    "device": {"kind": "cuda", "name": "Synthetic <GPU> & Söhne \x00" + "very " * 30 + "long"},
    "machine": {"cpu": {"model": "Prozeßor <µ> & “x”\nline"}},
}
ONE_WAY = [row for row in ALIKE if "/d2h/" in row["name"]]
NEW_FAMILY = [synthetic.row("copy_halves/pinned/h2d/1MiB", MIB, 5e4)]

OF_RUNS = {
    "a line stands for the plainest of those that are alike": of("bandwidth", run(ALIKE)),
    "its time, too": of("latency", run(ALIKE)),
    "strategies that differ": of("bandwidth", run(synthetic.apart(sizes=SIZES))),
    "each has a panel": of("latency", run(synthetic.apart(sizes=SIZES))),
    "one direction, one repetition": of("bandwidth", run(ONE_WAY[:1])),
    "small sizes alone": of("bandwidth", run(synthetic.rows(("copy/pinned",), (4, 64)))),
    "without the link's raw rate": of(
        "bandwidth", run(ALIKE, link={**synthetic.LINK, "limit_gb_per_s": None})
    ),
    "without what headers leave": of(
        "bandwidth", run(ALIKE, link={**synthetic.LINK, "packet_limit_gb_per_s": None})
    ),
    "what is no plain transfer with warm caches is left out": of("bandwidth", run(ALIKE + OTHERS)),
    "nothing else was measured": of("bandwidth", run(OTHERS)),
    "nor anything whose time counts": of("latency", run(OTHERS)),
    "names of all kinds": of("bandwidth", run(ALIKE, **ODD_NAMES)),
    "a new family": of("latency", run(ALIKE + NEW_FAMILY)),
    "more strategies than lines": of("bandwidth", run(synthetic.apart(MANY, (MIB,)))),
    "more strategies than panels": of("latency", run(synthetic.apart(MANY, (MIB,))), PAPER),
    "a fitted line": of("latency", fitted()),
    "several fitted lines, and no n½": of("latency", fitted(3, None)),
    "where the rest is lost": of("ladder", rungs()),
    "where it is lost, in a column": of("ladder", rungs(), COLUMN),
    "alike, but for another reason": of("ladder", rungs_for_other_reasons()),
    "rungs are of a size that most have": of("ladder", rungs_of_a_usual_size()),
    "no link": of("ladder", run(link=None)),
    "kinds of access": of("cpu_access", accesses()),
    "kinds of memory that are alike for the CPU": of("cpu_access", reads(READS)),
    "write-combined in effect": of(
        "cpu_access", reads(READS | {"pinned_wc": 0.2}, pinned_wc="write-combined")
    ),
    "of another type, and as fast": of("cpu_access", reads(READS, pinned_wc="write-combined")),
    "not clearly apart": of("cpu_access", reads(READS, (0.6, 1.0, 1.0, 1.4))),
    "of unknown types": of("cpu_access", reads(READS, **dict.fromkeys(READS, ""))),
    "allocating and freeing": of("allocation", allocations()),
    "from how many transfers on": of("break_even", break_even()),
    "without the costs of allocation": of("break_even", without_allocation()),
    "what to use": of("winner_map", winners()),
    "steps and pieces": of("overlap", run([*PIECES, *overlap("serial", **STEPS)])),
    "pieces alone": of("overlap", run(PIECES)),
    "steps alone": of("overlap", run(overlap("serial", **STEPS))),
    "phases of round trips": of("round_trip", round_trips()),
    "fast methods": of("fast_paths", fast_paths()),
    "fast methods in a column": of("fast_paths", fast_paths(), COLUMN),
    "no plain method": of("fast_paths", run(uneven("copy/staged/h2d", MIB, 50.0))),
    "beside published figures": of(
        "compared",
        run(uneven("copy/pinned/h2d", LARGE, 56.7) + uneven("copy/pinned/h2d", KIB, 1.0)),
    ),
    "nothing that was published": of("compared", run(uneven("copy/staged/h2d", LARGE, 56.7))),
    "published of a known link, but ours is not": of("compared", run(ALIKE, link=None)),
    "cold caches": of("cold_caches", run(cold((MIB,), 5.0, (0.8, 1.0, 1.0)))),
    "the smallest, the middle and the largest size": of(
        "cold_caches", run(cold([KIB << i for i in range(5)], 9.0))
    ),
    "warm caches alone": of("cold_caches", run(uneven("copy/pinned/h2d", MIB, 10.0))),
    "small copies in the order of their times": of(
        "small_copies", small(pageable=1.5, pinned=1.0, pinned_wc=1.005, staged=1.7)
    ),
    "the plain one is as good": of("small_copies", small(pageable=1.02, pinned=1.0, staged=1.7)),
    "too few repetitions for an interval": of(
        "small_copies", run(repeated("copy/pinned/h2d", 4, 6000.0, (0.9, 1.0, 1.1)))
    ),
    "far slower than the others": of(
        "small_copies", small(pinned=1.0, staged=1.5, register_once=20.0)
    ),
    "the smallest size that most have": of("small_copies", odd_small_sizes()),
    "more small copies than rows": of(
        "small_copies",
        run([r for i, n in enumerate(MANY) for r in repeated(f"{n}/h2d", 4, 6e3 * 1.5**i, (1, 1))]),
        COLUMN,
    ),
    "repetitions in their order": of("samples", in_order(1.0, 1.05, 0.98, 1, indexes=(0, 2, 1, 3))),
    "repetitions beyond the axis": of("samples", in_order(*[1.0] * 18, 1.5, 0.7)),
    "few repetitions": of("samples", in_order(1.0, 1.1)),
    "speed and CPU time": of(
        "price",
        priced(pageable=(10.0, 0.01), pinned=(50.0, 0.02), staged=(40.0, 0.1), x=(5.0, 0.02)),
    ),
    "one that none beats": of("price", priced(pinned=(50.0, 0.02), staged=(40.0, 0.1))),
    "labels that would lie on each other": of(
        "price", priced(pinned=(50.0, 0.02), pinned_wc=(50.1, 0.02), staged=(49.0, 0.02))
    ),
    "calls and arrivals": of("returns", calls()),
    **{
        f"nothing to draw: {name}": of(name, run(repeated("cpu/pinned/read_scalar", MIB, 5e4)))
        for name in ("small_copies", "price", "returns", "interference")
    },
}


# ---- of several runs


def recorded(name: str) -> Run:
    return Run(read_result(RESULTS / name / "result.json.gz"))


def machine(name: str, *slower: float, factors: Any = EVEN, size: int = MIB, **more: Any) -> Run:
    """Copies of pinned memory of sizes that grow, so many times as long as 20 µs."""
    rows = [
        row
        for i, slow in enumerate(slower)
        for row in repeated("copy/pinned/h2d", size << 2 * i, 20e3 * slow, factors)
    ]
    return run(rows, device={"kind": "cuda", "name": name}, **more)


def far_apart() -> list[Run]:
    strategies = ("copy/pageable", "copy/pinned", "copy/staged")
    runs = [synthetic.rows(strategies, (LARGE,), EVEN) for _ in range(2)]
    for row in runs[1]:
        factor = 4 if row["name"] == "copy/staged/h2d/64MiB" else 1
        row |= {key: row[key] * factor for key in ("median_ns", "real_time")}
        row["gb_per_s"] /= factor
    return list(map(run, runs))


def dated(
    day: str,
    rate: float = 50.0,
    sizes: Any = (MIB,),
    strategy: str = "copy/pinned/h2d",
    host: str = "synthetic-host",
    **device: str,
) -> Run:
    """Six copies of each size, started at noon of a day, or at a time."""
    factors = (0.98, 0.99, 1.0, 1.0, 1.01, 1.02)
    rows = [row for size in sizes for row in repeated(strategy, size, size / rate, factors)]
    started = day if "T" in day else f"{day}T12:00:00Z"
    device = {"kind": "cuda", "name": "GPU"} | device
    made = run(rows, device=device, run={"started_utc": started})
    made.result.context["host_name"] = host
    return made


def days(*rates: float, **more: Any) -> list[Run]:
    return [dated(f"2026-11-2{i}", rate, **more) for i, rate in enumerate(rates)]


def between(start: str, end: str) -> Drawing:
    return of("history", [dated(start), dated(end)])


def sorted_machine(name: str, rate: float, spread: float = 0.0, link: Any = synthetic.LINK) -> Run:
    """Six copies to the device; every other one is slower by `spread`."""
    times = [LARGE / rate * (1 + spread * (i % 2)) for i in range(6)]
    rows = [synthetic.row("copy/pinned/h2d/64MiB", LARGE, ns) for ns in times]
    return run(rows, device={"kind": "cuda", "name": name}, link=link)


def both_ways(name: str) -> Run:
    rows = timed("copy/pinned/h2d", LARGE, 50.4, [1.0] * 6)
    rows += timed("duplex/engines/pinned", 2 * LARGE, 100.8, [1.0] * 6)
    return run(rows, device={"kind": "cuda", "name": name})


GEN_4 = {**synthetic.LINK, "generation": 4, "limit_gb_per_s": 31.5}
ON_HOST = run(**HOST)
OTHER = run(synthetic.rows(("copy/pageable",), SIZES))
SEVERAL = [
    row
    for name in ("copy/pinned/h2d", "copy_async/pinned/h2d", "copy/staged/h2d")
    for row in uneven(name, MIB, 50.0)
]

FOUR_DAYS = [
    f"nvidia-h200/2026-11-{name}"
    for name in ("20-standard", "21-report", "22-library", "23-staging")
]
FOUR_GPUS = ["nvidia-h200/2026-11-21-report", "nvidia-h100/2026-11-21-transfers"]
FOUR_GPUS += [f"nvidia-h200/2026-11-21-fast-paths{again}" for again in ("", "-again")]

OF_SEVERAL = {
    "recorded runs of four days": of("history", list(map(recorded, [*FOUR_DAYS, FOUR_GPUS[1]]))),
    "recorded runs of four GPUs": of("ranks", list(map(recorded, FOUR_GPUS))),
    "slower, the same and faster": of(
        "differences", [machine("a", 1.0, 1.0, 1.0), machine("b", 1.25, 1.001, 0.8)]
    ),
    "beyond the axis": of("differences", far_apart()),
    "without an interval": of(
        "differences", [machine("a", 1.0, factors=(1.0, 1.0)), machine("b", 2.0, factors=(1, 1))]
    ),
    "five runs below each other": of(
        "differences", [machine(name, 1.0 + i / 10) for i, name in enumerate("abcde")]
    ),
    "five runs in a column": of(
        "differences", [machine(name, 1.0 + i / 10) for i, name in enumerate("abcde")], COLUMN
    ),
    "sizes that all have": of(
        "differences", [machine("a", 1.0, 1.0), machine("b", 1.0, 1.0), machine("c", 1.0)]
    ),
    "differences without a GPU": of("differences", [ON_HOST, ON_HOST]),
    "no strategy in common": of("differences", [machine("a", 1.0), OTHER]),
    "no size in common": of("differences", [machine("a", 1.0), machine("b", 1.0, size=KIB)]),
    "the later run comes first": of("history", days(50.0, 50.0, 40.0)[::-1]),
    "another GPU is not part of it": of(
        "history", [dated("2026-11-20", name="other"), *days(50, 50, 50)]
    ),
    "GPUs of one name": of("history", [*days(50.0, 50.0, uuid="a"), dated("2026-11-22", uuid="b")]),
    "one GPU in a host with a new name": of(
        "history",
        [dated("2026-11-20", uuid="a"), dated("2026-11-21", uuid="a", host="renamed")],
    ),
    "two GPUs that a third run joins": of(
        "history",
        [
            dated("2026-11-20", uuid="a"),
            dated("2026-11-22", uuid="b", host="renamed"),
            dated("2026-11-21", uuid="a", host="renamed"),
        ],
    ),
    "the largest size that half of the runs have": of(
        "history",
        [
            dated("2026-11-20", sizes=(MIB, 16 * MIB)),
            dated("2026-11-21", sizes=(MIB, 16 * MIB, LARGE)),
            dated("2026-11-22"),
        ],
    ),
    "small copies in a column": of("history", days(50.0, 50.5, sizes=(4 * KIB, MIB)), COLUMN),
    "three hours": between("2026-11-20T22:10:00Z", "2026-11-21T01:10:00Z"),
    "a month": between("2026-11-01", "2026-11-30"),
    "a year": between("2026-01-20", "2027-01-20"),
    "the same time twice": between("2026-11-20", "2026-11-20"),
    "no time": between("not a time T", "2026-11-21"),
    "no question in common": of(
        "history", [dated("2026-11-20"), dated("2026-11-21", strategy="copy/pageable/d2h")]
    ),
    "history without a GPU": of("history", [ON_HOST, ON_HOST]),
    "ties share a rank": of(
        "ranks",
        [
            sorted_machine("slow", 40.0),
            sorted_machine("fast", 50.0),
            sorted_machine("as fast", 50.5),
        ],
    ),
    "repetitions that overlap": of(
        "ranks",
        [
            sorted_machine("a", 50.0),
            sorted_machine("b", 46.0, spread=-0.2),
            sorted_machine("c", 30.0),
        ],
    ),
    "a slow link that is used well": of(
        "ranks",
        [
            sorted_machine("good use", 28.35, link=GEN_4),
            sorted_machine("fast link", 50.4),
            sorted_machine("c", 25.2),
        ],
    ),
    "both ways at once": of("ranks", list(map(both_ways, "abc"))),
    "two runs have no ranks": of("ranks", [sorted_machine("a", 50.0), sorted_machine("b", 40.0)]),
    "colours tell strategies apart": of("machines", [run(SEVERAL), run(SEVERAL)]),
    "in percent of each link": of(
        "machines",
        [
            run(uneven("copy/pinned/h2d", MIB, 50.4)),
            run(uneven("copy/pinned/h2d", MIB, 25.2), link=GEN_4),
        ],
    ),
    "nothing in common": of("machines", [run(SEVERAL), run(uneven("copy/novel/h2d", MIB, 5.0))]),
}


# ---- of several devices of a run, and of maps of hosts


def devices(figure: str, document: dict[str, Any]) -> Drawing:
    subject = Run(parse_result(Path("devices.json"), document))
    return figure, lambda layout: DEVICES_FIGURES[figure](subject, layout), WIDE


def mapped(figure: str, document: dict[str, Any], asked: bool = True) -> Drawing:
    subject = ask_about_map(PROGRAM if asked else None, made_up_map.parse(document))
    return figure, lambda layout: MAP_FIGURES[figure](subject, layout), WIDE


def of_set(described: Any, **flow: Any) -> dict[str, Any]:
    """Copies at once by two of three devices, of which is said what they have in common."""
    document = two_devices()
    transfers = document["context"]["transfers"]
    transfers["devices"].append(transfers["devices"][1] | {"id": "cuda:2"})
    transfers["benchmarks"][AT_ONCE]["set"] = described
    transfers["benchmarks"][AT_ONCE]["flows"][0] |= flow
    return document


def on_nodes() -> dict[str, Any]:
    """Two devices with memory on two nodes."""
    document = two_devices()
    for node, device, rate in ((0, 0, 55.0), (0, 1, 41.0), (1, 0, 40.0), (1, 1, 54.0)):
        name = f"copy/pinned@node{node}/h2d/64MiB@cuda:{device}"
        document["context"]["transfers"]["benchmarks"][name] = format_2.fields(
            f"copy/pinned@node{node}",
            "copy",
            memory="pinned",
            node=node,
            variant="h2d",
            direction="h2d",
            size_bytes=LARGE,
            devices=[device],
        )
        document["benchmarks"] += [synthetic.row(name, LARGE, LARGE / rate)] * 3
    return document


def slow_links() -> dict[str, Any]:
    slow = made_up_map.document(2, link((0, 1), h2d=0.08904))
    slow["devices"][0]["alone"]["h2d"] = {"value": 0.0562e9, "low": 0.056e9, "high": 0.0565e9}
    return slow


EIGHT_DEVICES = made_up_map.eight()
MANY_DEVICES = made_up_map.document(64, link(range(64), h2d=500), link(range(32), h2d=300))
ALIKE_LINKS = made_up_map.document(4, link(range(4), h2d=60, d2h=60, both=60))

OF_HOSTS = {
    "copies at once": devices("at_once", two_devices()),
    "devices next to a node": devices("at_once", of_set({"kind": "node", "place": "1"})),
    "devices below a port": devices(
        "at_once", of_set({"kind": "port", "place": "0000:c0:01.1"}, memory="pageable", node=1)
    ),
    "a pair": devices("at_once", of_set({"kind": "pair", "place": None})),
    "nodes of a run": devices("nodes", on_nodes()),
    "no memory on nodes": devices("nodes", two_devices()),
    "links that lie in another": mapped("links", EIGHT_DEVICES),
    "many devices leave the links": mapped("links", MANY_DEVICES),
    "slow links": mapped("links", slow_links()),
    "nothing shared": mapped("links", made_up_map.document(3)),
    "who slows whom": mapped("pairs", EIGHT_DEVICES),
    "the same in each direction": mapped("pairs", ALIKE_LINKS),
    "no device slows another": mapped("pairs", made_up_map.document(3)),
    "too many devices for pairs": mapped("pairs", MANY_DEVICES),
    "nobody to ask about pairs": mapped("pairs", ALIKE_LINKS, asked=False),
    "nodes of a map": mapped("nodes", EIGHT_DEVICES),
    "one node": mapped("nodes", made_up_map.document(2)),
    **{
        f"{name} without a GPU": mapped(
            name, EIGHT_DEVICES | {"context": EIGHT_DEVICES["context"] | {"without_gpu": True}}
        )
        for name in MAP_FIGURES
    },
}


# ---- of the gate's answers


def forest(*given: Any, runs: int = 3, layout: Layout = WIDE, **more: Any) -> Drawing:
    check = gate_answers.check(*given, **more)
    numbered = [(number, run()) for number in range(1, runs + 1)]
    return "forest", lambda chosen: draw_forest(check, numbered, chosen), layout


def host_class(name: str, slowdown: float) -> dict[str, Any]:
    return compared(name, "not_known", slowdown, **{"class": "host"}, advisory=True)


SAME = [compared(f"same/{i}", "unchanged", i / 1e5) for i in range(100)]
CHANGED = [latency(f"faster/{i}", "faster", -0.06 - i / 100) for i in range(3)]
CHANGED += [compared(f"slower/{i}", "slower", 0.1 + i / 100) for i in range(5)]
ALL_SLOWER = [compared(f"slower/{i}", "slower", 0.1 + i / 1000) for i in range(100)]
HIDDEN_BY_NOISE = [compared(f"host/{i}", "not_known", 0.5 + i / 1e4) for i in range(100)]
TURNS = [entry | {"class": "host"} for entry in HIDDEN_BY_NOISE] + SAME
TURNS += [latency("latency/0", "unchanged", 0.0), latency("latency/1", "slower", 0.1)]
CLASSES = [
    gate_answers.class_verdict("link", tested=2),
    gate_answers.class_verdict("latency", "INCONCLUSIVE", tested=0, decides=False),
]

OF_ANSWERS = {
    "every verdict": forest(),
    "a class that does not decide": forest("PASS", classes=CLASSES),
    "each class has its own axis": forest(
        "PASS", [compared("link", "unchanged", 0.001), host_class("host", 0.4)]
    ),
    "single runs, one of them unknown and one beyond the axis": forest(
        "PASS",
        [compared("a", "unchanged", 0.001, slowdown_of_runs=[0.001, None, 0.004, 5.0])],
        runs=4,
    ),
    "the changed and the slowest of many": forest("REGRESSION", SAME + CHANGED),
    "classes take turns": forest("REGRESSION", TURNS),
    "fewer rows in a column": forest("PASS", SAME, layout=COLUMN),
    "the worst of many that have changed": forest(
        "REGRESSION", [*ALL_SLOWER, compared("faster", "faster", -0.1)]
    ),
    "nothing was compared": forest("INCONCLUSIVE", [gate_answers.absent("a", "missing")]),
}


# ---- of fleets


def of_fleet(figure: str, document: dict[str, Any]) -> Drawing:
    subject = made_up_fleet.parse(document)
    return figure, lambda layout: FLEET_FIGURES[figure](subject, layout), WIDE


def over_sweeps(document: dict[str, Any]) -> Drawing:
    subject = made_up_fleet.parse_past(document)
    return "gpus", lambda layout: HISTORY_FIGURES["gpus"](subject, layout), WIDE


def of_one_gpu() -> dict[str, Any]:
    document = made_up_fleet.history()
    return document | {"gpus": document["gpus"][:1]}


OF_FLEETS = {
    **{
        f"{name} of {what}": of_fleet(name, document)
        for what, document in {
            "a small fleet": made_up_fleet.small(),
            "an answer without scores": made_up_fleet.without_scores(),
            "two models": made_up_fleet.judgement(models=2),
            "one slow benchmark": made_up_fleet.of_one_benchmark(),
        }.items()
        for name in FLEET_FIGURES
    },
    "troubled GPUs over sweeps": over_sweeps(made_up_fleet.history(sweeps=12)),
    "one GPU over sweeps": over_sweeps(of_one_gpu()),
    "no trouble": over_sweeps(made_up_fleet.history(trouble=False)),
}

DRAWINGS = OF_RUNS | OF_SEVERAL | OF_HOSTS | OF_ANSWERS | OF_FLEETS


def lines_of(drawing: Drawing, said: set[str]) -> Iterator[str]:
    """Of the texts those that no figure before has had."""
    _, make, layout = drawing
    try:
        figure = make(layout)
    except NoData as why:
        yield f"not drawn: {why}"
        return
    for text in printing.texts(figure):
        if text not in said:
            yield f"text: {text}"
        said.add(text)
    yield from printing.drawing(figure, said)


def main() -> None:
    said: set[str] = set()
    with debug_mode(False):
        for title, drawing in DRAWINGS.items():
            print(f"# {title} ({drawing[0]}, {drawing[2].name})")
            for line in lines_of(drawing, said):
                print(line)


if __name__ == "__main__":
    main()
