#include "transfers/array/print.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "transfers/array/format.hpp"
#include "transfers/host/host_device.hpp"

namespace transfers::print_test {
namespace {

template <class T>
host_array<T> array_of(const shape& extents, const std::vector<T>& values,
                       order order = order::row_major) {
  host_array<T> array(extents, order);
  std::ranges::copy(values, array.begin());
  return array;
}

/// 0, 1, 2, …
host_array<std::int32_t> counted(const shape& extents) {
  host_array<std::int32_t> array(extents);
  std::iota(array.begin(), array.end(), 0);
  return array;
}

template <class T>
std::string line_of(const std::vector<T>& values) {
  host_array<T> array({values.size()});
  for (std::size_t i = 0; i < values.size(); ++i) array[i] = values[i];
  return to_string(array);
}

static_assert(!detail::printable<std::string> && !detail::printable<void*>);

TEST(text_of_an_array, has_a_bracket_for_each_index) {
  EXPECT_EQ(to_string(counted({})), "0");
  EXPECT_EQ(to_string(counted({3})), "[0 1 2]");
  EXPECT_EQ(to_string(counted({2, 3})), "[[0 1 2]\n [3 4 5]]");
  EXPECT_EQ(to_string(counted({2, 2, 2})), "[[[0 1]\n  [2 3]]\n\n [[4 5]\n  [6 7]]]");
  EXPECT_EQ(to_string(counted({1, 1})), "[[0]]");
  EXPECT_EQ(to_string(counted({0})), "[]");
  EXPECT_EQ(to_string(counted({3, 0})), "[]");
}

TEST(text_of_an_array, shows_rows_in_either_order) {
  EXPECT_EQ(to_string(array_of<std::int32_t>({2, 3}, {0, 3, 1, 4, 2, 5}, order::column_major)),
            "[[0 1 2]\n [3 4 5]]");
}

TEST(text_of_an_array, aligns_numbers) {
  EXPECT_EQ(to_string(array_of<std::int32_t>({2, 2}, {1, -20, 300, 4})), "[[  1 -20]\n [300   4]]");
  EXPECT_EQ(line_of<float>({0.1F, 1, -2.5F}), "[ 0.1    1 -2.5]");
}

TEST(text_of_an_array, reads_back_as_the_same_numbers) {
  const auto values = std::vector<double>{1.0 / 3, 1e300, -0.0, 5e-324};
  std::istringstream text(line_of(values));
  text.ignore(1);
  for (const auto value : values) {
    std::string number;
    text >> number;
    EXPECT_EQ(std::strtod(number.c_str(), nullptr), value) << number;
  }
}

TEST(text_of_an_array, is_that_of_its_type) {
  EXPECT_EQ(line_of<std::int8_t>({-1, 65}), "[-1 65]");
  EXPECT_EQ(line_of<std::uint8_t>({200}), "[200]");
  EXPECT_EQ(line_of<std::uint64_t>({UINT64_MAX}), "[18446744073709551615]");
  EXPECT_EQ(line_of<std::int64_t>({INT64_MIN}), "[-9223372036854775808]");
  EXPECT_EQ(line_of<half>({half(0.5), half(65504)}), "[  0.5 65504]");
  EXPECT_EQ(line_of<char>({'a', '\n'}), "['a'  10]");
  EXPECT_EQ(line_of<std::complex<float>>({{1, 2}, {-0.5F, -3}}), "[   1+2i -0.5-3i]");
  EXPECT_EQ(line_of<bool>({true, false}), "[ true false]");
  constexpr auto infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(line_of<float>({infinity, -infinity, std::numeric_limits<float>::quiet_NaN()}),
            "[ inf -inf  nan]");
}

TEST(text_of_an_array, breaks_long_lines) {
  const auto text = to_string(counted({40}));
  std::istringstream lines(text);
  std::string line;
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count) EXPECT_LE(line.size(), 76U);
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(text.find('\n') + 1, text.find(" 25 "));
}

TEST(text_of_an_array, abbreviates_from_1001_elements_on) {
  EXPECT_EQ(to_string(counted({1000})).find("..."), std::string::npos);
  EXPECT_EQ(to_string(counted({1001})), "[   0    1    2 ...  998  999 1000]");
  EXPECT_EQ(to_string(counted({6, 200})),
            "[[   0    1    2 ...  197  198  199]\n"
            " [ 200  201  202 ...  397  398  399]\n"
            " [ 400  401  402 ...  597  598  599]\n"
            " [ 600  601  602 ...  797  798  799]\n"
            " [ 800  801  802 ...  997  998  999]\n"
            " [1000 1001 1002 ... 1197 1198 1199]]");
  EXPECT_EQ(to_string(counted({600, 2})),
            "[[   0    1]\n [   2    3]\n [   4    5]\n ...\n"
            " [1194 1195]\n [1196 1197]\n [1198 1199]]");
}

TEST(text_of_an_array, goes_to_streams_and_to_fmt) {
  const auto host = open_host_device();
  const context gpu(*host);
  const auto array = to_gpu(gpu, counted({2, 2}));
  std::ostringstream stream;
  stream << array << '|' << array.get();
  EXPECT_EQ(stream.str(), "[[0 1]\n [2 3]]|[[0 1]\n [2 3]]");
  EXPECT_EQ(fmt::format("{}|{}", array, array.get()), stream.str());
  EXPECT_EQ(fmt::format("{:>9}", to_gpu(gpu, counted({3}))), "  [0 1 2]");
}

}  // namespace
}  // namespace transfers::print_test
