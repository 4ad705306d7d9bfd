#pragma once

#include <functional>

namespace transfers::detail {

/// What enqueues on a cudaStream_t again what `work` enqueues there now. Throws as graph does.
std::function<void()> record_cuda_graph(void* stream, const std::function<void()>& work);

}  // namespace transfers::detail
