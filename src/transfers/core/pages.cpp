#include "src/transfers/core/pages.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <new>

#include "transfers/core/error.hpp"
#include "transfers/core/workers.hpp"

namespace transfers {
namespace {

// The size of a transparent huge page on x86-64 and on AArch64 with 4 KiB base pages.
constexpr std::size_t huge_page = std::size_t{2} << 20;

std::size_t round_up(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/// The kernel allocates and zeroes a page when its first byte is written.
void touch(std::byte* data, std::size_t bytes, std::size_t page) {
  for (std::size_t i = 0; i < bytes; i += page)
    *static_cast<volatile std::byte*>(data + i) = std::byte{0};
}

void touch_in_parallel(std::byte* data, std::size_t bytes, std::size_t page) {
  // Allocating a huge page takes about 50 µs, so starting a thread pays off for a few pages. More
  // than 16 threads wait for each other in the kernel.
  const shares page_shares{.worth_a_thread = 4 * huge_page, .unit = huge_page, .most_threads = 16};
  in_parallel(bytes, page_shares,
              [&](std::size_t first, std::size_t count) { touch(data + first, count, page); });
}

std::string system_message() { return std::generic_category().message(errno); }

}  // namespace

std::size_t page_bytes() noexcept {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

std::unique_ptr<std::byte, host_memory::deleter> map_pages(std::size_t bytes, page_size pages,
                                                           first_touch touched,
                                                           std::optional<int> node,
                                                           const detail::numa_system& system) {
  if (bytes == 0) throw invalid_argument("cannot allocate zero bytes of host memory");
  const auto base_page = page_bytes();
  const auto unit = pages == page_size::huge ? huge_page : base_page;
  if (bytes > SIZE_MAX / 2) throw out_of_memory(fmt::format("{} bytes of host memory", bytes));

  // One unit more than needed, so that a block aligned to the unit fits inside.
  const auto length = round_up(bytes, unit) + unit;
  void* mapping = mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapping == MAP_FAILED)
    throw out_of_memory(fmt::format("{} bytes of host memory: {}", bytes, system_message()));

  const auto start = reinterpret_cast<std::uintptr_t>(mapping);
  auto* data = static_cast<std::byte*>(mapping) + (round_up(start, unit) - start);
  std::unique_ptr<std::byte, host_memory::deleter> owner(
      data, [mapping, length](std::byte*) { munmap(mapping, length); });

  // Only kernels without transparent huge pages refuse this (EINVAL). They have base pages only,
  // and why_no_huge_pages() prevents requests for huge ones.
  madvise(mapping, length, pages == page_size::huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  const std::span whole_pages(data, round_up(bytes, base_page));
  if (node) detail::prefer_node(whole_pages, *node, system);
  if (touched == first_touch::by_caller)
    touch(data, bytes, base_page);
  else
    touch_in_parallel(data, bytes, base_page);
  if (node) detail::gather_on_node(whole_pages, *node, system);
  return owner;
}

std::unique_ptr<std::byte, host_memory::deleter> map_pages_of(host_memory_kind kind,
                                                              std::size_t bytes) {
  switch (kind.origin) {
    case host_origin::pageable_huge:
      return map_pages(bytes, page_size::huge, first_touch::by_caller, kind.node);
    case host_origin::registered_huge:
      return map_pages(bytes, page_size::huge, first_touch::by_several_threads, kind.node);
    case host_origin::pageable:
    case host_origin::registered:
    case host_origin::pinned:
    case host_origin::managed: break;
  }
  return map_pages(bytes, page_size::base, first_touch::by_caller, kind.node);
}

void lock_pages(std::byte* data, std::size_t bytes) {
  if (mlock(data, bytes) == 0) return;
  throw out_of_memory(fmt::format(
      "cannot lock {} bytes of host memory: {}; raise the limit with 'ulimit -l unlimited' or in "
      "/etc/security/limits.conf",
      bytes, system_message()));
}

std::optional<std::string> why_no_huge_pages() {
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string setting;
  if (!std::getline(file, setting)) return "this kernel has no transparent huge pages";
  if (setting.find("[never]") != std::string::npos)
    return "transparent huge pages are off (/sys/kernel/mm/transparent_hugepage/enabled is "
           "'never')";
  return std::nullopt;
}

}  // namespace transfers
