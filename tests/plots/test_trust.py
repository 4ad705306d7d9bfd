"""Tests the sentences about the machine and its numbers: they say only what the data say."""

import statistics

import pytest
import synthetic
from format_2 import message
from healthy import HEALTHY, texts, timed
from synthetic import KIB, MIB, run

from plots.text import findings, numbers, trust


def test_a_run_in_parts_is_complete_if_its_last_part_is():
    parts = [{"number": 1, "complete": True}, {"number": 2, "complete": False}]
    doubtful = run(timed("copy/pinned/h2d", MIB, 50.0), **HEALTHY, parts=parts)
    assert len(texts(trust.assess(doubtful), warnings=True)) == 2


def test_a_missing_gpu_is_mentioned_first():
    why = message("no_gpu", "No GPU: no driver is installed.", reason="no driver is installed")
    host = run(device={"kind": "host", "name": "host", "why_not_gpu": why}, link=None)
    first, _ = trust.describe_machine(host)
    assert first.warning
    assert texts(findings.compare(host)) == []
    assert not any("link" in text or "NUMA" in text for text in texts(trust.assess(host)))


def test_a_healthy_machine_gives_no_warning():
    healthy = run(timed("copy/pinned/h2d", 64 * MIB, 55.0), **HEALTHY)
    assert texts(trust.assess(healthy), warnings=True) == []


# tests/approval/situations.py shows the sentences of these situations.
@pytest.mark.parametrize(
    "changed",
    [
        {"complete": False},
        {"complete": False, "run": {"rounds": 10, "interrupted_by": "SIGTERM"}},
        {"parts": [{"number": 1, "complete": False}, {"number": 2, "complete": True}]},
        {"program": {"build_type": "Debug"}},
        {"run": {"faults_injected": ["wrong_byte"]}},
        {"link": {**synthetic.LINK, "generation": 3, "width": 8}},
        {"device": {**HEALTHY["device"], "numa_node": 1}},
        {"machine": {**HEALTHY["machine"], "virtualisation": {"hypervisor": "KVM"}}},
        {"machine": {**HEALTHY["machine"], "cpu": {"governor": "powersave"}}},
    ],
)
def test_doubts_about_the_numbers_are_warnings(changed):
    doubtful = run(timed("copy/pinned/h2d", MIB, 50.0), **{**HEALTHY, **changed})
    assert len(texts(trust.assess(doubtful), warnings=True)) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"link": {**synthetic.LINK, "width_max": None}},
        {"device": {**HEALTHY["device"], "numa_node": None}},
        {"device": {**HEALTHY["device"], "numa_node": -1}},
    ],
)
def test_unknown_facts_are_no_warnings(changed):
    unknown = run(timed("copy/pinned/h2d", MIB, 50.0), **{**HEALTHY, **changed})
    assert texts(trust.assess(unknown), warnings=True) == []


def gpu_clocks(**changed):
    usual = {
        "sm_mhz": [1980, 1980],
        "sm_max_mhz": 1980,
        "temperature_c": [31, 45],
        "throttle_reasons": [],
        "pcie_replays": 0,
    }
    return {"gpu": usual | changed, "cpu": {"throttle_events": 0}}


@pytest.mark.parametrize(
    ("clocks", "warnings"),
    [
        (gpu_clocks(), 0),
        (gpu_clocks(throttle_reasons=["sw_power_cap", "hw_slowdown"], sm_mhz=[1980, 1755]), 1),
        (gpu_clocks(sm_mhz=[1980, 1200]), 1),
        (gpu_clocks(sm_mhz=[1980, None]), 0),
        (gpu_clocks(sm_mhz=[None, None]), 0),
        (gpu_clocks(throttle_reasons=None, sm_mhz=None), 0),
        (gpu_clocks(pcie_replays=1), 1),
        ({"gpu": None, "cpu": None}, 0),
        ({"gpu": 7, "cpu": []}, 0),
        (None, 0),
        ({**gpu_clocks(), "cpu": {"throttle_events": 12}}, 1),
    ],
)
def test_throttling_is_a_warning(clocks, warnings):
    throttled = run(timed("copy/pinned/h2d", MIB, 50.0), **HEALTHY, clocks=clocks)
    assert len(texts(trust.assess(throttled), True)) == warnings


def test_without_a_gpu_no_sentence_mentions_its_throttling():
    host = run(device={"kind": "host", "name": "host"}, link=None, clocks={"gpu": None})
    text = " ".join(texts(trust.assess(host)))
    assert "GPU" not in text


def test_one_numa_node_of_a_virtual_machine_tells_nothing_of_the_physical_one():
    one_node = {"cpu": {"numa_nodes": 1}}
    virtual = {**one_node, "virtualisation": {"hypervisor": "KVM"}}
    text = " ".join(texts(trust.assess(run(machine=virtual))))
    assert "far from the GPU" not in text


