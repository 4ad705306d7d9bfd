"""Cases of `bench_transfers`: lists and runs."""

from __future__ import annotations

from collections.abc import Iterable

from measured import LIVE, ONE_PACED, PACED
from running import Case

# As many as a table shows, in which each memory, method and setting is once.
WIDE = "copy,duplex,null,zero_copy,cpu,allocate,free,gpu_array,overlap,scatter,message,copy_batch"


def bench() -> Iterable[Case]:
    host = "bench_transfers --device=host"
    yield Case("bench-list", (f"{host} --list",), of_host_build=True)
    yield Case("bench-list-chosen", (f"{host} --list --strategies=message,null,copy/multipath",))
    yield Case(
        "bench-list-all",
        (f"{host} --list=all --strategies=zero_copy,file,message,stalls,copy/multipath/pinned",),
    )
    yield Case(
        "bench-list-json",
        (f"{host} --list=json --strategies=null,zero_copy,launch,copy/multipath/pinned",),
    )
    pageable = f"{host} --benchmark_list_tests --strategies=copy/pageable"
    yield Case(
        "bench-names",
        (
            f"{host} --benchmark_list_tests --strategies=copy/pinned --cache=both --sizes=1KiB,4B",
            f"{host} --benchmark_list_tests --strategies=copy --benchmark_filter=-pinned "
            "--profile=quick",
            f"{pageable} --sizes=4KiB,4kib,1000 --cache=cold",
            f"{pageable} --sizes=1KiB:5KiB --cold-sizes=8KiB",
            f"{pageable}/h2d --sizes=4096 --cache=warm",
            f"{host} --benchmark_list_tests --strategies=null",
            f"{pageable},null --sizes=4KiB '--benchmark_filter=-copy|batched'",
            *(
                f"{pageable} --sizes=4KiB,64KiB --cache=warm '--benchmark_filter={expression}'"
                for expression in ("copy/pageable/h2d", "-h2d", "/4KiB$", "-(h2d|/4KiB)", "all")
            ),
        ),
    )
    yield Case("bench-run", (f"{PACED} --out=run.json",), live=True, files=False)
    yield Case("bench-run-json", (f"{ONE_PACED} --quiet --out=-",), live=True)
    yield Case("bench-run-brief", (f"{PACED} --brief --out=run.json",), live=True, files=False)
    yield Case("bench-run-quiet", (f"{PACED} --quiet --out=run.json",), live=True, files=False)
    yield Case("bench-run-default-file", (f"{PACED} --brief",), live=True, files=False)
    google = f"{ONE_PACED} --quiet"
    for style in ("json", "csv", "console"):
        yield Case(
            f"bench-run-google-{style}",
            (
                f"{google} --benchmark_format={style} --out=run.txt --benchmark_out_format={style}",
                f"{google} --benchmark_format={style} --benchmark_report_aggregates_only "
                "--out=run.json",
            ),
            live=True,
            files=style != "json",
        )
    yield Case(
        "bench-run-tables",
        (
            f"bench_transfers {LIVE} --strategies={WIDE} --sizes=4KiB,64KiB --cache=both "
            "--benchmark_filter=-(registered|portable|huge|wc|@|after_transfer) "
            "--benchmark_min_time=0.00001 --benchmark_repetitions=1 --out=run.json",
        ),
        live=True,
        files=False,
    )
    yield Case(
        "bench-run-devices",
        (
            f"bench_transfers {LIVE} --device=host:0,host:1 --strategies=copy/pinned "
            "--sizes=4KiB,64KiB --cache=warm --out=run.json",
        ),
        live=True,
        files=False,
    )
    yield Case(
        "bench-run-failures",
        (
            f"{PACED} --inject=fail@paced/first/h2d --out=run.json",
            f"bench_transfers {LIVE} --strategies=copy/pageable --sizes=4KiB --cache=warm "
            "--inject=corrupt@h2d --inject=lose@d2h --out=-",
        ),
        live=True,
        files=False,
    )
    yield Case(
        "bench-run-slowed",
        (f"{PACED} --inject=slow:2@first --out=run.json",),
        live=True,
        files=False,
    )
    yield Case(
        "bench-run-skipped",
        (f"bench_transfers {LIVE} --strategies=copy/pinned_wc,launch --sizes=4KiB --out=run.json",),
        live=True,
        files=False,
    )
    yield Case(
        "bench-run-nothing", (f"{PACED} --benchmark_filter=no_such --out=run.json",), live=True
    )
    part = f"{PACED} --benchmark_repetitions=20"
    yield Case(
        "bench-run-resumed",
        (
            f"{part} --max-time=20ms --out=part.json",
            "bench_transfers_paced --resume=part.json --brief",
            "bench_transfers_paced --resume=part.json --brief",
        ),
        live=True,
        files=False,
    )
    yield Case(
        "bench-run-labels",
        (f"{ONE_PACED} --label=cable=new --note=tried --quiet --out=-",),
        live=True,
    )
