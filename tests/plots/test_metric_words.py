"""Tests the words for metrics: those of the page, of steps, and of the file."""

import synthetic
from described import recorded

from plots.model.load import Metric
from plots.page import panels
from plots.text import metric_words


def described(key, description):
    return metric_words.describe(
        key, Metric("ns", "less", "duration", description, False, None, False)
    )


def test_known_metrics_have_words_of_the_page():
    assert described("gb_per_s", "bytes by the median time") == "bandwidth"
    link = described("link_percent", "gb_per_s in percent of the link's limit")
    assert link == "bandwidth, of the link's raw rate"


def test_each_known_step_has_words_without_underscores():
    metrics = recorded()[1]
    steps = {key: m["description"] for key, m in metrics.items() if "the step " in m["description"]}
    assert len(steps) > 20
    for key, description in steps.items():
        assert described(key, description) != description
        assert "_" not in described(key, description).replace("to_gpu", "")


def test_other_metrics_keep_the_words_of_their_file():
    assert described("my_ns", "my own_time") == "my own_time"


def test_panels_have_no_names_of_counters():
    counters = panels.describe_benchmarks(synthetic.run())["counters"]
    assert ["median", "ns"] in counters
    assert not any("_per_" in text for text, _ in counters)
