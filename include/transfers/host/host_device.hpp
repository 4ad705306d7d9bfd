#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "transfers/core/device.hpp"
#include "transfers/host/emulated_link.hpp"

namespace transfers {

/// What a host device emulates. Without options it is the host as a loopback.
struct host_device_options {
  /// N of "host:N", for people and records; several devices may have the same.
  std::optional<int> index = std::nullopt;
  /// The link that copies between host and device memory cross; devices with the same link share
  /// it. Without a link, copies are as fast as memory; with one, event::time_since is in its time.
  std::shared_ptr<emulated_link> link = nullptr;
  /// Bytes of device memory; by default as much as the host has.
  std::optional<std::size_t> memory_bytes = std::nullopt;
};

/// Opens a new device, whose allocations, streams and work are independent of other host devices.
/// Memory that one of them page-locks is page-locked for all, because the operating system locks it
/// for the process. These operations cross the link: device::copy, and copy, copy_batch,
/// copy_pitched, copy_pieces (the pieces, not their table) and copy_by_kernel (its accesses outside
/// of this device's memory) of a stream. Throws invalid_argument for a negative index.
[[nodiscard]] std::unique_ptr<device> open_host_device(const host_device_options& options);

}  // namespace transfers
