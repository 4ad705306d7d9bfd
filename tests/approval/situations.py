"""Prints what the report says of made-up runs: every sentence, and the texts of every figure.

Recorded runs are of healthy machines. Here each run has one fault, or lacks one fact.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
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
from healthy import timed
from situations_of_runs import (
    BESIDE_LINK,
    DESCRIBED,
    LARGE,
    ON_HOST,
    PROGRAM_UNDER_TEST,
    RESULTS,
    RUNS,
    SAID,
    healthy,
)
from synthetic import KIB, MIB, run

from plots.figures import FIGURES
from plots.figures.layout import WIDE
from plots.model.by_device import split
from plots.model.derive import Run
from plots.model.judge import judge
from plots.model.load import Result, parse_result, read_result
from plots.model.no_data import NoData
from plots.model.programs import Advice, Fit
from plots.page.report import make_sections
from plots.page.section import Drawer, Section
from plots.text import caption, choices, findings, glance, macros, method, run_tables, tidy, trust
from plots.text.table import format_files


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
    for each in run_tables.make_tables(subject):
        files |= format_files(each, "")
    for name, data in files.items():
        text = gzip.decompress(data) if name.endswith(".gz") else data
        yield f"file {name}\n{text.decode()}"


COPIES_TWICE = run(timed("copy/pinned/h2d", MIB, 50.0, (1, 2)))


# ---- sections of several runs, of devices, maps, answers and fleets


def machine_of(factors: Any, pinned: float = 1.0, processes: int = 1) -> Result:
    """Copies to the device, and in both directions at once, of 64 MiB."""
    alike = [1 + i / 1e4 for i in range(len(factors))]
    rows = timed("copy/pinned/h2d", LARGE, LARGE / (pinned * 2e6), alike)
    rows += timed("copy/pinned/h2d", KIB, KIB / (pinned * 2e3), alike)
    rows += timed("duplex/engines/pinned", 2 * LARGE, 2 * LARGE / 1e6, factors)
    return synthetic.result(rows, **synthetic.of_processes(processes, rows))


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


def compared(*factors: float, pinned: float = 1.0, processes: int = 3) -> list[Section]:
    """Two machines: of the second, the copies both ways take so many times as long."""
    usual = [1 + i / 1e4 for i in range(len(factors))]
    other = [factor * (one + 1e-5) for factor, one in zip(factors, usual, strict=True)]
    return several(
        machine_of(usual, processes=processes), machine_of(other, pinned * 1.00001, processes)
    )


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
    "of one process each": compared(*[1.25] * 6, processes=1),
    "one repetition each": compared(2.11, pinned=2.11, processes=1),
    "processes that disagree": compared(*[1.25, 0.8, 1.0] * 4),
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
    for each in choices.make_recommendations(subject):
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
