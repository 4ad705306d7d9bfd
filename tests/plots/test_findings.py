"""Tests that findings follow from the data."""

import pytest
import synthetic
from healthy import HEALTHY, texts, timed
from synthetic import KIB, MIB, run

from plots.text import findings, tables, trust


def test_the_best_rate_is_compared_with_the_link():
    rows = timed("copy/pinned/h2d", MIB, 40.0) + timed("copy/pinned/h2d", 64 * MIB, 56.0)
    sentence = findings.compare(run(rows, **HEALTHY))[0]
    assert not sentence.warning
    assert sentence.text == (
        "host → device: at best 56.00 GB/s (copy/pinned, 64 MiB), 89 % of the link's 63.00 GB/s "
        "and 96 to 97 % of what packet headers leave, as on a healthy link."
    )


def test_a_slow_link_is_told_from_a_healthy_one():
    sentence = findings.compare(run(timed("copy/pinned/d2h", 64 * MIB, 25.0), **HEALTHY))[0]
    assert sentence.warning


@pytest.mark.parametrize(("name", "size"), [("copy/pageable", 64 * MIB), ("copy/pinned", 4 * MIB)])
def test_a_link_is_not_blamed_for_copies_that_cannot_fill_it(name, size):
    sentence = findings.compare(run(timed(f"{name}/h2d", size, 9.0), **HEALTHY))[0]
    assert not sentence.warning


def test_a_rate_above_the_links_limit_is_a_warning():
    sentence = findings.compare(run(timed("copy/pinned/h2d", 64 * MIB, 80.0), **HEALTHY))[0]
    assert sentence.warning
    assert "%" not in sentence.text


def published_for(gpu, rows, link=synthetic.LINK):
    device = {"kind": "cuda", "name": gpu}
    sentences = findings.compare(run(rows, **{**HEALTHY, "device": device, "link": link}))
    return [text for text in texts(sentences) if "ublished" in text]


@pytest.mark.parametrize("gpu", ["Synthetic GPU", "NVIDIA A1000", "NVIDIA H10"])
def test_figures_of_other_gpus_are_not_compared(gpu):
    assert published_for(gpu, timed("copy/pinned/h2d", 64 * MIB, 9.5)) == [
        f"There are no published figures for {gpu} or for PCIe 5.0 x16 to compare with yet."
    ]


def test_one_direction_of_both_at_once_is_compared_with_the_same():
    rates = {"h2d_gb_per_s": 12.5, "d2h_gb_per_s": 24.5}
    rows = timed("copy/pinned/h2d", KIB, 1.0)
    rows += [synthetic.row("duplex/engines/pinned/64MiB", 128 * MIB, 128 * MIB / 37, **rates)]
    published = published_for("NVIDIA A100-SXM4-80GB", rows)
    assert any(
        text.startswith(
            "duplex/engines/pinned h2d: 12.50 GB/s here (64 MiB). Published: 12–13 GB/s"
        )
        for text in published
    )


def pageable(slow, fast, staged=None):
    rows = timed("copy/pageable/h2d", 64 * MIB, slow) + timed("copy/pinned/h2d", 64 * MIB, fast)
    return rows + (timed("copy/staged/h2d", 64 * MIB, staged) if staged else [])


def test_pageable_memory_is_compared_with_pinned_and_staged():
    (text,) = texts(findings.rank_findings(run(pageable(12.6, 56.7, 53.55))))
    assert text == (
        "Copies of pinned memory are 4.50× as fast as those of pageable memory: 64 MiB to the "
        "device at 56.70 GB/s (90 % of the link) instead of 12.60 GB/s (20 % of the link). Staged "
        "copies of pageable memory reach 53.55 GB/s (85 % of the link): use staged_copier where "
        "memory cannot be pinned."
    )


@pytest.mark.parametrize("rates", [(56.0, 56.7), (57.0, 20.0)])
def test_pageable_memory_that_is_as_fast_is_no_finding(rates):
    assert texts(findings.rank_findings(run(pageable(*rates)))) == []


def test_a_difference_that_only_some_repetitions_show_is_no_finding():
    ns = 64 * MIB / 20
    rows = [synthetic.row("copy/pageable/h2d/64MiB", 64 * MIB, ns * f) for f in (0.5, 1.3, 1.4)]
    rows += [synthetic.row("copy/pinned/h2d/64MiB", 64 * MIB, ns * f) for f in (0.9, 1.0, 1.35)]
    assert findings.rank_findings(run(rows)) == []


def test_staging_that_does_not_help_is_not_recommended():
    (text,) = texts(findings.rank_findings(run(pageable(12.6, 56.7, 12.0))))
    assert "taged" not in text


def test_sizes_that_only_one_of_two_has_are_not_compared():
    rows = timed("copy/pageable/h2d", MIB, 5.0) + timed("copy/pinned/h2d", 64 * MIB, 50.0)
    assert texts(findings.rank_findings(run(rows))) == []


