"""Prints what the report says of made-up runs: every sentence, and the texts of every figure.

Recorded runs are of healthy machines. Here each run has one fault, or lacks one fact.
"""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from statistics import NormalDist
from typing import Any

import format_2
import gate_answers
import made_up_fleet
import made_up_map
import printing
import several_devices
import synthetic
from altair.utils.schemapi import debug_mode
from format_2 import message
from healthy import HEALTHY, timed
from synthetic import KIB, MIB, run

from plots.figures import FIGURES
from plots.figures.layout import WIDE
from plots.model.by_device import split
from plots.model.derive import NoData, Run
from plots.model.judged import judge
from plots.model.load import Result, parse_result, read_result
from plots.model.programs import Advice, Fit
from plots.page.report import make_sections
from plots.page.section import Drawer, Section
from plots.text import caption, findings, glance, macros, method, tables, tidy, trust
from plots.text.table import format_files

RESULTS = Path(__file__).resolve().parents[2] / "results"
PROGRAM_UNDER_TEST = Path(os.environ["TRANSFERS_BIN"]) / "bench_transfers"
BESIDE_LINK = ("rate", "both_ways")
LARGE = 64 * MIB
COPY = timed("copy/pinned/h2d", LARGE, 55.0)
ON_HOST: dict[str, Any] = {"device": {"kind": "host", "name": "host"}, "link": None}
FACTS: dict[str, Any] = {**HEALTHY}
DEVICE, MACHINE = FACTS["device"], FACTS["machine"]
NEARLY_ALIKE = (0.998, 0.999, 1, 1, 1.001, 1.002)
NOISY = (0.5, 0.8, 1, 1, 1.3, 1.6)
CLOCKS = {
    "sm_mhz": [1980, 1980],
    "sm_max_mhz": 1980,
    "temperature_c": [31, 45],
    "throttle_reasons": [],
    "pcie_replays": 0,
}
USUAL = {
    ("copy/pageable", KIB): 5.0,
    ("copy/pinned", KIB): 5.0,
    ("copy/pageable", LARGE): 7000.0,
    ("copy/pinned", LARGE): 1000.0,
    ("copy/pinned_wc", LARGE): 990.0,
    ("copy/staged", LARGE): 1400.0,
}


def healthy(**changed: Any) -> Run:
    return run(COPY, **{**FACTS, **changed})


def clocks(cpu_events: int = 0, **changed: Any) -> Run:
    return healthy(clocks={"gpu": CLOCKS | changed, "cpu": {"throttle_events": cpu_events}})


def machine(**changed: Any) -> Run:
    return healthy(machine={**MACHINE, **changed})


def link(**changed: Any) -> Run:
    return healthy(link={**synthetic.LINK, **changed})


def timed_run(times_us: dict[tuple[str, int], float], factors: Any = NEARLY_ALIKE) -> Run:
    """Repetitions of each (strategy, size): µs, in both directions."""
    rows = [
        synthetic.row(f"{name}/{way}/{synthetic.size_name(size)}", size, 1000 * us * factor)
        for (name, size), us in times_us.items()
        for way in ("h2d", "d2h")
        for factor in factors
    ]
    return run(rows, **FACTS)


def copies(name: str, size: int, rate: float, gpu: str = "Synthetic GPU", **more: Any) -> Run:
    device = {**DEVICE, "name": gpu}
    return run(timed(f"{name}/h2d", size, rate), **{**FACTS, "device": device, **more})


def pageable(slow: float, fast: float, staged: float | None = None) -> list[dict[str, Any]]:
    rows = timed("copy/pageable/h2d", LARGE, slow) + timed("copy/pinned/h2d", LARGE, fast)
    return rows + (timed("copy/staged/h2d", LARGE, staged) if staged else [])


def everything() -> Run:
    """A run with a row for most sentences about what is faster."""
    rows = pageable(12.6, 56.7, 53.55)
    rows += timed("copy/pageable/d2h", 16 * MIB, 10.0) + timed("copy/pinned/d2h", 16 * MIB, 50.0)
    rows += timed("scatter/loop/4KiB_blocks/pinned/h2d", LARGE, 1.5)
    rows += timed("scatter/gather_kernel/4KiB_blocks/pinned/h2d", LARGE, 49.5)
    rows += [synthetic.row("message/memcpy", 0, 8000.0)]
    rows += [synthetic.row("message/mapped_flag", 0, 1600.0)]
    rows += timed("overlap/pinned/serial", LARGE, 25.0) + timed(
        "overlap/pinned/chosen", LARGE, 50.0
    )
    rows += timed("gpu_array/get/pageable/fresh/float32", LARGE, 3.0)
    rows += timed("gpu_array/get/pageable/touched/float32", LARGE, 15.3)
    return run(rows, **FACTS)


