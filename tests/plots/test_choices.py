"""Tests what is chosen by size and reuse: pooled, with ties to the plainest."""

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
import synthetic
from synthetic import MIB

from plots.model import programs
from plots.model.choices import REUSES, Kind, choose
from plots.model.load import read_result
from plots.model.pool import pools

RECORDED = Path(__file__).resolve().parents[2] / "results"
ORDINARY = Kind((0, False, 0), "pageable", "base")
PINNED = Kind((1, False, 1), "pinned", "base")
FLAGGED = Kind((2, False, 2), "pinned_wc", "base")
HUGE = Kind((2, False, 2), "registered_huge", "huge")


def term(value, deviation=0.0):
    return {"value": value, "low": value - deviation, "high": value + deviation}


def strategy(name, allocation, transfer, fill=100.0, noise=0.0):
    return {
        "name": name,
        "allocation_ns": term(allocation),
        "transfer_ns": term(transfer),
        "fill_ns": term(fill, noise),
        "read_back_ns": term(0.0),
        "extrapolated": False,
    }


def chosen(strategies, kinds):
    """Returns the choices to the device at 1 MiB, by use."""
    ranking = {
        "question": {"bytes": MIB, "direction": "h2d"},
        "measured_terms": {"allocation": True},
        "strategies": strategies,
    }
    table = choose([ranking], kinds)["directions"]["h2d"]
    return {
        reuse: {key: cells[0][i] for key, cells in table.items()} for i, reuse in enumerate(REUSES)
    }


def test_allocation_is_shared_by_all_uses():
    cells = chosen(
        [strategy("plain", 0.0, 1000.0), strategy("pinned", 9000.0, 200.0)],
        {"plain": ORDINARY, "pinned": PINNED},
    )
    assert [cells[reuse]["winner"] for reuse in (1, 5, 20, 100)] == [
        *("plain", "plain", "pinned", "pinned")
    ]
    assert cells[100]["total_ns"] == pytest.approx(390.0)
    assert cells[100]["gain"] == pytest.approx(1100 / 390)
    assert (cells[1]["gain"], cells[100]["runner_up"]) == (1.0, "plain")
    assert cells[100]["margin"] == pytest.approx(1100 / 390 - 1)


def test_the_plainest_within_3_percent_is_chosen():
    kinds = {"pinned": PINNED, "flagged": FLAGGED}
    for transfer, winner in ((980.0, "pinned"), (900.0, "flagged")):
        cells = chosen([strategy("pinned", 0.0, 1000.0), strategy("flagged", 0.0, transfer)], kinds)
        assert cells[1]["winner"] == winner
        assert cells[1]["as_good"] == (1 if winner == "pinned" else 0)


@pytest.mark.parametrize(("transfer", "winner"), [(950.0, "pinned"), (800.0, "huge")])
def test_up_to_10_percent_noise_may_decide_for_the_plainest(transfer, winner):
    cells = chosen(
        [strategy("pinned", 0.0, 1000.0, noise=300.0), strategy("huge", 0.0, transfer)],
        {"pinned": PINNED, "huge": HUGE},
    )
    assert cells[1]["winner"] == winner


@pytest.mark.parametrize(("transfer", "winner"), [(950.0, "pinned"), (800.0, "huge")])
def test_few_repetitions_do_not_choose_by_chance(transfer, winner):
    strategies = [strategy("pinned", 0.0, 1000.0), strategy("huge", 0.0, transfer)]
    for few in ("pinned", "huge"):
        kinds = {"pinned": PINNED, "huge": HUGE}
        kinds[few] = replace(kinds[few], has_interval=False)
        assert chosen(strategies, kinds)[1]["winner"] == winner


@pytest.mark.parametrize(("repetitions", "enough"), [(1, False), (3, False), (4, True)])
def test_four_repetitions_are_enough_to_choose(repetitions, enough):
    rows = synthetic.rows(("copy/pinned",), (MIB,), (1.0,) * repetitions)
    kinds = programs._kinds(synthetic.result(rows))
    assert kinds["copy/pinned"].has_interval is enough


def test_what_the_cpu_pays_cancels_within_a_pool():
    cells = chosen(
        [
            strategy("pinned", 0.0, 1000.0, noise=300.0),
            strategy("flagged", 0.0, 940.0, noise=300.0),
        ],
        {"pinned": PINNED, "flagged": FLAGGED},
    )
    assert cells[1]["winner"] == "flagged"  # 6 % less, and no noise in the difference


def test_without_rankings_there_is_no_choice():
    assert choose([], {}) is None
    assert choose([{"strategies": []}], {}) is None


def pools_of(types):
    buffers = [{"memory": memory, "memory_type": kind} for memory, kind in types.items()]
    return pools(synthetic.result(buffers=buffers))


def test_kinds_of_memory_of_one_type_and_page_size_are_alike_for_the_cpu():
    found = pools_of(
        dict.fromkeys(("pinned", "pinned_wc", "registered_huge", "novel"), "write-back")
    )
    assert found["pinned"] == found["pinned_wc"]
    assert found["registered_huge"] != found["pinned"]  # pages of another size
    assert "novel" not in found  # pages of a size that is not known


@pytest.mark.parametrize("kind", ["write-combined", "unclear", None])
def test_kinds_of_another_or_an_unclear_type_are_not_alike(kind):
    found = pools_of({"pinned": "write-back", "pinned_wc": kind})
    assert found["pinned"] != found.get("pinned_wc")
    assert ("pinned_wc" in found) is (kind == "write-combined")


@pytest.mark.parametrize(
    "name", ["nvidia-h200/2026-11-20-standard", "nvidia-h100/2026-11-21-transfers"]
)
def test_the_report_and_advise_recommend_the_same(name, tmp_path, pytestconfig):
    program = Path(pytestconfig.getoption("binary"))
    if not program.is_file():
        pytest.skip("bench_transfers is not built")
    path = RECORDED / name / "result.json.gz"
    mapped = tmp_path / "map.json"
    command = [program, "advise", "--from", path, "--map", mapped]
    subprocess.run(command, check=True, capture_output=True)
    advised = json.loads(mapped.read_text("utf-8"))
    chosen = programs.ask(program, read_result(path), on_host=False).map
    differences = [
        (direction, size, reuse)
        for direction, cells in chosen["directions"].items()
        for size, row in zip(chosen["sizes"], cells["winner"], strict=True)
        for reuse, winner in zip(chosen["reuse"], row, strict=True)
        if advised["directions"][direction]["winner"][advised["sizes"].index(size)][
            advised["reuse"].index(reuse)
        ]
        != winner
    ]
    assert differences == []


def test_only_terms_of_the_sum_are_given_to_advise():
    rows = [
        synthetic.row(f"{name}/1MiB", MIB, 100.0)
        for name in (
            *("copy/pinned/h2d", "allocate/pinned", "free/pinned", "cpu/pinned/read_memcpy"),
            *("cpu/pinned/read_scalar", "message/graph", "duplex/engines/pinned"),
        )
    ]
    rows.append(synthetic.row("copy/pinned/h2d/1MiB/cold", MIB, 100.0))
    kept = programs._reduce(synthetic.result(rows))["benchmarks"]
    assert [row["run_name"].removesuffix("/1MiB") for row in kept] == [
        *("copy/pinned/h2d", "allocate/pinned", "free/pinned", "cpu/pinned/read_memcpy")
    ]
