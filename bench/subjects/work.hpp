#pragma once

#include <cstddef>
#include <cstdint>

#include "transfers/launch/launch.hpp"

namespace bench_transfers::bench::subjects {

/// A kernel of made-up work, and the threads to launch it with. Its arguments: words of device
/// memory, aligned to 16 bytes; their number, a multiple of 4; how often each is read, multiplied
/// and written; and how often it is multiplied by 3 each time.
struct work_kernel {
  transfers::prepared_function<std::uint32_t*, std::uint64_t, unsigned, unsigned> multiply;
  transfers::launch_shape threads;
};

/// For so many words. Throws device_error.
work_kernel multiplying_kernel(const transfers::device& device, std::uint64_t words);

/// The host device's counterpart.
work_kernel multiplying_kernel_on_host();

}  // namespace bench_transfers::bench::subjects