def calls(returned: float = 0.99) -> Run:
    """Calls return after a part of the time of the copy."""
    rows = timed("copy_async/pageable/h2d", LARGE, 10.0, enqueue_ns=returned * LARGE / 10)
    return run(rows + timed("copy_async/pinned/h2d", LARGE, 50.0, enqueue_ns=2000), **FACTS)


def flags(rate: float) -> Run:
    rows = []
    for way in ("h2d", "d2h"):
        rows += timed(f"copy/pinned/{way}", LARGE, 50.2)
        for flag in ("portable", "mapped", "wc"):
            slow = flag == "wc" and way == "h2d"
            rows += timed(f"copy/pinned_{flag}/{way}", LARGE, rate if slow else 50.0)
    return run(rows, **FACTS)


def duplex(gpu: str = "Synthetic GPU") -> Run:
    rates = {"h2d_alone_gb_per_s": 50.0, "h2d_gb_per_s": 12.5}
    rates |= {"d2h_alone_gb_per_s": 50.0, "d2h_gb_per_s": 45.0}
    rows = [synthetic.row("duplex/engines/pinned/64MiB", 2 * LARGE, 2 * LARGE / 82, **rates)]
    return run(rows, **{**FACTS, "device": {**DEVICE, "name": gpu}})


def reads(kind: str) -> Run:
    """The CPU reads memory that was allocated as write-combined."""
    rates = {"pageable": 10.0, "registered": 9.7, "pinned": 10.2, "pageable_huge": 14.0}
    rows = [
        row for name, rate in rates.items() for row in timed(f"cpu/{name}/read_vector", MIB, rate)
    ]
    buffers: list[dict[str, Any]] = [
        {"memory": name, "memory_type": "write-back"} for name in rates
    ]
    buffers.append(
        {
            "memory": "pinned_wc",
            "memory_type": kind,
            "write_combined": True,
            "cpu_reads": {"plain_gb_per_s": 0.2},
            "cpu_reads_of_ordinary_memory": {"plain_gb_per_s": 8.0},
        }
    )
    rows += timed("cpu/pinned_wc/read_vector", MIB, 0.2 if kind == "write-combined" else 9.9)
    return run(rows, **FACTS, buffers=buffers)


def allocations() -> Run:
    rows = [synthetic.row("allocate/pinned/256MiB", 256 * MIB, 73e6)] * 3
    rows += [synthetic.row("free/pinned/256MiB", 256 * MIB, 20e6)] * 3
    rows += [synthetic.row("allocate/registered_huge/256MiB", 256 * MIB, 7e6)] * 3
    return run(rows, **FACTS)


def advised(allocation: bool = True) -> Run:
    winners: dict[str, list[list[str | None]]] = {
        "h2d": [["copy/a", "copy/a"], ["copy/b", "copy/a"], ["copy/b", "copy/c"]],
        "d2h": [["copy/a", "copy/a"], [None, "copy/a"], ["copy/a", "copy/a"]],
    }
    answer = synthetic.advice(
        {"copy/pinned (h2d)": (2000.0, 50.0, 1e5)}, winners, allocation=allocation
    )
    assert answer.map
    h2d = answer.map["directions"]["h2d"]
    h2d["as_good"][1][0], h2d["margin"][2][0] = 3, 4.2
    h2d["extrapolated"][2][1], h2d["margin"][1][1] = True, None
    return run(None, answer, **FACTS, strategies=[{"name": "copy/b", "summary": "a copy"}])


NO_GPU = message("no_gpu", "No GPU: no driver is installed.", reason="no driver is installed")


def failed() -> Run:
    rows = [*COPY, *[synthetic.failed_row("copy/pinned/h2d/8MiB")] * 3]
    skipped = [{"name": "copy/pinned_wc/h2d/8MiB", "reason": message("unsupported", "synthetic")}]
    warnings = [
        message("virtual_machine", "the hypervisor decides"),  # said of the machine
        message("other_load", "another load is running"),
    ]
    return run(rows, **FACTS, skipped=skipped, warnings=warnings)


def cold() -> Run:
    return run(synthetic.rows() + synthetic.rows(factors=(50.0, 60.0), suffix="/cold"), **FACTS)


GPU_CLOCKS = {"sm_mhz": [1980, 1980], "sm_max_mhz": 1980, "throttle_reasons": []}
PERFORMANCE = {**MACHINE, "cpu": {**MACHINE["cpu"], "governor": "performance"}}
VIRTUAL = {**PERFORMANCE, "virtualisation": {"hypervisor": "KVM"}}
SHARED_UNKNOWN = {key: fact for key, fact in PERFORMANCE.items() if key != "virtualisation"}
FAST = [row for way in ("h2d", "d2h") for row in timed(f"copy/pinned/{way}", LARGE, 56.0)]
SLOW = [row for way in ("h2d", "d2h") for row in timed(f"copy/pinned/{way}", LARGE, 29.2)]
SMALL = synthetic.rows(("copy/pinned",), (KIB,), (0.9, 1, 1.2))
PLAIN, PINNED = "copy/pageable", "copy/pinned"


