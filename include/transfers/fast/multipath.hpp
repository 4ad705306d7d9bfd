#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "transfers/core/device.hpp"
#include "transfers/fast/staged_copy.hpp"

namespace transfers {

/// How copies of one device are divided among its own link and those of other devices, the helpers.
struct multipath {
  static constexpr std::size_t never = SIZE_MAX;  ///< for route::least_bytes

  /// A link while all of them are busy. A part of n bytes takes seconds + n / bytes_per_second; the
  /// last chunk of a helper's part then crosses the connection between the devices.
  struct link {
    double bytes_per_second = 0;  ///< positive
    double seconds = 0;           ///< until the first byte is under way
    /// Between the memory of a helper and that of the target. 0: so fast that it does not matter.
    double peer_bytes_per_second = 0;
  };
  /// For one direction. The device's own link carries smaller copies alone.
  struct route {
    std::size_t least_bytes = never;           ///< of page-locked memory
    std::vector<link> links = {};              ///< that of the device, then those of the helpers
    std::size_t least_pageable_bytes = never;  ///< of pageable memory, which is staged
  };

  route h2d = {};  ///< host to device
  route d2h = {};  ///< device to host

  [[nodiscard]] const route& operator[](direction direction) const {
    return direction == direction::h2d ? h2d : d2h;
  }
  [[nodiscard]] route& operator[](direction direction) {
    return direction == direction::h2d ? h2d : d2h;
  }
};

/// The devices whose links help: those that have access to the memory of the target, and it to
/// theirs (device::access_peer). Throws device_error.
[[nodiscard]] std::vector<device*> peers_of(device& target, std::span<device* const> helpers);

/// Measures the links, in a second or two: how fast each is while all are busy, and the size from
/// which dividing a copy is worth it; `never` if it is not. Page-locked memory: from 1 to 64 MiB,
/// for 10 % less time than the target's own link takes. Pageable memory: 16, 64 or 256 MiB, for 1.3
/// times the rate, because it takes twice the threads; `never` if there is too little memory to
/// try. `helpers`: as peers_of() returns them. Temporarily uses up to 256 MiB of page-locked, of
/// pageable and of device memory, and the threads and memory of staged copies over several links;
/// the target keeps what device::copier() acquires. Throws out_of_memory, device_error,
/// std::system_error.
[[nodiscard]] multipath calibrate_multipath(device& target, std::span<device* const> helpers);

/// Copies between the host and a device over several links at once: a part by the device's own
/// link, and the others through memory of other devices, which have links of their own to the host
/// and a fast connection to the target (NVLink). Without helpers it copies like device::copy.
class multipath_copier {
 public:
  /// Device memory on each helper: two chunks, one on the link while the other is passed on.
  static constexpr std::size_t largest_chunk = std::size_t{16} << 20;
  static constexpr unsigned chunks_of_helper = 2;  ///< under way at a time

  /// Uses those helpers that are peers_of() the target, as calibrate_multipath() measures them.
  /// Throws what these throw, and invalid_argument for null, the target, or a device twice among
  /// the helpers.
  multipath_copier(device& target, std::span<device* const> helpers);
  /// Likewise without measuring. Throws invalid_argument unless a route has as many links as
  /// links() says, with positive rates, or none; out_of_memory, device_error.
  multipath_copier(device& target, std::span<device* const> helpers, const multipath& settings);
  ~multipath_copier();
  multipath_copier(const multipath_copier&) = delete;
  multipath_copier& operator=(const multipath_copier&) = delete;

  /// Returns when the data are usable at the destination. Page-locked memory is divided among the
  /// links at once; pageable memory is staged, and its chunks take turns on the links. The first
  /// copy of pageable memory that is divided acquires threads and page-locked memory for that;
  /// others are those of device::copier(). Does not wait for work on streams. Calls from several
  /// threads take turns. Throws device_error, out_of_memory, std::system_error, after no copy is
  /// under way; the destination's content is then undefined.
  void copy(std::byte* dst, const std::byte* src, std::size_t bytes, direction direction);
  /// The same for elements, between a contiguous range of host memory and device memory. Throws
  /// length_error unless the sizes match, invalid_argument for an array of another device.
  template <class Dst, class Src>
  void copy(Dst&& dst, Src&& src) {
    using request = detail::finished_copy<Dst, Src>;
    static_assert(!(request::to_device && request::from_device),
                  "a copy between device memory needs no link to the host: a stream copies it");
    const request typed(dst, src, identity());
    if (typed.bytes > 0)
      copy(typed.dst, typed.src, typed.bytes, request::to_device ? direction::h2d : direction::d2h);
  }

  /// Returns the links that copies may use: 1 without helpers.
  [[nodiscard]] std::size_t links() const noexcept;
  /// Returns how many of them a copy between this host memory and the device may use: 0 for no
  /// bytes. Throws device_error.
  [[nodiscard]] std::size_t links_of(const std::byte* host, std::size_t bytes,
                                     direction direction) const;
  /// The settings it was made with.
  [[nodiscard]] const multipath& settings() const noexcept;

 private:
  [[nodiscard]] detail::device_identity identity() const noexcept;

  struct state;
  std::unique_ptr<state> state_;
};

}  // namespace transfers
