#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bench/strategy/pattern_file.hpp"
#include "bench/verification/pattern.hpp"
#include "transfers/core/device.hpp"
#include "transfers/fast/multipath.hpp"
#include "transfers/fast/staged_copy.hpp"

namespace bench_transfers::bench {

/// One block of host memory per kind and one of device memory, shared by all strategies and sizes
/// (pinning a GiB takes hundreds of milliseconds). Every block holds the run's test pattern except
/// while a repetition has poisoned its destination.
class buffers {
 public:
  /// Bytes behind the payload that must stay untouched, to catch writes past the end.
  static constexpr std::size_t guard = 64;

  /// Bytes between the beginnings of two payloads in one block: whole pages, guard included.
  static constexpr std::size_t distance(std::size_t bytes) {
    constexpr std::size_t page = 4096;
    return (bytes + guard + page - 1) / page * page;
  }

  buffers(transfers::device& device, std::uint64_t seed) : device_(device), seed_(seed) {}

  /// Allocates and fills blocks for payloads up to `bytes`. Throws what device::allocate throws.
  void reserve_host(transfers::host_memory_kind kind, std::size_t bytes);
  void reserve_device(std::size_t bytes);

  /// At least `bytes` bytes of pageable memory whose pages have been touched. The content is
  /// unspecified; every call returns the same block.
  [[nodiscard]] std::span<std::byte> scratch(std::size_t bytes);

  /// Return a block; throw std::logic_error if it was not reserved.
  [[nodiscard]] const transfers::host_memory& host(transfers::host_memory_kind kind) const;
  [[nodiscard]] const transfers::device_memory& on_device() const;

  /// The first call calibrates the copier; later calls return the same one. Its threads run where
  /// the first caller may run: one copier for each node that callers are bound to.
  [[nodiscard]] std::shared_ptr<transfers::staged_copier> staged_copier(
      std::optional<int> node = {});
  /// What that takes of the host's memory, where the device's may lie as well.
  [[nodiscard]] static std::size_t bytes_of_staged_copier(bool device_is_host);

  /// The first call measures the links of this device and of the helpers; later calls with the same
  /// helpers return the same copier.
  [[nodiscard]] std::shared_ptr<transfers::multipath_copier> multipath_copier(
      std::span<transfers::device* const> helpers);

  /// A temporary file with the pattern in at least its first `bytes` bytes. The first call makes
  /// it; later ones return the same one, extended if need be. Throws what pattern_file throws.
  [[nodiscard]] std::shared_ptr<const pattern_file> file(std::size_t bytes);

  [[nodiscard]] bench::pattern pattern(bool inverted = false) const { return {seed_, inverted}; }
  [[nodiscard]] const std::map<transfers::host_memory_kind, transfers::host_memory>& all_host()
      const {
    return host_;
  }

 private:
  transfers::device& device_;
  std::uint64_t seed_;
  std::map<transfers::host_memory_kind, transfers::host_memory> host_;
  std::optional<transfers::device_memory> on_device_;
  transfers::host_memory scratch_;
  std::map<std::optional<int>, std::shared_ptr<transfers::staged_copier>> staged_copiers_;
  std::shared_ptr<transfers::multipath_copier> multipath_copier_;
  std::vector<transfers::device*> helpers_;  ///< of that
  std::shared_ptr<pattern_file> file_;
};

}  // namespace bench_transfers::bench
