#pragma once

#include <cuda_runtime.h>

#include <functional>

namespace bench::subjects {

/// Captures what `enqueue` puts into the stream and returns one replay of it, enqueued there.
/// Throws device_error.
std::function<void()> captured(cudaStream_t stream, const std::function<void()>& enqueue);

}  // namespace bench::subjects
