"""Figures of made-up runs, one each, by what there is to see."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import synthetic
from healthy import timed
from synthetic import KIB, MIB, run

from plots.figures import FIGURES, GROUP_FIGURES
from plots.figures.common import Figure
from plots.figures.layout import COLUMN, PAPER, WIDE, Layout
from plots.model.derive import Run
from plots.model.judge import judge
from plots.model.programs import Advice, Fit

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
    "a gain, and none": of("gains", small(pageable=1.5, pinned=1.0, pinned_wc=1.005)),
    "a gain in a column": of("gains", small(pageable=1.5, pinned=1.0), PAPER),
    "too few repetitions for a gain": of(
        "gains", run(uneven("copy/pageable/h2d", LARGE, 9.0) + uneven("copy/pinned/h2d", LARGE, 50))
    ),
    "nothing beside a plain copy": of("gains", run(uneven("copy/pinned/h2d", LARGE, 50.0))),
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