def known(rows: Any = FAST, **changed: Any) -> Run:
    """A run of which everything else is known and healthy."""
    known_clocks = {"gpu": GPU_CLOCKS, "cpu": {"throttle_events": 0}}
    return run(rows, **{**FACTS, "machine": PERFORMANCE, "clocks": known_clocks, **changed})


def spread(count: int) -> Run:
    """So many repetitions of which the middle half is as wide whatever their number."""
    factors = tuple(NormalDist(1, 0.016).inv_cdf((i + 0.5) / count) for i in range(count))
    return run(synthetic.rows(("copy/pinned",), (MIB,), factors), **FACTS)


def some_agree() -> Run:
    """Some repetitions of one are as fast as the other's."""
    times = {"pageable": (0.5, 1.3, 1.4), "pinned": (0.9, 1.0, 1.35)}
    return run(
        [
            synthetic.row(f"copy/{memory}/h2d/64MiB", LARGE, LARGE / 20 * factor)
            for memory, factors in times.items()
            for factor in factors
        ]
    )


def most_findings() -> Run:
    rates = {"h2d_alone_gb_per_s": 50.0, "h2d_gb_per_s": 40.0}
    more = synthetic.row("duplex/engines/pinned/64MiB", 2 * LARGE, 2 * LARGE / 90, **rates)
    return run([*everything().result.rows, more])


def unprintable() -> Run:
    names = ("copy/" + "x" * 200, "copy/\u202e/h2d/1MiB") * 2
    return run(synthetic.rows() + [synthetic.row(name, MIB, 9.0) for name in names], **FACTS)


def copies_and_advice(rows: Any, sizes: list[int], **winners: Any) -> Run:
    """What advise says at these sizes, for memory that is used once and 100 times."""
    each = {direction: [names] * len(sizes) for direction, names in winners.items()}
    answer = synthetic.advice(winners=each)
    assert answer.map
    answer.map["sizes"] = sizes
    return run(rows, answer)


def usual_and_advice(h2d: list[str], d2h: list[str]) -> Run:
    return copies_and_advice(timed_run(USUAL).result.rows, [LARGE], h2d=h2d, d2h=d2h)


def no_choice() -> Run:
    answer = synthetic.advice(winners={"h2d": [["copy/a"] * 2] * 3})
    assert answer.map
    answer.map["directions"]["h2d"]["runner_up"] = [[None] * 2] * 3
    return run(advice=answer)


def noise_in_one_direction() -> Run:
    times = {
        ("h2d", PLAIN): (1000, NEARLY_ALIKE),
        ("h2d", PINNED): (1200, NEARLY_ALIKE),
        ("d2h", PLAIN): (1000, NOISY),
        ("d2h", PINNED): (800, NOISY),
    }
    return run(
        [
            synthetic.row(f"{name}/{way}/64MiB", LARGE, 1000 * us * factor)
            for (way, name), (us, factors) in times.items()
            for factor in factors
        ]
    )


def small_copies(first: Any = NEARLY_ALIKE, up: float = 5.0, largest: int = 64 * KIB) -> Any:
    """Pageable copies of 5 µs, and pinned ones of 4 µs to the host."""
    times = (("h2d", PLAIN, 5.0), ("h2d", PINNED, up), ("d2h", PLAIN, 5.0), ("d2h", PINNED, 4.0))
    return [
        synthetic.row(f"{name}/{way}/{synthetic.size_name(size)}", size, 1000 * us * factor)
        for size in (KIB, 4 * KIB, largest)
        for way, name, us in times
        for factor in (first if size == KIB else NEARLY_ALIKE)
    ]


def unknown_costs() -> Run:
    made = usual_and_advice([PINNED, PINNED], [PINNED, PINNED])
    assert made.advice.map
    made.advice.map["measured_terms"]["allocation"] = False
    return made


def busy() -> Run:
    rows = timed_run(USUAL).result.rows
    return run([row | {"cores": 5.93 if "staged" in row["name"] else 1.0} for row in rows])


def one_of_eight_disagrees() -> Run:
    times = {PLAIN: [1000.0] * 7 + [800.0], PINNED: [880.0] * 8}
    rows = [
        synthetic.row(f"{name}/{way}/64MiB", LARGE, 1000 * us)
        for name, each in times.items()
        for way in ("h2d", "d2h")
        for us in each
    ]
    return run(rows)


