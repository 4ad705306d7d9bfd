#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "transfers/core/host_memory.hpp"

namespace transfers {

enum class page_size { base, huge };

/// The threads that touch the pages, which takes most of the time of an allocation.
enum class first_touch { by_caller, by_several_threads };

/// Anonymous private memory, every page touched. `base` forbids transparent
/// huge pages and `huge` asks for them (madvise(2)), so that the two differ also on systems where
/// huge pages are always on. Throws out_of_memory, and invalid_argument for zero bytes.
std::unique_ptr<std::byte, host_memory::deleter> map_pages(
    std::size_t bytes, page_size pages, first_touch touched = first_touch::by_caller);

/// Locks mapped pages into memory (mlock(2)) until they are unmapped. Throws out_of_memory, with
/// the remedy, if the memlock limit is too small.
void lock_pages(std::byte* data, std::size_t bytes);

/// Why huge pages are not available, from /sys/kernel/mm/transparent_hugepage/enabled.
std::optional<std::string> why_no_huge_pages();

}  // namespace transfers
