#pragma once

#include <functional>
#include <string>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// When a copy may read its source, with the numbers of cudaMemcpySrcAccessOrder.
enum class source_access_order { stream = 1, during_api_call = 2, any = 3 };

/// "during_api_call".
std::string to_string(source_access_order order);

/// One copy that a strategy makes again and again.
struct one_copy {
  std::byte* dst;
  const std::byte* src;
  std::size_t bytes;
  transfers::direction direction;
};

/// Enqueues the copy with cudaMemcpyBatchAsync, as the only one of the call. The stream must
/// outlive the returned function, which throws unsupported and device_error. Throws
/// invalid_argument for the legacy default stream, which that call refuses (CUDA Runtime API,
/// cudaMemcpyBatchAsync).
std::function<void()> batched_copy(const transfers::device& device, transfers::stream& stream,
                                   const one_copy& copy, source_access_order order);

/// The host device's counterpart.
std::function<void()> batched_copy_on_host(transfers::stream& stream, const one_copy& copy,
                                           source_access_order order);

}  // namespace bench_transfers::bench::subjects
