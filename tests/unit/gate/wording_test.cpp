#include "src/gate/report/wording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "src/gate/report/figures.hpp"
#include "tests/unit/gate/made_up_report.hpp"

namespace bench_transfers::gate::wording_test {
namespace {

TEST(gate_wording, a_time_has_four_digits_and_a_unit_that_suits) {
  const metric time;
  EXPECT_EQ(value_text(0.0123, time), "0.012 ns");
  EXPECT_EQ(value_text(1.5, time), "1.500 ns");
  EXPECT_EQ(value_text(999.94, time), "999.9 ns");
  EXPECT_EQ(value_text(999.96, time), "1.000 µs");
  EXPECT_EQ(value_text(12'345, time), "12.35 µs");
  EXPECT_EQ(value_text(2'423'456, time), "2.423 ms");
  EXPECT_EQ(value_text(7.5e9, time), "7.500 s");
  EXPECT_EQ(value_text(1.2e13, time), "12000 s");
  EXPECT_EQ(value_text(1e6, metric::named("cpu_time")), "1.000 ms");
  EXPECT_EQ(value_text(1e6, metric::named("wait_ns")), "1.000 ms");
}

TEST(gate_wording, rates_have_the_units_of_their_names) {
  EXPECT_EQ(value_text(55.519, metric::named("gb_per_s")), "55.52 GB/s");
  EXPECT_EQ(value_text(55.519, metric::named("h2d_gb_per_s")), "55.52 GB/s");
  EXPECT_EQ(value_text(0.0006839, metric::named("gb_per_s")), "683.9 kB/s");
  EXPECT_EQ(value_text(0.99994, metric::named("gb_per_s")), "999.9 MB/s");
  EXPECT_EQ(value_text(5.55e10, metric::named("bytes_per_second")), "55.50 GB/s");
  EXPECT_EQ(value_text(123'456, metric::named("items_per_second")), "123.5 k/s");
  EXPECT_EQ(value_text(88.12, metric::named("link_percent")), "88.12 %");
  EXPECT_EQ(value_text(1.5e6, metric::named("bytes_per_second")), "1.500 MB/s");
  EXPECT_EQ(value_text(0.25, metric::named("cores")), "0.250");
  EXPECT_EQ(value_text(0, metric::named("cores")), "0");
  EXPECT_EQ(value_text(std::nullopt, metric()), "-");
}

TEST(gate_wording, a_percentage_has_three_digits) {
  EXPECT_EQ(percent_text(0.0312), "3.12 %");
  EXPECT_EQ(percent_text(0.1), "10.0 %");
  EXPECT_EQ(percent_text(1.5), "150 %");
  EXPECT_EQ(signed_percent_text(0.0312), "+3.12 %");
  EXPECT_EQ(signed_percent_text(-0.25), "-25.0 %");
  EXPECT_EQ(signed_percent_text(123), "×124.0");
  EXPECT_EQ(percent_text(123), "a factor of 124.0");
  EXPECT_EQ(limit_text(0.02), "2 %");
  EXPECT_EQ(limit_text(0.07), "7 %");
  EXPECT_EQ(limit_text(0.00001), "0.001 %");
}

TEST(gate_wording, a_probability_is_never_shown_as_none) {
  EXPECT_EQ(p_text(0), "<0.0001");
  EXPECT_EQ(p_text(0.00012), "0.00012");
  EXPECT_EQ(p_text(0.0123), "0.012");
  EXPECT_EQ(p_text(0.0996), "0.10");
  EXPECT_EQ(p_text(1), "1.00");
}

/// A regression of a class that does not decide is not hidden by exit code 4.
TEST(gate_wording, names_what_is_slower_beside_a_slower_environment) {
  auto slower = compared("copy/pageable", verdict::slower, 0.5);
  slower.kind = benchmark_class::host;
  auto answer = report_of(exit_code::environment, {slower});
  answer.classes[0].shared = shift_of_all(0.1, 0, true);
  answer.classes[0].shared->slower = true;
  answer.classes.push_back(answer.classes[0]);
  answer.classes[1] = link_class(exit_code::regression, {slower});
  answer.classes[1].kind = benchmark_class::host;
  answer.classes[1].decides = false;
  EXPECT_THAT(verdict_sentence(answer),
              testing::HasSubstr("host: 1 of 1 benchmark slower, copy/pageable by 50.0 %"));
}

/// Its runs lack repetitions, so no figure but that of --confirm shows it.
TEST(gate_wording, names_what_only_measuring_in_turn_has_shown) {
  const auto answer =
      report_of(exit_code::regression, {without_figures("copy/pinned/h2d/1MiB", verdict::slower,
                                                        remarks::measured_in_turn{0.25, 1e-6})});
  EXPECT_THAT(verdict_sentence(answer),
              testing::HasSubstr("copy/pinned/h2d/1MiB by 25.0 % in turn"));
}

TEST(gate_wording, what_is_seen_in_two_looks_is_told_apart) {
  const auto text = [](std::size_t again) {
    return sentence_of(reasons::seen_slower{benchmark_class::link, 3, again}, {});
  };
  EXPECT_EQ(text(0), "link: 3 benchmarks are much slower in some runs, and not cleared by others");
  EXPECT_EQ(text(1), text(0) + " (1 in two looks, which chance may explain)");
}

/// Sentences with a number that decides their verbs, of one and of several.
TEST(gate_wording, one_is_singular) {
  using benchmark_class::link;
  const auto of = [](const auto& message) { return sentence_of(message, limits()); };
  const std::vector<std::pair<std::string, std::string>> sentences{
      {of(reason(reasons::runs_disturbed{1, 3})),
       "1 of 3 runs was throttled or had a link that changed"},
      {of(reason(reasons::runs_disturbed{2, 3})),
       "2 of 3 runs were throttled or had a link that changed"},
      {of(reason(reasons::repetitions_left_out{link, 1})),
       "link: 1 benchmark has fewer than half of its repetitions left"},
      {of(reason(reasons::repetitions_left_out{link, 2})),
       "link: 2 benchmarks have fewer than half of their repetitions left"},
      {of(reason(reasons::too_few_can_show{link, 1, 3, 3})),
       "link: only 1 of 3 benchmarks is known not to be slower by 2 %"},
      {of(reason(reasons::too_few_can_show{link, 0, 3, 4})),
       "link: none of 4 benchmarks is known not to be slower by 2 %, and only 3 could be compared"},
      {of(reason(reasons::environment_changed{link, 3, 4, -0.1})),
       "link: the environment changed: the median of 3 of 4 benchmarks is 10.0 % faster"},
      {sentence_of(pin_warning(pin_warnings::few_repetitions{"a.json", 1})),
       "1 benchmark of a.json has fewer than half of its repetitions left: not used there"},
      {sentence_of(pin_warning(pin_warnings::few_repetitions{"a.json", 2})),
       "2 benchmarks of a.json have fewer than half of their repetitions left: not used there"},
      {sentence_of(pin_warning(pin_warnings::slower_than_replaced{1, "copy", 0.1})),
       "slower than the baseline that it replaces in 1 benchmark, copy by 10.0 %"},
      {sentence_of(pin_warning(pin_warnings::slower_than_replaced{2, "copy", 0.1})),
       "slower than the baseline that it replaces in 2 benchmarks, the worst copy by 10.0 %"}};
  for (const auto& [written, expected] : sentences) EXPECT_EQ(written, expected);
}

TEST(gate_wording, a_pass_says_what_was_not_judged) {
  using testing::HasSubstr;
  auto answer = report_of(exit_code::pass, {compared("copy", verdict::unchanged, 0),
                                            without_figures("new", verdict::added)});
  answer.classes[0].few_repetitions = 2;
  auto host = answer.classes[0];
  host.kind = benchmark_class::host;
  host.decides = false;
  auto latency = host;
  latency.kind = benchmark_class::latency;
  latency.benchmarks = latency.compared = 0;
  answer.classes.insert(answer.classes.end(), {host, latency});
  const auto sentence = verdict_sentence(answer);
  for (const auto* said :
       {", 2 not compared for lack of repetitions; nothing of latency was compared, as allowed; "
        "host (",
        "; 2 not compared for lack of repetitions) does not decide",
        "; 1 benchmark is not in the baseline and not judged"})
    EXPECT_THAT(sentence, HasSubstr(said));
}

}  // namespace
}  // namespace bench_transfers::gate::wording_test
