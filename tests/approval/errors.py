"""Commands that programs refuse: one of each kind of error, and one for each unusable file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import bad_files
from given import (
    COPIES,
    FILES,
    H200,
    HOST,
    INTERFERENCE,
    MAP,
    NO_FILES,
    NVBANDWIDTH,
    SWEEPS,
    Given,
    pairs,
    small_fleet,
)
from running import Case

SIZES = (
    *("0", "0KiB", "-1", "+4", "abc", "KiB", "4K", "4kb", "1m", "1Mi", "4QB", "4x", "' 4'"),
    *("'4 KiB'", "'4KiB '", "18446744073709551616", "99999999TiB", "1000TiB", "1e3", "4.5KiB"),
    *("8KiB:4KiB", "1MiB..1GiB", "1MiB-1GiB", "4KiB:8KiB:x2:x2", "4:8q", "4:", ":4", ":", ""),
    *(f"4KiB:8KiB:{step}" for step in ("2", "x", "", "x0", "x1", "x-2", "'x2 '", f"x{2**64}")),
    *("4KiB,", ",", "1,,2", "1,2,x"),
)
DEVICES = (
    *("nope", "0", "gpu", "cuda", "cuda:", "cuda:-1", "cuda:x", "cuda:0x0", "cuda:99999999999"),
    *("CUDA:0", "Host", "host:", "host:-1", "host:x", "host:99999999999", "'cuda:1 '", "'auto '"),
    *("host:0@", "host:0@=1GB/s", "'host:0@a b=1GB/s'", "host@a=1GB/s", "cuda:0@a=1GB/s", ""),
    *("host:0,", ",host:0", "auto,host:0", "all,host:1", "0,host:1", "host:0,host:0"),
    *("host,host", "host:0-3,2", "host:3-1", "host:1-", "host:-1-2", "host:0-1-2"),
    *("host:0-99999999999", "host:0-1000000000", "host:0@a=1GB/s,host:0@b=1GB/s"),
    *("host:0@a,host:1@a=1GB/s", "host:0@a=1GB/s,host:1@a=1GB/s", "host:0@a=1GB/s@a"),
    *("host:0@a=1GB/s@", "host:0@a=1GB/s@b", "host:0@a=", "host:0@a=1", "host:0@LINK=fast"),
    *(f"host:0@a={rate}" for rate in ("0GB/s", "-1GB/s", "nanGB/s", "infGB/s", "1e300GB/s")),
    "host:0@a=1GiB/s",
)
REQUESTS = (
    *("nope", "copy/pageable,cop", "copy/pined", "copy/", "copy/pin", "copy/pinned/h2", "nul", ""),
    *("copy/pinned/h2d/", "copy/pinned/h2d/4B", "null/h2d", "mmap_staged", "d2h_by_kernel"),
    *("kernel", "Copy", "nothing*"),
)
FAULTS = (
    *("", "@", "@x", "nope@x", "corrupt", "fail", "lose", "slow:2", "slow@x", "slow:@x"),
    *("slow:x@x", "slow:0.5@x", "slow:-2@x", "slow:2x@x", "slow:nan@x", "slow:inf@x"),
    *("slow:1e300@x", "slow:2:0@x", "slow:2:x@x", "corrupt:2@x", "fail:1@x", "Corrupt@x"),
    *("'corrupt @x'", "fail@nope"),
    *("fail@(", "fail@[", "lose@a{2,1}"),
)
AT_ONCE = "--device=host:0,host:1 --strategies=concurrent/pinned --sizes=1MiB --concurrent"
RUN_ERRORS = (
    *("--nope", "nope", "--profil=quick", "advice", "doctr", "run", "pin", "collect"),
    *("--benchmark_nope", "--benchmark_nope=3", "--benchmark_fliter=x"),
    *(f"--strategies={request}" for request in REQUESTS),
    *(f"--device={device}" for device in DEVICES),
    *("--profile=nope", "--profile=", "--list=nope", "--cache=nope", "--cache="),
    *(f"--benchmark_filter={value}" for value in ("(", "[", "-[", "a{2,1}", "'*'")),
    *(
        f"--benchmark_min_time={value}"
        for value in ("0", "-1", "abc", "nan", "inf", "0.1x", "3600", "s", "")
    ),
    *(
        f"--benchmark_repetitions={value}"
        for value in ("0", "-1", "10001", "99999999999", "abc", "1.5", "")
    ),
    *(f"--seed={value}" for value in ("abc", "-1", "1.5", "18446744073709551616")),
    *("--benchmark_out_format=xml", "--benchmark_format=xml", "-x", "--list copy"),
    *("--out=a.csv", "file.json", "--benchmark", "--cold-sizes=0", "--cold-sizes=1000TiB"),
    *("--benchmark_enable_random_interleaving=maybe", "--benchmark_time_unit=lightyears"),
    *("--benchmark_report_aggregates_only=maybe", "--benchmark_min_warmup_time=0.001"),
    *("--benchmark_min_warmup_time=abc", "--v=abc", "--quiet=x"),
    *(f"--inject={fault}" for fault in FAULTS),
    *("--out=", "--out", "--out=no/such/run.json"),
    *("--out=.", "--out=text.json/run.json", "--out=- --benchmark_format=csv"),
    *("--max-time=soon", "--max-time=0s", "--max-time=10m", "--max-time=2000d"),
    *("--label=x", "--label==r1", "--label=a=1 --label=a=2"),
    *("--concurrent=host:0:h2d", "--concurrent=up"),
    *(f"--sizes={size}" for size in SIZES),
    *("--cold-sizes=x", "--cold-sizes=", "--sizes", "advise", "map", "doctor", "fleet"),
    *("--rack=r1", "--bytes=64MiB", "--list --strategies=copy/pined", "--reuse=10", "--allow-host"),
    *("--max-time=inf", "--max-time=0", "--max-time=-1s"),
    *(f"--device={names}" for names in ("host:0-2,1", "host:3-1", "host:1-", "host:0-1000")),
    *(f"--device={names}" for names in ("all,host:0", "cuda:0-x")),
    *(f"{AT_ONCE}={copies}" for copies in ("host:0:h2d", "host:0:h2d+host:0:h2d", "host:0:h2d+")),
    *(f"{AT_ONCE}=host:0:h2d+{copy}" for copy in ("host:7:h2d", "cuda:0:h2d")),
    f"{AT_ONCE}=host:0+host:1",
    f"{AT_ONCE}=host:0:h2d:pinned+host:1:h2d",
)
TWO_RANKS = "RANK=0 WORLD_SIZE=2"
ALL_OF = "--host-map=host_map.json"
ASKED = "--bytes=64MiB --direction=h2d --from=run.json.gz"
ADVISE_ERRORS = (
    *("", "--byte=4", "--bytes=64MiB", "--direction=h2d", "--bytes=0 --direction=h2d"),
    *("--bytes=-1 --direction=h2d", "--bytes=many --direction=h2d"),
    *("--bytes=4KiB,,8KiB --direction=h2d", "--bytes= --direction=h2d"),
    *("--bytes=1MiB --direction=up", "--bytes=1MiB --direction=", "64MiB", "64MiB h2d"),
    *(f"{ASKED} --reuse={value}" for value in ("0", "-1", "1.5", "often", "1e3", "", "9" * 20)),
    *(f"{ASKED} --cpu-reads={value}" for value in ("-1", "nan", "1e308")),
    *(f"{ASKED} --cpu-writes={value}" for value in ("1000001", "inf", "x")),
    *(f"{ASKED} --check", "--check --reuse=2", "--check --cpu-reads=2"),
    *("--map=map.json --json=a.json", f"{ASKED} --map=same.json --json=same.json"),
    *(f"{ASKED} --from=", f"{ASKED} --json=", f"{ASKED} --map=", f"{ASKED} --device=host"),
    *(f"{ASKED} --nope", f"{ASKED} nope", f"{ASKED} d2h", f"{ASKED} run"),
    *(f"{ASKED} --map=- --json=/dev/stdout", f"{ASKED} --of-device=cuda:9"),
    *(f"{ASKED} --json=run.json.gz", f"{ASKED} --json=no/such/answer.json"),
    *(f"{ASKED} --allow-hots", "--bytes=64MiB --direction=h2d", f"{ASKED} --from=none.json"),
    *(f"{ASKED} --from=.",),
    *(f"{ASKED} --from={file}" for file in ("empty.json", "text.json", "other.json", "later.json")),
    *("--devices=all", "--host-map=host_map.json", "--host-map=host_map.json --devices=cuda:9"),
    *("--host-map=host_map.json --devices=all --reuse=2", "--host-map=none.json --devices=all"),
    *("--host-map=host_map.json --devices=cuda:0,cuda:0", "--host-map=run.json.gz --devices=all"),
    *("--host-map=host_map.json --devices=all --direction=up",),
    *("--host-map=host_map.json --devices=x", "--for=file", "--for=file --check"),
    *("--for=nothing --bytes=64MiB --from=run.json.gz",),
    *("--for=file --bytes=1KiB,1MiB --from=files.json.gz",),
    *("--for=file --bytes=1MiB --direction=up", "--for=file --bytes=1MiB --reuse=1,2"),
    *("--for=file --bytes=1GiB --direction=d2h --from=files.json.gz",),
    *("--for=interference --bytes=64MiB --from=polite.json.gz", "--check --from=files.json.gz"),
    *(f"{ALL_OF} --devices=cuda:0,", f"{ALL_OF} --devices=cuda:0-2"),
    *(f"{ALL_OF} --devices=cuda:0,0-1", f"{ALL_OF} --devices=all --bytes=0"),
    *(f"{ALL_OF} --devices=all --map=map.json", f"{ALL_OF} --devices=all --json=host_map.json"),
    *(f"{ALL_OF} --devices=all --for=file", "--for=file --bytes=x", "--for= --bytes=1MiB"),
    *("--for=file --bytes=1MiB --map=m.json", f"{ASKED} --map=no/such/map.json"),
    *("--bytes=1KiB,x --direction=h2d", "--bytes=1KiB --direction=h2d,up"),
    *("--bytes=1KiB --direction=h2d,", "--bytes=1KiB --direction=h2d --reuse=1,,2"),
    *("--bytes=1KiB, --direction=h2d", "--bytes=1MiB --for=copy_of_nothing --from=files.json.gz"),
)
UNUSABLE = (
    *("none.json", ".", "host_map.json", "nv.json", "text.json", "empty.json", "other.json"),
    *("later.json", "damaged.json.gz"),
)
EXPORT_ERRORS = (
    *("", "run.json.gz", "run.json.gz --format=xml", "run.json.gz run.json.gz --format=csv"),
    *("run.json.gz --format=csv --out=run.json.gz", "run.json.gz --format=csv --out=no/such"),
    *(
        f"run.json.gz copy.json.gz --format={style}"
        for style in (
            *("openmetrics-timestamps", "bencher"),
            *("github-benchmark", "github-benchmark-bigger"),
        )
    ),
    "run.json.gz --format=csv --nope",
    *(f"{file} --format=csv" for file in UNUSABLE),
)
COMPARE_ERRORS = (
    *("", "run.json.gz", "run.json.gz run.json.gz", "run.json.gz copy.json.gz", "a b c"),
    *("run.json.gz --", "run.json.gz host.json.gz", "run.json.gz files.json.gz"),
    *("run.json.gz polite.json.gz --nope", "run.json.gz polite.json.gz --json=run.json.gz"),
    *("run.json.gz polite.json.gz --json=no/such",),
    *("run.json.gz polite.json.gz --json=- --markdown=/dev/stdout",),
    *(f"run.json.gz {file}" for file in UNUSABLE),
)
FLEET_RUN_ERRORS = (
    *("--out=o --mpi=no.so", "--out=o --wait=never", "--out=o --wait=0", "--out=o --wait=nan"),
    *("--out=o --benchmark_out_format=csv", "--out=o --nothing", "--out=o --max-time=1s"),
    *("--out=o --ranks-per-node=0", "--out=o --device=nope"),
)
OTHER_ERRORS = (
    *("--resume=none.json", "--resume=text.json", "--resume=.", "--resume=host_map.json"),
    *("--resume=run.json.gz --sizes=4KiB", "import", "import nv.json --format=csv"),
    *("import nv.json --buffer-size=0", "import run.json.gz", "import nv.json --buffer-size=much"),
    *("import nv.json --out=nv.json", "import nv.json --nope"),
    *(f"import {file}" for file in UNUSABLE if file != "nv.json"),
    *("map --size=0", "map --size=2GiB", "map --size=x", "map --device=host:0,host:0"),
    *("map --nope", "map --device=nope", "map nope", "map --device=host:0 --out=no/such/map.json"),
    *("map doctor", "doctor --nope", "doctor run", "doctor measure", "doctor --devices=all"),
    *("doctor --json=.", "doctor --device=nope", "fleet", "fleet start", "fleet map"),
    *("fleet --strategie=copy",),
    *(f"fleet --device=host {arguments}" for arguments in FLEET_RUN_ERRORS),
    *(f"--resume=run.json.gz {option}" for option in ("--device=host", "--label=a=b", "--list")),
    *(f"--resume=run.json.gz --{option}" for option in ("benchmark_format=csv", "profile=quick")),
    *("--resume=run.json.gz --benchmark_filter=first",),
    *(f"--resume={file}" for file in ("empty.json", "other.json", "later.json")),
    *("fleet --resume=run.json.gz --out=sweep", "doctor --json="),
    *("doctor --json=no/such/doctor.json", "--device=host doctor"),
)
LAUNCHER_ERRORS = (
    *("RANK=1", "RANK=1 WORLD_SIZE=2", "LOCAL_RANK=1", "RANK=1 WORLD_SIZE=1 LOCAL_RANK=0"),
    *("RANK=0 WORLD_SIZE=2 LOCAL_RANK=0", "RANK=x WORLD_SIZE=2 LOCAL_RANK=0"),
    *(f"{TWO_RANKS} LOCAL_RANK=0 LOCAL_WORLD_SIZE={size}" for size in ("", "100000000")),
    *(f"{TWO_RANKS} LOCAL_RANK=2 LOCAL_WORLD_SIZE=2",),
    *("RANK=0 WORLD_SIZE=1 LOCAL_RANK=0 LOCAL_WORLD_SIZE=5",),
)
ONE = "1-result.json.gz"
CHECK = f"check baseline.json {ONE}"
KEYS = ("none", "cores", "nothing:less")
GATE_ERRORS = (
    *("", "chek a b", "compare", "run", "judge a", "--threshold=2% check a b", "--nope", "check"),
    *("check a", "pin a b c", "pin --out=x", "show", "power", "power a b"),
    *(
        f"check a b --threshold{value}"
        for value in ("", "=", "=2", "=0.02", "=0%", "=-2%", "=1001%")
    ),
    *("check a b --threshold=nan%", "check a b --threshold=2%%", "check a b --latency-threshold=5"),
    *("check a b --false-alarm=60%", "check a b --false-alarm=0.0001%", "check a b --nothing=1"),
    *("check a b --judge-by=gb_per_s", "check a b --json", "check a b --looks=0"),
    *("check a b --looks=x", "check a b --decide-by=link,bandwidth", "check a b --dry-run"),
    *("check a b --allow-missing=(", "pin a --out=x --judge-by=real_time:more"),
    *("pin a --out=x --judge-by=", "pin a --out=", "pin a --out=x --of-repetitions=mean"),
    *("power a --runs=0", "power a --runs=many", "power a --runs=2.5", "power a --runs=1001"),
    *(f"pin {ONE} --out=b", f"pin {ONE} {ONE} --out=b", f"pin {ONE} --out={ONE}"),
    *(f"pin {ONE} --out=no/b", f"pin {ONE} polite.json.gz --out=b"),
    *(f"pin {ONE} host.json.gz --out=b", f"pin {ONE} nv.json --out=b"),
    *(
        f"pin {ONE} 2-result.json.gz 1-previous.json.gz --out=b --judge-by={key} --allow-noisy"
        for key in KEYS
    ),
    *(f"{CHECK} {ONE}", f"{CHECK} host.json.gz", f"{CHECK} 1-previous.json.gz", f"{CHECK} nv.json"),
    *(f"{CHECK} --decide-by=other", f"{CHECK} --allow-different=x", f"{CHECK} --confirm=one"),
    *(f"{CHECK} --json=a --junit=a", f"{CHECK} --json=baseline.json", f"{CHECK} --json={ONE}"),
    *(f"{CHECK} --json=no/such/a", f"{CHECK} --json=.", f"{CHECK} --markdown=/dev/null"),
    *("check baseline.json polite.json.gz", "check baseline.json baseline.json"),
    *(f"check {ONE} {ONE}", "power none.json", f"power {ONE}", f"show {ONE} --judge-by=none"),
    *(f"pin {ONE} 2-result.json.gz 1-previous.json.gz --out=b --allow-different=x",),
    *(f"check baseline.json --dry-run --{option}" for option in ("threshold=2", "allow-missing=(")),
    *(f"check baseline.json --dry-run --{option}" for option in ("confirm=one", "nothing")),
    *("check baseline.json --dry-run --allow-different=device.driver",),
    *("check baseline.json --dry-run --decide-by=other",),
    *("check baseline.json --dry-run --json=no/such/a",),
    *("check baseline.json --dry-run --json=baseline.json", "check other.json --dry-run"),
)
FLEET_ERRORS = (
    *("", "nope", "--nope", "jugde s", "check a b", "collect", "collect none --out=s"),
    *("collect sweep", "collect empty --out=s", "collect text.json --out=s"),
    *("collect sweep --out=no/such/file", "collect sweep --out=s --within=-1"),
    *("collect sweep --out=s --sweep=none", "judge", "judge none", "judge run.json.gz"),
    *("judge sweep-1.sweep.gz --decide-by=other", "judge sweep-1.sweep.gz --nope"),
    *("judge sweep-1.sweep.gz --reference=none", "judge sweep-1.sweep.gz --reference=text.json"),
    *("judge sweep-1.sweep.gz --reference sweep-2.sweep.gz sweep-3.sweep.gz",),
    *("judge sweep-1.sweep.gz --json=sweep-1.sweep.gz",),
    *("judge sweep-1.sweep.gz --json=a --markdown=a",),
    *("judge sweep-1.sweep.gz --reference=sweep-1.sweep.gz",),
    *("judge sweep-1.sweep.gz --json=no/such", "judge sweep-1.sweep.gz --history=sweep-1.sweep.gz"),
    *("judge sweep-1.sweep.gz --history=none", "show", "show text.json"),
    *("show sweep-1.sweep.gz --slowest=0", "history", "history none", "history text.json"),
    *("history sweep-1.sweep.gz", "history sweep-1.sweep.gz sweep-1.sweep.gz"),
    *("history sweep-1.sweep.gz sweep-2.sweep.gz --gpu=GPU-0", "judg", "run", "pin", "fleet"),
    *("judge empty.json", "judge other.json", "judge other.json --json=- --markdown=-"),
    *("judge other.json --decide-by=fast", "judge sweep-1.sweep.gz --referense=a"),
    *("show sweep-1.sweep.gz --reference=sweep-1.sweep.gz",),
    *("history sweep-1.sweep.gz --reference=none", "judge sweep", "judge nothing"),
    *("history nothing", "collect nothing --out=x.json", "history sweep"),
    *("history sweep-1.sweep.gz --gpu=GPU-", "history sweep-1.sweep.gz --gpu=b", "collect ."),
    *("collect empty.json --out=x.json", "collect . --out=no/such/sweep.json"),
    *("collect . --out=monday.gz",),
)
REPORT_ERRORS = (
    *("", "run.json.gz --figures=bandwith", "run.json.gz --figures=latency,"),
    *("run.json.gz --figures=xyz", "run.json.gz text.json", "text.json run.json.gz"),
    *("run.json.gz --decide-by=link", "run.json.gz run.json.gz", "run.json.gz copy.json.gz"),
    *("run.json.gz --out=text.json", "run.json.gz --baseline=none.json", "run.json.gz --nope"),
    *("run.json.gz --baseline=text.json", "host_map.json --baseline=baseline.json", "--out"),
    *(file for file in UNUSABLE if file != "host_map.json"),
)
SCRIPT_ERRORS = (
    *("scripts/report", "scripts/report none.json", "scripts/report --nope"),
    *("scripts/report a.json --page-onyl", "scripts/bench --profil=quick"),
    *("scripts/bench --size=1MiB", "scripts/bench --benchmark_fliter=x", "scripts/bench --hlep"),
    *("scripts/bench advise", "scripts/gate baseline.json --treshold=2%", "scripts/gate"),
    *("scripts/gate baseline.json --run=2", "scripts/gate baseline.json --threshold"),
    *("scripts/gate baseline.json -- --strategie=copy", "scripts/lint --tidi"),
    *("scripts/package --hepl", "scripts/test --sanitise"),
)


def errors() -> Iterable[Case]:
    copy = (("copy.json.gz", H200 / "2026-11-23-staging-5/result.json.gz"),)
    inputs = COPIES + copy + FILES + INTERFERENCE + HOST + MAP + NVBANDWIDTH + NO_FILES

    def case(
        name: str, program: str, lines: Iterable[str], more: Given = (), **options: Any
    ) -> Case:
        commands = tuple(f"{program} {line}".strip() for line in lines)
        return Case(f"errors-{name}", commands, given=inputs + more, **options)

    yield case("run", "bench_transfers --device=host", RUN_ERRORS)
    yield case("advise", "bench_transfers advise", ADVISE_ERRORS)
    yield case("export", "bench_transfers export", EXPORT_ERRORS)
    yield case("compare", "bench_transfers compare", COMPARE_ERRORS)
    yield case("other-commands", "bench_transfers", OTHER_ERRORS)
    started = [
        f"{variables} bench_transfers fleet --device=host --out=o" for variables in LAUNCHER_ERRORS
    ]
    yield case("launcher", "", started)
    pin = "gate_transfers pin {} --out=baseline.json --allow-noisy".format(
        " ".join(f"{n}-previous.json.gz" for n in (1, 2, 3))
    )
    runs = pairs("result", 2) + pairs("previous", 3)
    yield case("gate", "gate_transfers", GATE_ERRORS, runs, before=(pin,))
    yield case("fleet", "fleet_transfers", FLEET_ERRORS, small_fleet() + SWEEPS)
    texts = bad_files.TEXTS
    for name, command, tables in (
        ("files", "gate_transfers show ", (texts, bad_files.RUNS)),
        ("baselines", "gate_transfers power ", (bad_files.BASELINES, texts)),
        ("sweeps", "fleet_transfers judge ", (bad_files.SWEEPS, texts)),
        ("maps", "bench_transfers advise --devices=all --host-map=", (bad_files.MAPS, texts)),
    ):
        commands = tuple(f"{command}{file}" for file in bad_files.names(*tables))
        yield Case(f"errors-bad-{name}", commands, given=bad_files.given())
    yield case("report", "report", REPORT_ERRORS, (("baseline.json", b"{}"),))
    yield case("scripts", "", SCRIPT_ERRORS)
