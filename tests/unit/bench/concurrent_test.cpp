#include "bench/harness/concurrent.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/fleet/rank_turns.hpp"
#include "tests/unit/bench/hourly_stream.hpp"
#include "tests/unit/common/temporary_folder.hpp"
#include "transfers/core/error.hpp"
#include "transfers/host/host_device.hpp"

namespace bench_transfers::bench::concurrent_test {
namespace {

using namespace std::chrono_literals;
using testing::DoubleNear;
using testing::ElementsAre;
using testing::Optional;
using testing::SizeIs;

constexpr double exact = 1e-9;

/// Ends of copies, in microseconds.
copy_ends at(const std::vector<int>& times) {
  copy_ends ends;
  for (const auto time : times) ends.emplace_back(std::chrono::microseconds(time));
  return ends;
}

std::optional<std::vector<double>> rates(const std::vector<copy_ends>& flows,
                                         std::size_t bytes = 1'000'000) {
  return rates_at_once(flows, std::vector<std::size_t>(flows.size(), bytes));
}

TEST(rates_at_once, of_one_flow_are_those_after_the_leading_copy) {
  // A copy of 1 MB in 100 us is 10 GB/s, however late the leading one ended.
  EXPECT_THAT(rates({at({900, 1000, 1100, 1200})}), Optional(ElementsAre(DoubleNear(10, exact))));
}

TEST(rates_at_once, count_only_while_all_are_busy) {
  // The first is twice as fast while it is alone: until 1000, and from 2000 on.
  const auto first = at({800, 850, 900, 950, 1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800,
                         1900, 2000, 2050, 2100});
  const auto second = at({1000, 1200, 1400, 1600, 1800, 2000});
  EXPECT_THAT(rates({first, second}),
              Optional(ElementsAre(DoubleNear(10, exact), DoubleNear(5, exact))));
}

TEST(rates_at_once, count_copies_that_were_under_way_by_the_part_of_their_time) {
  // From 50 to 250: half a copy, one, and half a copy.
  EXPECT_THAT(rates({at({0, 100, 200, 300}), at({50, 150, 250})}),
              Optional(ElementsAre(DoubleNear(10, exact), DoubleNear(10, exact))));
  // Three quarters of a copy, and three.
  EXPECT_THAT(rates({at({0, 200}), at({0, 50, 100, 150})}),
              Optional(ElementsAre(DoubleNear(5, exact), DoubleNear(20, exact))));
}

TEST(rates_at_once, are_none_if_the_flows_ran_one_after_another) {
  EXPECT_EQ(rates({at({0, 100, 200}), at({200, 300, 400})}), std::nullopt);
  EXPECT_EQ(rates({at({0, 100, 200}), at({500, 600})}), std::nullopt);
  // At once for less than half of their time.
  EXPECT_EQ(rates({at({0, 100, 200, 300}), at({160, 260, 360, 460})}), std::nullopt);
  EXPECT_TRUE(rates({at({0, 100, 200, 300}), at({140, 240, 340, 440})}));
}

TEST(rates_at_once, need_a_copy_after_the_leading_one) {
  EXPECT_EQ(rates({at({0, 100}), at({50})}), std::nullopt);
  EXPECT_EQ(rates({at({0, 100}), {}}), std::nullopt);
}

/// Flows on devices behind emulated links.
class flow_teams : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 64 << 10;

  void add_device(std::shared_ptr<transfers::emulated_link> link) {
    devices.push_back(transfers::open_host_device({.index = 0, .link = std::move(link)}));
  }

  /// A copy to the device added last.
  void add_flow() {
    auto& device = *devices.back();
    host.push_back(std::make_unique<std::byte[]>(bytes));
    memory.push_back(device.allocate(bytes));
    flow copy;
    copy.device = devices.size() - 1;
    copy.name = std::to_string(flows.size());
    copy.stream = device.create_stream();
    copy.source.data = host.back().get();
    copy.destination.data = memory.back().data();
    copy.source.bytes = copy.destination.bytes = bytes;
    copy.enqueue = [stream = copy.stream, src = copy.source.data, dst = copy.destination.data] {
      stream->copy(dst, src, bytes, transfers::direction::h2d);
    };
    flows.push_back(std::move(copy));
  }

