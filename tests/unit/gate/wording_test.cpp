#include "src/gate/report/wording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "src/gate/report/figures.hpp"
#include "tests/unit/gate/made_up_report.hpp"

namespace bench_transfers::gate::wording_test {
namespace {

using testing::HasSubstr;
using testing::Not;

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
  EXPECT_EQ(signed_percent_text(123), "> +9999 %");
  EXPECT_EQ(percent_text(std::numeric_limits<double>::infinity()), "> 9999 %");
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

TEST(gate_wording, columns_are_characters) {
  EXPECT_EQ(columns_of(""), 0U);
  EXPECT_EQ(columns_of("12.3 µs"), 7U);
  EXPECT_EQ(columns_of("→ 日本"), 4U);
}

TEST(gate_wording, an_unknown_figure_is_a_dash) {
  const auto missing = cells_of(without_figures("a", verdict::missing), metric());
  EXPECT_EQ(missing.before, "-");
  EXPECT_EQ(missing.after, "-");
  EXPECT_EQ(missing.slower_by, "-");
  EXPECT_EQ(missing.p, "-");
  EXPECT_EQ(missing.detectable, "-");
  // p is that of being slower.
  EXPECT_EQ(cells_of(compared("a", verdict::faster, -0.1), metric()).p, "-");
}

TEST(gate_wording, figures_of_a_rate_are_larger_when_it_is_better) {
  auto benchmark = compared("a", verdict::slower, 0.1);
  benchmark.before = 55.0;
  benchmark.after = 50.0;
  const auto texts = cells_of(benchmark, metric::named("gb_per_s"));
  EXPECT_EQ(texts.before, "55.00 GB/s");
  EXPECT_EQ(texts.after, "50.00 GB/s");
  EXPECT_EQ(texts.slower_by, "+10.0 %");
}

TEST(gate_wording, advisory_is_marked) {
  auto benchmark = compared("a", verdict::unchanged, 0);
  EXPECT_EQ(cells_of(benchmark, metric()).detectable, "2.50 %");
  benchmark.advisory = true;
  EXPECT_EQ(cells_of(benchmark, metric()).detectable, "2.50 % *");
  EXPECT_EQ(advisory_sentence(report_of(exit_code::pass, {compared("b", verdict::unchanged, 0)})),
            "");
  EXPECT_EQ(advisory_sentence(
                report_of(exit_code::pass, {benchmark, compared("b", verdict::unchanged, 0)})),
            "1 of 2 is advisory (*): noise would hide a slowdown of the threshold (2 %, 5 % where "
            "latency decides)");
}

TEST(gate_wording, the_verdict_is_one_sentence) {
  const auto same = compared("b", verdict::unchanged, 0);
  EXPECT_EQ(verdict_sentence(report_of(exit_code::pass, {same})),
            "PASS: link: 1 benchmark tested at 2 %, none slower");
  EXPECT_EQ(verdict_sentence(report_of(exit_code::pass, {same, same})),
            "PASS: link: all 2 benchmarks tested at 2 %, none slower");
  const auto noisy = compared("c", verdict::not_known, 0);
  EXPECT_EQ(verdict_sentence(report_of(exit_code::pass, {same, noisy})),
            "PASS: link: 1 of 2 benchmarks tested at 2 %, none slower");
  EXPECT_EQ(verdict_sentence(
                report_of(exit_code::regression, {compared("a/b", verdict::slower, 0.1), same})),
            "REGRESSION: link: 1 of 2 benchmarks slower, a/b by 10.0 %");
  EXPECT_EQ(verdict_sentence(report_of(
                exit_code::inconclusive, {same},
                {reasons::too_few_runs{2, 3}, reasons::ambiguous{benchmark_class::link, 1}})),
            "INCONCLUSIVE: only 2 runs, and a verdict needs 3; link: 1 benchmark is ambiguous");
  // A regression with doubts is one.
  EXPECT_EQ(verdict_sentence(report_of(exit_code::regression, {compared("a", verdict::slower, 0.1)},
                                       {reasons::too_noisy{benchmark_class::link}})),
            "REGRESSION: link: 1 of 1 benchmark slower, a by 10.0 %");
}

TEST(gate_wording, too_few_that_can_show_the_threshold_are_counted) {
  EXPECT_EQ(sentence_of(reasons::too_few_can_show{benchmark_class::link, 1, 2, 2}, limits{}),
            "link: only 1 of 2 benchmarks can show a slowdown of 2 %: the others are not known");
  EXPECT_EQ(sentence_of(reasons::too_few_can_show{benchmark_class::latency, 0, 2, 2}, limits{}),
            "latency: none of 2 benchmarks can show a slowdown of 5 %: all are too noisy");
  EXPECT_EQ(
      sentence_of(reasons::too_few_can_show{benchmark_class::link, 1, 2, 3}, limits{}),
      "link: only 1 of 3 benchmarks can show a slowdown of 2 %: the others are missing or not "
      "known");
}

TEST(gate_wording, without_a_gpu_every_sentence_says_so) {
  auto answer = report_of(exit_code::pass, {compared("b", verdict::unchanged, 0)});
  answer.on_host = true;
  EXPECT_THAT(verdict_sentence(answer), HasSubstr("PASS on the host device (no GPU)"));
  EXPECT_THAT(origin_sentence(answer), HasSubstr("host device (no GPU)"));
  answer.on_host = false;
  EXPECT_THAT(verdict_sentence(answer), Not(HasSubstr("host")));
}

TEST(gate_wording, counts_are_worst_first) {
  auto allowed = without_figures("c", verdict::missing);
  allowed.excused = true;
  const auto answer =
      report_of(exit_code::regression,
                {compared("a", verdict::unchanged, 0), compared("b", verdict::slower, 0.1), allowed,
                 without_figures("d", verdict::missing), without_figures("e", verdict::added)});
  EXPECT_EQ(counts_sentence(answer),
            "5 benchmarks: 1 slower, 2 missing (1 of them allowed), 1 new, 1 unchanged");
}

}  // namespace
}  // namespace bench_transfers::gate::wording_test
