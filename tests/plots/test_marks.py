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
        ("Link", "good", "full speed"),
        ("Throttling", "good", "none on GPU and CPU"),
        ("Noise", "good", "typically 0.00 %"),
        ("Facts", "good", "all known"),
    ]
    usual = "each direction at its usual speed"
    assert shown["Link"].details == f"PCIe 5.0 x16, {usual}, memory near"


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
    assert shown.details == ", ".join(
        f"{way} only 29.20 GB/s, 46 % of the raw rate" for way in ("h2d", "d2h")
    )


def test_only_the_usual_direction_is_called_so():
    rows = timed("copy/pinned/h2d", 64 * MIB, 29.2) + timed("copy/pinned/d2h", 64 * MIB, 56.0)
    shown = described(rows)["Link"]
    assert shown.state == "warning"
    assert "usual" not in shown.details
    assert "h2d at its usual speed" in described(FAST[:3])["Link"].details


def test_both_directions_at_once_are_shown_and_not_judged():
    slow = timed("duplex/engines/pinned", 64 * MIB, 1.0)
    shown = described([*FAST, *slow])["Link"]
    assert (shown.state, shown.verdict) == ("good", "full speed")
    (text,) = (text for text in texts(shown.evidence) if text.startswith("Both directions at once"))
    assert "1.000 GB/s in total (duplex/engines/pinned, 64 MiB each)" in text
    assert "not judged" in text
    assert not any("oth directions at once" in t for t in texts(described()["Link"].evidence))


def test_noise_is_a_warning():
    rows = synthetic.rows(("copy/pinned",), (64 * MIB,), (0.9, 1, 1.2))
    assert described(rows)["Noise"].state == "warning"


def test_noise_of_small_transfers_is_no_verdict_on_repetitions():
    small = synthetic.rows(("copy/pinned",), (1024,), (0.9, 1, 1.2))
    shown = described(small)["Noise"]
    assert (shown.state, shown.verdict) == ("unknown", "not known")


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
    assert shown["Facts"].state == "unknown"
    assert name in shown["Facts"].details


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
def test_what_is_not_known_around_a_link_stands_in_its_own_mark(changed, name):
    shown = described(**changed)
    assert (shown["Link"].state, shown["Link"].verdict) == ("good", "full speed")
    assert "not known" not in shown["Link"].details
    assert shown["Facts"].details == name


@pytest.mark.parametrize("ways", [("h2d",), ("d2h",), ()])
def test_a_link_is_not_called_fast_in_a_direction_that_was_not_measured(ways):
    rows = [row for way in ways for row in timed(f"copy/pinned/{way}", 64 * MIB, 56.0)]
    shown = described([*rows, *timed("allocate/pinned", 64 * MIB, 56.0)])
    assert shown["Link"].state == "unknown"
    for way in {"h2d", "d2h"} - set(ways):
        assert f"what the link carries {way}" in shown["Facts"].details


def test_a_link_of_another_type_is_not_called_fast():
    shown = described(link={**synthetic.LINK, "type": "other"})
    assert shown["Link"].state == "unknown"
    assert "the link's full speed" in shown["Facts"].details


def test_throttling_is_denied_only_where_it_would_be_known():
    shown = described(clocks={"gpu": GPU_CLOCKS})["Throttling"]
    assert (shown.state, shown.verdict) == ("good", "none on GPU")


def summarised(rows=FAST, **changed):
    verdict = marks.summarise(run(rows, **{**KNOWN, **changed}))
    return f"{verdict.lead} {verdict.text}", verdict.warning


def test_the_verdict_says_what_was_seen_and_what_is_not_known():
    assert summarised() == (
        "No fault seen: the link ran at full speed, no throttling of the GPU and the CPU was "
        "seen, half of the 2 transfers of 1 MiB and more repeat within 0.00 %.",
        False,
    )
    assert summarised(machine=VIRTUAL, clocks={"gpu": GPU_CLOCKS}) == (
        "No fault seen: the link ran at full speed, no throttling of the GPU was seen, half of "
        "the 2 transfers of 1 MiB and more repeat within 0.00 %. Not known: who shares host and "
        "link, and 1 more fact.",
        False,
    )


def test_the_verdict_begins_with_what_is_wrong():
    text, warning = summarised(link={**synthetic.LINK, "width": 8})
    assert warning
    assert text.startswith("Beware: link (PCIe 5.0 x8 instead of 5.0 x16). Otherwise no throttling")


def test_a_doubtful_run_has_no_verdict_without_fault():
    text, warning = summarised(program={"build_type": "Debug"})
    assert warning
    assert text.startswith(
        "The run itself is in doubt, see below. Otherwise the link ran at full speed"
    )


def test_one_repetition_is_named_as_what_is_wrong():
    text, warning = summarised(FAST[::3])
    assert warning
    assert text.startswith("Beware: noise (one repetition). Otherwise the link ran")


def test_without_anything_known_there_is_no_verdict():
    small = synthetic.rows(("copy/pinned",), (1024,), (0.9, 1, 1.2))
    text, warning = summarised(small, clocks=None, link=None)
    assert text.startswith("No verdict. Not known: ")
    assert not warning


def test_a_fault_of_the_link_counts_more_than_what_is_not_known():
    link = described(machine=VIRTUAL, link={**synthetic.LINK, "width": 8})["Link"]
    assert (link.state, link.details) == ("warning", "PCIe 5.0 x8 instead of 5.0 x16")


def test_a_hypervisor_is_an_alert():
    (alert,) = marks.alerts(run(FAST, **{**KNOWN, "machine": VIRTUAL}))
    assert alert.warning
    assert "virtual machine (KVM)" in alert.text


def test_facts_that_are_not_known_are_counted_and_named():
    shown = described(machine=VIRTUAL, clocks={"gpu": GPU_CLOCKS})["Facts"]
    details = "who shares host and link, CPU throttling"
    assert (shown.verdict, shown.details) == ("2 not known", details)
    assert len(shown.evidence) == 2


def test_without_a_gpu_there_is_no_link():
    shown = described(device={"kind": "host", "name": "host"}, link=None)
    assert list(shown) == ["Throttling", "Noise", "Facts"]
    assert shown["Throttling"].state == "good"
    assert states(device={"kind": "host"}, link=None, clocks={})[0] == "unknown"


def test_nothing_is_said_of_falsified_numbers():
    faulty = run(FAST, **{**KNOWN, "run": {"faults_injected": ["wrong_byte"]}})
    assert marks.describe(faulty) == []
    assert marks.summarise(faulty) is None
    assert "use no number of this run" in " ".join(texts(marks.alerts(faulty), True))


def test_what_is_wrong_with_the_whole_run_is_an_alert():
    assert marks.alerts(run(FAST, **KNOWN)) == []
    (alert,) = texts(marks.alerts(run(FAST, **KNOWN, program={"build_type": "Debug"})), True)
    assert "built as Debug" in alert
