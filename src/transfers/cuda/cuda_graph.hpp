#pragma once

#include <functional>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// Records what `work` enqueues on a CUDA stream; returns a function that enqueues it again. Throws
/// what graph throws.
std::function<void()> record_cuda_graph(const stream& stream, const std::function<void()>& work);

}  // namespace transfers::detail
