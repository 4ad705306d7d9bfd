#include "bench/harness/flow_team.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "bench/fleet/rank_turns.hpp"
#include "bench/harness/flow_samples.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/hourly_stream.hpp"
#include "tests/unit/common/complaint.hpp"
#include "tests/unit/common/temporary_folder.hpp"
#include "transfers/core/error.hpp"
#include "transfers/host/host_device.hpp"

namespace bench_transfers::bench::flow_team_test {
namespace {

/// Flows on devices behind emulated links.
class flow_teams : public testing::Test {
 protected:
  static constexpr std::size_t bytes = 64 << 10;

  void add_device(std::shared_ptr<transfers::emulated_link> link) {
    devices.push_back(transfers::open_host_device({.index = 0, .link = std::move(link)}));
  }

  void add_flow_by(std::shared_ptr<transfers::emulated_link> link) {
    add_device(std::move(link));
    add_flow();
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
  add_flow_by(link(1e9));
  add_flow_by(link(1e8));  // ten times as slow
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
  for (int i = 0; i < 3; ++i) add_flow_by(link(1e9));
  flows[1].enqueue = [run = flows[1].enqueue, calls = std::make_shared<int>(0)] {
    if (++*calls > 5) throw transfers::device_error("fallen off the bus", true);
    run();
  };
  const auto failed = common::thrown_by<flows_failed>([&] { return team.run(flows, 1000); });
  ASSERT_TRUE(failed);
  ASSERT_THAT(failed->failures(), SizeIs(1));
  EXPECT_EQ(failed->failures()[0].device, 1U);
  EXPECT_EQ(failed->failures()[0].flow, "1");
  EXPECT_THROW(std::rethrow_exception(failed->failures()[0].reason), transfers::device_error);

  // The others still work.
  flows.erase(flows.begin() + 1);
  EXPECT_THAT(team.run(flows, 3), SizeIs(2));
}

TEST_F(flow_teams, tell_what_each_flow_does_at_once_and_alone) {
  const auto shared = link(2e9);
  for (int i = 0; i < 2; ++i) add_flow_by(shared);
  samples result;
  int untimed = 0;
  time_flows(
      team, flows, {.operations = 3, .copies = 40},
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
  for (int i = 0; i < 2; ++i) add_flow_by(nullptr);
  make_hourly(flows[1], *devices[1]);
  EXPECT_EQ(rates_at_once(team.run(flows, 4), std::vector(2, bytes)), std::nullopt);
  samples result;
  EXPECT_THAT(([&] {
                time_flows(
                    team, flows, {.operations = 3, .copies = 4}, [](const auto& work) { work(); },
                    result);
              }),
              ThrowsMessage<not_at_once>(
                  "the copies were never busy at once for long enough in 21 samples"));
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
    samples result;
    time_flows_of_ranks(own, std::span(flows).subspan(rank, 1), {.operations = 3, .copies = 4},
                        turns, 0, result);
    return result;
  }

  const common::temporary_folder own_folder;
  const std::filesystem::path& folder = own_folder.path();
};

TEST_F(ranks_of_flows, are_busy_at_once_in_every_sample) {
  for (int i = 0; i < 2; ++i) add_flow_by(link(1e9));
  auto other = std::async(std::launch::async, [&] { return time(1); });
  for (const auto& result : {time(0), other.get()}) {
    EXPECT_THAT(result.operation, SizeIs(3));
    ASSERT_THAT(result.flows, SizeIs(1));
    EXPECT_THAT(result.flows[0].at_once, SizeIs(3));
    EXPECT_THAT(result.flows[0].alone, IsEmpty());
    EXPECT_EQ(result.ranks, 2U);
  }
}

TEST_F(ranks_of_flows, do_not_wait_for_one_whose_copies_fail) {
  for (int i = 0; i < 2; ++i) add_flow_by(link(1e9));
  flows[1].enqueue = [] { throw transfers::device_error("lost", false); };
  auto other = std::async(std::launch::async, [&] { return time(1); });
  const auto result = time(0);
  EXPECT_EQ(result.ranks, 1U);
  EXPECT_THROW(other.get(), flows_failed);
}

}  // namespace
}  // namespace bench_transfers::bench::flow_team_test
