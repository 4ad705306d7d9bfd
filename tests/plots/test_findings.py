"""Sentences follow from the data, and nothing is said that does not."""

import pytest
import synthetic
from synthetic import KIB, MIB, run

from plots import findings

HEALTHY = {
    "machine": {
        "cpu": {"model": "Synthetic CPU", "logical_cpus_online": 8, "numa_nodes": 2},
        "process": {"numa_node": 0},
        "virtualisation": {"hypervisor": None},
        "memory": {"total_bytes": 64 * 2**30},
    },
    "device": {"kind": "cuda", "name": "Synthetic GPU", "numa_node": 0},
}


def texts(sentences, warnings=None):
    return [one.text for one in sentences if warnings is None or one.warning is warnings]


def timed(name, size, gb_per_s, **more):
    """Three equal repetitions."""
    return [synthetic.row(f"{name}/{synthetic.size_name(size)}", size, size / gb_per_s, **more)] * 3


def test_the_machine_is_described():
    (text,) = texts(findings.machine(run(**HEALTHY)))
    assert text == (
        "Synthetic GPU on PCIe 5.0 x16; host: Synthetic CPU, 8 logical CPUs, 64 GiB of memory; "
        "measured on 2026-11-20 11:00 UTC."
    )


def test_without_a_gpu_that_is_the_first_thing_said():
    host = run(device={"kind": "host", "name": "host", "why_not_gpu": "no driver"}, link=None)
    (sentence,) = findings.machine(host)
    assert sentence.warning
    assert sentence.text.startswith("No GPU was measured (no driver): these are copies within")
    assert texts(findings.comparison(host)) == []
    assert not any("link" in text or "NUMA" in text for text in texts(findings.trust(host)))


def test_a_healthy_machine_gives_no_warning():
    healthy = run(timed("copy/pinned/h2d", 64 * MIB, 55.0), **HEALTHY)
    assert texts(findings.trust(healthy), warnings=True) == []
    said = " ".join(texts(findings.trust(healthy)))
    assert "The link ran at its full speed under load: PCIe 5.0 x16." in said
    assert "The process ran on the GPU's NUMA node, 0." in said


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"complete": False}, "The run was interrupted"),
        (
            {"run": {"faults_injected": ["wrong_byte"]}},
            "Faults were injected on purpose (wrong_byte)",
        ),
        (
            {"link": {**synthetic.LINK, "generation": 3, "width": 8}},
            "The link ran below its speed, also under load: PCIe 3.0 x8 instead of 5.0 x16.",
        ),
        (
            {"device": {**HEALTHY["device"], "numa_node": 1}},
            "The process ran on NUMA node 0, the GPU is at node 1",
        ),
        (
            {"machine": {**HEALTHY["machine"], "virtualisation": {"hypervisor": "KVM"}}},
            "It is a virtual machine (KVM)",
        ),
        (
            {"machine": {**HEALTHY["machine"], "cpu": {"governor": "powersave"}}},
            "frequency governor was powersave",
        ),
    ],
)
def test_what_makes_numbers_doubtful_is_said_as_a_warning(changed, expected):
    doubtful = run(timed("copy/pinned/h2d", MIB, 50.0), **{**HEALTHY, **changed})
    (warning,) = texts(findings.trust(doubtful), warnings=True)
    assert warning.startswith(expected) or expected in warning


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({"link": {**synthetic.LINK, "width_max": None}}, "at its full speed is not known"),
        ({"device": {**HEALTHY["device"], "numa_node": None}}, "(NUMA) is not known"),
        ({"device": {**HEALTHY["device"], "numa_node": -1}}, "(NUMA) is not known"),
    ],
)
def test_what_is_not_known_is_said_to_be_not_known(changed, expected):
    unknown = run(timed("copy/pinned/h2d", MIB, 50.0), **{**HEALTHY, **changed})
    assert any(expected in text for text in texts(findings.trust(unknown), warnings=False))


def test_failures_are_counted():
    failed = [synthetic.failed_row("copy/pinned/h2d/8MiB")] * 3
    doubtful = run(timed("copy/pinned/h2d", MIB, 50.0) + failed, **HEALTHY)
    assert "1 benchmark failed, copy/pinned/h2d/8MiB first." in texts(
        findings.trust(doubtful), True
    )


