"""Prints what the report says of made-up runs: every sentence, and the texts of every figure.

Recorded runs are of healthy machines. Here each run has one fault, or lacks one fact.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import synthetic
from altair.utils.schemapi import debug_mode
from format_2 import message
from healthy import HEALTHY, timed
from synthetic import KIB, MIB, run

from plots.figures import FIGURES
from plots.figures.layout import WIDE
from plots.model.derive import NoData, Run
from plots.text import caption, findings, marks, rules, tables, trust
from plots.text.trust import Sentence

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


def calls() -> Run:
    rows = timed("copy_async/pageable/h2d", LARGE, 10.0, enqueue_ns=0.99 * LARGE / 10)
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
    warnings = [message("other_load", "another load is running")]
    return run(rows, **FACTS, skipped=skipped, warnings=warnings)


def cold() -> Run:
    return run(synthetic.rows() + synthetic.rows(factors=(50.0, 60.0), suffix="/cold"), **FACTS)


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


def sentences_of(subject: Run) -> Iterator[str]:
    parts = {
        "machine": trust.describe_machine(subject),
        "trust": trust.assess(subject),
        "compared": findings.compare(subject),
        "finding": findings.rank_findings(subject),
        "advice": findings.explain_recommendations(subject),
    }
    for part, sentences in parts.items():
        for sentence in sentences:
            yield f"{part}{_mark(sentence)}: {sentence.text}"
    for rule in rules.describe(subject):
        uses = ", ".join(f"{use.strategy} ({use.summary})" for use in rule.uses)
        yield f"rule: {rule.data}: {uses}. {rule.why}"
    for mark in marks.describe(subject):
        yield f"mark ({mark.state}): {mark.subject}: {mark.verdict}; {mark.details}; {mark.clause}"
    if verdict := marks.summarise(subject):
        yield f"summary: {verdict.lead} {verdict.text}"
    for warning in trust.other_warnings(subject):
        yield f"warning of the program: {warning}"
    for table in tables.make_recommendations(subject):
        yield f"table: {table.head}"
        for row in table.rows:
            yield f"  {row}"


def _mark(sentence: Sentence) -> str:
    return " (warning)" if sentence.warning else ""


def figures_of(subject: Run) -> Iterator[str]:
    for name, draw in FIGURES.items():
        try:
            figure = draw(subject, WIDE)
        except NoData as why:
            yield f"{name}: not drawn: {why}"
            continue
        title = figure.chart.to_dict(validate=False)["title"]
        said = (*title["text"], *title["subtitle"], figure.explanation, figure.summary)
        yield from (f"{name}: {text}" for text in said if text)


def main() -> None:
    said: set[str] = set()  # by a run before: each run shows what is new
    with debug_mode(False):
        for title, subject in RUNS.items():
            print(f"# {title}: {caption.device_name(subject)}")
            for line in (*sentences_of(subject), *figures_of(subject)):
                if line not in said:
                    print(line)
                said.add(line)


if __name__ == "__main__":
    main()
