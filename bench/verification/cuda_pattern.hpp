#pragma once

#include "bench/verification/pattern.hpp"

namespace bench_transfers::bench {

/// write_pattern() and check_pattern() on CUDA devices. Throw unsupported in a build without CUDA.
void write_cuda_pattern(transfers::device& device, std::byte* block, std::size_t offset,
                        std::size_t bytes, pattern content);
pattern_check check_cuda_pattern(transfers::device& device, const std::byte* block,
                                 std::size_t offset, std::size_t bytes, pattern content);

}  // namespace bench_transfers::bench
