#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/strategy/strategy.hpp"

// What --strategies asks for: names of strategies, with or without a variant, and the beginnings of
// names up to a '/'.

namespace bench_transfers::bench {

/// The requests, with the names that a pattern matches ("copy/*", "*/pinned") in its place. Throws
/// usage_error for what no strategy is called, with names that may be meant.
std::vector<std::string> known_requests(const registry& strategies,
                                        const std::vector<std::string>& requests);

/// Whether a name, "copy/pinned/h2d", is among the requests; all are if there are none.
bool is_requested(std::string_view name, const std::vector<std::string>& requests);

/// Whether a request names the strategy itself or a variant, not its family alone.
bool is_named(const strategy& strategy, const std::vector<std::string>& requests);

/// Whether a strategy that is measured on request only is to be measured: a request names it, or is
/// about such strategies only, as their family's name may be.
bool is_asked_for(const registry& strategies, const strategy& candidate,
                  const std::vector<std::string>& requests);

/// The strategies that are requested. Throws as known_requests().
std::vector<const strategy*> chosen_strategies(const registry& strategies,
                                               const std::vector<std::string>& requests);

}  // namespace bench_transfers::bench
