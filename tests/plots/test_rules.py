"""Tests the rules of use, and the comparison of two benchmarks that they rest on."""

from math import comb

import pytest
import synthetic
from synthetic import KIB, MIB, run

from plots.model import mann_whitney
from plots.text import rules

LARGE = 64 * MIB
NOISY = (0.5, 0.8, 1, 1, 1.3, 1.6)
NEARLY_ALIKE = [0.998, 0.999, 1, 1, 1.001, 1.002]


def rows(times_us, factors=NEARLY_ALIKE):
    """Returns six repetitions for each (strategy, size): µs, in both directions."""
    return [
        synthetic.row(
            f"{strategy}/{direction}/{synthetic.size_name(size)}", size, 1000 * us * factor
        )
        for (strategy, size), us in times_us.items()
        for direction in ("h2d", "d2h")
        for factor in factors
    ]


USUAL = {
    ("copy/pageable", KIB): 5.0,
    ("copy/pinned", KIB): 5.0,
    ("copy/pageable", LARGE): 7000.0,
    ("copy/pinned", LARGE): 1000.0,
    ("copy/pinned_wc", LARGE): 990.0,
    ("copy/staged", LARGE): 1400.0,
}


def described(times_us, factors=NEARLY_ALIKE, **transfers):
    return rules.describe(run(rows(times_us, factors), **transfers))


def test_three_rules_follow_from_the_measured_times():
    large, small, ordinary = described(USUAL)
    assert [use.strategy for use in large.uses] == ["copy/pinned"]
    assert [use.strategy for use in small.uses] == ["copy/pageable"]
    assert [use.strategy for use in ordinary.uses] == ["copy/staged"]
    assert "pageable" not in ordinary.why  # said once


def test_the_plainest_of_what_is_as_good_is_named():
    clearly = USUAL | {("copy/pinned_wc", LARGE): 900.0}
    assert [use.strategy for use in described(USUAL)[0].uses] == ["copy/pinned"]
    assert [use.strategy for use in described(clearly)[0].uses] == ["copy/pinned_wc"]


def test_what_only_some_repetitions_show_decides_nothing():
    noisy = described(USUAL | {("copy/pageable", LARGE): 1080.0}, NOISY)
    assert [use.strategy for use in noisy[0].uses] == ["copy/pageable"]


def test_noise_does_not_make_a_large_difference_small():
    noisy, *_ = described(USUAL | {("copy/pageable", LARGE): 1300.0}, NOISY)
    assert [use.strategy for use in noisy.uses] == ["copy/pageable"]
    assert "×" not in noisy.why


def test_a_plain_copy_is_not_compared_with_itself():
    plain, pinned = ({f"copy/{memory}": us} for memory, us in (("pageable", 1000), ("pinned", 800)))
    noisy = [
        synthetic.row(f"{strategy}/{way}/64MiB", LARGE, 1000 * us * factor)
        for way, times in (("h2d", plain | {"copy/pinned": 1200}), ("d2h", plain | pinned))
        for strategy, us in times.items()
        for factor in (NOISY if way == "d2h" else NEARLY_ALIKE)
    ]
    large, *_ = rules.describe(run(noisy))
    assert [use.strategy for use in large.uses] == ["copy/pageable"]
    assert large.why.startswith(
        "Nothing measured is clearly faster. At 64 MiB: copy/pinned 83.89 GB/s to the host, no "
        "clear gain ["
    )


def small_rows(pinned_up, pinned_down, factors=NEARLY_ALIKE):
    """Returns copies of 1, 4 and 64 KiB: pageable ones of 5 µs, and pinned ones."""
    return [
        synthetic.row(f"{strategy}/{way}/{synthetic.size_name(size)}", size, 1000 * us * factor)
        for size in (KIB, 4 * KIB, 64 * KIB)
        for way, pinned in (("h2d", pinned_up), ("d2h", pinned_down))
        for strategy, us in (("copy/pageable", 5.0), ("copy/pinned", pinned))
        for factor in factors
    ]


def map_of(names_up, names_down):
    """Returns what advise says of 1, 4 and 64 KiB, for memory that is used once and 100 times."""
    answer = synthetic.advice(winners={"h2d": [names_up] * 3, "d2h": [names_down] * 3})
    answer.map["sizes"] = [KIB, 4 * KIB, 64 * KIB]
    return answer


PLAIN, PINNED = "copy/pageable", "copy/pinned"


def test_the_rule_for_small_transfers_says_what_the_map_says():
    answer = map_of([PLAIN, PLAIN], [PLAIN, PINNED])
    small = rules.describe(run(small_rows(5.0, 4.0), answer))[1]
    assert [use.strategy for use in small.uses] == [PLAIN, PINNED]
    assert small.why == (
        "Up to 64 KiB to the device nothing measured is clearly faster than copy/pageable. At "
        "1 KiB: copy/pageable 5.000 µs to the device; copy/pinned 4.000 µs to the host, 1.25× "
        "[1.25, 1.25] as fast as plain cudaMemcpy, if its memory is used 100 times or more."
    )


def test_a_size_at_which_the_gain_is_clear_stands_for_small_transfers():
    rows = [
        synthetic.row(f"{strategy}/d2h/{synthetic.size_name(size)}", size, 1000 * us * factor)
        for size in (KIB, 4 * KIB, 16 * KIB)
        for strategy, us in (("copy/pageable", 5.0), ("copy/pinned", 4.0))
        for factor in (NOISY if size == KIB else NEARLY_ALIKE)
    ]
    answer = synthetic.advice(winners={"d2h": [[PINNED, PINNED]] * 3})
    answer.map["sizes"] = [KIB, 4 * KIB, 16 * KIB]
    small = rules.describe(run(rows, answer))[1]
    assert small.why == (
        "At 4 KiB: 4.000 µs to the host, 1.25× [1.25, 1.25] as fast as plain cudaMemcpy."
    )


