
#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "bench/strategy/strategy.hpp"
#include "tests/basics.hpp"
#include "tests/unit/bench/test_strategy.hpp"

namespace bench_transfers::bench::gpu_array_strategy_test {
namespace {

constexpr std::size_t bytes = 8192;
using names = std::vector<std::string>;

/// Each operation on arrays, on the host device.
class array_operations : public testing::Test {
 protected:
  array_operations() {
    memory_.reserve_device(bytes);
    for (const auto& kind : {transfers::pageable, transfers::pinned()})
      memory_.reserve_host(kind, buffers::distance(bytes) + bytes);
    const auto* const block = memory_.host(transfers::pinned()).data();
    pattern_.assign(block, block + bytes);
  }
  void SetUp() override {
    for (const auto& one : registered_strategies())
      if (one.family == "gpu_array") all_.push_back(one);
    ASSERT_EQ(all_.size(), 28);
  }
  transfer prepare(const strategy& one, const std::string& type = "float32") {
    return one.prepare({.device = *device_,
                        .memory = memory_,
                        .stream = *stream_,
                        .variant = type,
                        .bytes = bytes});
  }
  transfer prepare(const std::string& name, const std::string& type = "float32") {
    const auto found = std::ranges::find(all_, name, &strategy::name);
    return prepare(*found, type);
  }

  static payload destination_of(const transfer& operation) {
    return operation.locate ? operation.locate() : operation.destination.value();
  }

  std::unique_ptr<transfers::device> device_ = transfers::open_host_device();
  buffers memory_{*device_, 5};
  std::unique_ptr<transfers::stream> stream_ = device_->create_stream();
  std::vector<std::byte> pattern_;
  std::vector<strategy> all_;
};

TEST_F(array_operations, take_the_steps_that_their_settings_name) {
  const std::map<std::string, names> steps{
      {"to_gpu/pinned/allocated", {"free", "allocate", "upload"}},
      {"to_gpu/pinned/pooled", {"free", "allocate", "upload"}},
      {"to_gpu/pinned/reused", {"upload"}},
      {"to_gpu/pinned/expression", {"free", "to_gpu"}},
      {"to_gpu/pageable/staged", {"free", "to_gpu"}},
      {"to_gpu/pageable/locked_once", {"lock", "upload", "unlock"}},
      {"to_gpu/pageable/pinned_once", {"allocate", "fill", "upload", "free"}},
      {"get/pinned/fresh", {"free", "allocate", "download"}},
      {"get/pinned/touched", {"download"}},
      {"get/pageable/staged", {"download"}},
      {"get/pageable/staged_fresh", {"free", "allocate", "download"}},
      {"round_trip/pinned/allocated", {"allocate", "upload", "compute", "download", "free"}},
      {"round_trip/pinned/reused", {"upload", "compute", "download"}},
      {"round_trip/pinned/expression", {"round_trip"}},
      {"round_trip/pageable/staged", {"round_trip"}},
      {"round_trip/pageable/fresh", {"free", "round_trip"}},
      {"round_trip/pageable/staged_fresh", {"free", "round_trip"}}};
  for (const auto& [name, expected] : steps)
    EXPECT_EQ(names_of(prepare("gpu_array/" + name).steps), expected) << name;
}

TEST_F(array_operations, bring_the_elements_there_each_time) {
  for (const auto& one : all_) {
    for (const auto& variant : one.variants) {
      SCOPED_TRACE(one.name() + "/" + variant.name);
      const auto operation = prepare(one, variant.name);
      for (int time = 0; time < 2; ++time) {
        run_steps(operation);
        const auto there = destination_of(operation);
        if (operation.check.compare) {
          EXPECT_EQ(operation.check.compare(), std::nullopt);
          continue;
        }
        EXPECT_EQ(there.bytes, operation.amount.bytes.value_or(bytes));
        EXPECT_GT(there.bytes, bytes - 7);
        EXPECT_EQ(std::memcmp(there.data, pattern_.data(), there.bytes), 0);
        if (time == 0) std::memset(there.data, 0, there.bytes);
      }
    }
  }
}

TEST_F(array_operations, of_a_round_trip_find_an_element_that_is_not_doubled) {
  for (const auto& one : all_) {
    if (one.direction != result_file::direction::both) continue;
    const auto operation = prepare(one);
    run_steps(operation);
    const auto there = destination_of(operation);
    there.data[there.bytes - 1] ^= std::byte{1};
    EXPECT_NE(operation.check.compare(), std::nullopt) << one.name();
  }
}

TEST_F(array_operations, of_seven_bytes_move_whole_elements) {
  for (const auto* const name : {"gpu_array/to_gpu/pinned/pooled", "gpu_array/get/pinned/touched"})
    EXPECT_EQ(prepare(name, "record7").amount.bytes, bytes / 7 * 7);
}

TEST_F(array_operations, have_variants_of_types_where_a_copy_is_all_that_differs) {
  const names types{"float32", "float64", "int32", "char", "record7"};
  for (const auto& one : all_) {
    const bool has_all = one.name() == "gpu_array/to_gpu/pinned/pooled" ||
                         one.name() == "gpu_array/get/pinned/touched";
    EXPECT_EQ(names_of(one.variants), has_all ? types : names{"float32"}) << one.name();
    EXPECT_EQ(one.needs.staged_copier, one.name().find("/staged") != std::string::npos);
  }
}

}  // namespace
}  // namespace bench_transfers::bench::gpu_array_strategy_test
