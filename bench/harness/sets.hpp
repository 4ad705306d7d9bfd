#pragma once

#include <span>
#include <string>
#include <vector>

#include "bench/strategy/strategy.hpp"

namespace bench_transfers::bench {

/// Returns the strategies of a run of these devices, whose ids are given. Those of several copies
/// at once get sets of copies as their variants, "h2d/all", "both/cuda:0+cuda:1":
///
/// - without requests, all devices and, of up to eight, all pairs, each to the devices, back, and
///   both ways;
/// - otherwise those requested: "cuda:0:h2d+cuda:1:d2h" is "mixed/cuda:0:h2d+cuda:1:d2h", and
///   "cuda:0:both" stands for two copies.
///
/// A run of one device has no sets unless they are requested. Throws usage_error for requests that
/// are malformed, name a device that the run does not have, or name a copy twice.
registry with_sets(registry strategies, std::span<const std::string> ids,
                   const std::vector<std::string>& requests = {});

}  // namespace bench_transfers::bench
