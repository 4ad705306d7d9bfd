
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "src/common/program.hpp"
#include "src/common/quantities.hpp"
#include "tests/basics.hpp"
#include "tests/unit/common/complaint.hpp"

namespace bench_transfers::common::sizes_test {
namespace {

/// The error message of parse_sizes(); empty if there is no error.
std::string complaint(std::string_view text, std::size_t limit = SIZE_MAX) {
  return common::complaint_of<usage_error>([&] { return parse_sizes(text, limit); });
}

/// Small sizes, powers of two and their neighbours, and random sizes of every magnitude.
std::vector<std::size_t> many_sizes() {
  std::vector<std::size_t> sizes{SIZE_MAX};
  for (std::size_t size = 1; size <= 5000; ++size) sizes.push_back(size);
  std::mt19937_64 random(1);
  for (unsigned bit = 12; bit < 64; ++bit) {
    const auto power = std::size_t{1} << bit;
    sizes.insert(sizes.end(), {power - 1, power, power + 1, power / 2 * 3});
    for (int i = 0; i < 10; ++i) sizes.push_back(power + random() % power);
  }
  return sizes;
}

TEST(sizes, formatted_sizes_are_parsed_to_the_same_size) {
  for (const auto size : many_sizes()) {
    EXPECT_EQ(parse_size(format_size(size)), size);
    EXPECT_EQ(size_from(format_size(size)), size);
  }
}

TEST(sizes, other_parts_of_names_are_none) {
  for (const auto* const part :
       {"", "4", "4kib", "KiB", "h2d", "4KiB_blocks", "-4KiB", "16777217TiB"})
    EXPECT_EQ(size_from(part), std::nullopt) << part;
}

TEST(sizes, the_largest_unit_that_divides_is_taken) {
  EXPECT_EQ(format_size(0), "0B");
  EXPECT_EQ(format_size(4), "4B");
  EXPECT_EQ(format_size(1000), "1000B");
  EXPECT_EQ(format_size(1023), "1023B");
  EXPECT_EQ(format_size(kib), "1KiB");
  EXPECT_EQ(format_size(kib + 1), "1025B");
  EXPECT_EQ(format_size(1536 * kib), "1536KiB");
  EXPECT_EQ(format_size(mib), "1MiB");
  EXPECT_EQ(format_size(16 * gib), "16GiB");
  EXPECT_EQ(format_size(3 * tib), "3TiB");
  EXPECT_EQ(format_size(2048 * tib), "2048TiB");
  EXPECT_EQ(format_size(SIZE_MAX), "18446744073709551615B");
}

TEST(sizes, units_in_any_letter_case) {
  EXPECT_EQ(parse_size("7"), 7U);
  EXPECT_EQ(parse_size("007"), 7U);
  EXPECT_EQ(parse_size("7b"), 7U);
  for (const char* text : {"3KiB", "3kib", "3KIB", "3kIb"}) EXPECT_EQ(parse_size(text), 3 * kib);
  EXPECT_EQ(parse_size("3mIB"), 3 * mib);
  EXPECT_EQ(parse_size("3gib"), 3 * gib);
  EXPECT_EQ(parse_size("3TIB"), 3 * tib);
}

TEST(sizes, largest_numbers_that_fit) {
  EXPECT_EQ(parse_size("18446744073709551615"), SIZE_MAX);
  EXPECT_EQ(parse_size("18014398509481983KiB"), SIZE_MAX / kib * kib);
  EXPECT_EQ(parse_size("16777215TiB"), SIZE_MAX / tib * tib);
  EXPECT_THROW(parse_size("18014398509481984KiB"), usage_error);
  EXPECT_THROW(parse_size("16777216TiB"), usage_error);
}

TEST(sizes, a_list_is_sorted_and_without_duplicates) {
  EXPECT_THAT(parse_sizes("1MiB", SIZE_MAX), ElementsAre(mib));
  EXPECT_THAT(parse_sizes("1MiB,4,4KiB", SIZE_MAX), ElementsAre(4, 4 * kib, mib));
  EXPECT_THAT(parse_sizes("1024,1KiB,1kib,5,5B", SIZE_MAX), ElementsAre(5, kib));
}

TEST(sizes, ranges) {
  EXPECT_THAT(parse_sizes("4:64:x4", SIZE_MAX), ElementsAre(4, 16, 64));
  EXPECT_THAT(parse_sizes("4:32", SIZE_MAX), ElementsAre(4, 8, 16, 32));
  EXPECT_THAT(parse_sizes("3KiB:27KiB:x3", SIZE_MAX), ElementsAre(3 * kib, 9 * kib, 27 * kib));
  EXPECT_THAT(parse_sizes("5:5", SIZE_MAX), ElementsAre(5));
  EXPECT_THAT(parse_sizes("5:5:x7", SIZE_MAX), ElementsAre(5));
}

TEST(sizes, a_range_stops_before_its_end_where_no_step_hits_it) {
  EXPECT_THAT(parse_sizes("4:63:x4", SIZE_MAX), ElementsAre(4, 16));
  EXPECT_THAT(parse_sizes("4:15", SIZE_MAX), ElementsAre(4, 8));
  EXPECT_THAT(parse_sizes("3:26:x3", SIZE_MAX), ElementsAre(3, 9));
  EXPECT_THAT(parse_sizes("4:7:x1000", SIZE_MAX), ElementsAre(4));
}

TEST(sizes, lists_and_ranges_mix) {
  EXPECT_THAT(parse_sizes("100,4:64:x4,16,8:8", SIZE_MAX), ElementsAre(4, 8, 16, 64, 100));
}

TEST(sizes, ranges_reach_the_largest_number_and_end_there) {
  const auto doubled = parse_sizes("1:18446744073709551615", SIZE_MAX);
  ASSERT_EQ(doubled.size(), 64U);
  for (std::size_t i = 0; i < doubled.size(); ++i) EXPECT_EQ(doubled[i], std::size_t{1} << i);

  EXPECT_EQ(parse_sizes("1:18446744073709551615:x3", SIZE_MAX).size(), 41U);  // 3^40 < 2^64 < 3^41
  EXPECT_THAT(parse_sizes("1:18446744073709551615:x18446744073709551615", SIZE_MAX),
              ElementsAre(1, SIZE_MAX));
  EXPECT_THAT(parse_sizes("18446744073709551614:18446744073709551615", SIZE_MAX),
              ElementsAre(SIZE_MAX - 1));
  EXPECT_THAT(parse_sizes("9223372036854775807:18446744073709551615", SIZE_MAX),
              ElementsAre(SIZE_MAX / 2, SIZE_MAX - 1));
}

TEST(sizes, the_limit_is_the_largest_size_allowed) {
  EXPECT_THAT(parse_sizes("4KiB", 4 * kib), ElementsAre(4 * kib));
  EXPECT_THAT(complaint("4097", 4 * kib), HasSubstr("'4097'"));
  EXPECT_THAT(complaint("1,4:4097", 4 * kib), HasSubstr("'4:4097'"));
  EXPECT_THAT(complaint("2GiB", gib), HasSubstr("1.0 GiB"));
}

}  // namespace
}  // namespace bench_transfers::common::sizes_test
