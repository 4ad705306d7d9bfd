#include "bench/verification/pattern.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <random>
#include <ranges>
#include <span>
#include <vector>

namespace bench_transfers::bench::pattern_test {
namespace {

constexpr std::size_t threads_from = std::size_t{1} << 20;  // below, one thread does all work

using block = std::vector<std::byte>;  // aligned to 16 bytes, as the pattern requires

block block_with(std::size_t bytes, pattern content) {
  block all(bytes);
  write_host_pattern(all.data(), 0, bytes, content);
  return all;
}

struct part {
  std::size_t offset, bytes;
};

/// Parts of blocks, with odd and even offsets and sizes on both sides of threads_from.
std::vector<part> random_parts(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<part> parts;
  for (int i = 0; i < 300; ++i) parts.push_back({random() % 40, random() % 200});
  for (int i = 0; i < 12; ++i) parts.push_back({random() % 40, threads_from - 50 + random() % 100});
  parts.push_back({7, threads_from});
  parts.push_back({8, threads_from - 1});
  parts.push_back({3, 3 * threads_from + 5});
  return parts;
}

TEST(host_pattern, is_splitmix64) {
  // The first numbers for seed 1234567 as published with the algorithm's test vectors.
  const std::vector<std::uint64_t> expected{6457827717110365317U, 3203168211198807973U,
                                            9817491932198370423U, 4593380528125082431U,
                                            16408922859458223821U};
  const auto bytes = block_with(expected.size() * 8, {1234567, false});
  EXPECT_EQ(std::memcmp(bytes.data(), expected.data(), bytes.size()), 0);
}

TEST(host_pattern, every_flipped_bit_is_found) {
  constexpr pattern content{99, false};
  auto bytes = block_with(67, content);
  for (const auto [offset, length] : {part{0, 67}, part{3, 64}, part{5, 57}, part{8, 59}})
    for (std::size_t at = 0; at < bytes.size(); ++at)
      for (int bit = 0; bit < 8; ++bit) {
        bytes[at] ^= std::byte{1} << bit;
        const auto check = check_host_pattern(bytes.data(), offset, length, content);
        bytes[at] ^= std::byte{1} << bit;
        const bool inside = at >= offset && at < offset + length;
        EXPECT_EQ(check.wrong_bytes, inside ? 1U : 0U) << "byte " << at << " bit " << bit;
        if (inside) {
          EXPECT_EQ(check.first_wrong, at);
        }
      }
}

TEST(host_pattern, nothing_outside_the_part_is_written) {
  for (const auto [offset, bytes] : random_parts(1)) {
    constexpr std::size_t behind = 24;
    const std::byte untouched{0xA5};
    block all(offset + bytes + behind, untouched);
    write_host_pattern(all.data(), offset, bytes, {offset, false});
    const auto is_untouched = [&](std::byte value) { return value == untouched; };
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(offset);
    const auto end = begin + static_cast<std::ptrdiff_t>(bytes);
    EXPECT_TRUE(std::all_of(all.begin(), begin, is_untouched)) << offset << '+' << bytes;
    EXPECT_TRUE(std::all_of(end, all.end(), is_untouched)) << offset << '+' << bytes;
    EXPECT_EQ(check_host_pattern(all.data(), offset, bytes, {offset, false}).wrong_bytes, 0U)
        << offset << '+' << bytes;
  }
}

TEST(host_pattern, a_byte_depends_on_its_offset_and_not_on_the_part_written) {
  constexpr pattern content{7, false};
  const auto complete = block_with(3 * threads_from + 64, content);
  for (const auto [offset, bytes] : random_parts(2)) {
    block piece(offset + bytes);
    write_host_pattern(piece.data(), offset, bytes, content);
    EXPECT_TRUE(bytes == 0 ||
                std::memcmp(piece.data() + offset, complete.data() + offset, bytes) == 0)
        << offset << '+' << bytes;
  }
}

TEST(host_pattern, damage_in_random_places_is_counted) {
  std::mt19937_64 random(3);
  for (const auto [offset, bytes] : random_parts(4)) {
    if (bytes == 0) continue;
    const pattern content{random(), random() % 2 == 0};
    auto all = block(offset + bytes);
    write_host_pattern(all.data(), offset, bytes, content);
    const auto damaged = 1 + random() % std::min<std::size_t>(bytes, 5);
    // Adjacent bytes, so that some share a word; `first` is the first of them.
    const auto first = offset + random() % (bytes - damaged + 1);
    for (auto i = first; i < first + damaged; ++i) all[i] = ~all[i];
    const auto check = check_host_pattern(all.data(), offset, bytes, content);
    EXPECT_EQ(check.wrong_bytes, damaged) << offset << '+' << bytes;
    EXPECT_EQ(check.first_wrong, first) << offset << '+' << bytes;
  }
}

TEST(host_pattern, the_inverted_pattern_differs_in_every_byte) {
  for (const std::uint64_t seed : {0ULL, 1ULL, ~0ULL}) {
    const auto upright = block_with(1001, {seed, false});
    const auto inverted = block_with(1001, {seed, true});
    for (std::size_t i = 0; i < upright.size(); ++i) EXPECT_EQ(inverted[i], ~upright[i]);
    const auto check = check_host_pattern(inverted.data(), 0, 1001, {seed, false});
    EXPECT_EQ(check.wrong_bytes, 1001U);
    EXPECT_EQ(check.first_wrong, 0U);
  }
}

TEST(host_pattern, another_seed_or_place_gives_other_bytes) {
  constexpr std::size_t bytes = 4096;
  // One in 256 random bytes agrees by chance, here 16; 64 is twelve standard deviations more.
  const auto agree = [&](const std::byte* a, const std::byte* b) {
    return std::ranges::count_if(std::views::iota(std::size_t{0}, bytes),
                                 [&](std::size_t i) { return a[i] == b[i]; });
  };
  const auto first = block_with(2 * bytes, {1, false});
  const auto second = block_with(2 * bytes, {2, false});
  EXPECT_LT(agree(first.data(), second.data()), 64);
  EXPECT_LT(agree(first.data(), first.data() + bytes), 64);
  EXPECT_LT(agree(first.data(), first.data() + 8), 64);
}

TEST(host_pattern, an_empty_part_is_never_written_and_its_check_succeeds) {
  block all(16, std::byte{1});
  const auto before = all;
  write_host_pattern(all.data(), 5, 0, {1, false});
  EXPECT_EQ(all, before);
  EXPECT_EQ(check_host_pattern(all.data(), 5, 0, {1, false}).wrong_bytes, 0U);
}

TEST(words_of, damage_tell_how_much_and_where) {
  EXPECT_EQ(words_of({}), std::nullopt);
  EXPECT_EQ(words_of({3, 5}), "3 bytes differ, the first at offset 5");
  EXPECT_EQ(words_of({3, 5}, "h2d: "), "h2d: 3 bytes differ, the first at offset 5");
}

TEST(pattern, gives_many_words_at_once) {
  for (const bool inverted : {false, true}) {
    const bench::pattern pattern{42, inverted};
    for (const std::size_t first : {0U, 1U, 1000U})
      for (const std::size_t count : {0U, 1U, 7U, 513U}) {
        std::vector<std::uint64_t> expected(count);
        for (std::size_t i = 0; i < count; ++i) expected[i] = pattern.word(first + i);
        std::vector<std::uint64_t> words(count + 1, 99);
        pattern.words(first, std::span(words).first(count));
        EXPECT_EQ(words.back(), 99U);
        words.pop_back();
        EXPECT_EQ(words, expected);
      }
  }
}

}  // namespace
}  // namespace bench_transfers::bench::pattern_test
