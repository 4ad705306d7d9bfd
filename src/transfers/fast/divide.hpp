#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transfers/fast/multipath.hpp"

namespace transfers::detail {

/// Parts of page-locked memory are whole pages.
constexpr std::size_t unit_of_parts = 4096;

/// What one link carries of a copy. 0 bytes: nothing.
struct link_part {
  std::size_t bytes = 0;
  std::size_t chunk_bytes = 0;  ///< of all chunks but the last

  [[nodiscard]] std::size_t chunks() const {
    return bytes == 0 ? 0 : (bytes + chunk_bytes - 1) / chunk_bytes;
  }
};

/// Cuts what the link of a helper carries so that it ends early: the last chunk crosses the
/// connection between the devices when nothing else does, and each chunk costs calls.
link_part cut_for_helper(std::size_t bytes, const multipath::link& link);

/// Divides bytes among links so that all of them end at the same time: one part for each, 0 for a
/// link that would end later than the others even with a single byte. Parts, except that of the
/// first link with any, are multiples of `unit`. Link 0 is the device's own, and needs no chunks.
std::vector<link_part> divide(std::size_t bytes, std::span<const multipath::link> links,
                              std::size_t unit);

/// How long the last chunk of a part is under way alone, between the devices, in seconds.
double passing_on(const link_part& part, const multipath::link& link);

/// All of it for the first of so many links.
std::vector<link_part> for_first_link(std::size_t bytes, std::size_t links);

/// The links of chunks 0, 1, … of equal size, which then repeat: each as often as its rate is a
/// share of all rates, as evenly spread as can be. `chunks`: how many before they repeat.
std::vector<std::size_t> take_turns(std::span<const multipath::link> links, std::size_t chunks);

}  // namespace transfers::detail