def large_map(up, down):
    """Returns what advise says of LARGE, for memory that is used once and 100 times."""
    answer = synthetic.advice(winners={"h2d": [up], "d2h": [down]})
    answer.map["sizes"] = [LARGE]
    return answer


@pytest.mark.parametrize(
    ("up", "down", "few"),
    [
        (["copy/huge", PINNED], [PINNED, PINNED], "once to the device, use copy/huge"),
        (["copy/huge", PINNED], ["copy/huge", PINNED], "once, use copy/huge"),
        (["copy/huge", PINNED], [PLAIN, PINNED], "once, use copy/huge or copy/pageable"),
        ([PINNED, PINNED], [PINNED, PINNED], None),
        ([PINNED, "copy/huge"], [PINNED, PINNED], None),  # the rule and the map differ
    ],
)
def test_the_rule_for_large_arrays_says_what_few_uses_need(up, down, few):
    large, *_ = rules.describe(run(rows(USUAL), large_map(up, down)))
    sentence = f" If the memory is used {few} instead." if few else ""
    assert large.why.endswith(f"[6.99, 7.01].{sentence}")


def test_rules_say_if_the_costs_of_memory_are_not_known():
    answer = large_map([PINNED, PINNED], [PINNED, PINNED])
    answer.map["measured_terms"] = {"allocation": False}
    _, *others = rules.describe(run(rows(USUAL), answer))
    assert not any("allocating" in rule.why for rule in others)


def test_a_rule_says_how_many_cores_its_strategy_keeps_busy():
    busy = [row | {"cores": 5.93 if "staged" in row["name"] else 1.0} for row in rows(USUAL)]
    large, _, ordinary = rules.describe(run(busy))
    assert ordinary.why.endswith(" It keeps up to 5.9 CPU cores busy.")
    assert "cores" not in large.why


def test_small_transfers_may_have_a_better_strategy():
    _, small, _ = described(USUAL | {("copy/pinned", KIB): 4.0})
    assert [use.strategy for use in small.uses] == ["copy/pinned"]


def test_the_words_for_a_strategy_are_those_of_the_file():
    strategies = [{"name": "copy/pinned", "summary": "words of the file", "variants": []}]
    assert described(USUAL, strategies=strategies)[0].uses == [
        rules.Use("copy/pinned", "words of the file")
    ]


@pytest.mark.parametrize(
    "transfers",
    [
        {"device": {"kind": "host", "name": "host"}, "link": None},
        {"run": {"faults_injected": ["slow_copies"]}},
    ],
    ids=["no GPU", "faults"],
)
def test_there_are_no_rules_without_a_gpu_or_true_numbers(transfers):
    assert described(USUAL, **transfers) == []


def test_there_are_no_rules_without_a_plain_copy():
    assert described({("copy/pinned", LARGE): 1000.0}) == []


@pytest.mark.parametrize("factors", [(1,), (0.999, 1.001), (0.999, 1, 1.001)])
def test_few_repetitions_give_a_factor_that_is_not_clear(factors):
    large, *_ = described(USUAL, factors)
    assert large.why == (
        "At 64 MiB: 67.11 GB/s to the device, 7.00× as fast as plain cudaMemcpy of pageable "
        "memory (too few repetitions to be sure); "
        "67.11 GB/s to the host, 7.00× (too few repetitions to be sure)."
    )


@pytest.mark.parametrize("factors", [(1,), (0.999, 1.001)])
def test_few_repetitions_do_not_choose_by_chance(factors):
    times = USUAL | {("copy/pinned", KIB): 4.6, ("copy/pinned_wc", LARGE): 920.0}
    large, small, _ = described(times, factors)
    assert [use.strategy for use in large.uses] == ["copy/pinned"]
    assert [use.strategy for use in small.uses] == ["copy/pageable"]


@pytest.mark.parametrize(
    ("first", "second", "outside"),
    # Of tables of the test of Mann and Whitney: two-sided, 5 %.
    [(3, 3, None), (4, 4, 0), (5, 5, 2), (6, 6, 5), (8, 8, 13), (8, 10, 17), (20, 20, 127)],
)
def test_the_interval_is_that_of_mann_and_whitney(first, second, outside):
    assert mann_whitney.outside_each_end(first, second) == outside
    counts = mann_whitney._count_orders(first, second)
    assert sum(counts) == comb(first + second, first)
    assert counts == counts[::-1]


def test_many_repetitions_have_nearly_the_exact_interval(monkeypatch):
    exact = mann_whitney.outside_each_end(40, 40)
    monkeypatch.setattr(mann_whitney, "MOST_COUNTED_PAIRS", 0)
    mann_whitney.outside_each_end.cache_clear()
    assert abs(mann_whitney.outside_each_end(40, 40) - exact) <= 1
    mann_whitney.outside_each_end.cache_clear()


def test_a_gain_is_clear_where_its_interval_says_so():
    """One repetition of eight does not hide what the others show."""
    pageable = rows({("copy/pageable", LARGE): 1000.0}, [1] * 7 + [0.8])
    pinned = rows({("copy/pinned", LARGE): 880.0}, [1] * 8)
    large, *_ = rules.describe(run(pageable + pinned))
    assert [use.strategy for use in large.uses] == ["copy/pinned"]
    assert "to the device, 1.14× [1.14, 1.14] as fast as plain cudaMemcpy" in large.why
    assert "clear" not in large.why
