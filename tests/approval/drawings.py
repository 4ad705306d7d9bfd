"""Prints what figures draw of made-up runs, maps, fleets and answers: each has something special.

Recorded runs have too much to be looked at. Here a title says what there is to see.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import format_2
import gate_answers
import made_up_fleet
import made_up_map
import printing
import synthetic
from altair.utils.schemapi import debug_mode
from drawings_of_runs import (
    EVEN,
    HOST,
    LARGE,
    OF_RUNS,
    PROGRAM,
    RESULTS,
    SIZES,
    Drawing,
    of,
    repeated,
    uneven,
)
from gate_answers import compared, latency
from healthy import timed
from made_up_map import link
from several_devices import AT_ONCE, two_devices
from synthetic import KIB, MIB, run

from plots.figures import DEVICES_FIGURES, FLEET_FIGURES, HISTORY_FIGURES, MAP_FIGURES
from plots.figures.forest import draw_forest
from plots.figures.layout import COLUMN, PAPER, WIDE, Layout
from plots.model.derive import Run
from plots.model.load import parse_result, read_result
from plots.model.no_data import NoData
from plots.model.programs import ask_about_map

# ---- of several runs


@cache
def recorded(name: str) -> Run:
    return Run(read_result(RESULTS / name / "result.json.gz"))


def machine(name: str, *slower: float, factors: Any = EVEN, size: int = MIB, **more: Any) -> Run:
    """Copies of pinned memory of sizes that grow, so many times as long as 20 µs.

    Three processes measure them. Their last digits are those of this machine.
    """
    ns = 20e3 * (1 + ord(name[0]) / 1e4)
    rows = [
        row
        for i, slow in enumerate(slower)
        for row in repeated("copy/pinned/h2d", size << 2 * i, ns * slow, factors)
    ]
    return of_three(rows, name, **more)


def of_three(rows: Any, name: str, **more: Any) -> Run:
    """Measured by three processes, or by one if there is a single repetition."""
    processes = synthetic.of_processes(min(3, len(rows)), rows)
    return run(rows, device={"kind": "cuda", "name": name}, **processes, **more)


def far_apart() -> list[Run]:
    strategies = ("copy/pageable", "copy/pinned", "copy/staged")
    runs = [synthetic.rows(strategies, (LARGE,), EVEN) for _ in range(2)]
    for row in runs[1]:
        factor = 4 if row["name"] == "copy/staged/h2d/64MiB" else 1
        row |= {key: row[key] * factor * 1.001 for key in ("median_ns", "real_time")}
        row["gb_per_s"] /= factor
    return [of_three(rows, name) for rows, name in zip(runs, "ab", strict=True)]


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
    """Six copies to the device by three processes; the third is slower by `spread`."""
    times = [LARGE / rate * (1 + spread * (i % 3) / 2) * (1 + i / 1e4) for i in range(6)]
    rows = [synthetic.row("copy/pinned/h2d/64MiB", LARGE, ns) for ns in times]
    return of_three(rows, name, link=link)


def both_ways(name: str) -> Run:
    factors = [1 + i / 1e4 + ord(name) / 1e5 for i in range(6)]
    rows = timed("copy/pinned/h2d", LARGE, 50.4, factors)
    rows += timed("duplex/engines/pinned", 2 * LARGE, 100.8, factors)
    return of_three(rows, name)


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
    "gains of a recorded run": of("gains", recorded(FOUR_GPUS[0])),
    "recorded runs of four days": of("history", list(map(recorded, [*FOUR_DAYS, FOUR_GPUS[1]]))),
    "recorded runs of four GPUs": of("ranks", list(map(recorded, FOUR_GPUS))),
    "answers of recorded GPUs": of("questions", list(map(recorded, FOUR_GPUS[:2]))),
    "answers of four runs": of("questions", list(map(recorded, FOUR_GPUS))),
    "answers in a column": of("questions", list(map(recorded, FOUR_GPUS[:2])), PAPER),
    "an answer beyond the axis": of(
        "questions", [machine("a", 1.0, 1.0, 1.0), machine("b", 1.3, 1.0, 0.3)]
    ),
    "answers without an interval": of(
        "questions", [machine("a", 1.0, factors=(1.0,)), machine("b", 2.0, factors=(1,))]
    ),
    "no question answered by both": of("questions", [machine("a", 1.0), OTHER]),
    "answers without a GPU": of("questions", [ON_HOST, ON_HOST]),
    "slower, the same and faster": of(
        "differences", [machine("a", 1.0, 1.0, 1.0), machine("b", 1.25, 1.001, 0.8)]
    ),
    "beyond the axis": of("differences", far_apart()),
    "without an interval": of(
        "differences", [machine("a", 1.0, factors=(1.0,)), machine("b", 2.0, factors=(1,))]
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
            sorted_machine("as fast", 50.05),
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
