#include "transfers/core/host_memory.hpp"

#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "transfers/core/device.hpp"

namespace transfers::host_memory_test {
namespace {

static_assert(std::is_nothrow_move_constructible_v<host_memory>);
static_assert(std::is_nothrow_move_assignable_v<host_memory>);
static_assert(!std::is_copy_constructible_v<host_memory>);
static_assert(!std::is_copy_assignable_v<host_memory>);
static_assert(std::is_nothrow_move_constructible_v<device_memory>);
static_assert(std::is_nothrow_move_assignable_v<device_memory>);
static_assert(!std::is_copy_constructible_v<device_memory>);
static_assert(!std::is_copy_assignable_v<device_memory>);

template <class Text>
std::vector<std::string> for_all_kinds(Text&& text) {
  std::vector<std::string> all;
  for (const auto kind : all_host_memory_kinds()) all.push_back(text(kind));
  return all;
}

TEST(host_memory_kinds, have_exactly_these_names) {
  EXPECT_THAT(for_all_kinds([](auto kind) { return to_string(kind); }),
              ElementsAre("pageable", "pageable_huge", "registered", "registered_huge", "pinned",
                          "pinned_portable", "pinned_mapped", "pinned_wc", "pinned_portable_mapped",
                          "pinned_portable_wc", "pinned_mapped_wc", "pinned_portable_mapped_wc"));
}

TEST(host_memory_kinds, are_twelve_different_ones) {
  const auto all = all_host_memory_kinds();
  EXPECT_EQ(all.size(), 12U);
  EXPECT_EQ(std::set(all.begin(), all.end()).size(), 12U);
}

TEST(host_memory_kinds, are_described_in_different_words) {
  const auto texts = for_all_kinds([](auto kind) { return describe(kind); });
  EXPECT_EQ(std::set(texts.begin(), texts.end()).size(), 12U);
  EXPECT_EQ(describe(pinned()), "cudaHostAlloc(DEFAULT)");
  EXPECT_EQ(describe(pinned(pin_flags::portable | pin_flags::mapped | pin_flags::write_combined)),
            "cudaHostAlloc(PORTABLE | DEVICEMAP | WRITECOMBINED)");
  EXPECT_EQ(describe(pinned(pin_flags::write_combined)), "cudaHostAlloc(WRITECOMBINED)");
}

TEST(host_memory_kinds, that_are_page_locked) {
  for (const auto kind : all_host_memory_kinds())
    EXPECT_EQ(is_page_locked(kind), !to_string(kind).starts_with("pageable")) << to_string(kind);
}

TEST(host_memory_kinds, do_not_have_managed_memory_among_them) {
  EXPECT_THAT(all_host_memory_kinds(), Not(Contains(managed)));
  EXPECT_EQ(to_string(managed), "managed");
  EXPECT_THAT(describe(managed), HasSubstr("cudaMallocManaged"));
  EXPECT_FALSE(is_page_locked(managed));
}

TEST(host_memory_kinds, flags_combine) {
  const auto flags = pin_flags::mapped | pin_flags::write_combined;
  EXPECT_TRUE(has(flags, pin_flags::mapped));
  EXPECT_TRUE(has(flags, pin_flags::write_combined));
  EXPECT_FALSE(has(flags, pin_flags::portable));
  EXPECT_FALSE(has(pin_flags::none, pin_flags::mapped));
}

/// A block whose deleter counts its calls.
host_memory counted(std::vector<std::byte>& storage, int& freed) {
  return {std::unique_ptr<std::byte, host_memory::deleter>(storage.data(),
                                                           [&freed](std::byte*) { ++freed; }),
          storage.size(), pageable, nullptr};
}

TEST(host_memory_owner, frees_once_however_often_it_moves) {
  std::vector<std::byte> storage(100);
  int freed = 0;
  {
    auto first = counted(storage, freed);
    const auto second = std::move(first);
    EXPECT_EQ(second.data(), storage.data());
    EXPECT_EQ(second.size(), 100U);
    EXPECT_EQ(second.bytes().size(), 100U);
    EXPECT_EQ(second.bytes().data(), storage.data());
    EXPECT_EQ(second.kind(), pageable);
    EXPECT_EQ(freed, 0);
  }
  EXPECT_EQ(freed, 1);
}

TEST(host_memory_owner, frees_the_old_block_when_it_takes_another) {
  std::vector<std::byte> first_memory(100);
  std::vector<std::byte> two(200);
  int freed_one = 0;
  int freed_two = 0;
  auto block = counted(first_memory, freed_one);
  block = counted(two, freed_two);
  EXPECT_EQ(freed_one, 1);
  EXPECT_EQ(freed_two, 0);
  EXPECT_EQ(block.size(), 200U);
}

}  // namespace
}  // namespace transfers::host_memory_test