def rates(pinned: float = 50.0, pageable: float = 10.0, both: float = 90.0) -> Run:
    """Copies of 64 MiB at these rates in GB/s, and a small one of 1 µs."""
    rows = [synthetic.row("copy/pinned/h2d/4B", 4, 1000.0)]
    for name, rate in {PINNED: pinned, PLAIN: pageable}.items():
        for way in ("h2d", "d2h") * bool(rate):
            rows += timed(f"{name}/{way}", LARGE, rate)
    return run(rows + (timed("duplex/engines/pinned", 2 * LARGE, both) if both else []))


PROCEDURE: dict[str, Any] = {
    "profile": "full",
    "started_utc": "2026-11-20T11:00:00Z",
    "seed": 7,
    "min_time_ms": 20.0,
    "random_order": True,
    "sizes": [4, 64, 1024, 65536],
    "cold_sizes": [MIB],
    "command_line": ["bench_transfers", "--profile=full", "--strategies=copy", "--seed=7"],
}
PROGRAM = {"version": "0.1.0", "git_commit": "abc123", "compiler": "GNU 12"}
PROGRAM |= {"build_type": "Release", "cuda_toolkit": "13.0.88"}
OPTIONS = ["--out", "/home/somebody/run.json", "--profile=quick", "--seed", "7", "--outer=1"]
IMPORTED = {"program": "nvbandwidth", "version": "0.8"}
DESCRIBED = run(
    program=PROGRAM,
    run=PROCEDURE,
    device={"kind": "cuda", "name": "Some GPU", "driver_version": "580.1"},
    machine={**VIRTUAL, "cpu": {"model": "Some CPU", "logical_cpus_online": 16, "numa_nodes": 1}},
    clock={"name": "some_clock", "read_ns": 20.0},
)

