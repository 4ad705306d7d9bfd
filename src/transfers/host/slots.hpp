#pragma once

#include <cstddef>
#include <functional>

#include "transfers/core/slot_copy.hpp"

namespace transfers::detail {

/// What the kernel of stream::copy_slots does, by one thread: `move` copies a chunk.
void copy_slots_on_host(
    const slot_copy& copy,
    const std::function<void(std::byte* dst, const std::byte* src, std::size_t bytes)>& move);

}  // namespace transfers::detail