  static std::shared_ptr<transfers::emulated_link> link(double bytes_per_second) {
    return std::make_shared<transfers::emulated_link>(
        transfers::link_description{"link", bytes_per_second, bytes_per_second, 0});
  }

  std::vector<std::unique_ptr<transfers::device>> devices;
  std::vector<std::unique_ptr<std::byte[]>> host;
  std::vector<transfers::device_memory> memory;
  std::vector<flow> flows;
  flow_team team;
};

TEST_F(flow_teams, keep_each_flow_busy_until_all_have_done_their_part) {
  add_device(link(1e9));
  add_flow();
  add_device(link(1e8));  // ten times as slow
  add_flow();
  const auto ends = team.run(flows, 5);
  ASSERT_THAT(ends, SizeIs(2));
  EXPECT_GE(ends[0].size(), 6U);
  EXPECT_GE(ends[1].size(), 6U);
}

TEST_F(flow_teams, run_as_many_flows_as_they_are_given) {
  add_device(nullptr);
  for (int i = 0; i < 8; ++i) add_flow();
  for (const std::size_t count : {1U, 8U, 3U, 8U}) {
    const auto ends = team.run(std::span(flows).first(count), 3);
    EXPECT_THAT(ends, SizeIs(count));
    for (const auto& flow : ends) EXPECT_GE(flow.size(), 2U);
  }
}

TEST_F(flow_teams, copy_each_once) {
  add_device(nullptr);
  for (int i = 0; i < 3; ++i) add_flow();
  std::atomic<int> copies = 0;
  for (auto& flow : flows)
    flow.enqueue = [&copies, run = flow.enqueue] {
      ++copies;
      run();
    };
  team.copy_once(flows);
  EXPECT_EQ(copies, 3);
}

TEST_F(flow_teams, keep_the_conditions_of_each_flow_on_its_thread_while_it_copies) {
  add_device(nullptr);
  for (int i = 0; i < 2; ++i) add_flow();
  std::atomic<int> unmet = 0, met = 0;
  for (auto& flow : flows) {
    const auto holder = std::make_shared<std::atomic<std::thread::id>>();
    flow.conditions = [holder] {
      holder->store(std::this_thread::get_id());
      return std::shared_ptr<const void>(nullptr, [holder](const void*) { holder->store({}); });
    };
    flow.enqueue = [&unmet, &met, holder, run = flow.enqueue] {
      ++(holder->load() == std::this_thread::get_id() ? met : unmet);
      run();
    };
  }
  team.run(flows, 3);
  team.copy_once(flows);
  EXPECT_EQ(unmet, 0);
  EXPECT_GE(met, 2 * 5 + 2);
  // Afterwards they are gone.
  for (auto& flow : flows) flow.conditions = {};
  team.copy_once(flows);
  EXPECT_EQ(unmet, 2);
}

TEST_F(flow_teams, end_when_the_conditions_of_a_flow_cannot_be_had) {
  add_device(nullptr);
  for (int i = 0; i < 3; ++i) add_flow();
  flows[2].conditions = []() -> std::shared_ptr<const void> {
    throw transfers::unsupported("no CPU there");
  };
  EXPECT_THROW(team.run(flows, 1000), flows_failed);
  EXPECT_THROW(team.copy_once(flows), flows_failed);
}

TEST_F(flow_teams, end_when_a_flow_fails_and_say_which) {
  for (int i = 0; i < 3; ++i) {
    add_device(link(1e9));
    add_flow();
  }
  flows[1].enqueue = [run = flows[1].enqueue, calls = std::make_shared<int>(0)] {
    if (++*calls > 5) throw transfers::device_error("fallen off the bus", true);
    run();
  };
  try {
    team.run(flows, 1000);
    FAIL() << "nothing failed";
  } catch (const flows_failed& failed) {
    ASSERT_THAT(failed.failures(), SizeIs(1));
    EXPECT_EQ(failed.failures()[0].device, 1U);
    EXPECT_EQ(failed.failures()[0].flow, "1");
    EXPECT_THROW(std::rethrow_exception(failed.failures()[0].reason), transfers::device_error);
  }
  // The others still work.
  flows.erase(flows.begin() + 1);
  EXPECT_THAT(team.run(flows, 3), SizeIs(2));
}

TEST_F(flow_teams, tell_what_each_flow_does_at_once_and_alone) {
  const auto shared = link(2e9);
  for (int i = 0; i < 2; ++i) {
    add_device(shared);
    add_flow();
  }
  schedule planned;
  planned.operations = 3;
  planned.copies = 40;
  samples result;
  int untimed = 0;
  time_flows(
      team, flows, planned,
      [&](const std::function<void()>& work) {
        ++untimed;
        work();
      },
      result);
  EXPECT_THAT(result.operation, SizeIs(3));
  ASSERT_THAT(result.flows, SizeIs(2));
  EXPECT_EQ(untimed, 2);
  for (const auto& flow : result.flows) {
    EXPECT_THAT(flow.at_once, SizeIs(3));
    EXPECT_THAT(flow.alone, SizeIs(1));
  }
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(result.operation[i],
                2 * bytes / (result.flows[0].at_once[i] + result.flows[1].at_once[i]), 1e-3);
}

TEST_F(flow_teams, that_are_never_at_once_are_given_up) {
  for (int i = 0; i < 2; ++i) {
    add_device(nullptr);
    add_flow();
  }
  make_hourly(flows[1], *devices[1]);
  EXPECT_EQ(rates_at_once(team.run(flows, 4), std::vector(2, bytes)), std::nullopt);
  schedule planned;
  planned.operations = 3;
  planned.copies = 4;
  samples result;
  try {
    time_flows(
        team, flows, planned, [](const auto& work) { work(); }, result);
    FAIL() << "they were at once";
  } catch (const not_at_once& error) {
    EXPECT_STREQ(error.what(), "the copies were never busy at once for long enough in 21 samples");
  }
  EXPECT_EQ(result.discarded, 21U);
  EXPECT_TRUE(result.operation.empty());
}

TEST_F(flow_teams, choose_how_often_to_copy) {
  add_device(nullptr);
  for (int i = 0; i < 2; ++i) add_flow();
  EXPECT_EQ(settle_flows(team, flows, 1ns).copies, 4U);
  EXPECT_EQ(settle_flows(team, flows, 1h).copies, 256U);
  EXPECT_EQ(settle_flows(team, flows, 1ns).operations, 3U);
}

/// Two ranks of a node, in threads. Each has one of the flows.
class ranks_of_flows : public flow_teams {
 protected:
  samples time(std::size_t rank) {
    fleet::node_ranks ranks({.job = "job",
                             .rank = rank,
                             .count = 2,
                             .device = std::to_string(rank),
                             .seed = 0,
                             .wait = 100s,
                             .folder = folder});
    rank_turns turns(ranks);
    flow_team own;
    schedule planned;
    planned.operations = 3;
    planned.copies = 4;
    samples result;
    time_flows_of_ranks(own, std::span(flows).subspan(rank, 1), planned, turns, 0, result);
    return result;
  }

