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
  /// What copies between host and device memory cross; devices that are given the same link share
  /// it. None: copies are as fast as memory. With a link, stream::span_on_device tells its times.
  std::shared_ptr<emulated_link> link = nullptr;
  /// Bytes of device memory; none: as much as the host has.
  std::optional<std::size_t> memory_bytes = std::nullopt;
};

/// Opens a device of its own: its allocations, its streams and its work concern no other host
/// device. Memory that is page-locked by one of them is so for all, as the operating system has it.
/// What crosses the link: device::copy, and of a stream copy, copy_batch, copy_pitched, copy_pieces
/// (the pieces, not their table) and copy_by_kernel (what it reads or writes outside of this
/// device's memory). Throws std::invalid_argument for a negative index.
[[nodiscard]] std::unique_ptr<device> open_host_device(const host_device_options& options);

}  // namespace transfers
