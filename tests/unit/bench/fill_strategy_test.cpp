
#include <set>
#include <string>

#include "tests/basics.hpp"
#include "tests/unit/bench/host_session.hpp"

namespace bench_transfers::bench::fill_strategy_test {
namespace {

class fill_session : public host_session {
 protected:
  fill_session() {
    chosen.strategies = {"fill"};
    chosen.filter = "-pinned_wc";  // memory of a GPU's driver
    chosen.own_sizes = true;
    chosen.sizes = {64 * kib, 200 * kib + 7};
    chosen.rounds = 1;
  }
};

TEST_F(fill_session, has_a_way_for_each_kind_of_stores_and_of_copies) {
  chosen.sizes = {64 * kib};
  std::set<std::string> names;
  for (const auto& described : make_plan(strategies, *device, chosen).cases) {
    names.insert(described.name);
    EXPECT_EQ(described.role, "fill");
    EXPECT_EQ(described.direction, result_file::direction::h2d);
  }
  EXPECT_THAT(
      names,
      ElementsAre(
          "fill/computed/plain/pinned/64KiB", "fill/computed/plain_by_kernel/pinned_mapped/64KiB",
          "fill/computed/plain_staged/pageable/64KiB", "fill/computed/streaming/pinned/64KiB",
          "fill/computed/written_back/pinned/64KiB", "fill/copied/plain/pinned/64KiB",
          "fill/copied/plain_by_kernel/pinned_mapped/64KiB", "fill/copied/streaming/pinned/64KiB"));
}

TEST_F(fill_session, times_both_steps_and_the_next_reader) {
  EXPECT_THAT(run_session().failures, IsEmpty());
  EXPECT_EQ(left_wrong, 0U);
  for (const auto& row : rows.content().at("benchmarks")) {
    SCOPED_TRACE(row.dump());
    for (const auto* const counter : {"fill_ns", "copy_ns", "read_again_ns"})
      EXPECT_GT(row.at(counter), 0) << counter;
    EXPECT_GE(row.at("writers"), 1);
    EXPECT_LE(row.at("writers"), 8);
  }
}

TEST_F(fill_session, detects_corrupted_bytes) {
  chosen.sizes = {64 * kib + 3};
  chosen.faults = {parse_fault("corrupt@.")};
  EXPECT_THAT(run_session().failures, SizeIs(8));
  EXPECT_EQ(left_wrong, 0U);
}

}  // namespace
}  // namespace bench_transfers::bench::fill_strategy_test
