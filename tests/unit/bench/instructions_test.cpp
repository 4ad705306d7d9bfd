#include "bench/cpu/instructions.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/cpu/emulation.hpp"
#include "bench/strategy/cache.hpp"
#include "tests/basics.hpp"
#include "transfers/fast/streaming.hpp"

namespace bench_transfers::bench::cpu::instructions_test {
namespace {

constexpr std::uint64_t untouched = 0x1122334455667788ULL;
constexpr std::size_t words_of_line = line / sizeof(std::uint64_t);

struct alignas(line) cache_line {
  std::array<std::uint64_t, words_of_line> words;
};

/// Lines of random words between two guard lines.
class lines {
 public:
  explicit lines(std::size_t count, std::uint64_t seed = 1) : all_(count + 2 * guards) {
    std::mt19937_64 random(seed);
    for (auto& line : all_) std::ranges::generate(line.words, random);
    for (std::size_t i = 0; i < guards; ++i) {
      all_[i].words.fill(untouched);
      all_[all_.size() - 1 - i].words.fill(untouched);
    }
  }

  [[nodiscard]] std::byte* data() { return reinterpret_cast<std::byte*>(&all_[guards]); }
  [[nodiscard]] std::size_t bytes() const { return (all_.size() - 2 * guards) * line; }
  [[nodiscard]] std::vector<std::uint64_t> words() const {
    std::vector<std::uint64_t> words;
    for (auto i = guards; i < all_.size() - guards; ++i)
      words.insert(words.end(), all_[i].words.begin(), all_[i].words.end());
    return words;
  }
  [[nodiscard]] bool guards_are_untouched() const {
    const auto is_untouched = [](const cache_line& line) {
      return std::ranges::all_of(line.words, [](auto word) { return word == untouched; });
    };
    const std::span all(all_);
    return std::ranges::all_of(all.first(guards), is_untouched) &&
           std::ranges::all_of(all.last(guards), is_untouched);
  }

 private:
  static constexpr std::size_t guards = 4;
  std::vector<cache_line> all_;
};

std::uint64_t sum_of(const std::vector<std::uint64_t>& words, std::size_t each = 1) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words.size(); i += each) sum ^= words[i];
  return sum;
}

/// In lines: all small sizes, and some near the ends of loops and pieces.
std::vector<std::size_t> sizes() {
  std::vector<std::size_t> all;
  for (std::size_t i = 0; i <= 70; ++i) all.push_back(i);
  for (const std::size_t i : {127, 128, 129, 255, 256, 257, 1000, 4097}) all.push_back(i);
  return all;
}

struct named_reader {
  std::string name;
  reader read;
};
void PrintTo(const named_reader& reader, std::ostream* out) { *out << reader.name; }

std::vector<named_reader> all_readers() {
  const auto& real = instructions();
  const auto& slow = emulated_write_combined();
  return {{"scalar", real.read_scalar},          {"16_bytes", real.read_16_bytes},
          {"vector", real.read_vector},          {"streaming", real.read_streaming},
          {"emulated_scalar", slow.read_scalar}, {"emulated_16_bytes", slow.read_16_bytes},
          {"emulated_vector", slow.read_vector}, {"emulated_streaming", slow.read_streaming}};
}

class reading : public testing::TestWithParam<named_reader> {
 protected:
  void SetUp() override {
    if (GetParam().read == nullptr) GTEST_SKIP() << "not on this processor";
  }
};

TEST_P(reading, gives_the_sum_of_all_words) {
  for (const auto count : sizes()) {
    lines memory(count, count + 1);
    const auto words = memory.words();
    ASSERT_EQ(GetParam().read(memory.data(), memory.bytes()), sum_of(words)) << count << " lines";
    EXPECT_EQ(memory.words(), words);
    EXPECT_TRUE(memory.guards_are_untouched());
  }
}

TEST_P(reading, reads_every_word_once) {
  // 67 lines are not a whole number of rounds of any loop.
  lines memory(67);
  std::fill_n(reinterpret_cast<std::uint64_t*>(memory.data()), 67 * words_of_line, 0);
  for (std::size_t i = 0; i < 67 * words_of_line; ++i) {
    auto& word = reinterpret_cast<std::uint64_t*>(memory.data())[i];
    word = i + 1;
    ASSERT_EQ(GetParam().read(memory.data(), memory.bytes()), i + 1) << "word " << i;
    word = 0;
  }
}

