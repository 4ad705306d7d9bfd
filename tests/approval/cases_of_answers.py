"""Cases of the subcommands of `bench_transfers`."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from given import (
    ALL,
    COPIES,
    FEW,
    FILES,
    H200,
    HOST,
    INTERFERENCE,
    MAP,
    NVBANDWIDTH,
    altered,
    changed,
    doubtful,
    hostile,
    jobs,
    mixed,
    odd,
    other_gpu,
    other_machine,
    pairs,
    without_a_gpu,
    without_gpu,
)
from running import Case


def answers() -> Iterable[Case]:
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
