
#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/strategy/heap.hpp"
#include "bench/strategy/strategy.hpp"
#include "tests/basics.hpp"
#include "tests/unit/transfers/counting_device.hpp"
#include "tests/unit/transfers/forwarding_device.hpp"
#include "transfers/core/error.hpp"

namespace bench_transfers::bench::allocate_strategy_test {
namespace {

// As main does before any large allocation.
[[maybe_unused]] const bool begun = [] {
  disable_malloc_caching();
  return true;
}();

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
// The sanitizer's malloc keeps freed blocks, to detect their use; its mlock does nothing.
constexpr bool sanitized = true;
#else
constexpr bool sanitized = false;
#endif

/// In KiB, from /proc/self/status; nullopt without such a line.
std::optional<std::size_t> status_of_process(const std::string& key) {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(key + ":")) return std::stoull(line.substr(key.size() + 1));
  return std::nullopt;
}

std::vector<std::string> names_of(const std::string& family) {
  std::vector<std::string> names;
  for (const auto& strategy : registered_strategies())
    if (strategy.family == family) names.push_back(strategy.parts.front().text);
  return names;
}

TEST(allocating, is_repeated_until_stable_and_declares_the_memory_it_takes) {
  for (const auto& strategy : registered_strategies()) {
    if (strategy.family != "allocate" && strategy.family != "free") continue;
    SCOPED_TRACE(strategy.name());
    EXPECT_TRUE(strategy.sampling.until_stable);
    EXPECT_EQ(strategy.needs.more_host_memory, !strategy.parts.front().text.starts_with("device"));
    EXPECT_EQ(strategy.direction, result_file::direction::none);
    EXPECT_FALSE(strategy.sampling.cold);
    EXPECT_FALSE(strategy.needs.host);  // it has no use for the shared buffers
    EXPECT_TRUE(strategy.variants.empty());
    EXPECT_LE(strategy.sampling.effort, 1);
  }
}

/// One allocator, on a device that counts.
class allocating_by : public testing::TestWithParam<std::string> {
 protected:
  static strategy find(const std::string& family) {
    const auto all = registered_strategies();
    return *std::ranges::find(all, family + GetParam(), &strategy::name);
  }

  void SetUp() override {
    if (const auto reason = why_unsupported(find("allocate/"), device)) GTEST_SKIP() << *reason;
  }

  /// Skips the test if this much memory cannot be locked here.
  std::optional<transfer> prepare(const std::string& family, std::size_t bytes) {
    try {
      return find(family).prepare({device, memory, *stream, "", bytes});
    } catch (const transfers::out_of_memory& refused) {
      EXPECT_THAT(std::string(refused.what()), HasSubstr("cannot lock"));
    }
    return std::nullopt;
  }

  /// Small and large sizes, whole pages and others.
  [[nodiscard]] std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> all{4 * kib, 5000, 256 * kib, 4 * mib, 6 * mib + 123};
    std::erase_if(all,
                  [](std::size_t bytes) { return bytes < find("allocate/").sampling.smallest; });
    if (sanitized && GetParam() == "malloc")
      std::erase_if(all, [](std::size_t bytes) { return bytes >= 4 * mib; });
    return all;
  }

  [[nodiscard]] std::size_t blocks() { return counts.device_blocks + counts.host_blocks; }
  [[nodiscard]] static bool is_lock() { return GetParam().starts_with("lock_"); }
  [[nodiscard]] static bool is_pool() { return GetParam().ends_with("_pool"); }
  /// Whether the allocator does not use the device.
  [[nodiscard]] static bool is_heap() {
    return GetParam() == "malloc" || GetParam() == "lock_untouched";
  }
  [[nodiscard]] static bool locks_pages() {
    return is_lock() || GetParam().starts_with("pinned") || GetParam().starts_with("registered");
  }

  transfers::counting_device device;
  transfers::device_counts& counts = device.counts();
  buffers memory{device, 3};
  std::unique_ptr<transfers::stream> stream = device.create_stream();
};

TEST_P(allocating_by, gives_memory_that_can_be_used_and_gives_it_back) {
  for (const auto bytes : sizes()) {
    SCOPED_TRACE(bytes);
    const auto operation = prepare("allocate/", bytes);
    if (!operation) return;
    ASSERT_EQ(operation->steps.size(), 1U);
    EXPECT_EQ(operation->steps[0].name, "allocate");
    EXPECT_EQ(operation->amount.bytes.value_or(bytes), bytes);
    for (int i = 0; i < 3; ++i) {
      operation->steps[0].run();
      EXPECT_EQ(blocks(), is_heap() ? 0U : 1U);
      if (i == 1) {
        EXPECT_EQ(operation->check.compare(), std::nullopt);
      }
      operation->timing.between();
      // Releasing a lock keeps the memory; a pool keeps its blocks.
      EXPECT_EQ(blocks(), (is_lock() && !is_heap()) || is_pool() ? 1U : 0U);
    }
    operation->steps[0].run();
    EXPECT_EQ(operation->check.compare(), std::nullopt);
  }
  EXPECT_TRUE(counts.nothing_allocated());
}

TEST_P(allocating_by, frees_what_it_allocated) {
  for (const auto bytes : sizes()) {
    SCOPED_TRACE(bytes);
    const auto operation = prepare("free/", bytes);
    if (!operation) return;
    ASSERT_EQ(operation->steps.size(), 1U);
    EXPECT_EQ(operation->steps[0].name, "free");
    const auto kept = (is_lock() && !is_heap()) || is_pool() ? 1U : 0U;
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(blocks(), is_heap() ? 0U : 1U);  // there is a block to free, even at first
      operation->steps[0].run();
      EXPECT_EQ(blocks(), kept);  // at most one: freed memory is reused
      if (i == 1) {
        EXPECT_EQ(operation->check.compare(), std::nullopt);
      }
      operation->timing.between();
    }
    operation->steps[0].run();
    EXPECT_EQ(operation->check.compare(), std::nullopt);
  }
  EXPECT_TRUE(counts.nothing_allocated());
}