RUNS: dict[str, Run] = {
    "healthy": healthy(),
    "without a GPU": run(**ON_HOST),
    "without a GPU, and why": run(
        **{
            **ON_HOST,
            "device": {**ON_HOST["device"], "why_not_gpu": NO_GPU},
        }
    ),
    "incomplete": healthy(complete=False),
    "interrupted": healthy(complete=False, run={"rounds": 10, "interrupted_by": "SIGTERM"}),
    "in parts": healthy(parts=[{"number": 1, "complete": False}, {"number": 2, "complete": True}]),
    "built as Debug": healthy(program={"build_type": "Debug"}),
    "in no commit": healthy(program={"git_commit": "0123abc-dirty"}),
    "faults injected": run(pageable(12.6, 56.7), run={"faults_injected": ["slow:1.1@copy"]}),
    "failed and skipped benchmarks": failed(),
    "slow link": link(generation=3, width=8),
    "unknown speed of the link": link(width_max=None),
    "unknown link": healthy(link=None),
    "far node": healthy(device={**DEVICE, "numa_node": 1}),
    "unknown node": healthy(device={**DEVICE, "numa_node": None}),
    "one node": machine(cpu={"numa_nodes": 1}),
    "one node of a virtual machine": machine(
        cpu={"numa_nodes": 1}, virtualisation={"hypervisor": "KVM"}
    ),
    "governor": machine(cpu={"governor": "powersave"}),
    "clocks": clocks(),
    "throttled GPU": clocks(throttle_reasons=["sw_power_cap", "hw_slowdown"], sm_mhz=[1980, 1755]),
    "clock that fell": clocks(sm_mhz=[1980, 1200]),
    "unknown clock": clocks(sm_mhz=[None, None]),
    "unknown throttling": clocks(throttle_reasons=None, sm_mhz=None),
    "replays on the link": clocks(pcie_replays=1),
    "throttled CPU": clocks(cpu_events=12),
    "steady": run(synthetic.rows(("copy/pinned",), (64, MIB), (0.98, 1, 1.02)), **FACTS),
    "noisy": run(synthetic.rows(("copy/pinned",), (64, MIB), (0.9, 1, 1.2)), **FACTS),
    "one repetition": run(synthetic.rows(("copy/pinned",), (64, MIB), (1.0,)), **FACTS),
    "two repetitions": run(synthetic.rows(("copy/pinned",), (64, MIB), (0.7, 1.3)), **FACTS),
    "rate below the link's": copies("copy/pinned", LARGE, 25.0),
    "rate above the link's": copies("copy/pinned", LARGE, 80.0),
    "copies that cannot fill the link": copies("copy/pageable", LARGE, 9.0),
    "copies too small to fill the link": copies("copy/pinned", 4 * MIB, 9.0),
    "published for this GPU": copies("copy/pageable", LARGE, 9.5, "NVIDIA H100 80GB HBM3"),
    "published several times": copies("copy/pinned", LARGE, 12.0, "Tesla P100-PCIE-16GB"),
    "published of both directions": duplex("NVIDIA A100-SXM4-80GB"),
    "both directions": duplex(),
    "everything faster": everything(),
    "staging that does not help": run(pageable(12.6, 56.7, 12.0), **FACTS),
    "calls that wait": calls(),
    "flags without effect": flags(50.0),
    "a slow flag": flags(25.0),
    "write-combined memory": reads("write-combined"),
    "uncached memory": reads("uncached"),
    "a flag that had no effect": reads("write-back"),
    "allocation": allocations(),
    "advice": advised(),
    "advice without allocation": advised(allocation=False),
    "cold caches": cold(),
    "strategies that differ": run(synthetic.apart(), **FACTS),
    "rules": timed_run(USUAL),
    "rules for small copies": timed_run(USUAL | {("copy/pinned", KIB): 4.0}),
    "rules of noisy times": timed_run(USUAL | {("copy/pageable", LARGE): 1300.0}, NOISY),
    "rules of few repetitions": timed_run(USUAL, (0.999, 1.001)),
}
# Of these, what is said beside the figures.
SAID: dict[str, Run] = {
    "all is known": known(),
    "a virtual machine": known(machine=VIRTUAL),
    "who else is there is not known": known(machine=SHARED_UNKNOWN),
    "throttling of the CPU is not known": known(clocks={"gpu": GPU_CLOCKS}),
    "no clocks": known(clocks=None),
    "clocks of another form": known(clocks={"gpu": 7, "cpu": []}),
    "clocks of a run that did not end": known(complete=False),
    "clocks at the start": known(clocks={"gpu": GPU_CLOCKS | {"sm_mhz": [1980, None]}}),
    "no governor of a host": known(machine=MACHINE, **ON_HOST),
    "a host of which all is known": known(**ON_HOST),
    "a host without clocks": known(**ON_HOST, clocks={}),
    "slow in both directions": known(SLOW),
    "slow in one direction": known([*SLOW[:3], *FAST[3:]]),
    "measured in one direction": known(FAST[:3]),
    "no copies": known(timed("allocate/pinned", LARGE, 56.0)),
    "both directions at once, slow": known([*FAST, *timed("duplex/engines/pinned", LARGE, 1.0)]),
    "one repetition of each": known(FAST[::3]),
    "a link of another type": known(link={**synthetic.LINK, "type": "other"}),
    "what headers leave is not known": known(
        link={**synthetic.LINK, "packet_limit_gb_per_s": None}
    ),
    "faster than its maximum": known(link={**synthetic.LINK, "generation_max": 4}),
    "a slow link in a virtual machine": known(machine=VIRTUAL, link={**synthetic.LINK, "width": 8}),
    "nothing is known": known(SMALL, clocks=None, link=None),
    "no node": known(device={**DEVICE, "numa_node": -1}),
    "the last part did not end": known(
        parts=[{"number": 1, "complete": True}, {"number": 2, "complete": False}]
    ),
    "no large transfers": run(
        [synthetic.row("launch/plain/1_argument", 0, ns) for ns in (2000.0, 2100.0, 2200.0)]
    ),
    "small transfers, noisy": run(SMALL, **FACTS),
    "five repetitions": spread(5),
    "a hundred repetitions": spread(100),
    "names that cannot be shown": unprintable(),
    "only some repetitions differ": some_agree(),
    "no size in common": run(timed("copy/pageable/h2d", MIB, 5.0) + FAST),
    "pageable memory as fast": run(pageable(56.0, 56.7)),
    "pageable memory faster": run(pageable(57.0, 20.0)),
    "calls that return": calls(0.01),
    "a flag with hardly an effect": flags(46.0),
    "flags in one direction": run(
        [row for row in flags(50.0).result.rows if "/h2d/" in row["name"]]
    ),
    "unclear memory": reads("unclear"),
    "more than five findings": most_findings(),
    "nothing to choose from": no_choice(),
    "advice without a GPU": run(pageable(12.6, 56.7), advised().advice, **ON_HOST),
    "advice of false numbers": run(
        pageable(12.6, 56.7), advised().advice, run={"faults_injected": ["slow:1.1@copy"]}
    ),
    "no plain copy": timed_run({(PINNED, LARGE): 1000.0}),
    "clearly faster than the plainest": timed_run(USUAL | {("copy/pinned_wc", LARGE): 900.0}),
    "little faster, and noisy": timed_run(USUAL | {(PLAIN, LARGE): 1080.0}, NOISY),
    "noise in one direction": noise_in_one_direction(),
    "three repetitions": timed_run(USUAL, (0.999, 1, 1.001)),
    "faster by chance": timed_run(
        USUAL | {(PINNED, KIB): 4.6, ("copy/pinned_wc", LARGE): 920.0}, (1,)
    ),
    "one of eight repetitions disagrees": one_of_eight_disagrees(),
    "a strategy that keeps cores busy": busy(),
    "small copies that pay if repeated": copies_and_advice(
        small_copies(), [KIB, 4 * KIB, 64 * KIB], h2d=[PLAIN, PLAIN], d2h=[PLAIN, PINNED]
    ),
    "small copies, clear at 4 KiB": copies_and_advice(
        small_copies(NOISY, largest=16 * KIB), [KIB, 4 * KIB, 16 * KIB], d2h=[PINNED, PINNED]
    ),
    "large copies, once to the device": usual_and_advice(["copy/huge", PINNED], [PINNED, PINNED]),
    "large copies, once": usual_and_advice(["copy/huge", PINNED], ["copy/huge", PINNED]),
    "large copies, once each": usual_and_advice(["copy/huge", PINNED], [PLAIN, PINNED]),
    "large copies, always": usual_and_advice([PINNED, PINNED], [PINNED, PINNED]),
    "large copies, and the map differs": usual_and_advice([PINNED, "copy/huge"], [PINNED, PINNED]),
    "the costs of memory are not known": unknown_costs(),
    "words of the file": run(
        timed_run(USUAL).result.rows,
        strategies=[{"name": PINNED, "summary": "words of the file", "variants": []}],
    ),
    "published for another GPU": copies(PINNED, LARGE, 9.5, "NVIDIA A1000"),
    "published for a GPU of a longer name": copies(PINNED, LARGE, 9.5, "NVIDIA H10"),
    "rates": rates(),
    "rates of pinned memory alone": rates(pageable=0, both=0),
    "rates beyond the link's": rates(pinned=80.0),
    "described": DESCRIBED,
    "hardly described": run(link={}, machine={}, program={}),
    "imported": run(imported=IMPORTED),
    "failed, and with faults": run(
        [*synthetic.rows(), synthetic.failed_row("copy/x/h2d/4B")],
        complete=False,
        run={"profile": "quick", "faults_injected": ["slow"]},
    ),
    "options without places": run(run={"options": OPTIONS}),
}


