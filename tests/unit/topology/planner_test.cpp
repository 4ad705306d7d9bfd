#include "src/topology/infer/planner.hpp"

#include "src/topology/infer/likely_sets.hpp"
#include "src/topology/infer/questions.hpp"
#include "tests/basics.hpp"
#include "tests/simulation/made_up_host.hpp"

namespace bench_transfers::topology::planner_test {
namespace {

using simulation::even_host;
using simulation::made_up_host;

constexpr double gb = 1e9;

flow_set uploads(const std::vector<std::size_t>& devices) {
  return flows_of(device_set::of(devices), traffic::h2d);
}

/// Measures sets of a made-up host, and asks what is to be measured next.
class planned : public testing::Test {
 protected:
  /// With each device alone.
  void begin(const made_up_host& host) {
    outline.devices = host.devices;
    measurement.emplace(host, simulation::made_up_noise{.repetitions = 0.004, .sets = 0.001}, 1);
    for (const auto kind : every_traffic)
      for (std::size_t device = 0; device < host.devices; ++device)
        measure(flows_of(device_set::of(device), kind));
  }
  void measure(const flow_set& flows, int times = 1) {
    for (int i = 0; i < times; ++i) {
      observations.push_back((*measurement)(flows));
      observations.back().flows = flows;
    }
  }
  void measure_all_together(int times = 1) {
    for (const auto kind : every_traffic)
      measure(flows_of(device_set::up_to(outline.devices), kind), times);
  }
  void fail(const flow_set& flows, device_set unusable = {}) {
    observations.push_back({flows, {}, "failed", 0, unusable});
  }
  [[nodiscard]] std::vector<flow_set> chosen_by(void (*question)(plan&),
                                                std::size_t most = 8) const {
    plan next(outline, observations, most);
    question(next);
    return next.chosen();
  }
  [[nodiscard]] std::vector<flow_set> next() const { return next_sets(outline, observations); }