@pytest.mark.parametrize(("factors", "noisy"), [((0.98, 1, 1.02), False), ((0.9, 1, 1.2), True)])
def test_noise_is_judged_by_large_transfers(factors, noisy):
    rows = synthetic.rows(("copy/pinned",), (64, MIB), factors)
    (last,) = [one for one in findings.trust(run(rows, **HEALTHY)) if "epetitions" in one.text]
    assert last.warning is noisy
    spread = "4.00 %" if not noisy else "30.0 %"
    assert last.text.count(f"within {spread}") == 2
    assert last.text.startswith("The machine was noisy.") is noisy


def test_one_repetition_tells_nothing_about_noise():
    one = run(timed("copy/pinned/h2d", MIB, 50.0)[:1], **HEALTHY)
    assert any("there is one of each" in text for text in texts(findings.trust(one), True))


def test_the_best_is_related_to_the_link():
    rows = timed("copy/pinned/h2d", MIB, 40.0) + timed("copy/pinned/h2d", 64 * MIB, 56.0)
    (sentence,) = findings.comparison(run(rows, **HEALTHY))
    assert not sentence.warning
    assert sentence.text == (
        "host → device: at best 56.00 GB/s (copy/pinned/h2d/64MiB), 89 % of the link's 63.00 GB/s "
        "and 96 to 97 % of what packet headers leave."
    )


def test_a_slow_link_is_told_from_a_healthy_one():
    (sentence,) = findings.comparison(run(timed("copy/pinned/d2h", 64 * MIB, 25.0), **HEALTHY))
    assert sentence.warning
    assert sentence.text.endswith("A healthy link reaches more.")


def test_more_than_the_link_can_carry_is_not_believed():
    (sentence,) = findings.comparison(run(timed("copy/pinned/h2d", 64 * MIB, 80.0), **HEALTHY))
    assert sentence.warning
    assert "more than the 63.00 GB/s that the link can carry" in sentence.text
    assert "%" not in sentence.text


def test_published_figures_of_the_same_gpu_are_named_with_their_source():
    rows = timed("copy/pageable/h2d", 64 * MIB, 9.5)
    h100 = {"kind": "cuda", "name": "NVIDIA H100 80GB HBM3"}
    said = texts(findings.comparison(run(rows, **{**HEALTHY, "device": h100})))
    assert any(
        "copy/pageable h2d: 9.500 GB/s here; others have published 8 GB/s for NVIDIA H100" in text
        and "https://github.com/rapidsai/kvikio/issues/456" in text
        for text in said
    )
    other = texts(findings.comparison(run(rows, **HEALTHY)))
    assert not any("published" in text for text in other)


def pageable(slow, fast, staged=None):
    rows = timed("copy/pageable/h2d", 64 * MIB, slow) + timed("copy/pinned/h2d", 64 * MIB, fast)
    return rows + (timed("copy/staged/h2d", 64 * MIB, staged) if staged else [])


def test_pageable_memory_is_compared_with_pinned_and_staged():
    (text,) = texts(findings.findings(run(pageable(12.6, 56.7, 53.55))))
    assert text == (
        "Copies of ordinary memory reach 12.60 GB/s, 20 % of the link (h2d, 64 MiB), of pinned "
        "memory 4.50× as much (56.70 GB/s, 90 % of the link); staged copies of ordinary memory "
        "reach 53.55 GB/s, 85 % of the link: use staged_copier where memory cannot be pinned."
    )


@pytest.mark.parametrize("rates", [(56.0, 56.7), (57.0, 20.0)])
def test_pageable_memory_that_is_as_fast_is_no_finding(rates):
    assert texts(findings.findings(run(pageable(*rates)))) == []


def test_staging_that_does_not_help_is_not_recommended():
    (text,) = texts(findings.findings(run(pageable(12.6, 56.7, 12.0))))
    assert "staged" not in text


def test_sizes_that_only_one_of_two_has_are_not_compared():
    rows = timed("copy/pageable/h2d", MIB, 5.0) + timed("copy/pinned/h2d", 64 * MIB, 50.0)
    assert texts(findings.findings(run(rows))) == []