TEST_P(allocating_by, asks_the_device_each_time_unless_a_pool_is_warm) {
  const auto operation = prepare("allocate/", 256 * kib);
  if (!operation || is_heap()) return;
  const auto allocations = [&] { return counts.device_allocations + counts.host_allocations; };
  const std::size_t before = allocations();
  for (int i = 0; i < 5; ++i) {
    operation->steps[0].run();
    operation->timing.between();
  }
  EXPECT_EQ(allocations() - before, is_pool() || is_lock() ? 0U : 5U);
}

TEST_P(allocating_by, locks_pages_while_it_holds_them) {
  if (!locks_pages()) GTEST_SKIP() << "it locks nothing";
  if (sanitized) GTEST_SKIP() << "sanitizers keep mlock from locking";
  const auto locked = [] { return status_of_process("VmLck").value_or(0); };
  if (!status_of_process("VmLck")) GTEST_SKIP() << "nobody knows how much memory is locked";
  const auto before = locked();
  {
    const auto operation = prepare("allocate/", mib);
    if (!operation) return;
    operation->steps[0].run();
    EXPECT_GE(locked(), before + 1024);
    operation->timing.between();
    EXPECT_EQ(locked(), before + (is_pool() ? 1024 : 0));
    operation->steps[0].run();
  }
  EXPECT_EQ(locked(), before);
}

TEST_P(allocating_by, is_caught_when_memory_is_not_given_back) {
  if (is_heap() || is_lock() || is_pool()) GTEST_SKIP() << "the device gives nothing back for it";
  for (const std::string family : {"allocate/", "free/"}) {
    const auto operation = prepare(family, 4 * mib);
    if (!operation) return;
    counts.leaks = true;
    operation->steps[0].run();
    EXPECT_THAT(operation->check.compare().value_or(""), HasSubstr("not given back"));
    EXPECT_THAT(operation->check.compare().value_or(""), HasSubstr("not given back"));
    counts.leaks = false;
    operation->timing.between();
    operation->steps[0].run();
    EXPECT_EQ(operation->check.compare(), std::nullopt);
    counts.leaked.clear();
  }
}

TEST_P(allocating_by, releases_everything_when_the_device_refuses) {
  if (is_heap()) GTEST_SKIP() << "it does not ask the device";
  for (const std::string family : {"allocate/", "free/"}) {
    counts.host_capacity = counts.device_capacity = 100 * kib;
    EXPECT_THROW(
        {
          const auto operation = find(family).prepare({device, memory, *stream, "", mib});
          operation.steps[0].run();
        },
        transfers::out_of_memory);
    EXPECT_TRUE(counts.nothing_allocated());
  }
}

INSTANTIATE_TEST_SUITE_P(methods, allocating_by, testing::ValuesIn(names_of("allocate")),
                         [](const auto& instance) { return instance.param; });

/// A device that lacks one kind of memory.
class lacking_device final : public transfers::forwarding_device {
 public:
  explicit lacking_device(transfers::host_memory_kind kind) : lacked_(kind) {}
  [[nodiscard]] std::optional<std::string> why_unsupported(
      transfers::host_memory_kind kind) const override {
    return kind == lacked_ ? std::optional<std::string>("lacked") : std::nullopt;
  }

 private:
  transfers::host_memory_kind lacked_;
};

std::vector<std::string> refused_without(transfers::host_memory_kind kind) {
  const lacking_device device(kind);
  std::vector<std::string> names;
  for (const auto& strategy : registered_strategies())
    if (why_unsupported(strategy, device) == "lacked") names.push_back(strategy.name());
  return names;
}

TEST(strategies, that_page_lock_need_a_device_that_registers_memory) {
  EXPECT_THAT(
      refused_without(transfers::registered),
      UnorderedElementsAre(
          "allocate/lock_touched", "allocate/lock_touched_huge", "allocate/lock_untouched",
          "allocate/registered", "blocked/host_register/16MiB", "copy/register_once",
          "copy/register_once_huge", "copy/registered", "cpu/registered", "free/lock_touched",
          "free/lock_touched_huge", "free/lock_untouched", "free/registered",
          "gpu_array/to_gpu/pageable/locked_once", "zero_copy/registered"));
}

TEST(strategies, of_huge_pages_need_a_device_that_has_them) {
  const auto refused = refused_without(transfers::pageable_huge);
  for (const auto& strategy : registered_strategies())
    EXPECT_EQ(std::ranges::count(refused, strategy.name()),
              strategy.name().find("_huge") != std::string::npos)
        << strategy.name();
}

TEST(allocating, asynchronously_needs_cuda) {
  const auto device = transfers::open_host_device();
  buffers memory(*device, 3);
  const auto stream = device->create_stream();
  for (const auto& strategy : registered_strategies())
    if (strategy.name().ends_with("/device_async")) {
      EXPECT_THAT(why_unsupported(strategy, *device).value_or(""),
                  HasSubstr("cudaMallocFromPoolAsync"));
      EXPECT_THROW(strategy.prepare({*device, memory, *stream, "", mib}), transfers::unsupported);
    }
}

}  // namespace
}  // namespace bench_transfers::bench::allocate_strategy_test