@pytest.mark.parametrize(("returned", "is_said"), [(0.99, True), (0.01, False)])
def test_calls_that_wait_for_the_copy_are_a_finding(returned, is_said):
    ns = 64 * MIB / 10
    rows = timed("copy_async/pageable/h2d", 64 * MIB, 10.0, enqueue_ns=returned * ns)
    rows += timed("copy_async/pinned/h2d", 64 * MIB, 50.0, enqueue_ns=2000)
    rows += timed("copy_async/pinned/h2d", 256 * MIB, 50.0, enqueue_ns=3000)  # not compared
    sentences = [
        line for line in texts(findings.rank_findings(run(rows))) if "cudaMemcpyAsync" in line
    ]
    text = (
        "cudaMemcpyAsync blocks on pageable memory: for 64 MiB to the device it returns after "
        "6.644 ms, and the data have arrived after 6.711 ms. From pinned memory it returns after "
        "2.000 µs, and the data have arrived after 1.342 ms."
    )
    assert sentences == [text] * is_said


@pytest.mark.parametrize(("rate", "is_said"), [(50.0, True), (46.0, False), (25.0, False)])
def test_flags_without_effect_are_a_finding_only_if_all_times_agree(rate, is_said):
    rows = []
    for direction in ("h2d", "d2h"):
        rows += timed(f"copy/pinned/{direction}", 64 * MIB, 50.2)
        for flags in ("portable", "mapped", "wc"):
            slow = flags == "wc" and direction == "h2d"
            rows += timed(f"copy/pinned_{flags}/{direction}", 64 * MIB, rate if slow else 50.0)
    lines = texts(findings.rank_findings(run(rows)))
    assert any("make no difference to copies of 64 MiB" in text for text in lines) is is_said
    slow = "with the flag WRITECOMBINED reach 25.00 GB/s (40 % of the link), without it 50.20 GB/s"
    assert any(f"64 MiB to the device: copies of pinned memory {slow}" in t for t in lines) is (
        rate == 25.0
    )


def test_flags_measured_in_one_direction_are_not_judged():
    rows = timed("copy/pinned/h2d", 64 * MIB, 50.0)
    for flags in ("portable", "mapped", "wc"):
        rows += timed(f"copy/pinned_{flags}/h2d", 64 * MIB, 50.0)
    assert findings.rank_findings(run(rows)) == []


def buffer(kind, plain, ordinary):
    return {
        "memory": "pinned_wc",
        "write_combined": True,
        "memory_type": kind,
        "cpu_reads": {"plain_gb_per_s": plain},
        "cpu_reads_of_ordinary_memory": {"plain_gb_per_s": ordinary},
    }


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (
            "write-combined",
            "The CPU reads write-combined memory (flag WRITECOMBINED) at 200.0 MB/s",
        ),
        (
            "uncached",
            "The CPU reads uncached memory (flag WRITECOMBINED) at 200.0 MB/s, and ordinary memory "
            "at 8.000 GB/s",
        ),
        (
            "write-back",
            "The flag WRITECOMBINED had no effect: at the start, the CPU read memory with it at",
        ),
        ("unclear", None),
        (None, None),
    ],
)
def test_write_combined_memory_is_judged_by_its_effect(kind, expected):
    lines = texts(findings.rank_findings(run(buffers=[buffer(kind, 0.2, 8.0)])))
    assert any(text.startswith(expected) for text in lines) if expected else lines == []


def test_the_most_important_five_come_first():
    rows = pageable(12.6, 56.7)
    rows += timed("scatter/loop/4KiB_blocks/pinned/h2d", 64 * MIB, 1.5)
    rows += timed("scatter/gather_kernel/4KiB_blocks/pinned/h2d", 64 * MIB, 49.5)
    rows += [
        synthetic.row("message/memcpy", 0, 8000.0),
        synthetic.row("message/mapped_flag", 0, 1600.0),
    ]
    rows += timed("overlap/pinned/serial", 64 * MIB, 25.0)
    rows += timed("overlap/pinned/chosen", 64 * MIB, 50.0)
    rows += timed("gpu_array/get/pageable/fresh/float32", 64 * MIB, 3.0)
    rows += timed("gpu_array/get/pageable/touched/float32", 64 * MIB, 15.3)
    duplex = {"h2d_alone_gb_per_s": 50.0, "h2d_gb_per_s": 40.0}
    rows += [synthetic.row("duplex/engines/pinned/64MiB", 128 * MIB, 128 * MIB / 90, **duplex)]
    lines = texts(findings.rank_findings(run(rows)))
    starts = [
        "64 MiB in blocks of 4 KiB",
        "A download",
        "A message",
        "Copies of pinned memory",
    ]
    starts += ["Upload, kernel"]
    assert len(lines) == findings.MOST_FINDINGS == len(starts)
    assert [text.startswith(start) for text, start in zip(lines, starts, strict=True)] == [True] * 5


