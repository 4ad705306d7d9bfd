#include "transfers/fast/streaming.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/test_bytes.hpp"

namespace transfers::streaming_test {
namespace {

constexpr std::size_t line = 64;
constexpr std::size_t guard = 128;
constexpr std::byte untouched{0xa5};

/// Memory that begins at a cache line, so that tests choose the misalignment of a copy.
class area {
 public:
  explicit area(std::size_t bytes) : memory_(bytes + 2 * line) {}

  [[nodiscard]] std::span<std::byte> bytes() {
    const auto misaligned = reinterpret_cast<std::uintptr_t>(memory_.data()) % line;
    return {memory_.data() + (line - misaligned) % line, memory_.size() - 2 * line};
  }

 private:
  std::vector<std::byte> memory_;
};

class streaming : public testing::Test {
 protected:
  static constexpr std::size_t largest = 5 * 4096 + 200;

  streaming() {
    std::mt19937_64 random(1);
    for (auto& byte : source_.bytes()) byte = static_cast<std::byte>(random());
  }

  /// Copies by loads and by stores, and checks the bytes around the destination, too.
  void expect_copied(std::size_t to, std::size_t from, std::size_t bytes) {
    using copier = void(std::span<std::byte>, std::span<const std::byte>);
    for (copier* copy :
         {static_cast<copier*>(streaming_load), static_cast<copier*>(streaming_store)})
      expect_copied(copy, to, from, bytes);
  }
  template <class Copy>
  void expect_copied(Copy copy, std::size_t to, std::size_t from, std::size_t bytes) {
    const auto all = destination_.bytes();
    const auto around = all.first(guard + to + bytes + guard);
    // By functions of C: loops that are not optimised take seconds for so many copies.
    std::memset(around.data(), std::to_integer<int>(untouched), around.size());
    const auto source = source_.bytes().subspan(from, bytes);
    const auto destination = all.subspan(guard + to, bytes);
    copy(destination, source);
    const auto are_same = [](std::span<const std::byte> a, std::span<const std::byte> b) {
      return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
    };
    const std::span<const std::byte> before(guard_);
    const bool exact = are_same(destination, source) &&
                       are_same(around.first(guard + to), before.first(guard + to)) &&
                       are_same(around.last(guard), before.first(guard));
    EXPECT_TRUE(exact) << bytes << " bytes from " << from << " to " << to;
  }

  const std::vector<std::byte> guard_{guard + line, untouched};  ///< as before a copy
  area source_{largest + line};
  area destination_{largest + 2 * guard + line};
};

TEST_F(streaming, copies_every_small_size_at_every_misalignment_of_the_source) {
  for (std::size_t bytes = 0; bytes <= 300; ++bytes)
    for (std::size_t from = 0; from < line; ++from)
      for (const std::size_t to : {0U, 1U, 8U, 16U, 63U}) expect_copied(to, from, bytes);
}

TEST_F(streaming, copies_at_every_misalignment_of_both) {
  for (const std::size_t bytes : {64U, 127U, 128U, 191U, 4096U + 127U, 2U * 4096U + 77U})
    for (std::size_t from = 0; from < line; ++from)
      for (std::size_t to = 0; to < line; ++to) expect_copied(to, from, bytes);
}

TEST_F(streaming, copies_sizes_around_those_of_its_bounce_buffer) {
  for (std::size_t pieces = 1; pieces <= 5; ++pieces)
    for (std::size_t bytes = pieces * 4096 - 66; bytes <= pieces * 4096 + 130; ++bytes)
      for (const std::size_t from : {0U, 1U, 40U, 63U}) expect_copied(0, from, bytes);
}

TEST_F(streaming, copies_much) {
  constexpr std::size_t bytes = (std::size_t{3} << 20) + 4711;
  std::vector<std::byte> from(bytes + 9);
  test_bytes(3).write_to(from);
  std::vector<std::byte> to(bytes);
  streaming_load(to, std::span(from).last(bytes));
  EXPECT_TRUE(std::ranges::equal(to, std::span(from).last(bytes)));
}

TEST_F(streaming, copies_what_was_stored_directly_before) {
  // Streaming loads may overtake ordinary stores to memory that is not cached; the copy waits.
  auto source = source_.bytes();
  auto destination = destination_.bytes();
  for (int i = 0; i < 1000; ++i) {
    std::ranges::fill(source.first(256), static_cast<std::byte>(i));
    streaming_load(destination.first(256), source.first(256));
    ASSERT_EQ(std::ranges::count(destination.first(256), static_cast<std::byte>(i)), 256);
  }
}

TEST_F(streaming, leaves_the_source_as_it_is) {
  const std::vector before(source_.bytes().begin(), source_.bytes().end());
  for (const std::size_t bytes : {1U, 64U, 4096U, 20'000U}) expect_copied(3, 5, bytes);
  EXPECT_TRUE(std::ranges::equal(source_.bytes(), before));
}

TEST_F(streaming, refuses_a_destination_of_another_size) {
  const auto to = destination_.bytes();
  std::ranges::fill(to, untouched);
  for (const std::size_t bytes : {0U, 1U, 64U, 4096U, 8192U}) {
    EXPECT_THROW(streaming_load(to.first(bytes), source_.bytes().first(bytes + 1)),
                 std::length_error);
    EXPECT_THROW(streaming_load(to.first(bytes + 1), source_.bytes().first(bytes)),
                 std::length_error);
  }
  EXPECT_THAT(to, Each(untouched));
}

TEST_F(streaming, of_nothing_needs_no_memory) { EXPECT_NO_THROW(streaming_load({}, {})); }

TEST_F(streaming, write_back_leaves_all_bytes_as_they_are) {
  const std::vector before(source_.bytes().begin(), source_.bytes().end());
  for (const std::size_t from : {0U, 1U, 63U})
    for (const std::size_t bytes : {0U, 1U, 64U, 65U, 4096U, 20'000U})
      write_back(source_.bytes().subspan(from, bytes));
  write_back({});
  write_back({reinterpret_cast<const std::byte*>(1), std::size_t{0}});
  EXPECT_TRUE(std::ranges::equal(source_.bytes(), before));
}

TEST(why_no_streaming_loads, is_one_line_or_nothing) {
  const auto reason = why_no_streaming_loads();
#if defined(__x86_64__)
  EXPECT_EQ(reason.has_value(), !__builtin_cpu_supports("sse4.1"));
#else
  ASSERT_TRUE(reason);
#endif
  if (reason) {
    EXPECT_THAT(*reason, Not(HasSubstr("\n")));
  }
}

}  // namespace
}  // namespace transfers::streaming_test