def filed() -> Run:
    """Copies with and without an interval, with cold caches and by a kernel, and an allocation."""
    half = {"h2d": 5000.0, "d2h": None}
    fits = {
        f"copy/pinned/{way}": Fit(f"copy/pinned/{way}", 2, 2e3, 50.0, size, (1500.0, 2500.0))
        for way, size in half.items()
    }
    rows = timed("copy/pinned/h2d", MIB, MIB / 1e4, (1, 2, 2, 2, 2, 4))
    rows += synthetic.rows(("copy/pinned", "copy/my_2nd"), (KIB, LARGE), tuple(range(1, 9)))
    rows += [
        synthetic.row("copy/pinned/h2d/1MiB/cold", MIB, 100e3),
        synthetic.row("zero_copy/pinned_mapped/read/4KiB", 4 * KIB, 10e3, repetition_index=0),
        synthetic.row("allocate/pinned/1MiB", MIB, 5000.0, max_ns=5001.0),
    ]
    return run(rows, Advice(fits), device={"kind": "cuda", "name": "=1+1"})


def files_of(subject: Run) -> Iterator[str]:
    """What programs and papers get."""
    files = tidy.format_tidy([subject, COPIES_TWICE])
    files |= {"numbers.tex": macros.format_macros(subject, None).encode()}
    for each in tables.make_tables(subject):
        files |= format_files(each, "")
    for name, data in files.items():
        text = gzip.decompress(data) if name.endswith(".gz") else data
        yield f"file {name}\n{text.decode()}"


COPIES_TWICE = run(timed("copy/pinned/h2d", MIB, 50.0, (1, 2)))


# ---- sections of several runs, of devices, maps, answers and fleets


def machine_of(factors: Any, pinned: float = 1.0) -> Result:
    """Copies to the device, and in both directions at once, of 64 MiB."""
    rows = timed("copy/pinned/h2d", LARGE, LARGE / (pinned * 2e6), [1.0] * len(factors))
    rows += timed("copy/pinned/h2d", KIB, KIB / (pinned * 2e3), [1.0] * len(factors))
    return synthetic.result(
        rows + timed("duplex/engines/pinned", 2 * LARGE, 2 * LARGE / 1e6, factors)
    )


def several(*results: Result) -> list[Section]:
    """The sections of these runs together, without those of each and without figures."""
    sections = make_sections(list(results), PROGRAM_UNDER_TEST, drawer=NOTHING)
    return [section for section in sections if not section.name.startswith("run-")]