TEST_P(reading, sees_what_has_just_been_written) {
  lines memory(16);
  auto* const words = reinterpret_cast<std::uint64_t*>(memory.data());
  auto expected = sum_of(memory.words());
  for (std::uint64_t i = 0; i < 2000; ++i) {
    auto& word = words[i * 37 % (16 * words_of_line)];
    expected ^= word ^ i;
    word = i;
    ASSERT_EQ(GetParam().read(memory.data(), memory.bytes()), expected) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(readers, reading, testing::ValuesIn(all_readers()),
                         [](const auto& instance) { return "read_" + instance.param.name; });

TEST(instruction_set, has_functions_or_a_reason) {
  const auto& set = instructions();
  EXPECT_NE(set.read_scalar, nullptr);
  EXPECT_NE(set.read_16_bytes, nullptr);
  EXPECT_NE(set.read_vector, nullptr);
  EXPECT_NE(set.change, nullptr);
  EXPECT_NE(set.vector, "");
  EXPECT_EQ(set.read_streaming == nullptr, transfers::why_no_streaming_loads().has_value());
  if (set.read_streaming == nullptr || set.write_streaming == nullptr) {
    EXPECT_NE(set.no_streaming, "");
  }
}

TEST(instruction_set, is_the_widest_that_the_processor_has) {
#if defined(__x86_64__)
  const auto& set = instructions();
  const auto* const widest = __builtin_cpu_supports("avx512f") ? "AVX-512"
                             : __builtin_cpu_supports("avx2")  ? "AVX2"
                                                               : "SSE2";
  EXPECT_EQ(set.vector, widest);
  EXPECT_NE(set.write_streaming, nullptr);
  EXPECT_EQ(set.read_vector == set.read_16_bytes, set.vector == "SSE2");
#else
  GTEST_SKIP() << "only x86 has several";
#endif
}

TEST(emulated_write_combined, has_readers_where_caches_can_be_flushed) {
  const auto& set = emulated_write_combined();
  for (const auto read : {set.read_scalar, set.read_16_bytes, set.read_vector, set.read_streaming})
    EXPECT_EQ(read != nullptr, can_flush_cache());
  EXPECT_NE(set.no_streaming, "");
  EXPECT_EQ(set.vector, "16 bytes");
}

// --- Writing -----------------------------------------------------------------------------------

TEST(write_streaming, writes_exactly_its_range) {
  const auto write = instructions().write_streaming;
  if (write == nullptr) GTEST_SKIP() << instructions().no_streaming;
  for (const auto count : sizes()) {
    lines memory(count);
    const std::uint64_t word = 0x0123456789abcdefULL + count;
    write(memory.data(), memory.bytes(), word);
    EXPECT_THAT(memory.words(), Each(word)) << count << " lines";
    EXPECT_TRUE(memory.guards_are_untouched()) << count << " lines";
  }
}

TEST(change_words, flips_every_bit_of_exactly_its_range) {
  for (const auto count : sizes()) {
    lines memory(count);
    const auto before = memory.words();
    auto flipped = before;
    for (auto& word : flipped) word = ~word;
    instructions().change(memory.data(), memory.bytes());
    EXPECT_EQ(memory.words(), flipped) << count << " lines";
    EXPECT_TRUE(memory.guards_are_untouched()) << count << " lines";
    instructions().change(memory.data(), memory.bytes());
    EXPECT_EQ(memory.words(), before) << count << " lines";
  }
}

// --- Random and strided ------------------------------------------------------------------------

constexpr std::array<std::size_t, 8> some_counts{1, 2, 3, 7, 64, 1000, 4096, 100'003};

TEST(random_accesses, stay_in_their_range) {
  for (const auto count : some_counts)
    for (const std::size_t begin : {std::size_t{0}, std::size_t{1} << 20, std::size_t{1} << 40}) {
      const random_accesses where{count, begin, begin + 10'000};
      for (auto i = where.begin; i < where.end; ++i) ASSERT_LT(where.line_of(i), count) << i;
    }
}

TEST(random_accesses, reach_every_line) {
  for (const auto count : some_counts) {
    const random_accesses where{count, 0, count * 20};
    std::vector<bool> hit(count);
    for (auto i = where.begin; i < where.end; ++i) hit[where.line_of(i)] = true;
    // A share of e⁻²⁰ of the lines is left out by chance.
    EXPECT_EQ(std::ranges::count(hit, false), 0) << count << " lines";
  }
}

TEST(random_accesses, reach_the_ends_of_much_memory) {
  constexpr std::size_t count = (std::size_t{1} << 30) + 5;  // 64 GiB
  const random_accesses where{count, 0, 1'000'000};
  std::size_t least = count;
  std::size_t most = 0;
  for (auto i = where.begin; i < where.end; ++i) {
    least = std::min(least, where.line_of(i));
    most = std::max(most, where.line_of(i));
  }
  EXPECT_LT(least, count / 100'000);
  EXPECT_GT(most, count - count / 100'000);
  EXPECT_LT(most, count);
}

/// Pearson's chi-square of the hits of each line. Its mean is lines - 1, its standard deviation the
/// square root of twice that.
double chi_square(const random_accesses& where) {
  std::vector<double> hits(where.lines);
  for (auto i = where.begin; i < where.end; ++i) ++hits[where.line_of(i)];
  const double expected =
      static_cast<double>(where.end - where.begin) / static_cast<double>(where.lines);
  double sum = 0;
  for (const double count : hits) sum += (count - expected) * (count - expected) / expected;
  return sum;
}

TEST(random_accesses, go_to_all_lines_alike) {
  for (const std::size_t count : {2U, 3U, 64U, 257U, 1024U})
    for (const std::size_t begin : {std::size_t{0}, std::size_t{12'345'678}}) {
      const auto freedom = static_cast<double>(count - 1);
      EXPECT_LT(chi_square({count, begin, begin + count * 200}),
                freedom + 5 * std::sqrt(2 * freedom) + 5)
          << count << " lines";
    }
}

TEST(random_accesses, are_not_evenly_spread_as_only_a_pattern_would_be) {
  EXPECT_GT(chi_square({1024, 0, 1024 * 200}), 1023 - 5 * std::sqrt(2 * 1023.0));
}

TEST(random_accesses, leave_no_hint_where_the_next_one_goes) {
  // Lines at a small distance would be prefetched.
  constexpr std::size_t count = 4096;
  constexpr std::size_t accesses = 100'000;
  const random_accesses where{count, 0, accesses};
  std::size_t near = 0;
  std::set<std::size_t> distances;
  for (std::size_t i = 0; i + 1 < accesses; ++i) {
    const auto here = where.line_of(i);
    const auto next = where.line_of(i + 1);
    distances.insert((next - here) % count);
    if (std::max(here, next) - std::min(here, next) <= 8) ++near;
  }
  // 17 of 4096 lines are that close.
  EXPECT_LT(near, 2 * accesses * 17 / count);
  EXPECT_GT(distances.size(), count * 9 / 10);
}

TEST(random_accesses, go_elsewhere_in_the_next_turn) {
  const random_accesses first{4096, 0, 1000};
  const random_accesses second{4096, 1000, 2000};
  std::size_t same = 0;
  for (std::size_t i = 0; i < 1000; ++i)
    if (first.line_of(i) == second.line_of(1000 + i)) ++same;
  EXPECT_LT(same, 10U);
}

TEST(read_random, gives_the_sum_of_the_first_words_of_the_lines) {
  for (const auto count : some_counts) {
    lines memory(count);
    const auto words = memory.words();
    const random_accesses where{count, 77, 77 + 3001};
    std::uint64_t expected = 0;
    for (auto i = where.begin; i < where.end; ++i)
      expected ^= words[where.line_of(i) * words_of_line];
    EXPECT_EQ(read_random(memory.data(), where), expected);
    EXPECT_EQ(memory.words(), words);
  }
  EXPECT_EQ(read_random(lines(1).data(), {1, 5, 5}), 0U);
}

TEST(write_random, writes_the_first_words_of_the_lines_and_nothing_else) {
  for (const auto count : some_counts) {
    lines memory(count);
    auto expected = memory.words();
    const random_accesses where{count, 11, 11 + 500};
    for (auto i = where.begin; i < where.end; ++i)
      expected[where.line_of(i) * words_of_line] = 0xabcd;
    write_random(memory.data(), where, 0xabcd);
    EXPECT_EQ(memory.words(), expected);
    EXPECT_TRUE(memory.guards_are_untouched());
  }
}

TEST(read_strided, gives_the_sum_of_one_word_of_each_stride) {
  for (const std::size_t stride : {1U, 2U, 4U, 16U})
    for (const auto count : sizes()) {
      lines memory(count);
      EXPECT_EQ(read_strided(memory.data(), memory.bytes(), stride * line),
                sum_of(memory.words(), stride * words_of_line))
          << count << " lines, each " << stride;
    }
}

}  // namespace
}  // namespace bench_transfers::bench::cpu::instructions_test
