"""The command lines of cases that measure."""

from __future__ import annotations

LIVE = "--device=host --benchmark_min_time=0.001 --benchmark_repetitions=2 --seed=1"
PACED = f"bench_transfers_paced {LIVE} --strategies=paced --sizes=4KiB:1MiB:x256 --cache=warm"
ONE_PACED = f"bench_transfers_paced {LIVE} --strategies=paced/first --sizes=4KiB --cache=warm"


def paced(seed: int) -> str:
    return PACED.replace("--seed=1", f"--seed={seed} --quiet")
