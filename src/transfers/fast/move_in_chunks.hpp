#pragma once

#include <cstddef>

#include "src/transfers/fast/chunk_pipeline.hpp"
#include "transfers/fast/staged_copy.hpp"

namespace transfers::detail {

/// Copies with streaming_store() or with memcpy.
void move(std::byte* dst, const std::byte* src, std::size_t bytes, bool streaming);

/// Copies any number of bytes through the pipeline's memory. Throws what the pipeline throws.
void move_in_chunks(chunk_pipeline& pipeline, const staging::route& settings, std::byte* dst,
                    const std::byte* src, std::size_t bytes, direction direction);

}  // namespace transfers::detail