def named(*names: str) -> list[Section]:
    """Runs of devices with these names, a day after each other."""
    return several(
        *(
            synthetic.result(
                synthetic.rows(("copy/pinned",), (LARGE,)),
                device={"kind": "cuda", "name": name},
                run={"started_utc": f"2026-11-{10 + i}T11:00:00Z"},
            )
            for i, name in enumerate(names)
        )
    )


def compared(*factors: float, pinned: float = 1.0, first: int = 0) -> list[Section]:
    """Two machines: of the second, the copies both ways take so many times as long."""
    return several(machine_of((1.0,) * (first or len(factors))), machine_of(factors, pinned))


def with_cards() -> list[Section]:
    rows = [
        synthetic.row(f"{name}/h2d/64MiB", LARGE, ns * factor)
        for name, ns in (("copy/pageable", 6e6), ("copy/pinned", 1.25e6))
        for factor in (0.99, 0.995, 1.0, 1.0, 1.005, 1.01)
    ]
    device = {"kind": "cuda", "name": "Other GPU", "driver_version": "1.2"}
    return several(synthetic.result(rows), synthetic.result(rows, device=device))


def of_devices(document: dict[str, Any]) -> list[Section]:
    """All devices together, and what the run of each has."""
    result = parse_result(Path("devices.json"), document, b"devices")
    sections = several(result)
    for part in map(Run, split(result)):
        names = {bench.name: bench.gb_per_s for bench in part.transfers}
        heading = f"{caption.device_name(part)}, {part.link_limit} GB/s: {names}"
        sections.append(Section(name="", heading=heading, on_host=False))
    return sections


def of_answer(*given: Any, shown: int = 3, **more: Any) -> list[Section]:
    check = gate_answers.check(*given, **more)
    results = [synthetic.result()] * shown
    return make_sections(results, PROGRAM_UNDER_TEST, check, drawer=NOTHING)[:1]


def of_fleet(document: dict[str, Any]) -> list[Section]:
    return make_sections([], None, fleets=[made_up_fleet.parse(document)], drawer=NOTHING)


def of_map(document: dict[str, Any], *results: Result) -> list[Section]:
    sections = make_sections(
        list(results), None, maps=[made_up_map.parse(document)], drawer=NOTHING
    )
    return [section for section in sections if section.name == "map-"]


def of_history(**more: Any) -> list[Section]:
    past = made_up_fleet.parse_past(made_up_fleet.history(sweeps=12, **more))
    return make_sections([], None, fleets=[past], drawer=NOTHING)


NOTHING = Drawer(frozenset())
TRUE_CLASSES = [
    gate_answers.class_verdict("link", "REGRESSION", of_baseline=76, tested=70, slowdown=-0.0125),
    gate_answers.class_verdict(
        "latency",
        "INCONCLUSIVE",
        tested=0,
        slowdown=0.031,
        changed=True,
        reasons=[message("environment_changed", "latency: the environment changed")],
    ),
    gate_answers.class_verdict("host", "INCONCLUSIVE", tested=0, decides=False),
    gate_answers.class_verdict("other", of_baseline=0, compared=0, tested=0),
]
DIFFERENT = [
    {"key": "link.width", "before": "16", "after": "8", "allowed": False},
    {"key": "cpu.governor", "before": "powersave", "after": None, "allowed": True},
]
HOST_RESULT = synthetic.result(**ON_HOST)

