#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "src/transfers/core/numa.hpp"
#include "transfers/core/host_memory.hpp"

namespace transfers {

enum class page_size { base, huge };

/// Of a base page.
std::size_t page_bytes() noexcept;

/// The threads that touch the pages, which takes most of the time of an allocation.
enum class first_touch { by_caller, by_several_threads };

/// Anonymous private memory, every page touched. `base` forbids transparent
/// huge pages and `huge` asks for them (madvise(2)), so that the two differ also on systems where
/// huge pages are always on. With a `node`, all pages lie there. Throws out_of_memory, also if the
/// node has too little; invalid_argument for zero bytes; unsupported if pages cannot be placed.
std::unique_ptr<std::byte, host_memory::deleter> map_pages(
    std::size_t bytes, page_size pages, first_touch touched = first_touch::by_caller,
    std::optional<int> node = {}, const detail::numa_system& system = detail::linux_numa());

/// The same for memory of a kind, before it is page-locked.
std::unique_ptr<std::byte, host_memory::deleter> map_pages_of(host_memory_kind kind,
                                                              std::size_t bytes);

/// Locks mapped pages into memory (mlock(2)) until they are unmapped. Throws out_of_memory, with
/// the remedy, if the memlock limit is too small.
void lock_pages(std::byte* data, std::size_t bytes);

/// Why huge pages are not available, from /sys/kernel/mm/transparent_hugepage/enabled.
std::optional<std::string> why_no_huge_pages();

}  // namespace transfers
