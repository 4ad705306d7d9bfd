"""Tests the marks of a run: verdicts follow from fields, and what is absent is not known."""

import pytest
import synthetic
from healthy import HEALTHY, texts, timed
from synthetic import MIB, run

from plots.text import marks

GPU_CLOCKS = {"sm_mhz": [1980, 1980], "sm_max_mhz": 1980, "throttle_reasons": []}
KNOWN = {
    **HEALTHY,
    "machine": {
        **HEALTHY["machine"],
        "cpu": {**HEALTHY["machine"]["cpu"], "governor": "performance"},
    },
    "clocks": {"gpu": GPU_CLOCKS, "cpu": {"throttle_events": 0}},
}
FAST = [row for way in ("h2d", "d2h") for row in timed(f"copy/pinned/{way}", 64 * MIB, 56.0)]


def described(rows=FAST, **changed):
    """Returns the marks by subject of a run of which everything else is known and healthy."""
    return {mark.subject: mark for mark in marks.describe(run(rows, **{**KNOWN, **changed}))}


def states(**changed):
    return [mark.state for mark in described(**changed).values()]


def test_a_healthy_run_has_good_marks():
    shown = described()
    assert [(name, mark.state, mark.verdict) for name, mark in shown.items()] == [
        ("Link", "good", "healthy"),
        ("Throttling", "good", "none seen"),
        ("Repeatability", "good", "good"),
        ("Not known", "good", "nothing"),
    ]
    assert shown["Link"].details == (
        "full speed, h2d 96 % of usable, d2h 96 % of usable, memory near"
    )
    assert shown["Throttling"].details == "GPU 1980 of 1980 MHz, CPU"


@pytest.mark.parametrize(
    ("subject", "changed", "details"),
    [
        (
            "Link",
            {"link": {**synthetic.LINK, "width": 8}},
            "PCIe 5.0 x8 instead of 5.0 x16",
        ),
        (
            "Link",
            {"device": {**HEALTHY["device"], "numa_node": 1}},
            "memory far from the GPU",
        ),
        (
            "Link",
            {"clocks": {"gpu": {**GPU_CLOCKS, "pcie_replays": 3}, "cpu": {"throttle_events": 0}}},
            "3 repeated packets",
        ),
        (
            "Throttling",
            {"clocks": {"gpu": {**GPU_CLOCKS, "throttle_reasons": ["hw_slowdown"]}}},
            "GPU: hw_slowdown",
        ),
        (
            "Throttling",
            {"clocks": {"gpu": {**GPU_CLOCKS, "sm_mhz": [1980, 900]}}},
            "the GPU's clock fell",
        ),
        (
            "Throttling",
            {"machine": {"cpu": {"governor": "powersave", "numa_nodes": 1}}},
            "governor powersave of the CPU",
        ),
    ],
)
def test_a_doubt_is_a_warning_of_its_mark_alone(subject, changed, details):
    shown = described(**changed)
    assert shown[subject].details == details
    assert [name for name, mark in shown.items() if mark.state == "warning"] == [subject]


def test_a_slow_link_is_a_warning():
    rows = [row for way in ("h2d", "d2h") for row in timed(f"copy/pinned/{way}", 64 * MIB, 29.2)]
    shown = described(rows)["Link"]
    assert (shown.state, shown.verdict) == ("warning", "beware")
    assert shown.details == "h2d 50 % of usable, d2h 50 % of usable"


def test_noise_is_a_warning():
    rows = synthetic.rows(("copy/pinned",), (64 * MIB,), (0.9, 1, 1.2))
    assert described(rows)["Repeatability"].details == "noisy, 15.0 %"


@pytest.mark.parametrize(
    ("subject", "changed", "name"),
    [
        ("Link", {"link": {**synthetic.LINK, "width_max": None}}, "the link's full speed"),
        ("Link", {"link": None}, "the link's limit"),
        (
            "Link",
            {"link": {**synthetic.LINK, "packet_limit_gb_per_s": None}},
            "what packet headers leave",
        ),
        ("Throttling", {"clocks": None}, "GPU throttling"),
        ("Throttling", {"complete": False}, "GPU throttling until the end"),
    ],
)
def test_a_missing_fact_makes_its_mark_unknown(subject, changed, name):
    shown = described(**changed)
    assert (shown[subject].state, shown[subject].verdict) == ("unknown", "not known")
    assert shown["Not known"].state == "unknown"
    assert name in shown["Not known"].details


VIRTUAL = {**KNOWN["machine"], "virtualisation": {"hypervisor": "KVM"}}
UNSAID = {key: fact for key, fact in KNOWN["machine"].items() if key != "virtualisation"}


@pytest.mark.parametrize(
    ("changed", "name"),
    [
        ({"machine": VIRTUAL}, "who shares host and link"),
        ({"machine": UNSAID}, "who shares host and link"),
        ({"device": {**HEALTHY["device"], "numa_node": None}}, "NUMA distance"),
    ],
)
def test_a_link_of_which_not_all_is_known_is_not_called_healthy(changed, name):
    link = described(**changed)["Link"]
    assert (link.state, link.verdict) == ("unknown", "no fault seen")
    assert link.details.startswith("full speed, h2d 96 % of usable, d2h 96 % of usable")
    assert link.details.endswith(f"; not known: {name}")


def test_a_fault_of_the_link_counts_more_than_what_is_not_known():
    link = described(machine=VIRTUAL, link={**synthetic.LINK, "width": 8})["Link"]
    assert (link.state, link.details) == ("warning", "PCIe 5.0 x8 instead of 5.0 x16")


def test_a_hypervisor_is_an_alert():
    (alert,) = marks.alerts(run(FAST, **{**KNOWN, "machine": VIRTUAL}))
    assert alert.warning
    assert "virtual machine (KVM)" in alert.text


def test_facts_that_are_not_known_are_counted_and_named():
    shown = described(machine=VIRTUAL, clocks={"gpu": GPU_CLOCKS})["Not known"]
    assert (shown.verdict, shown.details) == ("2 facts", "who shares host and link, CPU throttling")
    assert len(shown.evidence) == 2


def test_without_a_gpu_there_is_no_link():
    shown = described(device={"kind": "host", "name": "host"}, link=None)
    assert list(shown) == ["Throttling", "Repeatability", "Not known"]
    assert shown["Throttling"].state == "good"
    assert states(device={"kind": "host"}, link=None, clocks={})[0] == "unknown"


def test_nothing_is_said_of_falsified_numbers():
    faulty = run(FAST, **{**KNOWN, "run": {"faults_injected": ["wrong_byte"]}})
    assert marks.describe(faulty) == []
    assert "use no number of this run" in " ".join(texts(marks.alerts(faulty), True))


def test_what_is_wrong_with_the_whole_run_is_an_alert():
    assert marks.alerts(run(FAST, **KNOWN)) == []
    (alert,) = texts(marks.alerts(run(FAST, **KNOWN, program={"build_type": "Debug"})), True)
    assert "built as Debug" in alert
