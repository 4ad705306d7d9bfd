#pragma once

#include <functional>

#include "transfers/core/device.hpp"

namespace bench_transfers::bench::subjects {

/// When a copy may read its source: cudaMemcpySrcAccessOrderStream and its like.
enum class source_access_order { stream, during_api_call, any };

/// One copy that a strategy makes again and again.
struct one_copy {
  std::byte* dst;
  const std::byte* src;
  std::size_t bytes;
  transfers::direction direction;
};

/// Enqueues the copy with cudaMemcpyBatchAsync, as the only one of its batch. The stream must
/// outlive the returned function, which throws device_error. Throws invalid_argument for the legacy
/// default stream, which that call refuses.
std::function<void()> batch_of_one(const transfers::device& device, transfers::stream& stream,
                                   const one_copy& copy, source_access_order order);

/// The host device's counterpart.
std::function<void()> batch_of_one_on_host(transfers::stream& stream, const one_copy& copy,
                                           source_access_order order);

}  // namespace bench_transfers::bench::subjects