  host_outline outline;
  std::optional<simulation::made_up_measurement> measurement;
  std::vector<observation> observations;
};

TEST_F(planned, sets_are_new_if_they_can_be_and_were_not_measured_or_chosen) {
  begin(even_host(4));
  measure(uploads({0, 1}), 2);
  fail(uploads({0, 3}), device_set::of(3));
  plan next(outline, observations, 2);
  EXPECT_EQ(next.times_measured(uploads({0, 1})), 2);
  EXPECT_FALSE(next.is_new(uploads({0, 1})));
  EXPECT_FALSE(next.is_new(uploads({1, 3})));
  EXPECT_TRUE(next.is_new(uploads({0, 2})));
  next.choose(uploads({0, 2}));
  EXPECT_FALSE(next.is_new(uploads({0, 2})));
  next.choose(uploads({0, 2}));
  next.choose(uploads({1, 3}));
  EXPECT_FALSE(next.is_complete());
  next.choose(uploads({0, 1}));
  EXPECT_TRUE(next.is_complete());
  next.choose(uploads({1, 2}));
  EXPECT_THAT(next.chosen(), ElementsAre(uploads({0, 2}), uploads({0, 1})));
}

TEST_F(planned, devices_are_usable_unless_they_could_not_even_copy_alone) {
  begin(even_host(3));
  fail(uploads({0}));  // it could before
  EXPECT_EQ(usable_devices(3, observations), device_set::up_to(3));
  fail(uploads({0, 1}), device_set::of(1));
  EXPECT_EQ(usable_devices(3, observations), device_set::of({0, 2}));
  EXPECT_EQ(usable_devices(2, {{uploads({0}), {}, "failed"}}), device_set::of(1));
  EXPECT_EQ(usable_devices(2, {{uploads({0, 1}), {}, "failed"}}), device_set::up_to(2));
}

TEST_F(planned, a_link_is_measured_by_itself_until_two_sets_show_it) {
  begin(even_host(4, {{device_set::of({1, 2}), traffic::h2d, 60 * gb}}));
  measure_all_together();
  EXPECT_THAT(chosen_by(confirm_links), ElementsAre(uploads({1, 2})));
  measure(uploads({1, 2}));
  EXPECT_THAT(chosen_by(confirm_links), IsEmpty());
}

TEST_F(planned, a_link_that_one_set_alone_shows_is_measured_again) {
  begin(even_host(4, {{device_set::of({1, 2}), traffic::h2d, 60 * gb}}));
  for (const std::size_t other : {0, 3})
    for (const std::size_t device : {1, 2}) measure(uploads({device, other}));
  measure(uploads({1, 2}));
  EXPECT_THAT(chosen_by(confirm_links), ElementsAre(uploads({1, 2})));
}

TEST_F(planned, a_weak_link_is_measured_by_itself_three_times) {
  begin(even_host(4, {{device_set::of({1, 2}), traffic::h2d, 95.5 * gb}}));
  measure_all_together(2);
  measure(uploads({1, 2}), 2);
  EXPECT_THAT(chosen_by(confirm_links), ElementsAre(uploads({1, 2})));
  measure(uploads({1, 2}));
  EXPECT_THAT(chosen_by(confirm_links), IsEmpty());
}

TEST_F(planned, directions_are_mixed_where_a_link_limits_both_together) {
  begin(even_host(4, {{device_set::of({0, 1, 2}), traffic::both, 200 * gb}}));
  measure_all_together(2);
  measure(flows_of(device_set::of({0, 1, 2}), traffic::both));
  const flow_set some{device_set::of({0, 1, 2}), device_set::of({0, 2})};
  const flow_set others{device_set::of(1), device_set::of({0, 1, 2})};
  EXPECT_THAT(chosen_by(mix_directions), ElementsAre(some, others));
  measure(some);
  EXPECT_THAT(chosen_by(mix_directions), ElementsAre(others));
  observations.clear();
  begin(even_host(4, {{device_set::of({0, 1, 2}), traffic::h2d, 100 * gb}}));
  measure_all_together(2);
  EXPECT_THAT(chosen_by(mix_directions), IsEmpty()) << "it limits one";
}

/// Device 3 has 40 GB/s with and without the link of the others, which gives them as much.
TEST_F(planned, a_doubt_is_decided_by_the_set_whose_rates_differ) {
  auto host = even_host(4, {{device_set::of({0, 1, 2}), traffic::h2d, 120 * gb}});
  for (auto& own : host.own)
    if (own.devices == device_set::of(3) && own.kind == traffic::h2d) own.capacity = 40 * gb;
  begin(host);
  measure_all_together(2);
  const auto telling = uploads({0, 1, 2});
  EXPECT_THAT(chosen_by(decide_doubts), ElementsAre(telling));
  EXPECT_THAT(chosen_by([](plan& next) {
                next.choose(uploads({0, 1, 2}));
                decide_doubts(next);
              }),
              ElementsAre(telling))
      << "nothing more is needed";
  measure(telling);
  EXPECT_THAT(chosen_by(decide_doubts), IsEmpty());
}

TEST_F(planned, all_devices_together_show_most_links_that_may_be) {
  begin(even_host(4));
  EXPECT_THAT(chosen_by(look_for_unseen_links),
              ElementsAre(flows_of(device_set::up_to(4), traffic::both)));
  measure_all_together();
  EXPECT_THAT(chosen_by(look_for_unseen_links), IsEmpty()) << "all have what they could have";
}

TEST_F(planned, a_link_that_another_one_hides_is_looked_for_without_that) {
  begin(even_host(4, {{device_set::up_to(4), traffic::h2d, 120 * gb}}));
  measure_all_together(2);
  const auto sets = chosen_by(look_for_unseen_links);
  ASSERT_THAT(sets, SizeIs(8));
  EXPECT_THAT(sets[0].h2d, SizeIs(2)) << "three would fill the link";
  EXPECT_THAT(sets, Not(Contains(Property(&flow_set::devices, device_set::up_to(4)))));
  EXPECT_THAT(chosen_by(look_for_unseen_links, 3), SizeIs(3));
}

TEST_F(planned, a_place_that_the_kernel_shows_is_looked_at_first) {
  begin(even_host(12, {{device_set::up_to(12), traffic::h2d, 160 * gb}}));
  measure_all_together(2);
  for (std::size_t device = 0; device + 1 < 12; ++device) measure(uploads({device, device + 1}));
  const auto devices = device_set::of({2, 9, 11});
  EXPECT_NE(chosen_by(look_for_unseen_links, 1).at(0).devices(), devices);
  outline.hints = {devices};
  EXPECT_EQ(chosen_by(look_for_unseen_links, 1).at(0).devices(), devices);
}

class likely : public planned {
 protected:
  [[nodiscard]] double worth(const std::vector<std::size_t>& devices) const {
    const plan next(outline, observations, 1);
    const auto sets = likely_sets_of(next);
    const auto found = sets.find(device_set::of(devices));
    return found == sets.end() ? 0 : found->second;
  }
};

TEST_F(likely, links_are_at_places_then_of_rows_then_of_pairs) {
  begin(even_host(4));
  outline.hints = {device_set::of({0, 3})};
  EXPECT_EQ(worth({0, 3}), 8);
  EXPECT_EQ(worth({1, 2, 3}), 4);
  EXPECT_EQ(worth({1, 2}), 4);
  EXPECT_EQ(worth({1, 3}), 2);
  EXPECT_EQ(worth({0, 1, 3}), 0.5);
  EXPECT_EQ(worth({0}), 0);
}

TEST_F(likely, links_are_those_that_were_found_and_cross_none_of_them) {
  begin(even_host(4, {{device_set::of({0, 2}), traffic::h2d, 60 * gb}}));
  measure_all_together(2);
  EXPECT_EQ(worth({0, 2}), 8);
  EXPECT_EQ(worth({1, 2}), 4 * 0.25);
  EXPECT_EQ(worth({1, 3}), 2);
  EXPECT_EQ(worth({0, 1, 2}), 4);
}

/// So many devices that not all sets are tried.
TEST_F(likely, links_of_many_devices_are_relatives_of_those_that_were_found) {
  begin(even_host(12, {{device_set::of({0, 2, 7}), traffic::h2d, 60 * gb},
                       {device_set::of({4, 9, 11}), traffic::h2d, 90 * gb}}));
  measure_all_together(2);
  measure(uploads({0, 2, 7}));
  measure(uploads({4, 9, 11}));
  measure(uploads({0, 4}));
  EXPECT_EQ(worth({0, 2, 7}), 8);
  EXPECT_EQ(worth({0, 2, 4, 7, 9, 11}), 3);
  EXPECT_EQ(worth({0, 2, 7, 8}), 1.5);
  EXPECT_EQ(worth({2, 7}), 2);
  EXPECT_EQ(worth({0, 3, 8}), 0);
}

TEST_F(planned, measurements_begin_with_each_device_alone_and_then_all_together) {
  outline.devices = 5;
  EXPECT_THAT(next(), SizeIs(15));
  begin(even_host(5));
  const auto all = device_set::up_to(5);
  const auto together = ElementsAre(flows_of(all, traffic::h2d), flows_of(all, traffic::d2h),
                                    flows_of(all, traffic::both));
  EXPECT_THAT(next(), together);
  measure_all_together();
  EXPECT_THAT(next(), together) << "again";
  measure_all_together();
  EXPECT_THAT(next(), IsEmpty()) << "nothing is shared";
  observations.clear();
  begin(even_host(2));
  measure_all_together();
  EXPECT_THAT(next(), SizeIs(9)) << "few devices are measured alone twice";
}

TEST_F(planned, many_devices_are_measured_alone_again_in_the_middle) {
  begin(even_host(5, {{device_set::of({1, 2}), traffic::h2d, 60 * gb}}));
  measure_all_together(2);
  EXPECT_THAT(next(), Contains(uploads({1, 2})));
  while (observations.size() < (most_sets(5) - 7 - 15) / 2) measure(uploads({1, 2}));
  EXPECT_THAT(next(), AllOf(SizeIs(15), Contains(uploads({3}))));
}

TEST_F(planned, measurements_end_with_the_most_sets) {
  begin(even_host(5, {{device_set::of({1, 2}), traffic::h2d, 60 * gb}}));
  begin(even_host(5, {{device_set::of({1, 2}), traffic::h2d, 60 * gb}}));
  measure_all_together(2);
  while (observations.size() < most_sets(5) - 7 - 15 - 1) measure(uploads({0, 1, 3}));
  EXPECT_THAT(next(), SizeIs(1));
  measure(uploads({0, 1, 3}));
  EXPECT_THAT(next(), IsEmpty());
  measure(uploads({0, 1, 3}));
  EXPECT_THAT(next(), IsEmpty());
}

TEST_F(planned, a_set_that_failed_is_not_asked_for_again) {
  begin(even_host(5));
  const auto all = device_set::up_to(5);
  fail(flows_of(all, traffic::h2d));
  for (const auto kind : {traffic::d2h, traffic::both}) measure(flows_of(all, kind));
  EXPECT_THAT(next(), ElementsAre(flows_of(all, traffic::d2h), flows_of(all, traffic::both)));
}

TEST(most_sets, are_as_many_as_the_documentation_says) {
  EXPECT_EQ(most_sets(1), 15U);
  EXPECT_EQ(most_sets(2), 36U);
  EXPECT_EQ(most_sets(4), 72U);
  EXPECT_EQ(most_sets(8), 168U);
}

TEST_F(planned, sets_held_out_are_new_have_several_devices_and_are_always_the_same) {
  begin(even_host(3));
  const auto sets = held_out_sets(3, observations);
  ASSERT_THAT(sets, SizeIs(5));
  EXPECT_EQ(held_out_sets(3, observations), sets);
  for (const auto& flows : sets) EXPECT_GE(flows.devices().size(), 2U);
  measure(sets[0]);
  EXPECT_THAT(held_out_sets(3, observations), Not(Contains(sets[0])));
  EXPECT_THAT(held_out_sets(3, observations, {observations.back()}), SizeIs(4));
  fail(uploads({0, 2}), device_set::of(2));
  for (const auto& flows : held_out_sets(3, observations))
    EXPECT_FALSE(flows.devices().contains(2));
}

TEST_F(planned, measurements_close_with_each_device_alone_that_could_be_measured) {
  begin(even_host(3));
  fail(uploads({0, 2}), device_set::of(2));
  EXPECT_THAT(closing_sets(3, observations), SizeIs(6));
  std::erase_if(observations, [](const observation& observed) {
    return observed.flows == flows_of(device_set::of(1), traffic::both);
  });
  EXPECT_THAT(closing_sets(3, observations), SizeIs(5));
  EXPECT_THAT(closing_sets(1, observations), IsEmpty());
}

}  // namespace
}  // namespace bench_transfers::topology::planner_test
