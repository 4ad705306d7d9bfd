#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

#include "bench/strategy/transfer.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/core/device.hpp"

namespace bench_transfers::bench {

/// Payload `index` of the host buffer of a kind; see requirements::host_payloads.
payload host_payload(const job& task, transfers::host_memory_kind kind, std::size_t index = 0);

/// Payload `index` of the device buffer; see requirements::device_payloads.
payload device_payload(const job& task, std::size_t index = 0);

/// Memory of the strategy's own, outside the shared blocks.
payload own_payload(const transfers::host_memory& memory);
payload own_payload(const transfers::device_memory& memory);

/// The address of a payload in a kernel. Throws unsupported if the device has no address for it.
std::byte* seen_by_kernel(const payload& end);

/// The pattern from its first byte on, at either end of a copy.
void write_pattern(transfers::device& device, const payload& end, pattern written);
[[nodiscard]] pattern_check check_pattern(transfers::device& device, const payload& end,
                                          pattern expected);

/// Both ends of a copy between host memory of a kind and the device.
struct ends {
  payload source, destination;
};
ends ends_of(const job& task, transfers::host_memory_kind kind, transfers::direction direction);
ends ends_between(const payload& host, const payload& device, transfers::direction direction);

/// A transfer from the source to the destination, without steps.
transfer transfer_between(const ends& ends);

/// Copies between the ends by the calls that the host's memory needs, and returns when it is done.
void copy_now(transfers::device& device, const ends& ends, transfers::direction direction,
              bool page_locked);

/// Enqueues the copy between the ends on the job's stream.
std::function<void()> asynchronous_copy(const job& task, const ends& ends);

/// The copy between the ends by one of the library's copiers.
template <class Copier>
std::function<void()> copy_with(std::shared_ptr<Copier> copier, const ends& ends,
                                transfers::direction direction) {
  return [copier = std::move(copier), ends, direction] {
    copier->copy(ends.destination.data, ends.source.data, ends.source.bytes, direction);
  };
}

/// The copy between host memory of a kind and the device that returns when it is done.
transfer synchronous_copy(const job& task, transfers::host_memory_kind kind);

/// A kernel of at most `most_blocks` thread blocks copies between the device and host memory of a
/// kind, which it accesses in place.
transfer copy_in_place(const job& task, transfers::host_memory_kind kind,
                       unsigned most_blocks = std::numeric_limits<unsigned>::max());

}  // namespace bench_transfers::bench
