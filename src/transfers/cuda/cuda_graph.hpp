#pragma once

#include <functional>

#include "transfers/core/stream.hpp"

namespace transfers::detail {

/// What enqueues on a CUDA stream again what `work` enqueues there now. Throws as graph does.
std::function<void()> record_cuda_graph(const stream& stream, const std::function<void()>& work);

}  // namespace transfers::detail
