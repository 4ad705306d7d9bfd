// The families company and blocked, which time work while another thread makes calls.
#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "transfers/core/workers.hpp"

namespace bench_transfers::bench::company_strategy_test {
namespace {

class company_session : public host_session {
 protected:
  company_session() {
    chosen.sizes = {64 * kib};
    chosen.own_sizes = true;
    chosen.rounds = 1;
  }
  void SetUp() override {
    if (transfers::usable_processors() < 2) GTEST_SKIP() << "there is one processor only";
  }

  /// The rows by name. Expects that nothing fails and that the buffers are unchanged.
  std::map<std::string, nlohmann::ordered_json> measure(std::vector<std::string> names) {
    chosen.strategies = std::move(names);
    EXPECT_THAT(run_session().failures, IsEmpty());
    EXPECT_EQ(left_wrong, 0U);
    std::map<std::string, nlohmann::ordered_json> rows_by_name;
    for (const auto& row : rows.content().at("benchmarks")) rows_by_name[row.at("name")] = row;
    return rows_by_name;
  }
};

void expect_both_sides(const nlohmann::ordered_json& row) {
  SCOPED_TRACE(row.dump());
  const auto value = [&](const char* key) { return row.at(key).get<double>(); };
  EXPECT_GE(value("operations"), 3);
  EXPECT_GT(value("work_alone_ns"), 0);
  const auto slowdown = 100 * (value("median_ns") / value("work_alone_ns") - 1);
  EXPECT_NEAR(value("slowdown_percent"), slowdown, 1e-6 * (100 + std::abs(slowdown)));
  EXPECT_GT(value("calls_beside"), 0);
  EXPECT_GT(value("call_ns"), 0);
  EXPECT_FALSE(row.contains("gb_per_s")) << "the work moves nothing over the link";
}

TEST_F(company_session, is_described_by_its_copies_and_its_work) {
  chosen.strategies = {"company"};
  const auto all = make_plan(strategies, *device, chosen);
  EXPECT_FALSE(all.cases.empty());
  for (const auto& described : all.cases) {
    EXPECT_EQ(described.role, "company");
    const bool uses_link = described.method != "idle" && described.method != "device_1_block";
    EXPECT_EQ(described.direction != result_file::direction::none, uses_link) << described.name;
    EXPECT_EQ(described.memory.has_value(), uses_link) << described.name;
  }
  EXPECT_TRUE(all.skipped.empty());
}

TEST_F(company_session, tells_what_copies_of_each_kind_cost_the_work_and_their_own_rate) {
  std::vector<std::string> names{"company/engine/memory_chain/h2d",
                                 "company/memcpy_pageable/hbm/d2h",
                                 "company/memcpy_pinned/memory_chain_equal_priority/h2d",
                                 "company/polite/graph/d2h",
                                 "company/prompt/memory_chain/h2d",
                                 "company/loop/memory_chain/d2h",
                                 "company/batch/memory_chain/h2d",
                                 "company/gather_kernel/memory_chain/d2h",
                                 "company/zero_copy_1_block/memory_chain/h2d",
                                 "company/device_1_block/memory_chain",
                                 "company/zero_copy/memory_chain/d2h"};
  const auto measured = measure(names);
  EXPECT_THAT(measured, SizeIs(names.size()));
  for (const auto& [name, row] : measured) {
    expect_both_sides(row);
    EXPECT_GT(row.at("copies_gb_per_s"), 0) << name;
    EXPECT_GT(row.at("copies_alone_gb_per_s"), 0) << name;
  }
}

TEST_F(company_session, of_nobody_tells_the_work_alone) {
  for (const auto& [name, row] : measure({"company/idle"})) {
    SCOPED_TRACE(row.dump());
    EXPECT_FALSE(row.contains("slowdown_percent"));
    EXPECT_FALSE(row.contains("calls_beside"));
  }
}

TEST_F(company_session, blocked_work_is_measured_beside_each_call_that_the_host_device_has) {
  chosen.strategies = {"blocked"};
  chosen.own_sizes = false;
  const auto all = make_plan(strategies, *device, chosen);
  for (const auto& [name, reason, benchmark] : all.skipped)
    EXPECT_THAT(name, MatchesRegex("blocked/(malloc_async/1MiB|source_module|nvml_read)/.*"));
  const auto measured = measure({"blocked/memcpy_pageable/64KiB_h2d", "blocked/malloc",
                                 "blocked/host_register", "blocked/device_pool",
                                 "blocked/stream_synchronize", "blocked/graph_instantiate/chain",
                                 "blocked/event_record/copy", "blocked/pointer_attributes/graph"});
  EXPECT_THAT(measured, SizeIs(5 * 3 + 3));
  for (const auto& [name, row] : measured) {
    expect_both_sides(row);
    EXPECT_EQ(row.contains("copies_gb_per_s"), name.find("memcpy") != std::string::npos) << name;
  }
}

TEST(blocked, refuses_work_of_an_unknown_name) {
  const auto device = transfers::open_host_device();
  const auto stream = device->create_stream();
  buffers memory(*device, 3);
  const auto idle = find_strategy("blocked/stream_synchronize");
  EXPECT_THROW(idle.prepare({*device, memory, *stream, "chains", 0}), std::logic_error);
}

TEST_F(company_session, wrong_results_of_the_work_are_detected) {
  chosen.strategies = {"company/engine/memory_chain/h2d", "company/idle/graph",
                       "company/memcpy_pageable/hbm/d2h", "blocked/malloc/1MiB/chain",
                       "blocked/malloc/1MiB/copy"};
  chosen.faults = {parse_fault("corrupt@.")};
  const auto failed = by_name(run_session().failures);
  EXPECT_THAT(failed, SizeIs(chosen.strategies.size()));
  for (const auto& [name, reason] : failed) EXPECT_THAT(reason, HasSubstr("the work beside: "));
  EXPECT_EQ(left_wrong, 0U);
}

/// A stream whose copies lose the last byte.
class losing_stream : public transfers::counting_stream {
 public:
  using counting_stream::counting_stream;
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes,
            transfers::direction direction) override {
    counting_stream::copy(dst, src, bytes - 1, direction);
  }
  void copy_by_kernel(std::byte* dst, const std::byte* src, std::size_t bytes,
                      unsigned most_blocks) override {
    counting_stream::copy_by_kernel(dst, src, bytes - 1, most_blocks);
  }
};

TEST_F(company_session, copies_that_lose_a_byte_are_detected) {
  device = std::make_unique<transfers::device_with<losing_stream>>();
  chosen.strategies = {"company/engine/memory_chain/h2d", "company/loop/memory_chain/d2h",
                       "company/zero_copy_2_blocks/graph/d2h", "company/device_1_block/graph",
                       "blocked/memcpy_async_pinned/64MiB_d2h/chain"};
  const auto failed = by_name(run_session().failures);
  EXPECT_THAT(failed, SizeIs(chosen.strategies.size()));
  for (const auto& [name, reason] : failed) EXPECT_THAT(reason, HasSubstr("the other thread: "));
}

TEST_F(company_session, the_profile_has_both_families_though_they_are_on_request) {
  chosen.strategies = {};
  chosen.own_sizes = false;
  chosen.sizes = {64 * 1024 * kib};
  const auto usual = make_plan(strategies, *device, chosen);
  for (const auto& described : usual.cases) EXPECT_FALSE(described.measured->sampling.on_request);
  chosen.chosen_for = "company";
  const auto names = names_of(make_plan(strategies, *device, chosen).cases);
  EXPECT_THAT(names, AllOf(Contains("company/polite/graph/d2h/64MiB"), Contains("company/idle/hbm"),
                           Contains("blocked/malloc/1MiB/chain")));
  EXPECT_THAT(names, Each(AllOf(Not(HasSubstr("equal_priority")), Not(HasSubstr("/copy")),
                                Not(StartsWith("stalls")))));
  chosen.strategies = {"company/engine/hbm_equal_priority"};
  EXPECT_THAT(make_plan(strategies, *device, chosen).cases, SizeIs(2)) << "asked for";
}

}  // namespace
}  // namespace bench_transfers::bench::company_strategy_test
