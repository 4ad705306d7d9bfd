#include "src/transfers/core/new_pages.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "tests/basics.hpp"

namespace transfers::detail::new_pages_test {
namespace {

constexpr auto block = new_pages::block_bytes;

/// Memory without pages, aligned to blocks. Base pages, so that each exists on its own.
class mapping {
 public:
  explicit mapping(std::size_t bytes) : bytes_(bytes + block) {
    void* const begin =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (begin == MAP_FAILED) throw std::bad_alloc();
    begin_ = static_cast<std::byte*>(begin);
    madvise(begin, bytes_, MADV_NOHUGEPAGE);
    data_ = begin_ + (block - reinterpret_cast<std::uintptr_t>(begin_) % block);
  }
  ~mapping() { munmap(begin_, bytes_); }
  mapping(const mapping&) = delete;
  mapping& operator=(const mapping&) = delete;

  [[nodiscard]] std::byte* data() const { return data_; }
  /// Pages that exist in a range; both ends are multiples of pages.
  [[nodiscard]] std::size_t pages(std::size_t first, std::size_t end) const {
    std::vector<unsigned char> states((end - first) / page());
    EXPECT_EQ(mincore(data_ + first, end - first, states.data()), 0);
    return static_cast<std::size_t>(
        std::ranges::count_if(states, [](unsigned char state) { return (state & 1U) != 0; }));
  }
  static std::size_t page() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

 private:
  std::byte* begin_ = nullptr;
  std::size_t bytes_;
  std::byte* data_ = nullptr;
};

class pages_of_new_memory : public testing::Test {
 protected:
  void SetUp() override {
    if (!new_pages::can_be_created_ahead())
      GTEST_SKIP() << "this kernel has no MADV_POPULATE_WRITE";
  }
};

TEST_F(pages_of_new_memory, are_created_up_to_the_distance) {
  const mapping memory(32 * mib);
  new_pages pages(memory.data(), 32 * mib, 4 * mib);
  pages.create_ahead_of(0);
  EXPECT_EQ(memory.pages(0, 4 * mib), 4 * mib / mapping::page());
  EXPECT_EQ(memory.pages(4 * mib, 32 * mib), 0U);
  pages.create_ahead_of(10 * mib);
  EXPECT_EQ(memory.pages(0, 14 * mib), 14 * mib / mapping::page());
  EXPECT_EQ(memory.pages(14 * mib, 32 * mib), 0U);
  pages.create_ahead_of(32 * mib - 1);
  EXPECT_EQ(memory.pages(0, 32 * mib), 32 * mib / mapping::page());
}

TEST_F(pages_of_new_memory, are_those_of_the_memory_and_no_others) {
  const mapping memory(16 * mib);
  const auto page = mapping::page();
  new_pages pages(memory.data() + mib + page + 5, 8 * mib, 100 * mib);
  pages.create_ahead_of(0);
  EXPECT_EQ(memory.pages(0, mib + page), 0U);
  EXPECT_EQ(memory.pages(mib + page, 9 * mib + 2 * page), 8 * mib / page + 1);
  EXPECT_EQ(memory.pages(9 * mib + 2 * page, 16 * mib), 0U);
}

TEST_F(pages_of_new_memory, keep_what_others_write) {
  const mapping memory(64 * mib);
  new_pages pages(memory.data(), 64 * mib, 8 * mib);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      for (std::size_t at = i * mapping::page(); at < 64 * mib; at += 4 * mapping::page()) {
        pages.create_ahead_of(at);
        std::fill_n(memory.data() + at, mapping::page(), std::byte{0x5a});
      }
    });
  threads.clear();
  EXPECT_EQ(std::count(memory.data(), memory.data() + 64 * mib, std::byte{0x5a}), 64 * mib);
}

TEST_F(pages_of_new_memory, are_not_created_where_memory_is_in_use) {
  const mapping memory(16 * mib);
  for (const auto offset : {0 * mib, 8 * mib, 16 * mib - 1}) memory.data()[offset] = std::byte{1};
  new_pages pages(memory.data(), 16 * mib, 16 * mib);
  pages.create_ahead_of(0);
  EXPECT_EQ(memory.pages(0, 16 * mib), 3U);
}

TEST_F(pages_of_new_memory, are_not_created_for_small_copies) {
  const mapping memory(4 * mib);
  new_pages pages(memory.data(), 2 * mib, 4 * mib);
  pages.create_ahead_of(0);
  EXPECT_EQ(memory.pages(0, 4 * mib), 0U);
}

TEST_F(pages_of_new_memory, may_be_refused) {
  const mapping memory(8 * mib);
  ASSERT_EQ(mprotect(memory.data(), 8 * mib, PROT_READ), 0);
  new_pages pages(memory.data(), 8 * mib, 8 * mib);
  pages.create_ahead_of(0);
  EXPECT_EQ(memory.pages(0, 8 * mib), 0U);
}

}  // namespace
}  // namespace transfers::detail::new_pages_test
