
#include <algorithm>
#include <memory>
#include <set>
#include <string>

#include "bench/harness/verify.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/counting_device.hpp"

namespace bench_transfers::bench::cpu_after_transfer_test {
namespace {

constexpr const char* name = "cpu/pinned/after_transfer";

class after_transfer_session : public host_session {
 protected:
  after_transfer_session() {
    chosen.strategies = {name};
    chosen.own_sizes = true;
    chosen.rounds = 1;
  }
};

TEST_F(after_transfer_session, has_reads_and_writes) {
  chosen.sizes = {4 * kib};
  std::set<std::string> names;
  for (const auto& described : make_plan(strategies, *device, chosen).cases) {
    names.insert(described.name);
    EXPECT_EQ(described.memory, "pinned");
    EXPECT_EQ(described.setting, "after_transfer");
    EXPECT_EQ(described.role, "cpu_after_transfer");
  }
  EXPECT_THAT(names, ElementsAre("cpu/pinned/after_transfer/read_memcpy/4KiB",
                                 "cpu/pinned/after_transfer/read_vector/4KiB",
                                 "cpu/pinned/after_transfer/write_fill/4KiB",
                                 "cpu/pinned/after_transfer/write_memcpy/4KiB"));
}

TEST_F(after_transfer_session, is_compared_with_the_same_access_once_more) {
  chosen.sizes = {4 * kib, 100 * kib + 7};
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_EQ(left_wrong, 0U);
  for (const auto& row : rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    EXPECT_GT(row.at("again_ns"), 0);
    EXPECT_TRUE(row.contains("over_again_ns"));
    EXPECT_EQ(row.at("batch"), 1);
    EXPECT_EQ(row.at("bytes").get<std::size_t>() % 64, 0U) << "whole lines";
  }
}

TEST_F(after_transfer_session, detects_corrupted_bytes) {
  chosen.sizes = {64 * kib};
  chosen.faults = {parse_fault("corrupt@.")};
  EXPECT_THAT(run_session().failures, SizeIs(4));
  EXPECT_EQ(left_wrong, 0U);
}

/// One benchmark, on a device that counts.
class after_transfer : public testing::TestWithParam<const char*> {
 protected:
  after_transfer() {
    memory_.reserve_host(transfers::pinned(), bytes);
    memory_.reserve_device(bytes);
    operation = find_strategy(name).prepare({device, memory_, *stream_, GetParam(), bytes});
    poison(device, memory_, *operation.destination);
  }

  static constexpr std::size_t bytes = 8 * kib;
  transfers::counting_device device;
  transfer operation;

 private:
  buffers memory_{device, 7};
  std::unique_ptr<transfers::stream> stream_ = device.create_stream();
};

TEST_P(after_transfer, each_access_follows_one_and_the_next_does_not) {
  const auto copies = [this] { return device.counts().enqueued.load(); };
  const auto before = copies();
  operation.timing.between();
  EXPECT_EQ(copies(), before + 1);
  EXPECT_TRUE(device.counts().idle());
  operation.steps.at(0).run();
  EXPECT_EQ(copies(), before + 1) << "the timed operation is the access alone";
  operation.against.at(0).before();
  EXPECT_EQ(copies(), before + 2);
  operation.against.at(0).run();
  EXPECT_EQ(copies(), before + 2);
  EXPECT_EQ(operation.check.compare(), std::nullopt);
}

TEST_P(after_transfer, an_access_that_has_not_taken_place_is_wrong) {
  operation.timing.between();
  EXPECT_THAT(operation.check.compare().value_or(""), HasSubstr("has not taken place"));
}

TEST_P(after_transfer, a_transfer_that_lacks_a_byte_is_wrong) {
  operation.check.corrupt();
  operation.timing.between();
  operation.steps.at(0).run();
  EXPECT_NE(operation.check.compare(), std::nullopt);
}

TEST_P(after_transfer, a_read_without_a_transfer_is_wrong) {
  if (std::string(GetParam()).starts_with("write")) GTEST_SKIP() << "it needs none before it";
  operation.steps.at(0).run();  // of poisoned memory
  EXPECT_NE(operation.check.compare(), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(accesses, after_transfer,
                         testing::Values("read_memcpy", "read_vector", "write_fill",
                                         "write_memcpy"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace bench_transfers::bench::cpu_after_transfer_test
