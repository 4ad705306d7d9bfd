#include "bench/strategy/cache.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <span>
#include <vector>

namespace bench_transfers::bench::cache_test {
namespace {

constexpr std::size_t line_bytes = 64;

/// Cache lines of 256 KiB, more than the first level holds. Each holds the number of the next in a
/// random cycle through every `stride`-th line, which no prefetcher can guess.
class chase {
 public:
  explicit chase(std::size_t stride, std::size_t first = 0) : lines_(4096), start_(first) {
    std::vector<std::size_t> order;
    for (auto i = first; i < lines_.size(); i += stride) order.push_back(i);
    std::mt19937_64 random(7);
    std::ranges::shuffle(order, random);
    for (std::size_t i = 0; i < order.size(); ++i)
      lines_[order[i]].next = order[(i + 1) % order.size()];
    rounds_ = order.size();
    start_ = order.front();
  }

  [[nodiscard]] std::span<const std::byte> bytes() const {
    return std::as_bytes(std::span(lines_));
  }

  /// Nanoseconds for loading every line once. Each load waits for the previous one.
  [[nodiscard]] double run() const {
    const auto start = std::chrono::steady_clock::now();
    auto at = start_;
    for (std::size_t i = 0; i < rounds_; ++i) at = lines_[at].next;
    volatile auto keep = at;
    static_cast<void>(keep);
    return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
        .count();
  }

  /// Least time after `before`: other programs only add to it.
  [[nodiscard]] double run_after(const std::function<void()>& before) const {
    std::vector<double> times;
    for (int i = 0; i < 15; ++i) {
      before();
      times.push_back(run());
    }
    return *std::ranges::min_element(times);
  }

 private:
  struct alignas(line_bytes) line {
    std::size_t next = 0;
  };
  std::vector<line> lines_;
  std::size_t start_;
  std::size_t rounds_;
};

class flushing : public testing::Test {
 protected:
  void SetUp() override {
    if (!can_flush_cache()) GTEST_SKIP() << "this processor cannot flush chosen lines";
  }

  static void expect_evicted(const chase& lines, const std::function<void()>& flush) {
    const double warm = lines.run_after([&] { static_cast<void>(lines.run()); });
    const double cold = lines.run_after([&] {
      static_cast<void>(lines.run());
      flush();
    });
    EXPECT_GE(cold, 3 * warm);
  }
};

TEST_F(flushing, drops_a_block_from_every_level) {
  const chase lines(1);
  expect_evicted(lines, [&] { flush_cache(lines.bytes()); });
}

TEST_F(flushing, drops_the_lines_at_both_ends_of_an_unaligned_block) {
  // Two bytes, one on either side of the border between two lines.
  const auto flush_borders = [](const chase& lines) {
    for (std::size_t at = line_bytes - 1; at + 1 < lines.bytes().size(); at += 2 * line_bytes)
      flush_cache(lines.bytes().subspan(at, 2));
  };
  for (const std::size_t side : {0U, 1U}) {
    const chase lines(2, side);
    expect_evicted(lines, [&] { flush_borders(lines); });
  }
}

TEST(flush_cache, leaves_the_contents_alone) {
  std::vector<std::uint8_t> bytes(100'003);
  std::mt19937_64 random(8);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random());
  const auto before = bytes;
  const auto all = std::as_bytes(std::span(bytes));
  flush_cache(all);
  for (int i = 0; i < 100; ++i) {
    const auto begin = random() % all.size();
    flush_cache(all.subspan(begin, random() % (all.size() - begin + 1)));
  }
  flush_cache({});
  flush_cache(all.subspan(13, 0));
  EXPECT_EQ(bytes, before);
}

TEST(flush_cache_on_all_cores, leaves_every_byte_as_it_is) {
  std::vector<std::byte> bytes((std::size_t{20} << 20) + 3);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 31);
  flush_cache_on_all_cores({bytes.data() + 1, bytes.size() - 1});
  std::size_t changed = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    if (bytes[i] != static_cast<std::byte>(i * 31)) ++changed;
  EXPECT_EQ(changed, 0U);
}

}  // namespace
}  // namespace bench_transfers::bench::cache_test