def test_a_program_with_uncommitted_changes_is_named():
    dirty = run(program={"git_commit": "0123abc-dirty"}, **HEALTHY)
    assert any("in no commit (0123abc-dirty)" in text for text in texts(trust.assess(dirty)))


def test_warnings_of_the_program_are_not_repeated():
    warnings = [
        message("virtual_machine", "the hypervisor decides"),
        message("other_load", "another load is running"),
    ]
    assert trust.other_warnings(run(warnings=warnings)) == ["another load is running"]


@pytest.mark.parametrize(("factors", "noisy"), [((0.98, 1, 1.02), False), ((0.9, 1, 1.2), True)])
def test_noise_is_judged_by_large_transfers(factors, noisy):
    rows = synthetic.rows(("copy/pinned",), (64, MIB), factors)
    (noise,) = [
        sentence for sentence in trust.assess(run(rows, **HEALTHY)) if "epetitions" in sentence.text
    ]
    assert noise.warning is noisy
    expected = "2.00 %" if not noisy else "15.0 %"  # the distance between the quartiles
    assert (
        f"of warm transfers of 1 MiB and more lies within {expected} (the median of 2 benchmarks)."
        in noise.text
    )
    assert noise.text.startswith("The machine was noisy.") is noisy
    fastest, slowest = (numbers.time(f * synthetic.expected_ns(MIB)) for f in factors[::2])
    assert f"The least steady is copy/pinned/d2h/1MiB: {fastest} to {slowest}." in noise.text


def test_noise_does_not_depend_on_the_number_of_repetitions():
    def noise_sentence(count):
        factors = [statistics.NormalDist(1, 0.016).inv_cdf((i + 0.5) / count) for i in range(count)]
        rows = synthetic.rows(("copy/pinned",), (MIB,), factors)
        return next(
            sentence
            for sentence in trust.assess(run(rows, **HEALTHY))
            if "epetitions" in sentence.text
        )

    assert [noise_sentence(count).warning for count in (5, 8, 20, 100)] == [False] * 4


def test_one_repetition_tells_nothing_about_noise():
    single = run(timed("copy/pinned/h2d", MIB, 50.0)[:1], **HEALTHY)
    assert any(
        "is not known: warm transfers of 1 MiB and more have one repetition" in text
        for text in texts(trust.assess(single), True)
    )


def test_two_repetitions_tell_little_about_noise():
    repeated = run(synthetic.rows(("copy/pinned",), (64 * MIB,), (1, 1.01)), **HEALTHY)
    assert len(texts(trust.assess(repeated), True)) == 1


def test_without_large_transfers_noise_is_that_of_all_benchmarks():
    rows = [synthetic.row("launch/plain/1_argument", 0, ns) for ns in (2000.0, 2100.0, 2200.0)]
    noise_texts = [
        text for text in texts(trust.assess(run(rows, **HEALTHY))) if "epetitions" in text
    ]
    assert noise_texts == [
        "The middle half of the repetitions of benchmarks lies within 4.76 % "
        "(launch/plain/1_argument)."
    ]


def test_small_sizes_are_not_called_large():
    small = run(synthetic.rows(("copy/pinned",), (KIB,), (0.5, 1, 1.5)), **HEALTHY)
    assert texts(trust.assess(small), True) == []
    assert any(
        "repetitions of benchmarks lies within 50.0 %" in t for t in texts(trust.assess(small))
    )


@pytest.mark.parametrize(
    ("link", "full"),
    [
        ({"width": 8}, False),
        ({"generation": 4}, False),
        ({"generation_max": 4}, True),  # a link faster than the known maximum
        ({}, True),
    ],
)
def test_generation_and_width_of_the_link_count(link, full):
    text = " ".join(texts(trust.assess(run(link={**synthetic.LINK, **link}))))
    assert ("at its full speed under load" in text) is full
    assert ("but it can run at" in text) is not full


def test_an_interrupted_run_reports_throttling_only_at_its_start():
    clocks = {"gpu": {"throttle_reasons": [], "sm_mhz": [1980, None], "sm_max_mhz": 1980}}
    text = " ".join(texts(trust.assess(run(clocks=clocks, complete=False))))
    assert "No throttling of the GPU was seen at the start" in text
    assert "what came later may not be in the file" in text


def test_names_that_cannot_be_shown_are_counted():
    unprintable = [
        synthetic.row(name, MIB, 9.0) for name in ("copy/" + "x" * 200, "copy/\u202e/h2d/1MiB")
    ]
    warnings = texts(
        trust.assess(run(synthetic.rows() + unprintable + unprintable, **HEALTHY)), True
    )
    assert "2 benchmarks left out: names that are too long or cannot be printed." in warnings
