#include "src/gate/report/wording.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

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

TEST(gate_wording, what_is_seen_in_two_looks_is_told_apart) {
  const auto text = [](std::size_t again) {
    return sentence_of(reasons::seen_slower{benchmark_class::link, 3, again}, {});
  };
  EXPECT_EQ(text(0), "link: 3 benchmarks are much slower in some runs, and not cleared by others");
  EXPECT_EQ(text(1), text(0) + " (1 in two looks, which chance may explain)");
}

TEST(gate_wording, columns_are_characters) {
  EXPECT_EQ(columns_of(""), 0U);
  EXPECT_EQ(columns_of("12.3 µs"), 7U);
  EXPECT_EQ(columns_of("→ 日本"), 4U);
}

}  // namespace
}  // namespace bench_transfers::gate::wording_test