  const common::temporary_folder own_folder;
  const std::filesystem::path& folder = own_folder.path();
};

TEST_F(ranks_of_flows, are_busy_at_once_in_every_sample) {
  for (int i = 0; i < 2; ++i) {
    add_device(link(1e9));
    add_flow();
  }
  auto other = std::async(std::launch::async, [&] { return time(1); });
  for (const auto& result : {time(0), other.get()}) {
    EXPECT_THAT(result.operation, SizeIs(3));
    ASSERT_THAT(result.flows, SizeIs(1));
    EXPECT_THAT(result.flows[0].at_once, SizeIs(3));
    EXPECT_THAT(result.flows[0].alone, testing::IsEmpty());
    EXPECT_EQ(result.ranks, 2U);
  }
}

TEST_F(ranks_of_flows, do_not_wait_for_one_whose_copies_fail) {
  for (int i = 0; i < 2; ++i) {
    add_device(link(1e9));
    add_flow();
  }
  flows[1].enqueue = [] { throw transfers::device_error("lost", false); };
  auto other = std::async(std::launch::async, [&] { return time(1); });
  const auto result = time(0);
  EXPECT_EQ(result.ranks, 1U);
  EXPECT_THROW(other.get(), flows_failed);
}

}  // namespace
}  // namespace bench_transfers::bench::concurrent_test
