"""What lies in the folder where commands are given: recorded runs, whole or changed."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from running import ROOT, Content

H200 = Path("results/nvidia-h200")
PAIRS = H200 / "2026-11-24-staging-pairs"
GATE = H200 / "2026-11-21-gate"
LATER = H200 / "2026-11-22-gate"
FLEET = H200 / "2026-11-23-fleet"
TWO_GPUS = H200 / "2026-11-23-two-gpus"

Given = tuple[tuple[str, Content], ...]
Document = dict[str, Any]


def files(folder: Path, *names: str, suffix: str = ".json.gz") -> Given:
    return tuple((f"{name}{suffix}", folder / f"{name}{suffix}") for name in names)


def numbered(folder: Path, name: str, count: int) -> Given:
    return files(folder, *(f"{name}-{number}" for number in range(1, count + 1)))


def pairs(which: str, count: int = 5, first: int = 1) -> Given:
    return files(PAIRS, *(f"{number}-{which}" for number in range(first, first + count)))


def changed(path: Path, change: Callable[[Document], None]) -> bytes:
    content = (ROOT / path).read_bytes()
    document = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    change(document)
    return json.dumps(document).encode()


def altered(which: str, *changes: Callable[[Document], None], count: int = 3) -> Given:
    """The first of the pairs, short, with these changes."""

    def change(document: Document) -> None:
        for each in (short, *changes):
            each(document)

    return tuple(
        (f"{number}-{which}.json", partial(changed, PAIRS / f"{number}-{which}.json.gz", change))
        for number in range(1, count + 1)
    )


def short(document: Document) -> None:
    """A few benchmarks of each class: answers about all of them are long."""
    kept = {
        *(f"copy/pinned/{way}/{size}" for way in ("h2d", "d2h") for size in ("16MiB", "64MiB")),
        *(f"copy/staged/{way}/{size}" for way in ("h2d", "d2h") for size in ("16MiB", "64MiB")),
        *("copy/pinned/h2d/1MiB", "copy/staged/d2h/1MiB", "copy/staged/d2h/256MiB"),
    }
    described = document["context"]["transfers"]["benchmarks"]
    for name in [name for name in described if name not in kept]:
        del described[name]
    document["benchmarks"] = [row for row in document["benchmarks"] if row["run_name"] in kept]


def two_sizes(document: Document) -> None:
    """What a report says of each size, it says of these."""
    facts = document["context"]["transfers"]
    facts["benchmarks"] = {
        name: entry
        for name, entry in facts["benchmarks"].items()
        if name.endswith(("/1MiB", "/64MiB"))
        and entry["strategy"].endswith(("/pageable", "/pinned", "/staged", "/whole", "/engines"))
    }
    document["benchmarks"] = [
        row for row in document["benchmarks"] if row["run_name"] in facts["benchmarks"]
    ]


def days_before(days: int) -> Callable[[Document], None]:
    """As if the machine had been started anew so many days before: another session."""

    def change(document: Document) -> None:
        facts = document["context"]["transfers"]
        for key in ("started_utc", "finished_utc"):
            facts["run"][key] = facts["run"][key].replace("2026-11-24T", f"2026-11-{24 - days}T")
        facts["machine"]["kernel"]["boot_id"] = f"00000000-0000-4000-8000-{24 - days:012}"

    return change


# All times of a repetition: a file that contradicts itself is refused.
TIMES = {"real_time", "cpu_time", "median_ns", "mean_ns", "min_ns", "max_ns"}
TIMES |= {"p5_ns", "p95_ns", "p99_ns"}


def slower(row: Document, factor: float) -> Document:
    times = {key: row[key] * factor for key in TIMES & set(row)}
    return row | times | {"gb_per_s": row["gb_per_s"] / factor}


def slow(document: Document, strategy: str = "copy/pinned/", factor: float = 1.25) -> None:
    document["benchmarks"] = [
        slower(row, factor) if row["run_name"].startswith(strategy) else row
        for row in document["benchmarks"]
    ]


def other_times(document: Document) -> None:
    """The same times would be those of the same run."""
    document["benchmarks"] = [
        slower(row, 1.0003) if "gb_per_s" in row else row for row in document["benchmarks"]
    ]


def next_day(document: Document) -> None:
    """Slower as a whole, and a little more."""
    days_before(-1)(document)
    environment(document)
    other_times(document)


def mixed(document: Document) -> None:
    """Something of each verdict: slower, faster, missing, failed and new."""
    slow(document)
    slow(document, "copy/staged/h2d/", 0.6)
    described = document["context"]["transfers"]["benchmarks"]
    lost, failed, moved = (f"copy/staged/d2h/{size}" for size in ("16MiB", "64MiB", "256MiB"))
    new = "copy/new/d2h/256MiB"
    document["benchmarks"] = rows = [
        row for row in document["benchmarks"] if row["run_name"] != lost
    ]
    del described[lost]
    for row in rows:
        if row["run_name"] == failed:
            row |= {"error_occurred": True, "error_message": "the device has failed"}
            row["error_code"] = "device_error"
        if row["run_name"] == moved:
            row["name"] = row["run_name"] = new
    described[new] = described.pop(moved) | {"strategy": "copy/new"}


def other_machine(document: Document) -> None:
    facts = document["context"]["transfers"]
    facts["machine"]["kernel"]["release"] = "7.0.0"
    for device in (facts["device"], *facts["devices"]):
        device["driver_version"] = "999.1"


def environment(document: Document) -> None:
    """Everything is slower, as on a busy machine."""
    slow(document, "copy/", 1.15)


def odd(document: Document) -> None:
    """Resumed; one benchmark is too fast, one moves other bytes, and one run lacks a third."""
    facts = document["context"]["transfers"]
    facts["parts"] = [
        {"number": number, "complete": number == 2, "devices": [], "warnings": []}
        for number in (1, 2)
    ]
    slow(document, "copy/pinned/h2d/64MiB", 0.01)
    facts["benchmarks"]["copy/pinned/d2h/64MiB"]["size_bytes"] *= 2
    for row in document["benchmarks"]:
        if row["run_name"] == "copy/pinned/d2h/64MiB":
            row["bytes"] *= 2
            row["gb_per_s"] *= 2
    if facts["run"]["started_utc"].endswith(("1Z", "3Z", "5Z", "7Z", "9Z")):
        lost = "copy/staged/d2h/16MiB"
        document["benchmarks"] = [row for row in document["benchmarks"] if row["run_name"] != lost]


def one_slow_run(document: Document) -> None:
    """Of three runs, those that began in an even second are slower."""
    if document["context"]["transfers"]["run"]["started_utc"][-2] in "02468":
        slow(document, "copy/pinned/", 1.3)


def without_gpu(document: Document) -> None:
    facts = document["context"]["transfers"]
    host = {"kind": "host", "name": "host (no GPU)", "why_not_gpu": None}
    facts["device"], facts["link"] = host, None
    facts["devices"] = [{"id": "host", **host, "link": None, "clocks": None}]


def injected(document: Document) -> None:
    document["context"]["transfers"]["run"]["faults_injected"] = ["slow:1.1@copy"]


def doubtful(document: Document) -> None:
    """Ended early, and disturbed."""
    facts = document["context"]["transfers"]
    facts["complete"] = False
    facts["run"]["interrupted_by"] = "SIGINT"
    facts["warnings"].append(
        {"code": "gpu_throttled", "data": {"reasons": ["hw_slowdown"]}, "text": "throttled"}
    )


def hostile(document: Document) -> None:
    """A name that every format gives a meaning to, one without bytes, and encrypted copies."""
    facts = document["context"]["transfers"]
    for device in (facts["device"], *facts["devices"]):
        device["confidential_computing"] = True
    name = '=cmd|"a\\b",`c`\n<d>@e|[f](g){h="i"} # EOF'
    entry = facts["benchmarks"].pop("copy/pinned/h2d/1MiB")
    facts["benchmarks"][name] = entry | {"strategy": name}
    for row in document["benchmarks"]:
        if row["run_name"] == "copy/pinned/h2d/1MiB":
            row["name"] = row["run_name"] = name
        if row["run_name"] == "copy/pinned/h2d/16MiB":
            del row["bytes"], row["gb_per_s"]


def other_gpu(document: Document) -> None:
    facts = document["context"]["transfers"]
    for device in (facts["device"], *facts["devices"]):
        device["name"] = "Other GPU"


def noted(document: Document) -> None:
    """Memory of every type, what was skipped and has failed, a warning, and no known link."""
    facts = document["context"]["transfers"]
    facts["link"] = facts["devices"][0]["link"] = None
    facts["run"]["interrupted_by"] = "SIGINT"

    def block(memory: str, type_: str, plain: float, streaming: float | None) -> Document:
        ordinary = {"plain_gb_per_s": 10.2, "streaming_gb_per_s": 9}
        reads = {"plain_gb_per_s": plain, "streaming_gb_per_s": streaming}
        return {
            "memory": memory,
            "write_combined": "_wc" in memory,
            "memory_type": type_,
            "cpu_reads": reads,
            "cpu_reads_of_ordinary_memory": ordinary,
        }

    facts["buffers"] = [
        block("pageable", "write-back", 9.76, 9),
        block("pinned_mapped_wc", "write-back", 9.76, 9),
        block("pinned_portable_mapped_wc", "write-back", 9.76, 9),
        block("pinned_wc", "write-combined", 0.123, 4.56),
        block("pinned", "uncached", 0.05, 0.05),
        block("managed", "unclear", 3.21, None),
        {"memory": "registered", "memory_type": None},
    ]
    reasons = {"a": "too heavy", "b": "too heavy", "c": "too heavy", "d": "too light"}
    facts["skipped"] = [
        {"name": f"copy/{name}", "reason": {"code": "other", "data": {}, "text": text}}
        for name, text in reasons.items()
    ]
    facts["warnings"].append({"code": "gpu_throttled", "data": {}, "text": "the GPU was throttled"})
    document["benchmarks"][0] |= {"error_occurred": True, "error_message": "wrong data"}


JOBS = {
    **{"file/mmap/warm": "good", "file/pread/warm": "good", "file/either/warm": "alone"},
    **{"file/mmap/cold": "of one size", "file/pread/cold": "failing"},
    "file/either/cold": "timeless",
}


def jobs(document: Document) -> None:
    """Jobs that files are copied for, some of which cannot be ranked."""
    described = document["context"]["transfers"]["benchmarks"]
    for name, entry in list(described.items()):
        job = JOBS.get(entry["strategy"])
        entry["setting"] = job
        if not job or (job == "of one size" and not name.endswith("/16MiB")):
            del described[name]
    document["benchmarks"] = [row for row in document["benchmarks"] if row["run_name"] in described]
    for row in document["benchmarks"]:
        job = described[row["run_name"]]["setting"]
        if job == "failing":
            row |= {"error_occurred": True, "error_message": "the device has failed"}
        if job == "timeless":
            del row["median_ns"]


def without_a_gpu(document: Document) -> None:
    """A map of emulated devices."""
    document["context"]["without_gpu"] = True


def cold(document: Document) -> None:
    """Without what was measured with warm caches."""
    document["benchmarks"] = [
        row for row in document["benchmarks"] if row["run_name"].endswith("/cold")
    ]


def not_alone(document: Document) -> None:
    """What one copy does alone is not known."""
    for row in document["benchmarks"]:
        row.pop("alone_gb_per_s@cuda:1:h2d", None)


def on_nodes(document: Document, near: tuple[int | None, ...] = (0, 1)) -> None:
    """Copies from memory on two nodes: slower from the far one, and one of them is lost."""
    facts = document["context"]["transfers"]
    for device, node in zip(facts["devices"], near, strict=True):
        device["numa_node"] = node
    described, rows = facts["benchmarks"], document["benchmarks"]
    facts["benchmarks"], document["benchmarks"] = {}, []
    for name, entry in described.items():
        asked = (entry["strategy"], entry["size_bytes"], entry["cache"])
        for node in (0, 1) if asked == ("copy/pinned", 64 << 20, "warm") else ():
            memory = f"pinned@node{node}"
            named = name.replace("pinned", memory)
            more = {"strategy": f"copy/{memory}", "memory": memory, "node": node}
            facts["benchmarks"][named] = entry | more
            factor = 1 if entry["devices"] == [node] else 1.25
            document["benchmarks"] += [
                slower(row, factor) | {"run_name": named}
                for row in rows
                if row["run_name"] == name and named != "copy/pinned@node0/h2d/64MiB@cuda:1"
            ]


def base() -> Given:
    """Runs of two sessions, of which `PIN` makes a baseline."""
    first = altered("previous", days_before(2), count=5)
    second = altered("result", days_before(1), other_times, count=5)
    return (*first, *((f"later-{name}", content) for name, content in second))


PIN = "gate_transfers pin {} --out=baseline.json".format(
    " ".join(
        f"{name}.json"
        for name in (
            *(f"{number}-previous" for number in range(1, 6)),
            *(f"later-{number}-result" for number in range(1, 6)),
        )
    )
)


def sweep(*nodes: str, slowed: str = "") -> Given:
    """A folder with the recorded runs of so many machines, the runs of one of them slowed."""
    late = ("fourth", "fifth", "sixth", "seventh")
    return tuple(
        (
            f"sweep/{node}/{number}.json.gz",
            (LATER if node in late else GATE)
            / f"{'slowed' if node == slowed else node}-{number}.json.gz",
        )
        for node in nodes
        for number in (1, 2, 3)
    )


MACHINES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh")
SWEEPS = files(FLEET, "sweep-1", "sweep-2", "sweep-3", "slow", suffix=".sweep.gz")
MAP = (("host_map.json", H200 / "2026-11-22-two-gpus/host_map.json"),)
COPIES = (("run.json.gz", H200 / "2026-11-23-staging-5/result.json.gz"),)
FEW = (("run.json.gz", PAIRS / "1-result.json.gz"),)
FILES = (("files.json.gz", H200 / "2026-11-24-files/result.json.gz"),)
INTERFERENCE = (("polite.json.gz", H200 / "2026-11-24-polite/result.json.gz"),)
HOST = (("host.json.gz", Path("results/host/2026-11-21-report/result.json.gz")),)
NVBANDWIDTH = (("nv.json", Path("tests/e2e/nvbandwidth.json")),)
# Of another program that uses Google Benchmark.
FOREIGN = json.dumps(
    {
        "context": {"date": "2026-11-24T03:42:39+00:00", "json_schema_version": 1},
        "benchmarks": [{"name": "other", "real_time": 5, "cpu_time": 5, "time_unit": "us"}],
    }
).encode()
NO_FILES = (
    ("nothing/notes.txt", b"no results\n"),
    ("empty.json", b""),
    ("text.json", b"no JSON\n"),
    ("other.json", b'{"kind": "other"}\n'),
    ("later.json", b'{"context": {"transfers": {"format": 99}}, "benchmarks": []}\n'),
    ("damaged.json.gz", b"\x1f\x8b\x08\x00no gzip"),
)


ALL = (("all.json.gz", H200 / "2026-11-21-report/result.json.gz"),)
SETS = H200 / "2026-11-22-two-gpus/result.json.gz"
SUMMARISED: Given = (
    *ALL,
    ("launches.json.gz", H200 / "2026-11-22-arguments/result.json.gz"),
    ("devices.json.gz", SETS),
    *HOST,
    *altered("result", noted, count=1),
    ("cold.json", partial(changed, PAIRS / "1-result.json.gz", cold)),
    ("not-alone.json", partial(changed, SETS, not_alone)),
    ("nodes.json", partial(changed, SETS, on_nodes)),
    ("nodes-unknown.json", partial(changed, SETS, partial(on_nodes, near=(None, None)))),
)


def small_fleet() -> Given:
    uuids = ("GPU-8b2c4ac7-8290-556f-b5e6-d1b536fcb7e5", "GPU-f5739083-fb4f-6164-425e-5a1ae50a99a1")
    return tuple((f"sweep/node/{uuid}.json.gz", FLEET / f"nompi.{uuid}.json.gz") for uuid in uuids)
