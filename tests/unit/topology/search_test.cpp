#include "src/topology/infer/search.hpp"

#include <algorithm>

#include "tests/basics.hpp"
#include "tests/unit/topology/searching.hpp"

namespace bench_transfers::topology::search_test {
namespace {

using searching::gb;
using searching::measured;
using searching::uploads_of;
using searching::with;

std::vector<device_set> devices_of(const std::vector<limit>& limits) {
  std::vector<device_set> sets;
  for (const auto& limit : limits) sets.push_back(limit.devices);
  return sets;
}

/// The observation of one set, without noise.
observation observed(const flow_set& flows, const std::vector<double>& gb_per_s) {
  observation result{flows, {}, {}};
  for (const auto rate : gb_per_s) result.rates.push_back(std::vector<double>(5, rate * gb));
  return result;
}

TEST(search_begins, with_the_most_that_a_device_ever_had_if_it_was_not_measured_alone) {
  const auto both = device_set::of({0, 1});
  const evidence evidence(
      2, {observed({both, {}}, {20, 50}), observed({both, both}, {30, 30, 30, 30})});
  const std::vector<device_set> hints;
  const search search(evidence, hints);
  std::vector<std::pair<traffic, double>> of_first;
  for (const auto& own : search.own)
    if (own.devices == device_set::of(0)) of_first.emplace_back(own.kind, own.capacity);
  EXPECT_THAT(of_first, UnorderedElementsAre(std::pair(traffic::h2d, 30 * gb),
                                             std::pair(traffic::d2h, 30 * gb)));
}

TEST(search_begins, with_a_limit_for_both_directions_if_they_get_less_together) {
  const auto one = device_set::of(0);
  const evidence evidence(
      1, {observed({one, {}}, {50}), observed({{}, one}, {50}), observed({one, one}, {40, 40})});
  const std::vector<device_set> hints;
  const search search(evidence, hints);
  ASSERT_EQ(search.own.size(), 3);
  EXPECT_EQ(search.own.back().kind, traffic::both);
  EXPECT_EQ(search.own.back().capacity, 80 * gb);
}

TEST(search_prefers, places_to_rows_and_rows_to_others) {
  const auto evidence = measured({});
  const std::vector<device_set> hints{device_set::of({0, 3})};
  const search search(evidence, hints);
  const auto preference = [&](const std::vector<std::size_t>& devices) {
    return std::ranges::find(search.possible, device_set::of(devices),
                             [](const auto& possible) { return possible.limit.devices; })
        ->preference;
  };
  EXPECT_GT(preference({0, 3}), preference({1, 2, 3}));
  EXPECT_GT(preference({1, 2, 3}), preference({1, 3}));
}

TEST(limits, go_together_if_they_are_nested_or_apart) {
  EXPECT_TRUE(go_together(uploads_of({0, 1}, 70), uploads_of({0, 1, 2}, 90)));
  EXPECT_TRUE(go_together(uploads_of({0, 1}, 70), uploads_of({2, 3}, 70)));
  EXPECT_FALSE(go_together(uploads_of({0, 1}, 70), uploads_of({1, 2}, 70)));
  EXPECT_FALSE(go_together(uploads_of({0, 1}, 70), uploads_of({0, 1}, 60)));
  EXPECT_TRUE(go_together(uploads_of({0, 1}, 70), {device_set::of({0, 1}), traffic::d2h, 70 * gb}));
}

class searched : public testing::Test {
 protected:
  const std::vector<device_set> hints_ = {};
  const evidence evidence_ = measured({uploads_of({0, 1, 2}, 70)});
  const search search_{evidence_, hints_};
};

TEST_F(searched, the_best_addition_explains_what_flows_lose) {
  const auto base = with(search_, {});
  const auto best = best_addition(search_, base);
  ASSERT_TRUE(best);
  EXPECT_EQ(best->limit.devices, device_set::of({0, 1, 2}));
  EXPECT_EQ(best->limit.kind, traffic::h2d);
  EXPECT_TRUE(best->limit.shares.are_fair());
  EXPECT_NEAR(best->limit.capacity, 70 * gb, gb);
  EXPECT_NEAR(best->misfit, search_.predictor.misfit_with(base, best->limit), 1e-9);
}

TEST_F(searched, nothing_is_added_to_what_explains_all) {
  EXPECT_FALSE(best_addition(search_, with(search_, {uploads_of({0, 1, 2}, 70)})));
}

TEST_F(searched, the_best_addition_goes_together_with_the_others_unless_it_is_to_cross) {
  const auto base = with(search_, {uploads_of({2, 3}, 95)});
  const auto nested = best_addition(search_, base);
  ASSERT_TRUE(nested);
  EXPECT_TRUE(go_together(nested->limit, uploads_of({2, 3}, 95)));
  const auto crossing = best_addition(search_, base, true);
  ASSERT_TRUE(crossing);
  EXPECT_EQ(crossing->limit.devices, device_set::of({0, 1, 2}));
}

TEST_F(searched, neighbours_have_a_device_more_or_less_and_something_to_explain) {
  const auto base = with(search_, {});
  const auto near = devices_of(neighbours(search_, base, uploads_of({0, 1}, 70)));
  EXPECT_THAT(near, Contains(device_set::of({0, 1, 2})));
  EXPECT_THAT(near, Not(Contains(device_set::of({2, 3})))) << "two more, two less";
  EXPECT_THAT(near, Not(Contains(device_set::of(0))));
  EXPECT_THAT(devices_of(neighbours(search_, base, uploads_of({0, 3}, 70))),
              Not(Contains(device_set::of({0, 3}))));
  EXPECT_TRUE(
      neighbours(search_, with(search_, {uploads_of({0, 1, 2}, 70)}), uploads_of({1, 2}, 70))
          .empty());
  // They may be for other flows.
  const limit downloads{device_set::of({0, 1, 2}), traffic::d2h, 70 * gb};
  EXPECT_THAT(neighbours(search_, base, downloads),
              Contains(AllOf(Field(&limit::devices, downloads.devices),
                             Field(&limit::kind, traffic::h2d))));
}

TEST_F(searched, neighbours_go_together_with_the_other_limits) {
  const auto other = uploads_of({0, 1}, 90);
  const auto base = with(search_, {other});
  for (const auto& near : neighbours(search_, base, uploads_of({1, 2}, 90)))
    EXPECT_TRUE(go_together(near, other));
  // They may have all devices of another limit.
  EXPECT_THAT(devices_of(neighbours(search_, base, uploads_of({2, 3}, 90))),
              Contains(device_set::up_to(4)));
}

}  // namespace
}  // namespace bench_transfers::topology::search_test
