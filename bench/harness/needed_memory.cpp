#include "bench/harness/needed_memory.hpp"

#include <algorithm>
#include <set>

namespace bench_transfers::bench {
namespace {

std::size_t payload_bytes(const benchmark_case& planned, std::size_t payloads) {
  return (payloads - 1) * buffers::distance(planned.bytes()) + planned.bytes();
}

using kinds_of_memory = std::set<transfers::host_memory_kind>;

/// The kinds of host memory that a benchmark uses with a device.
kinds_of_memory kinds_of(const benchmark_case& planned, std::size_t device) {
  kinds_of_memory kinds;
  const auto& host = planned.measured->needs.host;
  if (host && uses_device(planned, device)) kinds.insert(*host);
  for (const auto& copy : planned.copies)
    if (copy.host && copy.device == device) kinds.insert(*copy.host);
  return kinds;
}

/// The kinds of host memory that benchmarks use with a device.
kinds_of_memory kinds_in_use(const std::vector<benchmark_case>& planned, std::size_t device) {
  kinds_of_memory kinds;
  for (const auto& each : planned) kinds.merge(kinds_of(each, device));
  return kinds;
}

bool uses_host_memory(const benchmark_case& planned) {
  return planned.measured->needs.host || planned.measured->memory_by_copy;
}

}  // namespace

std::size_t shared_block::bytes_for(const benchmark_case& planned) const {
  return payload_bytes(planned, planned.measured->needs.*payloads);
}

std::size_t shared_block::bytes_for(const std::vector<benchmark_case>& planned,
                                    std::size_t largest_size) const {
  std::size_t most = 0;
  for (const auto& each : planned)
    if (each.bytes() <= largest_size && is_used_by(each)) most = std::max(most, bytes_for(each));
  return most;
}

std::vector<shared_block> blocks_of(const std::vector<benchmark_case>& planned,
                                    std::size_t device) {
  std::vector<shared_block> blocks;
  for (const auto kind : kinds_in_use(planned, device))
    blocks.push_back({[=](const auto& each) { return kinds_of(each, device).contains(kind); },
                      &requirements::host_payloads,
                      [=](buffers& memory, auto bytes) { memory.reserve_host(kind, bytes); }});
  blocks.push_back(
      {[=](const auto& each) { return uses_shared_memory(each) && uses_device(each, device); },
       &requirements::device_payloads,
       [](buffers& memory, auto bytes) { memory.reserve_device(bytes); }, true});
  return blocks;
}

bool uses_shared_memory(const benchmark_case& planned) {
  return uses_host_memory(planned) || planned.measured->needs.device_payloads > 1;
}

needed_memory::needed_memory(const std::vector<benchmark_case>& planned, std::size_t devices,
                             bool device_is_host)
    : device_is_host_(device_is_host) {
  kinds_of_memory kinds;
  for (std::size_t device = 0; device < devices; ++device) {
    kinds.merge(kinds_in_use(planned, device));
    for (const auto& block : blocks_of(planned, device))
      if (!block.is_of_device || device_is_host) blocks_ += block.bytes_for(planned);
  }
  kinds_ = kinds.size();
  for (const auto& each : planned) {
    largest_block_ = std::max(largest_block_, bytes_in_block(each));
    allocated_ = std::max(allocated_, bytes_allocated(each));
  }
}

bool needed_memory::is_largest(const benchmark_case& planned) const {
  return allocated_ > largest_block_ ? bytes_allocated(planned) == allocated_
                                     : bytes_in_block(planned) == largest_block_;
}

/// In the larger one of a benchmark's blocks.
std::size_t needed_memory::bytes_in_block(const benchmark_case& planned) const {
  const auto& needs = planned.measured->needs;
  std::size_t bytes = 0;
  if (uses_host_memory(planned)) bytes = payload_bytes(planned, needs.host_payloads);
  if (device_is_host_ && uses_shared_memory(planned))
    bytes = std::max(bytes, payload_bytes(planned, needs.device_payloads));
  return bytes;
}

std::size_t needed_memory::bytes_allocated(const benchmark_case& planned) const {
  const auto& needs = planned.measured->needs;
  const std::size_t times =
      needs.more_host_memory + (device_is_host_ ? needs.more_device_memory : 0U);
  return planned.bytes() * times + needs.fixed_host_memory +
         (needs.staged_copier ? buffers::bytes_of_staged_copier(device_is_host_) : 0U);
}

}  // namespace bench_transfers::bench