@pytest.mark.parametrize(("returned", "said"), [(0.99, True), (0.01, False)])
def test_copies_that_wait_are_not_called_asynchronous(returned, said):
    ns = 64 * MIB / 10
    rows = timed("copy_async/pageable/h2d", 64 * MIB, 10.0, enqueue_ns=returned * ns)
    found = texts(findings.findings(run(rows)))
    assert (
        any(
            "is not asynchronous: at 64 MiB it returned after 6.644 ms of 6.711 ms" in text
            for text in found
        )
        is said
    )


@pytest.mark.parametrize(("rate", "said"), [(50.0, True), (45.0, False)])
def test_flags_make_no_difference_only_where_that_is_so(rate, said):
    rows = timed("copy/pinned/h2d", 64 * MIB, 50.2)
    for flags in ("portable", "mapped", "wc"):
        rows += timed(f"copy/pinned_{flags}/h2d", 64 * MIB, rate)
    found = texts(findings.findings(run(rows)))
    assert any("make no difference to copies of 64 MiB h2d" in text for text in found) is said


def buffer(kind, plain, ordinary):
    return {
        "memory": "pinned_wc",
        "memory_type": kind,
        "cpu_reads": {"plain_gb_per_s": plain},
        "cpu_reads_of_ordinary_memory": {"plain_gb_per_s": ordinary},
    }


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("write-combined", "Write-combined memory is slow to read for the CPU: 0.200 GB/s against"),
        ("write-back", "The flag WRITECOMBINED had no effect on how the CPU reads"),
        ("unclear", None),
        (None, None),
    ],
)
def test_write_combined_memory_is_judged_by_its_effect(kind, expected):
    found = texts(findings.findings(run(buffers=[buffer(kind, 0.2, 8.0)])))
    assert any(text.startswith(expected) for text in found) if expected else found == []


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
    both = {"h2d_alone_gb_per_s": 50.0, "h2d_gb_per_s": 40.0}
    rows += [synthetic.row("duplex/engines/pinned/64MiB", 128 * MIB, 128 * MIB / 90, **both)]
    found = texts(findings.findings(run(rows)))
    starts = ["Scattered", "A download", "A message", "Copies", "Up, work"]
    assert len(found) == findings.MOST_FINDINGS == len(starts)
    assert [text.startswith(start) for text, start in zip(found, starts, strict=True)] == [True] * 5


def test_both_ways_at_once_are_compared_with_one():
    both = {"h2d_alone_gb_per_s": 50.0, "h2d_gb_per_s": 40.0}
    both |= {"d2h_alone_gb_per_s": 50.0, "d2h_gb_per_s": 45.0}
    rows = [synthetic.row("duplex/engines/pinned/64MiB", 128 * MIB, 128 * MIB / 90, **both)]
    assert texts(findings.findings(run(rows))) == [
        "Both directions at once carry 90.00 GB/s in all, 1.80× as much as one (h2d loses 20.0 %, "
        "d2h loses 10.0 %)."
    ]


def test_what_to_use_is_what_advise_says():
    answer = synthetic.advice(
        winners={
            "h2d": [["copy/a", "copy/a"], ["copy/b", "copy/a"], ["copy/b", "copy/c"]],
            "d2h": [["copy/a", "copy/a"], [None, "copy/a"], ["copy/a", "copy/a"]],
        }
    )
    assert texts(findings.what_to_use(run(advice=answer))) == [
        "Use h2d, memory used once: up to 1 KiB copy/a; above copy/b.",
        "Use h2d, memory used 100 times: up to 1 MiB copy/a; above copy/c.",
        "Use d2h, memory used once: at every size copy/a.",
        "Use d2h, memory used 100 times: at every size copy/a.",
    ]
    assert texts(findings.what_to_use(run())) == []


def test_without_the_costs_of_allocation_reuse_is_not_spoken_of():
    answer = synthetic.advice(winners={"h2d": [["copy/a"] * 2] * 3}, allocation=False)
    assert texts(findings.what_to_use(run(advice=answer))) == ["Use h2d: at every size copy/a."]


def test_small_sizes_are_not_called_large():
    small = run(timed("copy/pinned/h2d", KIB, 1.0), **HEALTHY)
    assert any("is not known: there is one" in text for text in texts(findings.trust(small)))