SECTIONS: dict[str, Iterable[Section]] = {
    "both ways worse": compared(*[1.25] * 6),
    "one repetition each": compared(2.11, pinned=2.11),
    "one repetition of the first": compared(*[2.11] * 6, pinned=2.11, first=1),
    "one repetition of the second": compared(2.11, pinned=2.11, first=6),
    "two repetitions each": compared(2.11, 2.11, pinned=2.11),
    "clear in nine of ten": compared(*[1.25] * 18, 0.9, 0.9),
    "less than processes differ": compared(*[1.01] * 20),
    "better and worse": compared(*[1.25, 0.8] * 10),
    "worse copies, better both ways": compared(*[0.5] * 6, pinned=2.0),
    "another driver": with_cards(),
    "recorded machines": several(
        *(
            read_result(RESULTS / f"nvidia-{name}/result.json.gz")
            for name in ("h200/2026-11-21-report", "h100/2026-11-21-transfers")
        )
    ),
    "nothing in common": several(
        machine_of((1.0,)), synthetic.result(synthetic.rows(("copy/pageable",)))
    ),
    "two hosts without a GPU": several(HOST_RESULT, HOST_RESULT),
    "two devices of other names": named("A", "B"),
    "one device twice": named("A", "A"),
    "one of three devices twice": named("A", "B", "A"),
    "one of four devices thrice": named(*"AABA"),
    "more runs than sections": named(*"ABCDEFGH"),
    "two devices": of_devices(several_devices.two_devices()),
    "eight devices": of_devices(several_devices.eight_devices()),
    "a new family": make_sections([format_2.result()], PROGRAM_UNDER_TEST, drawer=NOTHING),
    "each verdict": of_answer(
        "REGRESSION",
        reasons=[message("ambiguous", "1 benchmark is ambiguous: more runs would tell", count=1)],
        notes=[
            message("interrupted", "/home/somebody/run-1.json was interrupted"),
            message("one_session", "the baseline is of one session"),
        ],
        paths=(Path("/home/somebody/run-1.json"),),
        changed=DIFFERENT,
        classes=TRUE_CLASSES,
    ),
    "inconclusive, and its reason said once": of_answer(
        "INCONCLUSIVE",
        sentence="INCONCLUSIVE: too noisy: very",
        reasons=[message("too_noisy", "too noisy: very")],
    ),
    "too few runs": of_answer(
        "INCONCLUSIVE",
        [gate_answers.absent("a", "missing", message("too_few_runs", "measured by 1 of 1 runs"))],
        shown=1,
        reasons=[message("too_few_runs", "1 new run, and 3 are needed")],
        runs={"before": 13, "after": 1},
    ),
    "a map": of_map(made_up_map.eight()),
    "a map of another machine": of_map(*several_devices.another_machine()),
    "a map without a GPU": of_map(
        made_up_map.document(2, context={"without_gpu": True, "date": "2026-01-02T03:04:05Z"})
    ),
    "a small fleet": of_fleet(made_up_fleet.small()),
    "a fleet without scores": of_fleet(made_up_fleet.without_scores()),
    "a healthy fleet": of_fleet(made_up_fleet.judgement()),
    "GPUs over sweeps": of_history(),
    "GPUs without trouble": of_history(trouble=False),
}


def sentences_of(subject: Run) -> Iterator[str]:
    parts = {
        "alert": [*subject.judged.alerts, *trust.left_out(subject)],
        "machine": trust.describe_machine(subject),
        "trust": [one for one in subject.judged.findings if one.about not in BESIDE_LINK],
        "compared": [
            *subject.judged.about("rate"),
            *findings.compare_with_published(subject),
        ],
        "finding": subject.judged.matters,
        "advice": findings.explain_recommendations(subject),
    }
    for part, given in parts.items():
        yield from printing.sentences(part, given)
    for rule in subject.judged.rules:
        uses = ", ".join(f"{use.strategy} ({use.summary})" for use in rule.uses)
        yield f"rule: {rule.data}: {uses}. {rule.why}"
    for mark in subject.judged.marks:
        yield f"mark ({mark.state}): {mark.subject}: {mark.verdict}; {mark.details}; {mark.clause}"
        yield from printing.sentences(f"evidence of {mark.subject}", mark.evidence)
    if verdict := subject.judged.verdict:
        yield f"summary: {verdict.lead} {verdict.text}"
    if first := glance.describe(subject):
        yield from (f"gauge: {gauge}" for gauge in first.gauges)
        yield f"glance: {first.small} {first.reading}"
    yield f"title: {caption.page_title(subject)}; {caption.describe_report(subject)}"
    yield from (f"method: {text}" for text in method.describe_method([(1, subject)]))
    for warning in subject.judged.warnings:
        yield f"warning of the program: {warning}"
    for each in tables.make_recommendations(subject):
        yield from printing.table(each, raw=True)


def figures_of(subject: Run) -> Iterator[str]:
    for name, draw in FIGURES.items():
        try:
            figure = draw(subject, WIDE)
        except NoData as why:
            yield f"{name}: not drawn: {why}"
            continue
        yield from (f"{name}: {text}" for text in printing.texts(figure))


def judged(runs: dict[str, Run]) -> dict[str, Run]:
    answers = judge(PROGRAM_UNDER_TEST, [subject.result for subject in runs.values()])
    return {
        title: replace(subject, judged=answer)
        for (title, subject), answer in zip(runs.items(), answers, strict=True)
    }


def main() -> None:
    said: set[str] = set()  # by a run before: each run shows what is new
    with debug_mode(False):
        for title, subject in judged(RUNS | SAID).items():
            print(f"# {title}: {caption.device_name(subject)}")
            figures = figures_of(subject) if title in RUNS else ()
            for line in (*sentences_of(subject), *figures):
                if line not in said:
                    print(line)
                said.add(line)
        print("# files", *files_of(filed()), sep="\n")
        print("# two runs")
        print(*method.describe_method([(1, DESCRIBED), (2, healthy())]), sep="\n")
        for title, sections in SECTIONS.items():
            print(f"# {title}")
            for section in sections:
                print(*printing.section(section), sep="\n")


if __name__ == "__main__":
    main()
