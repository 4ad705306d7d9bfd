#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bench/harness/settings.hpp"
#include "bench/strategy/strategy.hpp"

// Which strategies, variants, sizes and states of the host's lines a run measures: the rules of
// profiles. Strategies that --strategies names are measured whatever the profile has.
// `settings.strategies` is always as known_requests() returns it.

namespace bench_transfers::bench {

/// Throws as chosen_strategies().
std::vector<const strategy*> selected_strategies(const registry& strategies,
                                                 const settings& settings);

/// Null stands for a strategy without variants.
std::vector<const variant*> selected_variants(const strategy& measured, const settings& settings);

struct size_in_state {
  std::optional<std::size_t> bytes;  ///< nullopt: of a strategy without sizes
  cache_state cache = cache_state::warm;
};
std::vector<size_in_state> selected_sizes(const strategy& measured, const settings& settings);

}  // namespace bench_transfers::bench