def test_both_directions_at_once_are_compared_with_one():
    rates = {"h2d_alone_gb_per_s": 50.0, "h2d_gb_per_s": 40.0}
    rates |= {"d2h_alone_gb_per_s": 50.0, "d2h_gb_per_s": 45.0}
    rows = [synthetic.row("duplex/engines/pinned/64MiB", 128 * MIB, 128 * MIB / 82, **rates)]
    assert texts(findings.rank_findings(run(rows))) == [
        "Both directions at once, 64 MiB of pinned memory each, carry 82.00 GB/s until both have "
        "ended, 1.64× as much as to the device alone. While both run: 40.00 GB/s to the device "
        "(50.00 GB/s alone), 45.00 GB/s from the device (50.00 GB/s alone)."
    ]


WINNERS = {
    "h2d": [["copy/a", "copy/a"], ["copy/b", "copy/a"], ["copy/b", "copy/c"]],
    "d2h": [["copy/a", "copy/a"], [None, "copy/a"], ["copy/a", "copy/a"]],
}


def test_the_recommendations_are_those_of_advise():
    answer = synthetic.advice(winners=WINNERS)
    h2d = answer.map["directions"]["h2d"]
    h2d["as_good"][1][0], h2d["margin"][2][0] = 3, 4.2
    h2d["extrapolated"][2][1], h2d["margin"][1][1] = True, None
    strategies = [{"name": "copy/b", "summary": "a synthetic copy"}]
    advised = run(advice=answer, strategies=strategies)
    (table,) = tables.make_recommendations(advised)
    once, often = "memory used once", "memory used 100 times"
    assert table.head == ["size", f"h2d, {once}", f"h2d, {often}", f"d2h, {once}", f"d2h, {often}"]
    assert table.rows == [  # 1 KiB is too small to matter
        [
            *("1 MiB", "copy/b (2.00×, 3 as good)", "copy/a (2.00×)", "-"),
            "copy/a (2.00×, next: +10 %)",
        ],
        [
            "64 MiB",
            "copy/b (2.00×, next: 5×)",
            "copy/c (2.00×, extrapolated)",
            "copy/a (2.00×, next: +10 %)",
            "copy/a (2.00×, next: +10 %)",
        ],
    ]
    assert table.raw[0] == ["h2d", 1, MIB, "copy/b", 1000.0, 3, "copy/second", 0.1, 2.0, 0]
    assert texts(findings.explain_recommendations(advised)) == [
        "Times are predicted from this run by bench_transfers advise: the sum of allocating and "
        "freeing memory once for all its uses, filling the memory by the CPU before an upload, "
        "reading it by the CPU after a download and the transfer. What the CPU pays is pooled over "
        "kinds of memory that are alike in effect. The plainest strategy within 3 % of the fastest "
        "is named, or within 10 % if the two cannot be told apart. Up to 16 KiB it is the plain "
        "copy, unless the repetitions of such copies show that another strategy is clearly faster.",
        "Extrapolated: at that size a part of the sum was not measured, mostly allocating or the "
        "CPU's access, which are measured at fewer sizes than transfers.",
        "copy/b: a synthetic copy.",
    ]
    assert texts(findings.explain_recommendations(run())) == []
    assert tables.make_recommendations(run()) == []


def test_without_the_costs_of_allocation_reuse_is_left_out():
    answer = synthetic.advice(winners={"h2d": [["copy/a"] * 2] * 3}, allocation=False)
    (table,) = tables.make_recommendations(run(advice=answer))
    assert table.head == ["size", "h2d"]


def test_without_a_choice_there_is_no_recommendation():
    answer = synthetic.advice(winners={"h2d": [["copy/a"] * 2] * 3})
    answer.map["directions"]["h2d"]["runner_up"] = [[None] * 2] * 3
    assert tables.make_recommendations(run(advice=answer)) == []
    assert findings.explain_recommendations(run(advice=answer)) == []


def test_copies_within_one_memory_give_no_advice_for_a_gpu():
    answer = synthetic.advice(winners={"h2d": [["copy/a", "copy/a"]] * 3})
    on_host = {"device": {"kind": "host", "name": "host"}, "link": None}
    for device in ({}, on_host):
        advised = run(pageable(12.6, 56.7, 53.55), answer, **device)
        assert bool(findings.rank_findings(advised)) is (not device)
        assert bool(findings.explain_recommendations(advised)) is (not device)
        assert bool(tables.make_recommendations(advised)) is (not device)
    virtual = {"virtualisation": {"hypervisor": "KVM"}}
    assert "link" not in " ".join(texts(trust.assess(run(machine=virtual, **on_host))))


def test_nothing_is_concluded_from_faults_injected_on_purpose():
    answer = synthetic.advice(winners={"h2d": [["copy/a", "copy/a"]] * 3})
    faulty = run(pageable(12.6, 56.7), answer, run={"faults_injected": ["slow:1.1@^copy/pinned/"]})
    assert findings.compare(faulty) == []
    assert findings.rank_findings(faulty) == []
    assert findings.explain_recommendations(faulty) == []
