#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "transfers/fast/multipath.hpp"

namespace transfers::detail {

/// Parts of page-locked memory are whole pages.
constexpr std::size_t unit_of_parts = 4096;

/// Divides bytes among links so that all of them end at the same time: one part for each, 0 for a
/// link that would end later than the others even with a single byte. Parts, except that of the
/// first link with any, are multiples of `unit`.
std::vector<std::size_t> divide(std::size_t bytes, std::span<const multipath::link> links,
                                std::size_t unit);

/// All of it for the first of so many links.
std::vector<std::size_t> for_first_link(std::size_t bytes, std::size_t links);

/// The links of chunks 0, 1, … of equal size, which then repeat: each as often as its rate is a
/// share of all rates, as evenly spread as can be. `chunks`: how many before they repeat.
std::vector<std::size_t> take_turns(std::span<const multipath::link> links, std::size_t chunks);

}  // namespace transfers::detail
