"""The table of cases: which commands are given, and what lies in the folder where they are.

Inputs are recorded runs: their figures are in the approved texts. What is measured on this machine
is `live`: its figures are hidden. The paced program measures where it may, because only its
strategies advance its clock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from errors import errors
from given import (
    ALL,
    COPIES,
    FEW,
    FILES,
    FOREIGN,
    GATE,
    H200,
    HOST,
    INTERFERENCE,
    MACHINES,
    MAP,
    NVBANDWIDTH,
    PIN,
    SUMMARISED,
    SWEEPS,
    TWO_GPUS,
    Document,
    altered,
    base,
    changed,
    doubtful,
    environment,
    hostile,
    injected,
    jobs,
    mixed,
    next_day,
    numbered,
    odd,
    one_slow_run,
    other_gpu,
    other_machine,
    pairs,
    short,
    small_fleet,
    sweep,
    two_sizes,
    without_a_gpu,
    without_gpu,
)
from running import Case

LIVE = "--device=host --benchmark_min_time=0.001 --benchmark_repetitions=2 --seed=1"
PACED = f"bench_transfers_paced {LIVE} --strategies=paced --sizes=4KiB:1MiB:x256 --cache=warm"
ONE_PACED = f"bench_transfers_paced {LIVE} --strategies=paced/first --sizes=4KiB --cache=warm"
SLOWER = "--inject=slow:1.2@first/h2d/1MiB"
# As many as a table shows, in which each memory, method and setting is once.
WIDE = "copy,duplex,null,zero_copy,cpu,allocate,free,gpu_array,overlap,scatter,message,copy_batch"

UNSEEDED = PACED.replace("--seed=1", "--quiet")  # runs alike would be one run


def paced(seed: int) -> str:
    return PACED.replace("--seed=1", f"--seed={seed} --quiet")


COMMANDS = {
    "bench_transfers": ("advise", "map", "doctor", "fleet", "export", "import", "compare"),
    "gate_transfers": ("pin", "check", "power", "show", "history"),
    "fleet_transfers": ("collect", "judge", "show", "history"),
}
SCRIPTS = ("bench", "gate", "report")


def helps() -> Iterable[Case]:
    for program, commands in COMMANDS.items():
        for command in ("", *commands):
            name = f"{program.partition('_')[0]}{f'-{command}' if command else ''}-help"
            line = " ".join(part for part in (program, command, "--help") if part)
            yield Case(name, (line,))
        yield Case(f"{program.partition('_')[0]}-version", (f"{program} --version",))
    yield Case("report-help", ("report --help",))
    for script in SCRIPTS:
        yield Case(f"scripts-{script}-help", (f"scripts/{script} --help",))


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


def answers() -> Iterable[Case]:
    """The subcommands of bench_transfers."""
    run = "bench_transfers advise --from=run.json.gz"
    yield Case(
        "advise-copies",
        (
            f"{run} --bytes=64MiB --direction=h2d --json=answer.json",
            f"{run} --bytes=64MiB --direction=h2d --for=copy",
        ),
        given=COPIES,
    )
    yield Case(
        "advise-several",
        (f"{run} --bytes=1KiB,64MiB --direction=h2d,d2h --reuse=100 --json=answer.json",),
        given=FEW,
    )
    yield Case(
        "advise-allocated",
        (
            f"{run} --bytes=64MiB --direction=h2d --reuse=1000",
            f"{run} --bytes=256KiB --direction=h2d --reuse=1000",
            f"{run} --bytes=1B --direction=d2h --cpu-reads=2",
        ),
        given=(("run.json.gz", H200 / "2026-11-21-report/result.json.gz"),),
    )
    yield Case("advise-check", (f"{run} --check --json=answer.json",), given=FEW)
    yield Case(
        "advise-map",
        ("bench_transfers advise --from=1-result.json --map=map.json",),
        given=altered("result", count=1),
    )
    yield Case(
        "advise-host",
        (
            "bench_transfers advise --from=host.json.gz --bytes=1MiB --direction=d2h",
            "bench_transfers advise --from=host.json.gz --bytes=1MiB --direction=d2h --allow-host",
        ),
        given=HOST,
    )
    yield Case(
        "advise-for",
        (
            "bench_transfers advise --from=files.json.gz --for=file --bytes=64MiB --json=file.json",
            "bench_transfers advise --from=polite.json.gz --for=interference --bytes=64MiB",
            "bench_transfers advise --from=files.json.gz --for=wait --bytes=64MiB",
        ),
        given=FILES + INTERFERENCE,
    )
    yield Case(
        "advise-for-odd",
        (
            "bench_transfers advise --from=odd.json --for=file --bytes=64MiB --json=file.json",
            "bench_transfers advise --from=all.json.gz --for=overlap --bytes=64MiB",
            "bench_transfers advise --from=all.json.gz --for=overlap --bytes=64MiB --reuse=100",
        ),
        given=(("odd.json", partial(changed, FILES[0][1], jobs)), *ALL),
    )
    yield Case(
        "advise-for-roles",
        (
            "bench_transfers advise --from=all.json.gz --for=duplex --bytes=64MiB --reuse=1000",
            "bench_transfers advise --from=all.json.gz --for=scattered_copy --bytes=16MiB "
            "--direction=d2h",
            *(
                f"bench_transfers advise --from=waiting.json.gz --direction=h2d --for={asked}"
                for asked in (
                    *("parameters --bytes=1KiB", "parameters --bytes=32736B"),
                    "wait --bytes=16MiB",
                )
            ),
            "bench_transfers advise --from=prompt.json.gz --for=interference --bytes=1GiB",
        ),
        given=(
            *ALL,
            ("waiting.json.gz", H200 / "2026-11-23-waiting/result.json.gz"),
            ("prompt.json.gz", H200 / "2026-11-23-prompt-copies/result.json.gz"),
        ),
    )
    at_once = "bench_transfers advise --host-map=host_map.json --devices=all"
    yield Case("advise-at-once", (f"{at_once} --json=answer.json",), given=MAP)
    yield Case(
        "advise-at-once-host",
        (at_once,),
        given=(("host_map.json", partial(changed, MAP[0][1], without_a_gpu)),),
    )
    two = "1-previous.json.gz 1-result.json.gz"
    yield Case(
        "compare-two",
        (
            f"bench_transfers compare {two}",
            f"bench_transfers compare {two.replace(' ', ' --with ')}",
        ),
        given=pairs("previous", 1) + pairs("result", 1),
    )
    doubted = "1-previous.json 1-result.json"
    yield Case(
        "read-doubtful",
        (
            f"{run.replace('run.json.gz', '1-result.json')} --bytes=64MiB --direction=h2d --json=-",
            f"{run.replace('run.json.gz', '1-result.json')} --bytes=64MiB --direction=h2d",
            f"bench_transfers compare {doubted}",
            *(
                f"bench_transfers export {doubted} --format={style}"
                for style in ("csv", "markdown")
            ),
            f"gate_transfers show {doubted}",
        ),
        given=altered("previous", count=1) + altered("result", doubtful, mixed, odd, count=1),
    )
    several = "bench_transfers compare {} -- {}".format(
        *(" ".join(f"{n}-{which}.json" for n in (1, 2, 3)) for which in ("previous", "result"))
    )
    yield Case(
        "compare-several",
        (f"{several} --json=answer.json --markdown=answer.md",),
        given=altered("previous") + altered("result", mixed),
    )
    yield Case(
        "compare-machines",
        ("bench_transfers compare run.json.gz 1-result.json",),
        given=COPIES + altered("result", other_machine, count=1),
    )
    yield Case(
        "compare-odd",
        (
            "bench_transfers compare 1-previous.json -- 1-result.json 2-result.json 3-result.json "
            "--json=answer.json --markdown=answer.md",
        ),
        given=(
            *altered("previous", hostile, count=1),
            *altered("result", hostile, other_gpu, count=2),
            *altered("result", hostile)[2:],
        ),
    )
    styles = (
        *("csv", "markdown", "openmetrics", "bencher"),
        *("github-benchmark", "github-benchmark-bigger", "report"),
    )
    yield Case(
        "export-odd",
        tuple(
            f"bench_transfers export 1-result.json --format={style}"
            for style in (*styles, "openmetrics-timestamps")
        ),
        given=altered("result", hostile, count=1),
    )
    for style in styles:
        yield Case(
            f"export-{style}",
            (f"bench_transfers export result.json.gz --format={style}",),
            given=(("result.json.gz", H200 / "2026-11-23-stalls/result.json.gz"),),
        )
    yield Case(
        "export-several",
        tuple(
            f"bench_transfers export 1-result.json 1-previous.json --format={style}"
            for style in ("csv", "markdown", "openmetrics", "bencher")
        ),
        given=altered("result", mixed, count=1) + altered("previous", without_gpu, count=1),
    )
    yield Case(
        "import-nvbandwidth",
        (
            "bench_transfers import nv.json --format=nvbandwidth --out=ours.json",
            "bench_transfers compare large.json ours.json.gz",
            "bench_transfers export large.json --format=csv",
        ),
        given=(*NVBANDWIDTH, ("ours.json.gz", H200 / "2026-11-21-report/result.json.gz")),
        before=("bench_transfers import nv.json --buffer-size=1GiB --out=large.json",),
    )
    yield Case("doctor", ("bench_transfers doctor --device=host",), live=True)
    yield Case("doctor-json", ("bench_transfers doctor --device=host --json=-",), live=True)
    # A size that is measured in no time: what is said of the links is chance.
    yield Case("map-json", ("bench_transfers map --device=host:0 --size=64KiB --out=-",), live=True)


def gate() -> Iterable[Case]:
    new = " ".join(f"{number}-result.json" for number in (1, 2, 3))
    check = f"gate_transfers check baseline.json {new}"
    writers = "--json=check.json --markdown=check.md --junit=check.xml"
    loose = "--threshold=30% --latency-threshold=40% --false-alarm=5% --looks=4"
    yield Case("gate-pin", (PIN,), given=base())
    yield Case(
        "gate-pin-replaces",
        (
            f"gate_transfers pin {new} --out=baseline.json",
            f"gate_transfers pin {new} --out=second.json --replaces=baseline.json --new-line "
            "--allow-noisy",
            f"gate_transfers pin {new} --judge-by=gb_per_s --of-repetitions=fastest --out=b.json "
            "--allow-noisy",
        ),
        given=base() + altered("result", mixed),
        before=(PIN,),
        files=False,
    )
    yield Case(
        "gate-pin-doubtful",
        (
            f"gate_transfers pin {new} --out=baseline.json",
            f"gate_transfers pin {new} --out=baseline.json --allow-disturbed --allow-noisy",
        ),
        given=altered("result", doubtful),
        files=False,
    )

    def checked(name: str, *options: str, change: Callable[[Document], None] = short) -> Case:
        lines = tuple(f"{check} {given}" for given in options)
        given = base() + altered("result", change)
        return Case(f"gate-check-{name}", lines, given=given, before=(PIN,))

    yield checked("pass", f"--threshold=15% --decide-by=link {writers}", "--threshold=15% --all")
    yield checked("noise", "--all")
    yield checked("regression", writers, "--decide-by=link --all", change=mixed)
    yield checked("allowed", f"{loose} --allow-missing=staged", change=mixed)
    yield checked("faults", writers, change=injected)
    yield checked("environment", "--threshold=3% --all", change=environment)
    yield checked("odd", "--threshold=15% --json=check.json", "--allow-missing=.", change=odd)
    yield checked("ambiguous", "--threshold=3%", change=one_slow_run)
    yield Case(
        "gate-check-crept",
        (
            f"gate_transfers pin {new} --out=second.json --replaces=baseline.json --allow-noisy",
            "gate_transfers check second.json later-1-result.json later-2-result.json "
            "later-3-result.json --threshold=15%",
            "gate_transfers check second.json later-1-result.json later-2-result.json "
            "later-3-result.json --threshold=15% --allow-different=run.started_utc",
        ),
        given=base() + altered("result", environment),
        before=(PIN,),
        files=False,
    )
    yield checked("doubtful", f"--decide-by=link,host --threshold=8% {writers}", change=doubtful)
    yield checked(
        "other-machine",
        writers,
        "--allow-different=device.driver_version,kernel.release --decide-by=link",
        change=other_machine,
    )
    yield Case(
        "gate-check-one-run",
        ("gate_transfers check baseline.json 1-result.json --json=-",),
        given=base() + altered("result", count=1),
        before=(PIN,),
    )
    slowed = " ".join(f"slowed-{number}.json.gz" for number in (1, 2, 3))
    yield Case(
        "gate-check-recorded",
        (
            f"gate_transfers check baseline.json {slowed} --decide-by=link",
            f"gate_transfers check fastest.json {slowed} --markdown=-",
        ),
        given=(
            *numbered(GATE, "slowed", 3),
            ("baseline.json", GATE / "baseline-median.json"),
            ("fastest.json", GATE / "baseline-fastest.json"),
        ),
    )
    yield Case(
        "gate-check-confirm",
        (
            "gate_transfers check baseline.json slow-1.json slow-2.json slow-3.json "
            f"'--confirm={UNSEEDED},{UNSEEDED} {SLOWER}'",
            "gate_transfers check baseline.json slow-1.json slow-2.json slow-3.json "
            f"'--confirm={UNSEEDED},{UNSEEDED}'",
        ),
        before=(
            *(f"{paced(number)} --out=run-{number}.json" for number in range(1, 6)),
            *(f"{paced(number + 50)} {SLOWER} --out=slow-{number}.json" for number in (1, 2, 3)),
            "gate_transfers pin run-1.json run-2.json run-3.json run-4.json run-5.json "
            "--out=baseline.json",
        ),
        live=True,
        files=False,
    )
    yield Case(
        "gate-check-dry",
        ("gate_transfers check baseline.json --dry-run", "gate_transfers check none --dry-run"),
        given=base(),
        before=(PIN,),
    )
    yield Case(
        "gate-history",
        (
            f"gate_transfers history baseline.json {new} next-1-result.json --json=history.json",
            f"gate_transfers history baseline.json {new} next-1-result.json --threshold=500%",
            f"gate_transfers history baseline.json {new}",
        ),
        given=(
            *base(),
            *altered("result", environment),
            *((f"next-{name}", text) for name, text in altered("result", next_day, count=1)),
        ),
        before=(PIN,),
    )
    yield Case(
        "gate-power",
        tuple(
            f"gate_transfers power baseline.json {option}".strip()
            for option in ("", "--runs=1", "--threshold=0.1%", "--threshold=500%")
        ),
        given=base(),
        before=(PIN,),
    )
    yield Case(
        "gate-show",
        (
            "gate_transfers show 1-result.json 2-result.json 3-result.json",
            "gate_transfers show 1-result.json --judge-by=gb_per_s --of-repetitions=fastest",
            "gate_transfers show 1-result.json 1-previous.json 2-previous.json foreign.json",
        ),
        given=(
            *altered("result"),
            *altered("previous", other_machine, count=1),
            *altered("previous", without_gpu, count=2)[1:],
            ("foreign.json", FOREIGN),
        ),
    )


def printed() -> Iterable[Case]:
    """What nobody has recorded: of made-up answers and runs."""
    yield Case("printed-gate", ("printed_answers gate",))
    yield Case("printed-fleet", ("printed_answers fleet",))
    yield Case("printed-doctor", ("printed_answers doctor",))
    yield Case(
        "printed-summaries",
        (
            *(f"printed_answers summary {file}" for file, _ in SUMMARISED),
            *(f"printed_answers brief {file}" for file, _ in SUMMARISED),
        ),
        given=SUMMARISED,
    )


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


CASES: dict[str, Case] = {
    case.name: case
    for part in (helps, bench, answers, gate, fleet, printed, reports, errors)
    for case in part()
}
