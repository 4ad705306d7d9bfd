#include "transfers/array/buffer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <bit>
#include <cstdlib>
#include <new>

#include "transfers/core/error.hpp"

namespace transfers::detail {
namespace {

void check_alignment(std::size_t alignment) {
  if (!std::has_single_bit(alignment))
    throw invalid_argument(fmt::format("alignment {} is not a power of two (in bytes)", alignment));
}

}  // namespace

void check_block(std::size_t bytes, std::size_t block) {
  if (bytes > block)
    throw length_error(fmt::format("a block of {} bytes does not hold {}", block, bytes));
}

std::byte* address_on_device(const aligned_memory& memory) {
  if (memory.owner.on_device() == nullptr)
    throw unsupported(fmt::format("the device cannot address this host memory: {}",
                                  describe(memory.owner.kind())));
  return memory.owner.on_device() + memory.padding;
}

aligned_memory allocate_aligned(device& device, std::size_t bytes, host_memory_kind kind,
                                std::size_t alignment, std::size_t least_alignment) {
  check_alignment(alignment);
  if (bytes == 0) return {};
  alignment = std::max(alignment, least_alignment);
  // Blocks begin at a page; what is more needs room to move the beginning.
  constexpr std::size_t page = 4096;
  const auto room = alignment > page ? alignment : 0;
  auto owner = device.allocate_host(bytes + room, kind);
  const auto address = reinterpret_cast<std::uintptr_t>(owner.data());
  const auto padding = (alignment - address % alignment) % alignment;
  return {std::move(owner), padding};
}

aligned_memory allocate_ordinary(std::size_t bytes, std::size_t alignment,
                                 std::size_t least_alignment) {
  check_alignment(alignment);
  if (bytes == 0) return {};
  alignment = std::max(alignment, least_alignment);
  // Large blocks ask for huge pages, as NumPy's do: the first copy into new memory spends most of
  // its time on page faults (docs/GPU_ARRAYS.md), of which there are 512 times fewer then.
  constexpr std::size_t huge_page = std::size_t{2} << 20;
  const bool large = bytes >= 2 * huge_page;
  const auto boundary = std::max(alignment, large ? huge_page : sizeof(void*));
  const auto rounded = (bytes + boundary - 1) / boundary * boundary;  // as aligned_alloc requires
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(boundary, rounded));
  if (memory == nullptr) throw out_of_memory(fmt::format("{} bytes of host memory", bytes));
  if (large) madvise(memory, rounded, MADV_HUGEPAGE);  // a wish: without huge pages nothing changes
  return {host_memory{{memory, [](std::byte* p) { std::free(p); }}, bytes, pageable, nullptr}, 0};
}

}  // namespace transfers::detail
