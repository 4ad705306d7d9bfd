#include "transfers/array/buffer.hpp"

#include <array>
#include <cstdint>
#include <fstream>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

#include "tests/basics.hpp"
#include "tests/unit/transfers/allocation_name.hpp"
#include "tests/unit/transfers/counting_device.hpp"

namespace transfers::buffer_test {
namespace {

struct seven_bytes {
  std::array<char, 7> bytes;
  bool operator==(const seven_bytes&) const = default;
};

struct alignas(64) wide {
  char bytes[64];
};

struct with_virtual {
  virtual ~with_virtual() = default;
};

static_assert(element<seven_bytes> && element<const float> && element<std::array<char, 7>>);
static_assert(!element<std::string> && !element<with_virtual> && !element<int&>);

template <class T>
constexpr bool owns = !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T> &&
                      std::is_nothrow_move_constructible_v<T> &&
                      std::is_nothrow_move_assignable_v<T> && std::is_nothrow_destructible_v<T>;
static_assert(owns<host_buffer<float>> && owns<device_buffer<float>> && owns<host_memory> &&
              owns<device_memory> && owns<page_lock>);
static_assert(!std::is_default_constructible_v<device_buffer<int>>);
static_assert(std::ranges::contiguous_range<host_buffer<int>>);
static_assert(std::ranges::sized_range<const host_buffer<int>>);

bool is_aligned(const void* address, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

std::optional<host_memory> try_allocate(device& device, std::size_t bytes, host_memory_kind kind) {
  try {
    return device.allocate_host(bytes, kind);
  } catch (const error&) {
    return std::nullopt;
  }
}

class a_host_buffer : public testing::Test {
 protected:
  counting_device host;
};

TEST_F(a_host_buffer, of_each_kind_has_its_elements_and_frees_them) {
  for (const auto kind : all_host_memory_kinds()) {
    if (host.why_unsupported(kind)) {
      EXPECT_THROW(host_buffer<int>(host, 10, kind), unsupported) << to_string(kind);
      continue;
    }
    if (!try_allocate(host, 4000, kind)) continue;  // may not lock pages
    {
      host_buffer<int> buffer(host, 1000, kind);
      EXPECT_EQ(host.counts().host_bytes, 4000U);
      EXPECT_EQ(buffer.kind(), kind);
      EXPECT_EQ(buffer.size(), 1000U);
      EXPECT_FALSE(buffer.empty());
      EXPECT_EQ(buffer.end() - buffer.begin(), 1000);
      std::iota(buffer.begin(), buffer.end(), 0);
      EXPECT_EQ(buffer[999], 999);
      EXPECT_EQ(buffer.data(), buffer.begin());
    }
    EXPECT_TRUE(host.counts().nothing_allocated());
  }
}

TEST_F(a_host_buffer, without_a_kind_is_ordinary_memory) {
  host_buffer<double> buffer(1000);
  EXPECT_EQ(buffer.kind(), pageable);
  EXPECT_EQ(buffer.size(), 1000U);
  for (auto& element : buffer) element = 1;
  EXPECT_THAT(buffer, Each(1.0));
}

TEST_F(a_host_buffer, of_no_elements_has_no_memory) {
  const host_buffer<float> none(host, 0, pageable);
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(host.counts().host_allocations, 0U);
  const host_buffer<float> ordinary(0);
  EXPECT_EQ(ordinary.data(), nullptr);
  EXPECT_EQ(ordinary.size(), 0U);
}

TEST_F(a_host_buffer, has_the_requested_alignment) {
  for (std::size_t alignment = 1; alignment <= 4 * mib; alignment *= 2) {
    host_buffer<char> buffer(host, 100, pageable, alignment);
    EXPECT_TRUE(is_aligned(buffer.data(), alignment)) << alignment;
    for (auto& element : buffer) element = 1;
    host_buffer<char> ordinary(100, alignment);
    EXPECT_TRUE(is_aligned(ordinary.data(), alignment)) << alignment;
    for (auto& element : ordinary) element = 1;
  }
  EXPECT_TRUE(is_aligned(host_buffer<wide>(host, 3, pageable).data(), 64));
  EXPECT_TRUE(is_aligned(host_buffer<wide>(3).data(), 64));
  EXPECT_TRUE(is_aligned(host_buffer<wide>(3, 1).data(), 64));
}

TEST_F(a_host_buffer, of_absurd_size_is_refused) {
  constexpr std::size_t most = PTRDIFF_MAX;
  for (const auto elements : {most / 8 + 1, most, SIZE_MAX / 8 + 1, SIZE_MAX / 8 + 2, SIZE_MAX}) {
    EXPECT_THROW(host_buffer<double>(host, elements, pageable), std::length_error) << elements;
    EXPECT_THROW(host_buffer<double>{elements}, std::length_error) << elements;
  }
  EXPECT_THAT([] { host_buffer<double>{SIZE_MAX}; },
              ThrowsMessage<std::length_error>(
                  AllOf(HasSubstr("18446744073709551615"), HasSubstr("8 bytes"))));
  EXPECT_THROW(host_buffer<double>(host, most / 8, pageable), out_of_memory);
  EXPECT_THROW(host_buffer<char>(host, most, pageable, std::size_t{1} << 63), out_of_memory);
#if !defined(__SANITIZE_ADDRESS__)  // which ends the program
  EXPECT_THROW(host_buffer<double>{most / 8}, out_of_memory);
  EXPECT_THROW(host_buffer<char>(most, std::size_t{1} << 62), out_of_memory);
#endif
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_F(a_host_buffer, moves_with_its_memory) {
  host_buffer<int> first(host, 10, pageable);
  first[3] = 33;
  const auto* const where = first.data();
  host_buffer<int> second = std::move(first);
  EXPECT_EQ(second.data(), where);
  EXPECT_EQ(second[3], 33);
  host_buffer<int> third(host, 20, pageable);
  third = std::move(second);
  EXPECT_EQ(third.data(), where);
  EXPECT_EQ(third.size(), 10U);
  EXPECT_EQ(host.counts().host_blocks, 1U);
}

TEST_F(a_host_buffer, has_no_memory_after_it_has_been_moved_from) {
  host_buffer<int> first(host, 10, pageable);
  const auto second = std::move(first);
  EXPECT_EQ(first.data(), nullptr);  // NOLINT(bugprone-use-after-move): that is the question
  EXPECT_EQ(first.size(), 0U);
  EXPECT_EQ(first.begin(), first.end());
}

class a_device_buffer : public testing::TestWithParam<allocation> {
 protected:
  counting_device host;
  context gpu{host, GetParam()};
};

TEST_P(a_device_buffer, copies_from_and_to_contiguous_ranges) {
  device_buffer<int> buffer(gpu, 4);
  EXPECT_EQ(buffer.size(), 4U);
  EXPECT_EQ(buffer.bytes(), 16U);
  EXPECT_EQ(buffer.context(), gpu);
  const std::vector<int> source{1, 2, 3, 4};
  buffer.copy_from(source);
  std::array<int, 4> array{};
  buffer.copy_to(array);
  EXPECT_THAT(array, ElementsAre(1, 2, 3, 4));
  int plain[4];
  buffer.copy_to(plain);
  EXPECT_THAT(plain, ElementsAre(1, 2, 3, 4));
  std::vector<int> longer(6);
  buffer.copy_to(std::span(longer).subspan(1, 4));
  EXPECT_THAT(longer, ElementsAre(0, 1, 2, 3, 4, 0));
  host_buffer<int> owned(4);
  buffer.copy_to(owned);
  EXPECT_THAT(owned, ElementsAre(1, 2, 3, 4));
  buffer.copy_from(std::span(longer).first(4));
  buffer.copy_to(array);
  EXPECT_THAT(array, ElementsAre(0, 1, 2, 3));
}

TEST_P(a_device_buffer, copies_strings_and_elements_of_odd_sizes) {
  device_buffer<char> text(gpu, 5);
  text.copy_from(std::string("hello"));
  std::string back(5, ' ');
  text.copy_to(back);
  EXPECT_EQ(back, "hello");

  device_buffer<seven_bytes> odd(gpu, 1001);
  std::vector<seven_bytes> source(1001);
  for (std::size_t i = 0; i < source.size(); ++i)
    source[i].bytes = {static_cast<char>(i), 2, 3, 4, 5, 6, static_cast<char>(i / 256)};
  odd.copy_from(source);
  std::vector<seven_bytes> destination(1001);
  odd.copy_to(destination);
  EXPECT_EQ(source, destination);
}

TEST_P(a_device_buffer, of_no_elements_has_no_memory_and_copies_nothing) {
  device_buffer<int> none(gpu, 0);
  EXPECT_EQ(none.data(), nullptr);
  EXPECT_EQ(none.bytes(), 0U);
  none.copy_from(std::span<const int>());
  std::vector<int> destination;
  none.copy_to(destination);
  EXPECT_EQ(host.counts().device_allocations, 0U);
  EXPECT_EQ(host.counts().enqueued, 0U);
}

TEST_P(a_device_buffer, copies_asynchronously_in_the_streams_order) {
  device_buffer<int> buffer(gpu, 3);
  std::vector<int> source{1, 2, 3};
  std::vector<int> between(3);
  std::vector<int> last(3);
  host.counts().slowed_by = std::chrono::milliseconds(2);
  const std::vector<int> new_source{4, 5, 6};
  buffer.copy_from_async(source);
  buffer.copy_to_async(between);
  buffer.copy_from_async(new_source);
  buffer.copy_to_async(last);
  gpu.synchronize();
  EXPECT_THAT(between, ElementsAre(1, 2, 3));
  EXPECT_THAT(last, ElementsAre(4, 5, 6));
}

TEST_P(a_device_buffer, has_arrived_when_the_copy_returns) {
  device_buffer<int> buffer(gpu, 3);
  host.counts().slowed_by = std::chrono::milliseconds(2);
  buffer.copy_from(std::vector{1, 2, 3});
  EXPECT_TRUE(host.counts().idle());
  std::vector<int> back(3);
  buffer.copy_to(back);
  EXPECT_THAT(back, ElementsAre(1, 2, 3));
}

TEST_P(a_device_buffer, of_absurd_size_is_refused) {
  constexpr std::size_t most = PTRDIFF_MAX;
  for (const auto elements : {most / 8 + 1, SIZE_MAX / 8 + 1, SIZE_MAX / 8 + 2, SIZE_MAX})
    EXPECT_THROW(device_buffer<double>(gpu, elements), std::length_error) << elements;
  for (const auto elements : {most / 8, most / 16, std::size_t{1} << 45})
    EXPECT_THROW(device_buffer<double>(gpu, elements), out_of_memory) << elements;
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_P(a_device_buffer, moves_with_its_memory_and_keeps_its_context_alive) {
  std::optional<device_buffer<int>> moved;
  {
    const context another(host, GetParam());
    device_buffer<int> buffer(another, 3);
    buffer.copy_from(std::vector{1, 2, 3});
    moved = std::move(buffer);
  }
  std::vector<int> back(3);
  moved->copy_to(back);
  EXPECT_THAT(back, ElementsAre(1, 2, 3));
  *moved = device_buffer<int>(gpu, 1);  // destroys the other context
  EXPECT_EQ(moved->size(), 1U);
  moved.reset();
  gpu = context(host, allocation::plain);  // the last one with the pool ends
  EXPECT_TRUE(host.counts().nothing_allocated());
}

TEST_P(a_device_buffer, leaves_nothing_behind_when_a_copy_fails) {
  const auto failures = fail_each(failure::operation, [&](counting_device& failing) {
    bool succeeded = true;
    {
      const context failing_gpu(failing, GetParam());
      try {
        device_buffer<int> buffer(failing_gpu, 3);
        std::vector<int> data{1, 2, 3};
        buffer.copy_from(data);
        buffer.copy_to(data);
      } catch (const device_error&) {
        succeeded = false;
      }
    }
    EXPECT_TRUE(failing.counts().nothing_allocated());
    return succeeded;
  });
  EXPECT_GE(failures, 4U);
}

INSTANTIATE_TEST_SUITE_P(all, a_device_buffer,
                         testing::Values(allocation::plain, allocation::pooled), allocation_name);

class page_locking : public testing::Test {
 protected:
  std::unique_ptr<device> host = open_host_device();
  std::vector<std::byte> memory = std::vector<std::byte>(64 * 1024);
  std::span<std::byte> all{memory};

  void SetUp() override {
    try {
      static_cast<void>(host->lock(all));
    } catch (const out_of_memory& refused) {
      GTEST_SKIP() << refused.what();
    }
  }
};

TEST_F(page_locking, gives_the_locked_bytes_and_their_device_address) {
  const auto lock = host->lock(all);
  EXPECT_EQ(lock.bytes().data(), all.data());
  EXPECT_EQ(lock.bytes().size(), all.size());
  EXPECT_EQ(lock.on_device(), all.data());
}

TEST_F(page_locking, twice_is_refused_until_the_first_one_ends) {
  {
    auto lock = host->lock(all);
    EXPECT_THROW(static_cast<void>(host->lock(all)), std::invalid_argument);
    const auto moved = std::move(lock);
    EXPECT_THROW(static_cast<void>(host->lock(all)), std::invalid_argument);
  }
  EXPECT_NO_THROW(static_cast<void>(host->lock(all)));
}

TEST_F(page_locking, of_overlapping_memory_is_refused) {
  const auto lock = host->lock(all.subspan(8192, 16384));
  for (const auto part : {all, all.first(8193), all.subspan(8192, 1), all.subspan(24575, 1),
                          all.subspan(24575), all.subspan(10000, 10), all.subspan(4096, 40000)})
    EXPECT_THROW(static_cast<void>(host->lock(part)), std::invalid_argument)
        << part.data() - all.data() << ", " << part.size();
  const auto before = host->lock(all.first(8192));
  const auto after = host->lock(all.subspan(24576));
  EXPECT_THROW(static_cast<void>(host->lock(all)), std::invalid_argument);
}

TEST_F(page_locking, of_memory_allocated_page_locked_is_refused) {
  for (const auto kind : {pinned(), registered, registered_huge}) {
    const auto block = host->allocate_host(8192, kind);
    EXPECT_THROW(static_cast<void>(host->lock(block.bytes())), std::invalid_argument)
        << to_string(kind);
  }
}

std::size_t locked_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmLck:")) return std::stoull(line.substr(6)) * 1024;
  return 0;
}

TEST_F(page_locking, ends_alone_when_a_page_is_shared_with_another_lock) {
  const auto before = locked_bytes();
  auto first = std::make_optional(host->lock(all.first(100)));
  const auto second = host->lock(all.subspan(200, 100));
  if (locked_bytes() == before) GTEST_SKIP() << "this system does not count locked pages";
  first.reset();
  EXPECT_GT(locked_bytes(), before);  // `second` still needs the page
}

TEST_F(page_locking, leaves_the_memory_unlocked_when_it_fails) {
  // Not this process's memory.
  const std::span nowhere{reinterpret_cast<std::byte*>(std::uintptr_t{4096}), 4096};
#if !defined(__SANITIZE_ADDRESS__)  // which makes mlock(2) do nothing
  EXPECT_THROW(static_cast<void>(host->lock(nowhere)), error);
  EXPECT_THROW(static_cast<void>(host->lock(nowhere)), error);
#endif
}

}  // namespace
}  // namespace transfers::buffer_test
